"""Fetcher of a blog under all its names: what is requested at one of them is looked for here, and the other way round.

Links of one blog are written with http and https, with `www.` and without. As soon as one such spelling of its host
redirects for good to that of its home, or does not answer while the home's does, the others are asked for as the home
is spelled: half of the requests, and pages that nobody would get otherwise.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from urllib.parse import urlsplit

from everlog.core.fetcher import Fetcher, HostStats
from everlog.core.retry_policy import UNREACHABLE, may_be_elsewhere
from everlog.core.scope import Scope, folder_of, is_below, rebased
from everlog.core.urls import canonical, host_of
from everlog.records import BrowserRequest, Exchange, Failure, Fetched, Purpose, Wait
from everlog.usecases.discover.name_evidence import is_permanent


class AliasedFetcher(Fetcher):
    """The web as a blog with several names sees it: what is not here may be there, and the other way round."""

    def __init__(self, fetcher: Fetcher, scope: Scope) -> None:
        self.plain = fetcher
        self.scope = scope
        self._origin = _origin_of(scope.home)
        # Spellings of the blog's host that redirect to that of its home, or do not answer.
        self.left_spellings: set[str] = set()

    async def fetch(
        self, url: str, *, purpose: Purpose = "page", etag: str | None = None, last_modified: str | None = None,
    ) -> Fetched | Failure:
        """The page at its address here; if it is missing here, from the alias that is followed."""
        own, _ = self.scope.localized(url, canonical(url)) if self.scope.has_names else (url, "")
        answer = await self._spelled(own, purpose, etag, last_modified)
        if isinstance(answer, Fetched) or not may_be_elsewhere(answer):
            return answer
        for other in self._elsewhere(own):
            found = await self.plain.fetch(other, purpose=purpose)
            if isinstance(found, Fetched):
                return replace(found, url=url)
        return answer

    async def _spelled(
        self, url: str, purpose: Purpose, etag: str | None, last_modified: str | None,
    ) -> Fetched | Failure:
        """The page as its address is written, or as that of the home is."""
        if url.startswith(self._origin) or host_of(url) != host_of(self.scope.home):
            return await self.plain.fetch(url, purpose=purpose, etag=etag, last_modified=last_modified)
        written, own = _origin_of(url), self._origin + url[len(_origin_of(url)):]
        if written in self.left_spellings:
            return await self.plain.fetch(own, purpose=purpose, etag=etag, last_modified=last_modified)
        answer = await self.plain.fetch(url, purpose=purpose, etag=etag, last_modified=last_modified)
        if isinstance(answer, Fetched):
            is_sent_on = answer.page.url.startswith(self._origin) and canonical(answer.page.url) == canonical(url)
            if is_sent_on and is_permanent(answer.exchanges):
                self.left_spellings.add(written)
        elif answer.trouble in UNREACHABLE:
            found = await self.plain.fetch(own, purpose=purpose, etag=etag, last_modified=last_modified)
            if isinstance(found, Fetched):
                self.left_spellings.add(written)
                return found
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
    if not isinstance(fetcher, AliasedFetcher):
        return AliasedFetcher(fetcher, scope)
    again = AliasedFetcher(fetcher.plain, scope)
    again.left_spellings |= fetcher.left_spellings if fetcher.scope.home == scope.home else set()
    return again


def _origin_of(url: str) -> str:
    """Scheme and host as they are written, with the slash behind them."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}/"
