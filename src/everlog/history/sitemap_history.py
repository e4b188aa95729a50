"""Sitemaps as a history source: those that robots.txt names, else the one that is usually there."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urljoin

from everlog.feeds.sitemaps import parse_sitemap, sitemaps_of_robots
from everlog.history.source import BlogClues, HistoryPage, HistoryRequest, ListedPost


@dataclass(frozen=True, slots=True)
class SitemapHistory:
    """The pages that a site lists for programs."""

    name: str = "sitemap"
    # Enough for the 10,000 newest posts of the usual engines, which list 1,000 or 2,000 in one file.
    most_requests: int = 10

    def first_requests(self, clues: BlogClues) -> tuple[HistoryRequest, ...]:
        """The maps that robots.txt names.

        >>> [request.url for request in SitemapHistory().first_requests(BlogClues(home="https://a.org/blog/"))]
        ['https://a.org/sitemap.xml']
        """
        named = sitemaps_of_robots(clues.robots.decode("utf-8", "replace"))
        return tuple(map(_request, named or (urljoin(clues.home, "/sitemap.xml"),)))

    def read(self, body: bytes, url: str) -> HistoryPage:
        """The pages of one map, and the maps that it names."""
        sitemap = parse_sitemap(body, url)
        return HistoryPage(
            posts=tuple(ListedPost(url=address, changed=changed) for address, changed in sitemap.urls),
            more=tuple(map(_request, sitemap.more)), problem=sitemap.problem,
        )


def _request(url: str) -> HistoryRequest:
    return HistoryRequest(url=url, purpose="sitemap")


SOURCE = SitemapHistory()
