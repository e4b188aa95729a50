"""Hosts as all sessions of one process share them: the throttle before each, their robots.txt, the downloader."""

from __future__ import annotations

from typing import TYPE_CHECKING

from everlog.fetch.robots import RobotsBook
from everlog.fetch.throttle import HostThrottle, Timekeeper

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from everlog.core.fetcher import FetchPolicy, RateLimiter
    from everlog.fetch.request import HttpRequest, HttpResponse


class SharedHosts:
    """What the sessions of a process have in common; `rate_limiter` is that of all processes together."""

    def __init__(
        self, download: Callable[[HttpRequest], Awaitable[HttpResponse]], timekeeper: Timekeeper,
        rate_limiter: RateLimiter | None = None,
    ) -> None:
        self.timekeeper = timekeeper
        self.rate_limiter = rate_limiter
        self.download = download
        self.robots = RobotsBook()
        self._throttles: dict[str, HostThrottle] = {}
        self._stopped = False

    def stop(self) -> None:
        """End all waits, now and later, with CancelledError; answers on their way still come."""
        self._stopped = True
        for throttle in self._throttles.values():
            throttle.stop()

    def throttle(self, host: str, policy: FetchPolicy) -> HostThrottle:
        """The throttle of a host, as the session that first asks it finds it."""
        throttle = self._throttles.get(host)
        if throttle is None:
            throttle = self._throttles[host] = HostThrottle(
                host, self.timekeeper, delay_seconds=policy.delay_seconds, concurrency=policy.concurrency
            )
            if self._stopped:
                throttle.stop()
        throttle.clock.share(delay_seconds=policy.delay_seconds, concurrency=policy.concurrency)
        return throttle
