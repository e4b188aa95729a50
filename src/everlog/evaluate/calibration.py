"""Whether a confidence means what it says: of posts marked 0.9, nine in ten should be right."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

BINS = 10


@dataclass(frozen=True, slots=True)
class Bin:
    """Posts of nearly the same confidence: how many, how sure on the average, and what share was right."""

    posts: int
    confidence: float
    right: float


def calibration_bins(readings: Sequence[tuple[float, bool]], bins: int = BINS) -> list[Bin]:
    """Readings as (confidence, right), in bins of equal mass, the least sure first.

    >>> calibration_bins([(0.5, True), (0.5, False), (0.9, True), (0.9, True)], bins=2)
    [Bin(posts=2, confidence=0.5, right=0.5), Bin(posts=2, confidence=0.9, right=1.0)]
    """
    ordered = sorted(readings, key=lambda reading: reading[0])
    # Readings of one confidence stand in any order: each counts as the mean of them all.
    means: dict[float, list[bool]] = {}
    for confidence, right in ordered:
        means.setdefault(confidence, []).append(right)
    made = []
    for number in range(bins):
        part = ordered[number * len(ordered) // bins:(number + 1) * len(ordered) // bins]
        if part:
            sure = sum(confidence for confidence, _ in part) / len(part)
            share = sum(sum(means[confidence]) / len(means[confidence]) for confidence, _ in part) / len(part)
            made.append(Bin(len(part), sure, share))
    return made


def calibration_error(readings: Sequence[tuple[float, bool]], bins: int = BINS) -> float | None:
    """The expected calibration error: the mean distance between confidence and truth, in [0, 1].

    >>> calibration_error([(1.0, True), (1.0, False)])
    0.5
    """
    made = calibration_bins(readings, bins)
    total = sum(one.posts for one in made)
    return sum(one.posts * abs(one.confidence - one.right) for one in made) / total if total else None
