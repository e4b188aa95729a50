"""One poll: ask a blog's feed whether it changed, visit what is new, and say when to ask again."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import TYPE_CHECKING

from everlog.archive.models import Poll
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
from everlog.records import Failure, Fetched
from everlog.schedule.freshness import allowed, open_hour
from everlog.schedule.poll_schedule import LONGEST_BACK_OFF, Observation, after_poll, first_polling, never_again
from everlog.usecases.crawl.stop_reasons import SLICE_OVER
from everlog.usecases.crawl.walk_lists import WALK
from everlog.usecases.learn.learned_blog import LearnedBlog
from everlog.usecases.update.blog_liveness import LostBlog, all_is_well, has_due_rechecks, home_lost
from everlog.usecases.update.comment_feed import hear_comments
from everlog.usecases.update.feed_diff import NOT_MODIFIED, FeedResponse, is_wanted_whole, read_news, told_by
from everlog.usecases.update.feed_status import ask_feed, hear
from everlog.usecases.update.update_blog import refresh_blog
from everlog.usecases.update.update_feedless import LOOKED

if TYPE_CHECKING:
    from datetime import datetime

    from everlog.archive import Archive
    from everlog.archive.models import Capture
    from everlog.records import Blog, Lane
    from everlog.usecases.crawl.lifecycle import CrawlRun
    from everlog.usecases.crawl.report import Report
    from everlog.usecases.update.comment_feed import SiteCommentFeed
    from everlog.usecases.update.feed_diff import FeedDiff

# Dates of posts that a blog's rhythm is told from at first.
DATES_READ = 200
# After these nothing more can be written, not even what was claimed.
FATAL = (DiskFull, DamagedArchive, LeaseLost, ServiceDown)
# When a blog is asked that somebody else is crawling just now.
BUSY = timedelta(minutes=1)


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
class _Look:
    """What the feed answered, before anything was done about it."""

    seen: Observation
    poll: Poll
    blog: Blog
    told: FeedResponse | None = None
    news: FeedDiff | None = None
    lost: LostBlog | None = None


def first_poll(blog: Blog, archive: Archive, now: datetime) -> Poll:
    """The first time for a blog that was not watched before, by the dates of its newest posts and its stored feed."""
    dates = archive.posts.newest_dates(blog.id, limit=DATES_READ)
    capture = archive.captures.find(blog.id, blog.feed_url) if blog.feed_url is not None else None
    seen = _said_then(capture, archive) if capture is not None else None
    if capture is None or seen is None:
        return Poll(blog_id=blog.id, polling=first_polling(dates, now, seed=blog.home))
    return Poll(
        blog_id=blog.id, polling=first_polling(dates, now, seed=blog.home, seen=seen),
        etag=capture.etag, last_modified=capture.last_modified, digest=capture.digest.removeprefix("sha256:"),
    )


def _said_then(capture: Capture, archive: Archive) -> Observation | None:
    """What the feed and its server said about the next request when it was stored; None if that cannot be read."""
    try:
        answer = archive.exchange(capture, purpose="feed")
    except EverlogError:
        return None
    may_ask = allowed(answer.headers, answer.fetched_at)
    told = told_by(Fetched(url=answer.url, exchanges=(answer,)))
    return Observation(
        kind="unchanged", allowed_at=may_ask.at if may_ask else None, signal=may_ask.signal if may_ask else None,
        hints=told.feed.hints if told is not None and told.feed is not None else None,
    )


async def poll_blog(poll: Poll, blog: Blog, work: CrawlRun, *, is_online: bool = True) -> PollResult:
    """Ask a blog what is new, visit that, and set the time of the next poll.

    `is_online`: others answer this machine at this time.
    """
    try:
        if blog.feed_url is None:
            return await _without_feed(poll, blog, work, is_online=is_online)
        return await _with_feed(poll, blog, work, is_online=is_online)
    except EverlogError as error:
        return _troubled(poll, blog, error, work)


def _troubled(poll: Poll, blog: Blog, error: EverlogError, work: CrawlRun) -> PollResult:
    """What becomes of a poll that ended in an error of this blog's; any other is raised."""
    if isinstance(error, (DiskFull, LeaseLost, ServiceDown)):
        raise error
    # An archive that failed while it stored something takes nothing more of any blog, and says so.
    work.archive.commit(())
    if isinstance(error, ArchiveBusy):
        # Somebody else is crawling it, so it is not the blog that is in trouble.
        soon = work.now() + BUSY
        soon = open_hour(max(soon, poll.polling.not_before or soon), poll.polling.hints)
        polling = replace(poll.polling, due_at=soon)
        return PollResult(
            poll=replace(poll, polling=polling), seen=Observation(kind="unchanged"), trouble=error.message,
        )
    if isinstance(error, NoBrowser):
        return _unseen(poll, blog, error, work)
    seen = Observation(kind="failed")
    if isinstance(error, Blocked):
        seen = Observation(kind="refused", allowed_at=work.archive.urls.waits_until(blog.id), signal=error.message)
    return _later(poll, blog, seen, work, trouble=error.message)


