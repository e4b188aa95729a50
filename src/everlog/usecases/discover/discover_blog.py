"""From the address a user typed to the blog's home page and its feed."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING
from urllib.parse import urljoin, urlsplit

from everlog.core.links import Scope, refresh_target
from everlog.core.politeness import utc_time
from everlog.core.tree import parse
from everlog.core.urls import absolute, canonical, host_of
from everlog.errors import Blocked, NoFeed, Unreachable, UnreadableFeed, UnreadablePage, UsageError
from everlog.feeds import feed_links, parse_feed
from everlog.fetch.proxies import Proxies
from everlog.records import Failure, Feed, Fetched
from everlog.usecases.discover.find_home import folder_above, home_of, stated_home

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from everlog.core.fetcher import Fetcher
    from everlog.core.tree import Element
    from everlog.records import Exchange, FeedLink

# Home pages that send readers on with a meta refresh do so once, sometimes twice (a language, then a folder).
REFRESHES = 3
# A page may declare dozens of feeds (one per tag); the blog's own stands among the first by `feed_links`.
# The usual addresses are 15, in one or two folders.
FEEDS_TRIED = 40
# What was typed without a scheme is asked for in the next one if nobody answers in the first for so long: firewalls
# let requests to a port that is not served run into the void. Firefox waits 3 s, on lines that need not be shared.
SCHEME_SECONDS = 20.0
# Troubles of one scheme of a host that say nothing about the other.
OTHER_SCHEME = frozenset({"connection", "dns", "gone", "http", "protocol", "proxy", "timeout", "tls"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Explored:
    """What was asked for on a blog without a feed, to find its posts: addresses and answers, in this order.

    `shown` are pages as a browser shows them, by their addresses, on a blog that shows nothing without one;
    `listed` are further addresses that the site's maps name, `maps` and `robots` the answers they came from.
    """

    answers: tuple[tuple[str, Fetched | Failure], ...]
    shown: Mapping[str, Fetched] = field(default_factory=dict)
    listed: tuple[str, ...] = ()
    maps: tuple[Fetched, ...] = ()
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Front:
    """Where the readers of an address end up: the blog's home, the page they see, and the pages that sent them on."""

    home: str
    page: Fetched
    doors: tuple[Fetched, ...] = ()
    # What the user should know about the way there.
    remark: str | None = None


def entrances(home: str, doors: Sequence[Fetched], page: Fetched | None) -> list[tuple[str, Fetched]]:
    """The pages that lead into a blog, under the addresses they were asked for: its home and what that sends on to."""
    answers = [*doors, *((page,) if page is not None else ())]
    inside = [(answer.url if Scope(home).holds(answer.url) else home, answer) for answer in answers]
    # Of several that are asked for by another host's address, the page that its readers see is the home.
    return list({canonical(url): (url, answer) for url, answer in inside}.values())


async def discover(url: str, fetcher: Fetcher, feed_url: str | None = None) -> Found:
    """The home page and the feed of the blog at `url`; raises what says why there is none.

    `url` may be the feed's own address; then the feed says where the blog is.
    """
    return await feed_of(await front_page(url, fetcher), fetcher, feed_url, asked=url)


async def feed_of(front: Front, fetcher: Fetcher, feed_url: str | None = None, *, asked: str) -> Found:
    """The feed of the blog whose front page this is; `NoFeed` names all that was tried."""
    page = front.page
    nothing = Feed(url=None)
    found = Found(home=front.home, home_page=page, doors=front.doors, feed_url=None, feed=nothing, feed_page=None)
    if feed_url is not None:
        feed, answer = await _given_feed(feed_url, fetcher)
        return replace(found, feed_url=answer.answer.url, feed=feed, feed_page=answer)
    own = as_feed(page)
    if own is not None:
        return replace(await _blog_of_feed(own, asked, fetcher), feed_url=page.answer.url, feed=own, feed_page=page)
    looked: list[tuple[FeedLink, str]] = []
    missed: Failure | None = None
    for link in _with_own_host(feed_links(_root_of(page), page.page.url), page.page.url):
        reached = await fetcher.fetch(link.url, purpose="feed")
        if isinstance(reached, Failure):
            looked.append((link, str(reached.status or reached.trouble)))
            missed = missed or (reached if link.declared and _is_passing(reached) else None)
            continue
        feed_found = as_feed(reached)
        if feed_found is None:
            looked.append((link, "not a feed, or an empty one"))
            continue
        return replace(found, feed_url=reached.answer.url, feed=feed_found, feed_page=reached)
    if missed is not None:
        # It is there, but not now: without it less would be learned, for good.
        raise Unreachable(
            f"the feed of {asked} cannot be fetched now: {missed.reason}",
            advice=f"try again later, or crawl without it:  everlog crawl {asked} --no-feed",
        )
    raise _no_feed(asked, looked)


