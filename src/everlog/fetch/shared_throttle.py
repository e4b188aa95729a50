"""Throttle of all processes together: a request that had its slot in this process reserves one among all."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from everlog.core.politeness import Cause
from everlog.core.retry_policy import remembered
from everlog.fetch.throttle import HeldOff, HostThrottle, Spells, Timekeeper

if TYPE_CHECKING:

    from everlog.core.fetcher import RateLimiter

# A process that is late for so many slots in a row is so busy that its requests are far apart anyway.
SLOTS_TRIED = 5
# From here to the socket: 2 ms in the median and 18 ms at the 95th percentile, beside nine other processes at work on
# two cores. A process that stands still in between (its database was away, the machine slept) finds its slot gone by.
WRITING_SECONDS = 0.025
OTHERS = Cause(reason="other workers are fetching from this host")


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedSlot:
    """A slot that was waited for: how long, how late its owner was then, and within how long the request must leave."""

    spells: Spells
    late_seconds: float
    within_seconds: float


async def acquire_shared(
    rate_limiter: RateLimiter, throttle: HostThrottle, longest_wait_seconds: float, time: Timekeeper,
) -> SharedSlot | None:
    """Wait for one's place among all who ask this host; None if nobody has to. HeldOff if it would take too long.

    Who comes too late for a slot, because the process had other work, takes another; so does who waited for one while
    the host asked to be left alone.
    """
    pace = throttle.clock.pace_seconds
    if not pace:
        # Who leaves no time between requests waits for nobody; a backoff is in the throttle since the first request.
        return None
    waited = 0.0
    late = slack = timedelta(0)
    try:
        for _ in range(SLOTS_TRIED):
            seconds, slot_at, may_be_late = await _one_slot(rate_limiter, throttle, longest_wait_seconds, time)
            waited += seconds
            while (rest := throttle.rest_seconds(longest_wait_seconds)) > 0 or (
                # Others may have been told in a long wait; what this process was told, it knows.
                seconds > pace and await rate_limiter.is_backing_off(throttle.host)
            ):
                await time.sleep(rest)
                seconds, slot_at, may_be_late = await _one_slot(rate_limiter, throttle, longest_wait_seconds, time)
                waited += rest + seconds
            late = time.now() - slot_at
            slack = may_be_late - late
            if slack >= timedelta(0):
                break
    except BaseException:
        throttle.withdrawn()
        raise
    return SharedSlot(
        spells=((OTHERS, waited),) if waited > 0 else (), late_seconds=late.total_seconds(),
        within_seconds=max(slack.total_seconds(), 0.0) + WRITING_SECONDS,
    )


async def _one_slot(
    rate_limiter: RateLimiter, throttle: HostThrottle, longest_wait_seconds: float, time: Timekeeper,
) -> tuple[float, datetime, timedelta]:
    """Wait for the next slot: for how long, when it was, and how much later one may be."""
    began = time.now()
    seconds, may_be_late = await rate_limiter.reserve(throttle.host, throttle.clock.pace_seconds, longest_wait_seconds)
    if seconds > longest_wait_seconds:
        raise HeldOff(time.now() + timedelta(seconds=seconds), OTHERS)
    if seconds > 0:
        await time.sleep(seconds)
    slot_at = began + timedelta(seconds=seconds)
    rate_limiter.note_late((time.now() - slot_at).total_seconds())
    return seconds, slot_at, timedelta(seconds=may_be_late)


async def share_backoff(rate_limiter: RateLimiter, throttle: HostThrottle, now: datetime) -> None:
    """What a host asked this process for holds for all; centuries no longer than the next run would remember them."""
    until = throttle.clock.held_until
    if until is not None and until > now:
        await rate_limiter.back_off(throttle.host, (remembered(until, now) - now).total_seconds())
