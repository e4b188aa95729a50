"""Pairing what a feed says with what a page shows, so that all pairs together are as alike as can be."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


def heaviest_matching(weights: NDArray[np.float64]) -> list[tuple[int, int]]:
    """The pairs (row, column) of largest total weight, no row and no column twice; pairs of weight 0 are none.

    >>> heaviest_matching(np.array([[0.9, 0.8], [0.8, 0.1]]))
    [(0, 1), (1, 0)]
    """
    if not weights.size:
        return []
    if weights.shape[0] > weights.shape[1]:
        return sorted((row, column) for column, row in heaviest_matching(weights.T))
    columns = _columns_that_matter(weights)
    from lap import lapjvc  # noqa: PLC0415 - only learning needs it, and most runs learn nothing

    _, rows, places = lapjvc(-weights[:, columns])
    pairs = ((int(row), int(columns[place])) for row, place in zip(rows, places, strict=True))
    return [(row, column) for row, column in pairs if weights[row, column] > 0]


def _columns_that_matter(weights: NDArray[np.float64]) -> NDArray[np.int64]:
    """With n rows, only the n best columns of each row can be in a heaviest matching.

    A row paired with a worse one could be paired with one of these instead: the other rows take at
    most n - 1 of them. This makes a page of 5,000 comments as cheap as its feed of ten.
    """
    count, width = weights.shape
    if width <= count:
        return np.arange(width)
    best = np.argpartition(-weights, count - 1, axis=1)[:, :count]
    return np.unique(best)
