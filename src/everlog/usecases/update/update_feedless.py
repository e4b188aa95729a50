"""UpdateCrawl of a blog without a feed: its front page says what is new, its lists what came before that."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import timedelta
from itertools import islice
from typing import TYPE_CHECKING

from everlog.archive.blog_state import LookedAt
from everlog.core.links import trap
from everlog.core.retry_policy import PAGE_TRIES
from everlog.core.urls import canonical
from everlog.feeds.sitemaps import parse_sitemap
from everlog.records import Blog, Failure, Link, Outcome, Visit
from everlog.usecases.crawl.crawl_context import SLICE_OVER, CrawlContext, CrawlRun, Stop
from everlog.usecases.crawl.crawl_loop import NOT_MODIFIED, Crawl
from everlog.usecases.crawl.lifecycle import begin, finish, open_context, run_to_end, uncommented_posts
from everlog.usecases.crawl.report import Report, said_of_update
from everlog.usecases.crawl.walk_lists import MOST_LISTS, fetch_list, links_on, newest_posts, walk_back
from everlog.usecases.learn.blog_fingerprint import start_page
from everlog.usecases.learn.page_comparison import compared_anew, with_comparison_posts
from everlog.usecases.page.stored_pages import stored_page
from everlog.usecases.update.blog_liveness import all_is_well, due_rechecks, plan_rechecks
from everlog.usecases.update.comment_feed import SiteCommentFeed, store_comment_feed

if TYPE_CHECKING:
    from collections.abc import Iterable

    from everlog.usecases.learn.learned_blog import LearnedBlog

# Lists that are searched for the newest posts, where the front page does not show them: those found first.
LISTS_SEARCHED = 100
# After this, an update that ended with its turn is begun anew: what came meanwhile is on the front page.
PROGRESS_KEPT = timedelta(days=1)


@dataclass(slots=True, kw_only=True)
class UpdateProgress:
    """What an update has looked at before it visits pages, so that a further part of it need not look again."""

    at_fronts: bool = False
    at_maps: list[str] = field(default_factory=list)

    @classmethod
    def taken_up(cls, blog: Blog, run: CrawlRun) -> UpdateProgress:
        """What the earlier parts of this update looked at; nothing if it is a new one."""
        kept = run.archive.blogs.state(blog.id).update
        if kept is None:
            return cls()
        if run.goes_on or (kept.until is not None and run.now() < kept.until):
            return cls(at_fronts=kept.fronts, at_maps=list(kept.maps))
        run.archive.blogs.change_state(blog.id, lambda state: replace(state, update=None))
        return cls()

    def keep(self, blog: Blog, run: CrawlRun, stop: Stop) -> None:
        """Write down what a further part need not look at; nothing if the update came to its end."""
        looked = None
        if stop.ending in {"limit", "interrupted"}:
            # A poll whose turn is over does not know, the next time, that it goes on with something.
            until = run.now() + PROGRESS_KEPT if stop.reason == SLICE_OVER else None
            looked = LookedAt(fronts=self.at_fronts, maps=tuple(self.at_maps), until=until)
        run.archive.blogs.change_state(blog.id, lambda state: replace(state, update=looked))


async def revisit_blog(
    blog: Blog, learned: LearnedBlog, run: CrawlRun, run_id: int, comment_feed: SiteCommentFeed,
) -> Report:
    """What is new in a finished blog without a feed: on its front page, and on its lists if that leaves a gap.

    `comment_feed` is what the feed of its comments says, which such a blog may have.
    """
    archive = run.archive
    uncommented = uncommented_posts(blog, run)
    again = () if run.goes_on else uncommented
    archive.urls.requeue(blog.id, [*again, *due_rechecks(blog, run), *comment_feed.posts])
    if not run.goes_on:
        archive.urls.requeue_failed(blog.id, now=run.now(), most_tries=PAGE_TRIES)
    progress = UpdateProgress.taken_up(blog, run)
    with open_context(blog, compared_anew(learned, blog, archive), run) as context:
        crawl = begin(context, is_update=True)
        crawl.refetched = frozenset((*uncommented, *comment_feed.posts))
        context.commenting.announced = comment_feed.new
        run.tally.doing = "fetching the front page"
        is_over = await walk_back(crawl, () if progress.at_fronts else front_pages(context))
        progress.at_fronts = progress.at_fronts or crawl.stop.ending is None
        await _fetch_maps(crawl, progress)
        run.tally.doing = "fetching pages"
        stop = await run_to_end(crawl)
        progress.keep(blog, run, stop)
        await store_comment_feed(comment_feed, context, stop)
        if is_over and stop.ending == "complete":
            stop = Stop("limit", why_over(blog))
        stop = await with_comparison_posts(context, stop)
        all_is_well(blog, run)
        plan_rechecks(blog, run)
        said = said_of_update("the front page", "the front page links to no new post", run.tally,
                              looked_at=len(front_pages(context)))
        return finish(context, run_id, stop.ending or "complete", said if stop.ending == "complete" else stop.reason)


def why_over(blog: Blog) -> str:
    """Why a walk ended before it met what is held."""
    return (
        f"stopped after {MOST_LISTS} list pages; more of them may link to posts that are not archived yet"
        f"; to continue:  everlog crawl {blog.home}"
    )


def front_pages(context: CrawlContext) -> list[str]:
    """The pages that show the newest posts first: the home page and, where that does not, the list that does."""
    archive, blog = context.archive, context.blog
    kept = archive.blogs.state(blog.id).front_pages
    if kept is not None:
        return list(kept)
    newest = newest_posts(context)
    shown = {url: _shown(url, newest, context) for url in (blog.home, start_page(blog, archive))}
    if newest and not any(shown.values()):
        lists = (f"http://{key}" for key in islice(archive.urls.fruitful_pages(blog.id), LISTS_SEARCHED))
        shown |= {url: _shown(url, newest, context) for url in _as_stored(lists, context)}
    best = max(shown, key=lambda url: shown[url])
    fronts = list(dict.fromkeys((blog.home, best)))
    archive.blogs.change_state(blog.id, lambda state: replace(state, front_pages=tuple(fronts)))
    return fronts


def _as_stored(urls: Iterable[str], context: CrawlContext) -> list[str]:
    captures = (context.archive.captures.find(context.blog.id, url) for url in urls)
    return [capture.url for capture in captures if capture is not None]


def _shown(url: str, newest: frozenset[str], context: CrawlContext) -> int:
    """How many of the newest posts a stored page leads to."""
    stored = stored_page(url, context.blog, context.archive, rendered=context.learned.is_scripted)
    return len(newest & {link.key for link in links_on(stored, context)}) if stored is not None else 0


async def _fetch_maps(crawl: Crawl, progress: UpdateProgress) -> None:
    """The maps of a site whose links did not lead everywhere: the addresses that are new on them wait to be visited."""
    context = crawl.context
    maps = context.archive.blogs.state(context.blog.id).sitemaps
    for url in (url for url in maps if url not in progress.at_maps):
        answer = await crawl.unless_ended(
            fetch_list(url, context, is_conditional=True, is_map=True),
        ) if crawl.goes_on() else None
        if answer is None:
            break
        crawl.taken += 1
        progress.at_maps.append(url)
        if isinstance(answer, Failure):
            continue
        is_likely = context.learned.classifier.likely_post
        links = [
            Link(url=address, key=canonical(address), lane="post" if is_likely(address) else "page")
            for address, _ in parse_sitemap(answer.answer.body, answer.answer.url).urls
            if context.scope.is_own(address) and trap(address) is None and context.is_new(canonical(address))
        ]
        outcome: Outcome = "unchanged" if answer.answer.status == NOT_MODIFIED else "feed"
        crawl.queue.add(links)
        await context.submit(Visit(
            blog_id=context.blog.id, url=url, key=canonical(url), outcome=outcome, exchanges=answer.exchanges,
            links=tuple(links), new_posts=len(links),
        ))
    await context.drain()
