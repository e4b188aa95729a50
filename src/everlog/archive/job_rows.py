"""What a fleet is to do: jobs that are queued, wait, run, or were given up."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from sqlalchemy import bindparam, case, exists, func, literal_column, select

from everlog.archive import schema
from everlog.archive.database import in_parts
from everlog.archive.jobs import QUEUES, Job, queue_of
from everlog.archive.texts import moment_of, moment_or_none, stamp, storable, storable_or_none
from everlog.urls import canonical, host_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from sqlalchemy import BindParameter, ColumnElement, Connection, Row

    from everlog.archive.database import Database
    from everlog.archive.jobs import NewJob

_jobs, _leases, _polls = schema.jobs, schema.leases, schema.polls

# A keeper looks every few seconds: what one look leaves, the next takes.
MOST_WOKEN = 2_000
_LONG_KEY = 500
# Rows that are read in one short transaction while somebody hands jobs to an engine.
_PAGE = 1_000

# What all new jobs have in common, as a part of the statement: drivers take their time for each value they are given.
_NEW: dict[str, ColumnElement[Any]] = {
    "state": literal_column("'queued'"), **dict.fromkeys(("tries", "slices", "requests", "posts"), literal_column("0")),
}
_WAITS_FOR_A_TIME = (_jobs.c.state == "parked") & _jobs.c.due_at.is_not(None)
_WAITS_FOR_A_HOST = (_jobs.c.state == "parked") & _jobs.c.due_at.is_(None)
# As in the queues: what keeps archives current comes before what fills them. But a host that has more feeds than can be
# asked in an hour would be crawled never: who has waited ten minutes longer goes first.
_IN_LINE = (_jobs.c.queued_at + case((_jobs.c.kind == "crawl", 600.0), else_=0.0), _jobs.c.id)


def add_jobs(database: Database, jobs: Sequence[NewJob]) -> tuple[Job, ...]:
    """Jobs that are not there yet, queued, and those that are taken up again; each in the order they were given."""
    if not jobs:
        return ()
    with database.writing() as connection:
        there = {key: job for job in jobs if (key := key_of(job)) is not None}
        added = []
        for key, job in insert_jobs(connection, database, jobs):
            there.pop(key or "", None)
            added.append(job)
        return (*added, *_take_up(connection, database, there))


def insert_jobs(
    connection: Connection, database: Database, jobs: Sequence[NewJob],
) -> list[tuple[str | None, Job]]:
    """Rows for jobs whose key is new, and the keys; what is there already is neither touched nor locked."""
    clock = clock_of(connection, database)
    numbers = database.reserve(connection, _jobs, len(jobs))
    rows = [_row(job, clock) | {"id": number} for number, job in zip(numbers, jobs, strict=True)]
    # In the order of their keys: two who add the same jobs in different orders would wait for each other.
    rows.sort(key=lambda row: row["key"] or "")
    statement = database.insert(_jobs).values(_NEW).on_conflict_do_nothing(index_elements=["key"]).returning(*_jobs.c)
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

    >>> from everlog.archive.jobs import NewJob
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


def wake_for_hosts(connection: Connection, database: Database, hosts: Sequence[str]) -> list[Job]:
    """Queue, for each host that is free now, the job that has waited for it longest: updates before crawls."""
    woken = []
    for part in in_parts(hosts):
        waited_for = select(_jobs.c.host).where(_jobs.c.host.in_(part), _WAITS_FOR_A_HOST).distinct()
        for host in sorted(connection.execute(waited_for).scalars()):
            oldest = (
                select(_jobs.c.id).where(_jobs.c.host == host, _WAITS_FOR_A_HOST)
                .order_by(*_IN_LINE).limit(1).with_for_update(skip_locked=True)
            )
            woken += queue_jobs(connection, database, connection.execute(oldest).scalars().all())
    return woken


def wake_jobs(database: Database) -> tuple[Job, ...]:
    """Parked jobs whose time has come and whose host is free, queued: one for each host at a time."""
    other = _jobs.alias()
    is_leased = exists().where(_leases.c.host == _jobs.c.host)
    # One of its host is on its way already. (Of its own queue: another may have no workers.)
    has_queued = exists().where(
        other.c.host == _jobs.c.host, other.c.state == "queued", other.c.queue == _jobs.c.queue,
    )
    is_free = _jobs.c.host.is_(None) | (~is_leased & ~has_queued)
    statement = (
        select(_jobs.c.id, _jobs.c.host).where(_WAITS_FOR_A_HOST, is_free)
        .order_by(*_IN_LINE).limit(MOST_WOKEN).with_for_update(skip_locked=True, of=_jobs)
    )
    with database.writing(fenced=False) as connection:
        now = stamp_of(clock_of(connection, database))
        # From here on it waits for its host alone, in the same line as the others of that host.
        come = _ids(connection, _WAITS_FOR_A_TIME & (_jobs.c.due_at <= now), by=_jobs.c.due_at)
        for part in in_parts(come):
            connection.execute(_jobs.update().where(_jobs.c.id.in_(part)).values(due_at=None))
        first: dict[str, int] = {}
        for row in connection.execute(statement):
            first.setdefault(row.host or f"job {row.id}", row.id)
        return tuple(queue_jobs(connection, database, list(first.values())))


def stale_jobs(database: Database, queue: str, *, older_seconds: float, limit: int) -> tuple[Job, ...]:
    """Jobs of a queue that were handed to the engine longest ago, marked as handed now."""
    old = (_jobs.c.state == "queued") & (_jobs.c.queue == queue)
    with database.writing(fenced=False) as connection:
        before = clock_of(connection, database) - older_seconds
        ids = _ids(connection, old & (_jobs.c.queued_at <= before), by=_jobs.c.queued_at, limit=limit)
        found = queue_jobs(connection, database, ids, {"reason": _jobs.c.reason})
    return tuple(found)


def queued_jobs(database: Database) -> Iterator[Job]:
    """All jobs that should be in the engine's queues, in the order they were added."""
    return _streamed(database, _jobs.c.state == "queued")


