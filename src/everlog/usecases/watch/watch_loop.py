"""Watch loop over all blogs of an archive: each is polled as it falls due, until somebody says stop.

All state is in the archive: a watch can be killed and started again, and several share the work.
"""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from everlog.core.fetcher import HostStats, Waited
from everlog.errors import EverlogError
from everlog.schedule.poll_schedule import Observation, Polling, after_poll
from everlog.usecases.watch.poll import FATAL, PollResult, poll_blog
from everlog.usecases.watch.poll_source import LEASE, PollSource, WholeArchive

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

    from everlog.archive import Archive
    from everlog.archive.models import Poll
    from everlog.records import Blog
    from everlog.usecases.crawl.crawl_context import CrawlRun
    from everlog.usecases.sessions import HostCache

log = logging.getLogger("everlog")

# Blogs that are asked at once. They are on different hosts, and an answer takes a tenth of a second or two.
AT_ONCE = 64
HEARTBEAT_SECONDS = LEASE.total_seconds() / 4
# How often blogs that were crawled meanwhile are taken in.
ENLIST_SECONDS = 300.0
# The reason, in the host statistics, of a poll that is later than the blog's rhythm would have it.
NOT_DUE = "the feed or its server asks for longer waits"
# With a few blogs, polls are hours apart.
ONLINE_FOR = timedelta(hours=6)


@dataclass(slots=True, kw_only=True)
class WatchTally:
    """The running figures of a watch; it is read by progress displays while the watch writes it."""

    watched: int = 0
    due: int = 0
    asking: int = 0
    polls: int = 0
    new_posts: int = 0
    changed_posts: int = 0
    seconds: float = 0.0
    next_due: datetime | None = None
    kinds: Counter[str] = field(default_factory=Counter)

    @property
    def rate(self) -> float:
        """Polls a second."""
        return self.polls / self.seconds if self.seconds else 0.0


