"""Does what was read today take the place of what is held? An edit does; the theme's whims and broken answers do not.

    same       the author changed nothing: another spelling, order, guess or address of the same things
    truncated  most of what was held is missing: a cut answer, an error that calls itself a page, a login
    changed    an edit
"""

from __future__ import annotations

from collections import Counter
from datetime import datetime
from typing import Any, Literal

from everlog.core.words import words
from everlog.dates.relative import UNITS
from everlog.records import Post, Role, post_fields
from everlog.records.post import BY_FEED_ENTRY, BY_INTERFACE
from everlog.versions.comment_changes import compare_comments
from everlog.versions.links_and_media import marks_of
from everlog.versions.text_diff import as_seen, is_same_text

Verdict = Literal["changed", "same", "truncated"]
More = Literal["page", "comments"]

# The share of its words that an article keeps in any edit; below it, something else is shown in its place. On 1,607
# posts of 84 blogs: all 100 error pages that were read as articles kept less, and of 1,181 articles cut to two
# paragraphs and a request to log in 71 %. Of 1,484 posts whose text is also known from a feed or its source, one had
# lost that much on its page, and 13 more that were misread, all on one blog.
LEAST_KEPT = 0.5
# The same for an article that breaks off: all it keeps is its beginning. Of pages cut at 60 % of their bytes that
# read otherwise than whole, this refuses 80 % (`LEAST_KEPT` alone: 26 %). Of 6,428 pairs of readings of one page by
# two sets of rules 7 are refused (4), which is how often a good reading looks broken off.
LEAST_BEGINNING = 0.8
# How much of what is kept stands at the beginning, then: a request to log in shares a few words with any text.
MOSTLY = 0.9
# A note of a few words may well be written anew; it is truncated only when nothing is left.
FEW_WORDS = 10
# The share of words that two sets of rules find alike in one article (twice the shared part over the whole). Read by
# templates learned from either half of the feed, and from the feed cut to excerpts, 9 of 3,214 readings of 1,607
# posts were less alike; to the letter, 404 would have been taken for edits.
ALIKE_BY_OTHER_RULES = 0.9

_EDITED = post_fields(Role.EDIT)
DAY_SECONDS = UNITS["day"]
# How far two readings of one date may be apart: a page that shows a day leaves the offset to be guessed.
_SLACK_SECONDS = {"minute": 60, "day": DAY_SECONDS, "month": 31 * DAY_SECONDS}


def replaces(held: Post, read: Post, *, other_template: bool = False) -> Verdict:
    """What the reading of a page means for the version that is held.

    `other_template`: the blog was redesigned since the held version was read.

    >>> from everlog.records import Post
    >>> held = Post(url="u", text="It rained the whole day, and nobody went out to look for the boat.")
    >>> replaces(held, Post(url="u", text=held.text.replace("whole day", "whole  day\\n")))
    'same'
    >>> replaces(held, Post(url="u", text=held.text + " It was gone."))
    'changed'
    >>> replaces(held, Post(url="u", text="Please log in to read on."))
    'truncated'
    """
    if is_truncated(held, read):
        return "truncated"
    is_same = is_same_article(held, read, other_template=other_template)
    # A page without comments that counts none says nothing about them: a theme may have stopped to show them.
    said = read.comments if read.comments or read.comment_count_claimed is not None else held.comments
    return "same" if is_same and compare_comments(held.comments, said).is_empty else "changed"


def more_of(held: Post, read: Post) -> More | None:
    """What the reading of another page adds to a post that was met a moment ago; None where it does not only add.

    `page`: the text is no longer a feed's or an interface's word alone, but what its page shows. `comments`: the next
    page of its comments.

    >>> from everlog.records import Comment, Post
    >>> first, second = Comment(id="1", author="Jo", text="Nice."), Comment(id="2", author="Al", text="Hm.")
    >>> held = Post(url="u", text="It rained.", comments=(first,))
    >>> more_of(held, Post(url="u", text="It rained.", comments=(first, second)))
    'comments'
    >>> more_of(held, Post(url="u", text="It rained.", comments=(second,))) is None
    True
    """
    if _is_told(held) and not _is_told(read):
        return "page"
    changes = compare_comments(held.comments, read.comments)
    only_adds = bool(changes.added) and not changes.removed and not changes.edited
    return "comments" if only_adds and is_same_article(held, read, other_template=False) else None


