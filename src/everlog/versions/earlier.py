"""Does a capture that others made show a version that is not held? An earlier text does; a worse copy does not.

    same       one of the versions that are held says all that it says
    truncated  it is no copy of the post: an error that calls itself a page, a login, an answer that broke off
    changed    a version of its own
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from everlog.core.words import words
from everlog.versions.comment_changes import compare_comments
from everlog.versions.decide import MOSTLY, is_same_article, is_truncated

if TYPE_CHECKING:
    from collections.abc import Iterable

    from everlog.records import Post
    from everlog.versions.decide import Verdict


def adds_version(held: Iterable[Post], current: Post, read: Post, *, other_template: bool = False) -> Verdict:
    """What the reading of a capture of another time means for a post, given the versions that are held.

    Comments that were not written yet make no version of their own; those that are gone since do. A shorter text was
    most likely written on later: it is a version if nearly all of it stands in the one that is current.

    >>> from everlog.records import Post
    >>> now = Post(url="u", text="It rained the whole day, and nobody went out to look for the boat. It was gone.")
    >>> adds_version([now], now, Post(url="u", text=now.text.removesuffix(" It was gone.")))
    'changed'
    >>> adds_version([now], now, Post(url="u", text="This page could not be found."))
    'truncated'
    >>> adds_version([now], now, Post(url="u", text=now.text))
    'same'
    """
    if any(_says_all(each, read, other_template=other_template) for each in held):
        return "same"
    if is_truncated(current, read) and not _stands_in(read, current):
        return "truncated"
    return "changed"


def _says_all(held: Post, read: Post, *, other_template: bool) -> bool:
    if not is_same_article(held, read, other_template=other_template):
        return False
    # What the older has and the newer has not; what only the newer has was written since.
    changes = compare_comments(read.comments, held.comments)
    return not changes.removed and not changes.edited


def _stands_in(read: Post, current: Post) -> bool:
    """Whether nearly all words of a text stand in another."""
    said = Counter(words(read.text))
    return bool(said) and (said & Counter(words(current.text))).total() >= MOSTLY * said.total()
