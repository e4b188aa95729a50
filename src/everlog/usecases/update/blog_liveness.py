"""Liveness of a blog: what became of one whose feed is not there, and which posts are looked at again.

    feed_lost         the feed gave nothing: a passing trouble, another address, another owner, or the end;
                      `home_lost` the same of a blog without one
    is_other_owner    the feed answers, but with what may be another blog; `led_away` redirects to one
    all_is_well       it answered as it should: what was feared is forgotten, a blog that was given up is back
    due_rechecks      posts to look at again now; `plan_rechecks` says when the others are due
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import timedelta
from typing import TYPE_CHECKING, Literal

from everlog.core.scope import keys_elsewhere, url_now
from everlog.core.urls import canonical, host_of
from everlog.feeds import feed_links
from everlog.records import Blog, Failure, Feed, Fetched, Link
from everlog.schedule.liveness import NO_BLOG_PROOF, OTHER_BLOG_PROOF, Answer, Failing, after_answers, answer_of
from everlog.schedule.ownership import is_known_by, traits_of
from everlog.schedule.rechecks import MOST_AT_ONCE
from everlog.usecases.discover.discover_blog import Found, as_feed
from everlog.usecases.learn.blog_fingerprint import keep_fingerprint, ownership_of, root_of, stored_fingerprint
from everlog.usecases.update.moved_blog import follow_home, happened, has_moved, leads_away

if TYPE_CHECKING:
    from everlog.usecases.crawl.crawl_context import CrawlRun

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


async def feed_lost(blog: Blog, failure: Failure, run: CrawlRun, *, is_online: bool = True) -> LostBlog:
    """Ask the home page what became of a feed that gave no usable answer.

    `is_online`: others answer this machine at this time. If nobody does, it is not this blog that is gone.
    """
    feed = answer_of(failure)
    if feed == "passing":
        return LostBlog(kind="passing", reason=failure.reason, blog=blog)
    if feed in {"no-name", "refused"} and not is_online:
        return LostBlog(kind="passing", reason=f"{failure.reason}; this machine may be offline", blog=blog)
    is_same_host = feed in {"no-name", "refused"} and host_of(failure.url) == host_of(blog.home)
    home = failure if is_same_host else await run.fetcher.fetch(blog.home)
    run.tally.requests += not is_same_host
    if isinstance(home, Fetched):
        return await _home_is_there(blog, failure, home, run)
    return _both_failed(blog, feed, answer_of(home), run)


def home_lost(blog: Blog, failure: Failure, run: CrawlRun, *, is_online: bool = True) -> LostBlog:
    """What it means that the home page of a blog without a feed gave no usable answer."""
    home = answer_of(failure)
    if home == "passing" or (home in {"no-name", "refused"} and not is_online):
        return LostBlog(kind="passing", reason=failure.reason, blog=blog)
    return _both_failed(blog, home, home, run)


def _both_failed(blog: Blog, feed: Answer, home: Answer, run: CrawlRun) -> LostBlog:
    verdict = after_answers(_failing(blog, run), feed, home, run.now())
    _remember_failing(blog, verdict.known, run)
    if verdict.kind == "dead":
        return _end(blog, "dead", verdict.reason, run)
    return LostBlog(kind="passing", reason=verdict.reason, blog=blog)


async def is_other_owner(blog: Blog, feed: Feed, run: CrawlRun) -> LostBlog | None:
    """What to do about a feed that may be another blog's; None: it is the same blog, go on.

    Asks nothing as long as the feed has a post that is held, or the name that it had.
    """
    archive = run.archive
    entries = [canonical(entry.link) for entry in feed.entries if entry.link]
    if not entries or any(archive.posts.key(blog.id, key, *keys_elsewhere(key, blog)) for key in entries):
        return None
    if is_known_by(stored_fingerprint(blog, archive), traits_of(None, blog.home, feed)):
        return None
    home = await run.fetcher.fetch(blog.home)
    run.tally.requests += 1
    if isinstance(home, Failure):
        reason = f"the feed lists none of the archived posts, and the home page failed: {home.reason}"
        return LostBlog(kind="passing", reason=reason, blog=blog)
    ownership = await ownership_of(blog, home.page, feed, run)
    if ownership.is_same:
        _forget_failing(blog, run)
        return None
    return _suspected(blog, ownership.reason, run, has_blog=True)


def all_is_well(blog: Blog, run: CrawlRun, feed: Feed | None = None) -> Blog:
    """Forget what was feared for a blog that answered; one that was given up is back."""
    _forget_failing(blog, run)
    if feed is not None:
        keep_fingerprint(blog, run.archive, feed)
    if blog.gone is None:
        return blog
    back = happened(blog, "back", f"it is reachable again, after: {blog.gone}", run)
    return run.archive.blogs.update(blog.id, gone=None, gone_at=None, events=[back])


def due_rechecks(blog: Blog, run: CrawlRun) -> tuple[str, ...]:
    """The keys of posts to look at again now, a few at a time; they are in the queue's table, and to be requeued."""
    most = timedelta(days=run.settings.recheck_days)
    if not most:
        return ()
    taken = run.archive.posts.rechecks.take(blog.id, now=run.now(), most=most, limit=MOST_AT_ONCE)
    links = [_where_now(key, url, blog) for key, url in taken]
    run.archive.urls.enqueue(blog.id, links)
    return tuple(link.key for link in links)


def has_due_rechecks(blog: Blog, run: CrawlRun) -> bool:
    """Whether any post is to be looked at again now: quick, for polls that bring nothing new."""
    return bool(run.settings.recheck_days) and run.archive.posts.rechecks.has_due(blog.id, now=run.now())


