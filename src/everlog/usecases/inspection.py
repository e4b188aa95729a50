"""Inspection: what a crawl would find, and nothing is stored."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from everlog.comments.comment_feeds import comment_feed_url
from everlog.comments.services import embedded
from everlog.core.links import page_links
from everlog.core.tree import Element, parse
from everlog.core.urls import canonical
from everlog.extract.classify import noarchive
from everlog.feeds import declared_feeds
from everlog.history.platforms import Platform, platform_of
from everlog.records.figures import Estimate
from everlog.usecases.crawl.report import Tally
from everlog.usecases.discover.estimate import best_of, from_sitemaps
from everlog.usecases.discover.typed_address import fetchable, other_spellings
from everlog.usecases.history.history_clues import clues_of
from everlog.usecases.history.probe_sources import FoundSource, probe_sources
from everlog.usecases.learn.explore import find_blog, sitemaps_of
from everlog.usecases.learn.learn_found import learn_found, learning_step
from everlog.usecases.page.rendering import Rendering

if TYPE_CHECKING:
    from everlog.core.fetcher import Fetcher
    from everlog.core.scope import Scope
    from everlog.records import Fetched, Post, Skip
    from everlog.render import Browser
    from everlog.settings import Settings
    from everlog.usecases.discover.discover_blog import Found
    from everlog.usecases.learn.learned_blog import LearnedBlog

_PAGE_NUMBER = re.compile(r"(?:/page/?|[?&]paged?=|/p/?|page-?)(\d{1,5})(?:/|\.html?|$|&)", re.IGNORECASE)
_MONTH = re.compile(r"/(?:19|20)\d\d/(?:0?[1-9]|1[0-2])(?:/|\.html?)?$")


@dataclass(frozen=True, slots=True, kw_only=True)
class Inspection:
    """What is known of a blog after a look at its front page, feed and sitemaps.

    Of `pages` posts' pages that were looked at, `noarchive` ask not to be kept.
    """

    home: str
    title: str | None
    platform: str | None
    feeds: tuple[str, ...]
    feed_url: str | None
    feed_entries: int
    robots: str
    learned: LearnedBlog
    estimates: tuple[Estimate, ...]
    requests: int
    comments: tuple[str, ...]
    # What shows the platform; the sources of its history, the one that a crawl would use first.
    evidence: str | None
    sources: tuple[FoundSource, ...]
    sample: Post | Skip
    scope: Scope
    pages: int
    noarchive: int
    remarks: tuple[str, ...] = ()

    @property
    def estimate(self) -> Estimate:
        """The estimate to believe."""
        return best_of(self.estimates)

    @property
    def requests_expected(self) -> int:
        """One request per post, and as many again for a tenth of lists and other pages; and those of its history."""
        told = next((each.requests for each in self.sources if each.requests is not None and each.total), 0)
        return round(self.estimate.posts * 1.1) + 2 + (told or 0)


async def inspect_blog(
    url: str, fetcher: Fetcher, settings: Settings, browser: Browser | None = None, *, tally: Tally | None = None,
) -> Inspection:
    """Find the feed, learn the blog, read one post, and count what leads into its history.

    `tally` says meanwhile what is being done.
    """
    tally = tally or Tally(blog=url)
    rendering = Rendering(browser=browser, fetcher=fetcher, settings=settings)
    # The web may have been open for others before.
    before = _count_requests(fetcher)
    found = await find_blog(fetchable(url), rendering, tally, other_spellings(url, settings))
    tally.doing = learning_step(found)
    lesson = await learn_found(found, rendering)
    learned = lesson.learned
    home = lesson.found.home_page.page if lesson.found.home_page else None
    root = parse(home.body, home.content_type) if home else None
    answered = (*(found.explored.robots if found.explored else ()), *fetcher.robots_exchanges())
    robots = next((each.body for each in answered if each.status == 200), b"")
    why = "entries of the feed" if found.feed_url else "posts recognised among the pages fetched"
    estimates = [Estimate(posts=len(found.feed.entries), why=why, evidence="feed")]
    tally.doing = "reading the sitemaps"
    addresses, maps = await sitemaps_of(found, answered, fetcher)
    estimates += from_sitemaps(addresses, len(maps), learned)
    tally.doing = "asking the blog's interfaces"
    clues = clues_of(lesson.found, answered)
    sources = await probe_sources(clues, fetcher)
    estimates += [
        Estimate(posts=each.total, why=f"posts counted by {each.name}", evidence="interface")
        for each in sources if each.total
    ]
    platform = platform_of(clues)
    if root is not None and home is not None:
        estimates += estimates_of_page(root, home.url, lesson.scope, learned)
    last = list(lesson.shown.values())[-1].page
    parsed = parse(last.body, last.content_type)
    return Inspection(
        home=found.home, title=found.feed.title, platform=_platform_name(platform),
        evidence=platform.evidence if platform is not None else None, sources=sources,
        feeds=_declared(root, home.url) if root is not None and home is not None else (),
        feed_url=found.feed_url, feed_entries=len(found.feed.entries), robots=_robots_verdict(robots, settings),
        learned=learned, estimates=tuple(estimates), requests=_count_requests(fetcher) - before,
        comments=_where_comments_are(parsed, last.url, found), scope=lesson.scope, remarks=tuple(tally.remarks),
        sample=learned.template.read(last.body, last.url, last.content_type, last.fetched_at),
        pages=len(lesson.shown), noarchive=sum(map(_asks_not_to_be_kept, lesson.shown.values())),
    )


def _count_requests(fetcher: Fetcher) -> int:
    return sum(each.requests for each in fetcher.host_stats())


def _asks_not_to_be_kept(answer: Fetched) -> bool:
    page = answer.page
    tags = (noarchive(None, value) for value in answer.answer.values("x-robots-tag"))
    return any(tags) or noarchive(parse(page.body, page.content_type))


def _declared(root: Element, url: str) -> tuple[str, ...]:
    return tuple(link.url for link in declared_feeds(root, url))


def _where_comments_are(root: Element, url: str, found: Found) -> tuple[str, ...]:
    """The ways to a post's comments, as one of its pages shows them."""
    ways = [f"{service.name}, rendered in a browser" for service in embedded(root)]
    entry = next((each for each in found.feed.entries if each.link and canonical(each.link) == canonical(url)), None)
    feed = comment_feed_url(root, url, entry=entry)
    return (*ways, *((f"comment feeds such as {feed}",) if feed else ()))


