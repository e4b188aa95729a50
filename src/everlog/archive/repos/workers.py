"""Worker repository: who is in the fleet, what each did, and how the fleet is as a whole."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, Row, func, select

from everlog.archive.db import schema
from everlog.archive.db.column_values import moment_of, moment_or_none, stamp, storable
from everlog.archive.job_models import FleetState, RunningJob, SliceResult, WorkerState
from everlog.archive.lease_holder import LEASE_TIMEOUT_SECONDS
from everlog.archive.repos.job_rows import clock_of, dead_jobs, job_of, queue_lengths, stamp_of
from everlog.archive.repos.polls import WATCHED, count_due

if TYPE_CHECKING:
    from datetime import datetime

    from everlog.archive.db.database import Database

_workers, _jobs, _grants = schema.workers, schema.jobs, schema.grants
_polls, _blogs = schema.polls, schema.blogs

# Who sent no heartbeat for this long has gone without a word.
FORGOTTEN_SECONDS = 86_400.0
# Dead jobs that a look at the fleet shows; `archive.jobs.dead` has all. And as many of those that wait, the soonest
# first.
DEAD_SHOWN = PARKED_SHOWN = 20
# Those without a reason wait for nothing but room in their queue.
_SHOWN_PARKED = (
    select(_jobs).where(_jobs.c.state == "parked", _jobs.c.reason.is_not(None))
    .order_by(_jobs.c.due_at.asc().nulls_last(), _jobs.c.id).limit(PARKED_SHOWN)
)


class WorkerRepository:
    """The workers of a fleet."""

    def __init__(self, database: Database) -> None:
        self.database = database

    def sign_in(self, worker: str, *, processes: int, has_browser: bool) -> None:
        """A worker that begins; what one of the same name did before is forgotten, as are those that went long ago."""
        with self.database.writing(fenced=False) as connection:
            clock = clock_of(connection, self.database)
            connection.execute(_workers.delete().where(_workers.c.beat < clock - FORGOTTEN_SECONDS))
            values = {
                "processes": processes, "has_browser": has_browser, "started_at": stamp_of(clock), "beat": clock,
                "draining": False, "slices": 0, "requests": 0, "posts": 0, "failures": 0, "busy_seconds": 0.0,
            }
            statement = self.database.insert(_workers).values(name=storable(worker), **values)
            connection.execute(statement.on_conflict_do_update(index_elements=["name"], set_=values))

    def sign_out(self, worker: str) -> None:
        """A worker that ends in order."""
        with self.database.writing(fenced=False) as connection:
            connection.execute(_workers.delete().where(_workers.c.name == storable(worker)))

    def heartbeat(self, worker: str) -> bool:
        """Heartbeat of a worker; whether it is to end when its slices have."""
        statement = (
            _workers.update().where(_workers.c.name == storable(worker)).values(beat=self.database.clock())
            .returning(_workers.c.draining)
        )
        with self.database.writing(fenced=False) as connection:
            return bool(connection.execute(statement).scalar())

    def count_slice(self, worker: str, end: SliceResult, seconds: float) -> None:
        """Add a slice to what a worker did."""
        row = _workers.c
        # The slice was done whether or not its lease is still there.
        with self.database.writing(fenced=False) as connection:
            connection.execute(
                _workers.update().where(row.name == storable(worker)).values(
                    slices=row.slices + 1, requests=row.requests + end.requests, posts=row.posts + end.posts,
                    failures=row.failures + int(end.failed or end.end == "dead"),
                    busy_seconds=row.busy_seconds + seconds,
                ),
            )

    def drain(self, worker: str | None = None, *, draining: bool = True) -> int:
        """Ask a worker, or all there are, to end when their slices have (or not to). How many.

        Also those without a heartbeat: they may only be waiting for their broker.
        """
        statement = _workers.update().values(draining=draining)
        if worker is not None:
            statement = statement.where(_workers.c.name == storable(worker))
        with self.database.writing(fenced=False) as connection:
            return connection.execute(statement).rowcount

    def __call__(self) -> tuple[WorkerState, ...]:
        """Who is there, without a look at anything else: cheap however much the archive holds."""
        with self.database.reading() as connection:
            return _all_workers(connection, clock_of(connection, self.database))

    def fleet_state(self, *, now: datetime) -> FleetState:
        """The fleet at one moment."""
        oldest_due = (
            select(_polls.c.due_at).join(_blogs, _blogs.c.id == _polls.c.blog_id)
            .where(_polls.c.due_at <= stamp(now), *WATCHED).order_by(_polls.c.due_at).limit(1)
        )
        with self.database.reading() as connection:
            clock = clock_of(connection, self.database)
            workers = _all_workers(connection, clock)
            running = _running(connection, clock)
            by_state = select(_jobs.c.state, func.count()).group_by(_jobs.c.state)
            states = {row[0]: row[1] for row in connection.execute(by_state)}
            parked = tuple(job_of(row) for row in connection.execute(_SHOWN_PARKED))
            queued = connection.scalar(select(func.min(_jobs.c.queued_at)).where(_jobs.c.state == "queued"))
            oldest_due_at = moment_or_none(connection.scalar(oldest_due))
            depths = queue_lengths(connection)
            dead = tuple(job_of(row) for row in connection.execute(dead_jobs(DEAD_SHOWN)))
            due = (connection.scalar(count_due(now)) or 0) if oldest_due_at else 0
        there = [each for each in workers if each.silent_seconds <= LEASE_TIMEOUT_SECONDS]
        return FleetState(
            workers=workers, running=running, depths=depths, states=states, dead=dead,
            oldest_queued_seconds=None if queued is None else max(0.0, clock - queued),
            oldest_due_at=oldest_due_at, due=due,
            parked=parked, is_draining=bool(there) and all(each.is_draining for each in there),
        )


def _all_workers(connection: Connection, clock: float) -> tuple[WorkerState, ...]:
    return tuple(_worker(row, clock) for row in connection.execute(select(_workers).order_by(_workers.c.name)))


def _running(connection: Connection, clock: float) -> tuple[RunningJob, ...]:
    lease = _grants.c
    statement = (
        select(
            _jobs, lease.fence.label("of_fence"), lease.worker, lease.begun, lease.beat,
            lease.requests.label("of_requests"),
        ).join(_grants, lease.job_id == _jobs.c.id).order_by(lease.fence)
    )
    return tuple(
        RunningJob(
            job=job_of(row), fence=row.of_fence, worker=row.worker, running_seconds=max(0.0, clock - row.begun),
            silent_seconds=max(0.0, clock - row.beat), requests=row.of_requests,
        )
        for row in connection.execute(statement)
    )


def _worker(row: Row[Any], clock: float) -> WorkerState:
    started_at = moment_of(row.started_at)
    return WorkerState(
        name=row.name, processes=row.processes, has_browser=row.has_browser, started_at=started_at,
        there_seconds=max(0.0, clock - started_at.timestamp()), silent_seconds=max(0.0, clock - row.beat),
        is_draining=row.draining, slices=row.slices, requests=row.requests, posts=row.posts, failures=row.failures,
        busy_seconds=row.busy_seconds,
    )
