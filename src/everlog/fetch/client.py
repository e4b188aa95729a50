"""The HTTP client: one run of Scrapy around one task."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, TypeVar

from everlog.fetch.session import Session
from everlog.fetch.shared_hosts import SharedHosts
from everlog.fetch.throttle import Timekeeper

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from datetime import datetime

    from everlog.core.fetcher import FetchPolicy, RateLimiter
    from everlog.fetch.request import HttpRequest, HttpResponse

T = TypeVar("T")


def with_http_client(
    task: Callable[[HttpClient], Awaitable[T]], *, log_level: int = logging.CRITICAL,
    timekeeper: Timekeeper | None = None,
    rate_limiter: RateLimiter | None = None, now: datetime | None = None,
) -> T:
    """Run a task that fetches from the web, and give its result; what it raises is raised here.

    Blocks until the task is done. A process can do this once. Signals are left alone: who wants to
    end the task on SIGINT adds a handler to the running loop. `log_level` is that of Scrapy's and
    Twisted's own loggers. `rate_limiter` is the one of all processes that fetch from the same hosts, if there are
    others, and `now` the time by their common clock.
    """
    from everlog.fetch.scrapy_downloader import run_inside_scrapy  # noqa: PLC0415 - Scrapy takes a second to import

    def errand(download: Callable[[HttpRequest], Awaitable[HttpResponse]]) -> Awaitable[T]:
        return task(HttpClient(download, timekeeper or Timekeeper.steady(start=now), rate_limiter))

    return run_inside_scrapy(errand, log_level=log_level)


class HttpClient(SharedHosts):
    """The web while it is open: hands out one `Session` per blog; the hosts are everybody's."""

    def session(
        self, policy: FetchPolicy, *,
        recall: Callable[[str], str | None] | None = None, remember: Callable[[str, str], None] | None = None,
    ) -> Session:
        """The web as one blog's crawl sees it. `recall` and `remember` carry robots.txt and hosts'
        waits from one run to the next.
        """
        return Session(self, policy, recall=recall, remember=remember)
