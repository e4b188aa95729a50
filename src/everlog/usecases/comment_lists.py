"""Who lists the comments of a blog, gathered from the rows of the archive: interfaces, and the feed of all comments.

A list is held against the comments that are held: one that lacks some of them is not whole, whatever it counts. Links
from elsewhere (pingbacks, trackbacks) are left out, as interfaces refuse them. Most posts hold as many comments as are
listed; only the records of those that hold more are read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from everlog.history.completeness import CommentGap, Inventory
from everlog.history.completeness.inventory import GRADES

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from everlog.archive import Archive
    from everlog.archive.blog_state import BlogState, SourceState
    from everlog.records import Blog

COMMENT_FEED = "comment feed"
# Of archives that were made before lists of comments were kept.
NOT_NOTED = "its comments were read before lists of them were kept"


def comment_inventories(blog: Blog, state: BlogState, archive: Archive) -> tuple[Inventory, ...]:
    """The inventories of a blog's comments, the surest first."""
    found = [_of_source(each, blog, archive) for each in state.history if each.comments_total is not None]
    found.sort(key=lambda each: each.grade)
    feed = state.comment_feed
    if feed is not None and feed.seen:
        found.append(Inventory(source=COMMENT_FEED, grade="C", members=len(feed.seen), walked_at=feed.read_at))
    return tuple(found)


def announced_gaps(state: BlogState, archive: Archive) -> Iterator[CommentGap]:
    """The posts on the web that lack comments which the feed of all comments named."""
    by_post: dict[str, set[str]] = {}
    for named in state.comment_feed.unheld.values() if state.comment_feed is not None else ():
        key, _, number = named.rpartition("#")
        by_post.setdefault(key, set()).add(number)
    for key, numbers in by_post.items():
        post = archive.posts.find(f"http://{key}", as_read=True)
        if post is None or post.gone is not None:
            continue
        lacking = numbers - {each.id for each in post.comments}
        if lacking:
            yield CommentGap(url=post.url, state="announced", held=len(post.comments), lacking=len(lacking))


def _of_source(state: SourceState, blog: Blog, archive: Archive) -> Inventory:
    known = archive.blogs.inventory
    if state.comments_before is None and state.comments_total:
        return Inventory(
            source=state.source, grade=GRADES.get(state.source, "C"), claimed_after=state.comments_total,
            walked_at=state.comments_read_at, problem=NOT_NOTED,
        )
    listed = known.comments_by_post(blog.id, state.source)
    more = {
        key: held - listed.get(key, 0)
        for key, held in archive.comments.by_post(blog.id).items() if held > listed.get(key, 0)
    }
    count, example = _unlisted(more, known.comments_of(blog.id, state.source) if more else (), blog, archive)
    return Inventory(
        source=state.source, grade=GRADES.get(state.source, "C"), claimed_before=state.comments_before,
        claimed_after=state.comments_total, members=sum(listed.values()),
        is_exhaustive=state.is_exhaustive and state.cursor is None and state.problem is None,
        is_stable=state.comments_before in {None, state.comments_total}, walked_at=state.comments_read_at,
        problem=state.problem, unlisted=count, unlisted_example=example,
        shortfall=state.comments_shortfall,
    )


def _unlisted(
    more: dict[str, int], numbers: Collection[str], blog: Blog, archive: Archive,
) -> tuple[int, str | None]:
    """How many comments are held that a list lacks, and where one of them is.

    `more` is by how many the comments of posts are more than those that it lists of them: a comment that has another
    number there is one of these.
    """
    count, example = 0, None
    if not more:
        return count, example
    from everlog.comments.linkbacks import is_linkback  # noqa: PLC0415 - loads numpy

    for key, url, comments in archive.comments.of_posts(blog.id, more):
        beyond = [each for each in comments if each.id not in numbers]
        own = [each for each in beyond if not is_linkback(each)]
        lacking = min(len(own), more[key] - (len(beyond) - len(own)))
        if lacking > 0:
            count += lacking
            example = example or own[0].url or url
    return count, example
