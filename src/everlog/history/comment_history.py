"""The feed of all comments of a blog as a history source: one request names new comments on old posts.

Feeds of posts say nothing about comments on posts that have left them. Most blogs with comments have a second feed for
these, which holds the newest few.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from everlog.comments.comment_feeds import read_site_comments
from everlog.core.tree import parse
from everlog.errors import UnreadableFeed, UnreadablePage
from everlog.feeds import declared_feeds
from everlog.history.source import BlogClues, HistoryPage, HistoryRequest

# Blogger names the feed of all comments nowhere, and has it beside that of posts.
_BLOGGER = re.compile(r"/feeds/posts/(default|full|summary)")


@dataclass(frozen=True, slots=True)
class CommentHistory:
    """The newest comments of a blog, whichever posts they are on."""

    name: str = "comment feed"
    most_requests: int = 1

    def first_requests(self, clues: BlogClues) -> tuple[HistoryRequest, ...]:
        """The comment feed that the front page names; none is guessed, but for the one that always is there.

        >>> clues = BlogClues(home="https://a.org/", feed_url="https://a.org/feeds/posts/default?alt=rss")
        >>> [request.url for request in CommentHistory().first_requests(clues)]
        ['https://a.org/feeds/comments/default?alt=rss']
        """
        url = None
        if clues.home_page is not None:
            try:
                root = parse(clues.home_page.body, clues.home_page.content_type)
            except UnreadablePage:
                return ()
            url = next((link.url for link in declared_feeds(root, clues.home_page.url) if link.comments), None)
        if url is None and _BLOGGER.search(clues.feed_url or ""):
            url = _BLOGGER.sub(r"/feeds/comments/\1", clues.feed_url or "")
        return (HistoryRequest(url=url, purpose="feed"),) if url is not None else ()

    def read(self, body: bytes, url: str) -> HistoryPage | None:
        """The comments of the feed, each with the addresses that may be its post's."""
        try:
            comments = read_site_comments(body, url)
        except UnreadableFeed:
            return None
        return HistoryPage(comments=comments) if comments is not None else None


SOURCE = CommentHistory()
