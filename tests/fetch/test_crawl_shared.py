"""Turns that processes share: the line before a host is one for all."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta

import pytest

from everlog.core.fetcher import RateLimiter
from everlog.fetch.shared_throttle import OTHERS, WRITING_SECONDS, acquire_shared, share_backoff
from everlog.fetch.throttle import HeldOff, HostThrottle, Timekeeper

START = datetime(2024, 5, 1, tzinfo=UTC)


class Lines(RateLimiter):
    """The line of all, on one sheet of paper."""

    def __init__(self, *seconds: float) -> None:
        self.seconds = list(seconds)
        self.reserved: list[tuple[str, float]] = []
        self.held: list[tuple[str, float]] = []
        self.late: list[float] = []
        self.are_held: list[bool] = []

    async def reserve(self, host, pace_seconds, longest_seconds):  # noqa: ARG002 - nobody waits that long here
        self.reserved.append((host, pace_seconds))
        return self.seconds.pop(0), 0.1

    def note_late(self, seconds_late):
        self.late.append(seconds_late)

    async def is_backing_off(self, host):  # noqa: ARG002 - there is only one
        return self.are_held.pop(0) if self.are_held else False

    async def back_off(self, host, seconds):
        self.held.append((host, seconds))


class Clock:
    def __init__(self) -> None:
        self.at = START

    def keeper(self) -> Timekeeper:
        async def sleep(seconds):
            self.at += timedelta(seconds=seconds)

        return Timekeeper(now=lambda: self.at, sleep=sleep)


def line_of(clock, *, delay=1.0):
    return HostThrottle("a.example", clock.keeper(), delay_seconds=delay, concurrency=4)


def test_who_had_a_turn_here_waits_for_those_elsewhere():
    clock, lines = Clock(), Lines(0.7)

    async def ask():
        line = line_of(clock)
        await line.acquire(600)
        return (await acquire_shared(lines, line, 600, clock.keeper())).spells

    assert asyncio.run(ask()) == ((OTHERS, 0.7),)
    assert clock.at == START + timedelta(seconds=0.7)
    assert lines.reserved == [("a.example", 1.0)]


def test_a_wait_that_is_too_long_is_not_waited_and_the_turn_is_free_again():
    clock, lines = Clock(), Lines(900.0)

    async def ask():
        line = line_of(clock)
        await line.acquire(600)
        with pytest.raises(HeldOff) as held:
            await acquire_shared(lines, line, 600, clock.keeper())
        assert line.clock.in_flight == 0
        return held.value.until

    assert asyncio.run(ask()) == START + timedelta(seconds=900)
    assert clock.at == START


def test_who_leaves_no_time_between_requests_stands_in_no_line():
    clock, lines = Clock(), Lines()

    async def ask():
        line = line_of(clock, delay=0.0)
        await line.acquire(600)
        return await acquire_shared(lines, line, 600, clock.keeper())

    assert asyncio.run(ask()) is None
    assert lines.reserved == []


def test_what_a_host_asks_one_process_for_is_told_to_all():
    clock, lines = Clock(), Lines()

    async def told():
        line = line_of(clock)
        await share_backoff(lines, line, clock.at)
        line.clock.hold(START + timedelta(seconds=30), "the server asked us to wait (HTTP 429)")
        await share_backoff(lines, line, clock.at)

    asyncio.run(told())
    assert lines.held == [("a.example", 30.0)]


def test_who_comes_too_late_for_a_turn_takes_another():
    clock, lines = Clock(), Lines(0.5, 0.3)
    oversleeps = [0.4, 0.0]

    async def sleep(seconds):
        clock.at += timedelta(seconds=seconds + oversleeps.pop(0))

    async def ask():
        line = line_of(clock)
        await line.acquire(600)
        return (await acquire_shared(lines, line, 600, Timekeeper(now=lambda: clock.at, sleep=sleep))).spells

    assert asyncio.run(ask()) == ((OTHERS, 0.8),)
    assert len(lines.reserved) == 2
    assert lines.late == pytest.approx([0.4, 0.0])


def test_a_host_that_asks_for_centuries_is_asked_again_after_a_week():
    clock, lines = Clock(), Lines()

    async def told():
        line = line_of(clock)
        line.clock.hold(datetime(9999, 1, 1, tzinfo=UTC), "the server asked us to wait (HTTP 503)")
        await share_backoff(lines, line, clock.at)

    asyncio.run(told())
    assert lines.held == [("a.example", 7 * 86_400.0)]


def refused_meanwhile(line, clock, rest_seconds):
    """Time, in which the host asks to be left alone as soon as somebody sleeps."""
    asked = []

    async def sleep(seconds):
        clock.at += timedelta(seconds=seconds)
        if not asked:
            asked.append(seconds)
            line.clock.hold(clock.at + timedelta(seconds=rest_seconds), "the server asked us to wait (HTTP 429)")

    return Timekeeper(now=lambda: clock.at, sleep=sleep)


def test_who_waits_for_a_turn_while_the_host_asks_to_be_left_alone_leaves_it_alone():
    clock, lines = Clock(), Lines(0.5, 0.2)

    async def ask():
        line = line_of(clock)
        await line.acquire(600)
        await acquire_shared(lines, line, 600, refused_meanwhile(line, clock, 60))

    asyncio.run(ask())
    assert clock.at == START + timedelta(seconds=0.5 + 60 + 0.2)


def test_a_turn_is_given_up_if_the_host_asks_for_more_than_anybody_waits():
    clock, lines = Clock(), Lines(0.5)

    async def ask():
        line = line_of(clock)
        await line.acquire(600)
        with pytest.raises(HeldOff):
            await acquire_shared(lines, line, 600, refused_meanwhile(line, clock, 3_600))
        return line.clock.in_flight

    assert asyncio.run(ask()) == 0


def test_after_a_long_wait_it_is_asked_whether_another_process_was_told_to_stay_away():
    clock, lines = Clock(), Lines(30.0, 45.0)
    lines.are_held = [True, False]

    async def ask():
        line = line_of(clock)
        await line.acquire(600)
        return (await acquire_shared(lines, line, 600, clock.keeper())).spells

    assert asyncio.run(ask()) == ((OTHERS, 75.0),)


def test_a_request_has_to_leave_before_its_turn_has_gone_by():
    clock, lines = Clock(), Lines(0.5)

    async def sleep(seconds):
        clock.at += timedelta(seconds=seconds + 0.04)

    async def ask():
        line = line_of(clock)
        await line.acquire(600)
        return await acquire_shared(lines, line, 600, Timekeeper(now=lambda: clock.at, sleep=sleep))

    turn = asyncio.run(ask())
    assert turn.late_seconds == pytest.approx(0.04)
    assert turn.within_seconds == pytest.approx(0.1 - 0.04 + WRITING_SECONDS)
