"""Confidence of a post: one figure for lists, from what is known of its fields."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from everlog.records.post import Provenance

# What a post cannot do without: one with wrong tags is still the post, one with another's text is not.
ESSENTIAL = ("title", "published", "text")
# Below this a post is one to look at: 95 of 100 wrong articles are marked with less (benchmarks/wrong_rules.py).
LOW = 0.5


def confidence_of(provenance: Mapping[str, Provenance]) -> float | None:
    """How sure the least sure of a post's title, date and text is, in [0, 1]; None if none of them was measured.

    >>> from everlog.records import Provenance
    >>> confidence_of({"title": Provenance(method="selector", confidence=1.0), "text": Provenance(method="manual")})
    1.0
    """
    return least_of([provenance[name].confidence for name in ESSENTIAL if name in provenance])


def least_of(measured: list[float | None]) -> float | None:
    """The least of these that is known.

    >>> least_of([0.9, None, 0.4]), least_of([None])
    (0.4, None)
    """
    return min([each for each in measured if each is not None], default=None)
