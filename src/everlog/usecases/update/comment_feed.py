"""The feed of all comments of a blog: one request names new comments on old posts.

Feeds of posts say nothing about comments on posts that have left them. Most blogs with comments have a second feed for
these; it holds the newest few, so what matters is which of its comments are not held, and on which posts.
"""

from __future__ import annotations

import json
import logging
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING

from everlog.comments.comment_markup import Thread
from everlog.comments.merging import merge
from everlog.core.urls import canonical
from everlog.history import BlogClues, comment_history
from everlog.records import Failure, Visit
from everlog.usecases.crawl.stop_reasons import ENDED
from everlog.usecases.learn.relearn import stored_page
from everlog.usecases.page.failures import is_passing

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from everlog.archive import Archive
    from everlog.comments.comment_feeds import SiteComment
    from everlog.records import Blog, Comment, Fetched
    from everlog.usecases.crawl.crawl_context import CrawlContext
    from everlog.usecases.crawl.lifecycle import CrawlRun
    from everlog.usecases.crawl.stop_reasons import Stop

log = logging.getLogger("everlog")

NOT_MODIFIED = 304
# Where what is known of the feed is remembered.
TALK = "comments feed"


@dataclass(frozen=True, slots=True, kw_only=True)
class CommentsFeed:
    """What is known of a blog's comment feed: None for its `url` if there is none, and the comments it named last."""

    url: str | None = None
    etag: str | None = None
    last_modified: str | None = None
    seen: tuple[str, ...] = ()

    @classmethod
    def of(cls, blog: Blog, archive: Archive) -> CommentsFeed:
        """As it is remembered, else as the stored front page names it."""
        kept = archive.blogs.recall(blog.id, TALK)
        if kept is not None:
            said = json.loads(kept)
            return cls(**{**said, "seen": tuple(said["seen"])})
        return cls(url=_feed_named(blog, archive))

    def keep(self, blog: Blog, archive: Archive) -> None:
        archive.blogs.remember(blog.id, TALK, json.dumps(asdict(self)))


@dataclass(frozen=True, slots=True, kw_only=True)
class SiteCommentFeed:
    """What a blog's comment feed says that is not held: new comments, by the keys of their posts."""

    feed: CommentsFeed = field(default_factory=CommentsFeed)
    answer: Fetched | None = None
    new: Mapping[str, tuple[Comment, ...]] = field(default_factory=dict)

    @property
    def posts(self) -> tuple[str, ...]:
        """The keys of the posts to look at."""
        return tuple(self.new)


NO_TALK = SiteCommentFeed()


async def hear_comments(blog: Blog, work: CrawlRun) -> SiteCommentFeed:
    """Ask a blog's comment feed, if it is known to have one, with the condition that it changed."""
    if not work.settings.comments:
        return NO_TALK
    feed = CommentsFeed.of(blog, work.archive)
    if feed.url is None:
        return NO_TALK
    answer = await work.fetcher.fetch(feed.url, purpose="feed", etag=feed.etag, last_modified=feed.last_modified)
    work.tally.requests += 1
    if isinstance(answer, Failure):
        log.info("comment feed: %s (%s)", feed.url, answer.reason)
        if not is_passing(answer):
            CommentsFeed().keep(blog, work.archive)
        return NO_TALK
    if answer.answer.status == NOT_MODIFIED:
        return NO_TALK
    told = comment_history.SOURCE.read(answer.answer.body, answer.answer.url)
    if told is None:
        log.info("comment feed: %s is not a feed", feed.url)
        CommentsFeed().keep(blog, work.archive)
        return NO_TALK
    talk = _news(blog, feed, answer, told.comments, work)
    if not talk.new:
        talk.feed.keep(blog, work.archive)
    return talk


async def keep_talk(talk: SiteCommentFeed, context: CrawlContext, stop: Stop) -> None:
    """Store a comment feed when the posts it named were looked at; else it is told again at the next update."""
    if talk.answer is None or talk.feed.url is None or not talk.new or stop.ending not in ENDED:
        return
    key = canonical(talk.feed.url)
    context.is_new(key)
    await context.submit(Visit(
        blog_id=context.blog.id, url=talk.feed.url, key=key, outcome="feed", exchanges=talk.answer.exchanges,
    ))
    await context.drain()
    talk.feed.keep(context.blog, context.archive)


def _news(
    blog: Blog, feed: CommentsFeed, answer: Fetched, told: Sequence[SiteComment], work: CrawlRun,
) -> SiteCommentFeed:
    by_post: dict[str, list[Comment]] = {}
    for each in told:
        key = work.archive.posts.key(blog.id, *map(canonical, each.posts))
        if key is not None:
            by_post.setdefault(key, []).append(each.comment)
    marks = tuple(filter(None, (_mark(each.comment) for each in told)))
    new = {
        key: fresh for key, comments in by_post.items()
        if (fresh := _not_held(key, [each for each in comments if _mark(each) not in feed.seen], work.archive))
    }
    if new and sum(map(len, new.values())) == len(told) and (feed.seen or work.archive.blogs.counts(blog.id).comments):
        # It holds the newest only: others may have come and gone since it was last asked.
        work.tally.remarks.append(
            f"all {len(told)} comments in {feed.url} are new: older ones may have been missed"
        )
    headers = answer.answer
    now = replace(
        feed, etag=headers.header("etag"), last_modified=headers.header("last-modified"), seen=marks,
    )
    return SiteCommentFeed(feed=now, answer=answer, new=new)


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
    stored = stored_page(blog.home, blog, archive, drawn=False)
    clues = BlogClues(home=blog.home, home_page=stored.page if stored is not None else None, feed_url=blog.feed_url)
    return next((request.url for request in comment_history.SOURCE.first_requests(clues)), None)
