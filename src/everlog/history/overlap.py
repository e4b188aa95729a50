"""Overlap of the pages of a numbered list that shifts while it is walked.

A list that is asked for from its n-th item on, the newest first, shifts by one with every post that is published or
deleted meanwhile. What is published shows twice, and nothing is lost; what is deleted hides one that was never seen.
So each page begins with the last item of the one before it: where that is missing, the page before is asked for again
(`fit_page`). Lists that have numbered pages, or a link to the next one, let nobody choose where a page begins: of these
the first page is asked for once more at the end. If it lost an item, all are walked again (`turn_page`); a deletion
further down cannot be seen, and is rare: what is deleted soon after a crawler came is most often new.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

# Each time a whole page back: further than any blog deletes between two requests.
MOST_STEPS_BACK = 3
# A list from which items are deleted during every walk is not walked for ever.
MOST_ROUNDS = 3

# What `fit_page` keeps in a place; the rest of it is its caller's.
POSITION = frozenset({"at", "last", "back", "gap", "apart"})

REPEATS = "the next page of the list repeats an earlier one"
RESTLESS = "posts are deleted faster than the list can be walked"


@dataclass(frozen=True, slots=True, kw_only=True)
class Fit:
    """How a page fits to the one before it: which of its items are new, and where to go on.

    `is_lost` says that the page before has to be asked for again, `is_repeated` that the list does not go on.
    """

    fresh: tuple[int, ...] = ()
    next_place: dict[str, Any] | None = None
    is_end: bool = False
    is_lost: bool = False
    is_repeated: bool = False


def fit_page(place: Mapping[str, Any], ids: Sequence[str], *, first: int = 0, has_more: bool | None = None) -> Fit:
    """How the items with these ids, asked for at `place["at"]`, continue those of the page before it.

    `first` is the number of the list's first item; `has_more` what the answer says of items behind it, None where it
    does not say. Whatever else a place holds is kept.

    >>> one = fit_page({"at": 0}, ["e", "d", "c"])
    >>> one.fresh, one.next_place["at"]
    ((0, 1, 2), 2)
    >>> fit_page(one.next_place, ["c", "b", "a"], has_more=False).fresh
    (1, 2)
    >>> deleted = fit_page(one.next_place, ["b", "a"])
    >>> deleted.is_lost, deleted.next_place["at"]
    (True, 0)
    """
    at = _whole(place.get("at"), first)
    last = _names(place.get("last"))
    fresh = _unknown(ids, last)
    has_gap, is_apart = bool(place.get("gap")), bool(place.get("apart"))
    if last and len(fresh) == len(ids) and not is_apart:
        steps = _whole(place.get("back"), 0)
        if steps < MOST_STEPS_BACK and at > first:
            back = {**place, "at": max(first, at - max(len(last) - 1, 1)), "back": steps + 1}
            return Fit(next_place=back, is_lost=True)
        has_gap = True
    if has_more is False or not ids or (len(ids) == 1 and not fresh and not is_apart):
        return Fit(fresh=fresh, is_end=not has_gap)
    if not fresh:
        return Fit(is_repeated=True)
    # Pages of one item cannot overlap, or the walk would stay where it is.
    overlap = 1 if len(ids) > 1 else 0
    following = {**place, "at": at + len(ids) - overlap, "last": list(ids), "back": 0, "gap": has_gap}
    return Fit(fresh=fresh, next_place={**following, "apart": not overlap})


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """What a page means for the walk along a list of pages: which of its items are new, what to keep for the next one.

    `is_over` says that the walk ends here: with a `problem`, or because the first page is still as it was.
    """

    fresh: tuple[int, ...] = ()
    kept: Mapping[str, Any] = field(default_factory=dict)
    is_over: bool = False
    problem: str | None = None


def turn_page(place: Mapping[str, Any], ids: Sequence[str]) -> Turn:
    """What the items with these ids mean, asked for as the first page, a later one, or the first one to check it.

    `place["kind"]` is "first", "check" or any other word; the rest of a place is what the page before it kept.

    >>> one = turn_page({"kind": "first"}, ["d", "c"])
    >>> two = turn_page({"kind": "page", **one.kept}, ["c", "b"])
    >>> two.fresh
    (1,)
    >>> check = {"kind": "check", **two.kept}
    >>> turn_page(check, ["e", "d"]).is_over, turn_page(check, ["c", "b"]).is_over
    (True, False)
    """
    begin, rounds = _names(place.get("begin")), _whole(place.get("round"), 0)
    if place.get("kind") == "check":
        if not is_shifted(begin, ids):
            return Turn(fresh=_unknown(ids, begin), is_over=True)
        rounds += 1
        if rounds >= MOST_ROUNDS:
            return Turn(fresh=tuple(range(len(ids))), is_over=True, problem=RESTLESS)
    if place.get("kind") in {"first", "check"}:
        return Turn(fresh=tuple(range(len(ids))), kept={"begin": list(ids), "last": list(ids), "round": rounds})
    fresh = _unknown(ids, _names(place.get("last")))
    if ids and (not fresh or list(ids) == begin):
        return Turn(is_over=True, problem=REPEATS)
    return Turn(fresh=fresh, kept={"begin": begin, "last": list(ids), "round": rounds})


def is_shifted(before: Sequence[str], after: Sequence[str]) -> bool:
    """Whether the first page of a list lost an item other than over its end: then later pages moved up by one.

    >>> is_shifted(["d", "c", "b"], ["e", "d", "c"]), is_shifted(["d", "c", "b"], ["d", "b", "a"])
    (False, True)
    """
    if not before:
        return False
    if before[0] not in after:
        return True
    since = list(after[after.index(before[0]):])
    return since[: len(before)] != list(before[: len(since)])


def _unknown(ids: Sequence[str], known: Sequence[str]) -> tuple[int, ...]:
    names = set(known)
    return tuple(number for number, name in enumerate(ids) if name not in names)


def _names(value: object) -> list[str]:
    return [name for name in value if isinstance(name, str)] if isinstance(value, list) else []


def _whole(value: object, otherwise: int) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= otherwise else otherwise
