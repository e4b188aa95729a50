"""A whole web in memory: addresses and what they answer, and what was asked of them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from datetime import UTC, datetime
from hashlib import sha256
from typing import TYPE_CHECKING

from everlog.core.urls import canonical
from everlog.records import Exchange, Failure, Fetched

if TYPE_CHECKING:
    from everlog.core.fetcher import HostStats
    from everlog.records import BrowserRequest, Purpose, Wait

NOW = datetime(2024, 6, 1, 12, 0, tzinfo=UTC)


@dataclass(kw_only=True)
class Answer:
    """What an address says."""

    body: bytes
    type: str = "text/html; charset=utf-8"
    status: int = 200
    headers: tuple[tuple[str, str], ...] = ()
    redirect: str | None = None
    hop: int = 301


@dataclass
class MemoryWeb:
    """Answers from a table; failures are values too. Knows ETags as a static host does."""

    answers: dict[str, Answer | Failure] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    now: datetime = NOW
    # Spellings of a host, as "http://a.blog": at which nobody answers, and which redirect to another spelling for good.
    silent: set[str] = field(default_factory=set)
    respelled: dict[str, str] = field(default_factory=dict)

    def put(self, url: str, body: bytes | str, **how: object) -> None:
        data = body.encode() if isinstance(body, str) else body
        self.answers[canonical(url)] = Answer(body=data, **how)  # type: ignore[arg-type]

    async def fetch(
        self, url: str, *, purpose: Purpose = "page", etag: str | None = None,
        last_modified: str | None = None,  # noqa: ARG002 - ETags are enough here
    ) -> Fetched | Failure:
        exchanges: list[Exchange] = []
        wanted = url
        while True:
            self.asked.append(url)
            origin = url.partition("://")[0] + "://" + url.partition("://")[2].partition("/")[0]
            if origin in self.silent:
                return Failure(url=url, trouble="connection", reason="connection refused")
            if origin in self.respelled:
                exchanges.append(Exchange(url=url, status=301, fetched_at=self.now, purpose=purpose))
                url = self.respelled[origin] + url.removeprefix(origin)
                continue
            answer = self.answers.get(canonical(url))
            if answer is None:
                missing = Exchange(url=url, status=404, body=b"not here", fetched_at=self.now, purpose=purpose)
                return Failure(url=url, trouble="http", reason="answers 404", status=404, exchanges=(missing,))
            if isinstance(answer, Failure):
                return answer
            tag = f'"{sha256(answer.body).hexdigest()[:12]}"'
            headers = (("Content-Type", answer.type), ("ETag", tag), *answer.headers)
            if answer.redirect is not None:
                exchanges.append(Exchange(
                    url=url, status=answer.hop, headers=headers, fetched_at=self.now, purpose=purpose,
                ))
                url = answer.redirect
                continue
            known = etag == tag
            exchanges.append(Exchange(
                url=url, status=304 if known else answer.status, headers=headers, body=b"" if known else answer.body,
                fetched_at=self.now, purpose=purpose,
            ))
            return Fetched(url=wanted, exchanges=tuple(exchanges))

    async def request(self, asked: BrowserRequest) -> Exchange | Failure:
        """What a page in the browser asks for, from the same table; redirects are the browser's affair."""
        self.asked.append(asked.url)
        answer = self.answers.get(canonical(asked.url))
        if isinstance(answer, Failure):
            return answer
        if answer is None:
            return Exchange(url=asked.url, status=404, body=b"not here", fetched_at=self.now, purpose="requisite")
        headers = (("Content-Type", answer.type), *answer.headers)
        if answer.redirect is not None:
            headers += (("Location", answer.redirect),)
        status = 302 if answer.redirect is not None else answer.status
        return Exchange(
            url=asked.url, status=status, headers=headers, body=answer.body, fetched_at=self.now, purpose="requisite",
        )

    def count(self, url: str) -> int:
        """How often an address was asked for."""
        return Counter(map(canonical, self.asked))[canonical(url)]

    def waiting(self) -> tuple[Wait, ...]:
        return ()

    def host_stats(self) -> tuple[HostStats, ...]:
        return ()

    def take_host_stats(self) -> tuple[HostStats, ...]:
        return ()

    def robots_exchanges(self) -> tuple[Exchange, ...]:
        return ()
