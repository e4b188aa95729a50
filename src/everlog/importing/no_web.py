"""Fetcher that asks nobody: for whoever has nothing but captures."""

from __future__ import annotations

from everlog.core.fetcher import Fetcher, HostStats
from everlog.records import BrowserRequest, Exchange, Failure, Fetched, Purpose, Wait

# A page that is not there is not there on another try either (`core.retry_policy`).
NOT_THERE = 404


class NoWeb(Fetcher):
    """The web of somebody who is offline: nothing is there."""

    async def fetch(
        self, url: str, *, purpose: Purpose = "page", etag: str | None = None, last_modified: str | None = None,
    ) -> Fetched | Failure:
        """Nothing; those who have captures look there."""
        del purpose, etag, last_modified
        return missing(url)

    async def request(self, wanted: BrowserRequest) -> Exchange | Failure:
        return missing(wanted.url)

    def waiting(self) -> tuple[Wait, ...]:
        return ()

    def host_stats(self) -> tuple[HostStats, ...]:
        return ()

    def take_host_stats(self) -> tuple[HostStats, ...]:
        return ()

    def robots_exchanges(self) -> tuple[Exchange, ...]:
        return ()


def missing(url: str) -> Failure:
    """What is said of an address that no capture is there of."""
    return Failure(url=url, trouble="http", status=NOT_THERE, reason="there is no capture of it")
