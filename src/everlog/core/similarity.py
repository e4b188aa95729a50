"""How alike two texts are, and how alike a text is to every element of a page.

The measure is the Sørensen-Dice coefficient over sets of character bigrams. It forgives another order
of the words and a longer text, which an edit distance does not; feeds shorten and rearrange. Table 1
of the BlogForever paper, with its Levenshtein column (insertions and deletions cost 1, a substitution
2, over the sum of the lengths; the paper cut 61.5 to 61 and rounded 30.8 to 31):

>>> from rapidfuzz.distance import Indel
>>> for a, b in [
...     ("Scheme Scala", "Scala Scheme"),
...     ("Rachid", "Richard"),
...     ("Rachid", "Amy, Rachid and all their friends"),
... ]:
...     print(f"{similarity(a, b):.0%} {Indel.normalized_similarity(a, b):.1%}")
90% 50.0%
18% 61.5%
29% 30.8%

The text of an element is its segments (see `outline`); whitespace inside a segment is collapsed, that at
its ends dropped, and bigrams never cross from one segment into the next.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from everlog.core.outline import Outline

    Integers = NDArray[np.int64]
    Floats = NDArray[np.float64]


def similarity(a: str, b: str) -> float:
    """The Dice coefficient of two texts: twice the shared bigrams over all, in [0, 1].

    >>> similarity("night", "nacht"), similarity("", "")
    (0.25, 0.0)
    """
    left, right = bigram_set(a), bigram_set(b)
    total = len(left) + len(right)
    return 2 * len(left & right) / total if total else 0.0


def bigram_set(text: str) -> frozenset[tuple[str, str]]:
    """The bigrams themselves."""
    text = collapse(text)
    return frozenset(pairwise(text))


def collapse(text: str) -> str:
    """Runs of whitespace become one space, those at the ends none."""
    return " ".join(text.split())


class NodeBigrams:
    """The bigrams of a page, counted once; any number of texts can then be scored against its nodes.

    No set is ever built. Each bigram gives +1 to every segment that has it, and -1 to the lowest common
    ancestor of each two segments that follow one another in its list; summed over a subtree, that is 1
    if the bigram occurs there and 0 if not. Sizes of all sets are then sums over intervals.

    Measured on 14 corpus pages of 30-270 kB (six of them Chinese, Japanese or Korean), as multiples of the
    time lxml takes to parse the page, one target, median and worst: this 1.4 and 3.0; int bitsets joined
    bottom-up with a cache per segment 3.1 and 12; sets joined small to large 4.7 and 13. The worst is always
    the same page, nothing but Chinese text, which lxml parses in half a millisecond. Five targets 2.1 and
    6.7. The size of the script's alphabet does not matter: none is kept.
    """

    def __init__(self, outline: Outline) -> None:
        self.outline = outline
        pairs, slots = _pairs_and_slots(_codes("\0".join(outline.segments)))
        pairs, slots = _distinct(pairs, slots)
        follows = pairs[1:] == pairs[:-1]
        first = np.ones(len(pairs), dtype=bool)
        first[1:] = ~follows
        self._bigrams = pairs[first]
        self._homes = outline.home[slots]
        self._home_bigram = np.cumsum(first) - 1
        self._meetings = _lowest(outline.home, slots[:-1][follows], slots[1:][follows])
        self._meeting_bigram = self._home_bigram[1:][follows]
        self.sizes = self._subtree_sums(self._homes, self._meetings)
        """The number of different bigrams in each node."""

    def score(self, targets: Sequence[str]) -> Floats:
        """The Dice coefficients: one row per target, one column per node."""
        values = np.zeros((len(targets), len(self.sizes)))
        for row, target in enumerate(targets):
            wanted = _distinct_pairs(target)
            values[row] = 2 * self._shared(wanted) / np.maximum(self.sizes + len(wanted), 1)
        return values

    def _shared(self, wanted: Integers) -> Integers:
        """How many of the wanted bigrams each node has."""
        if not len(wanted):
            return np.zeros_like(self.sizes)
        nearest = np.searchsorted(wanted, self._bigrams)
        hit = wanted[np.minimum(nearest, len(wanted) - 1)] == self._bigrams
        return self._subtree_sums(
            self._homes[hit[self._home_bigram]], self._meetings[hit[self._meeting_bigram]])

    def _subtree_sums(self, homes: Integers, meetings: Integers) -> Integers:
        count = len(self.outline.elements)
        own = np.bincount(homes, minlength=count) - np.bincount(meetings, minlength=count)
        before = np.concatenate((np.zeros(1, dtype=np.int64), np.cumsum(own)))
        return np.asarray(before[self.outline.end] - before[:-1])


def _codes(joined: str) -> Integers:
    """The characters of NUL-separated segments as numbers, whitespace collapsed within each."""
    text = collapse(joined).replace(" \0", "\0").replace("\0 ", "\0")
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32).astype(np.int64)


def _pairs_and_slots(codes: Integers) -> tuple[Integers, Integers]:
    """Each bigram occurrence as one number, and the segment it is in."""
    gap = codes == 0
    inside = ~(gap[:-1] | gap[1:])
    pairs = codes[:-1] << _CODE_BITS | codes[1:]
    return pairs[inside], np.cumsum(gap)[:-1][inside]


_CODE_BITS = 21  # the highest code point is 0x10FFFF


def _distinct(pairs: Integers, slots: Integers) -> tuple[Integers, Integers]:
    """Sorted by bigram, then segment, each combination once."""
    if slots.max(initial=0) < 1 << 63 - 2 * _CODE_BITS:
        # Sorting one packed number is ten times as fast as sorting by two keys.
        bits = 63 - 2 * _CODE_BITS
        packed = _sorted_once(pairs << bits | slots)
        return packed >> bits, packed & (1 << bits) - 1
    order = np.lexsort((slots, pairs))
    pairs, slots = pairs[order], slots[order]
    fresh = np.ones(len(pairs), dtype=bool)
    fresh[1:] = (pairs[1:] != pairs[:-1]) | (slots[1:] != slots[:-1])
    return pairs[fresh], slots[fresh]


def _distinct_pairs(text: str) -> Integers:
    return _sorted_once(_pairs_and_slots(_codes(text.replace("\0", " ")))[0])


def _sorted_once(values: Integers) -> Integers:
    # numpy.unique hashes, which takes ten times as long as sorting does here.
    values = np.sort(values)
    fresh = np.ones(len(values), dtype=bool)
    fresh[1:] = values[1:] != values[:-1]
    once: Integers = values[fresh]
    return once


def _lowest(home: Integers, left: Integers, right: Integers) -> Integers:
    """The lowest common ancestor of the homes of two segments, left before right.

    Going through the segments from left to right walks along the tree and passes through the common
    ancestor, which comes before all others there in document order: a minimum over a range, answered
    by two overlapping ranges whose length is a power of two.
    """
    level = np.frexp(right - left + 1)[1] - 1
    rows = [home]
    for width in (1 << row for row in range(int(level.max(initial=0)))):
        last = rows[-1]
        rows.append(np.concatenate((np.minimum(last[:-width], last[width:]), last[-width:])))
    table = np.stack(rows)
    lowest: Integers = np.minimum(table[level, left], table[level, right + 1 - (1 << level)])
    return lowest