def _is_told(post: Post) -> bool:
    source = post.provenance.get("text")
    return source is not None and source.method in {BY_INTERFACE, BY_FEED_ENTRY}


def is_unsure(post: Post) -> bool:
    """Whether other methods read the article otherwise: the text may be that of something else on the page."""
    source = post.provenance.get("text")
    return source is not None and source.disagrees is not None


def is_truncated(held: Post, read: Post) -> bool:
    """Whether a reading has lost most of the article, or all comments although there are said to be some."""
    comments_lost = bool(held.comments) and not read.comments
    if comments_lost and (read.comment_count_claimed or read.comments_state not in {"none", "complete"}):
        return True
    before, now = words(held.text), words(read.text)
    if len(before) < FEW_WORDS:
        return _is_bare(read) and not _is_bare(held)
    # Something else in the article's place is no edit, however long it is.
    if len(now) >= len(before) and not (is_unsure(read) and not is_unsure(held)):
        return False
    kept = (Counter(before) & Counter(now)).total()
    if kept < LEAST_KEPT * len(before):
        return True
    return kept < LEAST_BEGINNING * len(before) and _same_at_the_beginning(before, now) >= MOSTLY * kept


def is_same_article(old: Post, new: Post, *, other_template: bool) -> bool:
    """Whether two readings are of one article that nobody edited in between; comments are not looked at.

    With `other_template`, what the rules of another template take along or leave out is no edit.

    >>> from everlog.records import Post
    >>> is_same_article(Post(url="u", tags=("a", "b")), Post(url="u", tags=("b", "a")), other_template=False)
    True
    """
    if other_template:
        return _is_alike(old.text, new.text)
    return (
        all(_is_kept(getattr(old, name), getattr(new, name)) for name in _EDITED)
        and not _is_redated(old, new)
        and is_same_text(old.text, new.text)
        and (old.html == new.html or marks_of(old.html) == marks_of(new.html))
    )


def _same_at_the_beginning(old: list[str], new: list[str]) -> int:
    pairs = zip(old, new, strict=False)
    return next((place for place, (one, other) in enumerate(pairs) if one != other), min(len(old), len(new)))


def _is_bare(post: Post) -> bool:
    """Whether a post shows nothing: no words, no pictures."""
    return not words(post.text) and not marks_of(post.html).pictures


def _is_alike(old: str, new: str) -> bool:
    before, now = Counter(words(old)), Counter(words(new))
    total = before.total() + now.total()
    return not total or 2 * (before & now).total() / total >= ALIKE_BY_OTHER_RULES


def _is_kept(old: Any, new: Any) -> bool:
    """Whether readers see the same. What a page does not say any more counts as what it said before."""
    if isinstance(old, tuple):
        return set(map(as_seen, old)) == set(map(as_seen, new or old))
    # Dates may be told more or less exactly, from one day or another.
    is_date = isinstance(old, datetime) or isinstance(new, datetime)
    return is_date or new is None or as_seen(old or "") == as_seen(new)


def _is_redated(old: Post, new: Post) -> bool:
    """Whether the date itself was changed, and not only how exactly, or from which day, it is told."""
    if old.published is None or new.published is None:
        return old.published is None and new.published is not None
    moved = abs((new.published - old.published).total_seconds())
    if moved <= max(_slack(old), _slack(new)):
        return False
    return not any(moved < unit and _is_told_in(old, unit) and _is_told_in(new, unit) for unit in UNITS.values())


def _slack(post: Post) -> int:
    return _SLACK_SECONDS.get(_precision(post), 0)


def _is_told_in(post: Post, unit: int) -> bool:
    """Whether a date may have been told from the day of fetching ("2 weeks ago"): it is some whole units back."""
    if post.fetched is None or post.published is None:
        return False
    if unit < DAY_SECONDS:
        age = (post.fetched - post.published).total_seconds()
        return age > unit // 2 and min(age % unit, unit - age % unit) <= 60
    days = (post.fetched.date() - post.published.date()).days
    return _precision(post) == "day" and days > 0 and days % (unit // DAY_SECONDS) == 0


def _precision(post: Post) -> str:
    source = post.provenance.get("published")
    return (source.precision if source else None) or ""
