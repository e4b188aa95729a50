"""HostThrottle: the rate limit of each host, who requests next, and how long nobody may."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Self

from everlog.core.politeness import Cause, HostClock
from everlog.records import Wait


def awake_and_asleep() -> float:
    """Seconds that only go forward, also while the machine sleeps: a watch runs for months on laptops, too."""
    clock = getattr(time, "CLOCK_BOOTTIME", None)
    return time.monotonic() if clock is None else time.clock_gettime(clock)


@dataclass(frozen=True, slots=True, kw_only=True)
class Timekeeper:
    """What time it is, and how to let some of it pass."""

    now: Callable[[], datetime]
    sleep: Callable[[float], Awaitable[None]]

    @classmethod
    def steady(cls, elapsed: Callable[[], float] = awake_and_asleep, *, start: datetime | None = None) -> Self:
        """The time of day at the start, and from then on a clock that nobody can set back or forth.

        Machines that work together begin with the time that they agree on.
        """
        start, origin = start or datetime.now(UTC), elapsed()
        return cls(now=lambda: start + timedelta(seconds=elapsed() - origin), sleep=asyncio.sleep)


# How long a request waited in the queue, by what for.
Spells = tuple[tuple[Cause, float], ...]


class HeldOff(Exception):
    """The host is not to be asked for longer than anybody here waits; `spells` were waited before that was known."""

    def __init__(self, until: datetime, cause: Cause, spells: Spells = ()) -> None:
        super().__init__(cause.reason)
        self.until = until
        self.cause = cause
        self.spells = spells


@dataclass(slots=True, eq=False)
class _Visitor:
    """A request in the queue: `before` is what the queue had waited for when it came."""

    slot: asyncio.Future[Spells]
    longest_wait_seconds: float
    before: dict[Cause, float]


class HostThrottle:
    """The queue of requests to one host, in the order they came."""

    def __init__(self, host: str, timekeeper: Timekeeper, *, delay_seconds: float, concurrency: int) -> None:
        self.host = host
        self.clock = HostClock(delay_seconds=delay_seconds, concurrency=max(1, concurrency))
        self._time = timekeeper
        self._queue: deque[_Visitor] = deque()
        # What those in the queue waited for since it was last empty, and what they wait for just now.
        self._spent: dict[Cause, float] = {}
        self._cause: Cause | None = None
        self._since = timekeeper.now()
        self._alarm: asyncio.Future[None] | None = None
        self._alarm_at: datetime | None = None
        self._stopped = False

    async def acquire(self, longest_wait_seconds: float) -> Spells:
        """Wait until the host may be asked; for what, and how long. HeldOff if it would take too long."""
        if self._stopped:
            raise asyncio.CancelledError
        now = self._time.now()
        self._check(now, longest_wait_seconds)
        if not self._queue and (turn := self.clock.next_turn(now)) is not None and turn <= now:
            self.clock.started(now)
            return ()
        self._reckon(now)
        slot: asyncio.Future[Spells] = asyncio.get_running_loop().create_future()
        visitor = _Visitor(slot, longest_wait_seconds, dict(self._spent))
        self._queue.append(visitor)
        self._arrange()
        try:
            return await slot
        except asyncio.CancelledError:
            self._step_out(visitor)
            raise

    async def ride(self, longest_wait_seconds: float) -> Spells:
        """Request in the wake of a page, as a browser does; a host that wants rest is left in peace."""
        if self._stopped or self.clock.resting(self._time.now()):
            return await self.acquire(longest_wait_seconds)
        self.clock.rode()
        return ()

    def answered(
        self, *, status: int | None, seconds: float, retry_after: datetime | None = None, said: str = "",
    ) -> bool:
        """The answer to one request came; whether it made the pace slower."""
        before = self.clock.slowed
        self.clock.answered(self._time.now(), status=status, seconds=seconds, retry_after=retry_after, said=said)
        self._arrange()
        return self.clock.slowed > before

    def withdrawn(self) -> None:
        """One slot was not used, or ended in a way that is not the host's fault."""
        self.clock.withdrawn()
        self._arrange()

    def waiting(self) -> Wait | None:
        """Why nobody asks this host just now, if so."""
        now = self._time.now()
        turn = self.clock.next_turn(now)
        held = self.clock.held_until
        if held is not None:
            return Wait(host=self.host, until=held, why=self.clock.why)
        if self._queue and turn is not None and turn > now and not self.clock.in_flight:
            return Wait(host=self.host, until=turn, why=self.clock.why)
        return None

    def rest_seconds(self, longest_wait_seconds: float) -> float:
        """How long the host is to be left alone, for somebody who has a slot already; HeldOff if that is too long."""
        now = self._time.now()
        self._check(now, longest_wait_seconds)
        held = self.clock.held_until
        return max(0.0, (held - now).total_seconds()) if held is not None else 0.0

    def stop(self) -> None:
        """Nobody waits any longer, now or later."""
        self._stopped = True
        if self._alarm is not None:
            self._alarm.cancel()
        for visitor in tuple(self._queue):
            visitor.slot.cancel()

    def _check(self, now: datetime, longest_wait_seconds: float) -> None:
        held = self.clock.held_until
        if held is not None and (held - now).total_seconds() > longest_wait_seconds:
            raise HeldOff(held, self.clock.held_for)

    def _arrange(self) -> None:
        self._reckon(self._time.now())
        while self._queue:
            visitor = self._queue[0]
            if visitor.slot.done():
                self._queue.popleft()
                continue
            now = self._time.now()
            try:
                self._check(now, visitor.longest_wait_seconds)
            except HeldOff as held:
                self._queue.popleft()
                held.spells = self._spells(visitor)
                visitor.slot.set_exception(held)
                continue
            turn = self.clock.next_turn(now)
            if turn is not None and turn <= now:
                self._queue.popleft()
                self.clock.started(now)
                visitor.slot.set_result(self._spells(visitor))
                continue
            self._cause = self.clock.cause
            if turn is not None:
                self._wake_at(turn, now)
            return
        self._cause = None
        self._spent.clear()

    def _reckon(self, now: datetime) -> None:
        """The time since the queue was last looked at was waited for what it waited for then."""
        if self._cause is not None and now > self._since:
            self._spent[self._cause] = self._spent.get(self._cause, 0.0) + (now - self._since).total_seconds()
        self._since = now

    def _spells(self, visitor: _Visitor) -> Spells:
        before = visitor.before
        spells = ((cause, seconds - before.get(cause, 0.0)) for cause, seconds in self._spent.items())
        return tuple((cause, seconds) for cause, seconds in spells if seconds > 0)

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

    def _step_out(self, visitor: _Visitor) -> None:
        slot = visitor.slot
        if slot.done() and not slot.cancelled() and slot.exception() is None:
            # The slot was given in the same moment in which its owner was called off.
            self.withdrawn()
        elif visitor in self._queue:
            self._queue.remove(visitor)
