"""Hands feeds to the workers as they fall due."""

from __future__ import annotations

import logging
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from everlog.archive.job_models import UPDATE
from everlog.errors import EverlogError, UsageError
from everlog.fleet.keeper import ROUND_SECONDS, Keeper
from everlog.usecases.watch.poll_source import enlist

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from everlog.archive import Archive
    from everlog.fleet.engine import Engine

log = logging.getLogger("everlog.fleet")

# Feeds in one job: some seconds of work for a worker that asks 64 at a time, and a message less for each but one.
BATCH = 100
# Feeds that are picked in one transaction.
AT_ONCE = 5_000
# Jobs that wait in the queue at most; what is due beyond that waits in the database, where it costs nothing.
MOST_WAITING = 20_000
# How long nothing is looked at when nothing was due.
IDLE_SECONDS = 2.0
GLANCE_SECONDS = 0.2
ENLIST_SECONDS = 60.0


@dataclass(slots=True, kw_only=True)
class ScheduleTally:
    """What a scheduler did so far; displays read it while the scheduler writes it."""

    feeds: int = 0
    jobs: int = 0
    handed: int = 0
    seconds: float = 0.0
    waiting: int = 0


class Scheduler:
    """Looks for due feeds until it is stopped, and looks after the fleet on the way."""

    def __init__(
        self, archive: Archive, engine: Engine, name: str, *, tally: ScheduleTally | None = None,
        now: Callable[[], datetime] | None = None, sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.tally = tally or ScheduleTally()
        self._archive = archive
        self._engine = engine
        self._keeper = Keeper(archive, engine, name)
        # By the database's clock: that of this machine may be another, and workers set the times of feeds by that one.
        self._now = now or archive.moment
        self._sleep = sleep
        self._is_stopping = False
        # None as long as there may be blogs that are to be watched and have no time yet.
        self._enlisted_at: datetime | None = None
        self._kept_at: datetime | None = None

    def stop(self) -> None:
        """A plain mark: signal handlers call this, in the middle of anything."""
        self._is_stopping = True

    def run(self, *, once: bool = False, max_seconds: float | None = None) -> None:
        """Hand out what is due; with `once`, until nothing is. A broker or a database that is away is waited for."""
        began = time.monotonic()
        is_down = False
        log.info("queueing feeds as they fall due")
        while not self._is_stopping:
            self.tally.seconds = time.monotonic() - began
            if max_seconds is not None and self.tally.seconds >= max_seconds:
                return
            try:
                handed = self.step()
                is_down = False
            except EverlogError as error:
                if once or isinstance(error, UsageError):
                    raise
                if not is_down:
                    log.warning("%s; retrying", error.message)
                is_down, handed = True, 0
            has_more = self._enlisted_at is None or handed >= AT_ONCE
            if once and not handed and not has_more:
                return
            if is_down or not (once or has_more):
                # Feeds that fall due one by one gather meanwhile: a job of a hundred costs little more than one of one.
                self._rest()

    def _rest(self) -> None:
        until = time.monotonic() + IDLE_SECONDS
        while not self._is_stopping and time.monotonic() < until:
            self._sleep(GLANCE_SECONDS)

    def step(self) -> int:
        """One look: what is due now is handed out. How many feeds."""
        now = self._now()
        if self._kept_at is None or (now - self._kept_at).total_seconds() >= ROUND_SECONDS:
            self._kept_at = now
            self.tally.handed += self._keeper.round()
        if self._enlisted_at is None or (now - self._enlisted_at).total_seconds() >= ENLIST_SECONDS:
            self._enlisted_at = None if enlist(self._archive, now) else now
        self.tally.waiting = self._engine.depths()[UPDATE]
        if self.tally.waiting >= MOST_WAITING:
            return 0
        jobs = self._archive.schedule_polls(now=now, batch=BATCH, most=AT_ONCE)
        self._engine.send(jobs)
        feeds = sum(len(job.blog_ids) for job in jobs)
        self.tally.feeds += feeds
        self.tally.jobs += len(jobs)
        return feeds
