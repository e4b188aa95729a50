"""Blog of an archive, and the events in its log."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from types import MappingProxyType
from typing import Literal

from everlog.records.one_line import on_a_line

CrawlState = Literal["new", "crawling", "finished"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Blog:
    """What an archive knows about a blog. `template` and `knowledge` are JSON texts of what was learned.

    `gone` says why the blog is not asked for any more, `former_homes` where it was before it moved. What `is_hidden` is
    neither exported nor shown in public.
    """

    id: int
    home: str
    title: str | None = None
    feed_url: str | None = None
    scope: str = "path"
    state: CrawlState = "new"
    template: str | None = None
    knowledge: str | None = None
    added_at: datetime
    crawled_at: datetime | None = None
    forgotten_at: datetime | None = None
    gone: str | None = None
    gone_at: datetime | None = None
    former_homes: tuple[str, ...] = ()
    is_hidden: bool = False

    def __repr__(self) -> str:
        return on_a_line("Blog", title=self.title, address=self.home, about=(self.state,))


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """What happened to a blog or to one of its posts, as the archive's ledger keeps it: nothing is ever taken out.

    `at` is when it was noticed, `reason` a sentence for people, `detail` what a program may want to know.
    """

    blog_id: int
    kind: str
    at: datetime
    reason: str
    post_id: int | None = None
    url: str | None = None
    detail: Mapping[str, object] = field(default_factory=lambda: MappingProxyType({}))
    id: int | None = None
