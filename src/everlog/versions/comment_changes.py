"""Which comments are new, gone or edited between two versions of a post."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from everlog.core.similarity import similarity
from everlog.versions.text_diff import TextChanges, as_seen, compare_texts, units_of

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Sequence
    from datetime import datetime

    from everlog.records import Comment

# Texts of one author as alike as this are one comment, before and after an edit; where ids tell nothing.
ALIKE = 0.5
# Comments of one author that are compared one by one; of busier ones only equal texts are told to be one.
MOST_COMPARED = 30
DAY_SECONDS = 86_400


@dataclass(frozen=True, slots=True, kw_only=True)
class EditedComment:
    """A comment that says something else than before, or is somebody else's."""

    old: Comment
    new: Comment
    text: TextChanges


@dataclass(frozen=True, slots=True, kw_only=True)
class CommentChanges:
    """What became of a post's comments; those that say the same in another order are no change."""

    added: tuple[Comment, ...] = ()
    removed: tuple[Comment, ...] = ()
    edited: tuple[EditedComment, ...] = ()

    @property
    def is_empty(self) -> bool:
        return not (self.added or self.removed or self.edited)


def compare_comments(old: Sequence[Comment], new: Sequence[Comment]) -> CommentChanges:
    """Each comment is looked for among the others: as it is, by its id, by its author, date and likeness.

    >>> from everlog.records import Comment
    >>> before = [Comment(id="1", author="Jo", text="Nice."), Comment(id="2", author="Al", text="Hm.")]
    >>> after = [Comment(id="1", author="Jo", text="Very nice."), Comment(id="3", author="Bo", text="Yes!")]
    >>> changes = compare_comments(before, after)
    >>> [comment.id for comment in changes.added], [comment.id for comment in changes.removed], len(changes.edited)
    (['3'], ['2'], 1)
    """
    left, right = dict(enumerate(old)), dict(enumerate(new))
    # Ids come after what was said: where they are mere numbers in a row, they move on when a comment is taken away.
    pairs = [pair for key in (_said_under_id, _said, _id) for pair in _paired(left, right, key)]
    pairs += _alike(left, right)
    edited = [
        EditedComment(old=one, new=other, text=compare_texts(one.text, other.text))
        for one, other in pairs if _said(one) != _said(other)
    ]
    return CommentChanges(added=tuple(right.values()), removed=tuple(left.values()), edited=tuple(edited))


def _paired(
    old: dict[int, Comment], new: dict[int, Comment], key: Callable[[Comment], Hashable | None],
) -> list[tuple[Comment, Comment]]:
    """Comments with the same key, taken out of both sides; a key of None is nobody's."""
    waiting: defaultdict[Hashable, list[int]] = defaultdict(list)
    for place in reversed(old):
        waiting[key(old[place])].append(place)
    waiting.pop(None, None)
    pairs: list[tuple[Comment, Comment]] = []
    for at in list(new):
        found = waiting.get(key(new[at]))
        if found:
            pairs.append((old.pop(found.pop()), new.pop(at)))
    return pairs


def _said_under_id(comment: Comment) -> Hashable | None:
    return (comment.id, *_said(comment)) if comment.id else None


def _said(comment: Comment) -> tuple[str | None, str]:
    return _name(comment), " ".join(units_of(as_seen(comment.text)))


def _id(comment: Comment) -> str | None:
    return comment.id


def _name(comment: Comment) -> str | None:
    return as_seen(comment.author) if comment.author else None


def _alike(old: dict[int, Comment], new: dict[int, Comment]) -> list[tuple[Comment, Comment]]:
    """Comments of one author and about one time that say about the same, the most alike first."""
    by_author: defaultdict[str | None, list[int]] = defaultdict(list)
    for place, comment in old.items():
        by_author[_name(comment)].append(place)
    likely: list[tuple[float, int, int]] = []
    for at, comment in new.items():
        places = by_author.get(_name(comment), [])
        likely += [
            (-similarity(old[place].text, comment.text), place, at)
            for place in (places if len(places) <= MOST_COMPARED else ())
            if _may_be_one(old[place].published, comment.published)
        ]
    return [
        (old.pop(place), new.pop(at)) for likeness, place, at in sorted(likely)
        if -likeness >= ALIKE and place in old and at in new
    ]


def _may_be_one(one: datetime | None, other: datetime | None) -> bool:
    """Whether two dates may be one comment's: pages tell the day, or how many days ago."""
    return one is None or other is None or abs((one - other).total_seconds()) <= DAY_SECONDS
