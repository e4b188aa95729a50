"""One turn at one job: claim it in the database, crawl for a while, give it back with what became of it."""

from __future__ import annotations

import logging
import threading
import time
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeVar

from everlog.archive.jobs import NewJob, SliceEnd
from everlog.archive.locks import TenureLocks
from everlog.archive.tenure import SILENT_SECONDS
from everlog.errors import (
    ArchiveBusy,
    Blocked,
    DiskFull,
    EverlogError,
    FilesDown,
    LeaseLost,
    NoBrowser,
    NoFeed,
    NothingToLearn,
    ServiceDown,
    UsageError,
)
from everlog.fleet.asking import readers_for
from everlog.fleet.job_rota import JobRota
from everlog.flow.archiving import home_known_as
from everlog.flow.discover import fetchable
from everlog.flow.running import Job as CrawlJob
from everlog.flow.running import manners_of, run_jobs, run_watch
from everlog.flow.stopping import SLICE_OVER
from everlog.flow.watch import WatchTally
from everlog.politeness import LONGEST_REMEMBERED
from everlog.settings import make_settings
from everlog.urls import host_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import datetime

    from everlog.archive import Archive
    from everlog.archive.jobs import Grant, Job
    from everlog.archive.tenure import Tenure
    from everlog.flow.polling import Polled
    from everlog.flow.report import Report, Tally
    from everlog.flow.running import Reins
    from everlog.records import Blog
    from everlog.settings import Settings

    T = TypeVar("T")

log = logging.getLogger("everlog.fleet")

# Tries in a row that may fail, first five minutes apart, then ten, twenty ...: an hour and a quarter, before a job is
# given up with its reason. Blogs that are held already have the watch's own patience.
MOST_TRIES = 5
FIRST_SECONDS = 300.0
# A host that is busy, a disk that is full: somebody else's moment.
SHORT_SECONDS = 30.0
# What may be wrong with a blog that only shows itself in a browser.
NEEDS_EYES = (NoBrowser, NoFeed, NothingToLearn)
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
    end: SliceEnd
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
        grant = patiently(lambda: archive.claim_job(job_id, worker, has_browser=_can_draw(settings)))
        if grant is None:
            log.debug("job %d is not to be done (any more)", job_id)
            return None
        log.info("%s %s", grant.job.kind, _called(grant.job), extra=_marks(grant))
        tenure = tenure_of(archive)
        try:
            work = _Slice(grant, archive, tenure, settings, worker)
            end = work.work()
            following = patiently(lambda: archive.end_grant(grant.fence, end))
        except LeaseLost as lost:
            log.warning("%s %s: %s", grant.job.kind, _called(grant.job), lost.message, extra=_marks(grant))
            return None
        finally:
            tenure.close()
        seconds = time.monotonic() - began
        hand_on((*following, *work.for_a_browser))
        patiently(lambda: archive.count_slice(worker, end, seconds))
        figures = {"requests": end.requests, "posts": end.posts, "seconds": round(seconds, 3), "end": end.end}
        log.info("%s %s: %s", grant.job.kind, _called(grant.job), end.reason, extra=_marks(grant) | figures)
        return Done(job=grant.job, fence=grant.fence, end=end, seconds=seconds, unusable=work.unusable)


