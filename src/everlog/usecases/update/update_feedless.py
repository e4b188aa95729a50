"""UpdateCrawl of a blog without a feed: its front page says what is new, its lists what came before that."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import islice
from typing import TYPE_CHECKING

from everlog.core.links import trap
from everlog.core.urls import canonical
from everlog.feeds.sitemaps import parse_sitemap
from everlog.records import Failure, Link, Visit
from everlog.usecases.crawl.crawl_loop import NOT_MODIFIED
from everlog.usecases.crawl.lifecycle import begin, crew_of, finish, run_to_end, uncommented_posts
from everlog.usecases.crawl.progress import said_of_update
from everlog.usecases.crawl.stop_reasons import SLICE_OVER, Stop
from everlog.usecases.crawl.walk_lists import FRONTS, MOST_LISTS, ask, links_on, newest_posts, walk_back
from everlog.usecases.learn.blog_fingerprint import start_page
from everlog.usecases.learn.page_comparison import compared_anew, with_company
from everlog.usecases.learn.relearn import stored_page
from everlog.usecases.page.failures import MOST_TRIES
from everlog.usecases.update.blog_liveness import all_is_well, due_rechecks, plan_rechecks
from everlog.usecases.update.comment_feed import keep_talk

if TYPE_CHECKING:
    from collections.abc import Iterable

    from everlog.records import Blog, Outcome
    from everlog.usecases.crawl.crawl_context import CrawlContext
    from everlog.usecases.crawl.crawl_loop import Crawl
    from everlog.usecases.crawl.lifecycle import CrawlRun
    from everlog.usecases.crawl.report import Report
    from everlog.usecases.learn.learned_blog import LearnedBlog
    from everlog.usecases.update.comment_feed import SiteCommentFeed

# Lists that are searched for the newest posts, where the front page does not show them: those found first.
LISTS_SEARCHED = 100
MAPS = "maps"
LOOKED = "looked"
# After this, an update that ended with its turn is begun anew: what came meanwhile is on the front page.
LOOKED_FOR = timedelta(days=1)


@dataclass(slots=True, kw_only=True)
class Looked:
    """What an update has looked at before it visits pages, so that a further part of it need not look again."""

    at_fronts: bool = False
    at_maps: list[str] = field(default_factory=list)

    @classmethod
    def taken_up(cls, blog: Blog, work: CrawlRun) -> Looked:
        """What the earlier parts of this update looked at; nothing if it is a new one."""
        kept = json.loads(work.archive.blogs.recall(blog.id, LOOKED) or "null")
        if kept is None:
            return cls()
        if work.goes_on or (kept["until"] is not None and work.now() < datetime.fromisoformat(kept["until"])):
            return cls(at_fronts=kept["fronts"], at_maps=kept["maps"])
        work.archive.blogs.remember(blog.id, LOOKED, None)
        return cls()

    def keep(self, blog: Blog, work: CrawlRun, stop: Stop) -> None:
        """Write down what a further part need not look at; nothing if the update came to its end."""
        if stop.ending in {"limit", "interrupted"}:
            # A poll whose turn is over does not know, the next time, that it goes on with something.
            until = (work.now() + LOOKED_FOR).isoformat() if stop.reason == SLICE_OVER else None
            state = {"fronts": self.at_fronts, "maps": self.at_maps, "until": until}
            work.archive.blogs.remember(blog.id, LOOKED, json.dumps(state))
        elif work.archive.blogs.recall(blog.id, LOOKED) is not None:
            work.archive.blogs.remember(blog.id, LOOKED, None)


async def revisit_blog(blog: Blog, known: LearnedBlog, work: CrawlRun, run: int, talk: SiteCommentFeed) -> Report:
    """What is new in a finished blog without a feed: on its front page, and on its lists if that leaves a gap.

    `talk` is what the feed of its comments says, which such a blog may have.
    """
    archive = work.archive
    uncommented = uncommented_posts(blog, work)
    archive.urls.requeue(blog.id, [*(() if work.goes_on else uncommented), *due_rechecks(blog, work), *talk.posts])
    if not work.goes_on:
        archive.urls.requeue_failed(blog.id, now=work.now(), most_tries=MOST_TRIES)
    looked = Looked.taken_up(blog, work)
    with crew_of(blog, compared_anew(known, blog, archive), work) as context:
        crawl = begin(context, work, is_update=True)
        crawl.asks_anew = frozenset((*uncommented, *talk.posts))
        context.commenting.told = talk.new
        work.tally.doing = "fetching the front page"
        is_over = await walk_back(crawl, () if looked.at_fronts else front_pages(context))
        looked.at_fronts = looked.at_fronts or crawl.stop.ending is None
        await _ask_maps(crawl, looked)
        work.tally.doing = "fetching pages"
        stop = await run_to_end(crawl)
        looked.keep(blog, work, stop)
        await keep_talk(talk, context, stop)
        if is_over and stop.ending == "complete":
            stop = Stop("limit", why_over(blog))
        stop = await with_company(context, work, stop)
        all_is_well(blog, work)
        plan_rechecks(blog, work)
        said = said_of_update("the front page", "the front page links to no new post", work.tally,
                              looked_at=len(front_pages(context)))
        return finish(context, run, stop.ending or "complete", said if stop.ending == "complete" else stop.reason)


def why_over(blog: Blog) -> str:
    """Why a walk ended before it met what is held."""
    return (
        f"stopped after {MOST_LISTS} list pages; more of them may link to posts that are not archived yet"
        f"; to continue:  everlog crawl {blog.home}"
    )


def front_pages(context: CrawlContext) -> list[str]:
    """The pages that show the newest posts first: the home page and, where that does not, the list that does."""
    archive, blog = context.archive, context.blog
    kept = archive.blogs.recall(blog.id, FRONTS)
    if kept is not None:
        return list(json.loads(kept))
    newest = newest_posts(context)
    shown = {url: _shown(url, newest, context) for url in (blog.home, start_page(blog, archive))}
    if newest and not any(shown.values()):
        lists = (f"http://{key}" for key in islice(archive.urls.fruitful_pages(blog.id), LISTS_SEARCHED))
        shown |= {url: _shown(url, newest, context) for url in _as_stored(lists, context)}
    best = max(shown, key=lambda url: shown[url])
    fronts = list(dict.fromkeys((blog.home, best)))
    archive.blogs.remember(blog.id, FRONTS, json.dumps(fronts))
    return fronts


def _as_stored(urls: Iterable[str], context: CrawlContext) -> list[str]:
    captures = (context.archive.captures.find(context.blog.id, url) for url in urls)
    return [capture.url for capture in captures if capture is not None]


def _shown(url: str, newest: frozenset[str], context: CrawlContext) -> int:
    """How many of the newest posts a stored page leads to."""
    stored = stored_page(url, context.blog, context.archive, drawn=context.known.is_scripted)
    return len(newest & {link.key for link in links_on(stored, context)}) if stored is not None else 0


async def _ask_maps(crawl: Crawl, looked: Looked) -> None:
    """The maps of a site whose links did not lead everywhere: the addresses that are new on them wait to be visited."""
    context = crawl.context
    maps = json.loads(context.archive.blogs.recall(context.blog.id, MAPS) or "[]")
    for url in (url for url in maps if url not in looked.at_maps):
        answer = await crawl.unless_ended(
            ask(url, context, is_conditional=True, is_map=True),
        ) if crawl.goes_on() else None
        if answer is None:
            break
        crawl.taken += 1
        looked.at_maps.append(url)
        if isinstance(answer, Failure):
            continue
        is_likely = context.known.classifier.likely_post
        links = [
            Link(url=address, key=canonical(address), lane="post" if is_likely(address) else "page")
            for address, _ in parse_sitemap(answer.answer.body, answer.answer.url).urls
            if context.scope.holds(address) and trap(address) is None and context.is_new(canonical(address))
        ]
        outcome: Outcome = "unchanged" if answer.answer.status == NOT_MODIFIED else "feed"
        crawl.queue.add(links)
        await context.submit(Visit(
            blog_id=context.blog.id, url=url, key=canonical(url), outcome=outcome, exchanges=answer.exchanges,
            links=tuple(links), new_posts=len(links),
        ))
    await context.drain()
