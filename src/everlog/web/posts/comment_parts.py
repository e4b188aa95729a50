"""Comments of a post in threads, and threads in parts: a page has one part, however many there are."""

from __future__ import annotations

from dataclasses import dataclass, replace
from hashlib import sha256
from typing import TYPE_CHECKING

from everlog.comments.threads import in_threads

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from markupsafe import Markup

    from everlog.records import Comment

# Comments of one part: longer than anybody reads at once.
PER_PART = 200
# A thread is cut in two only if a part would be longer than this.
LONGEST_PART = 300
# Answers to answers are set in up to here: the text of deeper ones would have no room on a telephone.
DEEPEST = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownComment:
    """A comment with how deep it stands in its thread, and the name by which links lead to it."""

    comment: Comment
    anchor: str
    depth: int
    html: Markup | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Thread:
    """A comment with all answers below it; without the comment itself, the rest of a thread that a part began with."""

    first: ShownComment | None
    answers: tuple[ShownComment, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """Some comments in the order of their threads; `before` and `after` are how many stand in other parts."""

    number: int
    of: int
    comments: tuple[ShownComment, ...]
    before: int = 0
    after: int = 0

    def threads(self, htmls: Sequence[Markup]) -> tuple[Thread, ...]:
        """The threads, each comment with what it says."""
        found: list[tuple[ShownComment | None, list[ShownComment]]] = []
        for comment, html in zip(self.comments, htmls, strict=True):
            shown = replace(comment, html=html)
            if comment.depth == 0:
                found.append((shown, []))
            elif found:
                found[-1][1].append(shown)
            else:
                found.append((None, [shown]))
        return tuple(Thread(first=first, answers=tuple(answers)) for first, answers in found)


def parts_of(comments: Sequence[Comment]) -> tuple[Part, ...]:
    """All comments of a post in parts; at least one, which may be empty.

    >>> from everlog.records import Comment
    >>> [len(part.comments) for part in parts_of([Comment(id=str(number)) for number in range(450)])]
    [200, 200, 50]
    """
    placed = list(_placed(comments))
    groups: list[list[ShownComment]] = [[]]
    for each in placed:
        here = groups[-1]
        if len(here) >= LONGEST_PART or (len(here) >= PER_PART and each.depth == 0):
            groups.append([])
        groups[-1].append(each)
    parts: list[Part] = []
    before = 0
    for number, group in enumerate(groups, 1):
        after = len(placed) - before - len(group)
        parts.append(Part(number=number, of=len(groups), comments=tuple(group), before=before, after=after))
        before += len(group)
    return tuple(parts)


def part_with(parts: Sequence[Part], anchor: str) -> Part | None:
    """The part that a comment stands in; None: there is no such comment."""
    return next((part for part in parts if any(each.anchor == anchor for each in part.comments)), None)


def anchor_of(comment_id: str | None, position: int) -> str:
    """The name by which a link leads to a comment: of its id, whatever letters that has, or else of its place.

    >>> anchor_of("17", 3), anchor_of(None, 3)
    ('c-4523540f15', 'comment-4')
    """
    if not comment_id:
        return f"comment-{position + 1}"
    return f"c-{sha256(comment_id.encode('utf-8', 'replace')).hexdigest()[:10]}"


def _placed(comments: Sequence[Comment]) -> Iterator[ShownComment]:
    taken: set[str] = set()
    for place, (comment, depth) in enumerate(in_threads(comments)):
        anchor = anchor_of(comment.id, place)
        if anchor in taken:
            anchor = anchor_of(None, place)
        taken.add(anchor)
        yield ShownComment(comment=comment, anchor=anchor, depth=min(depth, DEEPEST))