async def at_home(found: Found, asked: str, fetcher: Fetcher) -> tuple[Found, str | None]:
    """The blog at its home, where a page of it was asked for; and what that page is there, if it is another."""
    page = found.home_page
    if page is None or found.feed_url is None:
        # Nothing but a feed was typed, and it has said where its blog is.
        moved = canonical(found.home) != canonical(asked)
        return found, "the feed" if moved and found.feed_page is not None else None
    home = home_of(found.home, _root_of(page), found.feed, found.feed_url)
    if home is not None and not home.is_sure:
        folder = urljoin(found.home, ".." if found.home.endswith("/") else ".")
        raise UsageError(
            f"{asked} is not the home of a blog, and the posts of its feed {found.feed_url} lie in other folders",
            advice=f"to archive all of them:  everlog crawl {home.url}\n"
                   f"  this folder alone:       everlog crawl {folder}\n"
                   f"  what lies below it:      everlog crawl {asked} --scope path",
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
        there = await feed_of(await front_page(above, fetcher), fetcher, asked=above)
        if Scope(there.home).holds(found.home):
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
        return await feed_of(front, fetcher, asked=home)
    except NoFeed:
        return here


async def _blog_of_feed(feed: Feed, asked: str, fetcher: Fetcher) -> Found:
    """The blog that a feed says it belongs to; where another host, which it names, is silent, the one it came from."""
    found = Found(home=feed.home or asked, home_page=None, feed_url=None, feed=feed, feed_page=None)
    if feed.home is None or host_of(feed.home) == host_of(asked):
        return found
    own = urljoin(asked, "/")
    for home in (feed.home, own):
        with suppress(Unreachable, Blocked):
            front = await front_page(home, fetcher)
            return replace(found, home=front.home, home_page=front.page, doors=front.doors)
    return replace(found, home=own)


async def front_page(url: str, fetcher: Fetcher, others: Sequence[str] = ()) -> Front:
    """Where the readers of an address end up, and what they see there.

    A home that sends its readers on within its own folder stays the blog's home: what was typed is never made
    narrower by where its start page happens to be. `others` are further spellings of it, tried where nobody answers.
    """
    if others:
        return await _front_in_any_scheme((url, *others), fetcher)
    return await _front_of(url, fetcher, await fetcher.fetch(url))


async def _front_in_any_scheme(urls: Sequence[str], fetcher: Fetcher) -> Front:
    """The front page at the first spelling that gives one; if none does, what is wrong with the likeliest."""
    failures: list[Failure] = []
    for url in urls:
        answer = await _within(SCHEME_SECONDS if url != urls[-1] else None, url, fetcher)
        if isinstance(answer, Fetched):
            front = await _front_of(url, fetcher, answer)
            untrusted = next((each for each in failures if each.trouble == "tls"), None)
            if untrusted is None:
                return front
            return replace(front, remark=f"{untrusted.reason}: {url} was crawled in its place, without encryption")
        failures.append(answer)
        if answer.trouble not in OTHER_SCHEME:
            break
    raise why_unreachable(next((each for each in failures if each.status is not None), failures[0]))


async def _within(seconds: float | None, url: str, fetcher: Fetcher) -> Fetched | Failure:
    try:
        return await asyncio.wait_for(fetcher.fetch(url), seconds)
    except TimeoutError:
        return Failure(url=url, trouble="timeout", reason=f"no answer within {seconds:g} s from {url}")


async def _front_of(url: str, fetcher: Fetcher, answer: Fetched | Failure) -> Front:
    asked = url
    way: list[str] = []
    doors: list[Fetched] = []
    for again in range(REFRESHES):
        answer = await fetcher.fetch(asked) if again else answer
        if isinstance(answer, Failure) and doors:
            last = doors.pop()  # where it sends its readers is gone; the page itself is not
            return Front(home=_home(way, last.page.url), page=last, doors=tuple(doors))
        if isinstance(answer, Failure):
            raise why_unreachable(answer)
        way += [asked, *(each.url for each in answer.exchanges)]
        page = answer.page
        target = _refresh(answer)
        if target is None or canonical(target) == canonical(page.url):
            return Front(home=_home(way, page.url), page=answer, doors=tuple(doors))
        doors.append(answer)
        asked = target
    raise Unreachable(
        f"redirect loop: {url} redirects again and again, last to {asked}",
        advice="open it in a browser and pass the address of the blog's front page",
    )


def _home(way: list[str], end: str) -> str:
    """The first address on the way to the front page that is on its host and holds it; else the page's own.

    In the page's own spelling of the host, as that is where the others are.

    >>> _home(["http://a.org/", "https://www.a.org/", "https://www.a.org/home"], "https://www.a.org/home")
    'https://www.a.org/'
    >>> _home(["http://a.org/", "https://b.org/blog/"], "https://b.org/blog/")
    'https://b.org/blog/'
    """
    first = next((url for url in way if Scope(url).holds(end)), end)
    if canonical(first) == canonical(end):
        return end
    there = urlsplit(end)
    return urlsplit(first)._replace(scheme=there.scheme, netloc=there.netloc).geturl()


def _with_own_host(links: Sequence[FeedLink], home: str) -> Iterator[FeedLink]:
    """The feeds to try; one that a page names on another host may stand at the same path on the blog's own."""
    here = urlsplit(home)
    for link in [link for link in links if not link.comments][:FEEDS_TRIED]:
        yield link
        if link.declared and host_of(link.url) != host_of(home):
            moved = urlsplit(link.url)._replace(scheme=here.scheme, netloc=here.netloc).geturl()
            yield replace(link, url=moved, declared=False)


def _refresh(answer: Fetched) -> str | None:
    try:
        return refresh_target(parse(answer.answer.body, answer.page.content_type), answer.page.url)
    except UnreadablePage:
        return None


def _is_passing(failure: Failure) -> bool:
    """Whether the server, or the way to it, was at fault for now."""
    return (failure.status or 0) >= 500 or failure.trouble in {"timeout", "connection", "truncated", "rate-limited"}


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


def why_unreachable(failure: Failure) -> Unreachable | Blocked:
    """The error for an address a crawl cannot begin without."""
    what = failure.reason if failure.url in failure.reason else f"{failure.url}: {failure.reason}"
    if failure.trouble in {"robots", "rate-limited"}:
        until = f", retry after {utc_time(failure.until, datetime.now(UTC))}" if failure.until else ""
        return Blocked(
            f"{what}{until}",
            advice="try again later; if the blog is your own, add --ignore-robots"
            if failure.trouble == "robots" else "run the same command again later: it continues where it stopped",
            until=failure.until, is_told=names_a_time(failure),
        )
    proxy = Proxies.configured().proxy_for(failure.url) if failure.trouble == "proxy" else None
    if proxy is not None:
        host = urlsplit(failure.url).hostname or ""
        return Unreachable(f"{failure.url}: {failure.reason}", advice=proxy.advice(host), failure=failure)
    advice = {
        "dns": "check the spelling of the address and your network connection",
        "address": "private addresses are only fetched if you type them as an argument or allow them:  --allow HOST",
        "tls": "check the certificate in a browser, or try the http:// address",
        "timeout": "try again later, or with a longer --timeout",
        "too-large": "raise max_page_bytes in everlog.toml if the page is meant to be that large",
    }.get(failure.trouble, "open the address in a browser to check that the blog is still there")
    return Unreachable(what, advice=advice, failure=failure)


def names_a_time(failure: Failure) -> bool:
    """Whether it was the server that named the time; one that was not asked at all has named it before."""
    last = failure.exchanges[-1] if failure.exchanges else None
    return failure.trouble != "robots" and (last is None or last.header("retry-after") is not None)


def is_own(failure: Failure, home: str, scope: Scope) -> bool:
    """Whether it was the blog's own host that failed, not one that a redirect leads to."""
    last = failure.exchanges[-1] if failure.exchanges else None
    moved = absolute(last.url, last.header("location")) if last is not None and 300 <= last.status < 400 else None
    target = moved or failure.url
    return host_of(target) == host_of(home) or scope.holds(target)


def _no_feed(url: str, looked: list[tuple[FeedLink, str]]) -> NoFeed:
    declared = [f"{link.url} ({what})" for link, what in looked if link.declared]
    guessed = [f"{urlsplit(link.url).path or link.url} ({what})" for link, what in looked if not link.declared]
    return NoFeed(
        f"no feed found for {url}\n"
        f"  declared by the page: {', '.join(declared) or 'none'}\n"
        f"  also tried: {', '.join(guessed) or 'nothing'}",
        advice=f"if you know it:       everlog crawl {url} --feed FEED_URL\n"
               f"  to crawl without it: everlog crawl {url} --no-feed",
    )
