"""Whose word the text of a post is: an interface's, a feed's, or that of its page.

Of records alone, so that who only asks for it loads nothing that reads pages.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from everlog.records.post import BY_FEED_ENTRY, BY_INTERFACE

if TYPE_CHECKING:
    from everlog.records import Post

METHOD, FEED_METHOD = BY_INTERFACE, BY_FEED_ENTRY
EXCERPT = "only an excerpt was told, and the page was not read"


def is_told(post: Post) -> bool:
    """Whether the text of a post is an interface's word for the whole of it."""
    source = post.provenance.get("text")
    return source is not None and source.method == METHOD and source.disagrees != EXCERPT


def is_told_whole(post: Post) -> bool:
    """Whether the text of a post is the word of an interface or of a feed, and all of it."""
    source = post.provenance.get("text")
    return source is not None and source.method in {METHOD, FEED_METHOD} and source.disagrees != EXCERPT


def is_without_page(post: Post) -> bool:
    """Whether a post was told by an interface or a feed, and no page of it was fetched yet."""
    source = post.provenance.get("text")
    return post.warc is None and source is not None and source.method in {METHOD, FEED_METHOD}
