"""Other addresses of a post: where else the same page may be, when it does not answer at the one that is known.

Spellings that are one address to everlog (`core.urls.canonical`) are not always one to a server: http and https, with
`www` and without, with a slash at the end and without, with what names the way a reader came and without.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, urlencode, urlsplit

from everlog.core.scope import rebased
from everlog.core.tree import parse
from everlog.core.urls import TRACKING, TRACKING_PREFIXES, absolute, canonical
from everlog.errors import UnreadablePage
from everlog.history.link_header import link_values

if TYPE_CHECKING:
    from everlog.core.scope import Scope
    from everlog.records import Blog, Exchange

# Every address is a request to a server that has just said no. The likeliest come first, and few come after them.
MOST_ADDRESSES = 8
# Sources whose posts answer at `?p=` and their number.
_NUMBERED = frozenset({"WordPress REST", "WordPress.com"})
# How files of pages end: an address without a slash at its end may have one.
_FILE_ENDINGS = (".html", ".htm", ".php", ".asp", ".aspx", ".xml", ".txt", ".md")


def other_addresses(url: str, *, blog: Blog, scope: Scope, known: Iterable[str] = ()) -> tuple[str, ...]:
    """Where a post may be had beside `url`, the likeliest first.

    `known` are addresses that pages, feeds and interfaces have named for it: its canonical one, its short link, those
    at former homes of the blog.

    >>> from datetime import UTC, datetime
    >>> from everlog.core.scope import Scope
    >>> from everlog.records import Blog
    >>> blog = Blog(id=1, home="https://a.org/", added_at=datetime(2026, 1, 1, tzinfo=UTC))
    >>> other_addresses("https://a.org/x?utm_source=y", blog=blog, scope=Scope(blog.home))[:3]
    ('https://a.org/x', 'https://a.org/x/', 'http://a.org/x')
    """
    found: dict[str, None] = {}
    for address in (*known, *_plainer(url), *_elsewhere(url, blog, scope)):
        if address != url:
            found.setdefault(address)
    return tuple(found)[:MOST_ADDRESSES]


def stated_address(source: str, native_id: str, blog: Blog) -> str | None:
    """The address that the name of a post in a source's list stands for, beside the one that it is listed with.

    Entries of feeds have an address as their id, most often the short one; WordPress numbers its posts, and answers at
    their numbers.

    >>> from datetime import UTC, datetime
    >>> from everlog.records import Blog
    >>> blog = Blog(id=1, home="https://a.org/blog/", added_at=datetime(2026, 1, 1, tzinfo=UTC))
    >>> stated_address("WordPress REST", "12", blog), stated_address("WordPress feed", "https://a.org/?p=12", blog)
    ('https://a.org/blog/?p=12', 'https://a.org/?p=12')
    >>> stated_address("Ghost content API", "12", blog), stated_address("Blogger", "tag:blogger.com,1999:post-12", blog)
    (None, None)
    """
    if native_id.startswith(("http://", "https://")):
        return native_id
    return f"{blog.home}?p={native_id}" if source in _NUMBERED and native_id.isdecimal() else None


def short_links(answer: Exchange) -> tuple[str, ...]:
    """The short addresses that an answer states of its page: in its `Link` header, in the head of the page.

    WordPress sends the header before it puts the page together, so that an error has it too.

    >>> from datetime import UTC, datetime
    >>> from everlog.records import Exchange
    >>> says = (("Link", '<https://a.org/wp-json/>; rel="https://api.w.org/", <https://a.org/?p=12>; rel=shortlink'),)
    >>> at = datetime(2026, 1, 1, tzinfo=UTC)
    >>> short_links(Exchange(url="https://a.org/x/", status=500, headers=says, fetched_at=at))
    ('https://a.org/?p=12',)
    """
    header = ", ".join(answer.values("link"))
    named = [url for url, said, _ in link_values(header) if _is_short(said.get("rel"))]
    try:
        root = parse(answer.body, answer.header("content-type"))
    except UnreadablePage:
        pass
    else:
        named += [link.get("href") or "" for link in root.iter("link") if _is_short(link.get("rel"))]
    found = (absolute(answer.url, url) for url in named if url.strip())
    return tuple(dict.fromkeys(url for url in found if url is not None))


def _is_short(rel: str | None) -> bool:
    return "shortlink" in (rel or "").lower().split()


def _plainer(url: str) -> Iterator[str]:
    """Spellings of the address on its own host."""
    bare = _without_tracking(url)
    yield bare
    yield _with_other_end(bare)
    yield _with_other_scheme(bare)
    yield _with_other_name(bare)
    yield _with_other_name(_with_other_scheme(bare))


def _elsewhere(url: str, blog: Blog, scope: Scope) -> Iterator[str]:
    """The same path at the other homes of the blog."""
    homes = (blog.home, *reversed(blog.former_homes), *(alias.home for alias in scope.aliases if alias.answers))
    inside = [home for home in homes if canonical(url).startswith(canonical(home))]
    if not inside:
        return
    here = max(inside, key=lambda home: len(canonical(home)))
    for home in homes:
        if canonical(home) != canonical(here):
            yield rebased(_without_tracking(url), here, home)


def _without_tracking(url: str) -> str:
    parts = urlsplit(url)
    kept = [
        (name, value) for name, value in parse_qsl(parts.query, keep_blank_values=True)
        if name.lower() not in TRACKING and not name.lower().startswith(TRACKING_PREFIXES)
    ]
    as_before = len(kept) == len(parse_qsl(parts.query, keep_blank_values=True))
    return parts._replace(query=parts.query if as_before else urlencode(kept), fragment="").geturl()


def _with_other_end(url: str) -> str:
    """With a slash at the end, or without the one there is.

    >>> _with_other_end("http://a.org/x/"), _with_other_end("http://a.org/x"), _with_other_end("http://a.org/x.html")
    ('http://a.org/x', 'http://a.org/x/', 'http://a.org/x.html')
    """
    parts = urlsplit(url)
    if parts.path in {"", "/"} or parts.path.lower().endswith(_FILE_ENDINGS):
        return url
    path = parts.path.rstrip("/") if parts.path.endswith("/") else f"{parts.path}/"
    return parts._replace(path=path).geturl()


def _with_other_scheme(url: str) -> str:
    parts = urlsplit(url)
    if parts.port is not None:
        # A port speaks one of the two.
        return url
    return parts._replace(scheme="http" if parts.scheme == "https" else "https").geturl()


def _with_other_name(url: str) -> str:
    """With `www` before the host, or without it.

    >>> _with_other_name("http://www.a.org/x"), _with_other_name("http://a.org/x"), _with_other_name("http://127.0.0.1/")
    ('http://a.org/x', 'http://www.a.org/x', 'http://127.0.0.1/')
    """
    parts = urlsplit(url)
    host = parts.netloc.rpartition("@")[2]
    if host.startswith("www."):
        return parts._replace(netloc=host.removeprefix("www.")).geturl()
    labels = (parts.hostname or "").split(".")
    is_name = len(labels) > 1 and not labels[-1].isdecimal() and ":" not in (parts.hostname or "")
    return parts._replace(netloc=f"www.{host}").geturl() if is_name else url
