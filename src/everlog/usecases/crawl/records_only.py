"""Records alone (`--no-pages`): what a blog's interfaces tell of its posts and comments, and no page of theirs.

It is remembered of a blog, so that updates do not fetch its pages either, until somebody asks for them.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from everlog.core.urls import canonical
from everlog.history.completeness.inventory import GRADES
from everlog.records import Blog, Visit
from everlog.usecases.completeness import renew
from everlog.usecases.crawl.crawl_context import INTERRUPTED, CrawlRun
from everlog.usecases.crawl.lifecycle import crawl_info, feed_visit, recorded_run, robots_visits
from everlog.usecases.crawl.report import Ending, Report, said_of_update, take_last_figures, with_verdict
from everlog.usecases.discover.blog_scope import keep_places, scope_found
from everlog.usecases.history.history_clues import clues_of
from everlog.usecases.history.walk_sources import walk_sources
from everlog.usecases.update.update_history import ToldChanges, confirm_gone, keep_changes, told_changes

if TYPE_CHECKING:
    from everlog.usecases.discover.discover_blog import Found


def with_pages_as_before(blog: Blog, run: CrawlRun) -> CrawlRun:
    """The run with pages or without them, as this blog was crawled before, unless the user says it now."""
    if "pages" in run.settings.given:
        return run
    wants_pages = not run.archive.blogs.state(blog.id).records_only
    return replace(run, settings=replace(run.settings, pages=wants_pages))


def begin_with_pages(blog: Blog, run: CrawlRun) -> None:
    """Fetch the pages of a blog whose records alone were wanted before: its interfaces are asked anew for all."""
    if run.archive.blogs.state(blog.id).records_only:
        run.archive.blogs.change_state(blog.id, lambda state: replace(state, records_only=False, history=()))


async def archive_records(blog: Blog, found: Found, run: CrawlRun, run_id: int) -> Report:
    """What the interfaces of a blog tell, from the beginning or since the last time."""
    archive = run.archive
    was_told = any(state.mark is not None for state in archive.blogs.state(blog.id).history)
    robots = run.fetcher.robots_exchanges()
    archive.commit([*_fronts(blog, found), *robots_visits(blog, robots)])
    scope = scope_found(found.home, found.feed, found.feed_url, run.settings)
    keep_places(blog, scope, archive)
    archive.blogs.change_state(blog.id, lambda state: replace(state, records_only=True))
    blog = archive.blogs.update(
        blog.id, title=found.feed.title, feed_url=found.feed_url, crawled_at=run.now(), forgotten_at=None,
    )
    changes = await told_changes(blog, run) if was_told else None
    if changes is not None:
        return await _keep_told(blog, changes, run, run_id)
    is_told = await walk_sources(blog, clues_of(found, robots), scope, run)
    sources = [state for state in archive.blogs.state(blog.id).history if state.walked_at is not None]
    ending: Ending = "complete"
    told_by = next((state.source for state in sources if state.is_exhaustive and GRADES.get(state.source) != "C"), None)
    reason = f"{told_by} told all of its posts"
    if run.stop.interrupted:
        ending, reason = "interrupted", INTERRUPTED
    elif not is_told or told_by is None:
        told = archive.posts.count(blog.id)
        ending = "incomplete" if told else "nothing"
        reason = (
            "no interface of this blog tells all of its posts"
            f"; to fetch its pages:  everlog crawl {blog.home} --pages"
        )
    elif not archive.posts.count(blog.id):
        ending, reason = "nothing", f"{told_by} tells no post of {blog.home}"
    return _report(blog, ending, reason, run, run_id)


async def refresh_records(blog: Blog, changes: ToldChanges, run: CrawlRun) -> Report:
    """What a blog's interface says is new, of a blog whose records alone are wanted."""
    with run.archive.lock(blog.id, crawl_info(run.settings)), recorded_run(blog, "update", run.archive) as run_id:
        return await _keep_told(blog, changes, run, run_id)


async def _keep_told(blog: Blog, changes: ToldChanges, run: CrawlRun, run_id: int) -> Report:
    await confirm_gone(changes, blog, run)
    keep_changes(changes, blog, run)
    reason = said_of_update(changes.source, f"{changes.source} names nothing new", run.tally)
    return _report(blog, "complete", reason, run, run_id)


def _fronts(blog: Blog, found: Found) -> list[Visit]:
    """The front page and the feed, which led to the interfaces."""
    visits = []
    if found.home_page is not None:
        url = found.home_page.page.url
        visits.append(Visit(
            blog_id=blog.id, url=url, key=canonical(url), outcome="page", exchanges=found.home_page.exchanges,
        ))
    if found.feed_url is not None and found.feed_page is not None:
        visits.append(feed_visit(blog, found.feed_url, found.feed_page))
    return visits


def _report(blog: Blog, ending: Ending, reason: str, run: CrawlRun, run_id: int) -> Report:
    known = renew(blog, run.archive, is_over=ending != "interrupted")
    ending, reason = with_verdict(ending, reason, known)
    if ending in {"complete", "incomplete"}:
        # It is watched from now on.
        run.archive.blogs.update(blog.id, state="finished")
    take_last_figures(
        run.tally, blog, run.archive, is_finished=ending in {"complete", "incomplete"},
        missing=len(known.posts.missing),
    )
    run.tally.doing = "done"
    run.archive.blogs.end_run(run_id, reason=reason, counts={})
    return Report(
        blog=blog.home, ending=ending, reason=reason, tally=run.tally, held=run.tally.now.posts, completeness=known,
    )
