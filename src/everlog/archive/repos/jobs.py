"""Job repository: what a fleet is to do. Jobs are queued, wait, run, or were given up.

The database is the truth. A queue elsewhere only has messages about what is to be done: one that is lost is sent again,
one that comes twice finds nothing to do. All lengths of time are by the database's own clock: workers need not agree on
one.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, bindparam, exists, select

from everlog.archive.db import schema
from everlog.archive.db.column_values import storable
from everlog.archive.db.database import Database, in_pages, in_parts
from everlog.archive.job_models import MOST_AT_ONCE, MOST_QUEUED, Job, Lease, NewJob, queue_of
from everlog.archive.repos.job_rows import (
    IN_LINE,
    WAITS_FOR_A_HOST,
    WAITS_FOR_A_TIME,
    clock_of,
    dead_jobs,
    insert_jobs,
    job_of,
    key_of,
    parked_now,
    queue_jobs,
    queue_lengths,
    room_left,
    settings_of,
    stamp_of,
)
from everlog.archive.repos.leases import begin_lease, finish_job, lease_hosts, parked_for
from everlog.archive.repos.polls import hosts_of_job, let_go_some

_jobs, _grants, _leases = schema.jobs, schema.grants, schema.leases

# A reaper looks every few seconds: what one look leaves, the next takes.
MOST_WOKEN = 2_000
# Rows that are read in one short transaction while somebody hands jobs to a queue.
_PAGE = 1_000


class JobRepository:
    """The jobs of a fleet."""

    def __init__(self, database: Database) -> None:
        self.database = database

    def add(self, jobs: Sequence[NewJob], *, most_queued: int = MOST_QUEUED) -> tuple[Job, ...]:
        """Jobs that are not there yet (same kind and address); those that are queued are to be handed to the queue.

        One that was given up is taken up again, one that waits for a time to come is queued now, one that is queued
        or running is left alone. What would make a queue longer than it may be is parked; `wake` finds it there.
        """
        added: list[Job] = []
        for start in range(0, len(jobs), MOST_AT_ONCE):
            with self.database.writing() as connection:
                room = room_left(connection, most_queued)
                fitting: list[NewJob] = []
                others: list[NewJob] = []
                for job in jobs[start : start + MOST_AT_ONCE]:
                    queue = queue_of(job.kind, needs_browser=job.needs_browser)
                    room[queue] -= 1
                    (fitting if room[queue] >= 0 else others).append(job)
                added += _add(connection, self.database, fitting, is_parked=False)
                added += _add(connection, self.database, others, is_parked=True)
        return tuple(added)

    def claim(self, job_id: int, worker: str, *, has_browser: bool = True) -> Lease | None:
        """The right to do a slice, and the lease of the job's host; None if there is nothing to do (any more).

        A job whose host is leased is parked until it is free. Of a poll's hosts those that are free are leased; the
        feeds of each of the others are a job of their own from then on, parked until that host is free. Without a
        browser, a job that needs one is left alone.
        """
        statement = (
            select(_jobs).where(_jobs.c.id == job_id, _jobs.c.state.in_(("queued", "parked")))
            .with_for_update(skip_locked=True)
        )
        if not has_browser:
            # An old message may say otherwise.
            statement = statement.where(_jobs.c.needs_browser.is_(False))
        with self.database.writing(fenced=False) as connection:
            row = connection.execute(statement).first()
            if row is None:
                return None
            clock = clock_of(connection, self.database)
            if row.due_at is not None and row.due_at > stamp_of(clock):
                return None
            fence = begin_lease(connection, self.database, worker, job_id)
            if row.kind == "poll":
                hosts, changed = _lease_feeds(connection, self.database, row, fence)
            else:
                hosts, changed = _lease_host_of_job(connection, self.database, row, fence), {}
            if hosts is None:
                return None
            values = {"state": "running", "fence": fence, "due_at": None, "reason": None, **changed}
            running = _jobs.update().where(_jobs.c.id == job_id).values(values).returning(*_jobs.c)
            return Lease(fence=fence, job=job_of(connection.execute(running).one()), hosts=hosts)

    def wake(self, *, most_queued: int = MOST_QUEUED) -> tuple[Job, ...]:
        """Parked jobs whose time has come and whose host is free, queued: those to hand to the queue.

        One of each host at a time, what keeps archives current first; and no queue gets longer than it may be.
        """
        other = _jobs.alias()
        is_leased = exists().where(_leases.c.host == _jobs.c.host)
        # One of its host is on its way already. (Of its own queue: another may have no workers.)
        has_queued = exists().where(
            other.c.host == _jobs.c.host, other.c.state == "queued", other.c.queue == _jobs.c.queue,
        )
        is_free = _jobs.c.host.is_(None) | (~is_leased & ~has_queued)
        statement = (
            select(_jobs.c.id, _jobs.c.host, _jobs.c.queue).where(WAITS_FOR_A_HOST, is_free)
            .order_by(*IN_LINE).limit(MOST_WOKEN).with_for_update(skip_locked=True, of=_jobs)
        )
        with self.database.writing(fenced=False) as connection:
            now = stamp_of(clock_of(connection, self.database))
            room = {queue: count for queue, count in room_left(connection, most_queued).items() if count > 0}
            for queue, count in room.items():
                # From here on it waits for its host alone, in the same line as the others of that host.
                has_come = WAITS_FOR_A_TIME & (_jobs.c.queue == queue) & (_jobs.c.due_at <= now)
                for part in in_parts(_ids(connection, has_come, by=_jobs.c.due_at, limit=min(count, MOST_WOKEN))):
                    connection.execute(_jobs.update().where(_jobs.c.id.in_(part)).values(due_at=None))
            first: dict[str, int] = {}
            for row in connection.execute(statement.where(_jobs.c.queue.in_(room))):
                host = row.host or f"job {row.id}"
                if host not in first and room[row.queue] > 0:
                    first[host] = row.id
                    room[row.queue] -= 1
            return tuple(queue_jobs(connection, self.database, list(first.values())))

    def stale(self, queue: str, *, older_seconds: float, limit: int) -> tuple[Job, ...]:
        """Jobs of a queue that were handed to it longest ago, marked as handed now: for messages that got lost."""
        old = (_jobs.c.state == "queued") & (_jobs.c.queue == queue)
        with self.database.writing(fenced=False) as connection:
            before = clock_of(connection, self.database) - older_seconds
            ids = _ids(connection, old & (_jobs.c.queued_at <= before), by=_jobs.c.queued_at, limit=limit)
            found = queue_jobs(connection, self.database, ids, {"reason": _jobs.c.reason})
        return tuple(found)

    def revive(self, ids: Sequence[int] | None = None, *, limit: int = MOST_AT_ONCE) -> int:
        """Take jobs up again that were given up, without ids any `limit` of them; `wake` finds them. How many."""
        revived = 0
        with self.database.writing(fenced=False) as connection:
            clock = clock_of(connection, self.database)
            values = parked_now(clock) | {"tries": 0, "reason": None, "added_at": stamp_of(clock)}
            is_dead = _jobs.c.state == "dead"
            if ids is None:
                ids = _ids(connection, is_dead, by=_jobs.c.id, limit=limit)
            for part in in_parts(sorted(set(ids))):
                again = _jobs.update().where(is_dead, _jobs.c.id.in_(part)).values(values)
                revived += connection.execute(again).rowcount
        return revived

    def cancel(self, ids: Sequence[int]) -> int:
        """Remove jobs that nobody is doing; how many. The feeds of one are asked again when they are due."""
        cancelled = 0
        with self.database.writing(fenced=False) as connection:
            for part in in_parts(sorted(set(ids))):
                idle = select(_jobs.c.id).where(_jobs.c.id.in_(part), _jobs.c.state != "running").order_by(_jobs.c.id)
                found = connection.execute(idle.with_for_update(skip_locked=True)).scalars().all()
                for job_id in found:
                    finish_job(connection, job_id)
                cancelled += len(found)
        return cancelled

    def queued(self) -> Iterator[Job]:
        """All jobs that should be in a queue, in the order they were added, streamed."""
        queued = select(_jobs).where(_jobs.c.state == "queued")
        return map(job_of, in_pages(self.database, queued, _jobs.c.id, _PAGE))

    def dead(self, *, limit: int) -> tuple[Job, ...]:
        """Jobs that were given up, those added last first."""
        with self.database.reading() as connection:
            return tuple(job_of(row) for row in connection.execute(dead_jobs(limit)))

    def find(self, url: str) -> tuple[Job, ...]:
        """What is to be done, is being done or was given up for one address."""
        keys = [key_of(NewJob(kind=kind, url=url)) for kind in ("crawl", "update")]
        statement = select(_jobs).where(_jobs.c.key.in_(keys)).order_by(_jobs.c.id)
        with self.database.reading() as connection:
            return tuple(job_of(row) for row in connection.execute(statement))

    def count_queued(self) -> Mapping[str, int]:
        """How many jobs should be in each queue."""
        with self.database.reading() as connection:
            return queue_lengths(connection)

    def now(self) -> datetime:
        """What time it is, by the database's clock."""
        with self.database.reading() as connection:
            return datetime.fromtimestamp(clock_of(connection, self.database), UTC)


