"""Feeds: bytes to records, and the feeds a page points to."""

from __future__ import annotations

from everlog.feeds.discover import feed_links
from everlog.feeds.parse import parse_feed

__all__ = ["feed_links", "parse_feed"]
