"""What a fleet is to do, and who is doing it: one frozen class per thing, none of which knows how it is stored."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

# A whole blog, one that is held already, or the feeds of many blogs at once.
JobKind = Literal["crawl", "update", "poll"]
# Handed to the queue; waiting for a time, a host or a browser; being done; given up, with a reason.
JobState = Literal["queued", "parked", "running", "dead"]
# How a slice of a job ended: all is done, the rest is queued again, it waits, or nobody tries it any more.
End = Literal["done", "again", "later", "dead"]

# Queues in the order in which they are served: what keeps archives current comes before what fills them.
UPDATE, CRAWL = "update", "crawl"
WITH_BROWSER = ".browser"
QUEUES = (UPDATE, UPDATE + WITH_BROWSER, CRAWL, CRAWL + WITH_BROWSER)
# Jobs that are handed to a queue at a time; what goes beyond that waits in the database, where it costs nothing. A
# message takes 1,045 bytes of Redis: four full queues take 84 MB. And an emptied queue is back within half a minute, at
# the 680 messages that are sent a second.
MOST_QUEUED = 20_000
# Jobs that are written in one transaction: a quarter of a second, and others wait for it.
MOST_AT_ONCE = 5_000


def queue_of(kind: JobKind, *, needs_browser: bool) -> str:
    """The queue a job waits in.

    >>> queue_of("crawl", needs_browser=True), queue_of("poll", needs_browser=False)
    ('crawl.browser', 'update')
    """
    return (CRAWL if kind == "crawl" else UPDATE) + (WITH_BROWSER if needs_browser else "")


@dataclass(frozen=True, slots=True, kw_only=True)
class NewJob:
    """Something to do. `host` is the one that nobody else may crawl meanwhile; a poll has `blog_ids` instead of a URL.

    `settings` are laid over the worker's own.
    """

    kind: JobKind
    url: str | None = None
    host: str | None = None
    blog_ids: tuple[int, ...] = ()
    settings: Mapping[str, Any] = field(default_factory=dict)
    needs_browser: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Job(NewJob):
    """A job as the database knows it. `tries` are the failures in a row; figures are those of all its slices."""

    id: int
    state: JobState
    tries: int = 0
    slices: int = 0
    requests: int = 0
    posts: int = 0
    reason: str | None = None
    due_at: datetime | None = None
    added_at: datetime

    @property
    def queue(self) -> str:
        return queue_of(self.kind, needs_browser=self.needs_browser)


@dataclass(frozen=True, slots=True, kw_only=True)
class Lease:
    """Lease of a job: the right to do a slice of it. Every write carries `fence`, and is refused without the lease.

    `hosts` are those that are leased with it.
    """

    fence: int
    job: Job
    hosts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SliceResult:
    """How a slice ended: what becomes of the job, why, and what the slice brought.

    A job that ends "later" waits for some seconds, or `waits_for` a host that another has. With `anew` the next slice
    is the first of a crawl or update, and not a further one: it asks again for what this one could not have.
    """

    end: End
    reason: str
    requests: int = 0
    posts: int = 0
    wait_seconds: float | None = None
    waits_for: str | None = None
    needs_browser: bool | None = None
    anew: bool = False
    failed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerState:
    """A worker as the database knows it: what it can, what it did, how long it has been there, and without a heartbeat.

    What a slice does is counted when it ends; `RunningJob` tells of those under way.
    """

    name: str
    processes: int
    has_browser: bool
    started_at: datetime
    there_seconds: float
    silent_seconds: float
    is_draining: bool = False
    slices: int = 0
    requests: int = 0
    posts: int = 0
    failures: int = 0
    busy_seconds: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class RunningJob:
    """A slice under way: whose it is, since when, and how long its worker has sent no heartbeat."""

    job: Job
    fence: int
    worker: str
    running_seconds: float
    silent_seconds: float
    requests: int


@dataclass(frozen=True, slots=True, kw_only=True)
class FleetState:
    """The fleet at one moment. `depths` are jobs by queue, `states` jobs by state.

    Of those that were given up, and of those that wait for a time or a host, it has a few.
    """

    workers: tuple[WorkerState, ...]
    running: tuple[RunningJob, ...]
    depths: Mapping[str, int]
    states: Mapping[str, int]
    dead: tuple[Job, ...]
    oldest_queued_seconds: float | None
    oldest_due_at: datetime | None
    due: int
    is_draining: bool
    parked: tuple[Job, ...] = ()
