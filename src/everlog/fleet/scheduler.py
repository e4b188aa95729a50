"""Scheduler of a fleet: puts feeds into jobs for workers as they fall due."""

from __future__ import annotations

import logging
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from everlog.archive.job_models import UPDATE
from everlog.errors import EverlogError, UsageError
from everlog.fleet.reaper import ROUND_SECONDS, Reaper
from everlog.usecases.watch.poll_source import enlist

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from everlog.archive import Archive
    from everlog.fleet.job_queue import JobQueue

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
    """Counts of what a scheduler did so far; displays read it while the scheduler writes it."""

    feeds: int = 0
    jobs: int = 0
    # Jobs that its reaper has queued again.
    resent: int = 0
    seconds: float = 0.0
    waiting: int = 0


class Scheduler:
    """Scheduler: queues feeds that are due until it is stopped, and is a reaper on the way."""

    def __init__(
        self, archive: Archive, job_queue: JobQueue, name: str, *, tally: ScheduleTally | None = None,
        now: Callable[[], datetime] | None = None, sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.tally = tally or ScheduleTally()
        self._archive = archive
        self._job_queue = job_queue
        self._reaper = Reaper(archive, job_queue, name)
        # By the database's clock: that of this machine may be another, and workers set the times of feeds by that one.
        self._now = now or archive.jobs.now
        self._sleep = sleep
        self._is_stopping = False
        # None as long as there may be blogs that are to be watched and have no time yet.
        self._enlisted_at: datetime | None = None
        self._reaped_at: datetime | None = None

    def stop(self) -> None:
        """Stop at the next look. A plain flag: signal handlers call this, in the middle of anything."""
        self._is_stopping = True

    def run(self, *, once: bool = False, max_seconds: float | None = None) -> None:
        """Queue what is due; with `once`, until nothing is. A broker or a database that is down is waited for."""
        began = time.monotonic()
        is_down = False
        log.info("queueing feeds as they fall due")
        while not self._is_stopping:
            self.tally.seconds = time.monotonic() - began
            if max_seconds is not None and self.tally.seconds >= max_seconds:
                return
            try:
                queued = self.step()
                is_down = False
            except EverlogError as error:
                if once or isinstance(error, UsageError):
                    raise
                if not is_down:
                    log.warning("%s; retrying", error.message)
                is_down, queued = True, 0
            has_more = self._enlisted_at is None or queued >= AT_ONCE
            if once and not queued and not has_more:
                return
            if is_down or not (once or has_more):
                # Feeds that fall due one by one gather meanwhile: a job of a hundred costs little more than one of one.
                self._rest()

    def _rest(self) -> None:
        until = time.monotonic() + IDLE_SECONDS
        while not self._is_stopping and time.monotonic() < until:
            self._sleep(GLANCE_SECONDS)

    def step(self) -> int:
        """One look: feeds that are due now are queued. How many."""
        now = self._now()
        if self._reaped_at is None or (now - self._reaped_at).total_seconds() >= ROUND_SECONDS:
            self._reaped_at = now
            self.tally.resent += self._reaper.round()
        if self._enlisted_at is None or (now - self._enlisted_at).total_seconds() >= ENLIST_SECONDS:
            self._enlisted_at = None if enlist(self._archive, now) else now
        self.tally.waiting = self._job_queue.depths()[UPDATE]
        if self.tally.waiting >= MOST_WAITING:
            return 0
        jobs = self._archive.polls.schedule(now=now, batch=BATCH, most=AT_ONCE)
        self._job_queue.send(jobs)
        feeds = sum(len(job.blog_ids) for job in jobs)
        self.tally.feeds += feeds
        self.tally.jobs += len(jobs)
        return feeds
