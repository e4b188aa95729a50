"""History sources: the ways in which a blog tells of posts and comments that its feed no longer shows. Pure.

    source             what a source is: it plans requests, and reads their answers
    sources            the table of them
    page_walk          the walk that most sources share, from page to page
    answers            answers of JSON interfaces, read without trust
    overlap            how pages of a list fit together that shifts while it is walked
    platforms          which program or service makes a blog
    told_post          the record that an interface's own words make; `told_comments` the same for comments
    known_addresses    which addresses were named before, in a few bytes each

    wordpress/         the REST interface of WordPress, that of WordPress.com, the pages of a WordPress blog's feed
    blogger_feed       the feeds of posts and comments of Blogger
    tumblr/            the old interface of Tumblr (`tumblr_read`)
    archived_feed      feeds in several documents (RFC 5005, JSON Feed), and complete ones (`feed_posts`)
    ghost/             Ghost's content interface (`ghost_content`)
    squarespace_json   the lists of Squarespace as JSON
    substack_archive   the archive of a Substack, and its comments
    archive_pages      pages of years and months that the front page links to
    sitemap_history    the sitemaps that robots.txt names (`sitemap_walk`)

    other_addresses    where else a post may be that does not answer at its address (`link_header`: what answers state)
    comment_history    the feed of all comments of a blog, which updates ask
    completeness/      whether all that sources list is held: the verdict, with its reasons

A new source is one module with a `SOURCE`, one line in `sources`, and one fixture. Whoever has a fetcher walks it:
`everlog.usecases.history`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

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

if TYPE_CHECKING:
    from everlog.history.sources import FEEDS, SOURCES

__all__ = [
    "FEEDS", "SOURCES", "BlogClues", "Entrance", "HistoryAnswer", "HistoryRequest", "HistorySource", "HistoryWalk",
    "ListedComment", "ListedPost", "Told",
]


def __getattr__(name: str) -> Any:
    """The table of sources, which loads their parsers: who only judges what they listed does without it."""
    if name not in {"FEEDS", "SOURCES"}:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from everlog.history import sources  # noqa: PLC0415 - see above

    return getattr(sources, name)
