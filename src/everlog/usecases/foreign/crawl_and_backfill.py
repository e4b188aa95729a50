"""NewCrawl with a web archive behind it: the blog from the web, then what is gone from there.

A blog that is not on the web any more is crawled from the web archive alone (`dead_blog`).
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from everlog.errors import NoFeed, NothingToLearn, Unreachable, UnreadableFeed
from everlog.usecases.completeness import renew
from everlog.usecases.crawl.crawl_blog import archive_blog
from everlog.usecases.crawl.lifecycle import begin, crawl_info, open_context, recorded_run, run_to_end
from everlog.usecases.crawl.report import Report, take_last_figures
from everlog.usecases.discover.aliased_fetcher import aliased
from everlog.usecases.discover.blog_scope import scope_of
from everlog.usecases.discover.held_blog import home_known_as
from everlog.usecases.foreign.archive_client import Halt
from everlog.usecases.foreign.backfill import backfill_blog
from everlog.usecases.foreign.dead_blog import archive_dead_blog
from everlog.usecases.learn.learned_blog import LearnedBlog
from everlog.usecases.learn.page_comparison import compared_anew
from everlog.usecases.page.requisite_links import file_lanes

if TYPE_CHECKING:
    from everlog.records import Blog, Lane
    from everlog.usecases.crawl.crawl_context import CrawlRun

# How a crawl ends that has looked at all of the web that it wanted to.
OVER = frozenset({"complete", "incomplete", "nothing"})


async def crawl_and_backfill(url: str, run: CrawlRun) -> Report:
    """The whole blog at `url`, with all that the web archive of the settings has of what is gone."""
    try:
        report = await archive_blog(url, run)
    except (Unreachable, NoFeed, NothingToLearn, UnreadableFeed) as error:
        return await archive_dead_blog(url, run, error)
    blog = home_known_as(report.blog, run.archive) if report.ending in OVER else None
    if blog is None or LearnedBlog.of(blog) is None:
        return report
    archive = run.archive
    with archive.lock(blog.id, crawl_info(run.settings)), recorded_run(blog, "backfill", archive) as run_id:
        restored = await backfill_blog(blog, run, look_live=lambda: look_live(blog, run))
        run.tally.remarks.append(restored.remark())
        take_last_figures(run.tally, blog, archive, is_finished=True)
        run.tally.doing = "done"
        ending, reason = report.ending, report.reason
        if restored.ending != "complete":
            ending, reason = restored.ending, restored.reason
        elif ending == "nothing" and run.tally.now.posts:
            ending, reason = "complete", "all that the web archive has of this blog was taken"
        archive.blogs.end_run(run_id, reason=reason, counts={})
        renew(blog, archive, now=run.now())
    return replace(report, ending=ending, reason=reason, held=run.tally.now.posts)


async def look_live(blog: Blog, run: CrawlRun) -> None:
    """Visit what captures have named and nobody has asked the web for yet: their pictures, and the posts themselves."""
    lanes: tuple[Lane, ...] = ("post", *file_lanes(run.settings))
    learned = LearnedBlog.of(blog)
    if learned is None or not run.archive.urls.has_waiting(blog.id, lanes=lanes, now=run.now()):
        return
    own = replace(run, fetcher=aliased(run.fetcher, scope_of(blog, run.archive)))
    with open_context(blog, compared_anew(learned, blog, run.archive), own) as context:
        stop = await run_to_end(begin(context))
    if stop.ending in {"interrupted", "limit"}:
        raise Halt(stop.ending, stop.reason)
