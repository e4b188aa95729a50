"""Turns: never earlier than asked, never later than needed."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from everlog.core.politeness import LONGEST_ADDED_SECONDS, NEVER, Cause, HostClock, retry_after

NOW = datetime(2024, 5, 1, 12, tzinfo=UTC)


def seconds(amount: float) -> timedelta:
    return timedelta(seconds=amount)


def wait(clock: HostClock, now: datetime = NOW) -> float:
    turn = clock.next_turn(now)
    assert turn is not None
    return (turn - now).total_seconds()


def asked(clock: HostClock, status: int | None, *, took: float = 0.1, now: datetime = NOW) -> None:
    clock.started(now)
    clock.answered(now + seconds(took), status=status, seconds=took)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("120", seconds(120)), (" 5 ", seconds(5)), ("1.5", seconds(1.5)),
        ("Wed, 01 May 2024 12:00:10 GMT", seconds(10)), ("Wednesday, 01-May-24 12:00:10 GMT", seconds(10)),
        ("Wed May  1 12:00:10 2024", seconds(10)), ("Wed, 01 May 2024 14:00:10 +0200", seconds(10)),
    ],
)
def test_times_are_read_in_every_form(value: str, expected: timedelta) -> None:
    assert retry_after(value, NOW) == NOW + expected


@pytest.mark.parametrize(
    "value",
    [None, "", "0", "-1", "-99999", "soon", "1e9", "12 parsecs", "Wed, 01 May 2023 12:00:00 GMT", "Wed, 99 Foo 2024",
     "\x00", "0x10", "Wed, 01 May 99999 12:00:00 GMT"],
)
def test_what_names_no_time_ahead_is_none(value: str | None) -> None:
    assert retry_after(value, NOW) is None


@pytest.mark.parametrize("value", ["99999999999999999999", "9" * 5000])
def test_an_absurd_time_is_never(value: str) -> None:
    assert retry_after(value, NOW) == NEVER


@given(st.text(max_size=40))
def test_any_text_is_a_time_ahead_or_none(value: str) -> None:
    until = retry_after(value, NOW)
    assert until is None or until > NOW


def test_without_delay_and_signals_there_is_no_waiting() -> None:
    clock = HostClock(concurrency=2)
    for _ in range(50):
        assert clock.next_turn(NOW) == NOW
        asked(clock, 200)
    assert clock.pace_seconds == 0.0


def test_requests_are_a_delay_apart_and_the_longer_wish_wins() -> None:
    clock = HostClock(delay_seconds=1.0, concurrency=4)
    clock.started(NOW)
    assert wait(clock) == 1.0
    assert clock.why == "1 s between requests"
    clock.crawl_delay(10.0)
    assert wait(clock) == 10.0
    assert "robots.txt" in clock.why
    clock.crawl_delay(86_400.0)
    assert wait(clock) == 60.0
    clock.crawl_delay(None)
    clock.crawl_delay(-3.0)
    assert wait(clock) == 1.0


def test_the_cause_of_a_wait_has_no_figures_that_change() -> None:
    clock = HostClock(delay_seconds=1.0, concurrency=1)
    assert clock.cause == Cause(reason="delay between requests")
    clock.crawl_delay(10.0, "Crawl-delay: 10")
    assert clock.cause == Cause(reason="crawl-delay in robots.txt", signal="Crawl-delay: 10")
    clock.started(NOW)
    assert clock.cause == Cause(reason="requests in flight")
    clock.answered(NOW, status=500, seconds=0.1)
    assert clock.cause == Cause(reason="backing off after failed requests", signal="500")
    assert clock.why == "backing off after failed requests"
    causes = set()
    for step in range(1, 9):
        clock.started(NOW)
        clock.answered(NOW + seconds(100 * step), status=429, seconds=0.1)
        causes.add(clock.cause)
    assert causes == {Cause(reason="rate-limited by the server (HTTP 429)", signal="429")}


def test_no_more_are_in_flight_than_allowed() -> None:
    clock = HostClock(concurrency=2)
    clock.started(NOW)
    clock.started(NOW)
    assert clock.next_turn(NOW) is None
    assert clock.why == "2 requests in flight"
    clock.withdrawn()
    assert clock.next_turn(NOW) == NOW


def test_the_politer_manners_hold_for_all() -> None:
    clock = HostClock(delay_seconds=1.0, concurrency=4)
    clock.share(delay_seconds=3.0, concurrency=8)
    assert (clock.delay_seconds, clock.concurrency) == (3.0, 4)
    clock.share(delay_seconds=0.0, concurrency=0)
    assert (clock.delay_seconds, clock.concurrency) == (3.0, 1)


@pytest.mark.parametrize("status", [429, 503])
def test_a_refusal_is_followed_by_a_wait_that_doubles(status: int) -> None:
    clock, now, waits = HostClock(), NOW, []
    for _ in range(12):
        asked(clock, status, now=now)
        turn = clock.next_turn(now)
        assert turn is not None
        waits.append((turn - now).total_seconds())
        now = turn
    assert waits[:3] == [5.1, 10.1, 20.1]
    assert waits[-1] <= 601
    assert str(status) in clock.held_for.signal
    asked(clock, 200, now=now)
    asked(clock, status, now=now + seconds(100))
    assert clock.held_until == now + seconds(105.1), "a good answer ends the series"


def test_refusals_of_requests_in_flight_together_count_once() -> None:
    clock = HostClock(concurrency=4)
    for _ in range(4):
        clock.started(NOW)
    for _ in range(4):
        clock.answered(NOW + seconds(1), status=429, seconds=1.0)
    assert clock.slowed == 1
    assert clock.held_until == NOW + seconds(6)


def test_retry_after_is_obeyed_and_never_shortened() -> None:
    clock = HostClock()
    clock.hold(NOW + seconds(100), "asked to")
    clock.hold(NOW + seconds(50), "later, and for less")
    clock.started(NOW)
    clock.answered(NOW, status=429, seconds=0.1, retry_after=NOW + seconds(20))
    assert wait(clock) == 100.0
    assert clock.why == "asked to"
    assert wait(clock, NOW + seconds(200)) == 0.0
    assert clock.held_until is None


@pytest.mark.parametrize(("status", "waits"), [(404, True), (500, True), (503, True), (200, False), (301, False)])
def test_a_wish_to_wait_counts_with_answers_that_refuse(status: int, *, waits: bool) -> None:
    clock = HostClock()
    clock.started(NOW)
    clock.answered(NOW, status=status, seconds=0.1, retry_after=NOW + seconds(500))
    assert (wait(clock) == 500.0) is waits


@pytest.mark.parametrize("status", [None, 500, 502, 504])
def test_failures_lengthen_the_delay_and_good_answers_shorten_it_again(status: int | None) -> None:
    clock, now, paces = HostClock(), NOW, []
    for _ in range(9):
        asked(clock, status, now=now)
        paces.append(clock.pace_seconds)
        now = clock.next_turn(now + seconds(1)) or now
    assert paces == [1, 2, 4, 8, 16, 32, 60, 60, 60]
    assert "failed" in clock.why or "failure" in clock.why
    for _ in range(12):
        now += seconds(100)
        asked(clock, 200, now=now)
    assert clock.pace_seconds == 0.0


def test_answers_that_get_slow_lengthen_the_delay() -> None:
    clock = HostClock()
    for step in range(20):
        asked(clock, 200, took=0.2, now=NOW + seconds(step))
    later = NOW + seconds(100)
    asked(clock, 200, took=3.0, now=later)
    assert clock.pace_seconds == 0.5
    assert clock.why == "0.5 s between requests, backing off after slow responses"
    asked(clock, 200, took=0.2, now=later + seconds(10))
    asked(clock, 200, took=0.2, now=later + seconds(20))
    asked(clock, 404, took=0.2, now=later + seconds(30))
    assert clock.pace_seconds == 0.0


def test_a_host_that_was_always_slow_is_not_slowing_down() -> None:
    clock = HostClock()
    for step in range(20):
        asked(clock, 200, took=6.0, now=NOW + seconds(10 * step))
    assert clock.slowed == 0


answers = st.tuples(st.sampled_from([200, 404, 429, 500, 503, None]), st.floats(0, 40), st.none() | st.floats(0, 5000))


@given(st.lists(answers, max_size=40))
def test_no_turn_comes_before_what_a_server_asked_for(history: list[tuple[int | None, float, float | None]]) -> None:
    clock, now, promised = HostClock(delay_seconds=0.5, concurrency=1), NOW, NOW
    for status, took, asked_for in history:
        turn = clock.next_turn(now)
        assert turn is not None
        assert turn >= max(now, promised)
        now = turn
        clock.started(now)
        assert clock.next_turn(now) is None
        now += seconds(took)
        until = now + seconds(asked_for) if asked_for else None
        clock.answered(now, status=status, seconds=took, retry_after=until)
        if until is not None and status is not None and status >= 400:
            promised = max(promised, until)
        assert 0.5 <= clock.pace_seconds <= 0.5 + LONGEST_ADDED_SECONDS
        assert clock.in_flight == 0
