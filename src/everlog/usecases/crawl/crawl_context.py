"""What the steps of one crawl share: the blog, what is known of it, the web, the archive's writer."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from typing import TYPE_CHECKING

from everlog.usecases.learn.stored_entries import Entries
from everlog.usecases.learn.template_history import TemplateHistory
from everlog.usecases.page.page_reading import ReadContext

if TYPE_CHECKING:
    from collections.abc import Callable
    from concurrent.futures import Future

    from everlog.archive import Archive
    from everlog.archive.models import Acknowledged
    from everlog.archive.write.batch_writer import BatchWriter
    from everlog.comments.comment_rules import CommentRules
    from everlog.core.fetcher import Fetcher
    from everlog.core.links import Scope
    from everlog.records import Blog, Post, Visit
    from everlog.settings import Settings
    from everlog.usecases.crawl.report import Tally
    from everlog.usecases.learn.learned_blog import LearnedBlog
    from everlog.usecases.page.copies import Copies
    from everlog.usecases.page.post_comments import CommentGatherer
    from everlog.usecases.page.rendering import Rendering

# Visits handed to the writer and not yet safe. Four are under way at the usual concurrency; more only
# serve to group their fsyncs.
UNSAFE_AT_MOST = 64


@dataclass(slots=True, kw_only=True)
class CrawlContext:
    """One crawl's tools and memory."""

    blog: Blog
    known: LearnedBlog
    scope: Scope
    settings: Settings
    fetcher: Fetcher
    archive: Archive
    writer: BatchWriter
    tally: Tally
    this_year: int
    on_safe: Callable[[Acknowledged], None]
    copies: Copies
    rendering: Rendering
    commenting: CommentGatherer
    # What the feed says of its posts.
    entries: Entries = field(default_factory=Entries)
    error: BaseException | None = None
    # The posts that are split over pages, as the blog tells, once somebody asked.
    split_posts: asyncio.Future[frozenset[str]] | None = None
    # Addresses beyond the scope that may belong to the blog, by their keys.
    left_out: dict[str, str] = field(default_factory=dict)
    _seen: set[bytes] = field(default_factory=set)
    _unsafe: set[Future[Acknowledged]] = field(default_factory=set)
    _on_the_way: dict[str, Post] = field(default_factory=dict)
    _room: asyncio.Event = field(default_factory=asyncio.Event)
    _read_context: ReadContext | None = None

    @property
    def read_context(self) -> ReadContext:
        """What pages are read by now: another one whenever something was learned."""
        if self._read_context is None or self._read_context.present is not self.known:
            before = self._read_context
            history = before.template_history if before is not None else TemplateHistory.of(self.blog.id, self.archive)
            self._read_context = ReadContext(scope=self.scope, present=self.known, template_history=history)
        return self._read_context

    def is_of_another_design(self, key: str) -> bool:
        """Whether the post that is held of an address was read by the rules of before a redesign."""
        learned_at = self.known.learned_at
        if not self.read_context.template_history.former or learned_at is None:
            return False
        held = self.held(key)
        return held is not None and held.fetched is not None and held.fetched < learned_at

    def is_new(self, key: str) -> bool:
        """Whether a URL was not met before in this blog; from now on it was."""
        mark = _mark(key)
        if mark in self._seen:
            return False
        self._seen.add(mark)
        return True

    def has_seen(self, key: str) -> bool:
        """Whether a URL was met before in this blog."""
        return _mark(key) in self._seen

    def held(self, key: str) -> Post | None:
        """The post at an address in its canonical spelling, stored or on its way to the disk."""
        return self._on_the_way.get(key) or self.archive.posts.find("http://" + key, as_read=True)

    def learn_comments(self, rules: CommentRules | None) -> None:
        """From now on, and at the next crawl, comments are read by these rules."""
        self.known = replace(self.known, template=self.known.template.with_comments(rules))
        self.archive.blogs.update(self.blog.id, template=self.known.template.to_json())

    async def submit(self, visit: Visit) -> None:
        """Hand a visit to the writer; waits only when too many are not safe yet."""
        loop = asyncio.get_running_loop()
        while self.writer.full and self._unsafe and self.error is None:
            self._room.clear()
            await self._room.wait()
        future = self.writer.submit(visit)
        self._unsafe.add(future)
        if visit.post is not None:
            self._on_the_way[visit.post_key or visit.key] = visit.post
        future.add_done_callback(lambda done: loop.call_soon_threadsafe(self._safe, done))
        while len(self._unsafe) > UNSAFE_AT_MOST and self.error is None:
            self._room.clear()
            await self._room.wait()

    async def drain(self) -> None:
        """Wait until everything handed over is safe."""
        while self._unsafe and self.error is None:
            self._room.clear()
            await self._room.wait()
        if self.error is not None:
            raise self.error

    def _safe(self, done: Future[Acknowledged]) -> None:
        self._unsafe.discard(done)
        self._room.set()
        error = done.exception()
        if error is not None:
            self.error = self.error or error
        else:
            visit = done.result().visit
            self._on_the_way.pop(visit.post_key or visit.key, None)
            self.on_safe(done.result())


def _mark(key: str) -> bytes:
    """Eight bytes for a URL.

    The texts would be the largest thing a long crawl holds; that two of a million marks are the same has
    a chance of 3 in 100 million.
    """
    return blake2b(key.encode("utf-8", "replace"), digest_size=8).digest()
