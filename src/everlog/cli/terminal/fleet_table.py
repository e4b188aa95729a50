"""A fleet as a person looks at it, and as a program reads it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from everlog.archive.lease_holder import LEASE_TIMEOUT_SECONDS
from everlog.core.terminal import harmless
from everlog.fleet.fleet_health import GONE_SECONDS, called, rate_of, stalls

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from everlog.archive.job_models import FleetState, Job, RunningJob, WorkerState

RUNNING_SHOWN = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class BrokerState:
    """Messages in the broker's queues, or why it cannot be asked."""

    messages: Mapping[str, int] = field(default_factory=dict)
    trouble: str | None = None


def as_dict(state: FleetState, broker: BrokerState) -> dict[str, Any]:
    """The whole state, for programs."""
    return {
        "workers": [_worker_dict(one, rate_of(one, state.running)) for one in state.workers],
        "requests_per_second": round(sum(rate_of(one, state.running) for one in state.workers), 3),
        "running": [_running_dict(one) for one in state.running],
        "queues": {
            queue: {"jobs": count, "messages": broker.messages.get(queue)} for queue, count in state.depths.items()
        },
        "states": dict(state.states),
        "oldest_queued_seconds": state.oldest_queued_seconds,
        "feeds_due": state.due,
        "oldest_due": state.oldest_due_at.isoformat() if state.oldest_due_at else None,
        "stalls": stalls(state, broker.messages),
        "waiting": [job_dict(job) for job in state.parked],
        "dead": [job_dict(job) for job in state.dead],
        "broker": broker.trouble,
    }


def job_dict(job: Job) -> dict[str, Any]:
    return {
        "id": job.id, "kind": job.kind, "url": job.url, "feeds": len(job.blog_ids), "state": job.state,
        "tries": job.tries, "slices": job.slices, "requests": job.requests, "posts": job.posts, "reason": job.reason,
        "due": job.due_at.isoformat() if job.due_at else None, "added": job.added_at.isoformat(),
        "needs_browser": job.needs_browser,
    }


def print_state(state: FleetState, broker: BrokerState) -> None:
    """The whole state, for people."""
    messages, trouble = broker.messages, broker.trouble
    rates = {one.name: rate_of(one, state.running) for one in state.workers}
    there = [one for one in state.workers if one.silent_seconds <= LEASE_TIMEOUT_SECONDS]
    processes = sum(one.processes for one in there)
    print(f"{len(there)} workers, {processes} processes, {sum(rates.values()):.1f} requests/s")
    for one in state.workers:
        if one.silent_seconds <= GONE_SECONDS:
            print(_worker_line(one, rates[one.name]))
    print("\nqueues")
    for queue, count in state.depths.items():
        told = f"{messages[queue]} in the broker" if queue in messages else "broker not reachable"
        print(f"  {queue:<16} {count:>8} jobs   {told}")
    others = ", ".join(f"{state.states.get(name, 0)} {name}" for name in ("running", "parked", "dead"))
    print(f"  {others}")
    if state.oldest_queued_seconds is not None:
        print(f"  the oldest has waited {state.oldest_queued_seconds:.0f} s")
    if state.oldest_due_at is not None:
        print(f"\n{state.due} feeds are due, the oldest since {state.oldest_due_at:%Y-%m-%d %H:%M:%S} UTC")
    running = [
        f"{harmless(called(run.job))}  {run.worker}, {run.requests} requests in {run.running_seconds:.0f} s"
        for run in state.running[:RUNNING_SHOWN]
    ]
    _print_part("running", running)
    _print_part("waiting", [f"{job.id}  {harmless(called(job))}  {_until(job)}{_reason(job)}" for job in state.parked])
    for line in (*stalls(state, messages), *([trouble] if trouble else [])):
        print(f"! {harmless(line)}")
    _print_part(
        "failed ('everlog fleet revive JOB' queues it again, 'everlog fleet cancel JOB' removes it)",
        [f"{job.id}  {harmless(called(job))}  {_reason(job)}" for job in state.dead],
    )


def _print_part(title: str, lines: Sequence[str]) -> None:
    if lines:
        print(f"\n{title}")
    for line in lines:
        print(f"  {line}")


def _worker_line(one: WorkerState, rate: float) -> str:
    state = "silent" if one.silent_seconds > LEASE_TIMEOUT_SECONDS else "draining" if one.is_draining else "working"
    browser = ", browser" if one.has_browser else ""
    return (
        f"  {harmless(one.name):<28} {state:<9} {one.processes} processes{browser}; {rate:.1f} requests/s; "
        f"{one.slices} slices, {one.requests} requests, {one.posts} new posts, {one.failures} failed slices"
    )


def _until(job: Job) -> str:
    return f"until {job.due_at:%Y-%m-%d %H:%M:%S} UTC: " if job.due_at else ""


def _reason(job: Job) -> str:
    """Why, in one line."""
    return harmless((job.reason or "").partition("\n")[0])


def _worker_dict(one: WorkerState, rate: float) -> dict[str, Any]:
    return {
        "name": one.name, "processes": one.processes, "browser": one.has_browser, "draining": one.is_draining,
        "started": one.started_at.isoformat(), "silent_seconds": round(one.silent_seconds, 3), "slices": one.slices,
        "requests": one.requests, "requests_per_second": round(rate, 3), "posts": one.posts, "failures": one.failures,
        "busy_seconds": round(one.busy_seconds, 3),
    }


def _running_dict(one: RunningJob) -> dict[str, Any]:
    return {
        "job": one.job.id, "kind": one.job.kind, "url": one.job.url, "feeds": len(one.job.blog_ids),
        "worker": one.worker, "fence": one.fence, "requests": one.requests,
        "running_seconds": round(one.running_seconds, 3),
        "silent_seconds": round(one.silent_seconds, 3),
    }
