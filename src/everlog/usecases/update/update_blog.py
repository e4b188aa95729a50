"""UpdateCrawl: ask the feed what is new or changed, and visit that; without one, see `revisiting`.

    hear        what the feed says, or what it means that it says nothing (`hearing`, `fates`)
    compare     which entries are new, changed, or left the feed early (`news`)
    listen      which posts have new comments, as the feed of all comments tells (`talk`)
    look        pages of new entries, with the rules as they are: was the blog redesigned? (`redesign`)
    walk        back over the lists, if posts may have come and gone since the last look (`walking`)
    visit       all of these, and older posts whose turn it is (`watching.rechecks`)
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from everlog.core.urls import canonical
from everlog.usecases.crawl.lifecycle import (
    begin,
    crawl_info,
    crew_of,
    entry_links,
    finish,
    recorded_run,
    run_to_end,
    store_feed,
    uncommented_posts,
)
from everlog.usecases.crawl.progress import said_of_update, take_last_figures
from everlog.usecases.crawl.report import Report
from everlog.usecases.crawl.stop_reasons import Stop
from everlog.usecases.crawl.walk_lists import is_under_way, walk_back
from everlog.usecases.discover.aliased_fetcher import aliased
from everlog.usecases.discover.blog_scope import LEAST_IN_FOLDER, keep_places, may_widen, scope_of, widened
from everlog.usecases.discover.discover_blog import why_unreachable
from everlog.usecases.learn.blog_fingerprint import remember_traits
from everlog.usecases.learn.learned_blog import LearnedBlog
from everlog.usecases.learn.page_comparison import compared_anew, with_company
from everlog.usecases.learn.redesign import read_anew
from everlog.usecases.page.failures import MOST_TRIES
from everlog.usecases.update.blog_liveness import due_rechecks, plan_rechecks
from everlog.usecases.update.comment_feed import hear_comments, keep_talk
from everlog.usecases.update.dropped_entries import note_dropped
from everlog.usecases.update.feed_diff import feed_now, read_news, remember_news
from everlog.usecases.update.feed_status import ask_feed, hear
from everlog.usecases.update.update_feedless import front_pages, revisit_blog, why_over

if TYPE_CHECKING:
    from datetime import datetime

    from everlog.records import Blog
    from everlog.usecases.crawl.crawl_loop import Crawl
    from everlog.usecases.crawl.lifecycle import CrawlRun
    from everlog.usecases.learn.redesign import Redesign
    from everlog.usecases.update.blog_liveness import LostBlog
    from everlog.usecases.update.comment_feed import SiteCommentFeed
    from everlog.usecases.update.feed_diff import FeedDiff, FeedResponse


async def refresh_blog(
    blog: Blog, work: CrawlRun, since: datetime | None = None, *, told: FeedResponse | None = None,
    talk: SiteCommentFeed | None = None,
) -> Report:
    """What is new or changed in a finished blog, as its feed tells; `since` leaves older entries alone.

    `told` is what the feed says, and `talk` what its comment feed says, if they were asked already.
    """
    info = crawl_info(work.settings)
    with work.archive.lock(blog.id, info), recorded_run(blog, "update", work.archive) as run:
        known = LearnedBlog.of(blog)
        if known is None:
            raise AssertionError("a finished blog was learned")
        work.fetcher = aliased(work.fetcher, scope_of(blog, work.archive))
        if known.without_feed or blog.feed_url is None:
            return await revisit_blog(blog, known, work, run, talk or await hear_comments(blog, work))
        if told is None:
            work.tally.doing = "fetching the feed"
            held = work.archive.captures.find(blog.id, blog.feed_url)
            answer = await ask_feed(
                blog, work, etag=held.etag if held else None, last_modified=held.last_modified if held else None,
            )
            # One look by hand does not tell a host that is gone from a machine that is offline.
            heard = await hear(blog, answer, work, is_online=False)
            if heard.lost is not None and not heard.lost.is_final and heard.failure is not None:
                raise why_unreachable(heard.failure)
            if heard.told is None:
                return _given_up(heard.lost, blog, run, work)
            blog, told = heard.blog, heard.told
        anew = _look_wider(blog, told, work)
        news = read_news(blog, told, work.archive, since)
        if work.goes_on:
            news = _without_failed(news, blog, work)
        if talk is None:
            talk = await hear_comments(blog, work)
        return await _visit_news(blog, known, _Errand(told=told, news=news, talk=talk, anew=anew), work, run)


def _look_wider(blog: Blog, told: FeedResponse, work: CrawlRun) -> tuple[str, ...]:
    """What is to be looked at again because the feed's entries span more than the blog's scope did; it does now.

    An older version took the page that a home leads to for all of the blog.
    """
    archive = work.archive
    answer, feed = feed_now(told, blog, archive)
    scope = scope_of(blog, archive)
    wider = widened(scope, feed, answer.answer.url) if may_widen(work.settings) else scope
    if wider == scope:
        return ()
    keep_places(blog, wider, archive)
    links = entry_links(feed.entries, blog.home, answer.answer.url, wider)
    fresh = [link.key for link in links if wider.holds_key(link.key) and not scope.holds_key(link.key)]
    archive.urls.enqueue(blog.id, links)
    # One odd entry is a page of its own; where several are, lists may have led to more that was left out.
    lists = (canonical(blog.home), *archive.urls.fruitful_pages(blog.id)) if len(fresh) >= LEAST_IN_FOLDER else ()
    archive.urls.requeue(blog.id, (*lists, *fresh))
    return (*lists, *fresh)


def _without_failed(news: FeedDiff, blog: Blog, work: CrawlRun) -> FeedDiff:
    """The news for a further part of an update: what failed in an earlier part is news to the next update."""
    keys = {key for _, keys in news.entry_keys for key in keys}
    failed = {key for key in keys if (work.archive.urls.state(blog.id, key) or ("", 0))[0] == "failed"}
    lost = {entry for entry, keys in news.entry_keys if keys and failed.issuperset(keys)}
    return replace(
        news, links=tuple(link for link in news.links if link.key not in failed),
        fresh=tuple(entry for entry in news.fresh if canonical(entry.link or "") not in lost),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Errand:
    """What one update is about."""

    told: FeedResponse
    news: FeedDiff
    talk: SiteCommentFeed
    uncommented: tuple[str, ...] = ()
    rechecked: tuple[str, ...] = ()
    # What is asked for as if it was never held.
    anew: tuple[str, ...] = ()


def _given_up(lost: LostBlog | None, blog: Blog, run: int, work: CrawlRun) -> Report:
    """The report on a blog that is not asked any more; what is held of it stays."""
    reason = lost.reason if lost is not None else "its feed is gone"
    take_last_figures(work.tally, blog, work.archive, is_finished=True)
    work.tally.doing = "done"
    work.archive.blogs.end_run(run, reason=reason, counts={})
    return Report(blog=blog.home, ending="incomplete", reason=reason, tally=work.tally, held=work.tally.held)


async def _visit_news(blog: Blog, known: LearnedBlog, errand: _Errand, work: CrawlRun, run: int) -> Report:
    archive, news, talk = work.archive, errand.news, errand.talk
    rechecked = due_rechecks(blog, work)
    uncommented = uncommented_posts(blog, work)
    # The queue comes before the feed: killed in between, the next update is told the same news again. And it comes
    # before anything is asked for: posts that are due to be looked at have their next times already.
    archive.urls.enqueue(blog.id, news.links)
    archive.urls.requeue(blog.id, [*(link.key for link in news.links), *news.dropped, *rechecked, *talk.posts])
    if not work.goes_on:
        # A further part of an update does not ask again for what failed in an earlier one.
        archive.urls.requeue(blog.id, uncommented)
        archive.urls.requeue_failed(blog.id, now=work.now(), most_tries=MOST_TRIES)
    redesign = await read_anew(blog, known, news.fresh, errand.told, work, due=rechecked)
    with crew_of(
        blog, compared_anew(redesign.known, blog, archive), work, entries=news.entries, commenting=redesign.commenting,
    ) as context:
        crawl = begin(context, work, is_update=True)
        # A page that did not change may have other comments by now.
        crawl.asks_anew = frozenset((*uncommented, *news.recounted, *talk.posts, *errand.anew))
        context.commenting.told = talk.new
        stop = await _walk_and_visit(crawl, redesign, blog, work, is_gap=news.gap)
        # Not before the walk: a feed that is stored is not told a second time, and then nobody would see the gap.
        await store_feed(context, errand.told.answer.answer.url, errand.told.answer)
        await context.drain()
        if errand.told.feed is not None:
            for visit in context.entries.visits_filling(blog, archive):
                await context.submit(visit)
            await context.drain()
        await keep_talk(talk, context, stop)
        note_dropped(blog, news.dropped, work, entries=news.entries)
        remember_news(news, blog, archive)
        stop = await with_company(context, work, stop)
        if redesign.is_new:
            remember_traits(blog, archive, errand.told.feed)
        plan_rechecks(blog, work)
        quietly = "the feed names nothing new" if errand.told.feed is not None else "the feed has not changed"
        said = said_of_update("the feed", quietly, work.tally)
        return finish(context, run, stop.ending or "complete", said if stop.ending == "complete" else stop.reason)


async def _walk_and_visit(crawl: Crawl, redesign: Redesign, blog: Blog, work: CrawlRun, *, is_gap: bool) -> Stop:
    is_over = False
    if is_gap or is_under_way(crawl.context):
        work.tally.doing = "fetching list pages"
        is_over = await walk_back(crawl, front_pages(crawl.context))
        work.tally.doing = "fetching pages"
    # Only now: posts that are stored already would look to the walk like those it is to arrive at.
    for link, answer in redesign.answers:
        await crawl.take_any(link, answer)
    await crawl.context.drain()
    stop = await run_to_end(crawl)
    return Stop("limit", why_over(blog)) if is_over and stop.ending == "complete" else stop