def _add(connection: Connection, database: Database, jobs: Sequence[NewJob], *, is_parked: bool) -> list[Job]:
    if not jobs:
        return []
    there = {key: job for job in jobs if (key := key_of(job)) is not None}
    added = []
    for key, job in insert_jobs(connection, database, jobs, is_parked=is_parked):
        there.pop(key or "", None)
        added.append(job)
    return [*added, *_take_up(connection, database, there, is_parked=is_parked)]


def _take_up(
    connection: Connection, database: Database, given: Mapping[str, NewJob], *, is_parked: bool,
) -> list[Job]:
    """Of jobs that are there, take up those that were given up or wait for a time to come, as they are given now."""
    taken: list[Any] = []
    clock = clock_of(connection, database)
    waits_long = WAITS_FOR_A_TIME & (_jobs.c.due_at > stamp_of(clock))
    for part in in_parts(sorted(given)):
        statement = (
            select(_jobs.c.id, _jobs.c.key, _jobs.c.kind, _jobs.c.needs_browser)
            .where(_jobs.c.key.in_(part), (_jobs.c.state == "dead") | waits_long)
            .order_by(_jobs.c.key).with_for_update(skip_locked=True)
        )
        taken += connection.execute(statement).all()
    if not taken:
        return []
    rows = []
    for row in taken:
        # One that turned out to need a browser still does.
        drawn = row.needs_browser or given[row.key].needs_browser
        rows.append({
            "the_job": row.id, "given": settings_of(given[row.key]), "drawn": drawn,
            "the_queue": queue_of(row.kind, needs_browser=drawn),
        })
    connection.execute(
        _jobs.update().where(_jobs.c.id == bindparam("the_job")).values(
            settings=bindparam("given"), needs_browser=bindparam("drawn"), queue=bindparam("the_queue"),
        ),
        rows,
    )
    state = parked_now(clock) if is_parked else {}
    values = {"tries": 0, "added_at": stamp_of(clock), **state}
    return queue_jobs(connection, database, sorted(row.id for row in taken), values)


