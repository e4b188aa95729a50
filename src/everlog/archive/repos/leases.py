"""Who does a job just now, and which hosts are theirs alone meanwhile.

Locks are taken in one order, so nobody waits for each other: the job or the grant at hand, then leases by the name of
their host. What somebody else is changing at the moment is passed over: whoever changes it knows more.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from sqlalchemy import select

from everlog.archive.db import schema
from everlog.archive.db.column_values import storable
from everlog.archive.db.database import in_parts
from everlog.archive.job_models import Lease, NewJob, SliceResult, queue_of
from everlog.archive.repos.job_wakeups import wake_for_hosts
from everlog.archive.repos.jobs import clock_of, insert_jobs, job_of, queue_jobs, stamp_of
from everlog.archive.repos.poll_jobs import hosts_of_job, let_go, let_go_some
from everlog.archive.repos.rate_limits import Greatest
from everlog.archive.write import fencing

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import Connection, Row

    from everlog.archive.db.database import Database
    from everlog.archive.job_models import Job

_jobs, _grants, _leases = schema.jobs, schema.grants, schema.leases

# Feeds of a job that was given up: long enough for the cause to go away, and short enough to be current.
GIVEN_UP_SECONDS = 3_600.0
# A keeper looks every few seconds: what one look leaves, the next takes.
_MOST_EXPIRED = 1_000


def claim_job(database: Database, job_id: int, worker: str, *, has_browser: bool = True) -> Lease | None:
    """The right to do a slice of a job that waits to be done; None if there is nothing to do (any more)."""
    statement = (
        select(_jobs).where(_jobs.c.id == job_id, _jobs.c.state.in_(("queued", "parked")))
        .with_for_update(skip_locked=True)
    )
    if not has_browser:
        # An old hint may say otherwise.
        statement = statement.where(_jobs.c.needs_browser.is_(False))
    with database.writing(fenced=False) as connection:
        row = connection.execute(statement).first()
        if row is None:
            return None
        clock = clock_of(connection, database)
        if row.due_at is not None and row.due_at > stamp_of(clock):
            return None
        fence = _begin(connection, database, worker, job_id)
        if row.kind == "poll":
            hosts, changed = _lease_feeds(connection, database, row, fence)
        else:
            hosts, changed = _lease_host_of_job(connection, database, row, fence), {}
        if hosts is None:
            return None
        values = {"state": "running", "fence": fence, "due_at": None, "reason": None, **changed}
        running = _jobs.update().where(_jobs.c.id == job_id).values(values).returning(*_jobs.c)
        return Lease(fence=fence, job=job_of(connection.execute(running).one()), hosts=hosts)


def begin_grant(database: Database, worker: str) -> int:
    """A fencing number for who does no job of the queue."""
    with database.writing(fenced=False) as connection:
        return _begin(connection, database, worker, None)


def lease_host(database: Database, fence: int, host: str) -> str | None:
    """Lease one more host for a grant; None if it is leased now, else the name of the worker that has it."""
    host = storable(host)
    with database.writing(fenced=False) as connection:
        fencing.check(connection, fence)
        # Whoever had it may give it back between the two questions.
        while not _lease(connection, database, fence, [host]):
            holder = _holder(connection, host)
            if holder is not None:
                return None if holder.fence == fence else str(holder.worker)
    return None


def free_host(database: Database, fence: int, host: str) -> None:
    """Let others have a host. Jobs that wait for it are woken by those who can tell the workers of them."""
    statement = _leases.delete().where(_leases.c.host == storable(host), _leases.c.fence == fence)
    with database.writing(fenced=False) as connection:
        connection.execute(statement)


def beat(database: Database, fence: int, *, requests: int) -> bool:
    """The word that a grant is in use; False if it was taken away."""
    statement = _grants.update().where(_grants.c.fence == fence).values(
        beat=database.clock(), requests=Greatest(_grants.c.requests, requests),
    )
    with database.writing(fenced=False) as connection:
        return connection.execute(statement).rowcount > 0


def end_grant(database: Database, fence: int, end: SliceResult | None) -> tuple[Job, ...]:
    """Give a grant back with what became of its job; those that waited for its hosts come before its own.

    One without a job is somebody's who knows no workers: whoever looks after them wakes what waited.
    """
    with database.writing(fenced=False) as connection:
        hosts = connection.execute(select(_leases.c.host).where(_leases.c.fence == fence)).scalars().all()
        # Waits for what is being written under this grant.
        ended = connection.execute(_grants.delete().where(_grants.c.fence == fence).returning(_grants.c.job_id)).first()
        if ended is None:
            fencing.check(connection, fence)
            return ()
        if ended.job_id is None:
            return ()
        woken = wake_for_hosts(connection, database, hosts)
        return (*woken, *_settle(connection, database, ended.job_id, end))


def expire_grants(
    database: Database, *, silent_seconds: float, most_tries: int, progress: int,
) -> tuple[Job, ...]:
    """Take grants away that gave no word for so long; their jobs, queued, or given up after too many tries."""
    with database.writing(fenced=False) as connection:
        clock = clock_of(connection, database)
        # One under which something is being written is passed over: its worker lives.
        statement = (
            select(_grants).where(_grants.c.beat < clock - silent_seconds).order_by(_grants.c.fence)
            .limit(_MOST_EXPIRED).with_for_update(skip_locked=True)
        )
        expired = connection.execute(statement).all()
        for part in in_parts([row.fence for row in expired]):
            connection.execute(_grants.delete().where(_grants.c.fence.in_(part)))
        queued = []
        for row in expired:
            if row.job_id is not None:
                queued += _lose(connection, database, row, most_tries=most_tries, progress=progress)
        return tuple(queued)


def _begin(connection: Connection, database: Database, worker: str, job_id: int | None) -> int:
    clock = database.clock()
    statement = _grants.insert().values(job_id=job_id, worker=storable(worker), begun=clock, beat=clock, requests=0)
    return int(connection.execute(statement.returning(_grants.c.fence)).scalar_one())


def _lease(connection: Connection, database: Database, fence: int, hosts: Sequence[str]) -> set[str]:
    """Those of the hosts that were free and are leased now."""
    statement = database.insert(_leases).on_conflict_do_nothing(index_elements=["host"]).returning(_leases.c.host)
    rows = [{"host": host, "fence": fence} for host in sorted(hosts)]
    return set(connection.execute(statement, rows).scalars()) if rows else set()


def _holder(connection: Connection, host: str) -> Any:
    return connection.execute(
        select(_grants.c.fence, _grants.c.worker).join(_leases, _leases.c.fence == _grants.c.fence)
        .where(_leases.c.host == host),
    ).first()


def _lease_host_of_job(
    connection: Connection, database: Database, job: Row[Any], fence: int,
) -> tuple[str, ...] | None:
    """The host of a job, leased; None if another has it: then the job is parked."""
    if job.host is None:
        return ()
    if _lease(connection, database, fence, [job.host]):
        return (job.host,)
    connection.execute(_grants.delete().where(_grants.c.fence == fence))
    # Should it be free again by now, whoever wakes parked jobs finds that out.
    connection.execute(_jobs.update().where(_jobs.c.id == job.id).values(_parked_for(connection, job.host)))
    return None


def _parked_for(connection: Connection, host: str) -> dict[str, Any]:
    """What a job says that waits for a host."""
    holder = _holder(connection, host)
    reason = f"waiting for {host}" + ("" if holder is None else f", which {holder.worker} is crawling")
    return {"state": "parked", "due_at": None, "reason": reason, "host": host}


def _lease_feeds(
    connection: Connection, database: Database, job: Row[Any], fence: int,
) -> tuple[tuple[str, ...] | None, dict[str, Any]]:
    """The hosts of a poll that were free, and what changes in the job by that; None if nothing is left to ask.

    The feeds of each of the others become a job of their own, in the line before their host.
    """
    blogs = {storable(host): sorted(ids) for host, ids in hosts_of_job(connection, job.id).items()}
    leased = _lease(connection, database, fence, list(blogs))
    busy = sorted(blogs.keys() - leased)
    waits_for = busy.pop(0) if busy and not leased else None
    for host in busy:
        let_go_some(connection, blogs[host])
        [(_, other)] = insert_jobs(connection, database, [NewJob(kind="poll", blog_ids=tuple(blogs[host]))])
        connection.execute(_jobs.update().where(_jobs.c.id == other.id).values(_parked_for(connection, host)))
    if leased:
        kept = sorted(blog_id for host in leased for blog_id in blogs[host])
        return tuple(sorted(leased)), {"blog_ids": json.dumps(kept)}
    connection.execute(_grants.delete().where(_grants.c.fence == fence))
    if waits_for is None:
        _finish(connection, job.id)
    else:
        values = _parked_for(connection, waits_for) | {"blog_ids": json.dumps(blogs[waits_for])}
        connection.execute(_jobs.update().where(_jobs.c.id == job.id).values(values))
    return None, {}


def _settle(connection: Connection, database: Database, job_id: int, end: SliceResult | None) -> list[Job]:
    """What becomes of a job after a slice of it; the job if it is queued."""
    job = connection.execute(select(_jobs).where(_jobs.c.id == job_id).with_for_update()).one()
    if end is None:
        return queue_jobs(connection, database, [job_id])
    if end.end == "done":
        _finish(connection, job_id)
        return []
    needs_browser = job.needs_browser if end.needs_browser is None else end.needs_browser
    values = {
        "slices": 0 if end.anew else job.slices + 1, "requests": job.requests + end.requests,
        "posts": job.posts + end.posts, "tries": job.tries + 1 if end.failed else 0,
        "reason": storable(end.reason), "fence": None,
        "needs_browser": needs_browser, "queue": queue_of(job.kind, needs_browser=needs_browser),
    }
    if end.end == "again":
        return queue_jobs(connection, database, [job_id], values | {"tries": 0})
    if end.end == "later":
        if end.waits_for is not None:
            values |= _parked_for(connection, storable(end.waits_for))
        else:
            due = clock_of(connection, database) + (end.wait_seconds or 0.0)
            values |= {"state": "parked", "due_at": stamp_of(due)}
        connection.execute(_jobs.update().where(_jobs.c.id == job_id).values(values))
    else:
        _give_up(connection, database, job_id, values)
    return []


def _lose(
    connection: Connection, database: Database, grant: Row[Any], *, most_tries: int, progress: int,
) -> list[Job]:
    """What becomes of a job whose worker was lost; the job if it is queued."""
    running = (_jobs.c.id == grant.job_id) & (_jobs.c.fence == grant.fence) & (_jobs.c.state == "running")
    job = connection.execute(select(_jobs).where(running).with_for_update()).first()
    if job is None:
        return []
    tries = 0 if grant.requests >= progress else job.tries + 1
    values = {"tries": tries, "requests": job.requests + grant.requests, "fence": None}
    if tries < most_tries:
        reason = f"its worker {grant.worker} was lost"
        return queue_jobs(connection, database, [job.id], values | {"reason": reason})
    values |= {"reason": f"its worker was lost {tries} times in a row"}
    _give_up(connection, database, job.id, values)
    return []


def _give_up(connection: Connection, database: Database, job_id: int, values: dict[str, Any]) -> None:
    let_go(connection, job_id, due_at=stamp_of(clock_of(connection, database) + GIVEN_UP_SECONDS))
    connection.execute(_jobs.update().where(_jobs.c.id == job_id).values(values | {"state": "dead", "due_at": None}))


def cancel_jobs(database: Database, ids: Sequence[int]) -> int:
    """Remove jobs that are in nobody's hands."""
    cancelled = 0
    with database.writing(fenced=False) as connection:
        for part in in_parts(sorted(set(ids))):
            idle = select(_jobs.c.id).where(_jobs.c.id.in_(part), _jobs.c.state != "running").order_by(_jobs.c.id)
            found = connection.execute(idle.with_for_update(skip_locked=True)).scalars().all()
            for job_id in found:
                _finish(connection, job_id)
            cancelled += len(found)
    return cancelled


def _finish(connection: Connection, job_id: int) -> None:
    let_go(connection, job_id)
    connection.execute(_jobs.delete().where(_jobs.c.id == job_id))
