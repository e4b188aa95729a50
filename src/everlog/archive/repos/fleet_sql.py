"""The `FleetStore` in SQL: each method hands on to the module of its rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from everlog.archive.job_models import MOST_AT_ONCE, MOST_QUEUED
from everlog.archive.repos import (
    job_wakeups as job_waking,
)
from everlog.archive.repos import (
    jobs as job_rows,
)
from everlog.archive.repos import (
    leases as grant_rows,
)
from everlog.archive.repos import (
    poll_jobs,
)
from everlog.archive.repos import (
    rate_limits as turn_rows,
)
from everlog.archive.repos import (
    workers as worker_rows,
)
from everlog.archive.repos.fleet_store import FleetStore

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from datetime import datetime

    from everlog.archive.db.database import Database
    from everlog.archive.job_models import FleetState, Job, Lease, NewJob, SliceResult, WorkerState
    from everlog.archive.models import Poll
    from everlog.records import Blog


class FleetSqlStore(FleetStore):
    """Jobs, grants, turns and workers; `FleetStore` says what each method promises."""

    database: Database

    def moment(self) -> datetime:
        return job_rows.moment(self.database)

    def add_jobs(self, jobs: Sequence[NewJob], *, most_queued: int = MOST_QUEUED) -> tuple[Job, ...]:
        return job_rows.add_jobs(self.database, jobs, most_queued=most_queued)

    def schedule_polls(self, *, now: datetime, batch: int, most: int) -> tuple[Job, ...]:
        return poll_jobs.schedule_polls(self.database, now=now, batch=batch, most=most)

    def claim_job(self, job_id: int, worker: str, *, has_browser: bool = True) -> Lease | None:
        return grant_rows.claim_job(self.database, job_id, worker, has_browser=has_browser)

    def job_polls(self, fence: int) -> tuple[tuple[Poll, Blog], ...]:
        return poll_jobs.job_polls(self.database, fence)

    def end_polls(self, fence: int, polls: Sequence[Poll]) -> None:
        poll_jobs.end_polls(self.database, fence, polls)

    def begin_grant(self, worker: str) -> int:
        return grant_rows.begin_grant(self.database, worker)

    def lease_host(self, fence: int, host: str) -> str | None:
        return grant_rows.lease_host(self.database, fence, host)

    def free_host(self, fence: int, host: str) -> None:
        grant_rows.free_host(self.database, fence, host)

    def beat(self, fence: int, *, requests: int = 0) -> bool:
        return grant_rows.beat(self.database, fence, requests=requests)

    def end_grant(self, fence: int, end: SliceResult | None = None) -> tuple[Job, ...]:
        return grant_rows.end_grant(self.database, fence, end)

    def expire_grants(self, *, silent_seconds: float, most_tries: int, progress: int) -> tuple[Job, ...]:
        return grant_rows.expire_grants(
            self.database, silent_seconds=silent_seconds, most_tries=most_tries, progress=progress,
        )

    def wake_jobs(self, *, most_queued: int = MOST_QUEUED) -> tuple[Job, ...]:
        return job_waking.wake_jobs(self.database, most_queued=most_queued)

    def stale_jobs(self, queue: str, *, older_seconds: float, limit: int) -> tuple[Job, ...]:
        return job_waking.stale_jobs(self.database, queue, older_seconds=older_seconds, limit=limit)

    def queued_jobs(self) -> Iterator[Job]:
        return job_rows.queued_jobs(self.database)

    def dead_jobs(self, *, limit: int) -> tuple[Job, ...]:
        return job_rows.dead_jobs(self.database, limit=limit)

    def revive_jobs(self, ids: Sequence[int] | None = None, *, limit: int = MOST_AT_ONCE) -> int:
        return job_waking.revive_jobs(self.database, ids, limit=limit)

    def jobs_for(self, url: str) -> tuple[Job, ...]:
        return job_rows.jobs_for(self.database, url)

    def cancel_jobs(self, ids: Sequence[int]) -> int:
        return grant_rows.cancel_jobs(self.database, ids)

    def sign_in(self, worker: str, *, processes: int, has_browser: bool) -> None:
        worker_rows.sign_in(self.database, worker, processes=processes, has_browser=has_browser)

    def sign_out(self, worker: str) -> None:
        worker_rows.sign_out(self.database, worker)

    def worker_beat(self, worker: str) -> bool:
        return worker_rows.worker_beat(self.database, worker)

    def count_slice(self, worker: str, end: SliceResult, seconds: float) -> None:
        worker_rows.count_slice(self.database, worker, end, seconds)

    def drain(self, worker: str | None = None, *, draining: bool = True) -> int:
        return worker_rows.drain(self.database, worker, draining=draining)

    def workers(self) -> tuple[WorkerState, ...]:
        return worker_rows.workers(self.database)

    def fleet_state(self, *, now: datetime) -> FleetState:
        return worker_rows.fleet_state(self.database, now=now)

    def count_queued(self) -> Mapping[str, int]:
        return job_rows.count_queued(self.database)

    def held_seconds(self, host: str) -> float:
        return turn_rows.held_seconds(self.database, host)

    def reserve_turn(self, host: str, pace_seconds: float, *, longest_seconds: float | None = None) -> float:
        return turn_rows.reserve_turn(self.database, host, pace_seconds, longest_seconds=longest_seconds)

    def hold_host(self, host: str, seconds: float) -> None:
        turn_rows.hold_host(self.database, host, seconds)

    def forget_turns(self, *, older_seconds: float) -> int:
        return turn_rows.forget_turns(self.database, older_seconds=older_seconds)
