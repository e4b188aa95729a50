"""The origins of a host, http and https, told apart: which of them answer, and the back-off of one that does not.

A host has one pace, whatever it is asked in. But where one origin answers and the other does not, the silence is
that origin's own: it is asked ever more rarely, then not at all, and what works goes on as before.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import TYPE_CHECKING

from everlog.core.politeness import HostClock
from everlog.core.retry_policy import ORIGIN_DEAD_AFTER, UNREACHABLE
from everlog.fetch.request import DEFAULT_PORTS, origin_of, place

if TYPE_CHECKING:
    from datetime import datetime

    from everlog.records import Failure

_MANY = 1_000_000


class Origins:
    """What one session knows of the origins it asked."""

    def __init__(self) -> None:
        self._heard: set[str] = set()
        self._works: set[str] = set()
        self._silences: Counter[str] = Counter()
        # Origins that gave an answer or a part of one; how often each was silent since, and how the last time.
        self._alive: set[str] = set()
        self._in_a_row: Counter[str] = Counter()
        self._last_silence: dict[str, Failure] = {}
        self._first_contacts: dict[str, asyncio.Lock] = {}
        self._clocks: dict[str, HostClock] = {}

    def answered(self, url: str, now: datetime, *, is_page: bool, seconds: float) -> None:
        """An answer came; with `is_page`, one that shows that pages are to be had at this origin."""
        origin = origin_of(url)
        self._heard.add(origin)
        self.gave_something(url)
        if is_page:
            self._works.add(origin)
        clock = self._clocks.get(origin)
        if clock is not None:
            clock.rode()
            clock.answered(now, status=200, seconds=seconds)

    def gave_something(self, url: str) -> None:
        """Bytes came from this origin, if only a few of them."""
        self._alive.add(origin_of(url))
        self._in_a_row.pop(origin_of(url), None)

    def silent(self, failure: Failure) -> None:
        """An origin gave no answer."""
        origin = origin_of(failure.url)
        self._silences[origin] += 1
        if origin not in self._alive or failure.trouble in UNREACHABLE:
            self._in_a_row[origin] += 1
            self._last_silence[origin] = failure

    def is_alive(self, url: str) -> bool:
        """Whether anything came from this origin."""
        return origin_of(url) in self._alive

    def first_contact(self, url: str) -> asyncio.Lock:
        """Held by who asks an origin from which nothing came yet: the others learn from what becomes of it."""
        return self._first_contacts.setdefault(origin_of(url), asyncio.Lock())

    def why_left_alone(self, url: str) -> Failure | None:
        """What went wrong with an origin that media are not asked from any more in this run.

        A picture can wait for another day: the first silence of a host that gave no answer at all is enough, and a few
        in a row of one that did.
        """
        origin = origin_of(url)
        enough = ORIGIN_DEAD_AFTER if origin in self._alive else 1
        return self._last_silence[origin] if self._in_a_row[origin] >= enough else None

    def back_off(self, url: str, now: datetime, *, seconds: float) -> None:
        """The next request to this origin waits, longer each time; its host does not."""
        clock = self._clocks.setdefault(origin_of(url), HostClock(concurrency=_MANY))
        clock.rode()
        clock.answered(now, status=None, seconds=seconds)

    @property
    def is_backing_off(self) -> bool:
        """Whether any origin was backed off from."""
        return bool(self._clocks)

    def next_at(self, url: str, now: datetime) -> datetime:
        """When this origin may be asked, as far as its own back-off goes."""
        clock = self._clocks.get(origin_of(url))
        return (clock.next_turn(now) or now) if clock is not None else now

    def is_guess(self, url: str) -> bool:
        """Whether this origin was never heard, and its twin not tried yet: of two spellings, it is the first."""
        twin = twin_of(url)
        return twin is not None and origin_of(url) not in self._heard and self._silences[origin_of(twin)] == 0

    def has_working_twin(self, url: str) -> bool:
        """Whether the same host gives pages in the other scheme, so that a failure here is not the host's."""
        twin = twin_of(url)
        return twin is not None and origin_of(twin) in self._works

    def other_way(self, url: str) -> str | None:
        """The same page at the origin that works, where this one was asked and never gave any answer."""
        origin = origin_of(url)
        is_silent = self._silences[origin] > 0 and origin not in self._heard
        return twin_of(url) if is_silent and self.has_working_twin(url) else None

    def is_dead(self, url: str) -> bool:
        """Whether this origin need not be asked again: it was silent a few times while its twin answers."""
        return self.other_way(url) is not None and self._silences[origin_of(url)] >= ORIGIN_DEAD_AFTER


def twin_of(url: str) -> str | None:
    """The same page in the other scheme; None where a port says that these are different servers.

    >>> twin_of("https://a.org/x?y"), twin_of("http://a.org:80/x"), twin_of("http://a.org:8080/x")
    ('http://a.org/x?y', 'https://a.org/x', None)
    """
    origin = origin_of(url)
    scheme, _, netloc = origin.partition("://")
    if scheme not in DEFAULT_PORTS or place(origin)[1] != DEFAULT_PORTS[scheme]:
        return None
    other = "http" if scheme == "https" else "https"
    return f"{other}://{netloc.removesuffix(f':{DEFAULT_PORTS[scheme]}')}{url[len(origin):]}"
