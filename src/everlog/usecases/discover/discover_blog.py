"""Discovery of a blog: from the address a user typed to its home page and its feed."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING
from urllib.parse import urljoin, urlsplit

from everlog.core.retry_policy import is_feed_down
from everlog.core.scope import is_within
from everlog.core.tree import Element, parse
from everlog.core.urls import canonical, host_of
from everlog.errors import Blocked, NoFeed, Unreachable, UnreadableFeed, UnreadablePage, UsageError
from everlog.feeds import feed_links, parse_feed
from everlog.records import Exchange, Failure, Feed, FeedLink, Fetched
from everlog.usecases.discover.find_home import folder_above, home_of, stated_home
from everlog.usecases.discover.front_page import Front, front_page, why_unreachable

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from everlog.core.fetcher import Fetcher
    from everlog.usecases.discover.walk_history import ReadMap

# A page may declare dozens of feeds (one per tag); the blog's own stands among the first by `feed_links`.
# The usual addresses are 15, in one or two folders.
FEEDS_TRIED = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class Explored:
    """What was asked for on a blog without a feed, to find its posts: addresses and answers, in this order.

    `shown` are pages as a browser shows them, by their addresses, on a blog that shows nothing without one;
    `listed` are further addresses that the site's maps name, `maps` and `robots` the answers they came from.
    """

    answers: tuple[tuple[str, Fetched | Failure], ...]
    shown: Mapping[str, Fetched] = field(default_factory=dict)
    listed: tuple[str, ...] = ()
    maps: tuple[ReadMap, ...] = ()
    robots: tuple[Exchange, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A blog's home page and its feed, as they were answered.

    `home` is what was typed where the page that its readers see stands below it: `home_page` may be another address.
    `doors` are the pages that only sent on there. Without a feed, `feed` is made up from the pages that were
    `explored`, and there is no page of it.
    """

    home: str
    home_page: Fetched | None
    doors: tuple[Fetched, ...] = ()
    feed_url: str | None
    feed: Feed
    feed_page: Fetched | None
    explored: Explored | None = None


async def discover(url: str, fetcher: Fetcher, feed_url: str | None = None) -> Found:
    """The home page and the feed of the blog at `url`; raises what says why there is none.

    `url` may be the feed's own address; then the feed says where the blog is.
    """
    return await feed_of(await front_page(url, fetcher), fetcher, feed_url, typed=url)


async def feed_of(front: Front, fetcher: Fetcher, feed_url: str | None = None, *, typed: str) -> Found:
    """The feed of the blog whose front page this is; `NoFeed` names all that was tried."""
    page = front.page
    nothing = Feed(url=None)
    found = Found(home=front.home, home_page=page, doors=front.doors, feed_url=None, feed=nothing, feed_page=None)
    if feed_url is not None:
        feed, answer = await _given_feed(feed_url, fetcher)
        return replace(found, feed_url=answer.answer.url, feed=feed, feed_page=answer)
    own = as_feed(page)
    if own is not None:
        return replace(await _blog_of_feed(own, typed, fetcher), feed_url=page.answer.url, feed=own, feed_page=page)
    tried: list[tuple[FeedLink, str]] = []
    missed: Failure | None = None
    for link in _with_own_host(feed_links(_root_of(page), page.page.url), page.page.url):
        reached = await fetcher.fetch(link.url, purpose="feed")
        if isinstance(reached, Failure):
            tried.append((link, str(reached.status or reached.trouble)))
            missed = missed or (reached if link.declared and is_feed_down(reached) else None)
            continue
        feed_found = as_feed(reached)
        if feed_found is None:
            tried.append((link, "not a feed, or an empty one"))
            continue
        return replace(found, feed_url=reached.answer.url, feed=feed_found, feed_page=reached)
    if missed is not None:
        # It is there, but not now: without it less would be learned, for good.
        raise Unreachable(
            f"the feed of {typed} cannot be fetched now: {missed.reason}",
            advice=f"try again later, or crawl without it:  everlog crawl {typed} --no-feed",
        )
    raise _no_feed(typed, tried)


