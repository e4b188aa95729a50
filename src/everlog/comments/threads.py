"""Who answers whom: comments of a page in their order, with ids that are unique and parents that exist."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import lru_cache
from hashlib import sha256
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Sequence

    from everlog.records import Comment

# "comment-12", "li-comment-12", "c12", "#comment-12", "post-3-comment-12": the number is the comment's.
# "a3f9e12" is one name.
_NUMBERED = re.compile(r"(?:[^\d]*|.*[^a-z\d](?:comment|reply|c)[-_]?)(\d+)", re.IGNORECASE | re.DOTALL)


@lru_cache(maxsize=1024)
def short_id(written: str | None) -> str | None:
    """An id as the site writes it, its number alone where it has one.

    >>> short_id("li-comment-012"), short_id("#c7"), short_id("a3f9e12"), short_id(" ")
    ('012', '7', 'a3f9e12', None)
    """
    name = (written or "").strip().rpartition("#")[2] or (written or "").strip()
    match = _NUMBERED.fullmatch(name)
    return match[1] if match else name or None


def by_depth(depths: Sequence[int]) -> list[int | None]:
    """The place of the comment that each answers, from how deep each stands.

    >>> by_depth([1, 2, 3, 2, 1])
    [None, 0, 1, 0, None]
    """
    parents: list[int | None] = []
    open_places: list[tuple[int, int]] = []
    for place, depth in enumerate(depths):
        while open_places and open_places[-1][0] >= depth:
            open_places.pop()
        parents.append(open_places[-1][1] if open_places else None)
        open_places.append((depth, place))
    return parents


def threaded(
    comments: Sequence[Comment], parents: Sequence[int | None], stated: Sequence[str | None]
) -> tuple[Comment, ...]:
    """The comments with unique ids, each with the id of the one it answers.

    `parents` are places in the list, from how the page nests its comments; `stated` are the ids that the
    page says are answered, which go before. A comment that is answered gets an id where it has none.
    """
    ids = _unique([comment.id for comment in comments])
    known = {ident: place for place, ident in enumerate(ids) if ident is not None}
    answered = without_circles([
        known[ident] if ident is not None and ident in known else parent
        for ident, parent in zip(stated, parents, strict=True)
    ])
    alike: dict[str, int] = {}
    for parent in answered:
        if parent is not None and ids[parent] is None:
            ids[parent] = made = _made_id(comments[parent], known, alike)
            known[made] = parent
    return tuple(
        placed(comment, ident, None if parent is None else ids[parent])
        for comment, ident, parent in zip(comments, ids, answered, strict=True)
    )


def placed(comment: Comment, ident: str | None, parent: str | None) -> Comment:
    """A comment with this id, below the one with that."""
    # Most are as they were, and a copy of a frozen record costs as much as the rest of its thread.
    is_same = comment.id == ident and comment.parent == parent
    return comment if is_same else replace(comment, id=ident, parent=parent)


def depths(comments: Sequence[Comment]) -> list[int]:
    """How deep each comment stands in its thread, from 0; its parent may stand before or behind it.

    >>> from everlog.records import Comment
    >>> depths([Comment(id="2", parent="1"), Comment(id="1"), Comment(id="3", parent="2"), Comment(parent="gone")])
    [1, 0, 2, 0]
    """
    above = {comment.id: comment.parent for comment in comments if comment.id is not None}
    known: dict[str, int] = {}
    found = []
    for comment in comments:
        chain: dict[str, None] = {}
        at = comment.parent
        while at is not None and at in above and at not in known and at not in chain:
            chain[at] = None
            at = above[at]
        depth = known.get(at or "", -1)
        for link in reversed(chain):
            depth += 1
            known[link] = depth
        found.append(known.get(comment.parent or "", -1) + 1)
    return found


def in_threads(comments: Sequence[Comment]) -> list[tuple[Comment, int]]:
    """The comments with how deep each stands, every answer below what it answers, wherever the page had it.

    >>> from everlog.records import Comment
    >>> thread = [Comment(id="1"), Comment(id="2"), Comment(id="3", parent="1"), Comment(id="4", parent="3")]
    >>> [(comment.id, depth) for comment, depth in in_threads(thread)]
    [('1', 0), ('3', 1), ('4', 2), ('2', 0)]
    """
    places = {comment.id: place for place, comment in reversed(list(enumerate(comments))) if comment.id is not None}
    parents = without_circles([
        places.get(comment.parent) if comment.parent is not None else None for comment in comments
    ])
    answers: dict[int | None, list[int]] = {}
    for place, parent in enumerate(parents):
        answers.setdefault(parent, []).append(place)
    found: list[tuple[Comment, int]] = []
    waiting = [(place, 0) for place in reversed(answers.get(None, ()))]
    while waiting:
        place, depth = waiting.pop()
        found.append((comments[place], depth))
        waiting += ((answer, depth + 1) for answer in reversed(answers.get(place, ())))
    return found


def only(comments: Iterable[Comment], keep: Callable[[Comment], bool]) -> tuple[Comment, ...]:
    """Those comments that are kept; an answer to one that is not answers nothing.

    >>> from everlog.records import Comment
    >>> thread = [Comment(id="1", text="no"), Comment(id="2", parent="1", text="yes")]
    >>> [(comment.id, comment.parent) for comment in only(thread, lambda comment: comment.text == "yes")]
    [('2', None)]
    """
    kept = tuple(filter(keep, comments))
    known = {comment.id for comment in kept}
    return tuple(
        comment if comment.parent is None or comment.parent in known else replace(comment, parent=None)
        for comment in kept
    )


def _unique(ids: Sequence[str | None]) -> list[str | None]:
    """A second comment with the same id has none: nothing says which is meant."""
    seen: set[str | None] = set()
    unique: list[str | None] = []
    for ident in ids:
        unique.append(None if ident in seen else ident)
        seen.add(ident)
    return unique


def without_circles(parents: Sequence[int | None]) -> list[int | None]:
    """Parents in which no comment answers itself, however long the way round."""
    checked = list(parents)
    if all(parent is None for parent in checked):
        return checked
    safe: set[int] = set()
    for place in range(len(checked)):
        way: list[int] = []
        on_way: set[int] = set()
        at: int | None = place
        while at is not None and at not in safe:
            way.append(at)
            on_way.add(at)
            above = checked[at]
            if above in on_way:
                checked[at] = above = None
            at = above
        safe.update(way)
    return checked


def _made_id(comment: Comment, known: Container[str], alike: dict[str, int]) -> str:
    """A name made of what a comment says; `alike` counts those that say the same, of which a page may be full."""
    told = "\n".join((comment.author or "", str(comment.published), comment.text))
    made = "x" + sha256(told.encode("utf-8", "replace")).hexdigest()[:12]
    more = alike.get(made, 0)
    while (name := f"{made}x{more}" if more > 3 else made + "x" * more) in known:
        more += 1
    alike[made] = more
    return name
