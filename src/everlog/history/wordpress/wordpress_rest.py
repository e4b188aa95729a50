"""WordPress REST as a history source: all posts with their texts, names and comments, 100 a request.

What was seen of the interface (WordPress 6.1 and 7.1):

    posts       `X-WP-Total` counts password-protected ones too, which have no text; 101 a page is refused
    offset      goes by rows before those are left out that strangers may not see: a short page is not the end
    comments    totals count comments of private posts; past the end is an empty list; pingbacks are refused
    names       posts name their author, tags and categories by numbers, which are asked for once
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urljoin, urlsplit

from everlog.history.source import BlogClues, Entrance, Grade, HistoryWalk
from everlog.history.wordpress.wordpress_changes import RestChanges, RestListing
from everlog.history.wordpress.wordpress_rows import PAGES
from everlog.history.wordpress.wordpress_walk import RestWalk

if TYPE_CHECKING:
    from everlog.records import PostKind

_RELATION = "https://api.w.org/"
_IN_HEADER = re.compile(r"<([^<>]+)>\s*;[^,]*rel=[\"']?https://api\.w\.org/", re.IGNORECASE)
# What only pages of WordPress have; the interface may be there though the page does not name it.
_MARKS = re.compile(rb"/wp-(?:content|includes)/|name=[\"']generator[\"'] content=[\"']WordPress ", re.IGNORECASE)
# Posts, pages and comments of a blog of 50,000 posts with 100,000 comments.
MOST_REQUESTS = 2_000


@dataclass(frozen=True, slots=True)
class WordPressRest:
    """The interface that every WordPress since 4.7 has, unless somebody switched it off."""

    name: str = "WordPress REST"
    grade: Grade = "A"
    most_requests: int = MOST_REQUESTS

    def entrance(self, clues: BlogClues) -> Entrance | None:
        """The root of the interface: as the front page or its headers name it, else where it always is.

        >>> from everlog.history.source import BlogClues
        >>> named = (("Link", '<https://a.org/wp-json/>; rel="https://api.w.org/"'),)
        >>> WordPressRest().entrance(BlogClues(home="https://a.org/", headers=named)).url
        'https://a.org/wp-json/'
        """
        for value in clues.header_values("Link"):
            if found := _IN_HEADER.search(value):
                return _named(clues, found[1], "the front page's headers name the interface")
        if clues.root is not None:
            for link in clues.root.iter("link"):
                if _RELATION in (link.get("rel") or "").split() and link.get("href"):
                    return _named(clues, link.get("href") or "", "the front page names the interface")
        if clues.home_page is not None and _MARKS.search(clues.home_page.body):
            root = urljoin(clues.home, "wp-json/")
            return Entrance(url=root, evidence="the front page is of WordPress", is_sure=False)
        return None

    def walk(
        self, entrance: str, *, cursor: Mapping[str, Any] | None = None, wants_comments: bool = True,
    ) -> HistoryWalk:
        """All posts, then pages, then comments, then what changed meanwhile."""
        return RestWalk.of(entrance, cursor, wants_comments=wants_comments)

    def changes(self, entrance: str, mark: Mapping[str, Any], *, wants_comments: bool = True) -> HistoryWalk:
        """The posts that were published or edited since, and the newest comments."""
        return RestChanges.of(entrance, mark, wants_comments=wants_comments)

    def listing(
        self, entrance: str, *, kind: PostKind = "post", mark: Mapping[str, Any] | None = None,
    ) -> HistoryWalk:
        """The addresses of all posts, or of the pages of the routes in a mark, without their texts."""
        routes = tuple(dict.fromkeys((PAGES, *((mark or {}).get("routes") or {}))))
        return RestListing(entrance, routes if kind == "page" else ("posts",))


def _named(clues: BlogClues, href: str, evidence: str) -> Entrance | None:
    """The interface at an address that a page names; on another host it is somebody else's."""
    root = urljoin(clues.home_page.url if clues.home_page is not None else clues.home, href)
    parts = urlsplit(root)
    if parts.scheme not in {"http", "https"}:
        return None
    route = parse_qs(parts.query).get("rest_route")
    if route is not None:
        root = parts._replace(query="rest_route=/", fragment="").geturl()
    elif not parts.path.endswith("/"):
        root = parts._replace(path=parts.path + "/", query="", fragment="").geturl()
    return Entrance(url=root, evidence=f"{evidence} at {root}")


SOURCE = WordPressRest()
