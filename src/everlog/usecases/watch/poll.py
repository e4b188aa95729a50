"""Poll of one blog: ask its interface or its feed what is new, visit that, and say when to poll again.

Where an interface told the blog's history it is asked first: it tells all that a feed does, and edits, deletions and
comments of old posts too. The feed is asked where there is none, or where it does not answer.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from everlog.core.retry_policy import BUSY_POLL_WAIT, LONGEST_FEED_BACKOFF
from everlog.errors import (
    ArchiveBusy,
    Blocked,
    DamagedArchive,
    DiskFull,
    EverlogError,
    LeaseLost,
    NoBrowser,
    ServiceDown,
    Unreachable,
)
from everlog.records import Blog, Failure, Fetched, Lane
from everlog.schedule.freshness import allowed, open_hour
from everlog.schedule.poll_schedule import Observation, after_poll, never_again
from everlog.usecases.crawl.crawl_context import SLICE_OVER, CrawlRun
from everlog.usecases.crawl.lifecycle import crawl_info
from everlog.usecases.crawl.records_only import refresh_records, with_pages_as_before
from everlog.usecases.learn.learned_blog import LearnedBlog
from everlog.usecases.page.requisite_links import file_lanes
from everlog.usecases.update.blog_liveness import LostBlog, all_is_well, has_due_rechecks, home_lost
from everlog.usecases.update.comment_feed import SiteCommentFeed, fetch_comment_feed
from everlog.usecases.update.feed_diff import NOT_MODIFIED, FeedDiff, FeedResponse, diff_feed, is_wanted_whole
from everlog.usecases.update.update_blog import fetch_feed, interpret_response, refresh_blog
from everlog.usecases.update.update_history import ToldChanges, has_interface, keep_changes, told_changes
from everlog.usecases.watch.poll_source import DATES_READ

if TYPE_CHECKING:
    from datetime import datetime

    from everlog.archive.models import Poll
    from everlog.usecases.crawl.report import Report

# Why a blog whose records alone are wanted has none that are new.
NO_INTERFACE = "its interface is not reachable"
# After these nothing more can be written, not even what was claimed.
FATAL = (DiskFull, DamagedArchive, LeaseLost, ServiceDown)


@dataclass(frozen=True, slots=True, kw_only=True)
class PollResult:
    """What came of a poll; `report` is there if pages were visited, `trouble` if there was no answer to use.

    `needs_browser`: there are news, and only a browser shows them.
    """

    poll: Poll
    seen: Observation
    report: Report | None = None
    trouble: str | None = None
    needs_browser: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class _FeedCheck:
    """What the feed answered, before anything was done about it."""

    seen: Observation
    poll: Poll
    blog: Blog
    response: FeedResponse | None = None
    diff: FeedDiff | None = None
    lost: LostBlog | None = None


async def poll_blog(poll: Poll, blog: Blog, run: CrawlRun, *, is_online: bool = True) -> PollResult:
    """Ask a blog what is new, visit that, and set the time of the next poll.

    `is_online`: others answer this machine at this time.
    """
    run = with_pages_as_before(blog, run)
    try:
        comment_feed: SiteCommentFeed | None = None
        if has_interface(blog, run):
            with run.archive.lock(blog.id, crawl_info(run.settings)):
                comment_feed = await fetch_comment_feed(blog, run)
                changes = await told_changes(blog, run, comment_feed)
            if changes is not None:
                return await _with_changes(poll, blog, changes, run)
        if LearnedBlog.of(blog) is None:
            return _later(poll, blog, Observation(kind="failed"), run, trouble=NO_INTERFACE)
        if blog.feed_url is None:
            return await _without_feed(poll, blog, run, is_online=is_online, comment_feed=comment_feed)
        return await _with_feed(poll, blog, run, is_online=is_online, comment_feed=comment_feed)
    except EverlogError as error:
        return _troubled(poll, blog, error, run)


async def _with_changes(poll: Poll, blog: Blog, changes: ToldChanges, run: CrawlRun) -> PollResult:
    """Visit what the blog's interface says is new."""
    if poll.polling.failures:
        blog = all_is_well(blog, run)
    seen = Observation(kind="changed" if changes.news else "unchanged")
    has_rechecks = not changes.is_counted and has_due_rechecks(blog, run)
    if changes.is_quiet and not has_rechecks and not _has_waiting_pages(blog, run):
        keep_changes(changes, blog, run)
        return _later(poll, blog, seen, run)
    async with run.turn:
        if (now := _still_watched(blog, run)) is None:
            return _later(poll, blog, Observation(kind="unchanged"), run)
        is_learned = LearnedBlog.of(now) is not None
        report = await (refresh_blog(now, run, changes=changes) if is_learned else refresh_records(now, changes, run))
    seen = replace(seen, published=_new_dates(blog, report.tally.new_posts, run))
    return _after_update(_FeedCheck(seen=seen, poll=poll, blog=blog), report, poll, run)


