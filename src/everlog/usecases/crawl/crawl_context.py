"""Context of a crawl, in two halves, and the stop switch between them.

    CrawlRun        what a run is given before its blog is known; never changes
    CrawlContext    that, with the blog, what is learned of it, and the memory of the crawl
    StopSwitch      how a run is stopped from outside
    Stop            why a crawl ends

The halves stay apart because their lives do. A run begins with an address that may turn out to be another page of a
blog that is held, a feed that moved, or no blog at all; polls of a watch end there, without a crawl. Only where there
is a learned blog is there a context, so nothing in it is optional.
"""

from __future__ import annotations

import asyncio
import re
from collections import deque
from contextlib import AbstractAsyncContextManager, nullcontext, suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from hashlib import blake2b
from typing import TYPE_CHECKING, Protocol

from everlog.archive.write.version_decider import addresses
from everlog.errors import EverlogError
from everlog.usecases.crawl.report import Ending, Tally, reason_kind
from everlog.usecases.learn.stored_entries import Entries
from everlog.usecases.page.requisite_links import RequisiteLinks

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from concurrent.futures import Future

    from everlog.archive import Archive
    from everlog.archive.write.batch_writer import BatchWriter
    from everlog.archive.write.record_batch import Acknowledged
    from everlog.comments.comment_rules import CommentRules
    from everlog.core.fetcher import Fetcher
    from everlog.core.scope import Scope
    from everlog.records import Blog, Post, Visit
    from everlog.render import Browser
    from everlog.settings import Settings
    from everlog.usecases.foreign.admission import Admission
    from everlog.usecases.history.archive_walk import ArchiveWalk
    from everlog.usecases.learn.learned_blog import LearnedBlog
    from everlog.usecases.learn.template_history import TemplateHistory
    from everlog.usecases.page.copies import Copies
    from everlog.usecases.page.post_comments import CommentGatherer
    from everlog.usecases.page.rendering import Rendering

# Visits handed to the writer and not yet safe. Four are under way at the usual concurrency; more only
# serve to group their fsyncs.
UNSAFE_AT_MOST = 64
_HOST_END = re.compile(r"[/?#]|$")
# A crawl that is killed loses this much of its statistics of requests and waits.
HOST_STATS_SECONDS = 30.0
# Posts that are remembered to be compared with each other; more do not tell more.
VISITED_KEPT = 20
# What comes of visits to posts and pages, but for those that are to be made again.
PAGES = frozenset({"post", "listing", "page", "unchanged", "skip", "failed"})
# Why a crawl pauses that takes turns with others.
SLICE_OVER = "paused: its time slice is over, it continues in the next one"
INTERRUPTED = "interrupted; run the same command to continue"
# A crawl that ended so does not pause.
ENDED = frozenset({None, "complete", "incomplete"})


@dataclass(slots=True)
class Stop:
    """Why a crawl ends; the first reason given stays."""

    ending: Ending | None = None
    reason: str = ""

    def say(self, ending: Ending, reason: str) -> None:
        if self.ending is None:
            self.ending, self.reason = ending, reason


class Stoppable(Protocol):
    """A crawl under way, as whoever stops it sees it."""

    def interrupt(self) -> None:
        """End at once; what was fetched is stored."""
        ...

    def wind_down(self) -> None:
        """Ask for nothing more; what was asked for is waited for and stored."""
        ...


@dataclass(slots=True)
class StopSwitch:
    """How a run is stopped from outside, before its crawl begins or while it is under way."""

    crawl: Stoppable | None = None
    interrupted: bool = False
    # Whether what is under way is the last that is asked for in this run.
    is_over: bool = False

    def begin(self, crawl: Stoppable) -> None:
        """This crawl is under way from now on; what was said before it began holds for it."""
        self.crawl = crawl
        if self.interrupted:
            crawl.interrupt()
        elif self.is_over:
            crawl.wind_down()

    def interrupt(self) -> None:
        """End as soon as what was fetched is stored."""
        self.interrupted = True
        if self.crawl is not None:
            self.crawl.interrupt()

    def wind_down(self) -> None:
        """Ask for nothing more; what was asked for is waited for and stored, the rest stays in the queue."""
        self.is_over = True
        if self.crawl is not None:
            self.crawl.wind_down()


