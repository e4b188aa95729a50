"""Rate limiter of each host for all processes of a shared archive."""

from __future__ import annotations

import asyncio
from collections import deque
from typing import TYPE_CHECKING

from everlog.core.fetcher import RateLimiter

if TYPE_CHECKING:
    from datetime import datetime

    from everlog.archive import Archive


# A slot is a moment of the database's clock; the request leaves later, by the answer's way back and whatever else this
# process is doing, and is at the host later still. Who comes next may be less late than who came before: so slots are
# further apart than the pace, by the latest of so many who came here, and by what passes on the way to the host. Who
# comes later than that reserves another slot.
# Four workers at a pace of 0.5 s on two cores, 280 requests (benchmarks/fleet_politeness.py). With nine other processes
# at work the database's answer took 14 ms in the median and 46 ms at the 95th percentile, from there to the host 2 and
# 18 ms. Slots a pace apart: 40 to 44 % of requests came nearer than the pace to the one before them. Further apart by
# the slowest answer and 20 ms, and a look at the lateness that did not leave those 20 ms for the way: 0 to 2.2 %. As it
# is here: none, the nearest 0.557 s on a quiet machine and 0.519 s beside four processes that only compute.
LATENESS_REMEMBERED = 16
SENDING_SECONDS = 0.05
# Before anybody came: about the 95th percentile.
FIRST_LATENESS_SECONDS = 0.05


def shared_rate_limiter(archive: Archive) -> RateLimiter | None:
    """The rate limiter of an archive that others may crawl for at the same time; None where nobody can."""
    return ArchiveRateLimiter(archive) if archive.backend.file_store.is_shared else None


def shared_time(archive: Archive) -> datetime | None:
    """What time it is for all who share an archive, whatever their own clocks say; None where nobody shares it."""
    return archive.jobs.now() if archive.backend.file_store.is_shared else None


class ArchiveRateLimiter(RateLimiter):
    """Slots by the rows of a database; its own thread waits for it, so that nobody else does."""

    def __init__(self, archive: Archive) -> None:
        self._archive = archive
        self._late = deque([FIRST_LATENESS_SECONDS], maxlen=LATENESS_REMEMBERED)

    async def reserve(self, host: str, pace_seconds: float, longest_seconds: float) -> tuple[float, float]:
        # Somebody who came very late, as a machine that slept, makes others wait for a pace more at most.
        may_be_late = min(max(self._late), pace_seconds)
        apart = pace_seconds + may_be_late + SENDING_SECONDS
        seconds = await asyncio.to_thread(self._archive.hosts.reserve, host, apart, longest_seconds=longest_seconds)
        # By the database's clock the slot is no earlier than if it had been given when it was asked for.
        return seconds, may_be_late

    def note_late(self, seconds_late: float) -> None:
        self._late.append(seconds_late)

    async def is_backing_off(self, host: str) -> bool:
        return await asyncio.to_thread(self._archive.hosts.backoff_seconds, host) > 0

    async def back_off(self, host: str, seconds: float) -> None:
        await asyncio.to_thread(self._archive.hosts.back_off, host, seconds)
