"""What a host's trouble means for the next run, and for the next slice of a crawl that takes turns."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from everlog.core.politeness import HostClock
from everlog.fetch.backoff import recall_strain, remember_strain

NOW = datetime(2024, 5, 1, tzinfo=UTC)


def strained():
    """The clock of a host that refused twice."""
    clock = HostClock(delay_seconds=1.0, concurrency=4)
    for minute in range(2):
        clock.started(NOW + timedelta(minutes=minute))
        clock.answered(NOW + timedelta(minutes=minute, seconds=1), status=429, seconds=1.0)
    return clock


def test_the_next_run_begins_as_slowly_as_the_last_one_ended():
    kept: dict[str, str] = {}
    remember_strain(kept.__setitem__, "a.example", strained(), NOW)
    clock = HostClock(delay_seconds=1.0, concurrency=4)
    recall_strain(kept.get, "a.example", clock, NOW + timedelta(minutes=5))
    assert clock.strain == strained().strain == (2.0, 2)
    assert clock.pace_seconds == 3.0
    # And the third refusal is answered with a longer rest than the first was.
    clock.started(NOW)
    clock.answered(NOW, status=429, seconds=1.0)
    assert clock.held_until == NOW + timedelta(seconds=20)


def test_trouble_of_long_ago_is_forgotten():
    kept: dict[str, str] = {}
    remember_strain(kept.__setitem__, "a.example", strained(), NOW)
    clock = HostClock(delay_seconds=1.0, concurrency=4)
    recall_strain(kept.get, "a.example", clock, NOW + timedelta(hours=2))
    assert clock.strain == (0.0, 0)


@pytest.mark.parametrize("spoilt", ["", "nonsense", "2024-05-01T00:00:00+00:00 much 2", "2024-05-01T00:00:00 1 1"])
def test_a_spoilt_memory_is_none(spoilt):
    clock = HostClock(delay_seconds=1.0, concurrency=4)
    recall_strain({"strain a.example": spoilt}.get, "a.example", clock, NOW)
    assert clock.strain == (0.0, 0)