@dataclass(frozen=True, slots=True, kw_only=True)
class CrawlRun:
    """What a run is given: the web as this blog may be fetched, the archive, the settings, its listeners."""

    fetcher: Fetcher
    archive: Archive
    settings: Settings
    tally: Tally
    on_safe: Callable[[Acknowledged], None] = lambda _: None
    # What time it is.
    now: Callable[[], datetime] = lambda: datetime.now(UTC)
    # Renders the pages that need it; None: nobody can.
    browser: Browser | None = None
    # A web archive that has what is gone from the web; None: nobody wants to ask one.
    web_archive: Fetcher | None = None
    # What `--allow` named, to be kept with a blog that is new.
    allow: tuple[str, ...] | None = None
    # Who visits pages takes a turn; polls that bring nothing need none.
    turn: AbstractAsyncContextManager[object] = field(default_factory=nullcontext)
    # Whether this run only goes on with what another began: what failed a moment ago is not asked for again.
    goes_on: bool = False
    stop: StopSwitch = field(default_factory=StopSwitch)

    def keep_host_stats(self) -> None:
        """Add what was asked of hosts since this was last called to what the archive knows of them."""
        with suppress(EverlogError):  # a disk that takes no figures takes no posts either, and these are told of
            for each in filter(None, (self.fetcher, self.web_archive)):
                self.archive.hosts.add(each.take_host_stats(), at=self.now())