def _lease_host_of_job(
    connection: Connection, database: Database, job: Row[Any], fence: int,
) -> tuple[str, ...] | None:
    """The host of a job, leased; None if another has it: then the job is parked."""
    if job.host is None:
        return ()
    if lease_hosts(connection, database, fence, [job.host]):
        return (job.host,)
    connection.execute(_grants.delete().where(_grants.c.fence == fence))
    # Should it be free again by now, whoever wakes parked jobs finds that out.
    connection.execute(_jobs.update().where(_jobs.c.id == job.id).values(parked_for(connection, job.host)))
    return None


def _lease_feeds(
    connection: Connection, database: Database, job: Row[Any], fence: int,
) -> tuple[tuple[str, ...] | None, dict[str, Any]]:
    """The hosts of a poll that were free, and what changes in the job by that; None if nothing is left to ask.

    The feeds of each of the others become a job of their own, in the line before their host.
    """
    blogs = {storable(host): sorted(ids) for host, ids in hosts_of_job(connection, job.id).items()}
    leased = lease_hosts(connection, database, fence, list(blogs))
    busy = sorted(blogs.keys() - leased)
    waits_for = busy.pop(0) if busy and not leased else None
    for host in busy:
        let_go_some(connection, blogs[host])
        [(_, other)] = insert_jobs(connection, database, [NewJob(kind="poll", blog_ids=tuple(blogs[host]))])
        connection.execute(_jobs.update().where(_jobs.c.id == other.id).values(parked_for(connection, host)))
    if leased:
        kept = sorted(blog_id for host in leased for blog_id in blogs[host])
        return tuple(sorted(leased)), {"blog_ids": json.dumps(kept)}
    connection.execute(_grants.delete().where(_grants.c.fence == fence))
    if waits_for is None:
        finish_job(connection, job.id)
    else:
        values = parked_for(connection, waits_for) | {"blog_ids": json.dumps(blogs[waits_for])}
        connection.execute(_jobs.update().where(_jobs.c.id == job.id).values(values))
    return None, {}


def _ids(
    connection: Connection, which: ColumnElement[bool], *, by: ColumnElement[Any], limit: int = MOST_WOKEN,
) -> list[int]:
    """Jobs that nobody else is changing, which are now this transaction's."""
    statement = select(_jobs.c.id).where(which).order_by(by, _jobs.c.id).limit(limit).with_for_update(skip_locked=True)
    return list(connection.execute(statement).scalars())
