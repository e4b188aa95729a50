"""Comment feed of a blog: one request names new comments on old posts.

Feeds of posts say nothing about comments on posts that have left them. Most blogs with comments have a second feed for
these; it holds the newest few, so what matters is which of its comments are not held, and on which posts.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from everlog.archive.blog_state import CommentFeedState
from everlog.comments.comment_markup import Thread
from everlog.comments.merging import merge
from everlog.core.retry_policy import is_passing
from everlog.core.urls import canonical
from everlog.history import BlogClues
from everlog.history.comment_history import comment_feed_of, read_comment_feed_page
from everlog.records import Blog, Comment, Failure, Fetched, Visit
from everlog.usecases.crawl.crawl_context import ENDED, CrawlContext, CrawlRun, Stop
from everlog.usecases.page.stored_pages import stored_page

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from everlog.archive import Archive
    from everlog.comments.comment_feeds import SiteComment

log = logging.getLogger("everlog")

NOT_MODIFIED = 304


@dataclass(frozen=True, slots=True, kw_only=True)
class SiteCommentFeed:
    """What a blog's comment feed says that is not held: new comments, by the keys of their posts."""

    feed: CommentFeedState = field(default_factory=CommentFeedState)
    answer: Fetched | None = None
    new: Mapping[str, tuple[Comment, ...]] = field(default_factory=dict)

    @property
    def posts(self) -> tuple[str, ...]:
        """The keys of the posts to look at."""
        return tuple(self.new)


NOTHING_NEW = SiteCommentFeed()


def known_feed(blog: Blog, archive: Archive) -> CommentFeedState:
    """The comment feed as it is remembered, else as the stored front page names it."""
    return archive.blogs.state(blog.id).comment_feed or CommentFeedState(url=_feed_named(blog, archive))


def _keep(feed: CommentFeedState, blog: Blog, archive: Archive) -> None:
    archive.blogs.change_state(blog.id, lambda state: replace(state, comment_feed=feed))


async def fetch_comment_feed(blog: Blog, run: CrawlRun) -> SiteCommentFeed:
    """Ask a blog's comment feed, if it is known to have one, with the condition that it changed."""
    if not run.settings.comments:
        return NOTHING_NEW
    feed = known_feed(blog, run.archive)
    if feed.url is None:
        return NOTHING_NEW
    answer = await run.fetcher.fetch(feed.url, purpose="feed", etag=feed.etag, last_modified=feed.last_modified)
    run.tally.requests += 1
    if isinstance(answer, Failure):
        log.info("comment feed: %s (%s)", feed.url, answer.reason)
        if not is_passing(answer):
            _keep(CommentFeedState(), blog, run.archive)
        return NOTHING_NEW
    if answer.answer.status == NOT_MODIFIED:
        return NOTHING_NEW
    site_comments = read_comment_feed_page(answer.answer.body, answer.answer.url)
    if site_comments is None:
        log.info("comment feed: %s is not a feed", feed.url)
        _keep(CommentFeedState(), blog, run.archive)
        return NOTHING_NEW
    comment_feed = _diff(blog, feed, answer, site_comments, run)
    if not comment_feed.new:
        _keep(comment_feed.feed, blog, run.archive)
    return comment_feed


async def store_comment_feed(comment_feed: SiteCommentFeed, context: CrawlContext, stop: Stop) -> None:
    """Store a comment feed when the posts it named were looked at; else it is told again at the next update."""
    if comment_feed.answer is None or comment_feed.feed.url is None or not comment_feed.new or stop.ending not in ENDED:
        return
    key = canonical(comment_feed.feed.url)
    context.is_new(key)
    await context.submit(Visit(
        blog_id=context.blog.id, url=comment_feed.feed.url, key=key, outcome="feed",
        exchanges=comment_feed.answer.exchanges,
    ))
    await context.drain()
    unheld = {
        mark: f"{key}#{comment.id}"
        for key, comments in comment_feed.new.items() for comment in _not_held(key, comments, context.archive)
        if (mark := _mark(comment)) is not None
    }
    feed = replace(comment_feed.feed, unheld={**comment_feed.feed.unheld, **unheld})
    _keep(feed, context.blog, context.archive)


