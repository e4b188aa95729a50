"""Home of a blog, found from any page of it: users paste the address of a post, a tag, the page about the author.

What decides is the blog's own word: where its feed says that its home is, where the feed lies, and where its entries
do. A home is never wider than what all three agree on: on a host with many blogs, the others are not this one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import takewhile
from typing import TYPE_CHECKING
from urllib.parse import urljoin, urlsplit

from everlog.core.links import headed_keys, resolved
from everlog.core.listing_words import LISTING_WORDS
from everlog.core.scope import folder_of, is_below, is_within
from everlog.core.urls import absolute, canonical, host_of
from everlog.extract.classify import UrlPattern, canonical_link

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from everlog.core.tree import Element
    from everlog.records import Feed

# Pages that nearly every blog has once, by the last word of their address.
ABOUT = frozenset(
    "about about-me about-us aboutme bio contact contact-me contact-us kontakt impressum imprint colophon now uses "
    "links blogroll privacy datenschutz legal subscribe newsletter faq".split()
)
# A page whose headings, or whose links, lead to some posts of the feed may be a front page of theirs; one such link may
# be anything.
LEAST_SHOWN = 2
# The end of a feed's address that is the feed's, not its blog's.
_FEED_FILE = re.compile(
    r"(?:(?:feeds?|rss2?|atom)(?:/(?:posts|all)(?:/default)?|/(?:rss2?|atom))?"
    r"|(?:feeds/)?[\w.-]*\.(?:xml|rss|atom|rdf|json|php))/?$", re.IGNORECASE,
)
# The folder of one person on a host of many.
_PERSON = re.compile(r"/[~@][^/]+")
# The list of a year, a month or a day.
_YEAR = re.compile(r"(?:19|20)\d\d(?:/\d{1,2}){0,2}")
_LIST = "a list of posts"
# How WordPress and those who learned from it call the page of one post.
_SINGLE = frozenset({"single", "single-post"})
# Files that are the front of their folder; `canonical` has left out "index" and "default".
_FRONT_FILE = re.compile(r"(?:^|/)(?:home|blog|start|main|welcome)\.\w+$")


@dataclass(frozen=True, slots=True, kw_only=True)
class Home:
    """The home of the blog that a page belongs to, and what the page is there.

    `is_sure`: not where the feed's entries lie in other folders than the page, as on a host of many blogs.
    """

    url: str
    what: str
    is_sure: bool = True


def home_of(page_url: str, root: Element | None, feed: Feed, feed_url: str | None) -> Home | None:
    """The home of the blog that a page belongs to; None where the page is that home, or where nothing tells.

    >>> from everlog.records import Entry, Feed
    >>> entries = tuple(Entry(link=f"https://a.org/~ann/2024/{name}/") for name in ("ice", "oak", "owl"))
    >>> feed = Feed(url=None, home="https://a.org/", entries=entries)
    >>> home_of("https://a.org/~ann/2024/oak/", None, feed, "https://a.org/~ann/feed.xml")
    Home(url='https://a.org/~ann/', what='a post', is_sure=True)
    >>> home_of("https://a.org/~ann/", None, feed, "https://a.org/~ann/feed.xml") is None
    True
    """
    links = _links(feed, feed_url)
    what = _what(page_url, root, links, feed_url)
    home = _likely_home(page_url, links, feed, feed_url) if what is not None else None
    if what is None or home is None:
        return None
    return Home(url=home, what=what, is_sure=_is_among(page_url, home, links))


def stated_home(page_url: str, root: Element) -> str | None:
    """The home that a page itself links to as such, if it is another page and this one lies below it.

    >>> from lxml import etree
    >>> stated_home("https://a.org/blog/2020/x/", etree.HTML('<a rel="home" href="/blog/">Ann</a>'))
    'https://a.org/blog/'
    """
    for element in root.iter("a", "link"):
        if "home" in (element.get("rel") or "").lower().split():
            home = absolute(page_url, element.get("href"))
            if home is not None and canonical(home) != canonical(page_url) and is_within(page_url, home):
                return home
    return None


def folder_above(page_url: str, root: Element | None, feed: Feed, feed_url: str | None) -> str | None:
    """The folder to look for the blog in, where a feed tells of one list of it or of other people's pages only.

    >>> from everlog.records import Entry, Feed
    >>> feed = Feed(url=None, entries=(Entry(link="https://a.org/blog/ice/"), Entry(link="https://a.org/blog/oak/")))
    >>> folder_above("https://a.org/blog/tag/birds/", None, feed, "https://a.org/blog/tag/birds/index.xml")
    'https://a.org/blog/'
    >>> folder_above("https://a.org/@ann/oak", None, feed, "https://a.org/feed")
    'https://a.org/@ann/'
    """
    parts = urlsplit(page_url)
    person = _PERSON.match(parts.path)
    kept: list[str] = []
    if person is not None:
        kept = [person[0].strip("/")]
        if feed_url is not None and is_below(canonical(feed_url), canonical(urljoin(page_url, f"{person[0]}/"))):
            return None
    elif _what(page_url, root, _links(feed, feed_url), feed_url) == _LIST:
        segments = parts.path.strip("/").split("/")
        kept = list(takewhile(lambda segment: segment.lower() not in LISTING_WORDS, segments))
    else:
        return None
    above = parts._replace(path="/" + "".join(f"{segment}/" for segment in kept), query="", fragment="").geturl()
    return above if canonical(above) != canonical(page_url) else None


def _links(feed: Feed, feed_url: str | None) -> list[str]:
    return [whole for entry in feed.entries if (whole := absolute(feed_url, entry.link)) is not None]


def _what(page_url: str, root: Element | None, links: Sequence[str], feed_url: str | None) -> str | None:
    """What a page is if it is not the home: a post, a list of posts, or another page."""
    key, path = canonical(page_url), urlsplit(page_url).path.strip("/").lower()
    posts = set(map(canonical, links))
    stated = canonical_link(root, page_url) if root is not None else None
    is_post = key in posts or (stated is not None and canonical(stated) in posts)
    segments = path.split("/")
    is_about = segments[-1].partition(".")[0] in ABOUT
    if not is_post and not is_about and _is_front(page_url, links):
        return None
    if is_post or UrlPattern.learn(links).matches_only_posts(key):
        return "a post"
    if _YEAR.fullmatch(path) or not LISTING_WORDS.isdisjoint(segments):
        return _LIST
    if is_about:
        return "a page"
    has_own_feed = feed_url is not None and canonical(feed_url).startswith(key + "/")
    return None if has_own_feed or root is None else _by_looks(root, page_url, posts)


def _is_front(page_url: str, links: Sequence[str]) -> bool:
    """Whether an address is above the posts: the root of its host, or a folder, not a year's, that most lie in."""
    parts = urlsplit(page_url)
    path = parts.path.strip("/")
    if not path and not parts.query:
        return True
    if folder_of(page_url) != canonical(page_url) and not _FRONT_FILE.search(path.lower()):
        return False
    return 2 * _held(page_url, links) >= len(links) > 0 and not _YEAR.fullmatch(path)


