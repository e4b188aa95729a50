"""What headers allow, and the hours a feed wants to be left alone."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from everlog.core.politeness import NEVER
from everlog.records import FeedHints
from everlog.schedule.freshness import LONGEST, Allowed, allowed, open_hour

NOW = datetime(2024, 5, 1, 12, tzinfo=UTC)  # a Wednesday
DATE = ("Date", "Wed, 01 May 2024 12:00:00 GMT")


@pytest.mark.parametrize(
    ("headers", "seconds", "signal"),
    [
        ([("Cache-Control", "max-age=3600")], 3600, "Cache-Control: max-age=3600"),
        ([("cache-control", 'public, MAX-AGE="300", must-revalidate')], 300, "Cache-Control: max-age=300"),
        ([("Cache-Control", "public"), ("Cache-Control", "max-age=60")], 60, "Cache-Control: max-age=60"),
        ([("Cache-Control", "max-age=3600"), ("Age", "600")], 3000, "Cache-Control: max-age=3600, Age: 600"),
        ([("Cache-Control", "s-maxage=9, max-age=60"), ("Age", "much")], 60, "Cache-Control: max-age=60"),
        ([DATE, ("Expires", "Wed, 01 May 2024 12:30:00 GMT")], 1800, "Expires: Wed, 01 May 2024 12:30:00 GMT"),
        ([("Expires", "Wed, 01 May 2024 12:30:00 GMT")], 1800, "Expires: Wed, 01 May 2024 12:30:00 GMT"),
        ([("Cache-Control", "max-age=60"), DATE, ("Expires", "Thu, 02 May 2024 12:00:00 GMT")], 60,
         "Cache-Control: max-age=60"),
        ([("Retry-After", "120")], 120, "Retry-After: 120"),
        ([("Retry-After", "Wed, 01 May 2024 13:00:00 GMT")], 3600, "Retry-After: Wed, 01 May 2024 13:00:00 GMT"),
        ([("Retry-After", "120"), ("Cache-Control", "max-age=600")], 600, "Cache-Control: max-age=600"),
        ([("Retry-After", "1200"), ("Cache-Control", "max-age=600")], 1200, "Retry-After: 1200"),
        ([("Retry-After", "120"), ("Cache-Control", "no-cache, max-age=600")], 120, "Retry-After: 120"),
        ([("Retry-After", str(30 * 86400))], 30 * 86400, f"Retry-After: {30 * 86400}"),
    ],
)
def test_headers_name_the_earliest_moment(headers, seconds, signal):
    assert allowed(headers, NOW) == Allowed(at=NOW + timedelta(seconds=seconds), signal=signal)


@pytest.mark.parametrize(
    "headers",
    [
        [], [("Content-Type", "text/xml")], [("Cache-Control", "no-cache")],
        [("Cache-Control", "max-age=60, no-store")],
        [("Cache-Control", "max-age=0")], [("Cache-Control", "max-age=soon")], [("Cache-Control", "s-maxage=600")],
        [("Cache-Control", "max-age=60"), ("Age", "90")], [("Cache-Control", "max-age=-5")], [("Expires", "0")],
        [("Expires", "-1")], [DATE, ("Expires", "Wed, 01 May 2024 11:00:00 GMT")], [("Retry-After", "later")],
        [("Expires", "Wed, 01 May 99999 12:00:00 GMT")],
    ],
)
def test_headers_that_name_no_moment_ahead_allow_any(headers):
    assert allowed(headers, NOW) is None


def test_a_server_whose_clock_is_wrong_is_taken_by_its_own_clock():
    said = allowed([("Date", "Tue, 01 May 2018 12:00:00 GMT"), ("Expires", "Tue, 01 May 2018 13:00:00 GMT")], NOW)
    assert said.at == NOW + timedelta(hours=1)


@pytest.mark.parametrize("value", ["31536000", "9" * 400])
def test_a_year_is_cut_to_a_week_and_said_so(value):
    said = allowed([("Cache-Control", f"max-age={value}")], NOW)
    assert said.at == NOW + LONGEST
    assert said.signal == f"Cache-Control: max-age={value[:20]} (cut to 7 days)"


def test_to_be_left_alone_for_ever_is_kept_to():
    assert allowed([("Retry-After", "9" * 300)], NOW).at == NEVER


@given(st.lists(st.tuples(st.sampled_from(["Cache-Control", "Expires", "Date", "Age", "Retry-After"]), st.text())))
def test_no_header_breaks_it_and_nothing_allowed_lies_behind(headers):
    said = allowed(headers, NOW)
    assert said is None or said.at > NOW


@pytest.mark.parametrize(
    ("hints", "expected"),
    [
        (None, "2024-05-01T12:34:56"),
        (FeedHints(ttl_minutes=60), "2024-05-01T12:34:56"),
        (FeedHints(skip_hours=(11, 13)), "2024-05-01T12:34:56"),
        (FeedHints(skip_hours=(12, 13)), "2024-05-01T14:00:00"),
        (FeedHints(skip_hours=tuple(range(1, 24))), "2024-05-02T00:00:00"),
        (FeedHints(skip_days=(2, 3)), "2024-05-03T00:00:00"),
        (FeedHints(skip_hours=(0, 1), skip_days=(2,)), "2024-05-02T02:00:00"),
        (FeedHints(skip_days=(0, 1, 2, 3, 4, 5)), "2024-05-05T00:00:00"),
    ],
)
def test_a_moment_moves_out_of_skipped_hours_and_days(hints, expected):
    moment = NOW.replace(minute=34, second=56)
    assert open_hour(moment, hints) == datetime.fromisoformat(expected + "+00:00")


def test_a_feed_that_is_never_open_is_asked_as_if_it_said_nothing():
    assert open_hour(NOW, FeedHints(skip_hours=tuple(range(24)))) == NOW