async def at_home(found: Found, typed: str, fetcher: Fetcher) -> tuple[Found, str | None]:
    """The blog at its home, where a page of it was asked for; and what that page is there, if it is another."""
    page = found.home_page
    if page is None or found.feed_url is None:
        # Nothing but a feed was typed, and it has said where its blog is.
        moved = canonical(found.home) != canonical(typed)
        return found, "the feed" if moved and found.feed_page is not None else None
    home = home_of(found.home, _root_of(page), found.feed, found.feed_url)
    if home is not None and not home.is_sure:
        folder = urljoin(found.home, ".." if found.home.endswith("/") else ".")
        raise UsageError(
            f"{typed} is not the home of a blog, and the posts of its feed {found.feed_url} lie in other folders",
            advice=f"to archive all of them:  everlog crawl {home.url}\n"
                   f"  this folder alone:       everlog crawl {folder}\n"
                   f"  what lies below it:      everlog crawl {typed} --scope path",
        )
    if home is not None:
        return await _moved_to(home.url, found, fetcher), home.what
    return await _above(found, fetcher)


def home_stated_by(front: Front) -> str | None:
    """The home that a front page names, if it is another page."""
    return stated_home(front.home, _root_of(front.page))


async def _above(found: Found, fetcher: Fetcher) -> tuple[Found, str | None]:
    """The blog in the folder above a list that has a feed of its own, or a page of one person; else it as it is."""
    root = _root_of(found.home_page) if found.home_page is not None else None
    above = folder_above(found.home, root, found.feed, found.feed_url)
    if above is None:
        return found, None
    with suppress(Unreachable, NoFeed):
        there = await feed_of(await front_page(above, fetcher), fetcher, typed=above)
        if is_within(found.home, there.home):
            return there, "a page"
    return found, None


async def _moved_to(home: str, found: Found, fetcher: Fetcher) -> Found:
    """The same blog, begun at its home; the feed that is named there is the one that counts."""
    try:
        front = await front_page(home, fetcher)
    except Unreachable:
        return replace(found, home=home, home_page=None, doors=())
    here = replace(found, home=front.home, home_page=front.page, doors=front.doors)
    links = [link for link in feed_links(_root_of(front.page), front.page.page.url) if not link.comments]
    if not links or not links[0].declared or canonical(links[0].url) == canonical(found.feed_url or ""):
        return here
    try:
        return await feed_of(front, fetcher, typed=home)
    except NoFeed:
        return here


async def _blog_of_feed(feed: Feed, typed: str, fetcher: Fetcher) -> Found:
    """The blog that a feed says it belongs to; where another host, which it names, is silent, the one it came from."""
    found = Found(home=feed.home or typed, home_page=None, feed_url=None, feed=feed, feed_page=None)
    if feed.home is None or host_of(feed.home) == host_of(typed):
        return found
    own = urljoin(typed, "/")
    for home in (feed.home, own):
        with suppress(Unreachable, Blocked):
            front = await front_page(home, fetcher)
            return replace(found, home=front.home, home_page=front.page, doors=front.doors)
    return replace(found, home=own)


def _with_own_host(links: Sequence[FeedLink], home: str) -> Iterator[FeedLink]:
    """The feeds to try; one that a page names on another host may stand at the same path on the blog's own."""
    here = urlsplit(home)
    for link in [link for link in links if not link.comments][:FEEDS_TRIED]:
        yield link
        if link.declared and host_of(link.url) != host_of(home):
            moved = urlsplit(link.url)._replace(scheme=here.scheme, netloc=here.netloc).geturl()
            yield replace(link, url=moved, declared=False)


def _root_of(page: Fetched) -> Element:
    """A front page that is empty names no feed, but may have one at a usual address."""
    try:
        return parse(page.answer.body, page.page.content_type)
    except UnreadablePage:
        return parse(b"<html></html>")


async def _given_feed(feed_url: str, fetcher: Fetcher) -> tuple[Feed, Fetched]:
    answer = await fetcher.fetch(feed_url, purpose="feed")
    if isinstance(answer, Failure):
        raise why_unreachable(answer)
    return parse_feed(answer.answer.body, answer.answer.url), answer


def as_feed(answer: Fetched) -> Feed | None:
    """The feed these bytes are; None for pages, and for feeds without entries."""
    try:
        feed = parse_feed(answer.answer.body, answer.answer.url)
    except UnreadableFeed:
        return None
    return feed if feed.entries else None


def _no_feed(url: str, tried: list[tuple[FeedLink, str]]) -> NoFeed:
    declared = [f"{link.url} ({what})" for link, what in tried if link.declared]
    guessed = [f"{urlsplit(link.url).path or link.url} ({what})" for link, what in tried if not link.declared]
    return NoFeed(
        f"no feed found for {url}\n"
        f"  declared by the page: {', '.join(declared) or 'none'}\n"
        f"  also tried: {', '.join(guessed) or 'nothing'}",
        advice=f"if you know it:       everlog crawl {url} --feed FEED_URL\n"
               f"  to crawl without it: everlog crawl {url} --no-feed",
    )
