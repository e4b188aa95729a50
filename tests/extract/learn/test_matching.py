from __future__ import annotations

from itertools import combinations, permutations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from everlog.core.matching import heaviest_matching

weights = arrays(
    np.float64, array_shapes(min_dims=2, max_dims=2, max_side=5), elements=st.sampled_from([0.0, 0.2, 0.5, 0.8, 1.0]),
)


def heaviest_by_trying(table: np.ndarray) -> float:
    rows, columns = table.shape
    size = min(rows, columns)
    return max(
        sum(table[row, column] for row, column in zip(some, others, strict=True))
        for some in combinations(range(rows), size)
        for others in permutations(range(columns), size)
    )


@given(weights)
def test_no_other_pairing_weighs_more(table):
    pairs = heaviest_matching(table)
    assert abs(sum(table[pair] for pair in pairs) - heaviest_by_trying(table)) < 1e-9
    assert len({row for row, _ in pairs}) == len({column for _, column in pairs}) == len(pairs)
    assert all(table[pair] > 0 for pair in pairs)


def test_a_page_of_thousands_is_matched_with_a_feed_of_ten():
    table = np.zeros((10, 5000))
    for row in range(10):
        table[row, 7 * row] = 0.9
    assert heaviest_matching(table) == [(row, 7 * row) for row in range(10)]


def test_nothing_is_matched_with_nothing():
    assert heaviest_matching(np.zeros((0, 3))) == []
    assert heaviest_matching(np.zeros((2, 0))) == []
    assert heaviest_matching(np.zeros((2, 2))) == []
