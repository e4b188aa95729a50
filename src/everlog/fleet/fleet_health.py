"""Fleet health: what of a fleet goes on and what does not, for those who look at it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from everlog.archive.lease_holder import LEASE_TIMEOUT_SECONDS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from everlog.archive.job_models import FleetState, Job, RunningJob, WorkerState

# What runs this long without an end is worth a look; a slice takes a minute.
LONG_SECONDS = 600.0
# Who has been silent for so long will hardly come back: nobody need be told of it again and again.
GONE_SECONDS = 3_600.0


def stalls(state: FleetState, messages: Mapping[str, int]) -> list[str]:
    """What does not go on, in words."""
    found = [
        f"worker {one.name}: no heartbeat for {one.silent_seconds:.0f} s"
        for one in state.workers if LEASE_TIMEOUT_SECONDS < one.silent_seconds <= GONE_SECONDS
    ]
    found += [
        f"{called(one.job)} on {one.worker}: no heartbeat for {one.silent_seconds:.0f} s"
        for one in state.running if one.silent_seconds > LEASE_TIMEOUT_SECONDS
    ]
    found += [
        f"{called(one.job)} on {one.worker}: running for {one.running_seconds / 60:.0f} min"
        for one in state.running if one.running_seconds > LONG_SECONDS
    ]
    alive = [one for one in state.workers if one.silent_seconds <= LEASE_TIMEOUT_SECONDS]
    for queue, count in state.depths.items():
        served = any(one.has_browser or not queue.endswith(".browser") for one in alive)
        if count and not served:
            what = "with a browser " if queue.endswith(".browser") else ""
            found.append(f"{count} jobs wait in {queue}, but no worker {what}is running")
        elif queue in messages and messages[queue] < count:
            lost = count - messages[queue]
            found.append(f"{lost} jobs of {queue} are missing in the broker; they are queued again automatically")
    return found


def rate_of(one: WorkerState, running: Sequence[RunningJob]) -> float:
    """Requests a second of a worker since it began; one that has gone without a word makes none."""
    if one.silent_seconds > LEASE_TIMEOUT_SECONDS:
        return 0.0
    under_way = sum(run.requests for run in running if run.worker == one.name)
    return (one.requests + under_way) / one.there_seconds if one.there_seconds else 0.0


def called(job: Job) -> str:
    """What a job is called: the blog it is about, or how many feeds it asks."""
    return job.url or f"{len(job.blog_ids)} feeds"
