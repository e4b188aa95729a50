"""Comments that a blog's interface tells, joined with those that are known: told apart by their numbers.

Pages and feeds may spell the same comment in two ways, so there likeness decides (`merging`). An interface and the
pages of the same site number comments alike: two that say the same under two numbers are two.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from everlog.comments.comment_markup import Thread
from everlog.comments.merging import merge

if TYPE_CHECKING:
    from collections.abc import Sequence

    from everlog.records import Comment


def with_told(known: Sequence[Comment], told: Sequence[Comment]) -> tuple[Comment, ...]:
    """Known comments, with those that are told besides, in the order they were written.

    >>> from everlog.records import Comment
    >>> held = (Comment(id="7", author="Jo", text="Nice."),)
    >>> [each.id for each in with_told(held, (Comment(id="9", author="Jo", text="Nice."), held[0]))]
    ['7', '9']
    """
    if any(comment.id is None for comment in (*known, *told)):
        threads = [Thread(source="page", comments=tuple(known)), Thread(source="api", comments=tuple(told))]
        return merge(threads, claimed=None).comments
    numbers = {comment.id for comment in known}
    fresh = {comment.id: comment for comment in told if comment.id not in numbers}
    return in_time_order((*known, *fresh.values())) if fresh else tuple(known)


def in_time_order(comments: tuple[Comment, ...]) -> tuple[Comment, ...]:
    """Comments in the order they were written, where all say when; those of one moment as they stood."""
    dated = [(comment.published, place, comment) for place, comment in enumerate(comments) if comment.published]
    if len(dated) < len(comments) or any(at.tzinfo is None for at, _, _ in dated):
        return comments
    return tuple(comment for _, _, comment in sorted(dated, key=lambda each: each[:2]))
