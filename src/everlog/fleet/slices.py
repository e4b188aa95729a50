"""One turn at one job: claim it in the database, crawl for a while, give it back with what became of it."""

from __future__ import annotations

import logging
import threading
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

from everlog.archive.job_models import NewJob, SliceResult
from everlog.archive.locks import LeaseLocks
from everlog.core.urls import host_of
from everlog.errors import DiskFull, EverlogError, FilesDown, LeaseLost, ServiceDown, UsageError
from everlog.fleet.asking import readers_for
from everlog.fleet.endings import SHORT_SECONDS, Endings, can_draw_with, impatient
from everlog.fleet.job_rota import JobRota
from everlog.usecases.runner import Job as CrawlJob
from everlog.usecases.runner import run_jobs, run_watch
from everlog.usecases.watch.watch_loop import WatchTally

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from everlog.archive import Archive
    from everlog.archive.job_models import Job, Lease
    from everlog.archive.lease_holder import LeaseHolder
    from everlog.records import Blog
    from everlog.settings import Settings
    from everlog.usecases.crawl.report import Report, Tally
    from everlog.usecases.runner import StopControl
    from everlog.usecases.watch.poll import PollResult

    T = TypeVar("T")

log = logging.getLogger("everlog.fleet")

# How long a worker waits for a database that went away, and how often it looks.
PATIENCE_SECONDS = 900.0
LOOK_SECONDS = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """A slice that was done: of which job, how it ended, how long it took.

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
    hand_on: Callable[[Sequence[Job]], object],
) -> Done | None:
    """Do a slice of the job, if it is still to be done; `hand_on` is given the jobs that may be done next.

    A database that goes away is waited for. What a worker does that lost its grant is refused by the database, and
    the job is somebody else's.
    """
    began = time.monotonic()
    with patiently(open_shared) as archive:
        grant = patiently(lambda: archive.claim_job(job_id, worker, has_browser=can_draw_with(settings)))
        if grant is None:
            log.debug("job %d is no longer queued", job_id)
            return None
        log.info("%s %s", grant.job.kind, _called(grant.job), extra=_marks(grant))
        lease_holder = tenure_of(archive)
        try:
            work = _Slice(grant, archive, lease_holder, settings, worker)
            end = work.work()
            following = patiently(lambda: archive.end_grant(grant.fence, end))
        except LeaseLost as lost:
            log.warning("%s %s: %s", grant.job.kind, _called(grant.job), lost.message, extra=_marks(grant))
            return None
        finally:
            lease_holder.close()
        seconds = time.monotonic() - began
        hand_on((*following, *work.for_a_browser))
        patiently(lambda: archive.count_slice(worker, end, seconds))
        figures = {"requests": end.requests, "posts": end.posts, "seconds": round(seconds, 3), "end": end.end}
        level = logging.WARNING if end.end == "dead" else logging.INFO
        log.log(level, "%s %s: %s", grant.job.kind, _called(grant.job), end.reason, extra=_marks(grant) | figures)
        return Done(job=grant.job, fence=grant.fence, end=end, seconds=seconds, unusable=work.unusable)


def tenure_of(archive: Archive) -> LeaseHolder:
    """What this process writes under to an archive that many share."""
    locks = archive.parts.locks
    if not isinstance(locks, LeaseLocks):
        raise UsageError("this archive is a folder; a fleet needs a database", advice="pass --archive postgresql://HOST/NAME")
    return locks.lease_holder


def patiently(call: Callable[[], T], *, patience_seconds: float = PATIENCE_SECONDS) -> T:
    """What a call gives, once the database answers; ServiceDown if it does not for very long."""
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
    """The work on one job until its time is over."""

    grant: Lease
    archive: Archive
    lease_holder: LeaseHolder
    settings: Settings
    worker: str
    # Jobs that this one made for workers with a browser.
    for_a_browser: tuple[Job, ...] = ()
    unusable: EverlogError | None = None
    _tally: Tally | WatchTally | None = None
    _stop_control: StopControl | None = None
    _drained: bool = False
    _began: float = field(default_factory=time.monotonic)
    _endings: Endings = field(init=False)

    def __post_init__(self) -> None:
        self._endings = Endings(self.grant, self.archive, self.settings)

    def work(self) -> SliceResult:
        lease_holder = self.lease_holder
        lease_holder.requests = self._requests
        alarm = threading.Timer(self.settings.slice_seconds, self._time_is_over)
        alarm.daemon = True
        lease_holder.take_over(self.grant.fence, self.grant.hosts, on_beat=self._look_up)
        alarm.start()
        try:
            return self._poll() if self.grant.job.kind == "poll" else self._crawl()
        except LeaseLost:
            raise
        except FilesDown as down:
            return SliceResult(end="later", reason=down.message, wait_seconds=SHORT_SECONDS, requests=self._requests())
        except ServiceDown as down:
            return SliceResult(end="again", reason=down.message, requests=self._requests())
        except EverlogError as error:
            return self._after_error(error)
        except Exception as error:
            log.exception("bug at %s", _called(self.grant.job), extra=_marks(self.grant))
            return self._after_error(EverlogError(f"bug in everlog: {type(error).__name__}: {error}"))
        finally:
            alarm.cancel()
            lease_holder.stop_beating()

    def _crawl(self) -> SliceResult:
        job, settings = self.grant.job, self._endings.own_settings()
        if self._endings.is_forgotten():
            return SliceResult(end="done", reason="its blog was forgotten in the meantime")
        with readers_for(job.url or "", self.archive, self.settings.broker) as reader:
            wanted = CrawlJob(
                url=job.url or "", kind="update" if job.kind == "update" else "crawl", goes_on=job.slices > 0,
                reader=reader, allow=tuple(job.settings["allow"]) if "allow" in job.settings else None,
            )
            [outcome] = run_jobs([wanted], self.archive, settings, on_start=self._hear, on_reins=self._take)
        if isinstance(outcome, EverlogError):
            return self._after_error(outcome)
        return self._endings.after(outcome, settings)

    def _after_error(self, error: EverlogError) -> SliceResult:
        end = self._endings.after_error(error, requests=self._requests())
        if isinstance(error, DiskFull) or self.archive.disk_failed:
            # Its disk is full, or its files cannot be written: another worker may do better.
            log.error("%s; this worker takes no more jobs", error.message)
            self.unusable = error
        return end

    def _poll(self) -> SliceResult:
        tally = self._tally = WatchTally()
        rota = JobRota(self.archive, self.grant.fence)
        visited: list[Report] = []
        unseen: list[str] = []

        def hear(blog: Blog, polled: PollResult) -> None:
            if polled.report is not None:
                visited.append(polled.report)
            elif polled.needs_browser:
                unseen.append(blog.home)

        with self.archive.together():
            run_watch(
                self.archive, impatient(self.settings), once=True, tally=tally, rota=rota, on_reins=self._take,
                on_polled=hear,
            )
        self._leave_to_a_browser(visited, unseen)
        left = len(self.archive.job_polls(self.grant.fence))
        reason = f"{tally.polls} feeds fetched, {tally.kinds['unchanged']} unchanged, {tally.new_posts} new posts"
        return SliceResult(end="again" if left else "done", reason=reason, requests=tally.polls, posts=tally.new_posts)

    def _leave_to_a_browser(self, visited: Sequence[Report], unseen: Sequence[str]) -> None:
        """Blogs whose new posts, or their comments, this worker could not draw are updated by one that can."""
        own = [(report, self.settings.for_blog(report.blog)) for report in visited]
        lacking = [
            report.blog for report, settings in own
            if settings.render != "never" and self._endings.lacks_comments(report, settings)
        ]
        lacking += [home for home in unseen if self.settings.for_blog(home).render != "never"]
        if lacking and self._endings.is_for_a_browser(self.settings):
            self.for_a_browser = self.archive.add_jobs([
                NewJob(kind="update", url=url, host=host_of(url), needs_browser=True) for url in lacking
            ])

    def _hear(self, tally: Tally) -> None:
        self._tally = tally

    def _requests(self) -> int:
        return getattr(self._tally, "requests", None) or getattr(self._tally, "polls", 0) or 0

    def _take(self, stop_control: StopControl) -> None:
        self._stop_control = stop_control
        if self._drained:
            stop_control.interrupt()
        elif time.monotonic() - self._began >= self.settings.slice_seconds:
            stop_control.wind_down()

    def _time_is_over(self) -> None:
        if self._stop_control is not None:
            self._stop_control.wind_down()

    def _look_up(self) -> None:
        """After each word to the database: is this worker to end, or its grant lost?"""
        if not self._drained and (self.lease_holder.is_lost or self._is_draining()):
            self._drained = True
            if self._stop_control is not None:
                self._stop_control.interrupt()

    def _is_draining(self) -> bool:
        try:
            return self.archive.worker_beat(self.worker)
        except EverlogError:
            return False


def _called(job: Job) -> str:
    return job.url or f"{len(job.blog_ids)} feeds"


def _marks(grant: Lease) -> dict[str, Any]:
    """What a log for programs says of a slice."""
    job = grant.job
    return {"job": job.id, "kind": job.kind, "fence": grant.fence, "blog": job.url, "slice": job.slices + 1}
