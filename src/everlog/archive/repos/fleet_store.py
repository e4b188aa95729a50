"""What a database must be able to do for a fleet: jobs, who does them, and whose turn it is at a host.

The database is the truth. A queue elsewhere only hints at what is to be done: a hint that is lost is given again, one
that comes twice finds nothing to do. All lengths of time are by the database's own clock: workers need not agree on
one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from everlog.archive.job_models import MOST_AT_ONCE, MOST_QUEUED

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from datetime import datetime

    from everlog.archive.job_models import FleetState, Job, Lease, NewJob, SliceResult, WorkerState
    from everlog.archive.models import Poll
    from everlog.records import Blog


class FleetStore(Protocol):
    """Jobs and grants of a fleet."""

    def moment(self) -> datetime:
        """What time it is, by the database's clock."""
        ...

    def add_jobs(self, jobs: Sequence[NewJob], *, most_queued: int = MOST_QUEUED) -> tuple[Job, ...]:
        """Jobs that are not there yet (same kind and address); those that are queued are to be handed to the engine.

        One that was given up is taken up again, one that waits for a time to come is queued now, one that is queued
        or running is left alone. What would make a queue longer than it may be is parked; `wake_jobs` finds it there.
        """
        ...

    def schedule_polls(self, *, now: datetime, batch: int, most: int) -> tuple[Job, ...]:
        """Jobs for up to `most` due feeds, `batch` feeds each, the longest due first; a feed is in one at a time."""
        ...

    def claim_job(self, job_id: int, worker: str, *, has_browser: bool = True) -> Lease | None:
        """The right to do a slice, and the lease of the job's host; None if there is nothing to do (any more).

        A job whose host is leased is parked until it is free. Of a poll's hosts those that are free are leased; the
        feeds of each of the others are a job of their own from then on, parked until that host is free. Without a
        browser, a job that needs one is left alone.
        """
        ...

    def job_polls(self, fence: int) -> tuple[tuple[Poll, Blog], ...]:
        """The feeds of a granted poll that are to be asked: due, watched, and not asked yet in this job."""
        ...

    def end_polls(self, fence: int, polls: Sequence[Poll]) -> None:
        """Feeds of a granted poll that were asked, with their next times; they leave the job."""
        ...

    def begin_grant(self, worker: str) -> int:
        """A fencing number for who does no job of the queue, such as a crawl from the command line."""
        ...

    def lease_host(self, fence: int, host: str) -> str | None:
        """Lease one more host for a grant; None if it is leased now, else the name of the worker that has it."""
        ...

    def free_host(self, fence: int, host: str) -> None:
        """Let others have a host; `wake_jobs` finds the jobs that waited for it."""
        ...

    def beat(self, fence: int, *, requests: int = 0) -> bool:
        """The word that a grant is in use; False if it was taken away. Never waits for who writes."""
        ...

    def end_grant(self, fence: int, end: SliceResult | None = None) -> tuple[Job, ...]:
        """Give a grant back with what became of its job; the jobs to hand to the engine (its own, those of its host).

        Raises LeaseLost if it was taken away.
        """
        ...

    def expire_grants(self, *, silent_seconds: float, most_tries: int, progress: int) -> tuple[Job, ...]:
        """Take grants away that gave no word for so long, and queue their jobs; those to hand to the engine.

        A job that was lost so often in a row, each time before so many requests, is given up.
        """
        ...

    def wake_jobs(self, *, most_queued: int = MOST_QUEUED) -> tuple[Job, ...]:
        """Parked jobs whose time has come and whose host is free, queued; those to hand to the engine.

        One of each host at a time, what keeps archives current first; and no queue gets longer than it may be.
        """
        ...

    def stale_jobs(self, queue: str, *, older_seconds: float, limit: int) -> tuple[Job, ...]:
        """Jobs of a queue that were handed to the engine longest ago, marked as handed now: for hints that got lost."""
        ...

    def queued_jobs(self) -> Iterator[Job]:
        """All jobs that should be in the engine's queues, in the order they were added, streamed."""
        ...

    def dead_jobs(self, *, limit: int) -> tuple[Job, ...]: ...

    def revive_jobs(self, ids: Sequence[int] | None = None, *, limit: int = MOST_AT_ONCE) -> int:
        """Take jobs up again that were given up, without ids any `limit` of them; `wake_jobs` finds them. How many."""
        ...

    def jobs_for(self, url: str) -> tuple[Job, ...]:
        """What is to be done, is being done or was given up for one address."""
        ...

    def cancel_jobs(self, ids: Sequence[int]) -> int:
        """Remove jobs that nobody is doing; how many. The feeds of one are asked again when they are due."""
        ...

    def sign_in(self, worker: str, *, processes: int, has_browser: bool) -> None: ...

    def sign_out(self, worker: str) -> None: ...

    def worker_beat(self, worker: str) -> bool:
        """The word that a worker is there; whether it is to end when its slices have."""
        ...

    def count_slice(self, worker: str, end: SliceResult, seconds: float) -> None:
        """Add a slice to what a worker did."""
        ...

    def drain(self, worker: str | None = None, *, draining: bool = True) -> int:
        """Ask a worker, or all, to end when their slices have. How many were asked."""
        ...

    def workers(self) -> tuple[WorkerState, ...]:
        """Who is there: cheap however much the archive holds."""
        ...

    def fleet_state(self, *, now: datetime) -> FleetState: ...

    def count_queued(self) -> Mapping[str, int]:
        """How many jobs should be in each of the engine's queues."""
        ...

    def reserve_turn(self, host: str, pace_seconds: float, *, longest_seconds: float | None = None) -> float:
        """Take the next turn at a host for a request; how many seconds from now it is. Turns are a pace apart.

        One that is further away than `longest_seconds` is not taken.
        """
        ...

    def held_seconds(self, host: str) -> float:
        """How long nobody is to ask a host from now on; 0 if it may be asked."""
        ...

    def hold_host(self, host: str, seconds: float) -> None:
        """Nobody gets a turn at a host for so long; a shorter wish never shortens a longer one."""
        ...

    def forget_turns(self, *, older_seconds: float) -> int:
        """Forget the lines before hosts that nobody has asked for so long; how many."""
        ...
