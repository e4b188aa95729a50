"""Who brings back what was lost. Any worker or scheduler may do it, a few times a minute; two at once do no harm."""

from __future__ import annotations

import logging
from itertools import islice
from typing import TYPE_CHECKING

from everlog.archive.lease_holder import expire_silent
from everlog.errors import EverlogError, ServiceDown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from everlog.archive import Archive
    from everlog.archive.job_models import Job
    from everlog.fleet.engine import Engine

log = logging.getLogger("everlog.fleet")

# How often a fleet is looked after. A grant is taken away this long after its time at the latest.
ROUND_SECONDS = 3.0
# A hint that was given this long ago, while there are fewer hints than jobs, is lost. Longer than a worker takes from
# hearing of a job to claiming it, also on a busy machine.
HINT_SECONDS = 20.0
# Hosts that nobody asked for a day have no line before them.
TURNS_SECONDS = 86_400.0
SENT_AT_ONCE = 1_000
# How long it is one keeper's turn while it hands out much.
KEEPS_SECONDS = 30.0
# Lost hints that one round gives again; the next gives more.
MOST_HINTS = 5_000


class Keeper:
    """Looks after a fleet, in rounds."""

    def __init__(self, archive: Archive, engine: Engine, name: str) -> None:
        self._archive = archive
        self._engine = engine
        self._name = name
        self._rounds = 0
        self._is_down = False

    def round(self) -> int:
        """One round, if it is this keeper's turn; how many jobs were handed out. Nothing is raised but bugs."""
        try:
            handed = self._round()
        except EverlogError as error:
            if not self._is_down:
                log.warning("%s", error.message)
            self._is_down = isinstance(error, ServiceDown)
            return 0
        if self._is_down:
            log.info("database and broker are reachable again")
            self._is_down = False
        return handed

    def _round(self) -> int:
        archive, engine = self._archive, self._engine
        if not engine.may_keep(self._name, ROUND_SECONDS * 0.8):
            return 0
        self._rounds += 1
        handed = 0
        if not engine.is_marked() and engine.mark():
            handed += self._hand_out_all()
        lost = expire_silent(archive)
        for job in lost:
            log.warning("no heartbeat from the worker of %s; queued again", job.url or f"{len(job.blog_ids)} feeds",
                        extra={"job": job.id, "tries": job.tries})
        handed += engine.send(lost)
        handed += engine.send(archive.wake_jobs())
        handed += self._give_lost_hints_again()
        if self._rounds % 200 == 1:
            archive.forget_turns(older_seconds=TURNS_SECONDS)
        return handed

    def _hand_out_all(self) -> int:
        # It takes a while where there are many: nobody else need begin with it.
        handed = hand_out(
            self._archive.queued_jobs(), self._engine, on_part=lambda: self._engine.keep_on(self._name, KEEPS_SECONDS),
        )
        self._engine.keep_on(self._name, ROUND_SECONDS * 0.8)
        if handed:
            log.warning("the queue was empty: %d jobs queued again from the database", handed)
        return handed

    def _give_lost_hints_again(self) -> int:
        """Where fewer hints wait than jobs, twice in a row, the oldest hints are lost: queues are served in order.

        Whichever keeper looked the last time: where there are many, hardly any has two rounds in a row.
        """
        handed = 0
        wanted, there = self._archive.count_queued(), self._engine.depths()
        short = {queue: max(count - there.get(queue, 0), 0) for queue, count in wanted.items()}
        before = self._engine.shortage(short)
        for queue, missing in short.items():
            limit = min(missing, before.get(queue, 0), MOST_HINTS)
            if limit:
                handed += self._engine.send(
                    self._archive.stale_jobs(queue, older_seconds=HINT_SECONDS, limit=limit),
                )
        return handed


def rebuild(archive: Archive, engine: Engine) -> int:
    """Empty the queue and fill it from the database. How many jobs are in it now."""
    engine.empty()
    engine.mark()
    return hand_out(archive.queued_jobs(), engine)


def hand_out(jobs: Iterable[Job], engine: Engine, *, on_part: Callable[[], None] = lambda: None) -> int:
    """Give the engine all of these, in parts; `on_part` is called before each."""
    handed, waiting = 0, iter(jobs)
    while part := tuple(islice(waiting, SENT_AT_ONCE)):
        on_part()
        handed += engine.send(part)
    return handed
