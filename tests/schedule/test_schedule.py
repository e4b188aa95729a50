"""When a feed is asked again."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from everlog.records import FeedHints
from everlog.schedule.freshness import LONGEST
from everlog.schedule.poll_schedule import (
    LONGEST_JITTER,
    SHORTEST,
    Observation,
    Polling,
    after_poll,
    first_polling,
    never_again,
)
from everlog.schedule.rhythm import rhythm_of

NOW = datetime(2024, 5, 1, 12, tzinfo=UTC)
DAY, HOUR, MINUTE = timedelta(days=1), timedelta(hours=1), timedelta(minutes=1)
SEED = "https://a.org/feed"

moments = st.datetimes(datetime(2024, 1, 1), datetime(2030, 1, 1), timezones=st.just(UTC))  # noqa: DTZ001
dates = st.lists(st.datetimes(datetime(2015, 1, 1), datetime(2031, 1, 1), timezones=st.just(UTC)), max_size=25)  # noqa: DTZ001
hints = st.none() | st.builds(
    FeedHints, ttl_minutes=st.none() | st.integers(1, 50_000), period_seconds=st.none() | st.floats(60, 4e7),
    skip_hours=st.lists(st.integers(0, 23), max_size=23, unique=True).map(tuple),
    skip_days=st.lists(st.integers(0, 6), max_size=6, unique=True).map(tuple),
)
waits = st.none() | st.integers(1, 40 * 86400).map(lambda seconds: timedelta(seconds=seconds))
kinds = st.sampled_from(["changed", "unchanged", "failed", "refused"])


def every(gap: timedelta, count: int = 60) -> list[datetime]:
    """Dates at all hours of the day and on all days of the week."""
    return [NOW - (number + 0.618 * number % 1) * gap for number in range(count)]


def wait(posts: list[datetime], **seen: object) -> timedelta:
    polling = first_polling(posts, NOW, seed=SEED, seen=Observation(kind="unchanged", **seen))
    return polling.due_at - NOW


@given(dates, moments, hints, waits, kinds, st.integers(0, 40), st.text(max_size=5))
def test_nobody_comes_earlier_than_allowed_nor_outside_the_two_bounds(posts, now, said, patience, kind, failures, seed):
    polling = replace(first_polling(posts, now - DAY, seed=seed), failures=failures, checked_at=now - DAY)
    allowed_at = now + patience if patience else None
    seen = Observation(
        kind=kind, allowed_at=allowed_at, hints=said, published=tuple(posts) if kind == "changed" else (),
    )
    after = after_poll(polling, seen, now, seed=seed)
    assert after == after_poll(polling, seen, now, seed=seed)
    assert after.due_at >= now + SHORTEST
    assert after.due_at.microsecond == 0 or allowed_at
    assert allowed_at is None or after.due_at >= allowed_at
    if said and kind in {"changed", "unchanged"}:
        assert after.due_at >= now + min(timedelta(minutes=said.ttl_minutes or 0), LONGEST)
        assert after.due_at >= now + min(timedelta(seconds=said.period_seconds or 0), LONGEST)
    if said:
        assert after.due_at.hour not in said.skip_hours
        assert after.due_at.weekday() not in said.skip_days
    if not said or not (said.skip_hours or said.skip_days):
        assert after.due_at <= max(now + LONGEST, allowed_at or now) + timedelta(seconds=1)
    assert after.why
    assert Polling.from_dict(json.loads(json.dumps(after.to_dict()))) == after


@given(dates, moments, hints, st.integers(0, 30))
def test_more_failures_never_mean_an_earlier_poll(posts, now, said, failures):
    polling = replace(first_polling(posts, now - DAY, seed=SEED), hints=said, failures=failures)
    one, two = (after_poll(replace(polling, failures=count), Observation(kind="failed"), now, seed=SEED)
                for count in (failures, failures + 1))
    # Where an hour opens, all who waited for it come within some minutes.
    assert one.due_at <= two.due_at + (LONGEST_JITTER if said else timedelta())
    assert (one.failures, two.failures) == (failures + 1, failures + 2)


@given(dates, moments, waits, kinds)
def test_a_wish_that_was_not_over_yet_holds_on(posts, now, patience, kind):
    polling = replace(first_polling(posts, now, seed=SEED), not_before=now + patience if patience else None)
    after = after_poll(polling, Observation(kind=kind), now, seed=SEED)
    assert not patience or after.due_at >= now + patience


def test_a_blog_nothing_is_known_of_is_asked_every_hour():
    assert wait([]) == pytest.approx(HOUR, abs=10 * MINUTE)


def test_a_blog_that_posts_four_times_as_often_is_asked_twice_as_often():
    rare, often = wait(every(16 * DAY, 200)), wait(every(4 * DAY, 200))
    assert 1.6 < rare / often < 2.4


@pytest.mark.parametrize(
    ("gap", "least", "most"),
    [(30 * MINUTE, 15 * MINUTE, 20 * MINUTE), (DAY, 30 * MINUTE, HOUR), (7 * DAY, 1.5 * HOUR, 2.5 * HOUR),
     (30 * DAY, 3 * HOUR, 7 * HOUR), (300 * DAY, 4 * HOUR, 30 * HOUR)],
)
def test_the_interval_follows_the_rhythm(gap, least, most):
    assert least <= wait(every(gap)) <= most


@pytest.mark.parametrize(("silent", "longest"), [(3650 * DAY, LONGEST), (1000 * DAY, DAY)])
def test_a_silent_blog_is_asked_daily_and_one_silent_for_ten_years_weekly(silent, longest):
    waits = [
        first_polling([NOW - silent], NOW, seed=f"https://{number}.org/feed").due_at - NOW for number in range(50)
    ]
    assert 0.8 * longest < min(waits) < max(waits) <= longest
    assert len(set(waits)) > 40, "they do not come at the same moment"


def test_polls_stand_closer_at_the_hours_a_blog_posts():
    dates = [datetime(2024, 4, day, 9, 5, tzinfo=UTC) for day in range(1, 31)]
    polling, polled = first_polling(dates, NOW, seed=SEED), []
    while polling.due_at < NOW + 5 * DAY:
        polled.append(polling.due_at.hour)
        polling = after_poll(polling, Observation(kind="unchanged"), polling.due_at, seed=SEED)
    assert sum(8 <= hour <= 10 for hour in polled) > 3 * sum(20 <= hour <= 22 for hour in polled) > 0


def test_a_new_post_brings_the_next_poll_nearer():
    polling = first_polling(every(30 * DAY, 12), NOW, seed=SEED)
    unchanged = after_poll(polling, Observation(kind="unchanged"), NOW + HOUR, seed=SEED)
    changed = after_poll(polling, Observation(kind="changed", published=(NOW + MINUTE,)), NOW + HOUR, seed=SEED)
    assert changed.due_at < unchanged.due_at
    assert (changed.changed_at, unchanged.changed_at) == (NOW + HOUR, None)
    assert changed.checked_at == unchanged.checked_at == NOW + HOUR


def test_an_edit_is_a_change_but_no_post():
    polling = first_polling(every(DAY), NOW, seed=SEED)
    after = after_poll(polling, Observation(kind="changed"), NOW + HOUR, seed=SEED)
    assert after.changed_at == NOW + HOUR
    assert after.rhythm == polling.rhythm


def test_failures_back_off_to_a_day_and_are_forgotten():
    polling, now, gaps = first_polling(every(HOUR, 300), NOW, seed=SEED), NOW, []
    for _ in range(10):
        polling = after_poll(polling, Observation(kind="failed"), now, seed=SEED)
        gaps.append(polling.due_at - now)
        now = polling.due_at
    assert [round(gap / HOUR) for gap in gaps[1:6]] == pytest.approx([1, 2, 4, 8, 17], abs=1)
    assert 24 * HOUR <= gaps[-1] <= 27 * HOUR
    assert now - NOW < 7 * DAY, "a week of failures holds enough of them to tell that a blog is dead"
    assert polling.why.startswith("10 failed polls in a row: next poll in 1 d")
    assert polling.checked_at == NOW
    back = after_poll(polling, Observation(kind="unchanged"), now, seed=SEED)
    assert back.failures == 0
    assert back.due_at - now < 12 * HOUR


def test_the_words_of_the_server_are_kept_where_they_moved_the_poll():
    posts = every(4 * HOUR)
    seen = Observation(kind="unchanged", allowed_at=NOW + 6 * HOUR, signal="Cache-Control: max-age=21600")
    polling = first_polling(posts, NOW, seed=SEED, seen=seen)
    assert polling.signal == "Cache-Control: max-age=21600"
    assert polling.not_before == NOW + 6 * HOUR
    assert polling.why.startswith("5 posts a day: next poll not allowed before 6 h")
    harmless = Observation(kind="unchanged", allowed_at=NOW + MINUTE, signal="Cache-Control: max-age=60")
    assert first_polling(posts, NOW, seed=SEED, seen=harmless).signal is None


@pytest.mark.parametrize(
    ("hints", "signal"),
    [
        (FeedHints(ttl_minutes=180), "ttl: 180 min"),
        (FeedHints(period_seconds=86400.0), "sy:updatePeriod: 1 d"),
        (FeedHints(ttl_minutes=50_000), "ttl: 50000 min (cut to 7 days)"),
        (FeedHints(ttl_minutes=60, period_seconds=7200), "sy:updatePeriod: 2 h"),
        (FeedHints(skip_hours=(12, 13)), "skipHours: 12, 13"),
        (FeedHints(skip_days=(2,)), "skipDays: Wed"),
        (FeedHints(skip_hours=(12,), skip_days=(2, 6)), "skipHours: 12; skipDays: Wed, Sun"),
        (FeedHints(period_seconds=600.0), None),
    ],
)
def test_the_words_of_the_feed_are_kept_as_well(hints, signal):
    assert first_polling(every(HOUR), NOW, seed=SEED, seen=Observation(kind="unchanged", hints=hints)).signal == signal


def test_the_wishes_of_a_feed_hold_until_it_says_others():
    polling = first_polling(
        every(HOUR), NOW, seed=SEED, seen=Observation(kind="unchanged", hints=FeedHints(ttl_minutes=180)),
    )
    unchanged = after_poll(polling, Observation(kind="unchanged"), NOW + 4 * HOUR, seed=SEED)
    assert unchanged.due_at >= NOW + 7 * HOUR
    other = after_poll(
        unchanged, Observation(kind="changed", hints=FeedHints(ttl_minutes=30)), NOW + 8 * HOUR, seed=SEED,
    )
    assert other.due_at < NOW + 10 * HOUR


def test_a_refused_poll_waits_until_the_server_wants_it():
    polling = first_polling(every(HOUR), NOW, seed=SEED)
    seen = Observation(kind="refused", allowed_at=NOW + 90 * DAY, signal="Retry-After: 7776000")
    after = after_poll(polling, seen, NOW, seed=SEED)
    assert NOW + 90 * DAY <= after.due_at <= NOW + 90 * DAY + 10 * MINUTE
    assert (after.failures, after.signal) == (1, "Retry-After: 7776000")


def test_blogs_found_together_are_not_asked_together():
    due = {first_polling([], NOW, seed=f"https://{number}.org/feed").due_at for number in range(500)}
    assert len(due) > 200
    assert max(due) - min(due) > 10 * MINUTE


def test_a_dead_blog_is_never_asked_again():
    polling = never_again(first_polling([], NOW, seed=SEED), "410 Gone since 2024-05-01")
    assert polling.due_at is None
    assert Polling.from_dict(json.loads(json.dumps(polling.to_dict()))) == polling


def test_the_state_of_a_polling_is_small():
    seen = Observation(kind="unchanged", hints=FeedHints(ttl_minutes=5))
    polling = first_polling(every(HOUR, 5000), NOW, seed=SEED, seen=seen)
    assert len(json.dumps(polling.to_dict())) < 1200
    assert polling.rhythm == rhythm_of(every(HOUR, 5000), NOW)
