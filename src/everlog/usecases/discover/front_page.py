"""Front page of an address: where its readers end up, in whichever scheme, and why nobody gets there."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from everlog.core.links import refresh_target
from everlog.core.politeness import utc_time
from everlog.core.scope import is_within
from everlog.core.tree import parse
from everlog.core.urls import canonical
from everlog.errors import Blocked, Unreachable, UnreadablePage
from everlog.fetch.proxies import Proxies
from everlog.records import Failure, Fetched

if TYPE_CHECKING:
    from collections.abc import Sequence

    from everlog.core.fetcher import Fetcher

# Home pages that send readers on with a meta refresh do so once, sometimes twice (a language, then a folder).
REFRESHES = 3
# What was typed without a scheme is asked for in the next one if nobody answers in the first for so long: firewalls
# let requests to a port that is not served run into the void. Firefox waits 3 s, on lines that need not be shared.
SCHEME_SECONDS = 20.0
# Troubles of one scheme of a host that say nothing about the other.
OTHER_SCHEME = frozenset({"connection", "dns", "gone", "http", "protocol", "proxy", "timeout", "tls"})


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
    inside = [(answer.url if is_within(answer.url, home) else home, answer) for answer in answers]
    # Of several that are asked for by another host's address, the page that its readers see is the home.
    return list({canonical(url): (url, answer) for url, answer in inside}.values())


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
    current = url
    way: list[str] = []
    doors: list[Fetched] = []
    for again in range(REFRESHES):
        answer = await fetcher.fetch(current) if again else answer
        if isinstance(answer, Failure) and doors:
            last = doors.pop()  # where it sends its readers is gone; the page itself is not
            return Front(home=_home(way, last.page.url), page=last, doors=tuple(doors))
        if isinstance(answer, Failure):
            raise why_unreachable(answer)
        way += [current, *(each.url for each in answer.exchanges)]
        page = answer.page
        target = _refresh(answer)
        if target is None or canonical(target) == canonical(page.url):
            return Front(home=_home(way, page.url), page=answer, doors=tuple(doors))
        doors.append(answer)
        current = target
    raise Unreachable(
        f"redirect loop: {url} redirects again and again, last to {current}",
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
    first = next((url for url in way if is_within(end, url)), end)
    if canonical(first) == canonical(end):
        return end
    there = urlsplit(end)
    return urlsplit(first)._replace(scheme=there.scheme, netloc=there.netloc).geturl()


def _refresh(answer: Fetched) -> str | None:
    try:
        return refresh_target(parse(answer.answer.body, answer.page.content_type), answer.page.url)
    except UnreadablePage:
        return None


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
