"""Where a page leads: its links, which of them belong to the blog, and which are not worth asking for."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urldefrag, urlsplit

from everlog.core.scope import without_file
from everlog.core.urls import absolute, canonical

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from everlog.core.scope import Alias, Scope
    from everlog.core.tree import Element

# The longest address of 9,902 pages of blogs has 481 characters.
LONGEST = 1_500
# Selections that are combined at will (colour, size, order) are more addresses than anyone has pages.
MOST_PARAMETERS = 3
MOST_SEGMENTS = 15
# Before the web there were no blogs; a calendar that goes back further is empty there.
FIRST_YEAR = 1990
# Where nobody says what year it is.
LAST_YEAR = 2100

_META_REFRESH = re.compile(r"^\s*[\d.]*\s*[;,]?\s*url\s*=\s*[\"']?([^\"'>]+)", re.IGNORECASE)
_FILE = re.compile(
    r"\.(?:jpe?g|png|gif|webp|avif|svg|ico|bmp|tiff?|heic|psd|eps|pdf|epub|mobi|docx?|xlsx?|pptx?|od[tsp]|rtf|csv|tsv"
    r"|zip|rar|7z|tar|t?gz|bz2|xz|dmg|iso|exe|msi|apk|jar|deb|rpm|whl|mp3|m4[abv]|ogg|og[av]|opus|wav|flac|mp4|webm|mov"
    r"|avi|mkv|wmv|flv|swf|css|m?js|map|json|jsonld|woff2?|ttf|otf|eot|ics|vcf|torrent|bib|sig|asc)$",
    re.IGNORECASE,
)
_FEED = re.compile(
    r"(?:^|/)(?:feed|rss2?|atom|rdf)(?:/(?:rss2?|atom|rdf|mp3))?/?$|\.(?:rss|atom|rdf|xml)$|/feeds/(?:posts|comments)/",
    re.IGNORECASE,
)
_FEED_QUERY = re.compile(r"(?:^|&)feed=", re.IGNORECASE)
_MACHINERY = re.compile(
    r"^/(?:admin|administrator)(?:/|$)|(?:^|/)(?:wp-(?:admin|json|includes|login|signup|cron|trackback|comments-post|mail)(?:\.php)?|xmlrpc(?:\.php)?|cgi-bin"
    r"|cdn-cgi|log-?(?:in|out)|sign-?(?:in|up|out)|register|lost-?password|trackback)(?:\.php|\.html?)?(?:/|$)",
    re.IGNORECASE,
)
_PRINTED = re.compile(r"(?:^|/)(?:print|printable|print-view|embed)/?$", re.IGNORECASE)
_SESSION = re.compile(
    r"(?:^|[;&?])(?:jsessionid|phpsessid|aspsessionid\w*|sessionid|session_id|sid|s_id|zenid|oscsid|cfid)=",
    re.IGNORECASE,
)
_ACTION = re.compile(
    r"(?:^|&)(?:replytocom|share|like_comment|likes?|print|printer|action|do|redirect_to|add-to-cart|unapproved|_wpnonce"
    r"|nonce|vote|rate|reply|quote|cpage|doing_wp_cron|feed|preview|wptouch_\w*|sfw|openidserver|attachment_id|ical)=",
    re.IGNORECASE,
)
_ORDER = re.compile(
    r"(?:^|&)(?:sort|order|orderby|sortby|sort_by|filter\w*|facet\w*|dir|direction|limit|per_page)(?:%5b|\[|=)",
    re.IGNORECASE,
)
# A number alone may be anything; with a month behind it, it is a calendar.
_MONTH_OF = re.compile(
    r"(?:^|/)(\d{4})(?:/(?:0?[1-9]|1[0-2])(?:/\d{1,2})?|-(?:0[1-9]|1[0-2])(?:-\d\d)?)(?:/page/\d+)?/?$"
)
_QUERY_DATE = re.compile(r"(?:^|&)\w*(?:date|month|year|day|cal)\w*=(\d{4})(?:\D|$|\d{2,4}\b)", re.IGNORECASE)


class PageLink(NamedTuple):
    """One place a page leads to; `rel` is `next` or `prev` where the page says so, `refresh` for a redirect."""

    url: str
    key: str
    rel: str = ""


def page_links(
    root: Element, url: str, *, within: Scope, elsewhere: list[tuple[str, str]] | None = None,
) -> list[PageLink]:
    """The links of a page that stay within the blog, in document order, each page once.

    What leads to pages elsewhere, not to their front pages, is added to `elsewhere`, with its key.

    >>> from lxml import etree
    >>> from everlog.core.scope import Scope
    >>> page = etree.HTML('<a href="/a#top">A</a> <a href="http://a.org/a/">again</a> <a href="//b.org/">far</a>')
    >>> [link.url for link in page_links(page, "https://a.org/", within=Scope("https://a.org/"))]
    ['https://a.org/a']
    """
    base = base_of(root, url)
    has_names = within.has_names
    found: dict[str, PageLink] = {}
    for element in root.iter("a", "area", "link", "meta"):
        tag = element.tag
        href = _refresh_of(element) if tag == "meta" else element.get("href")
        if not href:
            continue
        rel = _rel(element.get("rel") or "" if tag != "meta" else "refresh")
        if tag == "link" and not rel:
            continue
        target = resolved(base, href)
        if target is None:
            continue
        link, key = within.localized(*target) if has_names else target
        if key in found:
            continue
        if within.is_own_key(key):
            found[key] = PageLink(link, key, rel)
        elif elsewhere is not None and "/" in key:
            elsewhere.append((link, key))
    return list(found.values())


@lru_cache(maxsize=256)
def _rel(written: str) -> str:
    """What a link says of the page it leads to, as `PageLink` has it."""
    words = written.lower().split()
    rel = next((word for word in words if word in {"next", "prev", "previous", "refresh"}), "")
    return rel.removesuffix("ious")


def links_left_out(root: Element, url: str, *, beyond: Scope) -> list[tuple[str, str]]:
    """The links of a page, with their keys, that may lead to more of the blog than its scope holds; each page once.

    On the blog's own host those are what headings lead to: lists head what they list, menus do not.

    >>> from lxml import etree
    >>> from everlog.core.scope import Scope
    >>> page = etree.HTML('<a href="/blog/a">A</a> <h2><a href="/2020/b">B</a></h2> <a href="/shop">C</a>')
    >>> links_left_out(page, "https://a.org/blog/", beyond=Scope("https://a.org/blog/"))
    [('https://a.org/2020/b', 'a.org/2020/b')]
    """
    if not beyond.may_leave_out:
        return []
    base, headed = base_of(root, url), headed_keys(root, url)
    targets = (resolved(base, anchor.get("href") or "") for anchor in root.iter("a"))
    found = {
        target[1]: target for target in targets
        if target is not None and beyond.leaves_out(target[1], is_headed=target[1] in headed)
    }
    return list(found.values())


def headed_keys(root: Element, url: str) -> set[str]:
    """The keys of the other pages that a page's headings lead to: lists head what they list.

    >>> from lxml import etree
    >>> page = etree.HTML('<h1>Blog</h1><h2><a href="/a">A</a></h2><a href="/b"><h2>B</h2></a><a href="/c">C</a>')
    >>> sorted(headed_keys(page, "https://a.org/"))
    ['a.org/a', 'a.org/b']
    """
    own = canonical(url)
    keys: set[str] = set()
    for heading in root.iter("h1", "h2", "h3", "h4"):
        above = heading.getparent()
        around = [above] if above is not None and above.tag == "a" else []
        for anchor in (*heading.iter("a"), *around):
            target = resolved(url, anchor.get("href") or "")
            if target is not None and target[1] != own:
                keys.add(target[1])
    return keys


def refresh_target(root: Element, url: str) -> str | None:
    """Where a page sends its readers by itself, absolute; None if it does not.

    >>> from lxml import etree
    >>> refresh_target(etree.HTML('<meta http-equiv="Refresh" content="0; URL=/blog/">'), "https://a.org/")
    'https://a.org/blog/'
    """
    found = next(filter(None, map(_refresh_of, root.iter("meta"))), None)
    return absolute(base_of(root, url), found) if found else None


def resolved(base: str, href: str) -> tuple[str, str] | None:
    """The URL that a link of the document at `base` means, without fragment, and its key; None if it is no page."""
    if href.startswith(("#", "mailto:", "javascript:", "tel:", "data:")):
        return None
    # Menus repeat on every page of a blog: what does not depend on the page is remembered for all of them.
    if href.startswith(("http://", "https://")):
        return _known("", href)
    if href.startswith("/") and not href.startswith("//"):
        return _known(_root_of(base), href)
    return _known(base.partition("?")[0] if not href.startswith("?") else base, href)


def trap(url: str, *, this_year: int | None = None) -> str | None:
    """Why a URL is not worth asking for as a page; None if it may be.

    >>> trap("https://a.org/a-post/?replytocom=7"), trap("https://a.org/a-post/feed/")
    ('an action, not a page', 'a feed')
    >>> trap("https://a.org/calendar/2031/05/", this_year=2025), trap("https://a.org/2024/05/")
    ('a calendar page outside plausible years', None)
    """
    if len(url) > LONGEST:
        return "a very long address"
    parts = urlsplit(url)
    return _no_page(parts.path, parts.query) or _endless(parts.path, parts.query, this_year)


def _no_page(path: str, query: str) -> str | None:
    if _FILE.search(path):
        return "a file, not a page"
    if _FEED.search(path) or _FEED_QUERY.search(query):
        return "a feed"
    if _MACHINERY.search(path):
        return "a technical address of the site"
    if _SESSION.search(query) or _SESSION.search(path):
        return "an address with a session id"
    if _PRINTED.search(path) or _ACTION.search(query):
        return "an action, not a page"
    return None


def _endless(path: str, query: str, this_year: int | None) -> str | None:
    """Why there may be no end to addresses like this one."""
    segments = [segment for segment in path.split("/") if segment]
    if len(segments) > MOST_SEGMENTS or _repeats(segments):
        return "a repeating path"
    selections = query.count("[") + query.lower().count("%5b")
    if query.count("&") >= MOST_PARAMETERS or selections > 1 or _ORDER.search(query):
        return "a sorted or filtered view of another page"
    dated = _MONTH_OF.search(path) or _QUERY_DATE.search(query)
    if dated and not FIRST_YEAR <= int(dated[1]) <= (this_year + 1 if this_year else LAST_YEAR):
        return "a calendar page outside plausible years"
    return None


def _repeats(segments: list[str]) -> bool:
    """A stretch of words that stands three times in a row, or two words and more that stand twice."""
    for width in range(1, len(segments) // 2 + 1):
        for start in range(len(segments) - 2 * width + 1):
            stretch = segments[start : start + width]
            if all(word.isdecimal() for word in stretch):
                continue  # days and months
            again = segments[start + width : start + 2 * width]
            third = segments[start + 2 * width : start + 3 * width]
            if stretch == again and (third == stretch or (width > 1 and not any(w.isdecimal() for w in stretch))):
                return True
    return False


@lru_cache(maxsize=65_536)
def _known(base: str, href: str) -> tuple[str, str] | None:
    url = absolute(base or None, href)
    if url is None:
        return None
    # Pages drawn by scripts are told apart by their fragment only; `canonical` knows.
    key = canonical(url)
    return (url if "#" in key else urldefrag(url).url), key


@lru_cache(maxsize=1_024)
def _root_of(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}/"


def _refresh_of(element: Element) -> str | None:
    if (element.get("http-equiv") or "").lower() != "refresh":
        return None
    return refreshed_to(element.get("content") or "")


def refreshed_to(content: str) -> str | None:
    """The address in what a `meta refresh` says.

    >>> refreshed_to("0; URL='/blog/'"), refreshed_to("30")
    ('/blog/', None)
    """
    match = _META_REFRESH.match(content)
    return match[1].strip() if match else None


def base_of(root: Element, url: str) -> str:
    """What the relative links of a page are relative to: its first `base` that has an address.

    What stands in a template, such as a frame that a browser drew, is no part of the page.

    >>> from everlog.core.tree import parse_fragment
    >>> base_of(parse_fragment("<template><base href=/x/></template><base href=/b/>"), "https://a.org/x")
    'https://a.org/b/'
    >>> base_of(parse_fragment("<base target=_blank><base href=/b/><base href=/c/>"), "https://a.org/x")
    'https://a.org/b/'
    """
    for element in root.iter("base"):
        inside = next(element.iterancestors("template"), root)
        if inside is root and (href := element.get("href")) is not None:
            return absolute(url, href) or url
    return url


def with_links_here(body: bytes, aliases: Iterable[Alias], home: str) -> bytes:
    """A page whose links to aliases that are looked for here lead here, for readers that know one home only.

    >>> from everlog.core.scope import Alias
    >>> alias = Alias(home="http://www.b.org/", here=True)
    >>> with_links_here(b'<a href="http://b.org/x">x</a> <a href=//b.org.uk/>y</a>', [alias], "https://a.org/m/")
    b'<a href="https://a.org/m/x">x</a> <a href=//b.org.uk/>y</a>'
    """
    for alias in aliases:
        if alias.here:
            parts = urlsplit(alias.home)
            named = parts.netloc.removeprefix("www.") + without_file(parts.path.rstrip("/"))
            # Literal text between fixed ends: nothing in it can be matched in two ways.
            link = rb"(?:https?:)?//(?:www\.)?" + re.escape(named.encode()) + rb"(?=[/?#\s\"'<>])"
            body = re.sub(link, _as_it_is(home), body, flags=re.IGNORECASE)
    return body


def _as_it_is(home: str) -> Callable[[re.Match[bytes]], bytes]:
    """A home without its last slash, to be put in the place of another: no sign in it means anything to `re.sub`."""
    parts = urlsplit(home)
    here = parts._replace(path=without_file(parts.path.rstrip("/")), query="", fragment="").geturl().encode()
    return lambda _: here
