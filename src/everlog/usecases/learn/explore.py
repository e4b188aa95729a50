"""Exploration of a blog without a feed: some of its pages are read, and the posts among these stand in for one."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from math import inf
from typing import TYPE_CHECKING
from urllib.parse import urljoin, urlsplit

from everlog.core.links import trap, with_links_here
from everlog.core.retry_policy import HOST_DEAD_AFTER, PASSING, asks_for_patience
from everlog.core.urls import canonical
from everlog.errors import NoFeed
from everlog.extract.classify.scripted import share_shown
from everlog.extract.learn_blog import PAGES_USED
from everlog.feeds.sitemaps import Sitemap
from everlog.history import BlogClues, sitemap_history
from everlog.records import Entry, Exchange, Failure, Feed, Fetched
from everlog.records.one_line import counted
from everlog.usecases.discover.blog_aliases import alias_of_front
from everlog.usecases.discover.blog_scope import may_widen, plain_scope
from everlog.usecases.discover.discover_blog import Explored, Found, as_feed, at_home, feed_of, home_stated_by
from everlog.usecases.discover.front_page import entrances, front_page, why_unreachable
from everlog.usecases.discover.walk_history import ReadMap, walk_history
from everlog.usecases.learn.learned_blog import rendered_page
from everlog.usecases.page.pipeline import HTML_TYPES

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from everlog.core.fetcher import Fetcher
    from everlog.core.scope import Alias, Scope
    from everlog.extract.feedless import Explorer
    from everlog.usecases.crawl.report import Tally
    from everlog.usecases.page.rendering import Rendering

# Pages under way at once. They are chosen before the others of their turn are seen: of the pages of 12 blogs, 202
# posts were told with one at a time, 212 with four and 203 with eight, and nothing that is no post.
AT_ONCE = 4
# Pages are held in memory until the blog is learned, which takes many times their bytes. Forty pages of the median
# blog have 1.2 MB together, those of 83 of 84 blogs less than 12, those of one 41.
MOST_BYTES = 30_000_000
# One page alone may be anything that is not a list: an "about" page of a site that is no blog.
FEWEST_POSTS = 2
# Where links lead to fewer posts than feeds usually name, the site's own maps may know more.
ENOUGH_POSTS = 10
MOST_LISTED = 50_000
NAMED = 5


async def find_blog(url: str, rendering: Rendering, tally: Tally, others: Sequence[str] = ()) -> Found:
    """The blog at `url` with its feed or, if it has none or none is wanted, with one made up from its pages.

    `others` are further spellings of what was typed, tried where nobody answers.
    """
    fetcher, settings = rendering.fetcher, rendering.settings
    if settings.no_feed:
        tally.doing = "looking for posts (no feed)"
    front = await front_page(url, fetcher, others)
    if front.remark is not None:
        tally.remarks.append(front.remark)
    missing: NoFeed | None = None
    if not settings.no_feed:
        try:
            found = await feed_of(front, fetcher, settings.feed, typed=url)
            if (remark := without_pages(found.feed)) is not None:
                tally.remarks.append(remark)
            return await _at_home(found, front.home, rendering, tally)
        except NoFeed as error:
            missing = error
    elif (feed := as_feed(front.page)) is not None and feed.home is not None:
        front = await front_page(feed.home, fetcher)
    home = front.home
    begun = {canonical(url): (url, answer) for url, answer in entrances(home, front.doors, front.page)}
    alias, pages = await alias_of_front(front, fetcher)
    begun |= {canonical(page.url): (page.url, page) for page in pages}
    walk = _Walk(home=home, rendering=rendering, tally=tally, answers={**begun}, alias=alias)
    feed = await walk.posts()
    if len(feed.entries) < FEWEST_POSTS:
        stated = home_stated_by(front) if may_widen(settings) else None
        if stated is None:
            raise _nothing_told(url, missing, walk)
        # A page that is no list of posts: what it calls its home may be.
        tally.remarks.append(f"{front.home} is a page of {stated}: archiving that blog")
        return await find_blog(stated, rendering, tally)
    if missing is not None:
        tally.remarks.append("no feed found: posts are recognised by their pages")
    return Found(
        home=home, home_page=front.page, doors=front.doors, feed_url=None, feed=feed, feed_page=None,
        explored=Explored(
            answers=tuple(walk.answers.values()), shown=walk.shown, listed=tuple(walk.listed), maps=tuple(walk.maps),
            robots=tuple(walk.robots),
        ),
    )


def without_pages(feed: Feed) -> str | None:
    """What to say of a feed whose posts have no pages of their own: its links lead to places on pages of months.

    >>> links = ("http://a.example/5.html#p2", "http://a.example/5.html#p1", "http://a.example/4.html#p9")
    >>> without_pages(Feed(url=None, entries=tuple(Entry(link=link) for link in links)))
    '3 entries of the feed are places on 2 pages: posts have no pages of their own, and such a page is kept as one post'
    """
    # What stands behind "#!" is asked for by a script, and is a page to readers.
    parted = [(entry.link or "").partition("#") for entry in feed.entries]
    places = {(page, place) for page, _, place in parted if place and place[0] != "!"}
    pages = {page for page, _ in places}
    if 2 * len(places) <= len(feed.entries) or len(pages) == len(places):
        return None
    return (
        f"{len(places)} entries of the feed are places on {counted(len(pages), 'page')}: "
        "posts have no pages of their own, and such a page is kept as one post"
    )


async def sitemaps_of(
    found: Found, robots: Iterable[Exchange], fetcher: Fetcher,
) -> tuple[Sequence[str], Sequence[ReadMap]]:
    """The addresses that the maps of a blog's site name, and the maps; they are asked for if nobody has yet."""
    if found.explored is not None:
        return found.explored.listed, found.explored.maps
    return await read_sitemaps(found.home, next((each.body for each in robots if each.status == 200), b""), fetcher)