class Watcher:
    """One watch. `run_for` gives the tools for one blog, `on_polled` hears what came of each poll."""

    def __init__(
        self, archive: Archive, *, now: Callable[[], datetime], sleep: Callable[[float], Awaitable[None]],
        run_for: Callable[[Blog], CrawlRun], on_polled: Callable[[Blog, PollResult], None],
        tally: WatchTally | None = None,
        host_cache: HostCache | None = None, source: PollSource | None = None,
    ) -> None:
        self.tally = tally or WatchTally()
        self._source = source or WholeArchive(archive)
        self._archive = archive
        self._now = now
        self._sleep = sleep
        self._run_for = run_for
        self._on_polled = on_polled
        self._host_cache = host_cache
        self._tasks: dict[asyncio.Task[None], int] = {}
        self._runs: dict[int, CrawlRun] = {}
        self._stopping = asyncio.Event()
        self._done: list[tuple[Poll, tuple[HostStats, ...], asyncio.Future[None]]] = []
        self._waits: dict[str, list[Waited]] = {}
        self._flushing: asyncio.Task[None] | None = None
        self._renewed_at = self._enlisted_at = datetime.min.replace(tzinfo=now().tzinfo)
        self._failure: BaseException | None = None
        self._answered_at: datetime | None = None
        self._has_more = False
        self._is_over = False
        self._changed = asyncio.Event()

    @property
    def is_busy(self) -> bool:
        """Whether any blog is being asked."""
        return bool(self._tasks)

    @property
    def was_stopped(self) -> bool:
        """Whether somebody said stop."""
        return self._stopping.is_set()

    def stop(self) -> None:
        """Ask no more; what was fetched is stored, what was claimed is given back."""
        self._stopping.set()
        for run in tuple(self._runs.values()):
            run.stop.interrupt()

    def wind_down(self) -> None:
        """Claim no more; what was claimed is dealt with, and what takes long stops where it can go on."""
        self._is_over = True
        self._changed.set()
        for run in tuple(self._runs.values()):
            run.stop.wind_down()

    async def run(self, *, once: bool = False, max_seconds: float | None = None) -> None:
        """Watch until `stop`; with `once`, until nothing is due."""
        began = self._now()
        try:
            while not self._stopping.is_set():
                self._keep_house()
                self.tally.seconds = (self._now() - began).total_seconds()
                left = None if max_seconds is None else max_seconds - self.tally.seconds
                if left is not None and left <= 0:
                    return
                claimed = self._start_due()
                if (once or self._is_over) and not claimed and not self._tasks:
                    return
                await self._wait(left)
        finally:
            await self._wind_down()

    def _keep_house(self) -> None:
        """Take in blogs that are new to the watch; say that this one is alive."""
        now = self._now()
        if self._has_more or (now - self._enlisted_at).total_seconds() >= ENLIST_SECONDS:
            self._enlisted_at = now
            # Those that are due need not wait until all are taken in.
            self._has_more = self._source.enlist(now)
            self.tally.due, self.tally.watched = self._source.count(now)
        if self._tasks and (now - self._renewed_at).total_seconds() >= HEARTBEAT_SECONDS:
            self._renewed_at = now
            self._source.renew(now)

    def _start_due(self) -> int:
        room = AT_ONCE - len(self._tasks)
        if room <= 0 or self._is_over:
            return 0
        now = self._now()
        claimed = self._source.claim(now, room)
        for poll, blog in claimed:
            task = asyncio.ensure_future(self._one(poll, blog))
            self._tasks[task] = blog.id
            task.add_done_callback(self._ended)
        self.tally.asking = len(self._tasks)
        return len(claimed)

    async def _wait(self, left: float | None) -> None:
        """Until an answer is dealt with, a blog falls due, or it is time to keep house."""
        now = self._now()
        self.tally.next_due = self._source.next_due(now)
        seconds = HEARTBEAT_SECONDS if self._tasks else ENLIST_SECONDS
        if self.tally.next_due is not None and len(self._tasks) < AT_ONCE and not self._is_over:
            seconds = min(seconds, max((self.tally.next_due - now).total_seconds(), 0.0))
        if self._has_more:
            seconds = 0.0
        if left is not None:
            seconds = min(seconds, left)
        self._changed.clear()
        events = self._sleep(seconds), self._stopping.wait(), self._changed.wait()
        others = [asyncio.ensure_future(each) for each in events]
        await asyncio.wait({*others, *self._tasks}, return_when=asyncio.FIRST_COMPLETED)
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)
        if self._failure is not None:
            raise self._failure

    async def _one(self, poll: Poll, blog: Blog) -> None:
        host_stats: tuple[HostStats, ...] = ()
        try:
            run = self._run_for(blog)
        except EverlogError as error:
            # What is set for one blog alone, such as a file of cookies, is no other's trouble.
            polled = self._failed(poll, blog, error.message)
        else:
            polled, host_stats = await self._poll(poll, blog, run), run.fetcher.take_host_stats()
        self._note_wait(blog, polled.poll.polling)
        await self._store(polled.poll, host_stats)
        self._count(polled)
        self._on_polled(blog, polled)

    async def _poll(self, poll: Poll, blog: Blog, run: CrawlRun) -> PollResult:
        self._runs[blog.id] = run
        try:
            return await poll_blog(poll, blog, run, is_online=self._is_online())
        except EverlogError:
            raise
        except asyncio.CancelledError:
            run.keep_host_stats()
            raise
        except Exception as error:
            # One blog that the code cannot cope with must not end the watch over all others.
            log.exception("bug at %s", blog.home)
            # What the server asked for before the bug was met is in the archive by now.
            stored = self._archive.polls.of(blog.id) or poll
            return self._failed(stored, blog, f"bug in everlog: {type(error).__name__}: {error}")
        finally:
            self._runs.pop(blog.id, None)

    def _failed(self, poll: Poll, blog: Blog, trouble: str) -> PollResult:
        seen = Observation(kind="failed")
        polling = after_poll(poll.polling, seen, self._now(), seed=blog.home)
        return PollResult(poll=replace(poll, polling=polling), seen=seen, trouble=trouble)

    def _note_wait(self, blog: Blog, polling: Polling) -> None:
        """A poll that comes later than it would because of what the server or the feed asks for."""
        if polling.signal is None or polling.due_at is None:
            return
        now = self._now()
        host = urlsplit(blog.feed_url or blog.home).netloc.lower()
        self._waits.setdefault(host, []).append(Waited(
            reason=NOT_DUE, signal=polling.signal, seconds=(polling.due_at - now).total_seconds(), first_at=now,
            last_at=now, until=polling.due_at,
        ))

    def _is_online(self) -> bool:
        """Whether anybody answered lately: if nobody does, it is not one blog that is gone."""
        return self._answered_at is not None and self._now() - self._answered_at <= ONLINE_FOR

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._tasks.pop(task, None)
        self.tally.asking = len(self._tasks)
        if not task.cancelled() and (error := task.exception()) is not None:
            self._failure = self._failure or error

    def _count(self, polled: PollResult) -> None:
        self.tally.polls += 1
        self.tally.kinds[polled.seen.kind] += 1
        if polled.seen.kind in {"changed", "unchanged"}:
            self._answered_at = self._now()
        if polled.report is not None:
            self.tally.new_posts += polled.report.tally.new_posts
            self.tally.changed_posts += polled.report.tally.changed_posts

    async def _store(self, poll: Poll, host_stats: tuple[HostStats, ...]) -> None:
        """Give a blog back; polls that end together share one transaction."""
        safe: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._done.append((poll, host_stats, safe))
        if self._flushing is None or self._flushing.done():
            self._flushing = asyncio.ensure_future(self._flush())
        await safe

    async def _flush(self) -> None:
        while self._done:
            # All is taken here, in the thread that adds to it: the one that writes only reads.
            group, self._done = self._done, []
            waits, self._waits = self._waits, {}
            taken = self._host_cache.take() if self._host_cache is not None else {}
            failure: BaseException | None = None
            try:
                polls = [(poll, host_stats) for poll, host_stats, _ in group]
                await asyncio.to_thread(self._write, polls, waits, taken)
            except BaseException as error:  # noqa: BLE001 - whoever waits must hear of anything
                failure = error
            for _, _, safe in group:
                # Who was called off does not wait any more.
                if not safe.done():
                    safe.set_result(None) if failure is None else safe.set_exception(failure)

    def _write(
        self, polls: list[tuple[Poll, tuple[HostStats, ...]]], waits: dict[str, list[Waited]],
        taken: Mapping[str, str | None],
    ) -> None:
        if self._host_cache is not None:
            self._host_cache.write(taken)
        self._source.give_back([poll for poll, _ in polls])
        if waits:
            self._archive.hosts.note_waits(waits)
        self._archive.hosts.add([row for _, host_stats in polls for row in host_stats], at=self._now())

    async def _wind_down(self) -> None:
        for run in tuple(self._runs.values()):
            run.stop.interrupt()
        if self._failure is None:
            # A crawl under way stores what it has; an answer that has not come is not waited for.
            for task, blog_id in tuple(self._tasks.items()):
                run_of = self._runs.get(blog_id)
                if run_of is not None and run_of.stop.crawl is None:
                    task.cancel()
        else:
            for task in self._tasks:
                task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        if self._flushing is not None:
            await self._flushing
        if not isinstance(self._failure, FATAL):
            self._source.give_up()

