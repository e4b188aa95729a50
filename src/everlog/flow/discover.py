"""From the address a user typed to the blog's home page and its feed."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING
from urllib.parse import urljoin, urlsplit

from everlog.addresses import LONGEST_HOST, is_too_long
from everlog.errors import Blocked, NoFeed, Unreachable, UnreadableFeed, UnreadablePage, UsageError
from everlog.feeds import feed_links, parse_feed
from everlog.links import Scope, refresh_target
from everlog.politeness import utc_time
from everlog.records import Failure, Feed
from everlog.tree import parse
from everlog.urls import absolute, canonical, host_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from everlog.records import Exchange, FeedLink, Fetched
    from everlog.tree import Element
    from everlog.web import Web

# Home pages that send readers on with a meta refresh do so once, sometimes twice (a language, then a folder).
REFRESHES = 3
# A page may declare dozens of feeds (one per tag); the blog's own stands among the first by `feed_links`.
# The usual addresses are 15, in one or two folders.
FEEDS_TRIED = 40
# A port has five digits at most; with zeros before them it would be as long as one likes.
LONGEST_PLACE = LONGEST_HOST + len("[]:65535")
# An error shows so much of an address: nobody reads a longer one.
LONGEST_SHOWN = 100


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


def entrances(home: str, doors: Sequence[Fetched], page: Fetched | None) -> list[tuple[str, Fetched]]:
    """The pages that lead into a blog, under the addresses they were asked for: its home and what that sends on to."""
    answers = [*doors, *((page,) if page is not None else ())]
    inside = [(answer.url if Scope(home).holds(answer.url) else home, answer) for answer in answers]
    # Of several that are asked for by another host's address, the page that its readers see is the home.
    return list({canonical(url): (url, answer) for url, answer in inside}.values())


async def discover(url: str, web: Web, feed_url: str | None = None) -> Found:
    """The home page and the feed of the blog at `url`; raises what says why there is none.

    `url` may be the feed's own address; then the feed says where the blog is.
    """
    return await feed_of(await front_page(url, web), web, feed_url, asked=url)


async def feed_of(front: Front, web: Web, feed_url: str | None = None, *, asked: str) -> Found:
    """The feed of the blog whose front page this is; `NoFeed` names all that was tried."""
    page = front.page
    nothing = Feed(url=None)
    found = Found(home=front.home, home_page=page, doors=front.doors, feed_url=None, feed=nothing, feed_page=None)
    if feed_url is not None:
        feed, answer = await _given_feed(feed_url, web)
        return replace(found, feed_url=answer.answer.url, feed=feed, feed_page=answer)
    own = as_feed(page)
    if own is not None:
        return replace(await _blog_of_feed(own, asked, web), feed_url=page.answer.url, feed=own, feed_page=page)
    looked: list[tuple[FeedLink, str]] = []
    missed: Failure | None = None
    for link in _with_own_host(feed_links(_root_of(page), page.page.url), page.page.url):
        reached = await web.fetch(link.url, purpose="feed")
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


async def _blog_of_feed(feed: Feed, asked: str, web: Web) -> Found:
    """The blog that a feed says it belongs to; where another host, which it names, is silent, the one it came from."""
    found = Found(home=feed.home or asked, home_page=None, feed_url=None, feed=feed, feed_page=None)
    if feed.home is None or host_of(feed.home) == host_of(asked):
        return found
    own = urljoin(asked, "/")
    for home in (feed.home, own):
        with suppress(Unreachable, Blocked):
            front = await front_page(home, web)
            return replace(found, home=front.home, home_page=front.page, doors=front.doors)
    return replace(found, home=own)


def fetchable(url: str) -> str:
    """The address as typed, made whole: `a.blog.example` is an http URL too.

    >>> fetchable("a.blog.example")
    'http://a.blog.example/'
    """
    text = url.strip()
    whole = absolute(None, text if "://" in text else f"http://{text}")
    if whole is not None and "@" in urlsplit(whole).netloc:
        raise UsageError(
            "the address contains a password, which would be stored with every page",
            advice="remove it and pass --header 'Authorization: Basic ...' or --cookies FILE",
        )
    host = urlsplit(whole or "").hostname or ""
    if whole is None or not ("." in host or ":" in host or host == "localhost"):
        raise UsageError(f"{_shown(url)} is not a valid blog address", advice="write it like this:  everlog crawl https://a.blog.example/")
    if is_too_long(host) or len(urlsplit(whole).netloc) > LONGEST_PLACE:
        raise UsageError(
            f"{_shown(url)} is not a valid blog address: host names have at most {LONGEST_HOST} characters",
            advice="write it like this:  everlog crawl https://a.blog.example/",
        )
    return whole if urlsplit(whole).path else whole + "/"


def _shown(url: str) -> str:
    return repr(url) if len(url) <= LONGEST_SHOWN else f"{url[:LONGEST_SHOWN]!r}..."


async def front_page(url: str, web: Web) -> Front:
    """Where the readers of an address end up, and what they see there.

    A home that sends its readers on within its own folder stays the blog's home: what was typed is never made
    narrower by where its start page happens to be.
    """
    asked = url
    way: list[str] = []
    doors: list[Fetched] = []
    for _ in range(REFRESHES):
        answer = await web.fetch(asked)
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


async def _given_feed(feed_url: str, web: Web) -> tuple[Feed, Fetched]:
    answer = await web.fetch(feed_url, purpose="feed")
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
