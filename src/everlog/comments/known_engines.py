"""Comments as blog engines write them: a table of markups, and the one that reads a page best."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from everlog.comments.comment_markup import Thread, explained, read_selected
from everlog.comments.css import Selection
from everlog.comments.engines import KNOWN
from everlog.comments.linkbacks import with_linkbacks
from everlog.comments.linked_data import read_linked_data
from everlog.comments.stated_counts import stated_count
from everlog.comments.threads import only

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from everlog.core.tree import Element
    from everlog.records import Comment

__all__ = ["KNOWN", "read_known"]

# A link from another blog, of which the page shows the title alone: a name and no text, as `linkbacks` reads it.
_LINKED = re.compile(
    r"(?:(?:ping|track)(?:back|s)?(?: from| da)?|r[ée]troliens?|notificaci[óo]n|riferimento|уведомление|引用通告"
    r"|ピンバック|トラックバック|핑백)\s?(?:[:：]|$)",
    re.IGNORECASE,
)
_LONGEST_TITLE = 300


def read_known(root: Element, url: str, *, fetched_at: datetime | None = None) -> Thread | None:
    """The comments of a page in the markup of the engine that explains most of it; None where none does.

    >>> from everlog.core.tree import parse
    >>> page = parse(b"<ol><li class=comment id=comment-7><cite class=fn>Ada</cite><div class=comment-content><p>Fine.")
    >>> [(comment.id, comment.author, comment.text) for comment in read_known(page, "http://a.org/").comments]
    [('7', 'Ada', 'Fine.')]
    """
    page = Selection(root)
    markup = max(KNOWN, key=lambda markup: explained(page, markup))
    marked = read_selected(page, url, markup, fetched_at=fetched_at)
    thread = marked if marked.comments else read_linked_data(root, url, fetched_at=fetched_at)
    if thread is None:
        thread = Thread(source=markup.name)
        if not with_linkbacks((), page, url)[1]:
            return None
    comments, _ = with_linkbacks(said(thread.comments), page, url, fetched_at=fetched_at)
    claimed = stated_count(root, url) if thread.claimed is None else thread.claimed
    # Themes print "No comments" above comments that came later; nobody counts fewer than none.
    return replace(thread, comments=comments, claimed=claimed if claimed or not comments else None)


def said(comments: Iterable[Comment]) -> tuple[Comment, ...]:
    """The comments that say something."""
    return only(comments, says_something)


def says_something(comment: Comment) -> bool:
    """Whether what was read is a comment, and not a link from elsewhere whose text the page does not show."""
    if not comment.text:
        return bool(comment.html)
    if not (comment.author or comment.published or comment.id):
        return False
    return len(comment.text) > _LONGEST_TITLE or _LINKED.match(comment.text) is None