def _diff(
    blog: Blog, feed: CommentFeedState, answer: Fetched, site_comments: Sequence[SiteComment], run: CrawlRun,
) -> SiteCommentFeed:
    by_post: dict[str, list[Comment]] = {}
    for each in site_comments:
        key = run.archive.posts.key(blog.id, *map(canonical, each.posts))
        if key is not None:
            by_post.setdefault(key, []).append(each.comment)
    marks = tuple(filter(None, (_mark(each.comment) for each in site_comments)))
    new = {
        key: fresh for key, comments in by_post.items()
        if (fresh := _not_held(key, [each for each in comments if _mark(each) not in feed.seen], run.archive))
    }
    are_all_new = bool(new) and sum(map(len, new.values())) == len(site_comments)
    if are_all_new and (feed.seen or run.archive.blogs.counts(blog.id).comments):
        # It holds the newest only: others may have come and gone since it was last asked.
        run.tally.remarks.append(
            f"{'the comment' if len(site_comments) == 1 else f'all {len(site_comments)} comments'} in {feed.url} "
            f"{'is' if len(site_comments) == 1 else 'are'} new: older ones may have been missed"
        )
    headers, found = answer.answer, _found_since(feed, by_post, run.archive)
    now = replace(
        feed, etag=headers.header("etag"), last_modified=headers.header("last-modified"), seen=marks,
        unheld={
            mark: place for mark, place in feed.unheld.items()
            if mark not in found and not _is_taken_down(mark, feed.seen, marks)
        },
        read_at=feed.read_at if marks == feed.seen and feed.read_at is not None else run.now(),
    )
    return SiteCommentFeed(feed=now, answer=answer, new=new)


def _found_since(feed: CommentFeedState, by_post: Mapping[str, Sequence[Comment]], archive: Archive) -> set[str | None]:
    """The marks of comments that were not held and are by now, be it under another number."""
    found = set[str | None]()
    for key, comments in by_post.items():
        waited_for = [each for each in comments if _mark(each) in feed.unheld]
        lacking = _not_held(key, waited_for, archive)
        found.update(_mark(each) for each in waited_for if each not in lacking)
    return found


def _is_taken_down(mark: str, before: Sequence[str], now: Sequence[str]) -> bool:
    """Whether a comment that a feed named is deleted, or waits for its moderator: too few new ones pushed it out.

    >>> _is_taken_down("7", ("8", "7", "6"), ("8", "6")), _is_taken_down("7", ("8", "7", "6"), ("10", "9", "8"))
    (True, False)
    >>> _is_taken_down("7", ("8", "7"), ("8",)), _is_taken_down("7", ("7",), ())
    (True, True)
    """
    if mark in now or mark not in before:
        return False
    new = next((place for place, each in enumerate(now) if each in before), len(now))
    return new < len(before) - before.index(mark)


def _not_held(key: str, comments: Sequence[Comment], archive: Archive) -> tuple[Comment, ...]:
    """Those of a post's comments that are not held with it."""
    held = archive.posts.find("http://" + key)
    if held is None or not comments:
        return ()
    before = Thread(source="held", comments=held.comments)
    return tuple(
        comment for comment in comments
        if len(merge([before, Thread(source="feed", comments=(comment,))], claimed=None).comments) > len(held.comments)
    )


def _mark(comment: Comment) -> str | None:
    return comment.url or comment.id


def _feed_named(blog: Blog, archive: Archive) -> str | None:
    """The comment feed that the stored front page names."""
    stored = stored_page(blog.home, blog, archive, rendered=False)
    clues = BlogClues(home=blog.home, home_page=stored.page if stored is not None else None, feed_url=blog.feed_url)
    return comment_feed_of(clues)
