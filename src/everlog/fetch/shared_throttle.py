"""Turns that processes share: who had a turn in this process's own line takes one in the line of all."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

from everlog.core.politeness import LONGEST_REMEMBERED, Cause
from everlog.fetch.throttle import HeldOff

if TYPE_CHECKING:
    from datetime import datetime

    from everlog.core.fetcher import RateLimiter
    from everlog.fetch.throttle import HostThrottle, Spells, Timekeeper

# A process that is late for so many turns in a row is so busy that its requests are far apart anyway.
TURNS_TRIED = 5
# From here to the socket: 2 ms in the median and 18 ms at the 95th percentile, beside nine other processes at work on
# two cores. A process that stands still in between (its database was away, the machine slept) finds its turn gone by.
WRITING_SECONDS = 0.025
OTHERS = Cause(reason="other workers are fetching from this host")


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedTurn:
    """A turn that was waited for: how long, how late its owner was then, and within how long the request must leave."""

    spells: Spells
    late_seconds: float
    within_seconds: float


async def take_shared_turn(
    turns: RateLimiter, line: HostThrottle, longest_wait_seconds: float, time: Timekeeper,
) -> SharedTurn | None:
    """Wait for one's place among all who ask this host; None if nobody has to. HeldOff if it would take too long.

    Who comes too late for a turn, because the process had other work, takes another; so does who waited for one while
    the host asked to be left alone.
    """
    pace = line.clock.pace_seconds
    if not pace:
        # Who leaves no time between requests waits for nobody; a hold is in the line since the first request.
        return None
    waited = 0.0
    late = slack = timedelta(0)
    try:
        for _ in range(TURNS_TRIED):
            seconds, turn, may_be_late = await _one_turn(turns, line, longest_wait_seconds, time)
            waited += seconds
            while (rest := line.rest_seconds(longest_wait_seconds)) > 0 or (
                # Others may have been told in a long wait; what this process was told, it knows.
                seconds > pace and await turns.is_held(line.host)
            ):
                await time.sleep(rest)
                seconds, turn, may_be_late = await _one_turn(turns, line, longest_wait_seconds, time)
                waited += rest + seconds
            late = time.now() - turn
            slack = may_be_late - late
            if slack >= timedelta(0):
                break
    except BaseException:
        line.withdrawn()
        raise
    return SharedTurn(
        spells=((OTHERS, waited),) if waited > 0 else (), late_seconds=late.total_seconds(),
        within_seconds=max(slack.total_seconds(), 0.0) + WRITING_SECONDS,
    )


async def _one_turn(
    turns: RateLimiter, line: HostThrottle, longest_wait_seconds: float, time: Timekeeper,
) -> tuple[float, datetime, timedelta]:
    """Wait for the next turn: for how long, when it was, and how much later one may be."""
    began = time.now()
    seconds, may_be_late = await turns.reserve(line.host, line.clock.pace_seconds, longest_wait_seconds)
    if seconds > longest_wait_seconds:
        raise HeldOff(time.now() + timedelta(seconds=seconds), OTHERS)
    if seconds > 0:
        await time.sleep(seconds)
    turn = began + timedelta(seconds=seconds)
    turns.came((time.now() - turn).total_seconds())
    return seconds, turn, timedelta(seconds=may_be_late)


async def tell_of_hold(turns: RateLimiter, line: HostThrottle, now: datetime) -> None:
    """What a host asked this process for holds for all; centuries no longer than the next run would remember them."""
    until = line.clock.held_until
    if until is not None and until > now:
        await turns.hold(line.host, min(until - now, LONGEST_REMEMBERED).total_seconds())
