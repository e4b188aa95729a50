"""A watch over the small site, in a time of its own: when nobody is asked, it passes at once."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from everlog.settings import make_settings
from everlog.usecases.crawl.crawl_context import CrawlRun
from everlog.usecases.crawl.report import Tally
from everlog.usecases.watch.watch_loop import Watcher

if TYPE_CHECKING:
    from collections.abc import Callable

    from everlog.archive import Archive
    from everlog.core.fetcher import Fetcher
    from everlog.records import Blog
    from everlog.usecases.watch.poll import PollResult

START = datetime(2024, 6, 1, 12, tzinfo=UTC)


@dataclass
class Clock:
    """A time that jumps over the waits of whoever has nothing to do."""

    moment: datetime = START
    watchers: list[Watcher] = field(default_factory=list)
    # What happens in the world, by its time.
    plans: list[tuple[datetime, Callable[[], None]]] = field(default_factory=list)

    def now(self) -> datetime:
        return self.moment

    async def sleep(self, seconds: float) -> None:
        wanted = self.moment + timedelta(seconds=seconds)
        # Somebody else may let the same time pass.
        while self.moment < wanted or any(watcher.is_busy for watcher in self.watchers):
            await asyncio.sleep(0)
            if not any(watcher.is_busy for watcher in self.watchers):
                self._pass(wanted)

    def _pass(self, wanted: datetime) -> None:
        self.plans.sort(key=lambda plan: plan[0])
        if self.plans and self.plans[0][0] <= wanted:
            moment, happen = self.plans.pop(0)
            self.moment = max(self.moment, moment)
            happen()
        else:
            self.moment = max(self.moment, wanted)


def a_watcher(
    archive: Archive, fetcher: Fetcher, clock: Clock, *,
    on_polled: Callable[[Blog, PollResult], None] = lambda _blog, _polled: None, **settings: Any,
) -> Watcher:
    chosen = make_settings({"min_free_bytes": 0}, settings)

    def run_for(blog: Blog) -> CrawlRun:
        return CrawlRun(fetcher=fetcher, archive=archive, settings=chosen, tally=Tally(blog=blog.home), now=clock.now)

    watcher = Watcher(archive, now=clock.now, sleep=clock.sleep, run_for=run_for, on_polled=on_polled)
    clock.watchers.append(watcher)
    return watcher


def watch(
    archive: Archive, fetcher: Fetcher, clock: Clock, *, hours: float,
    on_polled: Callable[[Blog, PollResult], None] = lambda _blog, _polled: None, **settings: Any,
) -> Watcher:
    """One watch for so long."""

    async def run() -> Watcher:
        watcher = a_watcher(archive, fetcher, clock, on_polled=on_polled, **settings)
        await watcher.run(max_seconds=3600 * hours)
        return watcher

    return asyncio.run(run())
