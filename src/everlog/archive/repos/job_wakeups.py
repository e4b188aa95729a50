"""Jobs that are queued again: their time or their host has come, their hint was lost, or somebody takes them up."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import case, exists, select

from everlog.archive.db import schema
from everlog.archive.db.database import in_parts
from everlog.archive.repos.jobs import WAITS_FOR_A_TIME, clock_of, parked_now, queue_jobs, room_left, stamp_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import ColumnElement, Connection

    from everlog.archive.db.database import Database
    from everlog.archive.job_models import Job

_jobs, _leases = schema.jobs, schema.leases

# A keeper looks every few seconds: what one look leaves, the next takes.
MOST_WOKEN = 2_000

_WAITS_FOR_A_HOST = (_jobs.c.state == "parked") & _jobs.c.due_at.is_(None)
# As in the queues: what keeps archives current comes before what fills them. But a host that has more feeds than can be
# asked in an hour would be crawled never: who has waited ten minutes longer goes first.
_IN_LINE = (_jobs.c.queued_at + case((_jobs.c.kind == "crawl", 600.0), else_=0.0), _jobs.c.id)


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


def wake_jobs(database: Database, *, most_queued: int) -> tuple[Job, ...]:
    """Parked jobs whose time has come and whose host is free, queued: one for each host at a time."""
    other = _jobs.alias()
    is_leased = exists().where(_leases.c.host == _jobs.c.host)
    # One of its host is on its way already. (Of its own queue: another may have no workers.)
    has_queued = exists().where(
        other.c.host == _jobs.c.host, other.c.state == "queued", other.c.queue == _jobs.c.queue,
    )
    is_free = _jobs.c.host.is_(None) | (~is_leased & ~has_queued)
    statement = (
        select(_jobs.c.id, _jobs.c.host, _jobs.c.queue).where(_WAITS_FOR_A_HOST, is_free)
        .order_by(*_IN_LINE).limit(MOST_WOKEN).with_for_update(skip_locked=True, of=_jobs)
    )
    with database.writing(fenced=False) as connection:
        now = stamp_of(clock_of(connection, database))
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
        return tuple(queue_jobs(connection, database, list(first.values())))


def stale_jobs(database: Database, queue: str, *, older_seconds: float, limit: int) -> tuple[Job, ...]:
    """Jobs of a queue that were handed to the engine longest ago, marked as handed now."""
    old = (_jobs.c.state == "queued") & (_jobs.c.queue == queue)
    with database.writing(fenced=False) as connection:
        before = clock_of(connection, database) - older_seconds
        ids = _ids(connection, old & (_jobs.c.queued_at <= before), by=_jobs.c.queued_at, limit=limit)
        found = queue_jobs(connection, database, ids, {"reason": _jobs.c.reason})
    return tuple(found)


def revive_jobs(database: Database, ids: Sequence[int] | None, *, limit: int) -> int:
    """Take up again what was given up: from now on it waits to be queued. How many."""
    revived = 0
    with database.writing(fenced=False) as connection:
        clock = clock_of(connection, database)
        values = parked_now(clock) | {"tries": 0, "reason": None, "added_at": stamp_of(clock)}
        is_dead = _jobs.c.state == "dead"
        if ids is None:
            ids = _ids(connection, is_dead, by=_jobs.c.id, limit=limit)
        for part in in_parts(sorted(set(ids))):
            revived += connection.execute(_jobs.update().where(is_dead, _jobs.c.id.in_(part)).values(values)).rowcount
    return revived


def _ids(
    connection: Connection, which: ColumnElement[bool], *, by: ColumnElement[Any], limit: int = MOST_WOKEN,
) -> list[int]:
    """Jobs that nobody else is changing, which are now this transaction's."""
    statement = select(_jobs.c.id).where(which).order_by(by, _jobs.c.id).limit(limit).with_for_update(skip_locked=True)
    return list(connection.execute(statement).scalars())
