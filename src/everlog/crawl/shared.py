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

# A process that is late for so many turns in a row is so busy that its requests are far apart anyway.
TURNS_TRIED = 5
OTHERS = Cause(reason="other workers ask this host")


async def take_shared_turn(turns: Turns, line: HostLine, longest_wait_seconds: float, time: Timekeeper) -> Spells:
    """Wait for one's place among all who ask this host; for what, and how long. HeldOff if it would take too long.

    Who comes too late for a turn, because the process had other work, takes another.
    """
    pace = line.clock.pace_seconds
    if not pace:
        # Who leaves no time between requests waits for nobody; a hold is in the line since the first request.
        return ()
    waited = 0.0
    for _ in range(TURNS_TRIED):
        began = time.now()
        try:
            seconds, may_be_late = await turns.reserve(line.host, pace, longest_wait_seconds)
            if 0 < seconds <= longest_wait_seconds:
                await time.sleep(seconds)
        except BaseException:
            line.withdrawn()
            raise
        if seconds > longest_wait_seconds:
            line.withdrawn()
            raise HeldOff(time.now() + timedelta(seconds=seconds), OTHERS)
        waited += seconds
        late = (time.now() - began).total_seconds() - seconds
        turns.came(late)
        if late <= may_be_late:
            break
    return ((OTHERS, waited),) if waited > 0 else ()


async def tell_of_hold(turns: Turns, line: HostLine, now: datetime) -> None:
    """What a host asked this process for holds for all."""
    until = line.clock.held_until
    if until is not None and until > now:
        await turns.hold(line.host, (until - now).total_seconds())
