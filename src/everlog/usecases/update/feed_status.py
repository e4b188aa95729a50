"""What a feed's answer means for its blog: it tells, it has moved, or it is lost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from everlog.records import Failure
from everlog.usecases.update.blog_liveness import all_is_well, feed_lost, is_other_owner
from everlog.usecases.update.feed_diff import FeedResponse, is_wanted_whole, names_known_entries, told_by
from everlog.usecases.update.moved_blog import follow_feed

if TYPE_CHECKING:
    from everlog.records import Blog, Fetched
    from everlog.usecases.crawl.lifecycle import CrawlRun
    from everlog.usecases.update.blog_liveness import LostBlog


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedStatus:
    """What was heard of a blog, as it is known from now on: what its feed tells, or what it means that it does not."""

    blog: Blog
    told: FeedResponse | None = None
    lost: LostBlog | None = None
    failure: Failure | None = None


async def ask_feed(
    blog: Blog, work: CrawlRun, *, etag: str | None = None, last_modified: str | None = None,
) -> Fetched | Failure:
    """Ask the feed, with the condition that it changed; entries that were left alone are news of an unchanged one."""
    whole = is_wanted_whole(blog, work.archive)
    work.tally.requests += 1
    return await work.fetcher.fetch(
        blog.feed_url or "", purpose="feed", etag=None if whole else etag,
        last_modified=None if whole else last_modified,
    )


async def hear(blog: Blog, answer: Fetched | Failure, work: CrawlRun, *, is_online: bool = True) -> FeedStatus:
    """What an answer means. A feed that cannot be had is looked for, and so is whoever lives there now."""
    told = None if isinstance(answer, Failure) else told_by(answer)
    if isinstance(answer, Failure) or told is None:
        failure = answer if isinstance(answer, Failure) else _no_feed(answer)
        lost = await feed_lost(blog, failure, work, is_online=is_online)
        if lost.feed is None or lost.feed.feed_page is None or lost.is_final:
            return FeedStatus(blog=lost.blog, lost=lost, failure=failure)
        return FeedStatus(blog=lost.blog, told=FeedResponse(answer=lost.feed.feed_page, feed=lost.feed.feed))
    blog = await follow_feed(blog, answer, told.feed, work)
    lost_owner = None
    if told.feed is not None and not names_known_entries(blog, told.feed, work.archive):
        lost_owner = await is_other_owner(blog, told.feed, work)
    if lost_owner is not None:
        failure = Failure(url=answer.url, trouble="protocol", reason=lost_owner.reason, exchanges=answer.exchanges)
        return FeedStatus(blog=lost_owner.blog, lost=lost_owner, failure=failure)
    return FeedStatus(blog=all_is_well(blog, work, told.feed), told=told)


def _no_feed(answer: Fetched) -> Failure:
    reason = f"{answer.answer.url} is no longer a feed"
    return Failure(
        url=answer.url, trouble="protocol", reason=reason, status=answer.answer.status, exchanges=answer.exchanges,
    )