async def _at_home(found: Found, url: str, rendering: Rendering, tally: Tally) -> Found:
    """The blog at its home, whatever page of it was typed, unless the user says what belongs to it."""
    if rendering.settings.feed is not None or not may_widen(rendering.settings):
        return found
    found, what = await at_home(found, url, rendering.fetcher)
    if what is not None:
        tally.blog = found.home
        tally.remarks.append(f"{url} is {what} of {found.home}: archiving that blog")
    return found


async def read_sitemaps(home: str, robots: bytes, fetcher: Fetcher) -> tuple[list[str], list[ReadMap]]:
    """The addresses that a site's maps name, each once, and the maps."""
    source = sitemap_history.SOURCE
    entrance = source.entrance(BlogClues(home=home, robots=robots))
    walk = source.walk(entrance.url)
    walked = await walk_history(walk, fetcher)
    return walked.addresses, [
        ReadMap(answer=answer, sitemap=walk.read.get(answer.url, Sitemap())) for answer in walked.answers
    ]


@dataclass(slots=True, kw_only=True)
class _Walk:
    """What was seen of a blog so far; nothing is asked for twice."""

    home: str
    rendering: Rendering
    tally: Tally
    answers: dict[str, tuple[str, Fetched | Failure]]
    shown: dict[str, Fetched] = field(default_factory=dict)
    listed: list[str] = field(default_factory=list)
    maps: list[ReadMap] = field(default_factory=list)
    robots: list[Exchange] = field(default_factory=list)
    # Another host that the blog's pages name, whose links are read as links to the same pages here.
    alias: Alias | None = None
    _silent: int = 0

    @property
    def _scope(self) -> Scope:
        return plain_scope(self.home, self.rendering.settings)

    async def posts(self) -> Feed:
        """The posts that could be told, as a feed; without entries if there are none."""
        feed = await self._look_around()
        rendering = self.rendering
        if not feed.entries and rendering.settings.render == "auto" and self.looks_scripted():
            rendering.is_scripted = True
            feed = await self._look_around()
            rendering.is_scripted = bool(feed.entries)
        return feed

    def pages(self) -> list[Fetched]:
        """What answered with a page of the blog."""
        return self._of_the_blog(answer for _, answer in self.answers.values())

    def looks_scripted(self) -> bool:
        """Whether most pages show nothing before their scripts ran."""
        pages = self.pages()
        shells = sum(share_shown(Entry(link=answer.url), answer.page) == 0.0 for answer in pages)
        return 2 * shells >= len(pages) > 0

    async def _look_around(self) -> Feed:
        # Told from the lists of a blog, posts need numpy and the learner: only who goes without a feed loads them.
        from everlog.extract.feedless import Explorer, made_up_feed  # noqa: PLC0415

        explorer = Explorer(self.home, self.rendering.settings.scope)
        await self._follow(explorer)
        feed = made_up_feed(explorer.pages, self.home)
        is_over = len(self.answers) >= self._most_pages
        if len(feed.entries) < ENOUGH_POSTS and not is_over and await self._offer_listed(explorer):
            await self._follow(explorer)
            feed = made_up_feed(explorer.pages, self.home)
        return feed

    async def _follow(self, explorer: Explorer) -> None:
        """Look at the pages that an explorer asks for, some at once; it is told of them in its own order."""
        while chosen := self._chosen(explorer):
            answers = await asyncio.gather(*map(self._answer, chosen))
            for url, answer in zip(chosen, answers, strict=True):
                self.answers[canonical(url)] = url, answer
                self._heed(answer)
            for page in await asyncio.gather(*map(self._as_shown, self._of_the_blog(answers))):
                body = with_links_here(page.page.body, (self.alias,) if self.alias else (), self.home)
                explorer.take(page.page.url, body, page.page.content_type)
            self.tally.doing = f"looking for posts (no feed), {counted(len(self.answers), 'page')} seen"

    def _chosen(self, explorer: Explorer) -> list[str]:
        chosen: list[str] = []
        if sum(len(page.answer.body) for page in self.pages()) > MOST_BYTES:
            return chosen
        while len(chosen) < AT_ONCE and len({*self.answers, *map(canonical, chosen)}) < self._most_pages:
            url = explorer.next()
            if url is None:
                break
            chosen.append(url)
        return chosen

    @property
    def _most_pages(self) -> float:
        """How many pages may be looked at: a limit of the user's, but as many as are learned from with a feed."""
        limit = self.rendering.settings.max_pages
        return inf if limit is None else max(limit, PAGES_USED)

    async def _answer(self, url: str) -> Fetched | Failure:
        known = self.answers.get(canonical(url))
        return known[1] if known is not None else await self.rendering.fetcher.fetch(url)

    def _of_the_blog(self, answers: Iterable[Fetched | Failure]) -> list[Fetched]:
        return [
            answer for answer in answers
            if isinstance(answer, Fetched) and self._scope.is_own(answer.page.url) and _is_html(answer)
        ]

    async def _as_shown(self, answer: Fetched) -> Fetched:
        if not self.rendering.renders_all:
            return answer
        rendered = self.shown[answer.page.url] = await rendered_page(answer, self.rendering)
        return rendered

    def _heed(self, answer: Fetched | Failure) -> None:
        """A server that asks to be left alone, or is gone, ends the walk."""
        if isinstance(answer, Fetched):
            self._silent = 0
        elif self._scope.is_own_failure(answer):
            self._silent = self._silent + 1 if answer.trouble in PASSING else 0
            if asks_for_patience(answer) or self._silent >= HOST_DEAD_AFTER:
                raise why_unreachable(answer)

    async def _offer_listed(self, explorer: Explorer) -> bool:
        """Whether the site's maps name pages that no link led to; the explorer may look at them."""
        fetcher = self.rendering.fetcher
        if not self.maps and not self.listed:
            self.robots += fetcher.robots_exchanges()
            robots = next((each.body for each in self.robots if each.status == 200), b"")
            addresses, self.maps = await read_sitemaps(self.home, robots, fetcher)
            scope = self._scope
            pages = [url for url in addresses[:MOST_LISTED] if trap(url) is None]
            self.listed = [url for url in pages if scope.is_own(url)]
            outside = sum(scope.leaves_out(canonical(url)) for url in pages)
            if outside > len(self.listed):
                self.tally.remarks.append(
                    f"the sitemaps list {outside} pages outside {self.home} and {len(self.listed)} within it; "
                    f"to include them:  everlog crawl {self.home} --scope host",
                )
        fresh = [url for url in self.listed if canonical(url) not in self.answers]
        for url in fresh:
            explorer.offer(url)
        return bool(fresh)


