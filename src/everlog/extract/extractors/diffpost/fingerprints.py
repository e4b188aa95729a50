"""Fingerprints of texts, and of stretches of them: with prefix sums each is a difference."""

from __future__ import annotations

from typing import TYPE_CHECKING
from zlib import crc32

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    Places = NDArray[np.int64]
    Prints = NDArray[np.uint64]

# An odd number has an inverse: a stretch of a polynomial can be moved to where it would begin at zero.
_BASE = 0x9E3779B97F4A7C15
_BASES = (_BASE, pow(_BASE, -1, 1 << 64))


def prints_of_texts(texts: Iterable[bytes], lengths: Places) -> Prints:
    """The fingerprint of each text, given how long each is."""
    # The same in every process, unlike `hash`. A page has some 200 pieces, a blog up to 500 that repeat: by the
    # checksum alone one page in 40,000 would lose an element by chance, and lengths must agree too. Whoever forges
    # one hides his own words from his own archive.
    return np.fromiter(map(crc32, texts), np.uint64, len(lengths)) << np.uint64(32) | lengths.astype(np.uint64)


def prints_of_tags(tags: Sequence[str]) -> Prints:
    """What the fingerprint of a stretch gets added for the tag of its element."""
    names = [tag.encode() for tag in tags]
    return prints_of_texts(names, np.array(list(map(len, names)))) * np.uint64(_BASE)


class Stretches:
    """The fingerprints of stretches of texts, given those of the texts."""

    def __init__(self, texts: Prints) -> None:
        powers, self._inverses = _POWERS
        if len(texts) >= len(powers):
            powers, self._inverses = (_powers(base, len(texts) + 1) for base in _BASES)
        self._added = np.zeros(len(texts) + 1, np.uint64)
        (texts * powers[:len(texts)]).cumsum(out=self._added[1:])

    def prints(self, first: Places, last: Places) -> Prints:
        """The fingerprint of each stretch `first:last`."""
        prints: Prints = (self._added[last] - self._added[first]) * self._inverses[first]
        return prints


def _powers(number: int, count: int) -> Prints:
    powers = np.full(count, number, np.uint64)
    powers[0] = 1
    return np.cumprod(powers, dtype=np.uint64)


# For all but the longest pages.
_POWERS = tuple(_powers(base, 8192) for base in _BASES)
