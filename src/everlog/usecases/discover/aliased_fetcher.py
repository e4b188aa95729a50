"""Fetcher of a blog with aliases: what is requested there is looked for here, and the other way round."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from everlog.core.fetcher import Fetcher, HostStats
from everlog.core.retry_policy import may_be_elsewhere
from everlog.core.scope import Scope, folder_of, is_below, rebased
from everlog.core.urls import canonical
from everlog.records import BrowserRequest, Exchange, Failure, Fetched, Purpose, Wait


class AliasedFetcher(Fetcher):
    """The web as a blog with aliases sees it: what is not here may be there, and the other way round."""

    def __init__(self, fetcher: Fetcher, scope: Scope) -> None:
        self.plain = fetcher
        self.scope = scope

    async def fetch(
        self, url: str, *, purpose: Purpose = "page", etag: str | None = None, last_modified: str | None = None,
    ) -> Fetched | Failure:
        """The page at its address here; if it is missing here, from the alias that is followed."""
        own, _ = self.scope.localized(url, canonical(url))
        answer = await self.plain.fetch(own, purpose=purpose, etag=etag, last_modified=last_modified)
        if isinstance(answer, Fetched) or not may_be_elsewhere(answer):
            return answer
        for other in self._elsewhere(own):
            found = await self.plain.fetch(other, purpose=purpose)
            if isinstance(found, Fetched):
                return replace(found, url=url)
        return answer

    async def request(self, wanted: BrowserRequest) -> Exchange | Failure:
        return await self.plain.request(wanted)

    def waiting(self) -> tuple[Wait, ...]:
        return self.plain.waiting()

    def host_stats(self) -> tuple[HostStats, ...]:
        return self.plain.host_stats()

    def take_host_stats(self) -> tuple[HostStats, ...]:
        return self.plain.take_host_stats()

    def robots_exchanges(self) -> tuple[Exchange, ...]:
        return self.plain.robots_exchanges()

    def _elsewhere(self, url: str) -> Iterator[str]:
        if is_below(canonical(url), folder_of(self.scope.home)):
            for alias in self.scope.aliases:
                if alias.here and alias.followed:
                    yield rebased(url, self.scope.home, alias.home)


def aliased(fetcher: Fetcher, scope: Scope) -> Fetcher:
    """The web for a blog of this scope."""
    plain = fetcher.plain if isinstance(fetcher, AliasedFetcher) else fetcher
    return AliasedFetcher(plain, scope) if any(alias.here for alias in scope.aliases) else plain
