"""The line before each host that all processes of a shared archive stand in."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from typing import TYPE_CHECKING

from everlog.web import Turns

if TYPE_CHECKING:
    from everlog.archive import Archive


# A turn is a moment of the database's clock; the request leaves later, by the answer's way back and whatever else this
# process is doing. Who comes next must not be nearer than the pace although they may be less late: turns are further
# apart by the slowest of so many answers of the database, and by what passes until the request is at the host. Four
# workers at a pace of 0.5 s on two cores that nine other processes used too, 280 requests: the database's answer took
# 14 ms in the median and 46 ms at the 95th percentile, from there to the host 2 and 18 ms. Without this 40 to 44 % of
# requests came nearer than the pace to the one before them, with it 0.7 to 2.2 %: where a process had other work. Who
# notices that takes another turn.
ANSWERS_REMEMBERED = 16
SENDING_SECONDS = 0.02
# Before the first answer: about the 95th percentile.
FIRST_ANSWER_SECONDS = 0.05


def shared_turns(archive: Archive) -> Turns | None:
    """The turns of an archive that others may crawl for at the same time; None where nobody can."""
    return ArchiveTurns(archive) if archive.shelf.is_shared else None


class ArchiveTurns(Turns):
    """Turns by the rows of a database; its own thread waits for it, so that nobody else does."""

    def __init__(self, archive: Archive) -> None:
        self._archive = archive
        self._answers = deque([FIRST_ANSWER_SECONDS], maxlen=ANSWERS_REMEMBERED)

    async def reserve(self, host: str, pace_seconds: float, longest_seconds: float) -> tuple[float, float]:
        margin = max(self._answers) + SENDING_SECONDS
        began = time.monotonic()
        seconds = await asyncio.to_thread(
            self._archive.reserve_turn, host, pace_seconds + margin, longest_seconds=longest_seconds,
        )
        self._answers.append(time.monotonic() - began)
        # By the database's clock the turn is no earlier than if it had been given when it was asked for.
        return seconds, seconds + margin

    async def hold(self, host: str, seconds: float) -> None:
        await asyncio.to_thread(self._archive.hold_host, host, seconds)