def _is_among(page_url: str, home: str, links: Sequence[str]) -> bool:
    """Whether a page stands where the entries do: in the home's own folder, in one of a year, or of another entry.

    A home in a folder is one blog's; the root of a host may be that of many.
    """
    above = _segments(home)
    below = _segments(page_url)[len(above):]
    if above or len(below) < 2 or below[0].isdecimal() or below[0].lower() in LISTING_WORDS:
        return True
    return any(_segments(link)[len(above):][:1] == below[:1] for link in links)


def _segments(url: str) -> list[str]:
    return urlsplit(url).path.strip("/").split("/") if urlsplit(url).path.strip("/") else []


def _by_looks(root: Element, page_url: str, posts: set[str]) -> str | None:
    """What a page is by what it shows: one whose headings lead to posts of the feed is a front page of theirs.

    Menus and margins lead to the newest posts from everywhere: only a page that says that it is one article is told
    from a front page that has no headings.
    """
    if len(posts & headed_keys(root, page_url)) >= LEAST_SHOWN:
        return None
    if _says_article(root):
        return "a post"
    targets = (resolved(page_url, anchor.get("href") or "") for anchor in root.iter("a"))
    keys = {target[1] for target in targets if target is not None}
    return "a page" if keys and len(posts & keys) < LEAST_SHOWN else None


def _says_article(root: Element) -> bool:
    """Whether a page says that it is one article: to other sites (Open Graph), or to its style sheet."""
    stated = (meta.get("content") for meta in root.iter("meta") if meta.get("property") == "og:type")
    classes = next((body.get("class") or "" for body in root.iter("body")), "").split()
    return "article" in stated or not _SINGLE.isdisjoint(classes)


def _likely_home(page_url: str, links: Sequence[str], feed: Feed, feed_url: str | None) -> str | None:
    """The narrowest of the homes that the feed names or lies in and that hold the page and the feed's entries."""
    key, host = canonical(page_url), host_of(page_url)
    here = [link for link in links if host_of(link) == host]
    person = _PERSON.match(urlsplit(page_url).path)
    candidates = [
        home for home in _named(feed, feed_url)
        if host_of(home) == host and canonical(home) != key and is_within(page_url, home)
        and 2 * _held(home, here) >= len(here)
        and (person is None or _PERSON.match(urlsplit(home).path) is not None)
    ]
    if candidates:
        return max(candidates, key=lambda home: len(canonical(home)))
    return _beside(page_url, here, feed.home) if person is None else None


def _beside(page_url: str, links: Sequence[str], home: str | None) -> str | None:
    """The home where the feed names one that the page does not lie below: the folder of both, else the named one."""
    if home is None or host_of(home) != host_of(page_url) or canonical(home) == canonical(page_url):
        return None
    pairs = zip(_segments(home), _segments(page_url)[:-1], strict=False)
    shared = [one for one, _ in takewhile(lambda pair: pair[0] == pair[1], pairs)]
    above = urljoin(page_url, "/" + "".join(f"{segment}/" for segment in shared))
    wanted = above if shared and canonical(above) != canonical(page_url) else home
    return wanted if 2 * _held(wanted, links) >= len(links) > 0 else None


def _named(feed: Feed, feed_url: str | None) -> Iterable[str]:
    if feed.home is not None:
        yield feed.home
    if feed_url is not None:
        parts = urlsplit(feed_url)
        yield parts._replace(path=_FEED_FILE.sub("", parts.path) or "/", query="", fragment="").geturl()


def _held(home: str, links: Iterable[str]) -> int:
    return sum(is_within(link, home) for link in links)
