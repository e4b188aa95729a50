"""State of a backfill, kept with the blog: where the walk over an archive's list stands, and what was asked in vain."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from everlog.archive.blog_state import SourceState
from everlog.archive.repos.inventory import InventoryPost
from everlog.history.memento import WEB_ARCHIVE
from everlog.usecases.history.walk_sources import keep_state

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from everlog.history.memento.memento_lines import Memento
    from everlog.records import Blog
    from everlog.usecases.crawl.crawl_context import CrawlRun

# Addresses that were asked for in vain are kept beside the posts that a web archive names, and are none.
VAIN = "vain"


@dataclass(frozen=True, slots=True, kw_only=True)
class BackfillState:
    """The archive's side of a backfill from one endpoint. Nothing of it is kept for a run that wants single posts."""

    blog: Blog
    run: CrawlRun
    endpoint: str
    is_kept: bool

    def cursor(self) -> Mapping[str, Any]:
        """Where an earlier run stopped; empty where none did."""
        state = self._source()
        if not self.is_kept or state is None or state.entrance != self.endpoint or state.cursor is None:
            return {}
        found = json.loads(state.cursor)
        return found if isinstance(found, dict) else {}

    def keep(self, cursor: Mapping[str, Any] | None, problems: Sequence[str], *, is_over: bool = False) -> None:
        """Note where the walk stands; without a cursor it begins anew the next time."""
        if not self.is_kept:
            return
        before = self._source() or SourceState(source=WEB_ARCHIVE, entrance=self.endpoint)
        keep_state(replace(
            before, entrance=self.endpoint, evidence="asked for", is_exhaustive=False,
            cursor=json.dumps(cursor) if cursor is not None else None,
            walked_at=self.run.now() if is_over else before.walked_at, problem="; ".join(problems) or None,
        ), self.blog, self.run)

    def name_post(self, key: str, newest: Memento, *, is_vain: bool = False) -> None:
        """Note that the archive has captures that may show a post; or that none of them does."""
        self.run.archive.blogs.inventory.add(self.blog.id, WEB_ARCHIVE, [InventoryPost(
            native_id=key, key=key, url=newest.url, kind=VAIN if is_vain else "address",
            changed_at=newest.captured_at,
        )])

    def vain(self) -> dict[str, str]:
        """Addresses none of whose captures shows a post, with the stamp of the newest of these."""
        listed = self.run.archive.blogs.inventory.of(self.blog.id, WEB_ARCHIVE, kind=VAIN)
        return {each.key: f"{each.changed_at:%Y%m%d%H%M%S}" for each in listed if each.changed_at is not None}

    def _source(self) -> SourceState | None:
        history = self.run.archive.blogs.state(self.blog.id).history
        return next((each for each in history if each.source == WEB_ARCHIVE), None)
