"""What everlog reads of a blog's posts, once learned from the feed and once without it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from everlog.evaluate.commenting import taught
from everlog.evaluate.run import learn_blog
from everlog.evaluate.without_feed import learn_walking
from everlog.records import Post

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from everlog.evaluate.corpus import Blog, Truth
    from everlog.evaluate.run import Reader

    ReaderFor = Callable[[Truth], Reader]

EVERLOG, NO_FEED = "everlog", "everlog, no feed"


def collected(blog: Blog) -> list[Truth]:
    """The posts of a blog that are documents: outside the feed, with an article that stands whole in its page."""
    return [row for row in blog.truth() if row.counts and row.text and row.text_is_whole]


def posts_of(blog: Blog, rows: Sequence[Truth], learn: Callable[[Blog], ReaderFor]) -> list[Post | None]:
    """The posts of these rows as they are read; None for what is not."""
    try:
        reader_for = learn(blog)
    except Exception:  # noqa: BLE001 - a blog that cannot be learned is a miss, not the end
        return [None] * len(rows)
    return [_post(blog.truth_page(row), row.url, reader_for(row)) for row in rows]


def _post(page: bytes | None, url: str, reader: Reader) -> Post | None:
    try:
        outcome = reader.read(page, url) if page else None
    except Exception:  # noqa: BLE001 - nor is a page that cannot be read
        return None
    return outcome if isinstance(outcome, Post) else None


def _with_feed(blog: Blog) -> ReaderFor:
    return taught(learn_blog(blog), blog, list(blog.truth()))


def _without_feed(blog: Blog) -> ReaderFor:
    return taught(learn_walking(blog).template, blog, list(blog.truth()))


LEARNERS: dict[str, Callable[[Blog], ReaderFor]] = {EVERLOG: _with_feed, NO_FEED: _without_feed}
