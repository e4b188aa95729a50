"""Stored pages and feeds, for who reads them again, compares with them or learns from them.

    stored_exchange, stored_page, stored_feed    None where there is none, or it cannot be read
    stored_comment_feed, feed_as_stored          those that cannot be done without: what is lost is an error
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from everlog.comments.comment_feeds import read_comment_feed
from everlog.errors import DamagedArchive, NothingToLearn, NotUploaded, UnreadableFeed
from everlog.feeds import parse_feed
from everlog.records import Blog, Exchange, Feed, Fetched

if TYPE_CHECKING:
    from everlog.archive import Archive
    from everlog.archive.models import Capture
    from everlog.comments.comment_markup import Thread

log = logging.getLogger("everlog")


def stored_exchange(capture: Capture, archive: Archive) -> Exchange | None:
    """A stored answer; None if it cannot be read.

    It may stand in the spool folder of a worker that is gone, or be damaged: then one page less is compared. The crawl
    of its blog is not to end for that, and `everlog verify` tells what is missing.
    """
    try:
        return archive.files.exchange(capture)
    except NotUploaded:
        return None
    except DamagedArchive as error:
        log.warning("%s", error.message)
        return None


def stored_comment_feed(url: str, blog: Blog, archive: Archive) -> Thread | None:
    """The comments of a stored comment feed."""
    capture = archive.captures.find(blog.id, url)
    if capture is None or capture.purpose != "feed":
        return None
    try:
        # One that is lost is not passed over: a post that is read again without its comments would seem to have none.
        return read_comment_feed(archive.files.exchange(capture).body, capture.url)
    except UnreadableFeed:
        return None


def stored_page(url: str, blog: Blog, archive: Archive, *, rendered: bool) -> Fetched | None:
    """A page as it is stored, as a browser showed it if it was rendered; None if it is not, or cannot be read."""
    capture = (archive.captures.rendering(blog.id, url) if rendered else None) or archive.captures.find(blog.id, url)
    answer = stored_exchange(capture, archive) if capture is not None else None
    return Fetched(url=url, exchanges=(answer,)) if answer is not None else None


def feed_as_stored(blog: Blog, archive: Archive) -> tuple[Fetched, Feed]:
    """The blog's own feed as it was answered last."""
    capture = archive.captures.find(blog.id, blog.feed_url or "")
    if capture is None:
        raise NothingToLearn(f"no feed of {blog.home} is in the archive", advice=f"everlog crawl {blog.home}")
    page = archive.files.exchange(capture)
    return Fetched(url=page.url, exchanges=(page,)), parse_feed(page.body, page.url)


def stored_feed(blog: Blog, archive: Archive) -> Feed | None:
    """What the blog's feed said last; None if it is not stored, or cannot be read."""
    capture = archive.captures.find(blog.id, blog.feed_url) if blog.feed_url is not None else None
    answer = stored_exchange(capture, archive) if capture is not None else None
    if answer is None:
        return None
    try:
        return parse_feed(answer.body, answer.url)
    except UnreadableFeed:
        return None
