"""Walk back over a blog's lists, from the newest posts to those that are held.

Every answer is stored as it comes. What still has to be asked for is written down before the page that led there is
stored, so a walk that did not come to its end is known as such, and the next update goes on with it.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from everlog.archive.blog_state import ListWalk
from everlog.core.links import PageLink, page_links, trap
from everlog.core.retry_policy import list_may_pass
from everlog.core.tree import parse
from everlog.core.urls import canonical
from everlog.errors import UnreadablePage
from everlog.records import Failure, Fetched, Link
from everlog.usecases.crawl.crawl_loop import NOT_MODIFIED, Crawl
from everlog.usecases.discover.front_page import why_unreachable
from everlog.usecases.learn.learned_blog import rendered_page

if TYPE_CHECKING:
    from collections.abc import Iterable

    from everlog.usecases.crawl.crawl_context import CrawlContext

# A list that shows two of so many newest posts that are held leaves no gap behind it. One alone may be pinned to the
# top of every list; and of several, because the newest may have been taken back.
NEWEST = 5
CONTIGUOUS = 2
# Lists that one update asks for. They are asked for one after the other and the new posts come after them, so this is
# how long an update looks before it fetches: some two minutes at the usual delay of a second. Even lists of five
# posts show 500 by then: more are missing only after long years, or if a blog changed the addresses of its posts.
MOST_LISTS = 100


@dataclass(slots=True, kw_only=True)
class Walk:
    """One walk, over as many updates as it takes.

    `newest` are the posts to arrive at: the newest when it began. `owed` are lists that an earlier update left:
    since then posts may have moved on from list to list, so these are followed even where they show nothing new.
    """

    newest: frozenset[str] | None = None
    waiting: deque[str] = field(default_factory=deque)
    again: list[str] = field(default_factory=list)
    owed: set[str] = field(default_factory=set)
    fetched: set[str] = field(default_factory=set)
    fetched_now: set[str] = field(default_factory=set)
    # Where the lists of this walk have led so far: what every list shows in its margin is news once.
    met: set[str] = field(default_factory=set)
    is_kept: bool = False

    @classmethod
    def taken_up(cls, context: CrawlContext, fronts: Iterable[str]) -> Walk:
        """A new walk from the front pages, after what an earlier one left."""
        kept = context.archive.blogs.state(context.blog.id).walk
        if kept is None:
            return cls(waiting=deque(fronts))
        return cls(
            newest=frozenset(kept.newest), waiting=deque((*kept.waiting, *fronts)), fetched=set(kept.asked),
            owed=set(map(canonical, kept.waiting)), is_kept=True,
        )

    def keep(self, context: CrawlContext, *urls: str) -> None:
        """Write down what still has to be asked for, these first."""
        left = tuple(dict.fromkeys((*urls, *self.waiting, *self.again)))
        self.newest = newest_posts(context) if self.newest is None else self.newest
        walk = ListWalk(newest=tuple(sorted(self.newest)), waiting=left, asked=tuple(sorted(self.fetched)))
        context.archive.blogs.change_state(context.blog.id, lambda state: replace(state, walk=walk))
        self.is_kept = True

    def end(self, context: CrawlContext) -> None:
        """Write down that nothing is left, or what is. All answers must be stored by now."""
        if not self.is_kept and context.learned.without_feed:
            return  # only front pages can be left, and every update of such a blog begins with them
        if self.waiting or self.again:
            self.keep(context)
        elif self.is_kept:
            context.archive.blogs.change_state(context.blog.id, lambda state: replace(state, walk=None))


def is_under_way(context: CrawlContext) -> bool:
    """Whether an earlier update began a walk that did not come to its end."""
    return context.archive.blogs.state(context.blog.id).walk is not None


async def walk_back(crawl: Crawl, fronts: Iterable[str]) -> bool:
    """The front pages and, until a list shows nothing new or where what is held begins, the lists they lead to.

    Says whether it stopped after `MOST_LISTS`; the crawl's own limits end it as well, and the crawl knows of that.
    """
    context = crawl.context
    fruitful = set(context.archive.urls.fruitful_pages(context.blog.id))
    walk = Walk.taken_up(context, fronts)
    is_over = False
    while walk.waiting and crawl.goes_on():
        url = walk.waiting.popleft()
        if canonical(url) in walk.fetched_now:
            continue
        is_over = len(walk.fetched_now) >= MOST_LISTS and not context.settings.exhaustive
        if is_over or not await _step(url, walk, crawl, fruitful):
            walk.waiting.appendleft(url)
            break
    await context.drain()
    walk.end(context)
    return is_over


async def _step(url: str, walk: Walk, crawl: Crawl, fruitful: set[str]) -> bool:
    """Ask for one page, note where it leads, store it; False if the crawl had to end before there was an answer."""
    context, key = crawl.context, canonical(url)
    looked = await crawl.unless_ended(_look(url, context, anew=key in walk.owed))
    if looked is None:
        return False
    answer, links = looked
    walk.fetched_now.add(key)
    walk.fetched.add(key)
    if isinstance(answer, Failure):
        context.archive.blogs.change_state(context.blog.id, lambda state: replace(state, front_pages=None))
        if key == canonical(context.blog.home):
            raise why_unreachable(answer)
        if _may_pass(answer, key, context):
            walk.again.append(url)
            walk.keep(context)
    else:
        has_news = any(_is_news(link, walk, context) for link in links)
        if (has_news or key in walk.owed) and not _meets_held(links, walk, context):
            _follow(url, links, walk, context, fruitful, has_news=has_news)
        walk.met.update(link.key for link in links)
    await crawl.take_any(Link(url=url, key=key, lane="page"), answer)
    # Only what is stored may be dropped from the list of what is left.
    await context.drain()
    return True


def _meets_held(links: list[PageLink], walk: Walk, context: CrawlContext) -> bool:
    """Whether what is held begins here, without a gap."""
    if walk.newest is None:
        walk.newest = newest_posts(context)
    shown = walk.newest.intersection(link.key for link in links)
    return bool(shown) and len(shown) >= min(CONTIGUOUS, len(walk.newest))


def _follow(
    url: str, links: list[PageLink], walk: Walk, context: CrawlContext, fruitful: set[str], *, has_news: bool,
) -> None:
    """Put the lists that a page leads to in the row, and on paper."""
    # A list that shows nothing new leads to each other list once; else two updates would send each other in circles.
    done = walk.fetched_now if has_news else walk.fetched | walk.fetched_now
    waiting = set(map(canonical, walk.waiting))
    lists = [link for link in links if link.key in fruitful and link.key not in done and link.key not in waiting]
    if lists:
        walk.waiting += [link.url for link in lists]
        if canonical(url) in walk.owed:
            walk.owed |= {link.key for link in lists}
        walk.keep(context, url)


async def _look(url: str, context: CrawlContext, *, anew: bool) -> tuple[Fetched | Failure, list[PageLink]]:
    """What a page answers and, if it can be had and changed, the links on it."""
    # What scripts write into a page may be new while the page itself is the same.
    answer = await fetch_list(url, context, is_conditional=not anew and not context.rendering.renders_all)
    if isinstance(answer, Failure) or answer.answer.status == NOT_MODIFIED:
        return answer, []
    shown = await rendered_page(answer, context.rendering) if context.rendering.renders_all else answer
    return answer, links_on(shown, context)


async def fetch_list(
    url: str, context: CrawlContext, *, is_conditional: bool, is_map: bool = False,
) -> Fetched | Failure:
    """A page or a map of the site; with the condition that it changed since it was stored, if that will do."""
    stored = context.archive.captures.find(context.blog.id, url) if is_conditional else None
    context.tally.requests += 1
    return await context.fetcher.fetch(
        url, purpose="sitemap" if is_map else "page", etag=stored.etag if stored else None,
        last_modified=stored.last_modified if stored else None,
    )


def links_on(answer: Fetched, context: CrawlContext) -> list[PageLink]:
    """The links of a page that stay within the blog; none on what is no page."""
    page = answer.page
    try:
        return page_links(parse(page.body, page.content_type), page.url, within=context.scope)
    except UnreadablePage:
        return []


def newest_posts(context: CrawlContext) -> frozenset[str]:
    """The keys of the newest posts that are held and say when they were published."""
    return frozenset(context.archive.posts.newest(context.blog.id, limit=NEWEST, dated=True))


def _is_news(link: PageLink, walk: Walk, context: CrawlContext) -> bool:
    """Whether a link leads to a post that is not held, and that no list before led to."""
    if link.key in walk.met or not context.learned.classifier.likely_post(link.url) or trap(link.url) is not None:
        return False
    if not context.has_seen(link.key):
        return True
    # What the feed has just named waits to be visited.
    row = context.archive.urls.state(context.blog.id, link.key)
    return row is not None and row[0] == "queued"


def _may_pass(failure: Failure, key: str, context: CrawlContext) -> bool:
    """Whether another update should ask again for a list that could not be had."""
    _, tries = context.archive.urls.state(context.blog.id, key) or ("", 0)
    return list_may_pass(failure, tries)
