"""From the address a user typed to the blog's home page and its feed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from everlog.errors import Blocked, NoFeed, Unreachable, UnreadableFeed, UnreadablePage, UsageError
from everlog.feeds import feed_links, parse_feed
from everlog.links import refresh_target
from everlog.records import Failure
from everlog.tree import parse
from everlog.urls import absolute, canonical

if TYPE_CHECKING:
    from everlog.records import Feed, FeedLink, Fetched
    from everlog.web import Web

# Home pages that send readers on with a meta refresh do so once, sometimes twice (a language, then a folder).
REFRESHES = 3
# A page may declare dozens of feeds (one per tag); the blog's own stands among the first by `feed_links`.
# The usual addresses are 15, in one or two folders.
FEEDS_TRIED = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A blog's home page and its feed, as they were answered."""

    home: str
    home_page: Fetched | None
    feed_url: str
    feed: Feed
    feed_page: Fetched


async def discover(url: str, web: Web, feed_url: str | None = None) -> Found:
    """The home page and the feed of the blog at `url`; raises what says why there is none.

    `url` may be the feed's own address; then the feed says where the blog is.
    """
    home, page = await _home(url, web)
    if feed_url is not None:
        feed, answer = await _given_feed(feed_url, web)
        return Found(home=home, home_page=page, feed_url=answer.answer.url, feed=feed, feed_page=answer)
    own = _as_feed(page)
    if own is not None:
        home = own.home or url
        return Found(home=home, home_page=None, feed_url=page.answer.url, feed=own, feed_page=page)
    looked: list[tuple[FeedLink, str]] = []
    for link in feed_links(parse(page.answer.body, page.page.content_type), home)[:FEEDS_TRIED]:
        if link.comments:
            continue
        reached = await web.fetch(link.url, purpose="feed")
        if isinstance(reached, Failure):
            looked.append((link, str(reached.status or reached.trouble)))
            continue
        feed_found = _as_feed(reached)
        if feed_found is None:
            looked.append((link, "not a feed with entries"))
            continue
        return Found(
            home=home, home_page=page, feed_url=reached.answer.url, feed=feed_found, feed_page=reached,
        )
    raise _no_feed(url, looked)


def fetchable(url: str) -> str:
    """The address as typed, made whole: `a.blog.example` is an http URL too.

    >>> fetchable("a.blog.example")
    'http://a.blog.example/'
    """
    text = url.strip()
    whole = absolute(None, text if "://" in text else f"http://{text}")
    if whole is not None and "@" in urlsplit(whole).netloc:
        raise UsageError(
            "the address holds a password, which would be stored with every page",
            advice="give it as --header 'Authorization: Basic ...', or as --cookies FILE",
        )
    host = urlsplit(whole or "").hostname or ""
    if whole is None or not ("." in host or ":" in host or host == "localhost"):
        raise UsageError(f"{url!r} is not the address of a blog", advice="give it as https://a.blog.example/")
    return whole if urlsplit(whole).path else whole + "/"


async def _home(url: str, web: Web) -> tuple[str, Fetched]:
    asked = url
    last: Fetched | None = None
    for _ in range(REFRESHES):
        answer = await web.fetch(asked)
        if isinstance(answer, Failure) and last is not None:
            return last.page.url, last  # where it sends its readers is gone; the page itself is not
        if isinstance(answer, Failure):
            raise why_unreachable(answer)
        last = answer
        page = answer.page
        target = _refresh(answer)
        if target is None or canonical(target) == canonical(page.url):
            return page.url, answer
        asked = target
    raise Unreachable(
        f"{url} sends its readers on and on, last to {asked}",
        advice="give the address of the blog's front page itself",
    )


def _refresh(answer: Fetched) -> str | None:
    try:
        return refresh_target(parse(answer.answer.body, answer.page.content_type), answer.page.url)
    except UnreadablePage:
        return None


async def _given_feed(feed_url: str, web: Web) -> tuple[Feed, Fetched]:
    answer = await web.fetch(feed_url, purpose="feed")
    if isinstance(answer, Failure):
        raise why_unreachable(answer)
    return parse_feed(answer.answer.body, answer.answer.url), answer


def _as_feed(answer: Fetched) -> Feed | None:
    """The feed these bytes are; None for pages, and for feeds without entries."""
    try:
        feed = parse_feed(answer.answer.body, answer.answer.url)
    except UnreadableFeed:
        return None
    return feed if feed.entries else None


def why_unreachable(failure: Failure) -> Unreachable | Blocked:
    """The error for an address a crawl cannot begin without."""
    if failure.trouble in {"robots", "rate-limited"}:
        until = f" (not before {failure.until:%Y-%m-%d %H:%M} UTC)" if failure.until else ""
        return Blocked(
            f"{failure.url}: {failure.reason}{until}",
            advice="try again later; --ignore-robots is for blogs of your own"
            if failure.trouble == "robots" else "try again later, the same command goes on",
        )
    advice = {
        "dns": "check the spelling of the address, and that this machine is online",
        "address": "only addresses of the public internet are fetched, and the host and port that were typed",
        "tls": "the certificate is not valid: try the http:// address, or tell the blog's owner",
        "timeout": "try again later, or with a longer --timeout",
        "too-large": "raise max_page_bytes in the settings if the page is meant to be that large",
    }.get(failure.trouble, "open the address in a browser to see whether the blog is still there")
    return Unreachable(f"{failure.url}: {failure.reason}", advice=advice)


def _no_feed(url: str, looked: list[tuple[FeedLink, str]]) -> NoFeed:
    declared = [f"{link.url} ({what})" for link, what in looked if link.declared]
    guessed = [f"{urlsplit(link.url).path or link.url} ({what})" for link, what in looked if not link.declared]
    return NoFeed(
        f"no feed found for {url}\n"
        f"  the page names: {', '.join(declared) or 'none'}\n"
        f"  also tried: {', '.join(guessed) or 'nothing'}",
        advice=f"if you know it:  everlog crawl {url} --feed FEED_URL",
    )
