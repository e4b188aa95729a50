"""Table of history sources: a new one is a line here."""

from __future__ import annotations

from typing import TYPE_CHECKING

from everlog.history import (
    archive_pages,
    archived_feed,
    blogger_feed,
    sitemap_history,
    squarespace_json,
    substack_archive,
)
from everlog.history.ghost import ghost_content
from everlog.history.tumblr import tumblr_read
from everlog.history.wordpress import wordpress_com, wordpress_feed, wordpress_rest

if TYPE_CHECKING:
    from everlog.history.source import HistorySource

# The cheapest and surest first.
SOURCES: tuple[HistorySource, ...] = (
    wordpress_com.SOURCE,
    wordpress_rest.SOURCE,
    ghost_content.SOURCE,
    archived_feed.COMPLETE,
    blogger_feed.SOURCE,
    tumblr_read.SOURCE,
    archived_feed.SOURCE,
    wordpress_feed.SOURCE,
    squarespace_json.SOURCE,
    substack_archive.SOURCE,
    sitemap_history.SOURCE,
    archive_pages.SOURCE,
)

# Feeds add lines of their own to texts ("The post ... appeared first on ..."): there a page that was read has the word.
FEEDS = frozenset(each.name for each in (archived_feed.COMPLETE, archived_feed.SOURCE, wordpress_feed.SOURCE))
