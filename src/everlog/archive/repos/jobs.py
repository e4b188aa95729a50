"""What a fleet is to do: jobs that are queued, wait, run, or were given up."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from sqlalchemy import bindparam, func, literal_column, select

from everlog.archive.db import schema
from everlog.archive.db.column_values import moment_of, moment_or_none, stamp, storable, storable_or_none
from everlog.archive.db.database import in_parts
from everlog.archive.job_models import MOST_AT_ONCE, QUEUES, Job, NewJob, queue_of
from everlog.core.urls import canonical, host_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from sqlalchemy import BindParameter, ColumnElement, Connection, Row

    from everlog.archive.db.database import Database

_jobs, _polls = schema.jobs, schema.polls

_LONG_KEY = 500
# Rows that are read in one short transaction while somebody hands jobs to an engine.
_PAGE = 1_000

# What all new jobs have in common, as a part of the statement: drivers take their time for each value they are given.
_NEW: dict[str, ColumnElement[Any]] = dict.fromkeys(("tries", "slices", "requests", "posts"), literal_column("0"))
WAITS_FOR_A_TIME = (_jobs.c.state == "parked") & _jobs.c.due_at.is_not(None)


def add_jobs(database: Database, jobs: Sequence[NewJob], *, most_queued: int) -> tuple[Job, ...]:
    """Jobs that are not there yet, and those that are taken up again; each in the order they were given.

    A transaction takes some thousands of them: a server ends one in which nothing is said for too long.
    """
    added: list[Job] = []
    for start in range(0, len(jobs), MOST_AT_ONCE):
        with database.writing() as connection:
            room = room_left(connection, most_queued)
            fitting: list[NewJob] = []
            others: list[NewJob] = []
            for job in jobs[start : start + MOST_AT_ONCE]:
                queue = queue_of(job.kind, needs_browser=job.needs_browser)
                room[queue] -= 1
                (fitting if room[queue] >= 0 else others).append(job)
            added += _add(connection, database, fitting, is_parked=False)
            added += _add(connection, database, others, is_parked=True)
    return tuple(added)


def _add(connection: Connection, database: Database, jobs: Sequence[NewJob], *, is_parked: bool) -> list[Job]:
    if not jobs:
        return []
    there = {key: job for job in jobs if (key := key_of(job)) is not None}
    added = []
    for key, job in insert_jobs(connection, database, jobs, is_parked=is_parked):
        there.pop(key or "", None)
        added.append(job)
    return [*added, *_take_up(connection, database, there, is_parked=is_parked)]


def room_left(connection: Connection, most_queued: int) -> dict[str, int]:
    """How many jobs may still be queued, of each queue."""
    return {queue: most_queued - count for queue, count in _counts(connection).items()}


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


def moment(database: Database) -> datetime:
    """What time it is, by the database's clock."""
    with database.reading() as connection:
        return datetime.fromtimestamp(clock_of(connection, database), UTC)


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


def queued_jobs(database: Database) -> Iterator[Job]:
    """All jobs that should be in the engine's queues, in the order they were added."""
    return _streamed(database, _jobs.c.state == "queued")


def dead_jobs(database: Database, *, limit: int) -> tuple[Job, ...]:
    """Jobs that were given up, those added last first."""
    statement = select(_jobs).where(_jobs.c.state == "dead").order_by(_jobs.c.id.desc()).limit(limit)
    with database.reading() as connection:
        return tuple(job_of(row) for row in connection.execute(statement))


def jobs_for(database: Database, url: str) -> tuple[Job, ...]:
    """The jobs that were given for an address, in whatever state."""
    keys = [key_of(NewJob(kind=kind, url=url)) for kind in ("crawl", "update")]
    statement = select(_jobs).where(_jobs.c.key.in_(keys)).order_by(_jobs.c.id)
    with database.reading() as connection:
        return tuple(job_of(row) for row in connection.execute(statement))


def count_queued(database: Database) -> dict[str, int]:
    """How many jobs should be in each of the engine's queues."""
    with database.reading() as connection:
        return _counts(connection)


def _counts(connection: Connection) -> dict[str, int]:
    statement = select(_jobs.c.queue, func.count()).where(_jobs.c.state == "queued").group_by(_jobs.c.queue)
    return dict.fromkeys(QUEUES, 0) | {row[0]: row[1] for row in connection.execute(statement)}


def parked_now(clock: float) -> dict[str, Any]:
    """The state of a job that is queued as soon as its queue has room."""
    return {"state": "parked", "due_at": stamp_of(clock)}


def _row(job: NewJob, clock: float) -> dict[str, Any]:
    host = job.host if job.host or job.url is None else host_of(job.url)
    return {
        "kind": job.kind, "key": key_of(job), "url": storable_or_none(job.url), "host": storable_or_none(host or None),
        "blog_ids": json.dumps(job.blog_ids) if job.blog_ids else None, "settings": _settings(job),
        "queue": queue_of(job.kind, needs_browser=job.needs_browser), "needs_browser": job.needs_browser,
        "added_at": stamp_of(clock), "queued_at": clock,
    }


def _settings(job: NewJob) -> str:
    return storable(json.dumps(dict(job.settings), ensure_ascii=False, default=str))


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
            "the_job": row.id, "given": _settings(given[row.key]), "drawn": drawn,
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


def _streamed(database: Database, which: ColumnElement[bool]) -> Iterator[Job]:
    last = 0
    while True:
        statement = select(_jobs).where(which, _jobs.c.id > last).order_by(_jobs.c.id).limit(_PAGE)
        # Each page is a transaction: whoever asks may take long between two.
        with database.reading() as connection:
            page = [job_of(row) for row in connection.execute(statement)]
        if not page:
            return
        yield from page
        last = page[-1].id
