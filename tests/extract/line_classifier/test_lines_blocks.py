"""The sliding window and the scores of blocks."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from everlog.extract.extractors.line_classifier.blocks import (
    ENOUGH,
    PHI,
    block_scores,
    blocks_of,
    informative,
    line_scores,
)

DENSE, MENU, LONG_AD = (2, 2, 3, 1, 1), (1, 1, 1, 2, 1), (3, 3, 3, 1, 1)


def marks(text: str) -> np.ndarray:
    return np.array([sign == "#" for sign in text])


@pytest.mark.parametrize("gap", range(PHI))
def test_a_gap_shorter_than_the_window_does_not_end_a_block(gap):
    assert blocks_of(marks("#" + gap * "." + "#")) == [(0, gap + 2)]


def test_a_gap_as_long_as_the_window_ends_it():
    assert blocks_of(marks("#" + PHI * "." + "#")) == [(0, 1), (PHI + 1, PHI + 2)]


def test_a_block_begins_and_ends_with_a_topical_line():
    assert blocks_of(marks("..#.#..........#.")) == [(2, 5), (15, 16)]


def test_no_topical_line_makes_no_block():
    assert blocks_of(marks("....")) == []
    assert blocks_of(marks("")) == []


@given(st.text("#.", max_size=60))
def test_blocks_hold_every_topical_line_and_no_gap_as_long_as_the_window(text):
    blocks = blocks_of(marks(text))
    for start, stop in blocks:
        assert text[start] == text[stop - 1] == "#"
        assert "." * PHI not in text[start:stop]
    outside = "".join("." if any(a <= at < b for a, b in blocks) else sign for at, sign in enumerate(text))
    assert "#" not in outside
    assert all(after - stop >= PHI for (_, stop), (after, _) in pairwise(blocks))


def test_long_dense_lines_score_and_links_and_pictures_cost():
    assert line_scores(np.array([DENSE, MENU, LONG_AD, (2, 2, 3, 3, 1), (2, 2, 3, 1, 3)])).tolist() == [5, 0, 7, 3, 3]


def test_a_long_line_alone_among_menus_scores_less_than_one_among_its_like():
    scores = line_scores(np.array([MENU, LONG_AD, MENU, MENU, *3 * [LONG_AD], MENU]))
    alone, among = block_scores([(1, 2), (4, 7)], scores)
    assert alone == pytest.approx(7 / 3)
    assert among == pytest.approx(21 / 5)


def test_a_block_at_the_edge_of_the_page_has_a_neighbour_that_scores_nothing():
    assert block_scores([(0, 1)], np.array([3.0])) == [1.0]


def test_an_isolated_block_below_the_threshold_is_dropped():
    links = (1, 1, 1, 3, 1)
    levels = np.array([links, DENSE, links, *6 * [links], *5 * [DENSE]])
    promised = np.array([0.0, 90, *7 * [0], *5 * [80]])
    blocks = [(1, 2), (9, 14)]
    assert block_scores(blocks, line_scores(levels))[0] <= ENOUGH
    assert informative(blocks, line_scores(levels), promised) == [(9, 14)]


def test_the_block_with_most_text_stays_whatever_it_scores():
    scores = np.zeros(12)
    promised = np.array([5.0, *10 * [0], 9])
    assert informative([(0, 1), (11, 12)], scores, promised) == [(11, 12)]
    assert informative([(0, 1)], scores, promised) == [(0, 1)]
    assert informative([], scores, promised) == []
