"""Sitemaps as a history source: those that robots.txt or the front page name, else those that are usually there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal
from urllib.parse import urljoin

from everlog.core.scope import is_within
from everlog.core.urls import absolute, host_of
from everlog.feeds.sitemaps import sitemaps_of_robots
from everlog.history.sitemap_walk import SitemapWalk
from everlog.history.source import BlogClues, Entrance

# Robots.txt of a host of many blogs names the maps of all of them.
_MOST_ROOTS = 20
# In the order in which they are tried: the name of the protocol's examples, those of Yoast and others, that of
# WordPress, which has redirected the first to it since 5.5.
# Generators that build a blog for a folder of its host put its map there.
_IN_FOLDER = "sitemap.xml"
_USUAL = ("/sitemap.xml", "/sitemap_index.xml", "/wp-sitemap.xml")


@dataclass(frozen=True, slots=True)
class SitemapHistory:
    """The pages that a site lists for programs.

    Its entrance holds the addresses of all maps to begin with, parted by blanks.
    """

    name: str = "sitemap"
    grade: Literal["C"] = "C"
    # The usual engines list 1,000 or 2,000 posts in one file, so this is enough for the largest blogs.
    most_requests: int = 50

    def entrance(self, clues: BlogClues) -> Entrance:
        """The maps that robots.txt names, those of the blog itself first; without any, a guess.

        >>> SitemapHistory().entrance(BlogClues(home="https://a.org/blog/")).url
        'https://a.org/blog/sitemap.xml'
        >>> robots = b"Sitemap: https://a.org/jo.xml\\nSitemap: https://a.org/blog/map.xml"
        >>> SitemapHistory().entrance(BlogClues(home="https://a.org/blog/", robots=robots)).url
        'https://a.org/blog/map.xml https://a.org/jo.xml'
        """
        in_robots = sitemaps_of_robots(clues.robots.decode("utf-8", "replace"), clues.home)
        if in_robots:
            host = host_of(clues.home)
            nearest = sorted(in_robots, key=lambda url: (not is_within(url, clues.home), host_of(url) != host))
            return Entrance(url=" ".join(nearest[:_MOST_ROOTS]), evidence="robots.txt names a sitemap")
        for link in clues.root.iter("link") if clues.root is not None else ():
            url = absolute(clues.home, link.get("href"))
            if "sitemap" in (link.get("rel") or "").lower().split() and url is not None:
                return Entrance(url=url, evidence="the front page names a sitemap")
        return Entrance(url=urljoin(clues.home, _IN_FOLDER), evidence="where sitemaps usually are", is_sure=False)

    def walk(
        self, entrance: str, *, cursor: Mapping[str, Any] | None = None, wants_comments: bool = True,
    ) -> SitemapWalk:
        """A walk over all maps that list posts."""
        del wants_comments
        if cursor is not None:
            return SitemapWalk.resumed(cursor, most_requests=self.most_requests)
        roots = entrance.split()
        guesses = dict.fromkeys(urljoin(roots[0], path) for path in (_IN_FOLDER, *_USUAL)) if roots else ()
        return SitemapWalk.begun(roots, guesses, most_requests=self.most_requests)

    def changes(
        self, entrance: str, mark: Mapping[str, Any], *, wants_comments: bool = True,
    ) -> SitemapWalk | None:
        """A walk over the maps that changed, told by the index where that says it."""
        del entrance, wants_comments
        return SitemapWalk.since(mark, most_requests=self.most_requests)

    def listing(self, entrance: str) -> SitemapWalk:
        """The same walk: a map has nothing but addresses."""
        return self.walk(entrance)


SOURCE = SitemapHistory()