def dead_jobs(database: Database, *, limit: int) -> tuple[Job, ...]:
    """Jobs that were given up, those added last first."""
    statement = select(_jobs).where(_jobs.c.state == "dead").order_by(_jobs.c.id.desc()).limit(limit)
    with database.reading() as connection:
        return tuple(job_of(row) for row in connection.execute(statement))


def revive_jobs(database: Database, ids: Sequence[int] | None = None) -> tuple[Job, ...]:
    """Take up again what was given up."""
    found = []
    with database.writing(fenced=False) as connection:
        if ids is None:
            ids = connection.execute(select(_jobs.c.id).where(_jobs.c.state == "dead")).scalars().all()
        for part in in_parts(sorted(set(ids))):
            dead = _ids(connection, (_jobs.c.state == "dead") & _jobs.c.id.in_(part), by=_jobs.c.id)
            found += queue_jobs(connection, database, dead, {"tries": 0})
    return tuple(found)


def count_queued(database: Database) -> dict[str, int]:
    """How many jobs should be in each of the engine's queues."""
    statement = select(_jobs.c.queue, func.count()).where(_jobs.c.state == "queued").group_by(_jobs.c.queue)
    with database.reading() as connection:
        found = {row[0]: row[1] for row in connection.execute(statement)}
    return dict.fromkeys(QUEUES, 0) | found


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


def _take_up(connection: Connection, database: Database, given: Mapping[str, NewJob]) -> list[Job]:
    """Of jobs that are there, queue those that were given up or wait for a time, as they are given now."""
    taken: list[Any] = []
    for part in in_parts(sorted(given)):
        statement = (
            select(_jobs.c.id, _jobs.c.key, _jobs.c.kind, _jobs.c.needs_browser)
            .where(_jobs.c.key.in_(part), (_jobs.c.state == "dead") | _WAITS_FOR_A_TIME)
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
    return queue_jobs(connection, database, sorted(row.id for row in taken), {"tries": 0})


def _ids(
    connection: Connection, which: ColumnElement[bool], *, by: ColumnElement[Any], limit: int = MOST_WOKEN,
) -> list[int]:
    """Jobs that nobody else is changing, which are now this transaction's."""
    statement = select(_jobs.c.id).where(which).order_by(by).limit(limit).with_for_update(skip_locked=True)
    return list(connection.execute(statement).scalars())


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
