"""Feeds: bytes to records, and the feeds a page points to."""

from __future__ import annotations

from everlog.feeds.discover import declared_feeds, feed_links
from everlog.feeds.parse import parse_feed

__all__ = ["declared_feeds", "feed_links", "parse_feed"]
