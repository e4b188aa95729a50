"""Reaper of a fleet: queues again what was lost. Workers and schedulers take turns at it; two at once do no harm."""

from __future__ import annotations

import logging
from itertools import islice
from typing import TYPE_CHECKING

from everlog.archive.lease_holder import expire_leases
from everlog.errors import EverlogError, ServiceDown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from everlog.archive import Archive
    from everlog.archive.job_models import Job
    from everlog.fleet.job_queue import JobQueue

log = logging.getLogger("everlog.fleet")

# How often a reaper looks. A lease is taken away this long after its time at the latest.
ROUND_SECONDS = 3.0
# A message that was sent this long ago, while there are fewer messages than jobs, is lost. Longer than a worker takes
# from receiving a message to claiming its job, also on a busy machine.
MESSAGE_SECONDS = 20.0
# Hosts that nobody asked for a day have no line before them.
TURNS_SECONDS = 86_400.0
BATCH = 1_000
# How long it is one reaper's turn while it fills a queue.
REFILL_SECONDS = 30.0
# Lost messages that one round sends again; the next sends more.
MOST_MESSAGES = 5_000


class Reaper:
    """Reaper: queues again, in rounds, jobs whose workers timed out and jobs whose messages were lost."""

    def __init__(self, archive: Archive, job_queue: JobQueue, name: str) -> None:
        self._archive = archive
        self._job_queue = job_queue
        self._name = name
        self._rounds = 0
        self._was_down = False

    def round(self) -> int:
        """One round, if it is this reaper's turn; how many jobs were queued. Nothing is raised but bugs."""
        try:
            sent = self._round()
        except EverlogError as error:
            if not self._was_down:
                log.warning("%s", error.message)
            self._was_down = isinstance(error, ServiceDown)
            return 0
        if self._was_down:
            log.info("database and broker are reachable again")
            self._was_down = False
        return sent

    def _round(self) -> int:
        archive, job_queue = self._archive, self._job_queue
        if not job_queue.may_reap(self._name, ROUND_SECONDS * 0.8):
            return 0
        self._rounds += 1
        sent = 0
        if not job_queue.is_marked() and job_queue.mark():
            sent += self._refill_queue()
        lost = expire_leases(archive.leases)
        for job in lost:
            log.warning("no heartbeat from the worker of %s; queued again", job.url or f"{len(job.blog_ids)} feeds",
                        extra={"job": job.id, "tries": job.tries})
        sent += job_queue.send(lost)
        sent += job_queue.send(archive.jobs.wake())
        sent += self._resend_lost_messages()
        if self._rounds % 200 == 1:
            archive.hosts.forget_rate_limits(older_seconds=TURNS_SECONDS)
        return sent

    def _refill_queue(self) -> int:
        # It takes a while where there are many: nobody else need begin with it.
        job_queue, name = self._job_queue, self._name
        sent = send_in_batches(
            self._archive.jobs.queued(), job_queue, on_batch=lambda: job_queue.extend_turn(name, REFILL_SECONDS),
        )
        job_queue.extend_turn(name, ROUND_SECONDS * 0.8)
        if sent:
            log.warning("the queue was empty: %d jobs queued again from the database", sent)
        return sent

    def _resend_lost_messages(self) -> int:
        """Messages are lost where fewer wait than jobs, twice in a row: the oldest, as queues are served in order.

        Whichever reaper looked the last time: where there are many, hardly any has two rounds in a row.
        """
        sent = 0
        wanted, there = self._archive.jobs.count_queued(), self._job_queue.depths()
        short = {queue: max(count - there.get(queue, 0), 0) for queue, count in wanted.items()}
        before = self._job_queue.shortage(short)
        for queue, missing in short.items():
            limit = min(missing, before.get(queue, 0), MOST_MESSAGES)
            if limit:
                sent += self._job_queue.send(
                    self._archive.jobs.stale(queue, older_seconds=MESSAGE_SECONDS, limit=limit),
                )
        return sent


def rebuild(archive: Archive, job_queue: JobQueue) -> int:
    """Rebuild of the queue: empty it and fill it from the database. How many jobs are in it now."""
    job_queue.empty()
    job_queue.mark()
    return send_in_batches(archive.jobs.queued(), job_queue)


def send_in_batches(jobs: Iterable[Job], job_queue: JobQueue, *, on_batch: Callable[[], None] = lambda: None) -> int:
    """Messages for all of these jobs, sent in batches; `on_batch` is called before each. How many."""
    sent, waiting = 0, iter(jobs)
    while batch := tuple(islice(waiting, BATCH)):
        on_batch()
        sent += job_queue.send(batch)
    return sent
