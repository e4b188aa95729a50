"""What became of a blog whose feed is not there, and which posts are looked at again.

    feed_lost         the feed gave nothing: a passing trouble, another address, another owner, or the end;
                      `home_lost` the same of a blog without one
    is_other_owner    the feed answers, but with what may be another blog
    all_is_well       it answered as it should: what was feared is forgotten, a blog that was given up is back
    due_rechecks      posts to look at again now; `plan_rechecks` says when the others are due
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Literal

from everlog.core.links import keys_elsewhere, url_now
from everlog.core.urls import canonical, host_of
from everlog.feeds import feed_links
from everlog.records import Failure, Fetched, Link
from everlog.schedule.liveness import NO_BLOG_PROOF, OTHER_BLOG_PROOF, Failing, after_answers, answer_of
from everlog.schedule.ownership import is_known_by, traits_of
from everlog.schedule.rechecks import MOST_AT_ONCE
from everlog.usecases.discover.discover_blog import Found, as_feed
from everlog.usecases.learn.blog_fingerprint import ownership_of, recall_traits, remember_traits, root_of
from everlog.usecases.update.moved_blog import follow_home, happened, has_moved, leads_away

if TYPE_CHECKING:
    from everlog.records import Blog, Feed
    from everlog.schedule.liveness import Answer
    from everlog.usecases.crawl.lifecycle import CrawlRun

FAILING = "failing"
# Other feeds that are asked for when the known one is gone: those the home page names come first.
FEEDS_ASKED = 4

LostKind = Literal["passing", "feed-moved", "feed-gone", "moved", "dead", "other-owner"]
# After these a blog is not asked any more.
FINAL = frozenset({"feed-gone", "dead", "other-owner"})


@dataclass(frozen=True, slots=True, kw_only=True)
class LostBlog:
    """What it means that a feed gave no usable answer. `feed` is where it is now, `blog` as it is known from now on."""

    kind: LostKind
    reason: str
    blog: Blog
    feed: Found | None = None

    @property
    def is_final(self) -> bool:
        return self.kind in FINAL or self.blog.gone is not None


async def feed_lost(blog: Blog, failure: Failure, work: CrawlRun, *, is_online: bool = True) -> LostBlog:
    """Ask the home page what became of a feed that gave no usable answer.

    `is_online`: others answer this machine at this time. If nobody does, it is not this blog that is gone.
    """
    feed = answer_of(failure)
    if feed == "passing":
        return LostBlog(kind="passing", reason=failure.reason, blog=blog)
    if feed in {"no-name", "refused"} and not is_online:
        return LostBlog(kind="passing", reason=f"{failure.reason}; this machine may be offline", blog=blog)
    is_same_host = feed in {"no-name", "refused"} and host_of(failure.url) == host_of(blog.home)
    home = failure if is_same_host else await work.fetcher.fetch(blog.home)
    work.tally.requests += not is_same_host
    if isinstance(home, Fetched):
        return await _home_is_there(blog, failure, home, work)
    return _both_failed(blog, feed, answer_of(home), work)


def home_lost(blog: Blog, failure: Failure, work: CrawlRun, *, is_online: bool = True) -> LostBlog:
    """What it means that the home page of a blog without a feed gave no usable answer."""
    home = answer_of(failure)
    if home == "passing" or (home in {"no-name", "refused"} and not is_online):
        return LostBlog(kind="passing", reason=failure.reason, blog=blog)
    return _both_failed(blog, home, home, work)


def _both_failed(blog: Blog, feed: Answer, home: Answer, work: CrawlRun) -> LostBlog:
    verdict = after_answers(_failing(blog, work), feed, home, work.now())
    _remember_failing(blog, verdict.known, work)
    if verdict.kind == "dead":
        return _end(blog, "dead", verdict.reason, work)
    return LostBlog(kind="passing", reason=verdict.reason, blog=blog)


async def is_other_owner(blog: Blog, feed: Feed, work: CrawlRun) -> LostBlog | None:
    """What to do about a feed that may be another blog's; None: it is the same blog, go on.

    Asks nothing as long as the feed has a post that is held, or the name that it had.
    """
    archive = work.archive
    entries = [canonical(entry.link) for entry in feed.entries if entry.link]
    if not entries or any(archive.posts.key(blog.id, key, *keys_elsewhere(key, blog)) for key in entries):
        return None
    if is_known_by(recall_traits(blog, archive), traits_of(None, blog.home, feed)):
        return None
    home = await work.fetcher.fetch(blog.home)
    work.tally.requests += 1
    if isinstance(home, Failure):
        reason = f"the feed lists none of the archived posts, and the home page failed: {home.reason}"
        return LostBlog(kind="passing", reason=reason, blog=blog)
    ownership = await ownership_of(blog, home.page, feed, work)
    if ownership.is_same:
        _forget_failing(blog, work)
        return None
    return _suspected(blog, ownership.reason, work, has_blog=True)


def all_is_well(blog: Blog, work: CrawlRun, feed: Feed | None = None) -> Blog:
    """Forget what was feared for a blog that answered; one that was given up is back."""
    _forget_failing(blog, work)
    if feed is not None:
        remember_traits(blog, work.archive, feed)
    if blog.gone is None:
        return blog
    back = happened(blog, "back", f"it is reachable again, after: {blog.gone}", work)
    return work.archive.blogs.update(blog.id, gone=None, gone_at=None, events=[back])


def due_rechecks(blog: Blog, work: CrawlRun) -> tuple[str, ...]:
    """The keys of posts to look at again now, a few at a time; they are in the queue's table, and to be requeued."""
    most = timedelta(days=work.settings.recheck_days)
    if not most:
        return ()
    taken = work.archive.posts.rechecks.take(blog.id, now=work.now(), most=most, limit=MOST_AT_ONCE)
    links = [_where_now(key, url, blog) for key, url in taken]
    work.archive.urls.enqueue(blog.id, links)
    return tuple(link.key for link in links)