def _platform_name(platform: Platform | None) -> str | None:
    """The program or service that makes a blog: as its pages say it, with the version, else by its name."""
    return None if platform is None else platform.generator or platform.name


def estimates_of_page(root: Element, url: str, scope: Scope, learned: LearnedBlog) -> list[Estimate]:
    """What the front page tells: the number of the last list page, the months of an archive."""
    links = page_links(root, url, within=scope)
    pattern = learned.classifier.pattern
    posts = sum(pattern.matches_key(link.key) for link in links)
    estimates = []
    others = [link.key for link in links if not pattern.matches_key(link.key)]
    numbers = [int(match[1]) for key in others if (match := _PAGE_NUMBER.search(key))]
    if numbers and posts:
        last = max(numbers)
        why = f"{last} list pages of about {posts} posts"
        estimates.append(Estimate(posts=last * posts, why=why, evidence="front page"))
    months = sum(_MONTH.search(key) is not None for key in others)
    if months:
        why = f"{months} months in the archive, at least one post each"
        estimates.append(Estimate(posts=months, why=why, evidence="front page"))
    return estimates


def _robots_verdict(robots: bytes, settings: Settings) -> str:
    if not settings.robots:
        return "not fetched (--ignore-robots)"
    return "allows the blog's pages" if robots.strip() else "none: everything is allowed"
