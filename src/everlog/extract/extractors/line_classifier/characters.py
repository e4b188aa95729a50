"""Characters by their kind, looked up for a whole page at once."""

from __future__ import annotations

import re
import sys
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from everlog.core.words import UNSPACED

if TYPE_CHECKING:
    from numpy.typing import NDArray

BLANK, LETTER, DIGIT, COMMA, STOP, SIGN, CHARACTER = range(7)
"""A CHARACTER is one of a script without spaces: a syllable or a word."""
KINDS = 8
"""Room for the kinds, a power of two."""

_PLANE = 0x10000
# Where rare Chinese characters are; what else lies beyond the first plane is mostly pictures.
_RARE = slice(0x20000, 0x40000)
# Later ones overrule earlier ones. Zero-width signs show nothing.
_PATTERNS = (
    (r"[^\W\d_]+", LETTER), (r"\d+", DIGIT), (rf"[{UNSPACED}]+", CHARACTER), (r"[,;:،、，；：]", COMMA),
    (r"[.!?…。！？।؟]", STOP), (r"[\s\u200b-\u200f\u00ad\ufeff]+", BLANK),
)


def kinds_of(text: str) -> NDArray[np.uint8]:
    """The kind of every character.

    >>> kinds_of("a 1, 世.").tolist() == [LETTER, BLANK, DIGIT, COMMA, BLANK, CHARACTER, STOP]
    True
    """
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), "<u4")
    kinds: NDArray[np.uint8] = _table()[codes]
    return kinds


@cache
def _table() -> NDArray[np.uint8]:
    characters = "".join(map(chr, range(_PLANE)))
    table = np.full(sys.maxunicode + 1, SIGN, np.uint8)
    table[_RARE] = CHARACTER
    for pattern, kind in _PATTERNS:
        for run in re.finditer(pattern, characters):
            table[run.start():run.end()] = kind
    return table