@dataclass(slots=True, kw_only=True)
class CrawlContext:
    """All that one crawl shares: its run, the blog, what is learned of it, the archive's writer, what it has met."""

    run: CrawlRun
    blog: Blog
    templates: TemplateHistory
    scope: Scope
    writer: BatchWriter
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
    # Links that lead out of the blog, by their keys: some may name addresses that it had.
    named: dict[str, str] = field(default_factory=dict)
    # The blog's host, if the archive held no post there when the crawl began: then nobody else's are asked for.
    unheld_host: str | None = None
    # Whether the blog's own interface told its posts in this run: then its word stands, and pages are the check on it.
    is_told: bool = False
    # Whether one was asked for its posts, in this run or before: some may be held as it told them, without a page.
    has_sources: bool = False
    # The keys of posts whose text strangers do not get, and why: "password", "members".
    locked: Mapping[str, str] = field(default_factory=dict)
    # The blog's pages of months and years, where no interface tells its posts.
    archive_walk: ArchiveWalk | None = None
    # The keys of what is held and was told as a page beside the posts.
    pages: frozenset[str] = frozenset()
    # The keys of posts that the blog's own list of all posts does not name any more.
    unlisted: frozenset[str] = frozenset()
    # Set while captures are taken that others made.
    foreign: Admission | None = None
    # Where the links of posts to the previous and next one led first, by their keys, until they are read as posts.
    neighbours: dict[str, str] = field(default_factory=dict)
    # All that these links led to, first or not.
    linked_neighbours: dict[str, str] = field(default_factory=dict)
    _brought: set[bytes] = field(default_factory=set)
    # Posts whose pages were fetched and stored in this run, the first of them.
    visited_posts: list[str] = field(default_factory=list)
    # What pages need to be shown.
    requisites: RequisiteLinks = field(init=False)
    # Keys of media that were requisites before: they may be held already.
    promoted: set[str] = field(default_factory=set)
    archive: Archive = field(init=False)
    fetcher: Fetcher = field(init=False)
    settings: Settings = field(init=False)
    tally: Tally = field(init=False)
    this_year: int = field(init=False)
    _stats_kept_at: datetime = field(init=False)
    _seen: set[bytes] = field(default_factory=set)
    _unsafe: set[Future[Acknowledged]] = field(default_factory=set)
    # What was stored and the loop has not heard of; the writer's thread adds to it.
    _acknowledged: deque[Future[Acknowledged]] = field(default_factory=deque)
    _is_told: bool = False
    _on_the_way: dict[str, Post] = field(default_factory=dict)
    _room: asyncio.Event = field(default_factory=asyncio.Event)

    def __post_init__(self) -> None:
        run = self.run
        self.archive, self.fetcher, self.settings, self.tally = run.archive, run.fetcher, run.settings, run.tally
        self.requisites = RequisiteLinks(context=self)
        self._stats_kept_at = run.now()
        self.this_year = self._stats_kept_at.year

    @property
    def learned(self) -> LearnedBlog:
        """What is learned of the blog by now."""
        return self.templates.present

    def learn(self, learned: LearnedBlog) -> None:
        """Read the pages that follow by this."""
        self.templates = replace(self.templates, present=learned)

    def learn_comments(self, rules: CommentRules | None) -> None:
        """From now on, and at the next crawl, comments are read by these rules."""
        self.learn(replace(self.learned, template=self.learned.template.with_comments(rules)))
        self.archive.blogs.update(self.blog.id, template=self.learned.template.to_json())

    def is_of_another_design(self, key: str) -> bool:
        """Whether the post that is held of an address was read by the rules of before a redesign."""
        learned_at = self.learned.learned_at
        if not self.templates.former or learned_at is None:
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

    def is_wanted(self, key: str) -> bool:
        """Whether a page, or media of an article, is to be queued: nobody met it before, but as a requisite."""
        if self.requisites.give_up(key):
            self.promoted.add(key)
            return True
        return self.is_new(key)

    def has_seen(self, key: str) -> bool:
        """Whether a URL was met before in this blog."""
        return _mark(key) in self._seen

    def held(self, key: str) -> Post | None:
        """The post at an address in its canonical spelling, stored or on its way to the disk."""
        found = self._on_the_way.get(key)
        if found is not None or self.is_unheld(key):
            return found
        return self.archive.posts.find("http://" + key, as_read=True)

    def is_unheld(self, key: str) -> bool:
        """Whether the archive need not be asked: it had no post of the host, and this crawl brought none there."""
        host = self.unheld_host
        return host is not None and key.startswith(host) and _HOST_END.match(key, len(host)) is not None and (
            _mark(key) not in self._brought
        )

    def was_visited(self, key: str) -> bool:
        """Whether an address is in the archive's queue, and its turn was."""
        row = self.archive.urls.state(self.blog.id, key)
        return row is not None and row[0] != "queued"

    async def submit(self, visit: Visit) -> None:
        """Hand a visit to the writer; waits only when too many are not safe yet."""
        loop = asyncio.get_running_loop()
        if self.foreign is not None:
            taken = self.foreign.admitted(visit)
            if taken is None:
                return
            visit = taken
        while self.writer.full and self._unsafe and self.error is None:
            self._room.clear()
            await self._room.wait()
        future = self.writer.submit(visit)
        self._unsafe.add(future)
        if self.unheld_host is not None and (visit.post is not None or visit.post_key is not None):
            self._brought.update(_mark(key) for key, _ in addresses(visit))
        if visit.post is not None:
            self._on_the_way[visit.post_key or visit.key] = visit.post
        future.add_done_callback(partial(self._acknowledge, loop))
        while len(self._unsafe) > UNSAFE_AT_MOST and self.error is None:
            self.writer.hurry()
            self._room.clear()
            await self._room.wait()

    async def drain(self) -> None:
        """Wait until everything handed over is safe."""
        while self._unsafe and self.error is None:
            self.writer.hurry()
            self._room.clear()
            await self._room.wait()
        if self.error is not None:
            raise self.error

    def _acknowledge(self, loop: asyncio.AbstractEventLoop, done: Future[Acknowledged]) -> None:
        """Tell the loop, from the writer's thread: once for all of a group, as waking it costs a system call."""
        self._acknowledged.append(done)
        if not self._is_told:
            self._is_told = True
            loop.call_soon_threadsafe(self._all_safe)

    def _all_safe(self) -> None:
        # First, or what is acknowledged from here on would be told to nobody.
        self._is_told = False
        while self._acknowledged:
            self._safe(self._acknowledged.popleft())

    def _safe(self, done: Future[Acknowledged]) -> None:
        self._unsafe.discard(done)
        self._room.set()
        error = done.exception()
        if error is not None:
            self.error = self.error or error
        else:
            visit = done.result().visit
            self._on_the_way.pop(visit.post_key or visit.key, None)
            self._count(done.result())

    def _count(self, safe: Acknowledged) -> None:
        """Figures count what is safe, not what was seen."""
        if (self.run.now() - self._stats_kept_at).total_seconds() >= HOST_STATS_SECONDS:
            self._stats_kept_at = self.run.now()
            self.run.keep_host_stats()
        tally = self.tally
        tally.visited += is_page(safe.visit)
        tally.count_kept(safe.kept, safe.visit.post)
        if (post := safe.visit.post) is not None and safe.kept in {"new", "changed", "same"}:
            source = post.provenance.get("text")
            if source is not None and source.disagrees is not None:
                tally.unsure[reason_kind(source.disagrees)] += 1
        is_post = safe.visit.post is None or safe.visit.post.kind == "post"
        if safe.kept in {"new", "changed", "same"} and is_post and len(self.visited_posts) < VISITED_KEPT:
            self.visited_posts.append(safe.visit.url)
        self.run.on_safe(safe)


def is_page(visit: Visit) -> bool:
    """Whether a visit asked for a post or another page of the blog; what was put off for others was counted then."""
    return visit.lane not in {"media", "requisite"} and visit.outcome in PAGES and not visit.settles


def _mark(key: str) -> bytes:
    """Eight bytes for a URL.

    The texts would be the largest thing a long crawl holds; that two of a million marks are the same has
    a chance of 3 in 100 million.
    """
    return blake2b(key.encode("utf-8", "replace"), digest_size=8).digest()