def _unseen(poll: Poll, blog: Blog, error: NoBrowser, work: CrawlRun) -> PollResult:
    """Its feed answered, and tells the same news again: whoever has a browser visits them."""
    polled = _later(poll, blog, Observation(kind="unchanged"), work, trouble=error.message)
    polling = polled.poll.polling
    # News that nobody could look at are still to come, to the rhythm of the blog too.
    polling = replace(polling, checked_at=poll.polling.checked_at, why=f"{polling.why}; {error.message}")
    known = LearnedBlog.of(blog)
    if polling.due_at is not None and (known is None or not known.is_scripted):
        # That it needs a browser now was told by pages that had to be asked for, and will have to be the next time.
        polling = replace(polling, due_at=max(polling.due_at, work.now() + LONGEST_BACK_OFF))
    return replace(polled, poll=replace(polled.poll, polling=polling), needs_browser=True)


async def _with_feed(poll: Poll, blog: Blog, work: CrawlRun, *, is_online: bool) -> PollResult:
    look = await _look(poll, blog, work, is_online=is_online)
    if look.lost is not None:
        polled = _later(look.poll, look.blog, look.seen, work, trouble=look.lost.reason)
        return _stopped(polled, look.lost.reason) if look.lost.is_final else polled
    talk: SiteCommentFeed | None = None
    if (look.news is None or look.news.is_quiet) and not _has_errands(look.blog, work):
        talk = await hear_comments(look.blog, work)
        if not talk.posts:
            return _later(look.poll, look.blog, look.seen, work)
    poll = _kept_until_allowed(poll, look, work)
    try:
        async with work.turn:
            if (now := _still_watched(look.blog, work)) is None:
                return _later(poll, look.blog, Observation(kind="unchanged"), work)
            report = await refresh_blog(now, work, told=look.told, talk=talk)
    except EverlogError as error:
        return _troubled(poll, look.blog, error, work)
    return _after_update(look, report, poll, work)


def _kept_until_allowed(poll: Poll, look: _Look, work: CrawlRun) -> Poll:
    """The poll as it was before this answer, but for when the next request may come.

    It is stored before the pages are visited: whatever ends that early, the feed is not asked before it may be, and
    then tells the same news again.
    """
    then = after_poll(poll.polling, look.seen, work.now(), seed=look.blog.home)
    if then.not_before is None:
        return poll
    polling = replace(
        poll.polling, due_at=open_hour(then.not_before, then.hints), not_before=then.not_before, hints=then.hints,
        signal=then.signal or look.seen.signal,
    )
    poll = replace(poll, polling=polling)
    work.archive.polls.set(poll)
    return poll


def _still_watched(blog: Blog, work: CrawlRun) -> Blog | None:
    """A blog as it is known after it waited for its turn; None if it is not watched any more."""
    now = work.archive.blogs.find(blog.home)
    return now if now is not None and now.id == blog.id and not (now.forgotten_at or now.gone) else None


def _has_errands(blog: Blog, work: CrawlRun) -> bool:
    """Whether an earlier update left something to ask the blog for, or older posts are to be looked at again."""
    archive = work.archive
    lanes: tuple[Lane, ...] = ("post", "page", "media") if work.settings.media else ("post", "page")
    return (
        has_due_rechecks(blog, work) or archive.urls.has_waiting(blog.id, lanes=lanes, now=work.now())
        or archive.blogs.recall(blog.id, WALK) is not None
        or (blog.feed_url is None and archive.blogs.recall(blog.id, LOOKED) is not None)
    )


async def _without_feed(poll: Poll, blog: Blog, work: CrawlRun, *, is_online: bool) -> PollResult:
    try:
        async with work.turn:
            if (now := _still_watched(blog, work)) is None:
                return _later(poll, blog, Observation(kind="unchanged"), work)
            report = await refresh_blog(now, work)
    except Unreachable as error:
        if error.failure is None:
            raise
        lost = home_lost(blog, error.failure, work, is_online=is_online)
        polled = _later(poll, blog, Observation(kind="failed"), work, trouble=lost.reason)
        return _stopped(polled, lost.reason) if lost.is_final else polled
    new_posts = report.tally.new_posts
    seen = Observation(kind="changed" if new_posts else "unchanged", published=_new_dates(blog, new_posts, work))
    return _after_update(_Look(seen=seen, poll=poll, blog=blog), report, poll, work)


def _new_dates(blog: Blog, new_posts: int, work: CrawlRun) -> tuple[datetime | None, ...]:
    """When the posts that an update brought were published, as far as they say so."""
    dates = work.archive.posts.newest_dates(blog.id, limit=min(new_posts, DATES_READ)) if new_posts else ()
    return dates or (None,) * bool(new_posts)


