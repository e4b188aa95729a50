"""Job rows: what the repositories of jobs, leases and polls do with them within one transaction."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from sqlalchemy import bindparam, case, func, literal_column, select

from everlog.archive.db import schema
from everlog.archive.db.column_values import moment_of, moment_or_none, stamp, storable, storable_or_none
from everlog.archive.db.database import Database, in_parts
from everlog.archive.job_models import QUEUES, Job, NewJob, queue_of
from everlog.core.urls import canonical, host_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sqlalchemy import BindParameter, ColumnElement, Connection, Row, Select


_jobs, _polls = schema.jobs, schema.polls

_LONG_KEY = 500

# What all new jobs have in common, as a part of the statement: drivers take their time for each value they are given.
_NEW: dict[str, ColumnElement[Any]] = dict.fromkeys(("tries", "slices", "requests", "posts"), literal_column("0"))
WAITS_FOR_A_TIME = (_jobs.c.state == "parked") & _jobs.c.due_at.is_not(None)
WAITS_FOR_A_HOST = (_jobs.c.state == "parked") & _jobs.c.due_at.is_(None)
# As in the queues: what keeps archives current comes before what fills them. But a host that has more feeds than can be
# asked in an hour would be crawled never: who has waited ten minutes longer goes first.
IN_LINE = (_jobs.c.queued_at + case((_jobs.c.kind == "crawl", 600.0), else_=0.0), _jobs.c.id)


def room_left(connection: Connection, most_queued: int) -> dict[str, int]:
    """How many jobs may still be queued, of each queue."""
    return {queue: most_queued - count for queue, count in queue_lengths(connection).items()}


def insert_jobs(
    connection: Connection, database: Database, jobs: Sequence[NewJob], *, is_parked: bool = False,
) -> list[tuple[str | None, Job]]:
    """Rows for jobs whose key is new, and the keys; what is there already is neither touched nor locked."""
    clock = clock_of(connection, database)
    numbers = database.reserve(connection, _jobs, len(jobs))
    waits = {"due_at": parked_now(clock)["due_at"]} if is_parked else {}
    rows = [_row(job, clock) | waits | {"id": number} for number, job in zip(numbers, jobs, strict=True)]
    # In the order of their keys: two who add the same jobs in different orders would wait for each other.
    rows.sort(key=lambda row: row["key"] or "")
    new = _NEW | {"state": literal_column("'parked'" if is_parked else "'queued'")}
    statement = database.insert(_jobs).values(new).on_conflict_do_nothing(index_elements=["key"]).returning(*_jobs.c)
    found = connection.execute(statement, rows).all()
    added = [(row.key, job_of(row)) for row in sorted(found, key=lambda row: row.id)]
    for _, job in added:
        for part in in_parts(job.blog_ids):
            # A feed that is in a job stays in it.
            free = _polls.c.blog_id.in_(written_out(part)) & _polls.c.job_id.is_(None)
            connection.execute(_polls.update().where(free).values(job_id=job.id))
    return added


def written_out(numbers: Sequence[int]) -> BindParameter[Any]:
    """Numbers as a part of the statement's text: a driver takes longer over so many values than a server over these."""
    return bindparam(None, numbers, expanding=True, literal_execute=True)


def key_of(job: NewJob) -> str | None:
    """What tells a job from another: what is done, and the address in its canonical spelling; None for polls.

    >>> key_of(NewJob(kind="crawl", url="HTTP://www.A.example/"))
    'crawl a.example'
    """
    if job.url is None:
        return None
    key = storable(f"{job.kind} {canonical(job.url)}")
    # An index of PostgreSQL takes no more than some 2,700 bytes, and nobody stops an address from being longer.
    return key if len(key) <= _LONG_KEY else f"{key[:_LONG_KEY]} {sha256(key.encode()).hexdigest()}"


def clock_of(connection: Connection, database: Database) -> float:
    """The database's time of day, in seconds since 1970."""
    return float(connection.execute(select(database.clock())).scalar_one())


def stamp_of(clock: float) -> str:
    """A time of the database's clock, as a stamp.

    >>> stamp_of(0.25)
    '1970-01-01T00:00:00.250000Z'
    """
    return stamp(datetime.fromtimestamp(clock, UTC))


def job_of(row: Row[Any]) -> Job:
    """A job as its row tells it."""
    return Job(
        id=row.id, kind=row.kind, url=row.url, host=row.host, blog_ids=tuple(json.loads(row.blog_ids or "[]")),
        settings=json.loads(row.settings), needs_browser=row.needs_browser, state=row.state, tries=row.tries,
        slices=row.slices, requests=row.requests, posts=row.posts, reason=row.reason,
        due_at=moment_or_none(row.due_at), added_at=moment_of(row.added_at),
    )


def queue_jobs(
    connection: Connection, database: Database, ids: Sequence[int], values: Mapping[str, Any] | None = None,
) -> list[Job]:
    """Queue jobs that are there already, with other values where some are given."""
    queued = {"state": "queued", "due_at": None, "reason": None, "fence": None, "queued_at": database.clock()}
    found = []
    for part in in_parts(ids):
        statement = _jobs.update().where(_jobs.c.id.in_(part)).values(queued | dict(values or {})).returning(*_jobs.c)
        found += [job_of(row) for row in connection.execute(statement)]
    places = {number: place for place, number in enumerate(ids)}
    return sorted(found, key=lambda job: places[job.id])


def dead_jobs(limit: int) -> Select[Any]:
    """The rows of jobs that were given up, those added last first."""
    return select(_jobs).where(_jobs.c.state == "dead").order_by(_jobs.c.id.desc()).limit(limit)


def queue_lengths(connection: Connection) -> dict[str, int]:
    """How many jobs should be in each queue."""
    statement = select(_jobs.c.queue, func.count()).where(_jobs.c.state == "queued").group_by(_jobs.c.queue)
    return dict.fromkeys(QUEUES, 0) | {row[0]: row[1] for row in connection.execute(statement)}


def parked_now(clock: float) -> dict[str, Any]:
    """The state of a job that is queued as soon as its queue has room."""
    return {"state": "parked", "due_at": stamp_of(clock)}


def _row(job: NewJob, clock: float) -> dict[str, Any]:
    host = job.host if job.host or job.url is None else host_of(job.url)
    return {
        "kind": job.kind, "key": key_of(job), "url": storable_or_none(job.url), "host": storable_or_none(host or None),
        "blog_ids": json.dumps(job.blog_ids) if job.blog_ids else None, "settings": settings_of(job),
        "queue": queue_of(job.kind, needs_browser=job.needs_browser), "needs_browser": job.needs_browser,
        "added_at": stamp_of(clock), "queued_at": clock,
    }


def settings_of(job: NewJob) -> str:
    """The settings of a job, as its row has them."""
    return storable(json.dumps(dict(job.settings), ensure_ascii=False, default=str))


def wake_for_hosts(connection: Connection, database: Database, hosts: Sequence[str]) -> list[Job]:
    """Queue, for each host that is free now, the job that has waited for it longest: updates before crawls."""
    woken = []
    for part in in_parts(hosts):
        waited_for = select(_jobs.c.host).where(_jobs.c.host.in_(part), WAITS_FOR_A_HOST).distinct()
        for host in sorted(connection.execute(waited_for).scalars()):
            oldest = (
                select(_jobs.c.id).where(_jobs.c.host == host, WAITS_FOR_A_HOST)
                .order_by(*IN_LINE).limit(1).with_for_update(skip_locked=True)
            )
            woken += queue_jobs(connection, database, connection.execute(oldest).scalars().all())
    return woken
