"""Slice of a job: claim it in the database, crawl or poll for a while, give it back with its outcome."""

from __future__ import annotations

import logging
import threading
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

from everlog.archive.job_models import Job, Lease, NewJob, SliceResult
from everlog.archive.locks import LeaseLocks
from everlog.core.retry_policy import BUSY_JOB_SECONDS
from everlog.core.urls import host_of
from everlog.errors import DiskFull, EverlogError, FilesDown, LeaseLost, ServiceDown, UsageError
from everlog.fleet.outcomes import OutcomePolicy, can_draw_with, impatient
from everlog.usecases.runner import Job as CrawlJob
from everlog.usecases.runner import StopControl, run_jobs, run_watch
from everlog.usecases.watch.poll_source import PollSource
from everlog.usecases.watch.watch_loop import WatchTally

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import datetime

    from everlog.archive import Archive
    from everlog.archive.lease_holder import LeaseHolder
    from everlog.archive.models import Poll
    from everlog.records import Blog
    from everlog.settings import Settings
    from everlog.usecases.crawl.report import Report, Tally
    from everlog.usecases.watch.poll import PollResult

    T = TypeVar("T")

log = logging.getLogger("everlog.fleet")

# How long a worker waits for a database that went away, and how often it looks.
PATIENCE_SECONDS = 900.0
LOOK_SECONDS = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class DoneSlice:
    """Slice that was done: of which job, how it ended, how long it took.

    `unusable` is what keeps this worker, and perhaps no other, from doing any job: its disk is full, or its files
    cannot be written.
    """

    job: Job
    fence: int
    end: SliceResult
    seconds: float
    unusable: EverlogError | None = None


def do_slice(
    job_id: int, settings: Settings, worker: str, *, open_shared: Callable[[], Archive],
    enqueue: Callable[[Sequence[Job]], object],
) -> DoneSlice | None:
    """Slice of the job, if it is still to be done; `enqueue` is given the jobs that may be done next.

    A database that goes down is waited for. What a worker writes that lost its lease is refused by the database: the
    job is another worker's.
    """
    began = time.monotonic()
    with retry_while_down(open_shared) as archive:
        lease = retry_while_down(lambda: archive.jobs.claim(job_id, worker, has_browser=can_draw_with(settings)))
        if lease is None:
            log.debug("job %d is no longer queued", job_id)
            return None
        log.info("%s %s", lease.job.kind, _label(lease.job), extra=_log_fields(lease))
        lease_holder = lease_holder_of(archive)
        try:
            work = _Slice(lease, archive, lease_holder, settings, worker)
            end = work.work()
            following = retry_while_down(lambda: archive.leases.end(lease.fence, end))
        except LeaseLost as lost:
            log.warning("%s %s: %s", lease.job.kind, _label(lease.job), lost.message, extra=_log_fields(lease))
            return None
        finally:
            lease_holder.close()
        seconds = time.monotonic() - began
        enqueue((*following, *work.for_a_browser))
        retry_while_down(lambda: archive.workers.count_slice(worker, end, seconds))
        counts = {"requests": end.requests, "posts": end.posts, "seconds": round(seconds, 3), "end": end.end}
        level = logging.WARNING if end.end == "dead" else logging.INFO
        log.log(level, "%s %s: %s", lease.job.kind, _label(lease.job), end.reason, extra=_log_fields(lease) | counts)
        return DoneSlice(job=lease.job, fence=lease.fence, end=end, seconds=seconds, unusable=work.unusable)


def lease_holder_of(archive: Archive) -> LeaseHolder:
    """Lease holder of this process in an archive that many share."""
    locks = archive.backend.locks
    if not isinstance(locks, LeaseLocks):
        raise UsageError("this archive is a folder; a fleet needs a database", advice="pass --archive postgresql://HOST/NAME")
    return locks.lease_holder


def retry_while_down(call: Callable[[], T], *, patience_seconds: float = PATIENCE_SECONDS) -> T:
    """Result of a call, retried until the database answers; ServiceDown if it does not for very long."""
    until = time.monotonic() + patience_seconds
    told = False
    while True:
        try:
            return call()
        except ServiceDown as down:
            if time.monotonic() >= until:
                raise
            if not told:
                log.warning("%s; waiting for it", down.message)
                told = True
            time.sleep(LOOK_SECONDS)


