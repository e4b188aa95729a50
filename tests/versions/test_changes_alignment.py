"""What two sequences share."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from everlog.versions.sequence_alignment import shared_runs

UNITS = st.lists(st.sampled_from("abcdefgh"), max_size=40)


def shared_text(old, runs):
    return [unit for run in runs for unit in old[run.old:run.old + run.length]]


@given(UNITS, UNITS)
def test_runs_are_equal_parts_in_the_order_of_both(old, new):
    runs = shared_runs(old, new)
    for run in runs:
        assert run.length > 0
        assert old[run.old:run.old + run.length] == new[run.new:run.new + run.length]
    for before, run in pairwise(runs):
        assert before.old + before.length <= run.old
        assert before.new + before.length <= run.new


@given(UNITS, UNITS)
def test_what_is_shared_is_as_long_as_it_can_be(old, new):
    longest = [[0] * (len(new) + 1) for _ in range(len(old) + 1)]
    for i, left in enumerate(old):
        for j, right in enumerate(new):
            longest[i + 1][j + 1] = longest[i][j] + 1 if left == right else max(longest[i][j + 1], longest[i + 1][j])
    assert len(shared_text(old, shared_runs(old, new))) == longest[-1][-1]


def test_a_long_middle_is_parted_at_what_stands_once():
    old = list("xxaxxbxxcxx")
    new = list("yyaxxbyycyx")
    assert "".join(shared_text(old, shared_runs(old, new, most_cells=4))) == "axxbcx"


def test_a_long_middle_without_anything_that_stands_once_is_not_compared():
    assert shared_runs("aabbaabb", "bbaabbaa", most_cells=4) == []


def test_what_was_moved_is_found_at_one_of_its_places():
    assert "".join(shared_text("123456", shared_runs("123456", "612345", most_cells=4))) == "12345"