def _troubled(poll: Poll, blog: Blog, error: EverlogError, run: CrawlRun) -> PollResult:
    """What becomes of a poll that ended in an error of this blog's; any other is raised."""
    if isinstance(error, (DiskFull, LeaseLost, ServiceDown)):
        raise error
    # An archive that failed while it stored something takes nothing more of any blog, and says so.
    run.archive.commit(())
    if isinstance(error, ArchiveBusy):
        # Somebody else is crawling it, so it is not the blog that is in trouble.
        soon = run.now() + BUSY_POLL_WAIT
        soon = open_hour(max(soon, poll.polling.not_before or soon), poll.polling.hints)
        polling = replace(poll.polling, due_at=soon)
        return PollResult(
            poll=replace(poll, polling=polling), seen=Observation(kind="unchanged"), trouble=error.message,
        )
    if isinstance(error, NoBrowser):
        return _unseen(poll, blog, error, run)
    seen = Observation(kind="failed")
    if isinstance(error, Blocked):
        seen = Observation(kind="refused", allowed_at=run.archive.urls.waits_until(blog.id), signal=error.message)
    return _later(poll, blog, seen, run, trouble=error.message)


def _unseen(poll: Poll, blog: Blog, error: NoBrowser, run: CrawlRun) -> PollResult:
    """Its feed answered, and tells the same news again: whoever has a browser visits them."""
    polled = _later(poll, blog, Observation(kind="unchanged"), run, trouble=error.message)
    polling = polled.poll.polling
    # News that nobody could look at are still to come, to the rhythm of the blog too.
    polling = replace(polling, checked_at=poll.polling.checked_at, why=f"{polling.why}; {error.message}")
    learned = LearnedBlog.of(blog)
    if polling.due_at is not None and (learned is None or not learned.is_scripted):
        # That it needs a browser now was told by pages that had to be asked for, and will have to be the next time.
        polling = replace(polling, due_at=max(polling.due_at, run.now() + LONGEST_FEED_BACKOFF))
    return replace(polled, poll=replace(polled.poll, polling=polling), needs_browser=True)


async def _with_feed(
    poll: Poll, blog: Blog, run: CrawlRun, *, is_online: bool, comment_feed: SiteCommentFeed | None,
) -> PollResult:
    """Ask the feed; `comment_feed` is what that of all comments says, if it was asked already."""
    check = await _check(poll, blog, run, is_online=is_online)
    if check.lost is not None:
        polled = _later(check.poll, check.blog, check.seen, run, trouble=check.lost.reason)
        return _stopped(polled, check.lost.reason) if check.lost.is_final else polled
    if (check.diff is None or check.diff.is_quiet) and not _has_pending_work(check.blog, run):
        comment_feed = comment_feed or await fetch_comment_feed(check.blog, run)
        if not comment_feed.posts:
            return _later(check.poll, check.blog, check.seen, run)
    poll = _kept_until_allowed(poll, check, run)
    try:
        async with run.turn:
            if (now := _still_watched(check.blog, run)) is None:
                return _later(poll, check.blog, Observation(kind="unchanged"), run)
            report = await refresh_blog(
                now, run, response=check.response, comment_feed=comment_feed, asks_interface=False,
            )
    except EverlogError as error:
        return _troubled(poll, check.blog, error, run)
    return _after_update(check, report, poll, run)


