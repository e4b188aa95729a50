"""How far apart the turns of a host are when many processes ask it."""

from __future__ import annotations

import asyncio

import pytest

from everlog.usecases.rate_limiter import (
    FIRST_LATENESS_SECONDS,
    LATENESS_REMEMBERED,
    SENDING_SECONDS,
    ArchiveRateLimiter,
)


class Row:
    """An archive with the row of one host: notes how far its next slot is moved on."""

    def __init__(self) -> None:
        self.moved: list[float] = []
        self.hosts = self

    def reserve(self, host, pace_seconds, *, longest_seconds):  # noqa: ARG002 - nobody waits that long here
        self.moved.append(pace_seconds)
        return 0.25


@pytest.fixture
def row():
    return Row()


@pytest.fixture
def turns(row):
    return ArchiveRateLimiter(row)


def reserve(turns, pace=2.0):
    return asyncio.run(turns.reserve("a.example", pace, 600))


def test_turns_are_further_apart_than_the_pace_by_who_may_be_late_and_the_way_to_the_host(turns, row):
    assert reserve(turns) == (0.25, FIRST_LATENESS_SECONDS)
    assert row.moved == [2.0 + FIRST_LATENESS_SECONDS + SENDING_SECONDS]


def test_who_came_late_makes_room_for_the_next_who_is_as_late(turns, row):
    turns.note_late(0.3)
    assert reserve(turns) == (0.25, 0.3)
    assert row.moved == [2.0 + 0.3 + SENDING_SECONDS]


def test_lateness_is_forgotten_when_many_came_in_time(turns):
    turns.note_late(0.3)
    for _ in range(LATENESS_REMEMBERED):
        turns.note_late(0.01)
    assert reserve(turns) == (0.25, 0.01)


def test_a_machine_that_slept_for_an_hour_does_not_make_the_pace_an_hour(turns, row):
    turns.note_late(3600.0)
    assert reserve(turns) == (0.25, 2.0)
    assert row.moved == [4.0 + SENDING_SECONDS]
