"""Which words of a page stand in the feed's text, in the same order."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from rapidfuzz.distance import LCSseq

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from everlog.core.layout import Ints

# The common subsequence costs n*m/64 steps and n*m/8 bytes: 2e8 is 25 MB and about 90 ms.
MAX_CELLS = 200_000_000
# Matches closer than this belong together; a longer stretch of foreign words parts them.
REACH = 4
# A page says "the" and "of" everywhere: one or two words on their own are chance.
MIN_RUN = 3
# Headings and labels are moved; a repeated paragraph is not ambiguous enough to touch.
LONGEST_MOVE = 20


def align(page: Ints, target: Ints) -> NDArray[np.bool_]:
    """Marks the page's words that the target holds in the same order.

    >>> page = np.array([9, 1, 2, 3, 9, 4, 5, 9, 9, 9, 9, 9, 9, 2], np.int32)
    >>> align(page, np.array([1, 2, 3, 4, 5], np.int32)).astype(int).tolist()
    [0, 1, 1, 1, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0]
    """
    matched = np.zeros(len(page), np.bool_)
    if not len(page) or not len(target):
        return matched
    letters, small_target = np.unique(target, return_inverse=True)
    places = np.searchsorted(letters, page).clip(max=len(letters) - 1)
    shared = np.flatnonzero(letters[places] == page)
    if len(shared) * len(target) > MAX_CELLS:
        matched[shared] = _in_trigrams(page[shared], target)
    elif len(shared):
        matched[shared] = _common(_as_text(places[shared]), _as_text(small_target))
    return without_chance(gathered(page, matched), min(MIN_RUN, len(target)))


def gathered(page: Ints, matched: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Moves matches that stand apart next to their neighbours, where the same words stand there too.

    A table of contents says what the headings say, and one common subsequence is as long as the
    other: the heading that adjoins its text is the better match.

    >>> page = np.array([1, 7, 2, 8, 9, 2, 3, 4], np.int32)
    >>> gathered(page, np.array([1, 0, 1, 0, 0, 0, 1, 1], np.bool_)).astype(int).tolist()
    [1, 0, 0, 0, 0, 1, 1, 1]
    """
    edges = np.flatnonzero(np.diff(np.concatenate(([False], matched, [False])).astype(np.int8)))
    runs = edges.reshape(-1, 2).tolist()
    moved = matched.copy()
    for place in range(len(runs) - 2, -1, -1):
        start, stop = runs[place]
        length, after = stop - start, runs[place + 1][0]
        before = runs[place - 1][1] if place else -1
        stands_apart = length <= LONGEST_MOVE and start > before and after - length >= stop
        if stands_apart and np.array_equal(page[start:stop], page[after - length:after]):
            moved[start:stop] = False
            moved[after - length:after] = True
            runs[place] = [after - length, runs[place + 1][1]]
    return moved


def without_chance(matched: NDArray[np.bool_], least: int = MIN_RUN) -> NDArray[np.bool_]:
    """Drops runs of fewer than `least` marked words that stand alone."""
    hits = np.flatnonzero(matched)
    if not len(hits):
        return matched
    run = np.concatenate(([0], np.cumsum(np.diff(hits) > REACH)))
    kept = np.zeros_like(matched)
    kept[hits[np.bincount(run)[run] >= least]] = True
    return kept


def _as_text(numbers: NDArray[np.intp]) -> str:
    # Strings are compared several times faster than lists of numbers. Surrogates are no characters.
    points = numbers.astype(np.uint32) + 1
    points[points >= 0xD800] += 0x800
    return points.astype("<u4").tobytes().decode("utf-32-le")


def _common(page: str, target: str) -> NDArray[np.bool_]:
    mask = np.zeros(len(page), np.bool_)
    for block in LCSseq.opcodes(page, target):
        if block.tag == "equal":
            mask[block.src_start:block.src_end] = True
    return mask


def _in_trigrams(page: Ints, target: Ints) -> NDArray[np.bool_]:
    """The cheap answer for enormous pages: words within any three that the target holds too."""
    def trigrams(words: Ints) -> NDArray[np.int64]:
        wide = words.astype(np.int64)
        return (wide[:-2] * 1_000_003 + wide[1:-1]) * 1_000_003 + wide[2:]

    mask = np.zeros(len(page), np.bool_)
    if len(page) > 2 and len(target) > 2:
        hits = np.flatnonzero(np.isin(trigrams(page), trigrams(target)))
        for step in range(3):
            mask[hits + step] = True
    return mask