def _kept_until_allowed(poll: Poll, check: _FeedCheck, run: CrawlRun) -> Poll:
    """The poll as it was before this answer, but for when the next request may come.

    It is stored before the pages are visited: whatever ends that early, the feed is not asked before it may be, and
    then tells the same news again.
    """
    then = after_poll(poll.polling, check.seen, run.now(), seed=check.blog.home)
    if then.not_before is None:
        return poll
    polling = replace(
        poll.polling, due_at=open_hour(then.not_before, then.hints), not_before=then.not_before, hints=then.hints,
        signal=then.signal or check.seen.signal,
    )
    poll = replace(poll, polling=polling)
    run.archive.polls.set(poll)
    return poll


def _still_watched(blog: Blog, run: CrawlRun) -> Blog | None:
    """A blog as it is known after it waited for its turn; None if it is not watched any more."""
    now = run.archive.blogs.find(blog.home)
    return now if now is not None and now.id == blog.id and not (now.forgotten_at or now.gone) else None


def _has_pending_work(blog: Blog, run: CrawlRun) -> bool:
    """Whether an earlier update left something to ask the blog for, or older posts are to be looked at again."""
    if has_due_rechecks(blog, run) or _has_waiting_pages(blog, run):
        return True
    state = run.archive.blogs.state(blog.id)
    return state.walk is not None or (blog.feed_url is None and state.update is not None)


def _has_waiting_pages(blog: Blog, run: CrawlRun) -> bool:
    """Whether an earlier update left pages or media to fetch."""
    lanes: tuple[Lane, ...] = ("post", "page", *file_lanes(run.settings))
    return run.settings.pages and run.archive.urls.has_waiting(blog.id, lanes=lanes, now=run.now())


async def _without_feed(
    poll: Poll, blog: Blog, run: CrawlRun, *, is_online: bool, comment_feed: SiteCommentFeed | None,
) -> PollResult:
    try:
        async with run.turn:
            if (now := _still_watched(blog, run)) is None:
                return _later(poll, blog, Observation(kind="unchanged"), run)
            report = await refresh_blog(now, run, comment_feed=comment_feed, asks_interface=False)
    except Unreachable as error:
        if error.failure is None:
            raise
        lost = home_lost(blog, error.failure, run, is_online=is_online)
        polled = _later(poll, blog, Observation(kind="failed"), run, trouble=lost.reason)
        return _stopped(polled, lost.reason) if lost.is_final else polled
    new_posts = report.tally.new_posts
    seen = Observation(kind="changed" if new_posts else "unchanged", published=_new_dates(blog, new_posts, run))
    return _after_update(_FeedCheck(seen=seen, poll=poll, blog=blog), report, poll, run)


def _new_dates(blog: Blog, new_posts: int, run: CrawlRun) -> tuple[datetime | None, ...]:
    """When the posts that an update brought were published, as far as they say so."""
    dates = run.archive.posts.newest_dates(blog.id, limit=min(new_posts, DATES_READ)) if new_posts else ()
    return dates or (None,) * bool(new_posts)