def _is_html(answer: Fetched) -> bool:
    kind = (answer.page.content_type or "text/html").partition(";")[0].strip().lower()
    return not kind or kind.startswith(HTML_TYPES)


def _nothing_told(url: str, missing: NoFeed | None, walk: _Walk) -> NoFeed:
    """Why a blog can be crawled neither with a feed nor without one."""
    pages = [urlsplit(answer.page.url).path or "/" for answer in walk.pages()]
    more = f" and {len(pages) - NAMED} more" if len(pages) > NAMED else ""
    message = missing.message if missing is not None else f"no posts found at {url}"
    looked = f"these pages: {', '.join(pages[:NAMED])}{more}" if pages else "its pages (none could be read)"
    message += f"\n  without a feed: no posts recognised among {looked}"
    if walk.looks_scripted():
        message += "\n  its pages are empty until their scripts run in a browser"
        message += " (leave out --render never)" if walk.rendering.settings.render == "never" else ""
    whole = urljoin(url, "/")
    wider = f"  all of its host:       everlog crawl {whole}\n" if canonical(whole) != canonical(url) else ""
    return NoFeed(
        message,
        advice=f"if you know its feed:  everlog crawl {url} --feed FEED_URL\n{wider}"
               "  or pass the address of a page that lists its posts; --scope host if they are elsewhere on the host",
    )
