"""What robots.txt allows, as RFC 9309 reads it, and how it survives into the next run."""

from __future__ import annotations

import asyncio
import json
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from math import isnan
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from protego import Protego

    from everlog.records import Exchange, Trouble

# RFC 9309, 2.4: a copy should not be used for more than 24 hours.
KEPT = timedelta(hours=24)
# A server that could not give its rules is left alone for this long.
UNREACHABLE_KEPT = timedelta(minutes=10)
# RFC 9309, 2.5: at least 500 kibibytes must be read.
PARSED_BYTES = 500 * 1024
# Pictures may come from many hosts; the rules of those not met for long are forgotten.
KEPT_ORIGINS = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """What one origin's robots.txt said, or (`trouble`) why nobody knows what it says."""

    read_at: datetime
    trouble: Trouble | None = None
    reason: str = ""
    signal: str = ""
    until: datetime | None = None
    parsed: Protego | None = None

    @property
    def stands_until(self) -> datetime:
        """When asking again makes sense."""
        kept = UNREACHABLE_KEPT if self.trouble is not None else KEPT
        return self.until or self.read_at + kept

    def holds(self, now: datetime) -> bool:
        """Whether this is recent enough to go by; a time from the future is not."""
        return self.read_at <= now < self.stands_until

    def allows(self, url: str, agent: str) -> bool:
        return self.trouble is None and (self.parsed is None or self.parsed.can_fetch(url, agent))

    def crawl_delay(self, agent: str) -> float | None:
        """The seconds it wants between requests, said as a delay or as a rate."""
        if self.parsed is None:
            return None
        wishes = [self.parsed.crawl_delay(agent)]
        if (rate := self.parsed.request_rate(agent)) is not None and rate.requests > 0:
            wishes.append(rate.seconds / rate.requests)
        # "Crawl-delay: nan" is a number, too.
        return max((wish for wish in wishes if wish is not None and not isnan(wish)), default=None)

    def delay_said(self, agent: str) -> str:
        """The same in the words of robots.txt; empty if it says nothing about it."""
        if self.parsed is None:
            return ""
        delay, rate = self.parsed.crawl_delay(agent), self.parsed.request_rate(agent)
        said = ["" if delay is None else f"Crawl-delay: {delay:g}"]
        said.append("" if rate is None else f"Request-rate: {rate.requests}/{rate.seconds}")
        return ", ".join(filter(None, said))


@dataclass(slots=True)
class RobotsBook:
    """The rules of every origin met so far; one is asked for once, however many want to know."""

    rules: dict[str, Rules] = field(default_factory=dict)
    _reading: dict[str, tuple[asyncio.Lock, int]] = field(default_factory=dict)

    def known(self, origin: str, now: datetime) -> Rules | None:
        rules = self.rules.pop(origin, None)
        if rules is None or not rules.holds(now):
            return None
        self.rules[origin] = rules  # at the end: met most recently
        return rules

    def keep(self, origin: str, rules: Rules) -> None:
        self.rules[origin] = rules
        if len(self.rules) > KEPT_ORIGINS:
            del self.rules[next(iter(self.rules))]

    @asynccontextmanager
    async def reading(self, origin: str) -> AsyncIterator[None]:
        """One at a time reads an origin's rules; the others find them in the book."""
        lock, readers = self._reading.get(origin, (asyncio.Lock(), 0))
        self._reading[origin] = (lock, readers + 1)
        try:
            async with lock:
                yield
        finally:
            lock, readers = self._reading.pop(origin)
            if readers > 1:
                self._reading[origin] = (lock, readers - 1)


def read_rules(exchange: Exchange, read_at: datetime) -> Rules:
    """The rules an answer gives: those it holds, or none for 4xx; the rest means to stay out.

    429 asks for patience, it does not say that there are no rules.
    """
    if 200 <= exchange.status < 300:
        return rules_of(text_of(exchange), read_at)
    if 400 <= exchange.status < 500 and exchange.status != 429:
        return Rules(read_at=read_at)
    return out_of_reach(f"robots.txt returned {exchange.status}", read_at, signal=f"{exchange.status}")


def out_of_reach(what: str, read_at: datetime, *, signal: str = "") -> Rules:
    """Rules nobody could read: stay out. `signal` is what the server said instead of them."""
    return Rules(read_at=read_at, trouble="robots", reason=f"not crawling: {what}", signal=signal)


def text_of(exchange: Exchange) -> str:
    """The part of a robots.txt that is read; an answer without rules has none."""
    found = 200 <= exchange.status < 300
    return exchange.body[:PARSED_BYTES].decode("utf-8", "replace") if found else ""


def rules_of(text: str, read_at: datetime) -> Rules:
    from protego import Protego  # noqa: PLC0415 - not before somebody crawls

    return Rules(read_at=read_at, parsed=Protego.parse(text) if text.strip() else None)


def remembered_rules(recall: Callable[[str], str | None] | None, origin: str, now: datetime) -> Rules | None:
    """The rules an earlier run read, if they are still recent."""
    kept = recall(f"robots {origin}") if recall is not None else None
    if kept is None:
        return None
    try:
        stored = json.loads(kept)
        read_at, text = datetime.fromisoformat(stored["read_at"]), str(stored["text"])
        fresh = Rules(read_at=read_at).holds(now)
    except (ValueError, TypeError, KeyError):
        return None
    return rules_of(text, read_at) if fresh else None


def remember_rules(
    remember: Callable[[str, str], None] | None, origin: str, exchange: Exchange, rules: Rules,
) -> None:
    """Keep rules for the next run; what could not be read is asked for again."""
    if remember is not None and rules.trouble is None:
        stored = {"read_at": rules.read_at.isoformat(), "text": text_of(exchange)}
        remember(f"robots {origin}", json.dumps(stored))


def agent_name(user_agent: str) -> str:
    """What robots.txt may know us by: the name without version and comment.

    >>> agent_name("everlog/0.1 (+https://everlog.example)"), agent_name("Mozilla/5.0 (compatible; mine/2)")
    ('everlog', 'Mozilla/5.0 (compatible; mine/2)')
    """
    # Who borrows a browser's name has his own somewhere behind it.
    borrowed = user_agent.lower().startswith("mozilla/")
    return user_agent if borrowed else user_agent.partition("/")[0].partition(" ")[0]
