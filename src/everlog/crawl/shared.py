"""Turns that processes share: who had a turn in this process's own line takes one in the line of all."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from everlog.crawl.hosts import HeldOff
from everlog.politeness import Cause

if TYPE_CHECKING:
    from datetime import datetime

    from everlog.crawl.hosts import HostLine, Spells, Timekeeper
    from everlog.web import Turns

OTHERS = Cause(reason="other workers ask this host")


async def take_shared_turn(turns: Turns, line: HostLine, longest_wait_seconds: float, time: Timekeeper) -> Spells:
    """Wait for one's place among all who ask this host; for what, and how long. HeldOff if it would take too long.

    A turn that is not used is a pace in which nobody asks, which harms nobody.
    """
    pace = line.clock.pace_seconds
    if not pace:
        # Who leaves no time between requests waits for nobody; a hold is in the line since the first request.
        return ()
    try:
        seconds = await turns.reserve(line.host, pace)
        if 0 < seconds <= longest_wait_seconds:
            await time.sleep(seconds)
    except BaseException:
        line.withdrawn()
        raise
    if seconds > longest_wait_seconds:
        line.withdrawn()
        raise HeldOff(time.now() + timedelta(seconds=seconds), OTHERS)
    return ((OTHERS, seconds),) if seconds > 0 else ()


async def tell_of_hold(turns: Turns, line: HostLine, now: datetime) -> None:
    """What a host asked this process for holds for all."""
    until = line.clock.held_until
    if until is not None and until > now:
        await turns.hold(line.host, (until - now).total_seconds())
