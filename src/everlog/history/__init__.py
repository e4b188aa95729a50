"""History sources: the ways in which a blog tells of posts and comments that its feed no longer shows. Pure.

    source             what a source is: it plans requests, and reads their answers
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

    comment_history    the feed of all comments of a blog, which updates ask
    completeness/      whether all that sources list is held: the verdict, with its reasons

A new source is one module with a `SOURCE`, one line in `SOURCES` here, and one fixture. Whoever has a fetcher walks it:
`everlog.usecases.history`.
"""

from __future__ import annotations

from everlog.history import (
    archive_pages,
    archived_feed,
    blogger_feed,
    sitemap_history,
    squarespace_json,
    substack_archive,
)
from everlog.history.ghost import ghost_content
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
from everlog.history.tumblr import tumblr_read
from everlog.history.wordpress import wordpress_com, wordpress_feed, wordpress_rest

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

__all__ = [
    "FEEDS", "SOURCES", "BlogClues", "Entrance", "HistoryAnswer", "HistoryRequest", "HistorySource", "HistoryWalk",
    "ListedComment", "ListedPost", "Told",
]
