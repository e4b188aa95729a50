"""Outcome policy of a slice: its job is done, queued again, retried later, given up, or passed to a browser."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from everlog.archive.job_models import Lease, SliceResult
from everlog.archive.lease_holder import LEASE_TIMEOUT_SECONDS
from everlog.core.retry_policy import (
    BUSY_JOB_SECONDS,
    JOB_FIRST_SECONDS,
    JOB_TRIES,
    LONGEST_REMEMBERED,
    job_wait_seconds,
)
from everlog.errors import ArchiveBusy, Blocked, DiskFull, EverlogError, LeaseLost, NoBrowser, ServiceDown, UsageError
from everlog.settings import Settings, make_settings
from everlog.usecases.crawl.crawl_context import SLICE_OVER
from everlog.usecases.discover.held_blog import home_known_as
from everlog.usecases.discover.typed_address import fetchable
from everlog.usecases.sessions import fetch_policy

if TYPE_CHECKING:
    from datetime import datetime

    from everlog.archive import Archive
    from everlog.usecases.crawl.report import Report

# Whoever asks to be left alone for longer than this is asked in another slice: this one's process has others to ask. It
# is more than the longest Crawl-delay that is heeded (60 s), twice over.
LONGEST_WAIT_SECONDS = 150.0


@dataclass(frozen=True, slots=True)
class OutcomePolicy:
    """Outcome policy for one slice of a job; `settings` are the worker's."""

    lease: Lease
    archive: Archive
    settings: Settings

    def own_settings(self) -> Settings:
        """Settings of the job's blog, for no more pages than a slice has."""
        settings = self.of_blog()
        most = self.settings.slice_pages
        if settings.max_pages is not None:
            most = max(1, min(most, settings.max_pages - self.lease.job.requests))
        settings = make_settings(settings.chosen() | {"blog": None}, {"max_pages": most})
        return impatient(settings)

    def of_blog(self) -> Settings:
        """Settings of the worker, with those of the job, and then those of its blog, laid over them."""
        job = self.lease.job
        return make_settings(self.settings.chosen(), job.settings).for_blog(job.url or "")

    def after(self, report: Report, settings: Settings) -> SliceResult:
        """Outcome of a crawl that ran."""
        counts: dict[str, Any] = {"requests": report.tally.requests, "posts": report.tally.new_posts}
        total = self.of_blog().max_pages
        requests = self.lease.job.requests + report.tally.requests
        if report.ending == "interrupted" or (report.ending == "limit" and (total is None or requests < total)):
            reason = SLICE_OVER if report.ending == "limit" else report.reason
            return SliceResult(end="again", reason=reason, **counts)
        if report.ending == "blocked":
            end = SliceResult(end="later", reason=report.reason, **counts)
            # Who got something before that may well get more the next time.
            if report.tally.new_posts:
                return replace(end, wait_seconds=JOB_FIRST_SECONDS)
            return self._retry(end, is_told=not report.tally.guessed_wait)
        end = SliceResult(end="dead" if report.ending == "nothing" else "done", reason=report.reason, **counts)
        if end.end == "done" and self.is_for_a_browser(settings) and self.lacks_comments(report, settings):
            reason = f"{report.reason}; a worker with a browser continues"
            return replace(end, end="again", reason=reason, needs_browser=True, anew=True)
        return end

    def after_error(self, error: EverlogError, *, requests: int) -> SliceResult:
        """Outcome of an error; lost leases and services that are down are raised."""
        if isinstance(error, (LeaseLost, ServiceDown)):
            raise error
        end = SliceResult(end="later", reason=error.message, requests=requests)
        if isinstance(error, UsageError) and self._is_wrong():
            return replace(end, end="dead")
        if isinstance(error, NoBrowser) and self.is_for_a_browser(self.own_settings()):
            return replace(end, end="again", needs_browser=True, anew=True)
        if isinstance(error, ArchiveBusy):
            return replace(end, wait_seconds=BUSY_JOB_SECONDS, waits_for=error.host)
        if isinstance(error, DiskFull):
            return replace(end, wait_seconds=BUSY_JOB_SECONDS)
        if isinstance(error, Blocked):
            return self._retry(end, error.until, is_told=error.is_told)
        return self._retry(end)

    def _retry(self, end: SliceResult, until: datetime | None = None, *, is_told: bool = True) -> SliceResult:
        """Retry of a job that could not be done now: when the server asked for, else with a growing back-off."""
        tries, url = self.lease.job.tries, self.lease.job.url
        blog = home_known_as(fetchable(url), self.archive) if url is not None else None
        until = until or (self.archive.urls.waits_until(blog.id) if blog is not None else None)
        told_seconds = (until - self.archive.jobs.now()).total_seconds() if until is not None else 0.0
        if told_seconds > 0 and is_told:
            return replace(end, wait_seconds=min(told_seconds, LONGEST_REMEMBERED.total_seconds()))
        wait_seconds = job_wait_seconds(tries)
        if wait_seconds is None:
            return replace(end, end="dead", reason=f"{end.reason} ({JOB_TRIES} times)", failed=True)
        return replace(end, wait_seconds=max(wait_seconds, told_seconds), failed=True)

    def _is_wrong(self) -> bool:
        """Whether the job itself cannot be done, by any worker."""
        job = self.lease.job
        if job.url is None:
            return False
        try:
            url = fetchable(job.url)
            fetch_policy(url, self.own_settings().for_blog(url))
        except UsageError:
            return True
        return job.kind == "update" and home_known_as(url, self.archive) is None

    def is_forgotten(self) -> bool:
        """Whether the blog was forgotten since the job was added."""
        job = self.lease.job
        blog = home_known_as(fetchable(job.url or ""), self.archive)
        return blog is not None and blog.forgotten_at is not None and blog.forgotten_at > job.added_at

    def is_for_a_browser(self, settings: Settings) -> bool:
        """Whether another worker could render what this one cannot."""
        if self.lease.job.needs_browser or settings.render == "never" or can_draw_with(settings):
            return False
        return any(
            one.has_browser and not one.is_draining and one.silent_seconds <= LEASE_TIMEOUT_SECONDS
            for one in self.archive.workers()
        )

    def lacks_comments(self, report: Report, settings: Settings) -> bool:
        """Whether comments of posts are missing, and nobody has tried to render them."""
        if not settings.comments:
            return False
        blog = home_known_as(fetchable(report.blog), self.archive)
        return blog is not None and bool(self.archive.comments.lacking(blog.id, least_tries=0, most_tries=1))


def impatient(settings: Settings) -> Settings:
    """Settings that do not wait long for any host."""
    wait = {"longest_wait": min(settings.longest_wait, LONGEST_WAIT_SECONDS)}
    return make_settings(settings.chosen(), wait)


def can_draw_with(settings: Settings) -> bool:
    """Whether this worker has a browser, and may use it."""
    from everlog.usecases.page.rendering import can_render  # noqa: PLC0415 - loads the browser's module

    return can_render(settings)