async def _check(poll: Poll, blog: Blog, run: CrawlRun, *, is_online: bool) -> _FeedCheck:
    """Ask the feed, and compare what it says with what it said."""
    answer = await fetch_feed(blog, run, etag=poll.etag, last_modified=poll.last_modified)
    if isinstance(answer, Failure) and answer.trouble in {"robots", "rate-limited"}:
        seen = Observation(kind="refused", allowed_at=answer.until, signal=answer.reason if answer.until else None)
        lost = LostBlog(kind="passing", reason=answer.reason, blog=blog)
        return _FeedCheck(seen=seen, poll=poll, blog=blog, lost=lost)
    seen, next_poll = _next_request(answer, poll, run)
    if isinstance(answer, Fetched) and _is_as_before(answer, next_poll, poll, blog, run):
        if poll.polling.failures:
            blog = all_is_well(blog, run)
        return _FeedCheck(seen=seen, poll=next_poll, blog=blog, response=FeedResponse(answer=answer))
    status = await interpret_response(blog, answer, run, is_online=is_online)
    if status.response is None or status.lost is not None:
        lost = status.lost or LostBlog(kind="passing", reason="its feed is gone", blog=status.blog)
        return _FeedCheck(seen=replace(seen, kind="failed"), poll=poll, blog=status.blog, lost=lost)
    if status.response.answer is not answer:
        # The feed is elsewhere: what the next request names is what that one said.
        seen, next_poll = _next_request(status.response.answer, poll, run)
    diff = diff_feed(status.blog, status.response, run.archive)
    seen = replace(
        seen, kind="unchanged" if diff.is_quiet else "changed",
        hints=status.response.feed.hints if status.response.feed is not None else None,
        published=tuple(entry.published or entry.updated for entry in diff.fresh),
    )
    return _FeedCheck(seen=seen, poll=next_poll, blog=status.blog, response=status.response, diff=diff)


def _next_request(answer: Fetched | Failure, poll: Poll, run: CrawlRun) -> tuple[Observation, Poll]:
    """What an answer says about the next request: when it may come, and what it is to name."""
    may_ask = allowed(answer.exchanges[-1].headers if answer.exchanges else (), run.now())
    seen = Observation(
        kind="unchanged", allowed_at=may_ask.at if may_ask else None, signal=may_ask.signal if may_ask else None,
    )
    if isinstance(answer, Failure):
        return replace(seen, kind="failed"), poll
    digest = hashlib.sha256(answer.answer.body).hexdigest() if answer.answer.body else poll.digest
    return seen, _with_validators(replace(poll, digest=digest), answer)


def _is_as_before(answer: Fetched, next_poll: Poll, poll: Poll, blog: Blog, run: CrawlRun) -> bool:
    """Whether a feed says what it said, at the same address."""
    if len(answer.exchanges) > 1:
        return False
    return answer.answer.status == NOT_MODIFIED or (
        next_poll.digest == poll.digest and not is_wanted_whole(blog, run.archive)
    )


def _with_validators(poll: Poll, answer: Fetched) -> Poll:
    """What the next request names, so that only another feed is sent."""
    etag, last_modified = answer.answer.header("etag"), answer.answer.header("last-modified")
    if answer.answer.status == NOT_MODIFIED:
        # An answer "not modified" may leave out what was said before.
        return replace(poll, etag=etag or poll.etag, last_modified=last_modified or poll.last_modified)
    return replace(poll, etag=etag, last_modified=last_modified)


def _after_update(check: _FeedCheck, report: Report, kept: Poll, run: CrawlRun) -> PollResult:
    seen, blog, poll = check.seen, check.blog, check.poll
    if report.ending == "blocked":
        until = run.archive.urls.waits_until(blog.id)
        seen = replace(seen, kind="refused", allowed_at=until, signal=report.reason)
        # What the feed itself asked for holds as well.
        poll = replace(poll, polling=kept.polling)
    polled = _later(poll, blog, seen, run, report=report)
    is_cut_short = report.reason == SLICE_OVER and _has_pending_work(blog, run)
    if report.ending != "interrupted" and not is_cut_short:
        return polled
    # What was not visited waits in the queue, and need not wait for longer than the server wants.
    polling = polled.poll.polling
    soonest = open_hour(max(run.now(), polling.not_before or run.now()), polling.hints)
    return replace(polled, poll=replace(polled.poll, polling=replace(polling, due_at=soonest)))


def _later(
    poll: Poll, blog: Blog, seen: Observation, run: CrawlRun, *, report: Report | None = None,
    trouble: str | None = None,
) -> PollResult:
    now = run.now()
    polling = after_poll(poll.polling, seen, now, seed=blog.home)
    return PollResult(poll=replace(poll, polling=polling), seen=seen, report=report, trouble=trouble)


def _stopped(polled: PollResult, why: str) -> PollResult:
    """The same poll, after which the blog is not asked any more."""
    return replace(polled, poll=replace(polled.poll, polling=never_again(polled.poll.polling, why)))
