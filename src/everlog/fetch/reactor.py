"""One run of Scrapy around one task."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, TypeVar

from everlog.fetch.http_client import Session
from everlog.fetch.robots import RobotsBook
from everlog.fetch.throttle import HostThrottle, Timekeeper

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from datetime import datetime

    from everlog.core.fetcher import FetchPolicy, RateLimiter
    from everlog.fetch.request import HttpRequest, HttpResponse

T = TypeVar("T")


def with_http_client(
    task: Callable[[HttpClient], Awaitable[T]], *, log_level: int = logging.CRITICAL,
    timekeeper: Timekeeper | None = None,
    turns: RateLimiter | None = None, now: datetime | None = None,
) -> T:
    """Run a task that asks the web, and give its result; what it raises is raised here.

    Blocks until the task is done. A process can do this once. Signals are left alone: who wants to
    end the task on SIGINT adds a handler to the running loop. `log_level` is that of Scrapy's and
    Twisted's own loggers. `turns` are those that other processes take at the same hosts, if there are any, and `now`
    is the time by their common clock.
    """
    from everlog.fetch.scrapy_downloader import run_inside_scrapy  # noqa: PLC0415 - Scrapy takes a second to import

    def errand(download: Callable[[HttpRequest], Awaitable[HttpResponse]]) -> Awaitable[T]:
        return task(HttpClient(download, timekeeper or Timekeeper.steady(start=now), turns))

    return run_inside_scrapy(errand, log_level=log_level)


class HttpClient:
    """The web while it is open: hands out one `Session` per blog; the hosts are everybody's."""

    def __init__(
        self, download: Callable[[HttpRequest], Awaitable[HttpResponse]], timekeeper: Timekeeper,
        turns: RateLimiter | None = None,
    ) -> None:
        self.timekeeper = timekeeper
        self.turns = turns
        self.download = download
        self.robots = RobotsBook()
        self._lines: dict[str, HostThrottle] = {}
        self._stopped = False

    def session(
        self, policy: FetchPolicy, *,
        recall: Callable[[str], str | None] | None = None, remember: Callable[[str, str], None] | None = None,
    ) -> Session:
        """The web as one blog's crawl sees it. `recall` and `remember` carry robots.txt and hosts'
        waits from one run to the next.
        """
        return Session(self, policy, recall=recall, remember=remember)

    def stop(self) -> None:
        """End all waits, now and later, with CancelledError; answers on their way still come."""
        self._stopped = True
        for line in self._lines.values():
            line.stop()

    def line(self, host: str, policy: FetchPolicy) -> HostThrottle:
        """The line before a host, as the session that first joins it finds it."""
        line = self._lines.get(host)
        if line is None:
            line = self._lines[host] = HostThrottle(
                host, self.timekeeper, delay_seconds=policy.delay_seconds, concurrency=policy.concurrency
            )
            if self._stopped:
                line.stop()
        line.clock.share(delay_seconds=policy.delay_seconds, concurrency=policy.concurrency)
        return line