def tenure_of(archive: Archive) -> Tenure:
    """What this process writes under to an archive that many share."""
    locks = archive.parts.locks
    if not isinstance(locks, TenureLocks):
        raise UsageError("a fleet shares a database, and this archive is a folder", advice="name postgresql://...")
    return locks.tenure


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

    grant: Grant
    archive: Archive
    tenure: Tenure
    settings: Settings
    worker: str
    # Jobs that this one made for workers with a browser.
    for_a_browser: tuple[Job, ...] = ()
    unusable: EverlogError | None = None
    _tally: Tally | WatchTally | None = None
    _reins: Reins | None = None
    _drained: bool = False
    _began: float = field(default_factory=time.monotonic)

    def work(self) -> SliceEnd:
        tenure = self.tenure
        tenure.requests = self._requests
        alarm = threading.Timer(self.settings.slice_seconds, self._time_is_over)
        alarm.daemon = True
        tenure.take_over(self.grant.fence, self.grant.hosts, on_beat=self._look_up)
        alarm.start()
        try:
            return self._poll() if self.grant.job.kind == "poll" else self._crawl()
        except LeaseLost:
            raise
        except FilesDown as down:
            return SliceEnd(end="later", reason=down.message, wait_seconds=SHORT_SECONDS, requests=self._requests())
        except ServiceDown as down:
            return SliceEnd(end="again", reason=down.message, requests=self._requests())
        except EverlogError as error:
            return self._after_error(error)
        except Exception as error:
            log.exception("a bug met at %s", _called(self.grant.job), extra=_marks(self.grant))
            return self._after_error(EverlogError(f"a bug in everlog: {type(error).__name__}: {error}"))
        finally:
            alarm.cancel()
            tenure.stop_beating()

    def _crawl(self) -> SliceEnd:
        job, settings = self.grant.job, self._own_settings()
        with readers_for(job.url or "", self.archive, self.settings.broker) as reader:
            wanted = CrawlJob(
                url=job.url or "", kind="update" if job.kind == "update" else "crawl", goes_on=job.slices > 0,
                reader=reader,
            )
            [outcome] = run_jobs([wanted], self.archive, settings, on_start=self._hear, on_reins=self._take)
        return self._after_error(outcome) if isinstance(outcome, EverlogError) else self._after(outcome, settings)

    def _poll(self) -> SliceEnd:
        tally = self._tally = WatchTally()
        rota = JobRota(self.archive, self.grant.fence)
        visited: list[Report] = []
        unseen: list[str] = []

        def hear(blog: Blog, polled: Polled) -> None:
            if polled.report is not None:
                visited.append(polled.report)
            elif polled.needs_browser:
                unseen.append(blog.home)

        with self.archive.together():
            run_watch(
                self.archive, self.settings, once=True, tally=tally, rota=rota, on_reins=self._take, on_polled=hear,
            )
        self._leave_to_a_browser(visited, unseen)
        left = len(self.archive.job_polls(self.grant.fence))
        reason = f"{tally.polls} feeds asked, {tally.kinds['unchanged']} unchanged, {tally.new_posts} new posts"
        return SliceEnd(end="again" if left else "done", reason=reason, requests=tally.polls, posts=tally.new_posts)

    def _leave_to_a_browser(self, visited: Sequence[Report], unseen: Sequence[str]) -> None:
        """Blogs whose new posts, or their comments, this worker could not draw are updated by one that can."""
        own = [(report, self.settings.for_blog(report.blog)) for report in visited]
        lacking = [
            report.blog for report, settings in own
            if settings.render != "never" and self._lacks_comments(report, settings)
        ]
        lacking += [home for home in unseen if self.settings.for_blog(home).render != "never"]
        if lacking and self._is_for_a_browser(self.settings):
            self.for_a_browser = self.archive.add_jobs([
                NewJob(kind="update", url=url, host=host_of(url), needs_browser=True) for url in lacking
            ])

    def _own_settings(self) -> Settings:
        """The settings of the job's blog, for no more pages than a slice has."""
        settings = self._of_blog()
        most = self.settings.slice_pages
        if settings.max_pages is not None:
            most = max(1, min(most, settings.max_pages - self.grant.job.requests))
        return make_settings(settings.model_dump(exclude_unset=True, exclude={"blog"}), {"max_pages": most})

    def _of_blog(self) -> Settings:
        """The worker's settings, with those of the job, and then those of its blog, laid over them."""
        job = self.grant.job
        return make_settings(self.settings.model_dump(exclude_unset=True), job.settings).for_blog(job.url or "")

    def _after(self, report: Report, settings: Settings) -> SliceEnd:
        figures: dict[str, Any] = {"requests": report.tally.requests, "posts": report.tally.new_posts}
        total = self._of_blog().max_pages
        requests = self.grant.job.requests + report.tally.requests
        if report.ending == "interrupted" or (report.ending == "limit" and (total is None or requests < total)):
            reason = SLICE_OVER if report.ending == "limit" else report.reason
            return SliceEnd(end="again", reason=reason, **figures)
        if report.ending == "blocked":
            end = SliceEnd(end="later", reason=report.reason, **figures)
            # Who got something before that may well get more the next time.
            return replace(end, wait_seconds=FIRST_SECONDS) if report.tally.new_posts else self._tried(end)
        end = SliceEnd(end="dead" if report.ending == "nothing" else "done", reason=report.reason, **figures)
        if self._is_for_a_browser(settings) and (end.end == "dead" or self._lacks_comments(report, settings)):
            reason = f"{report.reason}; a worker with a browser goes on"
            return replace(end, end="again", reason=reason, needs_browser=True, anew=True)
        return end

    def _after_error(self, error: EverlogError) -> SliceEnd:
        if isinstance(error, (LeaseLost, ServiceDown)):
            raise error
        end = SliceEnd(end="later", reason=error.message, requests=self._requests())
        if isinstance(error, UsageError) and self._is_wrong():
            return replace(end, end="dead")
        if isinstance(error, NEEDS_EYES) and self._is_for_a_browser(self._own_settings()):
            return replace(end, end="again", needs_browser=True, anew=True)
        if isinstance(error, ArchiveBusy):
            return replace(end, wait_seconds=SHORT_SECONDS, waits_for=error.host)
        if isinstance(error, DiskFull) or self.archive.disk_failed:
            # Its disk is full, or its files cannot be written: another worker may do better.
            log.error("%s; this worker takes no further job", error.message)
            self.unusable = error
            return replace(end, wait_seconds=SHORT_SECONDS) if isinstance(error, DiskFull) else self._tried(end)
        return self._tried(end, error.until if isinstance(error, Blocked) else None)

    def _tried(self, end: SliceEnd, until: datetime | None = None) -> SliceEnd:
        """A job that could not be done now: when it is tried again, by the server's own word if it gave one."""
        tries, url = self.grant.job.tries, self.grant.job.url
        blog = home_known_as(fetchable(url), self.archive) if url is not None else None
        until = until or (self.archive.waits_until(blog.id) if blog is not None else None)
        told_seconds = (until - self.archive.moment()).total_seconds() if until is not None else 0.0
        if told_seconds > 0:
            return replace(end, wait_seconds=min(told_seconds, LONGEST_REMEMBERED.total_seconds()))
        if tries + 1 >= MOST_TRIES:
            return replace(end, end="dead", reason=f"{end.reason} ({MOST_TRIES} times)", failed=True)
        return replace(end, wait_seconds=FIRST_SECONDS * 2**tries, failed=True)

    def _is_wrong(self) -> bool:
        """Whether the job itself cannot be done, by any worker."""
        job = self.grant.job
        if job.url is None:
            return False
        try:
            url = fetchable(job.url)
            manners_of(url, self._own_settings().for_blog(url))
        except UsageError:
            return True
        return job.kind == "update" and home_known_as(url, self.archive) is None

    def _is_for_a_browser(self, settings: Settings) -> bool:
        """Whether another worker could draw what this one cannot."""
        if self.grant.job.needs_browser or settings.render == "never" or _can_draw(settings):
            return False
        return any(
            one.has_browser and not one.is_draining and one.silent_seconds <= SILENT_SECONDS
            for one in self.archive.workers()
        )

    def _lacks_comments(self, report: Report, settings: Settings) -> bool:
        """Whether comments of posts could not be had, and nobody has tried to draw them."""
        if not settings.comments:
            return False
        blog = home_known_as(fetchable(report.blog), self.archive)
        return blog is not None and bool(self.archive.without_comments(blog.id, least_tries=0, most_tries=1))

    def _hear(self, tally: Tally) -> None:
        self._tally = tally

    def _requests(self) -> int:
        return getattr(self._tally, "requests", None) or getattr(self._tally, "polls", 0) or 0

    def _take(self, reins: Reins) -> None:
        self._reins = reins
        if self._drained:
            reins.interrupt()
        elif time.monotonic() - self._began >= self.settings.slice_seconds:
            reins.wind_down()

    def _time_is_over(self) -> None:
        if self._reins is not None:
            self._reins.wind_down()

    def _look_up(self) -> None:
        """After each word to the database: is this worker to end, or its grant lost?"""
        if not self._drained and (self.tenure.is_lost or self._is_draining()):
            self._drained = True
            if self._reins is not None:
                self._reins.interrupt()

    def _is_draining(self) -> bool:
        try:
            return self.archive.worker_beat(self.worker)
        except EverlogError:
            return False


def _can_draw(settings: Settings) -> bool:
    from everlog.flow.rendering import can_draw  # noqa: PLC0415 - loads the browser's module

    return can_draw(settings)


def _called(job: Job) -> str:
    return job.url or f"{len(job.blog_ids)} feeds"


def _marks(grant: Grant) -> dict[str, Any]:
    """What a log for programs says of a slice."""
    job = grant.job
    return {"job": job.id, "kind": job.kind, "fence": grant.fence, "blog": job.url, "slice": job.slices + 1}
