"""The records that travel through everlog: one frozen class per thing.

`None` means "the source does not say". Times of our own clock end in `_at` and are aware UTC;
`published` and `updated` keep the offset their source states.

    Feed -> Entry            what a blog's feed says
    Page                     the bytes of a URL, whichever door they came through
    Post | Skip              what reading a page gives
"""

from __future__ import annotations

from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

CommentsState = Literal["complete", "partial", "failed", "off", "none"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One item of a feed. `content` and `summary` are HTML (or plain text) as the feed holds them."""

    link: str | None
    title: str | None = None
    content: str | None = None
    summary: str | None = None
    authors: tuple[str, ...] = ()
    published: datetime | None = None
    updated: datetime | None = None
    tags: tuple[str, ...] = ()
    guid: str | None = None
    comments_feed: str | None = None
    comment_count: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Feed:
    """A parsed feed. `home` is the page it says it belongs to; `next_pages` where older entries may be."""

    url: str | None
    title: str | None = None
    home: str | None = None
    language: str | None = None
    authors: tuple[str, ...] = ()
    entries: tuple[Entry, ...] = ()
    kind: str = ""
    next_pages: tuple[str, ...] = ()
    problem: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedLink:
    """A feed a page points to, or may have; `comments` is set for feeds of comments."""

    url: str
    title: str | None = None
    comments: bool = False
    declared: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """The bytes of a URL."""

    url: str
    body: bytes
    content_type: str | None = None
    fetched_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Provenance:
    """Where a field's value came from: the method, the rule that found it, its measured confidence.

    `confidence` is how well the rule did on the feed's own pages, in [0, 1]: the share of pages on
    which it was right, for texts and tags the mean likeness; None where the feed could not tell.
    `precision` says how exact a date is: `minute`, `day` or `month`.
    """

    method: str
    rule: str | None = None
    confidence: float | None = None
    precision: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Comment:
    """One comment of a post; `parent` is the id of the comment it answers."""

    id: str | None = None
    parent: str | None = None
    author: str | None = None
    author_url: str | None = None
    published: datetime | None = None
    text: str = ""
    html: str = ""
    url: str | None = None
    source: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Media:
    """A picture, sound or file of an article, and where the archive keeps it."""

    url: str
    path: str | None = None
    sha256: str | None = None
    type: str | None = None
    bytes: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Post:
    """A post as it was read from its page; the names are those of the export."""

    url: str
    blog: str | None = None
    aliases: tuple[str, ...] = ()
    title: str | None = None
    authors: tuple[str, ...] = ()
    published: datetime | None = None
    updated: datetime | None = None
    tags: tuple[str, ...] = ()
    language: str | None = None
    text: str = ""
    html: str = ""
    summary: str | None = None
    comments: tuple[Comment, ...] = ()
    comments_state: CommentsState = "none"
    comment_count_claimed: int | None = None
    media: tuple[Media, ...] = ()
    provenance: Mapping[str, Provenance] = field(default_factory=lambda: MappingProxyType({}))
    fetched: datetime | None = None
    version: int = 1
    gone: str | None = None
    warc: tuple[str, int] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Skip:
    """A page that is not kept as a post, and why."""

    url: str
    reason: str
