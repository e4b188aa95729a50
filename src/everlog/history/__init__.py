"""History sources: the ways in which a blog tells of posts and comments that its feed no longer shows. Pure.

    source             what a source is: it plans requests, and reads their answers
    sitemap_history    the sitemaps that robots.txt names
    comment_history    the feed of all comments of a blog

A new source is one module with a `SOURCE`, one line in `SOURCES` here, and one fixture. Whoever has a fetcher walks it:
`everlog.usecases.discover.walk_history`.
"""

from __future__ import annotations

from everlog.history import comment_history, sitemap_history
from everlog.history.source import BlogClues, HistoryPage, HistoryRequest, HistorySource, ListedPost

# The cheapest first.
SOURCES: tuple[HistorySource, ...] = (sitemap_history.SOURCE, comment_history.SOURCE)

__all__ = ["SOURCES", "BlogClues", "HistoryPage", "HistoryRequest", "HistorySource", "ListedPost"]
