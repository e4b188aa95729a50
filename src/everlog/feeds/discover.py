"""The feeds of a page: those it declares, those it links to, and where they usually are."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import chain, islice
from typing import TYPE_CHECKING
from urllib.parse import urljoin, urlsplit

from everlog.core.urls import absolute, canonical, host_of
from everlog.feeds.labels import plain
from everlog.records import FeedLink

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from lxml import etree

# Where blog software puts its feed, most common first.
GUESSES = ("feed/", "rss.xml", "atom.xml", "index.xml", "feed.xml", "rss/", "feeds/posts/default",
           "feeds/all.atom.xml", "index.rdf", "feed.json", "?feed=rss2", "posts/index.xml", "post/index.xml",
           "blog/feed/", "blog/index.xml")  # fmt: skip

# Each is compared with all others. The blogs with a feed for every tag in their menu link to some hundred.
MOST_LOOKED_AT = 1_000

_FEED_TYPE = re.compile(
    r"(?:rss|atom|rdf)\+xml|feed\+json|^(?:text|application)/(?:xml|rss|atom)\b", re.IGNORECASE
)
_FEED_SHAPE = re.compile(
    r"(?:^|/)(?:feeds?|rss2?|atom)(?:\.(?:xml|json|php|rdf|rss|atom))?/?$"
    r"|(?:^|/)(?:index|rss|atom|feeds?|blog|all|posts?)[\w.-]{0,20}\.(?:xml|rss|atom|rdf)$"
    r"|\.(?:rss|atom|rdf)$|/feeds/posts/default|[?&]feed=(?!comments)",
    re.IGNORECASE,
)
# What every such address has in it: most links of a page need no closer look.
_FEED_SIGNS = ("feed", "rss", "atom", "xml", "rdf")
_NO_FEED_SHAPE = re.compile(r"sitemap|opensearch|/xmlrpc|/wlwmanifest|\.opml$", re.IGNORECASE)
_COMMENTS_PATH = re.compile(
    r"(?:^|[/?&=._-])(?:comments?|kommentare|commentaires|comentarios)(?:[/?&=._-]|$)", re.IGNORECASE
)
# Stems of "comment" in the languages of blogs: titles such as "Comments on: …" say whose feed it is.
_COMMENTS_TITLE = re.compile(
    r"\bcomments?\b|\bcommentaires?\b|\bkommentar|\bcoment[aá]rios?\b|\bcommenti\b|\bcomentaris?\b"
    r"|комментари|коментар|\bkomentar|\bkomentář|\bkomentarz|\breacties\b|\byorum|\bkommentit\b|σχόλι|\bhozzászól"
    r"|\bbình luận|コメント|评论|評論|留言|回應|回应|댓글|덧글|تعليق|תגוב|نظرات",
    re.IGNORECASE,
)
# Feeds of one shelf of the blog, not of the blog.
_SHELF = re.compile(
    r"/(?:categor(?:y|ies|ie|ia)|kategorie|tags?|topics?|authors?|users?|label|series|search)(?:/|\.)|[?&](?:cat|tag|author)=",
    re.IGNORECASE,
)


# What parts the title of the blog from that of its shelf: "A Blog - Weather", "A Blog: Weather", "A Blog » Weather".
_PARTED = re.compile(r"\s+[-–—:|/»›·]|[:|»›]\s")


def feed_links(root: etree._Element, url: str) -> tuple[FeedLink, ...]:
    """The feeds a page points to, the blog's own first, then guesses; feeds of comments stand last.

    >>> from lxml import etree
    >>> page = '<html><head><link rel="alternate" type="application/rss+xml" href="/feed/"></head></html>'
    >>> links = feed_links(etree.fromstring(page, etree.HTMLParser()), "https://a.org/2020/a/")
    >>> links[0].url, links[0].declared, links[1].declared
    ('https://a.org/feed/', True, False)
    """
    judged = declared_feeds(root, url)
    guesses = [FeedLink(url=guess, declared=False) for guess in _guesses(url)]
    posts = [link for link in judged if not link.comments]
    comments = [link for link in judged if link.comments]
    # A guess is another address even where it spells the same page: a server may know "/feed/" and not
    # the "/feed/index.html" that a page made for another one names.
    named = {link.url for link in judged}
    return (*posts, *(guess for guess in _once(guesses) if guess.url not in named), *comments)


def declared_feeds(root: etree._Element, url: str) -> tuple[FeedLink, ...]:
    """The feeds a page declares or links to, the blog's own first, feeds of comments last; no guesses.

    Asked of every post for its comment feed: to make up the guesses took most of `feed_links`' time.
    """
    base = _base(root, url)
    declared = _once(islice(chain(_declared(root, base), _anchors(root, base)), MOST_LOOKED_AT))
    if not declared:
        return ()
    above = {canonical(link.url).rpartition("/")[0] for link in declared if not _COMMENTS_PATH.search(link.url)}
    judged = [
        FeedLink(url=link.url, title=link.title, comments=_is_comments(link, url, above))
        for link in declared
    ]
    if len(judged) > 1:
        titles = {link.title.casefold() for link in judged if link.title and not link.comments}
        judged.sort(key=lambda link: (link.comments, *_distance(link, url, titles)))
    return tuple(judged)


def speaks_of_comments(title: str | None) -> bool:
    """Whether a title says that a feed is one of comments.

    >>> speaks_of_comments("Kommentare zu: Ein Tag am Meer"), speaks_of_comments("Ein Tag am Meer")
    (True, False)
    """
    return bool(title and _COMMENTS_TITLE.search(title))


def _declared(root: etree._Element, base: str) -> Iterable[FeedLink]:
    for element in root.iter("link"):
        said = {str(key).lower(): str(value) for key, value in element.attrib.items()}
        rel = said.get("rel", "").lower().split()
        # Most links of a head lead to style sheets and icons.
        if not {"alternate", "feed"} & set(rel) or not said.get("href", "").strip():
            continue
        full = absolute(base, said.get("href"))
        if not full:
            continue
        kind = said.get("type", "").lower()
        if "oembed" in kind:
            continue
        shaped = bool(_FEED_SHAPE.search(full)) and not kind and "hreflang" not in said
        json_file = kind == "application/json" and full.lower().endswith("feed.json")
        if _FEED_TYPE.search(kind) or shaped or json_file or "feed" in rel:
            yield FeedLink(url=full, title=plain(said.get("title")))


def _anchors(root: etree._Element, base: str) -> Iterable[FeedLink]:
    """Links a reader would click: many blogs declare no feed but show a button."""
    host = host_of(base)
    may_be_base = _has_sign(base)
    for element in root.iter("a"):
        href = element.get("href")
        if href is None or not (may_be_base or _has_sign(href)):
            continue
        full = absolute(base, href)
        if not full or host_of(full) != host or not _FEED_SHAPE.search(full) or _NO_FEED_SHAPE.search(full):
            continue
        yield FeedLink(url=full, title=plain(element.get("title")))


def _has_sign(address: str) -> bool:
    # Half as long as a search for a pattern that takes either case, and asked of every link of every post.
    lowered = address.lower()
    for sign in _FEED_SIGNS:  # noqa: SIM110 - any() takes twice as long
        if sign in lowered:
            return True
    return False


def _is_comments(link: FeedLink, page: str, above: Iterable[str]) -> bool:
    """Whether a feed is one of comments; `above` are the folders that the feeds of posts lie in."""
    if _says_comments(link.url, link.title):
        return True
    # A feed below the page's own address is the page's conversation, if a feed above it exists too:
    # else the page is the blog's home, in a folder.
    own = canonical(page)
    if "/" not in own or not canonical(link.url).startswith(own + "/") or _SHELF.search(link.url):
        return False
    folder = own.rpartition("/")[0]
    return any(place == folder or folder.startswith(place + "/") for place in above if place != own)


# The feeds of a blog are named on all of its pages.
@lru_cache(maxsize=1_024)
def _says_comments(url: str, title: str | None) -> bool:
    """Whether the address or the title of a feed says that it is one of comments."""
    parts = urlsplit(url)
    is_path = _COMMENTS_PATH.search(parts.path) or _COMMENTS_PATH.search(parts.query)
    return bool(is_path) or speaks_of_comments(title)


def _distance(link: FeedLink, page: str, titles: Collection[str]) -> tuple[bool, bool, bool, int]:
    """How far a feed seems from the blog's main one; equal ones keep the page's order.

    `titles` are those of all feeds: one that goes on where another ends says which part of the blog it is of.
    """
    title = (link.title or "").casefold()
    is_part = any(title[: parted.start()] in titles for parted in _PARTED.finditer(title))
    depth = len(canonical(link.url).split("/"))
    file_store = bool(_SHELF.search(urlsplit(link.url)._replace(scheme="", netloc="").geturl()))
    return file_store, is_part, host_of(link.url) != host_of(page), depth if file_store else 0


def _guesses(url: str) -> Iterable[str]:
    folders = urlsplit(url).path.strip("/").split("/")
    places = [urljoin(url, "/"), urljoin(url, f"/{folders[0]}/")]
    if len(folders) < 2:  # so near the root, the page may be the home of a blog in a folder
        places = [urljoin(url, "."), urljoin(url, "/")]
    for guess in GUESSES:
        for place in dict.fromkeys(places):
            if full := absolute(place, guess):
                yield full


def _once(links: Iterable[FeedLink]) -> list[FeedLink]:
    seen: dict[str, FeedLink] = {}
    for link in links:
        seen.setdefault(canonical(link.url), link)
    return list(seen.values())


def _base(root: etree._Element, url: str) -> str:
    element = next(root.iter("base"), None)
    return absolute(url, element.get("href")) or url if element is not None else url
