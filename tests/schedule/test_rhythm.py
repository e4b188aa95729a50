"""When a blog posts, from the dates it is known by."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta, timezone
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from everlog.schedule.rhythm import Rhythm, posts_per_day, rhythm_of, with_posts

NOW = datetime(2024, 5, 1, 12, tzinfo=UTC)
DAY = timedelta(days=1)


def every(gap: timedelta, count: int, last: datetime = NOW) -> list[datetime]:
    return [last - number * gap for number in range(count)]


@pytest.mark.parametrize("days", [0.5, 1, 7, 30])
def test_a_steady_blog_is_expected_to_stay_steady(days):
    rhythm = rhythm_of(every(days * DAY, 400), NOW)
    rates = [posts_per_day(rhythm, NOW + part * days * DAY) for part in (0, 0.5, 1)]
    assert sum(rates) / 3 == pytest.approx(1 / days, rel=0.25)


def test_a_blog_that_falls_silent_is_expected_less_and_less():
    rhythm = rhythm_of(every(DAY, 100), NOW)
    rates = [posts_per_day(rhythm, NOW + weeks * 7 * DAY) for weeks in range(0, 200, 10)]
    assert rates == sorted(rates, reverse=True)
    assert rates[-1] < 1 / 300


def test_what_a_blog_does_lately_counts_more_than_what_it_did():
    awake = rhythm_of([*every(30 * DAY, 24, NOW - 21 * DAY), *every(DAY, 21)], NOW)
    asleep = rhythm_of([*every(DAY, 21, NOW - 700 * DAY), *every(30 * DAY, 24)], NOW)
    assert posts_per_day(awake, NOW) > 5 * posts_per_day(asleep, NOW)


def test_the_hours_and_days_of_posts_pull():
    mornings = rhythm_of([NOW - week * 7 * DAY - timedelta(hours=4) for week in range(40)], NOW)
    hours, days = mornings.pulls[:24], mornings.pulls[24:]
    assert hours.index(max(hours)) == 8
    assert hours[7] == hours[9] > hours[20] > 0
    assert days.index(max(days)) == NOW.weekday()
    assert min(days) > 0


def test_dates_without_an_hour_tell_the_day_and_leave_the_hours_open():
    zone = timezone(timedelta(hours=9))
    rhythm = rhythm_of([datetime(2024, 4, day, tzinfo=zone) for day in range(1, 28)], NOW)
    assert set(rhythm.hours) == {0.0}
    assert len(set(rhythm.pulls[:24])) == 1
    assert posts_per_day(rhythm, NOW) > 0.5


def test_dates_in_the_future_and_dates_without_a_zone_say_nothing():
    silly = [NOW + 400 * DAY, datetime(2024, 4, 30)]  # noqa: DTZ001 - what a source may hand over
    assert rhythm_of(silly, NOW) == rhythm_of([], NOW)


def test_an_import_of_a_hundred_posts_counts_as_one():
    burst = rhythm_of([NOW - 90 * DAY, *(NOW - timedelta(seconds=number) for number in range(100))], NOW)
    single = rhythm_of([NOW - 90 * DAY, NOW], NOW)
    assert posts_per_day(burst, NOW) < 1.1 * posts_per_day(single, NOW)


def test_posts_that_come_later_count_as_if_they_had_been_known():
    dates = every(1.3 * DAY, 40, NOW - timedelta(hours=1))[::-1]
    grown = rhythm_of(dates[:30], dates[29])
    for before, date in pairwise(dates[29:]):
        grown = with_posts(grown, [date], after=before + timedelta(minutes=5), now=date + timedelta(minutes=30))
    assert posts_per_day(grown, NOW) == pytest.approx(posts_per_day(rhythm_of(dates, NOW), NOW), rel=0.01)
    assert grown.hours == pytest.approx(rhythm_of(dates, NOW).hours, abs=0.01)


@pytest.mark.parametrize(
    "stated", [NOW - 3000 * DAY, NOW + 2 * DAY, NOW.replace(hour=0), NOW.replace(tzinfo=None), None],
    ids=["years ago", "tomorrow", "no hour", "no zone", "none"],
)
def test_a_date_that_cannot_be_when_it_appeared_counts_between_the_two_looks(stated):
    rhythm = rhythm_of(every(7 * DAY, 10, NOW - DAY), NOW - DAY)
    grown = with_posts(rhythm, [stated], after=NOW - timedelta(hours=2), now=NOW)
    assert grown.last_at == NOW - timedelta(hours=1)


def test_a_rhythm_is_small_and_survives_json():
    rhythm = rhythm_of(every(0.7 * DAY, 3000), NOW)
    text = json.dumps(rhythm.to_dict())
    assert Rhythm.from_dict(json.loads(text)) == rhythm
    assert len(text) < 700


def test_a_rhythm_of_another_version_starts_anew_from_its_last_post():
    stored = rhythm_of(every(DAY, 10), NOW).to_dict() | {"version": 99, "counts": "?"}
    assert Rhythm.from_dict(stored).last_at == NOW
    assert Rhythm.from_dict(rhythm_of([], NOW).to_dict() | {"version": 0}) == rhythm_of([], NOW)


@given(st.lists(st.datetimes(datetime(1971, 1, 1), datetime(2100, 1, 1), timezones=st.just(UTC)), max_size=30))  # noqa: DTZ001
def test_any_dates_give_a_rate_and_survive_json(dates):
    rhythm = rhythm_of(dates, NOW)
    assert 0 <= posts_per_day(rhythm, NOW) < 60
    assert Rhythm.from_dict(json.loads(json.dumps(rhythm.to_dict()))) == rhythm
    grown = with_posts(rhythm, dates, after=NOW, now=NOW + DAY)
    assert posts_per_day(grown, NOW + DAY) >= posts_per_day(rhythm, NOW + DAY) - 1e-3
