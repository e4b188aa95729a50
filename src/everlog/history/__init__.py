"""History sources: the ways in which a blog tells of posts and comments that its feed no longer shows. Pure.

    source             what a source is: it plans requests, and reads their answers
    page_walk          the walk that most sources share, from page to page
    sitemap_history    the sitemaps that robots.txt names (`sitemap_walk`)
    known_addresses    what was named before, in a few bytes each

    comment_history    the feed of all comments of a blog, which updates ask

A new source is one module with a `SOURCE`, one line in `SOURCES` here, and one fixture. Whoever has a fetcher walks it:
`everlog.usecases.history`.
"""

from __future__ import annotations

from everlog.history import sitemap_history, wordpress_rest
from everlog.history.source import (
    BlogClues,
    Entrance,
    HistoryAnswer,
    HistoryRequest,
    HistorySource,
    HistoryWalk,
    ListedComment,
    ListedPost,
    Told,
)

# The cheapest and surest first.
SOURCES: tuple[HistorySource, ...] = (
    wordpress_rest.SOURCE,
    sitemap_history.SOURCE,
)

__all__ = [
    "SOURCES", "BlogClues", "Entrance", "HistoryAnswer", "HistoryRequest", "HistorySource", "HistoryWalk",
    "ListedComment", "ListedPost", "Told",
]
