"""Requisites of pages that are stored already: what earlier crawls left out is queued and fetched, and nothing else.

No page is asked for again: stored pages and style sheets are read for what they need. A run that is interrupted goes on
where it stopped: what it queued waits there, and the next crawl or update would fetch it as well.
"""

from __future__ import annotations

import asyncio
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING

from everlog.core.urls import canonical
from everlog.errors import NothingToLearn
from everlog.replay.requisites import with_icon
from everlog.usecases.crawl.crawl_loop import Crawl
from everlog.usecases.crawl.lifecycle import crawl_info, open_context, recorded_run, robots_visits
from everlog.usecases.crawl.report import Report, take_last_figures
from everlog.usecases.discover.aliased_fetcher import aliased
from everlog.usecases.discover.blog_scope import scope_of
from everlog.usecases.learn.learned_blog import LearnedBlog
from everlog.usecases.page.requisite_links import EVER, keep_beyond
from everlog.usecases.page.stored_requisites import needed_by_stored

if TYPE_CHECKING:
    from everlog.records import Blog, Link
    from everlog.usecases.crawl.crawl_context import CrawlContext, CrawlRun

# Links of one transaction.
AT_ONCE = 500


async def fetch_requisites(blog: Blog, run: CrawlRun) -> Report:
    """Fetch what the stored pages of a blog need to be shown and the archive does not have; says what was won."""
    archive, tally = run.archive, run.tally
    learned = LearnedBlog.of(blog)
    if learned is None:
        raise NothingToLearn(f"{blog.home} has no learned rules yet", advice=f"everlog crawl {blog.home}")
    run = replace(run, fetcher=aliased(run.fetcher, scope_of(blog, archive)))
    before = archive.blogs.figures(blog.id).requisites
    with (
        archive.lock(blog.id, crawl_info(run.settings)), recorded_run(blog, "requisites", archive) as run_id,
        open_context(blog, learned, run) as context,
    ):
        context.requisites.looks_again = False
        crawl = Crawl(context, only=("requisite",))
        run.stop.begin(crawl)
        read = await crawl.unless_ended(_queue_needed(context, is_scripted=learned.is_scripted))
        if read is not None:
            is_without_media = archive.blogs.state(blog.id).requisites_without_media and not run.settings.media
            archive.blogs.change_state(blog.id, lambda state: replace(
                state, requisites_since=EVER, requisites_without_media=is_without_media,
            ))
            tally.doing = "fetching what the stored pages need"
        stop = await crawl.run()
        for visit in robots_visits(blog, context.fetcher.robots_exchanges()):
            await context.submit(visit)
        await context.drain()
        keep_beyond(context)
        take_last_figures(tally, blog, archive, is_finished=blog.state == "finished")
        tally.doing = "done"
        won = tally.now.requisites - before
        reason = stop.reason
        if stop.ending == "complete":
            what = "requisite" if won == 1 else "requisites"
            reason = f"{read or 0:,} stored pages and style sheets were read: {won:,} new {what}"
        archive.blogs.end_run(run_id, reason=reason, counts={
            "requisites": tally.now.requisites, "won": won, "file_requests": tally.file_requests,
        })
    return Report(
        blog=blog.home, ending=stop.ending or "complete", reason=reason, tally=tally, held=tally.now.posts,
        is_update=True,
    )


async def _queue_needed(context: CrawlContext, *, is_scripted: bool) -> int:
    """Queue what stored pages and style sheets need and is not known; how many of these were read."""
    archive, blog, tally = context.archive, context.blog, context.tally
    links: list[Link] = []
    read = 0
    # In this order: pages tell which of the others are shown as documents.
    captures = (archive.captures(blog.id, purpose=purpose) for purpose in ("page", "media", "requisite"))
    for capture in chain.from_iterable(captures):
        shown_at = context.requisites.shown_at(canonical(capture.url))
        if capture.purpose == "media" and shown_at is None:
            continue
        named = needed_by_stored(capture, blog, archive, is_scripted=is_scripted, shown_at=shown_at)
        if canonical(capture.url) == canonical(blog.home):
            named = with_icon(named, capture.url)
        below = (shown_at or 0) + 1 if capture.purpose != "page" else 0
        links += context.requisites.new(named, found_on=capture.url, depth=below)
        read += 1
        tally.doing = f"reading what stored pages need: {read:,} read"
        if len(links) >= AT_ONCE:
            archive.urls.enqueue(blog.id, links)
            links.clear()
        # Others, and who wants to stop it, have their turn.
        await asyncio.sleep(0)
    archive.urls.enqueue(blog.id, links)
    return read