async def _look(poll: Poll, blog: Blog, work: CrawlRun, *, is_online: bool) -> _Look:
    """Ask the feed, and compare what it says with what it said."""
    answer = await ask_feed(blog, work, etag=poll.etag, last_modified=poll.last_modified)
    if isinstance(answer, Failure) and answer.trouble in {"robots", "rate-limited"}:
        seen = Observation(kind="refused", allowed_at=answer.until, signal=answer.reason if answer.until else None)
        return _Look(seen=seen, poll=poll, blog=blog, lost=LostBlog(kind="passing", reason=answer.reason, blog=blog))
    seen, asked = _told_when(answer, poll, work)
    if isinstance(answer, Fetched) and _is_as_before(answer, asked, poll, blog, work):
        if poll.polling.failures:
            blog = all_is_well(blog, work)
        return _Look(seen=seen, poll=asked, blog=blog, told=FeedResponse(answer=answer))
    heard = await hear(blog, answer, work, is_online=is_online)
    if heard.told is None or heard.lost is not None:
        lost = heard.lost or LostBlog(kind="passing", reason="its feed is gone", blog=heard.blog)
        return _Look(seen=replace(seen, kind="failed"), poll=poll, blog=heard.blog, lost=lost)
    if heard.told.answer is not answer:
        # The feed is elsewhere: what the next request names is what that one said.
        seen, asked = _told_when(heard.told.answer, poll, work)
    news = read_news(heard.blog, heard.told, work.archive)
    seen = replace(
        seen, kind="unchanged" if news.is_quiet else "changed",
        hints=heard.told.feed.hints if heard.told.feed is not None else None,
        published=tuple(entry.published or entry.updated for entry in news.fresh),
    )
    return _Look(seen=seen, poll=asked, blog=heard.blog, told=heard.told, news=news)


def _told_when(answer: Fetched | Failure, poll: Poll, work: CrawlRun) -> tuple[Observation, Poll]:
    """What an answer says about the next request: when it may come, and what it is to name."""
    may_ask = allowed(answer.exchanges[-1].headers if answer.exchanges else (), work.now())
    seen = Observation(
        kind="unchanged", allowed_at=may_ask.at if may_ask else None, signal=may_ask.signal if may_ask else None,
    )
    if isinstance(answer, Failure):
        return replace(seen, kind="failed"), poll
    digest = hashlib.sha256(answer.answer.body).hexdigest() if answer.answer.body else poll.digest
    return seen, _with_validators(replace(poll, digest=digest), answer)


def _is_as_before(answer: Fetched, asked: Poll, poll: Poll, blog: Blog, work: CrawlRun) -> bool:
    """Whether a feed says what it said, at the same address."""
    if len(answer.exchanges) > 1:
        return False
    return answer.answer.status == NOT_MODIFIED or (
        asked.digest == poll.digest and not is_wanted_whole(blog, work.archive)
    )


def _with_validators(poll: Poll, answer: Fetched) -> Poll:
    """What the next request names, so that only another feed is sent."""
    etag, last_modified = answer.answer.header("etag"), answer.answer.header("last-modified")
    if answer.answer.status == NOT_MODIFIED:
        # An answer "not modified" may leave out what was said before.
        return replace(poll, etag=etag or poll.etag, last_modified=last_modified or poll.last_modified)
    return replace(poll, etag=etag, last_modified=last_modified)


def _after_update(look: _Look, report: Report, kept: Poll, work: CrawlRun) -> PollResult:
    seen, blog, poll = look.seen, look.blog, look.poll
    if report.ending == "blocked":
        until = work.archive.urls.waits_until(blog.id)
        seen = replace(seen, kind="refused", allowed_at=until, signal=report.reason)
        # What the feed itself asked for holds as well.
        poll = replace(poll, polling=kept.polling)
    polled = _later(poll, blog, seen, work, report=report)
    is_cut_short = report.reason == SLICE_OVER and _has_errands(blog, work)
    if report.ending != "interrupted" and not is_cut_short:
        return polled
    # What was not visited waits in the queue, and need not wait for longer than the server wants.
    polling = polled.poll.polling
    soonest = open_hour(max(work.now(), polling.not_before or work.now()), polling.hints)
    return replace(polled, poll=replace(polled.poll, polling=replace(polling, due_at=soonest)))


def _later(
    poll: Poll, blog: Blog, seen: Observation, work: CrawlRun, *, report: Report | None = None,
    trouble: str | None = None,
) -> PollResult:
    now = work.now()
    polling = after_poll(poll.polling, seen, now, seed=blog.home)
    return PollResult(poll=replace(poll, polling=polling), seen=seen, report=report, trouble=trouble)


def _stopped(polled: PollResult, why: str) -> PollResult:
    """The same poll, after which the blog is not asked any more."""
    return replace(polled, poll=replace(polled.poll, polling=never_again(polled.poll.polling, why)))
