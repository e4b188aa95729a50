"""NewCrawl, the story of a crawl from top to bottom: read this first.

    archive_blog    NewCrawl: find the feed (or do without: `learn.explore`), learn the blog, visit all of it
    refresh_blog    UpdateCrawl (in `update.update_blog`): ask the feed what is new or changed, visit that

All state is in the archive: each of them can be killed at any moment and called again.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from everlog.core.tree import parse
from everlog.core.urls import canonical
from everlog.records import Blog, Exchange, Failure, Fetched, Lane, Link, Visit
from everlog.records.figures import Estimate
from everlog.usecases.crawl.left_out import begin_anew, left_to_robots, recall_left_out
from everlog.usecases.crawl.lifecycle import (
    begin,
    crawl_info,
    entry_links,
    feed_visit,
    finish_crawl,
    open_context,
    recorded_run,
    robots_visits,
    run_to_end,
)
from everlog.usecases.crawl.other_names import with_other_names
from everlog.usecases.crawl.records_only import archive_records, begin_with_pages, with_pages_as_before
from everlog.usecases.discover.aliased_fetcher import aliased
from everlog.usecases.discover.blog_scope import keep_places, may_widen, scope_found, scope_of, wanted_scope
from everlog.usecases.discover.estimate import best_of, from_interfaces, from_sitemaps
from everlog.usecases.discover.front_page import entrances
from everlog.usecases.discover.held_blog import home_known_as
from everlog.usecases.discover.held_name import held_by_name, keep_name
from everlog.usecases.discover.stored_allowlist import keep_allowed, settle_home
from everlog.usecases.discover.typed_address import fetchable, other_spellings
from everlog.usecases.history.archive_walk import ArchiveWalk, ask_between, keep_archive_pages, keep_walked
from everlog.usecases.history.history_clues import clues_of
from everlog.usecases.history.sitemap_posts import keep_sitemap
from everlog.usecases.history.told_entries import with_told_entries
from everlog.usecases.history.told_pages import set_told
from everlog.usecases.history.walk_sources import end_walks, go_on_walking, keep_listing, walk_sources
from everlog.usecases.inspection import estimates_of_page
from everlog.usecases.learn.blog_fingerprint import keep_fingerprint
from everlog.usecases.learn.explore import find_blog, sitemaps_of
from everlog.usecases.learn.learn_found import LearnResult, learn_found, learning_step
from everlog.usecases.learn.learned_blog import LearnedBlog, entry_marks
from everlog.usecases.learn.page_comparison import after_new_crawl, compared_anew
from everlog.usecases.page.post_comments import CommentGatherer
from everlog.usecases.page.rendering import Rendering
from everlog.usecases.update.blog_liveness import all_is_well, plan_rechecks
from everlog.usecases.update.relist import settle_lists
from everlog.usecases.update.update_blog import refresh_blog

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from everlog.archive import Archive
    from everlog.core.scope import Scope
    from everlog.settings import Settings
    from everlog.usecases.crawl.crawl_context import CrawlRun, Stop
    from everlog.usecases.crawl.crawl_loop import Crawl
    from everlog.usecases.crawl.report import Report
    from everlog.usecases.discover.discover_blog import Found
    from everlog.usecases.discover.walk_history import ReadMap


async def archive_blog(url: str, run: CrawlRun) -> Report:
    """The whole blog at `url` into the archive; goes on if it was interrupted, updates if it was finished."""
    others = other_spellings(url, run.settings)
    url = fetchable(url)
    blog = home_known_as(url, run.archive) or _blog_of_post(url, run)
    if blog is not None:
        blog = _as_wanted(blog, url, run)
    learned = LearnedBlog.of(blog) if blog is not None else None
    # What an imported file taught is not what the web of today looks like.
    if blog is None or learned is None or blog.state == "new" or _is_to_learn_otherwise(learned, run.settings):
        rendering = Rendering(browser=run.browser, fetcher=run.fetcher, settings=run.settings)
        found = await find_blog(url, rendering, run.tally, others)
        if blog is None and canonical(found.home) != canonical(url) and _is_learned(found.home, run):
            # Another page of a blog that is held.
            run.archive.blogs.keep_address(url, found.home)
            return await archive_blog(found.home, run)
        is_new = blog is None and may_widen(run.settings)
        held = await held_by_name(found, run.archive, run.fetcher) if is_new else None
        if held is not None and LearnedBlog.of(held.blog) is not None:
            keep_name(held.blog, found.home, held.signs, run.archive)
            run.archive.blogs.keep_address(url, held.blog.home)
            run.tally.blog = held.blog.home
            run.tally.remarks.append(f"{found.home} is another address of {held.blog.home}: archiving that blog")
            return await archive_blog(held.blog.home, run)
        blog = run.archive.blogs.add(found.home, scope=run.settings.scope)
        run.archive.blogs.keep_address(url, blog.home)
        settle_home(blog.home, run.archive)
        if run.allow is not None:
            keep_allowed(blog, run.allow, run.archive)
        run = with_pages_as_before(blog, run)
        with run.archive.lock(blog.id, crawl_info(run.settings)), recorded_run(blog, "crawl", run.archive) as run_id:
            if not run.settings.pages:
                return await archive_records(blog, found, run, run_id)
            begin_with_pages(blog, run)
            return await _learn_and_crawl(blog, found, rendering, run, run_id)
    if blog.state == "finished":
        return await refresh_blog(blog, run)
    with run.archive.lock(blog.id, crawl_info(run.settings)):
        return await _go_on(blog, learned, run)


def _blog_of_post(url: str, run: CrawlRun) -> Blog | None:
    """The blog of the archive that holds this address as a post."""
    post = run.archive.posts.find(url) if may_widen(run.settings) else None
    blog = run.archive.blogs.find(post.blog) if post is not None and post.blog else None
    if blog is not None:
        run.tally.blog = blog.home
        run.tally.remarks.append(f"{url} is a post of {blog.home}: archiving that blog")
    return blog


def _is_learned(home: str, run: CrawlRun) -> bool:
    blog = home_known_as(home, run.archive)
    return blog is not None and LearnedBlog.of(blog) is not None


def _as_wanted(blog: Blog, url: str, run: CrawlRun) -> Blog:
    """A known blog, taken up again if it was forgotten, with another scope or feed if these are given now."""
    archive, settings = run.archive, run.settings
    if blog.forgotten_at is not None:
        blog = archive.blogs.update(blog.id, forgotten_at=None)
    if "feed" in settings.given and settings.feed and blog.feed_url not in {None, settings.feed}:
        blog = archive.blogs.update(blog.id, feed_url=settings.feed)
    if not settings.robots:
        archive.urls.requeue(blog.id, list(map(canonical, left_to_robots(blog, archive))))
    before = scope_of(blog, archive)
    scope = wanted_scope(before, url, settings)
    if scope != before:
        # What was left out before may belong to the blog now: its lists are looked at again.
        missing = recall_left_out(blog, archive)
        begin_anew(blog, archive)
        keep_places(blog, scope, archive)
        archive.urls.requeue(blog.id, [canonical(blog.home), *archive.urls.fruitful_pages(blog.id), *missing])
        state = "crawling" if blog.state == "finished" else blog.state
        blog = archive.blogs.update(blog.id, scope=scope.mode, state=state)
    return blog


def _is_to_learn_otherwise(learned: LearnedBlog, settings: Settings) -> bool:
    """Whether a blog that was learned without a feed is given one now, or the other way round."""
    return settings.feed is not None if learned.without_feed else settings.no_feed


async def _learn_and_crawl(blog: Blog, found: Found, rendering: Rendering, run: CrawlRun, run_id: int) -> Report:
    robots = run.fetcher.robots_exchanges()
    clues = clues_of(found, (*(found.explored.robots if found.explored is not None else ()), *robots))
    scope = scope_found(found.home, found.feed, found.feed_url, run.settings)
    is_told = await walk_sources(blog, clues, scope, run)
    if not is_told:
        keep_archive_pages(blog, clues, run)
    run.tally.doing = learning_step(found)
    # The posts that were told teach as well; what the feed says stays what the feed says.
    lesson = await learn_found(with_told_entries(found, blog, run.archive), rendering)
    run = replace(run, fetcher=rendering.fetcher)
    commenting, comment_feeds = await study_comments(blog, found, lesson.shown, rendering, run)
    learned = replace(lesson.learned, template=lesson.learned.template.with_comments(commenting.rules))
    learned = learned.with_manual_of(LearnedBlog.of(blog))
    answers = _answers(lesson.found, lesson.pages, learned, lesson.scope)
    # The feed and the queue come before the state: killed in between, the blog is learned again.
    robots = (*robots, *run.fetcher.robots_exchanges())
    # How many posts there are is known before the first of them is visited.
    run.tally.doing = "reading the sitemap"
    listed, maps = await sitemaps_of(found, robots, run.fetcher)
    keep_listing(blog, maps, lesson.scope, run)
    run.archive.commit([*_other_visits(blog, found, robots, maps), *comment_feeds])
    run.archive.urls.enqueue(blog.id, [link for link, _ in answers])
    run.archive.urls.enqueue(blog.id, keep_sitemap(blog, maps, lesson.scope, learned, run))
    _remember_for_updates(found, blog, run.archive)
    begin_anew(blog, run.archive)
    keep_places(blog, lesson.scope, run.archive)
    estimate = _estimate(replace(lesson, found=found, learned=learned), listed, len(maps))
    estimate = best_of([estimate, *from_interfaces(run.archive.blogs.state(blog.id).history)])
    run.archive.blogs.change_state(blog.id, lambda state: replace(state, estimate=estimate))
    if blog.template is not None and blog.state == "new" and learned.learned_at is not None:
        # What was imported is read as before.
        run.archive.blogs.change_template(
            blog.id, template=learned.template.to_json(), knowledge=learned.knowledge(), at=learned.learned_at,
            reason="learned anew on the web",
        )
    blog = run.archive.blogs.update(
        blog.id, title=found.feed.title, feed_url=found.feed_url, template=learned.template.to_json(),
        knowledge=learned.knowledge(), state="crawling", forgotten_at=None, scope=run.settings.scope,
    )
    entries = found.feed.entries if found.feed_url is not None else ()
    with open_context(blog, learned, run, entries=entries, commenting=commenting) as context:
        set_told(context, is_told=is_told)
        context.archive_walk = None if is_told else ArchiveWalk.of(blog, run.archive)
        crawl = begin(context)
        for link, answer in answers:
            if answer is not None:
                run.tally.requests += 1
                await crawl.take_any(link, answer)
        await context.drain()
        return await _ended(crawl, run_id)


def _answers(
    found: Found, pages: Mapping[str, Fetched], learned: LearnedBlog, scope: Scope,
) -> list[tuple[Link, Fetched | Failure | None]]:
    """Where the crawl begins: addresses, with their answers as far as these are there already."""
    home = Link(url=found.home, key=canonical(found.home), lane="page")
    if found.explored is not None:
        posts = {entry.link for entry in found.feed.entries}
        begun: dict[str, tuple[Link, Fetched | Failure | None]] = {}
        for url, answer in found.explored.answers:
            lane: Lane = "post" if isinstance(answer, Fetched) and answer.page.url in posts else "page"
            begun[canonical(url)] = Link(url=url, key=canonical(url), lane=lane), answer
        for url in found.explored.listed:
            lane = "post" if learned.classifier.likely_post(url) else "page"
            begun.setdefault(canonical(url), (Link(url=url, key=canonical(url), lane=lane), None))
        return list(begun.values())
    # An entry whose page was fetched is known by the address that answered.
    answered = {link: answer.page.url for link, answer in pages.items()}
    fetched = {canonical(answer.page.url): answer for answer in pages.values()}
    fronts = {canonical(url): (url, answer) for url, answer in entrances(found.home, found.doors, found.home_page)}
    fetched |= {key: answer for key, (_, answer) in fronts.items()}
    entries = entry_links(found.feed.entries, found.feed_url, scope, answered)
    links = {link.key: link for link in (*entries, home)}
    links |= {key: Link(url=url, key=key, lane="page") for key, (url, _) in fronts.items() if key not in links}
    return [(link, fetched.pop(link.key, None)) for link in links.values()]


def _other_visits(blog: Blog, found: Found, robots: Iterable[Exchange], maps: Iterable[ReadMap]) -> list[Visit]:
    """The feed, the maps of the site, and the robots.txt that allowed asking for them."""
    explored = found.explored
    visits = [
        Visit(blog_id=blog.id, url=each.url, key=canonical(each.url), outcome="feed", exchanges=each.exchanges)
        for each in (read.answer for read in maps)
    ]
    if found.feed_url is not None and found.feed_page is not None:
        visits.append(feed_visit(blog, found.feed_url, found.feed_page))
    return [*visits, *robots_visits(blog, (*(explored.robots if explored is not None else ()), *robots))]


async def study_comments(
    blog: Blog, found: Found, pages: Mapping[str, Fetched], rendering: Rendering, run: CrawlRun,
) -> tuple[CommentGatherer, list[Visit]]:
    """How the blog writes its comments, from the comment feeds of its newest posts; and these feeds."""
    entries = {entry.link: entry for entry in found.feed.entries if entry.link}
    answered = {link: canonical(answer.page.url) for link, answer in pages.items()}
    commenting = CommentGatherer(
        blog_id=blog.id, fetcher=run.fetcher, rendering=rendering, tally=run.tally,
        entries={key: entries[link] for link, key in answered.items() if link in entries},
    )
    are_to_come = any(state.cursor is not None for state in run.archive.blogs.state(blog.id).history)
    if not run.settings.comments or are_to_come or run.archive.blogs.figures(blog.id).comments:
        # Those that are told, now or later, need no feeds, and pages of engines that tell them are known.
        return commenting, []
    run.tally.doing = "learning from the comments of these posts"
    return commenting, await commenting.study((entries[link], pages[link]) for link in pages if link in entries)


async def _go_on(blog: Blog, learned: LearnedBlog, run: CrawlRun) -> Report:
    if not run.goes_on:
        run.archive.urls.requeue_failed(blog.id, now=run.now())
    run = replace(run, fetcher=aliased(run.fetcher, scope_of(blog, run.archive)))
    learned = compared_anew(learned, blog, run.archive)
    is_told = await go_on_walking(blog, scope_of(blog, run.archive), run)
    with recorded_run(blog, "crawl", run.archive) as run_id, open_context(blog, learned, run) as context:
        set_told(context, is_told=is_told)
        context.archive_walk = None if is_told else ArchiveWalk.of(blog, run.archive)
        crawl = begin(context)
        return await _ended(crawl, run_id)


async def _ended(crawl: Crawl, run_id: int) -> Report:
    """The crawl to its end, and what is done then."""
    context = crawl.context
    stop = await with_other_names(context, await _to_end(crawl))
    after_new_crawl(context, stop)
    _prepare_watching(context.blog, stop, context.run)
    if stop.ending == "complete":
        await settle_lists(context.blog, context.run)
    return finish_crawl(context, run_id, stop)


async def _to_end(crawl: Crawl) -> Stop:
    """The crawl to its end, and what had to wait for it: what nobody links to, comments of posts not held before."""
    context = crawl.context
    stop = await ask_between(context, await run_to_end(crawl))
    keep_walked(context, stop)
    if stop.ending != "complete":
        return stop
    return await end_walks(context.blog, context.scope, context.run) or stop


def _prepare_watching(blog: Blog, stop: Stop, run: CrawlRun) -> None:
    """When a blog was visited to its end: it is well, what it is known by, and when its posts are looked at again."""
    if stop.ending in {"complete", "incomplete"}:
        all_is_well(blog, run)
        keep_fingerprint(blog, run.archive)
        plan_rechecks(blog, run)


def _remember_for_updates(found: Found, blog: Blog, archive: Archive) -> None:
    """What the feed says now or, without one, which maps of the site named pages that links did not lead to."""
    marks = entry_marks(found.feed) if found.feed_url else {}
    explored = found.explored
    maps = [each.answer.url for each in explored.maps] if explored is not None and explored.listed else []
    start = found.home_page.page.url if found.home_page is not None else found.home
    archive.blogs.change_state(blog.id, lambda state: replace(
        state, entries=marks, sitemaps=tuple(maps), front_pages=None, comment_feed=None, split_posts=None,
        start_page=start if canonical(start) != canonical(found.home) else None,
    ))


def _estimate(lesson: LearnResult, listed: Iterable[str], maps: int) -> Estimate:
    """How many posts to expect, as `everlog inspect` would say."""
    found = lesson.found
    why = "entries of the feed" if found.feed_url else "posts recognised among the pages fetched"
    estimates = [Estimate(posts=len(found.feed.entries), why=why, evidence="feed")]
    estimates += from_sitemaps(listed, maps, lesson.learned)
    if found.home_page is not None:
        page = found.home_page.page
        estimates += estimates_of_page(parse(page.body, page.content_type), page.url, lesson.scope, lesson.learned)
    return best_of(estimates)
