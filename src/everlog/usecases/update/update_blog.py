"""UpdateCrawl: ask the feed what is new or changed, and visit that; without one, see `update_feedless`.

    fetch_feed          the feed's response
    interpret_response  what it says, or what it means that it says nothing (`blog_liveness`, `moved_blog`)
    diff_feed           which entries are new, changed, or left the feed early (`feed_diff`)
    fetch_comment_feed  which posts have new comments, as the feed of all comments tells (`comment_feed`)
    read_anew           pages of new entries, with the rules as they are: was the blog redesigned? (`learn.redesign`)
    walk_back           over the lists, if posts may have come and gone since the last look (`crawl.walk_lists`)
    visit               all of these, and older posts that are due (`schedule.rechecks`)
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from everlog.core.retry_policy import PAGE_TRIES
from everlog.core.scope import LEAST_IN_FOLDER
from everlog.core.urls import canonical
from everlog.records import Blog, Failure, Fetched
from everlog.usecases.crawl.crawl_context import CrawlRun, Stop
from everlog.usecases.crawl.lifecycle import (
    begin,
    crawl_info,
    entry_links,
    finish,
    open_context,
    recorded_run,
    run_to_end,
    store_feed,
    uncommented_posts,
)
from everlog.usecases.crawl.report import Report, said_of_update, take_last_figures
from everlog.usecases.crawl.walk_lists import is_under_way, walk_back
from everlog.usecases.discover.aliased_fetcher import aliased
from everlog.usecases.discover.blog_scope import keep_places, may_widen, scope_of, widened
from everlog.usecases.discover.front_page import why_unreachable
from everlog.usecases.learn.blog_fingerprint import keep_fingerprint
from everlog.usecases.learn.learned_blog import LearnedBlog
from everlog.usecases.learn.page_comparison import compared_anew, with_comparison_posts
from everlog.usecases.learn.redesign import Redesign, read_anew
from everlog.usecases.update.blog_liveness import (
    all_is_well,
    due_rechecks,
    feed_lost,
    is_other_owner,
    led_away,
    plan_rechecks,
)
from everlog.usecases.update.comment_feed import SiteCommentFeed, fetch_comment_feed, store_comment_feed
from everlog.usecases.update.feed_diff import (
    FeedResponse,
    diff_feed,
    feed_now,
    is_wanted_whole,
    keep_diff,
    names_known_entries,
    note_dropped,
    read_response,
)
from everlog.usecases.update.moved_blog import follow_feed
from everlog.usecases.update.update_feedless import front_pages, revisit_blog, why_over
from everlog.usecases.update.update_history import ToldChanges, told_changes, visit_changes

if TYPE_CHECKING:
    from datetime import datetime

    from everlog.usecases.crawl.crawl_loop import Crawl
    from everlog.usecases.update.blog_liveness import LostBlog
    from everlog.usecases.update.feed_diff import FeedDiff


async def refresh_blog(
    blog: Blog, run: CrawlRun, since: datetime | None = None, *, response: FeedResponse | None = None,
    comment_feed: SiteCommentFeed | None = None, changes: ToldChanges | None = None, asks_interface: bool = True,
) -> Report:
    """What is new or changed in a finished blog, as its feed tells; `since` leaves older entries alone.

    `response` is what the feed says, `comment_feed` what its comment feed and `changes` what its interface says, if
    they were asked already. `asks_interface` is False where it was asked, and did not answer.
    """
    info = crawl_info(run.settings)
    with run.archive.lock(blog.id, info), recorded_run(blog, "update", run.archive) as run_id:
        learned = LearnedBlog.of(blog)
        if learned is None:
            raise AssertionError("a finished blog was learned")
        run = replace(run, fetcher=aliased(run.fetcher, scope_of(blog, run.archive)))
        if changes is None and since is None and asks_interface:
            changes = await told_changes(blog, run, comment_feed)
        if changes is not None:
            return await visit_changes(blog, learned, changes, run, run_id)
        if learned.without_feed or blog.feed_url is None:
            return await revisit_blog(blog, learned, run, run_id, comment_feed or await fetch_comment_feed(blog, run))
        if response is None:
            run.tally.doing = "fetching the feed"
            held = run.archive.captures.find(blog.id, blog.feed_url)
            answer = await fetch_feed(
                blog, run, etag=held.etag if held else None, last_modified=held.last_modified if held else None,
            )
            # One look by hand does not tell a host that is gone from a machine that is offline.
            status = await interpret_response(blog, answer, run, is_online=False)
            if status.lost is not None and not status.lost.is_final and status.failure is not None:
                raise why_unreachable(status.failure)
            if status.response is None:
                return _given_up(status.lost, blog, run_id, run)
            blog, response = status.blog, status.response
        anew = _look_wider(blog, response, run)
        diff = diff_feed(blog, response, run.archive, since)
        if run.goes_on:
            diff = _without_failed(diff, blog, run)
        if comment_feed is None:
            comment_feed = await fetch_comment_feed(blog, run)
        plan = _UpdatePlan(response=response, diff=diff, comment_feed=comment_feed, anew=anew)
        return await _visit_news(blog, learned, plan, run, run_id)


def _look_wider(blog: Blog, response: FeedResponse, run: CrawlRun) -> tuple[str, ...]:
    """What is to be looked at again because the feed's entries span more than the blog's scope did; it does now.

    An older version took the page that a home leads to for all of the blog.
    """
    archive = run.archive
    answer, feed = feed_now(response, blog, archive)
    scope = scope_of(blog, archive)
    wider = widened(scope, feed, answer.answer.url) if may_widen(run.settings) else scope
    if wider == scope:
        return ()
    keep_places(blog, wider, archive)
    links = entry_links(feed.entries, answer.answer.url, wider)
    fresh = [link.key for link in links if wider.is_own_key(link.key) and not scope.is_own_key(link.key)]
    archive.urls.enqueue(blog.id, links)
    # One odd entry is a page of its own; where several are, lists may have led to more that was left out.
    lists = (canonical(blog.home), *archive.urls.fruitful_pages(blog.id)) if len(fresh) >= LEAST_IN_FOLDER else ()
    archive.urls.requeue(blog.id, (*lists, *fresh))
    return (*lists, *fresh)


def _without_failed(diff: FeedDiff, blog: Blog, run: CrawlRun) -> FeedDiff:
    """The news for a further part of an update: what failed in an earlier part is news to the next update."""
    keys = {key for _, keys in diff.entry_keys for key in keys}
    failed = {key for key in keys if (run.archive.urls.state(blog.id, key) or ("", 0))[0] == "failed"}
    lost = {entry for entry, keys in diff.entry_keys if keys and failed.issuperset(keys)}
    return replace(
        diff, links=tuple(link for link in diff.links if link.key not in failed),
        fresh=tuple(entry for entry in diff.fresh if canonical(entry.link or "") not in lost),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _UpdatePlan:
    """What one update is about."""

    response: FeedResponse
    diff: FeedDiff
    comment_feed: SiteCommentFeed
    uncommented: tuple[str, ...] = ()
    rechecked: tuple[str, ...] = ()
    # What is asked for as if it was never held.
    anew: tuple[str, ...] = ()


def _given_up(lost: LostBlog | None, blog: Blog, run_id: int, run: CrawlRun) -> Report:
    """The report on a blog that is not asked any more; what is held of it stays."""
    reason = lost.reason if lost is not None else "its feed is gone"
    take_last_figures(run.tally, blog, run.archive, is_finished=True)
    run.tally.doing = "done"
    run.archive.blogs.end_run(run_id, reason=reason, counts={})
    return Report(blog=blog.home, ending="incomplete", reason=reason, tally=run.tally, held=run.tally.now.posts)


async def _visit_news(blog: Blog, learned: LearnedBlog, plan: _UpdatePlan, run: CrawlRun, run_id: int) -> Report:
    archive, diff, comment_feed = run.archive, plan.diff, plan.comment_feed
    rechecked = due_rechecks(blog, run)
    uncommented = uncommented_posts(blog, run)
    # The queue comes before the feed: killed in between, the next update is told the same news again. And it comes
    # before anything is asked for: posts that are due to be looked at have their next times already.
    archive.urls.enqueue(blog.id, diff.links)
    archive.urls.requeue(blog.id, [*(link.key for link in diff.links), *diff.dropped, *rechecked, *comment_feed.posts])
    if not run.goes_on:
        # A further part of an update does not ask again for what failed in an earlier one.
        archive.urls.requeue(blog.id, uncommented)
        archive.urls.requeue_failed(blog.id, now=run.now(), most_tries=PAGE_TRIES)
    redesign = await read_anew(blog, learned, diff.fresh, plan.response, run, due=rechecked)
    with open_context(
        blog, compared_anew(redesign.learned, blog, archive), run, entries=diff.entries, commenting=redesign.commenting,
    ) as context:
        crawl = begin(context, is_update=True)
        # A page that did not change may have other comments by now.
        crawl.refetched = frozenset((*uncommented, *diff.recounted, *comment_feed.posts, *plan.anew))
        context.commenting.announced = comment_feed.new
        stop = await _walk_and_visit(crawl, redesign, blog, run, is_gap=diff.gap)
        # Not before the walk: a feed that is stored is not told a second time, and then nobody would see the gap.
        await store_feed(context, plan.response.answer.answer.url, plan.response.answer)
        await context.drain()
        if plan.response.feed is not None:
            for visit in context.entries.visits_filling(blog, archive):
                await context.submit(visit)
            await context.drain()
        await store_comment_feed(comment_feed, context, stop)
        note_dropped(blog, diff.dropped, run, entries=diff.entries)
        keep_diff(diff, blog, archive)
        stop = await with_comparison_posts(context, stop)
        if redesign.is_new:
            keep_fingerprint(blog, archive, plan.response.feed)
        plan_rechecks(blog, run)
        quietly = "the feed names nothing new" if plan.response.feed is not None else "the feed has not changed"
        said = said_of_update("the feed", quietly, run.tally)
        return finish(context, run_id, stop.ending or "complete", said if stop.ending == "complete" else stop.reason)


async def _walk_and_visit(crawl: Crawl, redesign: Redesign, blog: Blog, run: CrawlRun, *, is_gap: bool) -> Stop:
    is_over = False
    if is_gap or is_under_way(crawl.context):
        run.tally.doing = "fetching list pages"
        is_over = await walk_back(crawl, front_pages(crawl.context))
        run.tally.doing = "fetching pages"
    # Only now: posts that are stored already would look to the walk like those it is to arrive at.
    for link, answer in redesign.answers:
        await crawl.take_any(link, answer)
    await crawl.context.drain()
    stop = await run_to_end(crawl)
    return Stop("limit", why_over(blog)) if is_over and stop.ending == "complete" else stop


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedStatus:
    """Status of a feed, and its blog as it is known from now on: what it tells, or what it means that it does not."""

    blog: Blog
    response: FeedResponse | None = None
    lost: LostBlog | None = None
    failure: Failure | None = None


async def fetch_feed(
    blog: Blog, run: CrawlRun, *, etag: str | None = None, last_modified: str | None = None,
) -> Fetched | Failure:
    """Ask the feed, with the condition that it changed; entries that were left alone are news of an unchanged one."""
    whole = is_wanted_whole(blog, run.archive)
    run.tally.requests += 1
    return await run.fetcher.fetch(
        blog.feed_url or "", purpose="feed", etag=None if whole else etag,
        last_modified=None if whole else last_modified,
    )


async def interpret_response(
    blog: Blog, answer: Fetched | Failure, run: CrawlRun, *, is_online: bool = True,
) -> FeedStatus:
    """What an answer means. A feed that cannot be had is looked for, and so is whoever lives there now."""
    response = None if isinstance(answer, Failure) else read_response(answer)
    if isinstance(answer, Failure) or response is None:
        failure = answer if isinstance(answer, Failure) else _no_feed(answer)
        lost = await feed_lost(blog, failure, run, is_online=is_online)
        if lost.feed is None or lost.feed.feed_page is None or lost.is_final:
            return FeedStatus(blog=lost.blog, lost=lost, failure=failure)
        return FeedStatus(blog=lost.blog, response=FeedResponse(answer=lost.feed.feed_page, feed=lost.feed.feed))
    move = await follow_feed(blog, answer, run)
    blog, lost_owner = move.blog, None
    if move.another is not None:
        lost_owner = led_away(blog, move.another, run)
    elif response.feed is not None and not names_known_entries(blog, response.feed, run.archive):
        lost_owner = await is_other_owner(blog, response.feed, run)
    if lost_owner is not None:
        failure = Failure(url=answer.url, trouble="protocol", reason=lost_owner.reason, exchanges=answer.exchanges)
        return FeedStatus(blog=lost_owner.blog, lost=lost_owner, failure=failure)
    return FeedStatus(blog=all_is_well(blog, run, response.feed), response=response)


def _no_feed(answer: Fetched) -> Failure:
    reason = f"{answer.answer.url} is no longer a feed"
    return Failure(
        url=answer.url, trouble="protocol", reason=reason, status=answer.answer.status, exchanges=answer.exchanges,
    )
