"""What is known of a line by itself: the paper's five features, their levels, and what blogs taught us to add."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from everlog.extract.extractors.line_classifier.characters import CHARACTER, COMMA, DIGIT, SIGN, STOP
from everlog.extract.extractors.line_classifier.line_markup import SURROUNDINGS

if TYPE_CHECKING:
    from everlog.extract.extractors.line_classifier.page_lines import Floats, Ints, Lines

FIVE = ("source", "shown", "density", "links", "images")
"""|T|, |O|, |D|, |L|, |I|"""
LOW, MIDDLE, HIGH = 1, 2, 3
# The paper's alpha: topical lines and the others weigh the same.
ALPHA = 0.5

# Steps in the length of a line that a linear model cannot make by itself: a word, a label, a short and a long
# sentence, a paragraph.
_LENGTHS = np.array([10, 25, 60, 120, 250])[:, None]
# More than so many links, commas or stops say nothing more.
_MANY = 5
_SHARES = (DIGIT, SIGN, CHARACTER)
_OUTER = 2  # the surroundings that are no feature of their own: invisible (never there), link (a share)

NAMES = (
    *(f"{feature} {level}" for level in ("middle", "high") for feature in FIVE),
    "shown", "source", *(f"shown > {length}" for length in _LENGTHS.ravel()), "density", "images",
    "links", "commas", "stops", "any link", "any comma", "any stop",
    "digits", "signs", "characters", "linked", "mostly linked", "all linked", "of the longest",
    "share of the text", "a quarter of the text", "half of the text",
    "place", "number", "place from the middle", "number from the middle", "at the start", "at the end",
    *(f"in {name}" for name in SURROUNDINGS[_OUTER:]),
)
"""The columns of `described`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Levels:
    """Where Low, Middle and High of the five features begin: F.MIN, F.MEAN and F.MAX of the training lines.

    >>> levels = Levels(least=(0.0,), mean=(4.0,), most=(12.0,))
    >>> levels.of(np.array([[1.0], [2.9], [3.1], [5.9], [6.1], [100.0]])).ravel().tolist()
    [1, 1, 2, 2, 3, 3]
    """

    least: tuple[float, ...]
    mean: tuple[float, ...]
    most: tuple[float, ...]

    @classmethod
    def learned(cls, topical: Floats, others: Floats) -> Levels:
        """The bounds that lines of known kind give, a row of the five features each.

        >>> Levels.learned(np.array([[2.0], [6.0]]), np.array([[0.0], [4.0]]))
        Levels(least=(1.0,), mean=(3.0,), most=(5.0,))
        """
        least, mean, most = (
            tuple((ALPHA * of(topical, axis=0) + (1 - ALPHA) * of(others, axis=0)).tolist())
            for of in (np.min, np.mean, np.max)
        )
        return cls(least=least, mean=mean, most=most)

    def of(self, five: Floats) -> Ints:
        """The level of each value: the one of which it is a member most.

        Low is full up to the cut point between F.MIN and F.MEAN and falls to nothing at F.MEAN, where
        Middle is full; High rises from there to the cut point between F.MEAN and F.MAX. So the larger of
        two memberships changes half way between a cut point and the mean.
        """
        lower, upper = _turns(self)
        levels: Ints = LOW + (five > lower).astype(np.int64) + (five > upper)
        return levels


@cache
def _turns(levels: Levels) -> tuple[Floats, Floats]:
    """Where Low ends, and where High begins."""
    least, mean, most = (np.array(values) for values in (levels.least, levels.mean, levels.most))
    low, high = (least + mean) / 2, (mean + most) / 2
    return (low + mean) / 2, (mean + high) / 2


def five_of(lines: Lines) -> Floats:
    """Lines x the paper's five features."""
    density = lines.shown / np.maximum(lines.source, 1)
    return np.stack((lines.source, lines.shown, density, lines.links, lines.images), axis=1)


def described(lines: Lines, levels: Levels) -> Floats:
    """Lines x NAMES; there must be lines."""
    count, shown = len(lines), lines.shown
    five = five_of(lines)
    level = levels.of(five).T
    rows = np.empty((len(NAMES), count))
    rows[0:5] = level >= MIDDLE
    rows[5:10] = level >= HIGH
    rows[10:12] = np.log1p(five.T[1::-1])
    rows[12:17] = shown > _LENGTHS
    rows[17] = five[:, 2]
    rows[18] = np.minimum(lines.images, 2)
    rows[19] = lines.links
    rows[20:22] = lines.kinds.T[COMMA:STOP + 1]
    rows[22:25] = rows[19:22] > 0
    rows[19:22] = np.minimum(rows[19:22], _MANY) / _MANY
    rows[25:28] = lines.kinds.T[_SHARES, :]
    rows[28] = lines.linked
    rows[25:29] /= shown
    rows[29] = rows[28] > 0.5
    rows[30] = rows[28] > 0.99
    rows[31] = shown / shown.max()
    # Shares and places among what is no link: a longer menu moves nothing.
    rows[35] = shown - lines.linked
    rows[36] = rows[28] <= 0.99
    sums = np.cumsum(rows[35:37], axis=1)
    whole = np.maximum(sums[:, -1:], 1)
    rows[32] = rows[35] / whole[0]
    rows[33] = rows[32] > 0.25
    rows[34] = rows[32] > 0.5
    rows[35:37] = (sums - rows[35:37] / 2) / whole
    rows[37:39] = (rows[35:37] - 0.5) ** 2
    rows[39] = rows[35] < 0.02
    rows[40] = rows[35] > 0.97
    rows[41:] = lines.inside.T[_OUTER:]
    return rows.T
