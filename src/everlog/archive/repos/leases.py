"""Lease repository: who does a job just now, and which hosts are theirs alone meanwhile.

The table `grants` has the leases of workers, with their fencing numbers; the table `leases` those of hosts.

Locks are taken in one order, so nobody waits for each other: the job or the lease at hand, then host leases by
the name of their host. What somebody else is changing at the moment is passed over: whoever changes it knows more.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, Row, select

from everlog.archive.db import schema
from everlog.archive.db.column_values import storable
from everlog.archive.db.database import Database, Greatest, check_fence, in_parts
from everlog.archive.job_models import Job, SliceResult, queue_of
from everlog.archive.repos.job_rows import clock_of, queue_jobs, stamp_of, wake_for_hosts
from everlog.archive.repos.polls import let_go

_jobs, _grants, _leases = schema.jobs, schema.grants, schema.leases

# Feeds of a job that was given up: long enough for the cause to go away, and short enough to be current.
GIVEN_UP_SECONDS = 3_600.0
# A reaper looks every few seconds: what one look leaves, the next takes.
_MOST_EXPIRED = 1_000


class LeaseRepository:
    """Leases of jobs and of hosts, each under a fencing number that every write carries."""

    def __init__(self, database: Database) -> None:
        self.database = database

    def begin(self, worker: str) -> int:
        """A fencing number for who does no job of the queue, such as a crawl from the command line."""
        with self.database.writing(fenced=False) as connection:
            return begin_lease(connection, self.database, worker, None)

    def lease_host(self, fence: int, host: str) -> str | None:
        """Lease one more host; None if it is leased now, else the name of the worker that has it."""
        host = storable(host)
        with self.database.writing(fenced=False) as connection:
            check_fence(connection, fence)
            # Whoever had it may give it back between the two questions.
            while not lease_hosts(connection, self.database, fence, [host]):
                holder = _holder(connection, host)
                if holder is not None:
                    return None if holder.fence == fence else str(holder.worker)
        return None

    def release_host(self, fence: int, host: str) -> None:
        """Let others have a host. Jobs that wait for it are woken by those who can tell the workers of them."""
        statement = _leases.delete().where(_leases.c.host == storable(host), _leases.c.fence == fence)
        with self.database.writing(fenced=False) as connection:
            connection.execute(statement)

    def heartbeat(self, fence: int, *, requests: int = 0) -> bool:
        """Heartbeat of a lease; False if it was taken away. Never waits for who writes."""
        statement = _grants.update().where(_grants.c.fence == fence).values(
            beat=self.database.clock(), requests=Greatest(_grants.c.requests, requests),
        )
        with self.database.writing(fenced=False) as connection:
            return connection.execute(statement).rowcount > 0

    def end(self, fence: int, end: SliceResult | None = None) -> tuple[Job, ...]:
        """Give a lease back with what became of its job; the jobs to hand to the queue: those that waited for its hosts
        come before its own. `LeaseLost` if it was taken away.

        One without a job is somebody's who knows no workers: whoever looks after them wakes what waited.
        """
        with self.database.writing(fenced=False) as connection:
            hosts = connection.execute(select(_leases.c.host).where(_leases.c.fence == fence)).scalars().all()
            # Waits for what is being written under this lease.
            ending = _grants.delete().where(_grants.c.fence == fence).returning(_grants.c.job_id)
            ended = connection.execute(ending).first()
            if ended is None:
                check_fence(connection, fence)
                return ()
            if ended.job_id is None:
                return ()
            woken = wake_for_hosts(connection, self.database, hosts)
            return (*woken, *_settle(connection, self.database, ended.job_id, end))

    def expire(self, *, timeout_seconds: float, most_tries: int, progress: int) -> tuple[Job, ...]:
        """Take leases away that had no heartbeat for so long, and queue their jobs: those to hand to the queue.

        A job that was lost so often in a row, each time before so many requests, is given up.
        """
        with self.database.writing(fenced=False) as connection:
            clock = clock_of(connection, self.database)
            # One under which something is being written is passed over: its worker lives.
            statement = (
                select(_grants).where(_grants.c.beat < clock - timeout_seconds).order_by(_grants.c.fence)
                .limit(_MOST_EXPIRED).with_for_update(skip_locked=True)
            )
            expired = connection.execute(statement).all()
            for part in in_parts([row.fence for row in expired]):
                connection.execute(_grants.delete().where(_grants.c.fence.in_(part)))
            queued = []
            for row in expired:
                if row.job_id is not None:
                    queued += _lose(connection, self.database, row, most_tries=most_tries, progress=progress)
            return tuple(queued)


def begin_lease(connection: Connection, database: Database, worker: str, job_id: int | None) -> int:
    """A new lease, by its fencing number."""
    clock = database.clock()
    statement = _grants.insert().values(job_id=job_id, worker=storable(worker), begun=clock, beat=clock, requests=0)
    return int(connection.execute(statement.returning(_grants.c.fence)).scalar_one())


def lease_hosts(connection: Connection, database: Database, fence: int, hosts: Sequence[str]) -> set[str]:
    """Those of the hosts that were free and are leased now."""
    statement = database.insert(_leases).on_conflict_do_nothing(index_elements=["host"]).returning(_leases.c.host)
    rows = [{"host": host, "fence": fence} for host in sorted(hosts)]
    return set(connection.execute(statement, rows).scalars()) if rows else set()


def _holder(connection: Connection, host: str) -> Any:
    return connection.execute(
        select(_grants.c.fence, _grants.c.worker).join(_leases, _leases.c.fence == _grants.c.fence)
        .where(_leases.c.host == host),
    ).first()


def parked_for(connection: Connection, host: str) -> dict[str, Any]:
    """What a job says that waits for a host."""
    holder = _holder(connection, host)
    reason = f"waiting for {host}" + ("" if holder is None else f", which {holder.worker} is crawling")
    return {"state": "parked", "due_at": None, "reason": reason, "host": host}


def _settle(connection: Connection, database: Database, job_id: int, end: SliceResult | None) -> list[Job]:
    """What becomes of a job after a slice of it; the job if it is queued."""
    job = connection.execute(select(_jobs).where(_jobs.c.id == job_id).with_for_update()).one()
    if end is None:
        return queue_jobs(connection, database, [job_id])
    if end.end == "done":
        finish_job(connection, job_id)
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
            values |= parked_for(connection, storable(end.waits_for))
        else:
            due = clock_of(connection, database) + (end.wait_seconds or 0.0)
            values |= {"state": "parked", "due_at": stamp_of(due)}
        connection.execute(_jobs.update().where(_jobs.c.id == job_id).values(values))
    else:
        _give_up(connection, database, job_id, values)
    return []


def _lose(connection: Connection, database: Database, lease: Row[Any], *, most_tries: int, progress: int) -> list[Job]:
    """What becomes of a job whose worker was lost; the job if it is queued."""
    running = (_jobs.c.id == lease.job_id) & (_jobs.c.fence == lease.fence) & (_jobs.c.state == "running")
    job = connection.execute(select(_jobs).where(running).with_for_update()).first()
    if job is None:
        return []
    tries = 0 if lease.requests >= progress else job.tries + 1
    values = {"tries": tries, "requests": job.requests + lease.requests, "fence": None}
    if tries < most_tries:
        reason = f"its worker {lease.worker} was lost"
        return queue_jobs(connection, database, [job.id], values | {"reason": reason})
    values |= {"reason": f"its worker was lost {tries} times in a row"}
    _give_up(connection, database, job.id, values)
    return []


def _give_up(connection: Connection, database: Database, job_id: int, values: dict[str, Any]) -> None:
    let_go(connection, job_id, due_at=stamp_of(clock_of(connection, database) + GIVEN_UP_SECONDS))
    connection.execute(_jobs.update().where(_jobs.c.id == job_id).values(values | {"state": "dead", "due_at": None}))


def finish_job(connection: Connection, job_id: int) -> None:
    """Remove a job; its feeds leave it."""
    let_go(connection, job_id)
    connection.execute(_jobs.delete().where(_jobs.c.id == job_id))
