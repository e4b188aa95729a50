"""The feed of all comments of a blog: one request names new comments on old posts.

Feeds of posts say nothing about comments on posts that have left them. Most blogs with comments have a second feed for
these, which holds the newest few: no history to be walked, but asked for at every update.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from everlog.comments.comment_feeds import SiteComment, read_site_comments
from everlog.core.tree import parse
from everlog.errors import UnreadableFeed, UnreadablePage
from everlog.feeds import declared_feeds

if TYPE_CHECKING:
    from everlog.history.source import BlogClues

# Blogger names the feed of all comments nowhere, and has it beside that of posts.
_BLOGGER = re.compile(r"/feeds/posts/(default|full|summary)")


def comment_feed_of(clues: BlogClues) -> str | None:
    """The comment feed that the front page names; none is guessed, but for the one that always is there.

    >>> from everlog.history import BlogClues
    >>> comment_feed_of(BlogClues(home="https://a.org/", feed_url="https://a.org/feeds/posts/default?alt=rss"))
    'https://a.org/feeds/comments/default?alt=rss'
    """
    if clues.home_page is not None:
        try:
            root = clues.root if clues.root is not None else parse(clues.home_page.body, clues.home_page.content_type)
        except UnreadablePage:
            return None
        for link in declared_feeds(root, clues.home_page.url):
            if link.comments:
                return link.url
    if _BLOGGER.search(clues.feed_url or ""):
        return _BLOGGER.sub(r"/feeds/comments/\1", clues.feed_url or "")
    return None


def read_comment_feed_page(body: bytes, url: str) -> tuple[SiteComment, ...] | None:
    """The comments of the feed, each with the addresses that may be its post's; None for what is no such feed."""
    try:
        return read_site_comments(body, url)
    except UnreadableFeed:
        return None
