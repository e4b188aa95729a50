"""The line before each host: who asks next, and how long nobody may."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from everlog.politeness import HostClock
from everlog.records import Wait

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from typing import Self


@dataclass(frozen=True, slots=True, kw_only=True)
class Timekeeper:
    """What time it is, and how to let some of it pass."""

    now: Callable[[], datetime]
    sleep: Callable[[float], Awaitable[None]]

    @classmethod
    def steady(cls) -> Self:
        """The time of day at the start, and from then on a clock that nobody can set back or forth."""
        start, origin = datetime.now(UTC), time.monotonic()
        return cls(now=lambda: start + timedelta(seconds=time.monotonic() - origin), sleep=asyncio.sleep)


class HeldOff(Exception):
    """The host is not to be asked for longer than anybody here waits."""

    def __init__(self, until: datetime, why: str) -> None:
        super().__init__(why)
        self.until = until
        self.why = why


class HostLine:
    """Those who want to ask one host, in the order they came."""

    def __init__(self, host: str, timekeeper: Timekeeper, *, delay_seconds: float, concurrency: int) -> None:
        self.host = host
        self.clock = HostClock(delay_seconds=delay_seconds, concurrency=max(1, concurrency))
        self._time = timekeeper
        self._line: deque[tuple[asyncio.Future[None], float]] = deque()
        self._alarm: asyncio.Future[None] | None = None
        self._alarm_at: datetime | None = None
        self._stopped = False

    async def turn(self, longest_wait_seconds: float) -> float:
        """Wait until the host may be asked; the seconds that took. HeldOff if it would take too long."""
        if self._stopped:
            raise asyncio.CancelledError
        now = self._time.now()
        self._check(now, longest_wait_seconds)
        if not self._line and (turn := self.clock.next_turn(now)) is not None and turn <= now:
            self.clock.started(now)
            return 0.0
        place: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        entry = (place, longest_wait_seconds)
        self._line.append(entry)
        self._arrange()
        try:
            await place
        except asyncio.CancelledError:
            self._step_out(entry)
            raise
        return (self._time.now() - now).total_seconds()

    async def ride(self, longest_wait_seconds: float) -> float:
        """Ask in the wake of a page that had its turn, as a browser does; a host that wants rest is left in peace."""
        if self._stopped or self.clock.resting(self._time.now()):
            return await self.turn(longest_wait_seconds)
        self.clock.rode()
        return 0.0

    def answered(self, *, status: int | None, seconds: float, retry_after: datetime | None = None) -> None:
        """The answer to one turn came."""
        self.clock.answered(self._time.now(), status=status, seconds=seconds, retry_after=retry_after)
        self._arrange()

    def withdrawn(self) -> None:
        """One turn was not used, or ended in a way that is not the host's fault."""
        self.clock.withdrawn()
        self._arrange()

    def waiting(self) -> Wait | None:
        """Why nobody asks this host just now, if so."""
        now = self._time.now()
        turn = self.clock.next_turn(now)
        held = self.clock.held_until
        if held is not None:
            return Wait(host=self.host, until=held, why=self.clock.why)
        if self._line and turn is not None and turn > now and not self.clock.in_flight:
            return Wait(host=self.host, until=turn, why=self.clock.why)
        return None

    def stop(self) -> None:
        """Nobody waits any longer, now or later."""
        self._stopped = True
        if self._alarm is not None:
            self._alarm.cancel()
        for place, _ in tuple(self._line):
            place.cancel()

    def _check(self, now: datetime, longest_wait_seconds: float) -> None:
        held = self.clock.held_until
        if held is not None and (held - now).total_seconds() > longest_wait_seconds:
            raise HeldOff(held, self.clock.held_why)

    def _arrange(self) -> None:
        while self._line:
            place, longest = self._line[0]
            if place.done():
                self._line.popleft()
                continue
            now = self._time.now()
            try:
                self._check(now, longest)
            except HeldOff as held:
                self._line.popleft()
                place.set_exception(held)
                continue
            turn = self.clock.next_turn(now)
            if turn is None:
                return
            if turn > now:
                self._wake_at(turn, now)
                return
            self._line.popleft()
            self.clock.started(now)
            place.set_result(None)

    def _wake_at(self, turn: datetime, now: datetime) -> None:
        if self._alarm is not None and not self._alarm.done():
            if self._alarm_at == turn:
                return
            self._alarm.cancel()
        self._alarm_at = turn
        self._alarm = asyncio.ensure_future(self._ring((turn - now).total_seconds()))

    async def _ring(self, seconds: float) -> None:
        await self._time.sleep(seconds)
        # What is arranged from here on may set the next alarm; this one has rung.
        self._alarm = None
        self._arrange()

    def _step_out(self, entry: tuple[asyncio.Future[None], float]) -> None:
        place, _ = entry
        if place.done() and not place.cancelled() and place.exception() is None:
            # The turn was given in the same moment in which its owner was called off.
            self.withdrawn()
        elif entry in self._line:
            self._line.remove(entry)
