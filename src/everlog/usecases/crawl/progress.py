"""The figures of a crawl that is under way or over, and what is said of what it did."""

from __future__ import annotations

from typing import TYPE_CHECKING

from everlog.usecases.discover.estimate import expected_posts, recall_estimate

if TYPE_CHECKING:
    from everlog.archive import Archive
    from everlog.records import Blog
    from everlog.usecases.crawl.report import Tally
    from everlog.usecases.discover.estimate import Estimate

COMMENTS_MISSING = "comments missing"


def take_figures(tally: Tally, blog: Blog, archive: Archive, estimate: Estimate | None, *, is_finished: bool) -> None:
    """What the archive has of the blog now, counted there: so the figures of a crawl are those of `everlog status`."""
    tally.take(archive.blogs.figures(blog.id))
    tally.expected = expected_posts(estimate, held=tally.held, waiting=tally.waiting_posts, is_finished=is_finished)


def take_last_figures(tally: Tally, blog: Blog, archive: Archive, *, is_finished: bool) -> None:
    """The figures at the end of a run; also those that take longer to count."""
    take_figures(tally, blog, archive, recall_estimate(blog, archive), is_finished=is_finished)
    tally.comments_missing = _comments_missing(blog, archive, anew=tally.visited > 0)


def _comments_missing(blog: Blog, archive: Archive, *, anew: bool) -> int:
    """Reads the records of the blog, so it is counted only after something was visited: most updates bring nothing."""
    kept = archive.blogs.recall(blog.id, COMMENTS_MISSING)
    if kept is not None and not anew:
        return int(kept)
    count = archive.comments.count_missing(blog.id)
    archive.blogs.remember(blog.id, COMMENTS_MISSING, str(count))
    return count


def said_of_update(source: str, quietly: str, tally: Tally, *, looked_at: int = 0) -> str:
    """What an update did that came to its end: `source` says where it looked for news, `quietly` that there are none.

    So many of the visited pages as it `looked_at` are the source itself.

    >>> from everlog.usecases.crawl.report import Tally
    >>> quietly = "the feed has not changed"
    >>> said_of_update("the feed", quietly, Tally(blog="http://a.example/"))
    'up to date: the feed has not changed'
    >>> said_of_update("the feed", quietly, Tally(blog="http://a.example/", visited=3, new_posts=1))
    'the feed and 3 pages were checked: 1 new post'
    >>> said_of_update("the feed", quietly, Tally(blog="http://a.example/", visited=1))
    'the feed and 1 page were checked: nothing new'
    """
    pages = max(tally.visited - looked_at, 0)
    if not (pages or tally.new_posts or tally.changed_posts):
        return f"up to date: {quietly}"
    news = [
        *([f"{tally.new_posts:,} new {'post' if tally.new_posts == 1 else 'posts'}"] if tally.new_posts else []),
        *([f"{tally.changed_posts:,} changed"] if tally.changed_posts else []),
    ]
    checked = f"{source} and {pages:,} {'page' if pages == 1 else 'pages'} were checked"
    return f"{checked}: {', '.join(news) or 'nothing new'}"
