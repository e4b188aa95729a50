"""A blog that is gone altogether, learned and crawled from a web archive alone.

The home page of the last time at which it was a blog is found among its captures; the feed and the pages that were
captured around then teach how its posts are read. What the domain shows since then is of no interest.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from everlog.core.links import page_links
from everlog.core.tree import parse
from everlog.core.urls import canonical
from everlog.errors import EverlogError, UnreadablePage
from everlog.feeds import declared_feeds
from everlog.history.memento.capture_choice import next_to_try, pages_of
from everlog.records import Blog, Exchange, Visit
from everlog.usecases.completeness import renew
from everlog.usecases.crawl.lifecycle import crawl_info, recorded_run
from everlog.usecases.crawl.report import Report, take_last_figures
from everlog.usecases.discover.blog_scope import keep_places, plain_scope
from everlog.usecases.discover.held_blog import home_known_as
from everlog.usecases.discover.typed_address import fetchable
from everlog.usecases.foreign.archive_client import Halt
from everlog.usecases.foreign.archived_web import ArchivedWeb
from everlog.usecases.foreign.backfill import backfill_blog, client_of
from everlog.usecases.learn.explore import find_blog
from everlog.usecases.learn.learn_found import learn_found, learning_step
from everlog.usecases.learn.learned_blog import LearnedBlog
from everlog.usecases.page.rendering import Rendering

if TYPE_CHECKING:
    from everlog.usecases.crawl.crawl_context import CrawlRun
    from everlog.usecases.discover.discover_blog import Found
    from everlog.usecases.foreign.archive_client import ArchiveClient
    from everlog.usecases.foreign.backfill import Restored

# Links into the blog that its front page has at least, where it names no feed: a parked domain has one or two.
LEAST_LINKS = 5


async def archive_dead_blog(url: str, run: CrawlRun, error: EverlogError) -> Report:
    """The blog at `url`, which cannot be had from the web for the reason of `error`, from the web archive.

    Raises that error again, with what the archive said, where it does not have the blog either.
    """
    client = client_of(run)
    run.stop.begin(client)
    url = fetchable(url)
    run.tally.remarks.append(f"the blog itself could not be fetched: {_first_line(error)}")
    try:
        await client.recognise(url)
        blog = home_known_as(url, run.archive)
        if blog is None or LearnedBlog.of(blog) is None:
            blog = await _learned_from(url, client, error)
    except Halt as halt:
        return Report(blog=url, ending=halt.ending, reason=halt.reason, tally=run.tally)
    archive = run.archive
    with archive.lock(blog.id, crawl_info(run.settings)), recorded_run(blog, "crawl", archive) as run_id:
        restored = await backfill_blog(blog, run, is_dead=True, client=client)
        report = report_of(blog, restored, run)
        archive.blogs.end_run(run_id, reason=report.reason, counts={})
        renew(blog, archive, now=run.now())
        return report


def report_of(blog: Blog, restored: Restored, run: CrawlRun) -> Report:
    """How it ended, for a blog that a web archive alone has."""
    run.tally.remarks.append(restored.remark())
    take_last_figures(run.tally, blog, run.archive, is_finished=True)
    run.tally.doing = "done"
    held = run.archive.posts.count(blog.id)
    ending = restored.ending if restored.ending != "complete" or held else "nothing"
    reason = restored.reason or "all that the web archive has of this blog was taken"
    return Report(blog=blog.home, ending=ending, reason=reason, tally=run.tally, held=held)


async def _learned_from(url: str, client: ArchiveClient, error: EverlogError) -> Blog:
    run = client.run
    run.tally.doing = f"looking for the blog in {client.name}"
    home = await _last_home(url, client)
    if home is None or home.captured_at is None:
        raise type(error)(
            f"{error.message}\n  {client.name} has no capture of it that shows a blog", advice=error.advice,
        ) from error
    web = ArchivedWeb(client=client, around=home.captured_at, purposes=frozenset({"page", "feed"}))
    settings = replace(run.settings, render="never")
    rendering = Rendering(browser=None, fetcher=web, settings=settings)
    found = await find_blog(url, rendering, run.tally)
    run.tally.doing = learning_step(found)
    lesson = await learn_found(found, rendering)
    archive = run.archive
    blog = archive.blogs.add(found.home, scope=settings.scope)
    archive.blogs.keep_address(url, blog.home)
    with archive.lock(blog.id, crawl_info(settings)):
        archive.commit(_front_visits(blog, found))
        keep_places(blog, lesson.scope, archive)
        return archive.blogs.update(
            blog.id, title=found.feed.title, feed_url=found.feed_url, template=lesson.learned.template.to_json(),
            knowledge=lesson.learned.knowledge(), state="finished", forgotten_at=None, scope=settings.scope,
            crawled_at=run.now(),
        )


async def _last_home(url: str, client: ArchiveClient) -> Exchange | None:
    """The newest capture of the home page at which it was a blog."""
    pages = pages_of(await client.captures_of(url))
    tried: dict[int, bool] = {}
    found: dict[int, Exchange] = {}
    while (place := next_to_try(len(pages), tried)) is not None:
        answer = await client.capture(pages[place])
        tried[place] = isinstance(answer, Exchange) and _is_front(answer, client.run)
        if isinstance(answer, Exchange) and tried[place]:
            found[place] = answer
    return found[max(found)] if found else None


def _is_front(exchange: Exchange, run: CrawlRun) -> bool:
    try:
        root = parse(exchange.body, exchange.header("content-type"))
    except UnreadablePage:
        return False
    if declared_feeds(root, exchange.url):
        return True
    return len(page_links(root, exchange.url, within=plain_scope(exchange.url, run.settings))) >= LEAST_LINKS


def _front_visits(blog: Blog, found: Found) -> list[Visit]:
    """The captures of the front page and of the feed that the blog was learned from."""
    visits = []
    if found.home_page is not None:
        page = found.home_page.page.url
        visits.append(Visit(
            blog_id=blog.id, url=page, key=canonical(page), outcome="page", exchanges=found.home_page.exchanges,
            foreign="done",
        ))
    if found.feed_url is not None and found.feed_page is not None:
        visits.append(Visit(
            blog_id=blog.id, url=found.feed_url, key=canonical(found.feed_url), outcome="feed",
            exchanges=found.feed_page.exchanges, foreign="done",
        ))
    return visits


def _first_line(error: EverlogError) -> str:
    return error.message.partition("\n")[0]
