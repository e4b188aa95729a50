"""Posts that an interface told, as entries that teach: a feed shows the newest design, older posts may have another."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from everlog.extract.learn_blog import PAGES_USED
from everlog.history.told_text import is_told
from everlog.records import Blog, Entry, Post

if TYPE_CHECKING:
    from everlog.archive import Archive
    from everlog.usecases.discover.discover_blog import Found

# Of the posts that are told, so many teach beside those of the feed, one from each part of the blog's life.
MOST_TAUGHT = 5


def with_told_entries(found: Found, blog: Blog, archive: Archive) -> Found:
    """The blog as it was found, with some of the posts that its interface told behind the entries of its feed."""
    room = min(MOST_TAUGHT, PAGES_USED - len(found.feed.entries))
    listed = [
        post for state in archive.blogs.state(blog.id).history
        for post in archive.blogs.inventory.of(blog.id, state.source) if post.locked is None
    ]
    if room <= 0 or found.feed_url is None or not listed:
        return found
    # In the order of their keys, which is no order of time: the oldest are among them as often as the newest.
    step = max(1, len(listed) // room)
    posts = (archive.posts.find(post.url, as_read=True) for post in listed[::step][:room])
    entries = [_entry(post) for post in posts if post is not None and is_told(post)]
    named = {entry.link for entry in found.feed.entries}
    more = tuple(entry for entry in entries if entry.link not in named)
    return replace(found, feed=replace(found.feed, entries=(*found.feed.entries, *more)))


def _entry(post: Post) -> Entry:
    return Entry(
        link=post.url, title=post.title, content=post.html, authors=post.authors, published=post.published,
        updated=post.updated, tags=post.tags,
    )