@dataclass(slots=True)
class _Slice:
    """Slice that is running: the work on one job until its deadline."""

    lease: Lease
    archive: Archive
    lease_holder: LeaseHolder
    settings: Settings
    worker: str
    # Jobs that this one added for workers with a browser.
    for_a_browser: tuple[Job, ...] = ()
    unusable: EverlogError | None = None
    _tally: Tally | WatchTally | None = None
    _stop_control: StopControl | None = None
    _drained: bool = False
    _began: float = field(default_factory=time.monotonic)
    _policy: OutcomePolicy = field(init=False)

    def __post_init__(self) -> None:
        self._policy = OutcomePolicy(self.lease, self.archive, self.settings)

    def work(self) -> SliceResult:
        lease_holder = self.lease_holder
        lease_holder.requests = self._requests
        alarm = threading.Timer(self.settings.slice_seconds, self._on_deadline)
        alarm.daemon = True
        lease_holder.take_over(self.lease.fence, self.lease.hosts, on_heartbeat=self._on_heartbeat)
        alarm.start()
        try:
            return self._poll() if self.lease.job.kind == "poll" else self._crawl()
        except LeaseLost:
            raise
        except FilesDown as down:
            requests = self._requests()
            return SliceResult(end="later", reason=down.message, wait_seconds=BUSY_JOB_SECONDS, requests=requests)
        except ServiceDown as down:
            return SliceResult(end="again", reason=down.message, requests=self._requests())
        except EverlogError as error:
            return self._after_error(error)
        except Exception as error:
            log.exception("bug at %s", _label(self.lease.job), extra=_log_fields(self.lease))
            return self._after_error(EverlogError(f"bug in everlog: {type(error).__name__}: {error}"))
        finally:
            alarm.cancel()
            lease_holder.stop_heartbeats()

    def _crawl(self) -> SliceResult:
        job, settings = self.lease.job, self._policy.own_settings()
        if self._policy.is_forgotten():
            return SliceResult(end="done", reason="its blog was forgotten in the meantime")
        wanted = CrawlJob(
            url=job.url or "", kind="update" if job.kind == "update" else "crawl", goes_on=job.slices > 0,
            allow=tuple(job.settings["allow"]) if "allow" in job.settings else None,
        )
        [outcome] = run_jobs(
            [wanted], self.archive, settings, on_start=self._on_start, on_stop_control=self._take_control,
        )
        if isinstance(outcome, EverlogError):
            return self._after_error(outcome)
        return self._policy.after(outcome, settings)

    def _after_error(self, error: EverlogError) -> SliceResult:
        end = self._policy.after_error(error, requests=self._requests())
        if isinstance(error, DiskFull) or self.archive.writers.disk_failed:
            # Its disk is full, or its files cannot be written: another worker may do better.
            log.error("%s; this worker takes no more jobs", error.message)
            self.unusable = error
        return end

    def _poll(self) -> SliceResult:
        tally = self._tally = WatchTally()
        source = JobPollSource(self.archive, self.lease.fence)
        visited: list[Report] = []
        unseen: list[str] = []

        def on_polled(blog: Blog, polled: PollResult) -> None:
            if polled.report is not None:
                visited.append(polled.report)
            elif polled.needs_browser:
                unseen.append(blog.home)

        with self.archive.writers.together():
            run_watch(
                self.archive, impatient(self.settings), once=True, tally=tally, source=source,
                on_stop_control=self._take_control, on_polled=on_polled,
            )
        self._pass_to_browsers(visited, unseen)
        left = len(self.archive.polls.of_job(self.lease.fence))
        reason = f"{tally.polls} feeds fetched, {tally.kinds['unchanged']} unchanged, {tally.new_posts} new posts"
        return SliceResult(end="again" if left else "done", reason=reason, requests=tally.polls, posts=tally.new_posts)

    def _pass_to_browsers(self, visited: Sequence[Report], unseen: Sequence[str]) -> None:
        """Jobs for workers with a browser: blogs whose new posts, or their comments, this one could not render."""
        own = [(report, self.settings.for_blog(report.blog)) for report in visited]
        lacking = [
            report.blog for report, settings in own
            if settings.render != "never" and self._policy.lacks_comments(report, settings)
        ]
        lacking += [home for home in unseen if self.settings.for_blog(home).render != "never"]
        if lacking and self._policy.is_for_a_browser(self.settings):
            self.for_a_browser = self.archive.jobs.add([
                NewJob(kind="update", url=url, host=host_of(url), needs_browser=True) for url in lacking
            ])

    def _on_start(self, tally: Tally) -> None:
        self._tally = tally

    def _requests(self) -> int:
        return getattr(self._tally, "requests", None) or getattr(self._tally, "polls", 0) or 0

    def _take_control(self, stop_control: StopControl) -> None:
        self._stop_control = stop_control
        if self._drained:
            stop_control.interrupt()
        elif time.monotonic() - self._began >= self.settings.slice_seconds:
            stop_control.wind_down()

    def _on_deadline(self) -> None:
        if self._stop_control is not None:
            self._stop_control.wind_down()

    def _on_heartbeat(self) -> None:
        """Heartbeat was sent: stop if this worker is draining, or its lease lost."""
        if not self._drained and (self.lease_holder.is_lost or self._is_draining()):
            self._drained = True
            if self._stop_control is not None:
                self._stop_control.interrupt()

    def _is_draining(self) -> bool:
        try:
            return self.archive.workers.heartbeat(self.worker)
        except EverlogError:
            return False


class JobPollSource(PollSource):
    """Poll source of one leased job: each of its feeds is polled once."""

    def __init__(self, archive: Archive, fence: int) -> None:
        self._archive = archive
        self._fence = fence
        self._waiting: list[tuple[Poll, Blog]] | None = None

    def enlist(self, now: datetime) -> bool:  # noqa: ARG002 - a job's feeds are fixed
        return False

    def claim(self, now: datetime, room: int) -> tuple[tuple[Poll, Blog], ...]:  # noqa: ARG002 - all of them are due
        if self._waiting is None:
            self._waiting = list(self._archive.polls.of_job(self._fence))
        taken, self._waiting = tuple(self._waiting[:room]), self._waiting[room:]
        return taken

    def renew(self, now: datetime) -> None:
        """Heartbeats renew the lease."""

    def give_back(self, polls: Sequence[Poll]) -> None:
        self._archive.polls.end(self._fence, polls)

    def give_up(self) -> None:
        """Feeds that were not polled stay in the job."""

    def next_due(self, now: datetime) -> datetime | None:  # noqa: ARG002 - none will
        return None

    def count(self, now: datetime) -> tuple[int, int]:  # noqa: ARG002 - only a job's own count
        left = len(self._waiting or ())
        return left, left


def _label(job: Job) -> str:
    return job.url or f"{len(job.blog_ids)} feeds"


def _log_fields(lease: Lease) -> dict[str, Any]:
    """Fields of a slice in JSON logs."""
    job = lease.job
    return {"job": job.id, "kind": job.kind, "fence": lease.fence, "blog": job.url, "slice": job.slices + 1}
