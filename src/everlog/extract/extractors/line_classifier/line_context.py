"""What the lines around a line say of it: those before and after, and those in the elements that hold it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from everlog.extract.extractors.line_classifier.page_lines import Floats, Lines

# Lines to each side, and lines before or after: within a paragraph, a passage, an article.
_AROUND = (2, 8)
_ASIDE = (3, 12)
_LEVELS_UP = 4
# A long line says more than a short one, but not more than a long paragraph.
_MOST_WEIGHT, _LEAST_WEIGHT = 400, 5

CONTEXT = (
    "odds", "chance", *(f"{what} within {reach}" for reach in _AROUND for what in ("chance", "lines")),
    *(f"chance {where} {reach}" for reach in _ASIDE for where in ("before", "after")), "share before", "share after",
    "in the best element", *(f"{what} {step} up" for step in range(_LEVELS_UP) for what in ("chance", "share")),
)
"""The columns of `surrounded`."""


def surrounded(lines: Lines, odds: Floats) -> Floats:
    """Lines x CONTEXT, from the odds (their logarithm) that each line by itself has of being topical."""
    count = len(lines)
    rows = np.empty((len(CONTEXT), count))
    rows[0] = odds
    rows[1] = chance = 1 / (1 + np.exp(-np.clip(odds, -30, 30)))
    weight = np.minimum(lines.shown, _MOST_WEIGHT) + _LEAST_WEIGHT
    sums = np.zeros((3, count + 1))
    np.cumsum((chance * weight, weight, chance), axis=1, out=sums[:, 1:])
    here = np.arange(count)
    at = 2
    for reach in _AROUND:
        start, stop = np.maximum(here - reach, 0), np.minimum(here + reach + 1, count)
        good, whole, plain = sums[:, stop] - sums[:, start]
        rows[at], rows[at + 1] = good / whole, plain / (stop - start)
        at += 2
    for reach in _ASIDE:
        good, whole, _ = sums[:, :-1] - sums[:, np.maximum(here - reach, 0)]
        rows[at] = good / np.maximum(whole, 1)
        good, whole, _ = sums[:, np.minimum(here + reach + 1, count)] - sums[:, 1:]
        rows[at + 1] = good / np.maximum(whole, 1)
        at += 2
    total = sums[0, -1]
    rows[at] = sums[0, :-1] / total
    rows[at + 1] = 1 - sums[0, 1:] / total
    _held(lines, sums, rows[at + 2:])
    return rows.T


def _held(lines: Lines, sums: Floats, rows: Floats) -> None:
    """What the elements around each line hold."""
    good, whole, _ = sums[:, lines.stop] - sums[:, lines.start]
    # The element with the most topical text over other text; of equals the innermost.
    gain = good - whole / 2
    best = len(gain) - 1 - int(np.argmax(gain[::-1]))
    rows[0] = 0
    rows[0, lines.start[best]:lines.stop[best]] = 1
    purity, share = good / np.maximum(whole, 1), good / sums[0, -1]
    element = lines.holder
    for at in range(1, 2 * _LEVELS_UP, 2):
        rows[at], rows[at + 1] = purity[element], share[element]
        element = lines.above[element]
