"""Client limits: who asks for much at once waits, so that one reader does not keep the others from reading.

What is cheap (pages by their keys) is not limited. What is expensive has a price; each client has a token bucket from
which it is paid. A few expensive answers are made at once, whoever asks: the others wait for their turn.
"""

from __future__ import annotations

import asyncio
import ipaddress
import math
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from starlette.datastructures import Headers

# What is paid for an answer, by the beginning of its address, on both ports. Prices are chosen, not measured: what
# reads many rows costs one; a file has up to 2,000 results, with what is shown of each. All captures of an address that
# has 5,000 are listed in 114 ms of processor time for people, in 51 and 58 for programs; a page of blogs took 3.
COSTS: Mapping[str, int] = {
    "/search.csv": 10, "/search.jsonl": 10, "/search": 1, "/feed/": 2, "/diff/": 1, "/complete/": 1, "/json/": 1,
    "/markdown/": 1, "/captures/": 1, "/warc/": 1, "/rules/": 1, "/requests/": 1, "/web/*": 1, "/timemap/": 1,
}
# Beginnings that further signs may follow.
_OPEN_ENDS = ("/", "*")
# A bucket holds so many, and so many come back each second. Nobody reads 60 pages of results in a minute; a client that
# asks without pause gets one answer a second.
BURST, PER_SECOND = 60.0, 1.0
# Clients that are remembered, those who asked last: 2.3 MB (tracemalloc). Who is forgotten begins with a full bucket.
MOST_CLIENTS = 10_000
# Expensive answers that are made at once: with two, half of all other pages of 10,000 posts began after 26 ms in place
# of 14, and searches were not sooner, on two processors.
AT_ONCE = 1
# So many wait for their turn, for so long: who waits longer has gone.
MOST_WAITING, LONGEST_WAIT_SECONDS = 64, 10.0


def cost_of(path: str) -> int:
    """What an address is paid for; 0: it is cheap.

    >>> cost_of("/search.csv"), cost_of("/search"), cost_of("/read/http://a.org/search"), cost_of("/searching")
    (10, 1, 0, 0)
    >>> [cost_of(f"/web/{time}/http://a.org/") for time in ("*", "*mp_", "2024", "20240501120000id_")]
    [1, 1, 0, 0]
    """
    return next((
        cost for start, cost in COSTS.items()
        if path == start or (start.endswith(_OPEN_ENDS) and path.startswith(start))
    ), 0)


class ClientLimits:
    """Token buckets of clients, by their addresses. `clock` counts seconds and never goes back."""

    def __init__(
        self, clock: Callable[[], float] = time.monotonic, *, burst: float = BURST, per_second: float = PER_SECOND,
        most: int = MOST_CLIENTS,
    ) -> None:
        self._clock, self._burst, self._per_second, self._most = clock, burst, per_second, most
        # Tokens, and when they were counted; who asked last stands last.
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def __len__(self) -> int:
        return len(self._buckets)

    def pay(self, client: str, cost: int) -> int:
        """Take the price out of a client's bucket; or the whole seconds after which there is enough in it.

        >>> limits = ClientLimits(lambda: 0.0, burst=2)
        >>> [limits.pay("203.0.113.7", 1) for _ in range(3)], limits.pay("203.0.113.8", 1)
        ([0, 0, 1], 0)
        """
        now = self._clock()
        tokens, counted = self._buckets.pop(client, (self._burst, now))
        tokens = min(self._burst, tokens + (now - counted) * self._per_second)
        # What costs more than a bucket holds would never be had.
        price = min(float(cost), self._burst)
        is_enough = tokens >= price
        self._buckets[client] = (tokens - price if is_enough else tokens, now)
        while len(self._buckets) > self._most:
            self._buckets.popitem(last=False)
        return 0 if is_enough else max(1, math.ceil((price - tokens) / self._per_second))


class Turns:
    """Expensive answers that are made at once: a few, and the next ones when their turn comes."""

    def __init__(
        self, at_once: int = AT_ONCE, *, most_waiting: int = MOST_WAITING, seconds: float = LONGEST_WAIT_SECONDS,
    ) -> None:
        self._free, self._waiting = asyncio.Semaphore(at_once), 0
        self._most_waiting, self._seconds = most_waiting, seconds

    async def take(self) -> bool:
        """Wait for a turn, which `give_back` ends; False if there is none soon."""
        if not self._free.locked():
            return await self._free.acquire()
        if self._waiting >= self._most_waiting:
            return False
        self._waiting += 1
        try:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._free.acquire(), self._seconds)
                return True
            return False
        finally:
            self._waiting -= 1

    def give_back(self) -> None:
        """The turn is over."""
        self._free.release()


@dataclass(frozen=True, slots=True, kw_only=True)
class ProxyTrust:
    """Which proxies are believed when they say for whom they ask: those on this machine, or whoever connects."""

    on_this_machine: bool = False
    everywhere: bool = False


def client_of(peer: str | None, headers: Headers, trust: ProxyTrust) -> str | None:
    """The address of who asks; None for this machine itself, which is not limited.

    A proxy says in `X-Forwarded-For` (or `Forwarded`) for whom it asks. Anybody can write that, so it is believed of
    nobody but proxies that are trusted, and only its last name, which the proxy itself has added.
    """
    found = _number(peer or "")
    is_here = found is None or found.is_loopback
    if trust.everywhere or (trust.on_this_machine and is_here):
        said = _number(_last_forwarded(headers))
        found, is_here = (said, said.is_loopback) if said is not None else (found, is_here)
    if found is None or is_here:
        return None
    if isinstance(found, ipaddress.IPv6Address):
        # A household or a rented machine has at least so many: an address of each of them would be no limit.
        return str(ipaddress.ip_network((found, 64), strict=False))
    return str(found)


def is_asked_for_somebody(headers: Headers) -> bool:
    """Whether a proxy says for whom it asks.

    >>> from starlette.datastructures import Headers
    >>> [is_asked_for_somebody(Headers({"X-Forwarded-For": name})) for name in ("203.0.113.7", "unknown", "")]
    [True, False, False]
    """
    return _number(_last_forwarded(headers)) is not None


def _last_forwarded(headers: Headers) -> str:
    names = ",".join(headers.getlist("x-forwarded-for")).split(",")
    if names[-1].strip():
        return names[-1].strip()
    last = ",".join(headers.getlist("forwarded")).split(",")[-1]
    for part in last.split(";"):
        name, _, value = part.strip().partition("=")
        if name.lower() == "for":
            return value.strip().strip('"')
    return ""


def _number(text: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    """The address in a text that may have a port, brackets and a zone."""
    bare = text.partition("]")[0].removeprefix("[") if text.startswith("[") else text
    if bare.count(":") == 1:
        bare = bare.partition(":")[0]
    try:
        found = ipaddress.ip_address(bare.partition("%")[0])
    except ValueError:
        return None
    # IPv4 that came in over a port of IPv6.
    return (found.ipv4_mapped or found) if isinstance(found, ipaddress.IPv6Address) else found