def plan_rechecks(blog: Blog, run: CrawlRun) -> None:
    """After a run: when posts that are new, missing or just changed are looked at again."""
    most = timedelta(days=run.settings.recheck_days)
    if most:
        run.archive.posts.rechecks.plan(blog.id, now=run.now(), most=most)


def _where_now(key: str, url: str, blog: Blog) -> Link:
    """Where a post's page is by now: below the present home, if its blog has moved."""
    now = url_now(url, blog)
    return Link(url=now, key=key if now == url else canonical(now), lane="post")


async def _home_is_there(blog: Blog, failure: Failure, home: Fetched, run: CrawlRun) -> LostBlog:
    """The feed is gone, the home page answers: does it name another feed, and is it the same blog?"""
    found = await _other_feed(home, failure.url, run)
    feed = found.feed if found is not None else None
    ownership = await ownership_of(blog, home.page, feed, run)
    if not ownership.is_same:
        return _suspected(blog, ownership.reason, run, has_blog=found is not None)
    if has_moved(blog, home, run.archive):
        blog, lost = await _after_move(blog, home, found, run)
        if lost is not None:
            return lost
    elif found is not None and leads_away(blog, home, run.archive):
        return LostBlog(kind="passing", reason=f"the home page redirects to {home.page.url} for now", blog=blog)
    if found is not None:
        reason = f"the feed moved to {found.feed_url}: {blog.feed_url} failed: {failure.reason}"
        event = happened(blog, "feed-moved", reason, run, {"from": blog.feed_url or "", "to": found.feed_url or ""})
        blog = all_is_well(run.archive.blogs.update(blog.id, feed_url=found.feed_url, events=[event]), run, feed)
        return LostBlog(kind="feed-moved", reason=reason, blog=blog, feed=found)
    verdict = after_answers(_failing(blog, run), answer_of(failure), "well", run.now())
    _remember_failing(blog, verdict.known, run)
    if verdict.kind == "feed-gone":
        how = f"to continue without it:  everlog crawl {blog.home} --no-feed"
        return _end(blog, "feed-gone", f"{verdict.reason}; {how}", run)
    return LostBlog(kind="passing", reason=verdict.reason, blog=blog)


async def _after_move(
    blog: Blog, home: Fetched, found: Found | None, run: CrawlRun,
) -> tuple[Blog, LostBlog | None]:
    """The blog where its home page redirects to, and what that means; None where its feed is still to be looked for."""
    move = await follow_home(blog, home, run)
    if move.another is not None:
        return blog, led_away(blog, move.another, run)
    blog = move.blog
    ends_there = canonical(blog.home) != canonical(home.page.url)
    if not ends_there and found is None:
        return blog, None
    if found is not None and not ends_there:
        blog = all_is_well(run.archive.blogs.update(blog.id, feed_url=found.feed_url), run, found.feed)
    return blog, LostBlog(kind="moved", reason=f"it moved to {home.page.url}", blog=blog, feed=found)


async def _other_feed(home: Fetched, lost: str, run: CrawlRun) -> Found | None:
    root = root_of(home.page)
    links = feed_links(root, home.page.url) if root is not None else ()
    tried = [link for link in links if not link.comments and canonical(link.url) != canonical(lost)][:FEEDS_ASKED]
    for link in tried:
        answer = await run.fetcher.fetch(link.url, purpose="feed")
        run.tally.requests += 1
        feed = None if isinstance(answer, Failure) else as_feed(answer)
        if feed is not None and isinstance(answer, Fetched):
            url = answer.answer.url
            return Found(home=home.page.url, home_page=home, feed_url=url, feed=feed, feed_page=answer)
    return None


def led_away(blog: Blog, why: str, run: CrawlRun) -> LostBlog:
    """The address of a blog leads to another blog for good, whoever writes that: believed when it was seen again."""
    return _seen_there(blog, f"{blog.home}: {why}", f"{blog.home}: {why}", run, has_blog=True)


def _suspected(blog: Blog, differences: str, run: CrawlRun, *, has_blog: bool) -> LostBlog:
    """Somebody else seems to be there: believed when it was seen again."""
    believed = f"{blog.home} now belongs to somebody else: {differences}"
    return _seen_there(
        blog, believed, f"{blog.home} may belong to somebody else now: {differences}", run, has_blog=has_blog,
    )


def _seen_there(blog: Blog, believed: str, feared: str, run: CrawlRun, *, has_blog: bool) -> LostBlog:
    now = run.now()
    failing = _failing(blog, run).seen("owner", (), now)
    _remember_failing(blog, failing, run)
    if failing.proves(OTHER_BLOG_PROOF if has_blog else NO_BLOG_PROOF, now):
        return _end(blog, "other-owner", believed, run)
    return LostBlog(kind="passing", reason=feared, blog=blog)


def _end(blog: Blog, kind: LostKind, reason: str, run: CrawlRun) -> LostBlog:
    """A blog that is not asked any more; whoever asks for it by hand is told why, and may find it back."""
    if blog.gone is None:
        ended = happened(blog, kind, reason, run)
        blog = run.archive.blogs.update(blog.id, gone=reason, gone_at=run.now(), events=[ended])
    _forget_failing(blog, run)
    return LostBlog(kind=kind, reason=reason, blog=blog)


def _failing(blog: Blog, run: CrawlRun) -> Failing:
    return run.archive.blogs.state(blog.id).failing or Failing()


def _remember_failing(blog: Blog, failing: Failing | None, run: CrawlRun) -> None:
    run.archive.blogs.change_state(blog.id, lambda state: replace(state, failing=failing))


def _forget_failing(blog: Blog, run: CrawlRun) -> None:
    _remember_failing(blog, None, run)
