"""Fetcher: what the rest of the program may ask of the web, whatever brings the pages."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from everlog.records import BrowserRequest, Exchange, Failure, Fetched, Purpose, Wait


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchPolicy:
    """How one blog's pages are asked for.

    `typed` are the URLs the user gave: their ports may be unusual, and their hosts may be private if they were so when
    they were first connected to (`first_networks`, by host; one that is not in it is connected to for the first time).
    `own` are further addresses of the blog, which nobody typed. `headers` and `cookies` are sent to the hosts of both
    alone. `also` are other addresses that the user says the blog has: they may be private like typed ones, but get
    nothing that is the user's own. `guessed` are the spellings of an address that was typed without a scheme. `allow`
    are hosts, or hosts with ports, that may be private all the same. `stays` says that redirects to other hosts are not
    followed. `scratch` is a folder for media that are too large
    for the memory; without one they are held there.
    """

    typed: tuple[str, ...]
    user_agent: str
    own: tuple[str, ...] = ()
    first_networks: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    allow: tuple[str, ...] = ()
    obey_robots: bool = True
    delay_seconds: float = 1.0
    concurrency: int = 4
    timeout_seconds: float = 30.0
    longest_wait_seconds: float = 600.0
    retries: int = 2
    max_page_bytes: int = 20_000_000
    max_media_bytes: int = 100_000_000
    max_requisite_bytes: int = 10_000_000
    headers: tuple[tuple[str, str], ...] = ()
    cookies: tuple[tuple[str, str], ...] = ()
    also: tuple[str, ...] = ()
    guessed: tuple[str, ...] = ()
    scratch: str | None = None
    stays: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Waited:
    """Waits of one host for one reason.

    `signal` is what the server itself said, word for word, or empty where it said nothing. `times` counts
    the requests that waited, and those that were not made because it would have taken too long: `until` is
    when these may be. `seconds` is what requests waited for it, all together.
    """

    reason: str
    signal: str = ""
    times: int = 1
    seconds: float = 0.0
    first_at: datetime
    last_at: datetime
    until: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class HostStats:
    """Statistics of one host: what was requested, how long was waited for it, and why.

    `slowed` is how often its answers made the pace slower, `delay_seconds` the pace as it is now.
    """

    host: str
    requests: int
    bytes: int
    waited_seconds: float
    slowed: int
    delay_seconds: float
    asked_at: datetime | None = None
    waits: tuple[Waited, ...] = ()


class RateLimiter(Protocol):
    """Rate limiter of each host for all processes that fetch from it."""

    async def reserve(self, host: str, pace_seconds: float, longest_seconds: float) -> tuple[float, float]:
        """Reserve the next slot, a pace behind the one before; one that is too far away is not reserved.

        How many seconds from now it is, and how many seconds behind it a request may leave without coming too close
        to whoever has the slot after it.
        """
        ...

    def note_late(self, seconds_late: float) -> None:
        """A request was ready so long behind its slot: what later slots have to allow for."""
        ...

    async def is_backing_off(self, host: str) -> bool:
        """Whether the host asked any of them to be left alone, and nobody is to ask it now."""
        ...

    async def back_off(self, host: str, seconds: float) -> None:
        """The host asked to be left alone for so long: nobody gets a slot before that."""
        ...


class Fetcher(Protocol):
    """The web as one blog's crawl sees it: polite, guarded, one answer per question."""

    async def fetch(
        self, url: str, *, purpose: Purpose = "page", etag: str | None = None, last_modified: str | None = None,
    ) -> Fetched | Failure:
        """Fetch a URL; throttled, with redirects followed, and retried where that may help."""
        ...

    async def request(self, wanted: BrowserRequest) -> Exchange | Failure:
        """The answer to what a page in the browser asks for: one hop, whatever its status, no second try."""
        ...

    def waiting(self) -> tuple[Wait, ...]:
        """The hosts nobody is asking just now, and why."""
        ...

    def host_stats(self) -> tuple[HostStats, ...]:
        """What was requested of every host since the statistics were last taken."""
        ...

    def take_host_stats(self) -> tuple[HostStats, ...]:
        """The same, for an archive that adds it up: from here on counting begins anew."""
        ...

    def robots_exchanges(self) -> tuple[Exchange, ...]:
        """The robots.txt answers since the last call, for the archive."""
        ...