def has_due_rechecks(blog: Blog, work: CrawlRun) -> bool:
    """Whether any post is to be looked at again now: quick, for polls that bring nothing new."""
    return bool(work.settings.recheck_days) and work.archive.posts.rechecks.has_due(blog.id, now=work.now())


def plan_rechecks(blog: Blog, work: CrawlRun) -> None:
    """After a run: when posts that are new, missing or just changed are looked at again."""
    most = timedelta(days=work.settings.recheck_days)
    if most:
        work.archive.posts.rechecks.plan(blog.id, now=work.now(), most=most)


def _where_now(key: str, url: str, blog: Blog) -> Link:
    """Where a post's page is by now: below the present home, if its blog has moved."""
    now = url_now(url, blog)
    return Link(url=now, key=key if now == url else canonical(now), lane="post")


async def _home_is_there(blog: Blog, failure: Failure, home: Fetched, work: CrawlRun) -> LostBlog:
    """The feed is gone, the home page answers: does it name another feed, and is it the same blog?"""
    found = await _other_feed(home, failure.url, work)
    feed = found.feed if found is not None else None
    ownership = await ownership_of(blog, home.page, feed, work)
    if not ownership.is_same:
        return _suspected(blog, ownership.reason, work, has_blog=found is not None)
    if has_moved(blog, home, work.archive):
        blog = await follow_home(blog, home, feed, work)
        ends_there = canonical(blog.home) != canonical(home.page.url)
        if ends_there or found is not None:
            if found is not None and not ends_there:
                blog = all_is_well(work.archive.blogs.update(blog.id, feed_url=found.feed_url), work, feed)
            return LostBlog(kind="moved", reason=f"it moved to {home.page.url}", blog=blog, feed=found)
    elif found is not None and leads_away(blog, home, work.archive):
        return LostBlog(kind="passing", reason=f"the home page redirects to {home.page.url} for now", blog=blog)
    if found is not None:
        reason = f"the feed moved to {found.feed_url}: {blog.feed_url} failed: {failure.reason}"
        event = happened(blog, "feed-moved", reason, work, {"from": blog.feed_url or "", "to": found.feed_url or ""})
        blog = all_is_well(work.archive.blogs.update(blog.id, feed_url=found.feed_url, events=[event]), work, feed)
        return LostBlog(kind="feed-moved", reason=reason, blog=blog, feed=found)
    verdict = after_answers(_failing(blog, work), answer_of(failure), "well", work.now())
    _remember_failing(blog, verdict.known, work)
    if verdict.kind == "feed-gone":
        how = f"to continue without it:  everlog crawl {blog.home} --no-feed"
        return _end(blog, "feed-gone", f"{verdict.reason}; {how}", work)
    return LostBlog(kind="passing", reason=verdict.reason, blog=blog)


async def _other_feed(home: Fetched, lost: str, work: CrawlRun) -> Found | None:
    root = root_of(home.page)
    links = feed_links(root, home.page.url) if root is not None else ()
    tried = [link for link in links if not link.comments and canonical(link.url) != canonical(lost)][:FEEDS_ASKED]
    for link in tried:
        answer = await work.fetcher.fetch(link.url, purpose="feed")
        work.tally.requests += 1
        feed = None if isinstance(answer, Failure) else as_feed(answer)
        if feed is not None and isinstance(answer, Fetched):
            url = answer.answer.url
            return Found(home=home.page.url, home_page=home, feed_url=url, feed=feed, feed_page=answer)
    return None


def _suspected(blog: Blog, differences: str, work: CrawlRun, *, has_blog: bool) -> LostBlog:
    """Somebody else seems to be there: believed when it was seen again."""
    now = work.now()
    known = _failing(blog, work).seen("owner", (), now)
    _remember_failing(blog, known, work)
    if known.proves(OTHER_BLOG_PROOF if has_blog else NO_BLOG_PROOF, now):
        return _end(blog, "other-owner", f"{blog.home} now belongs to somebody else: {differences}", work)
    return LostBlog(kind="passing", reason=f"{blog.home} may belong to somebody else now: {differences}", blog=blog)


def _end(blog: Blog, kind: LostKind, reason: str, work: CrawlRun) -> LostBlog:
    """A blog that is not asked any more; whoever asks for it by hand is told why, and may find it back."""
    if blog.gone is None:
        ended = happened(blog, kind, reason, work)
        blog = work.archive.blogs.update(blog.id, gone=reason, gone_at=work.now(), events=[ended])
    _forget_failing(blog, work)
    return LostBlog(kind=kind, reason=reason, blog=blog)


def _failing(blog: Blog, work: CrawlRun) -> Failing:
    kept = json.loads(work.archive.blogs.recall(blog.id, FAILING) or "null")
    if kept is None:
        return Failing()
    since, last = datetime.fromisoformat(kept["since"]), datetime.fromisoformat(kept["last"])
    return Failing(what=kept["what"], since=since, last=last, looks=kept["looks"], answers=tuple(kept["answers"]))


def _remember_failing(blog: Blog, known: Failing, work: CrawlRun) -> None:
    if known.since is None or known.last is None:
        return
    value = {
        "what": known.what, "since": known.since.isoformat(), "last": known.last.isoformat(), "looks": known.looks,
        "answers": known.answers,
    }
    work.archive.blogs.remember(blog.id, FAILING, json.dumps(value))


def _forget_failing(blog: Blog, work: CrawlRun) -> None:
    if work.archive.blogs.recall(blog.id, FAILING) is not None:
        work.archive.blogs.remember(blog.id, FAILING, None)
