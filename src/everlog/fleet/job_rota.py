"""The feeds of one job, as a watch asks for them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from everlog.usecases.watch.poll_source import PollSource

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from everlog.archive import Archive
    from everlog.archive.models import Poll
    from everlog.records import Blog


class JobRota(PollSource):
    """The feeds of one granted job, each asked once."""

    def __init__(self, archive: Archive, fence: int) -> None:
        self._archive = archive
        self._fence = fence
        self._waiting: list[tuple[Poll, Blog]] | None = None

    def enlist(self, now: datetime) -> bool:  # noqa: ARG002 - what a job has, it has
        return False

    def claim(self, now: datetime, room: int) -> tuple[tuple[Poll, Blog], ...]:  # noqa: ARG002 - all of them are due
        if self._waiting is None:
            self._waiting = list(self._archive.job_polls(self._fence))
        taken, self._waiting = tuple(self._waiting[:room]), self._waiting[room:]
        return taken

    def renew(self, now: datetime) -> None:
        """The grant is kept alive by the tenure."""

    def give_back(self, polls: Sequence[Poll]) -> None:
        self._archive.end_polls(self._fence, polls)

    def give_up(self) -> None:
        """What was not asked stays in the job."""

    def next_due(self, now: datetime) -> datetime | None:  # noqa: ARG002 - none will
        return None

    def count(self, now: datetime) -> tuple[int, int]:  # noqa: ARG002 - only a job's own count
        left = len(self._waiting or ())
        return left, left
