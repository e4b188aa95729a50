"""Payloads in a real browser: what comes through of them is seen by the server that plays the live web."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from payload_stage import Stage, staged
from payloads import payloads

ALL = payloads()
# One of so many is tried where others have shown more: as a control, which fires nine times of ten, and with both ways
# at once, of which each stops all of them alone.
STRIDE = 6


@pytest.fixture(scope="module")
def stage() -> Iterator[Stage]:
    with staged(ALL) as found:
        yield found


def names(numbers: set[int]) -> list[str]:
    return [f"{number}: {ALL[number].name}" for number in sorted(numbers)]


def test_there_are_enough_of_them():
    assert len(ALL) >= 1_500


@pytest.mark.slow
def test_most_payloads_come_through_where_nothing_is_done_about_them(stage):
    chosen = range(0, len(ALL), STRIDE)
    assert len(stage.run(chosen, is_rewritten=False, has_policy=False)) > len(chosen) * 0.75


@pytest.mark.slow
def test_no_payload_comes_through_once_it_is_rewritten(stage):
    assert names(stage.run(range(len(ALL)), is_rewritten=True, has_policy=False)) == []
    assert (stage.elsewhere, stage.happened, stage.page.title()) == (set(), [], "stage")


@pytest.mark.slow
def test_no_payload_comes_through_the_policy_of_replay(stage):
    assert names(stage.run(range(len(ALL)), is_rewritten=False, has_policy=True)) == []
    assert (stage.happened, stage.page.title()) == ([], "stage")


@pytest.mark.slow
def test_no_payload_comes_through_both(stage):
    assert names(stage.run(range(0, len(ALL), STRIDE), is_rewritten=True, has_policy=True)) == []
    assert (stage.elsewhere, stage.happened, stage.page.title()) == (set(), [], "stage")
