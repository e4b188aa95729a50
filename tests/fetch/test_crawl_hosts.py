"""The line before a host: in order, in time, and left without trouble."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest
from stories import Leaps

from everlog.fetch.throttle import HeldOff, HostThrottle, Timekeeper

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable


def line(leaps: Leaps, *, delay: float = 0.0, concurrency: int = 1) -> HostThrottle:
    return HostThrottle("a.example", leaps.keeper(), delay_seconds=delay, concurrency=concurrency)


def run(scene: Callable[[Leaps], Awaitable[Any]]) -> Any:
    async def inside() -> Any:
        return await scene(Leaps())

    return asyncio.run(inside())


def test_without_a_delay_nobody_waits() -> None:
    async def scene(leaps: Leaps) -> list[Any]:
        host = line(leaps, concurrency=3)
        return [await host.acquire(1.0) for _ in range(3)]

    assert run(scene) == [(), (), ()]


def test_turns_come_in_order_and_a_delay_apart() -> None:
    async def scene(leaps: Leaps) -> list[tuple[int, float]]:
        host, start, order = line(leaps, delay=10.0, concurrency=9), leaps.now(), []

        async def visitor(number: int) -> None:
            await host.acquire(1000.0)
            order.append((number, (leaps.now() - start).total_seconds()))

        await asyncio.gather(*(visitor(number) for number in range(4)))
        return order

    assert run(scene) == [(0, 0.0), (1, 10.0), (2, 20.0), (3, 30.0)]


def test_no_more_are_in_flight_than_allowed() -> None:
    async def scene(leaps: Leaps) -> int:
        host, under_way, most = line(leaps, concurrency=2), 0, 0

        async def visitor() -> None:
            nonlocal under_way, most
            await host.acquire(1.0)
            under_way += 1
            most = max(most, under_way)
            await asyncio.sleep(0)
            under_way -= 1
            host.answered(status=200, seconds=0.1)

        await asyncio.gather(*(visitor() for _ in range(20)))
        return most

    assert run(scene) == 2


def test_a_long_hold_sends_home_those_who_wait_and_those_who_come() -> None:
    async def scene(leaps: Leaps) -> list[Any]:
        host = line(leaps)
        await host.acquire(1.0)
        waiting = [asyncio.ensure_future(host.acquire(100.0)) for _ in range(3)]
        patient = asyncio.ensure_future(host.acquire(10_000.0))
        await asyncio.sleep(0)
        until = leaps.now() + timedelta(seconds=3600)
        host.answered(status=429, seconds=0.1, retry_after=until)
        wait = host.waiting()
        late = asyncio.ensure_future(host.acquire(100.0))
        sent_home = await asyncio.gather(*waiting, late, return_exceptions=True)
        await patient
        return [[type(each) for each in sent_home], leaps.now() >= until, wait is not None and wait.until == until]

    assert run(scene) == [[HeldOff] * 4, True, True]


def test_a_wait_for_several_reasons_is_told_in_parts() -> None:
    async def scene(leaps: Leaps) -> list[dict[tuple[str, str], float]]:
        host = line(leaps, delay=10.0, concurrency=9)
        await host.acquire(1000.0)
        waiting = [asyncio.ensure_future(host.acquire(1000.0)) for _ in range(2)]
        await asyncio.sleep(0)
        leaps.moment += timedelta(seconds=4)
        until = leaps.now() + timedelta(seconds=100)
        host.answered(status=429, seconds=4.0, retry_after=until, said="100")
        spells = await asyncio.gather(*waiting)
        return [{(cause.reason, cause.signal): seconds for cause, seconds in each} for each in spells]

    first, second = run(scene)
    own, refused = ("delay between requests", ""), ("the server asked us to wait (HTTP 429)", "429, Retry-After: 100")
    assert first == {own: 4.0, refused: 100.0}
    assert second == {own: 4.0, refused: 100.0, ("backing off after HTTP 429", "429"): 11.0}


def test_who_waits_for_answers_on_their_way_says_so() -> None:
    async def scene(leaps: Leaps) -> Any:
        host = line(leaps)
        await host.acquire(1.0)
        waiting = asyncio.ensure_future(host.acquire(1.0))
        await asyncio.sleep(0)
        leaps.moment += timedelta(seconds=3)
        host.answered(status=200, seconds=3.0)
        return await waiting

    [(cause, seconds)] = run(scene)
    assert (cause.reason, cause.signal, seconds) == ("requests in flight", "", 3.0)


def test_who_comes_late_has_not_waited_for_what_others_waited_for() -> None:
    async def scene(leaps: Leaps) -> list[float]:
        host = line(leaps)
        await host.acquire(1.0)
        early = asyncio.ensure_future(host.acquire(1.0))
        await asyncio.sleep(0)
        leaps.moment += timedelta(seconds=3)
        late = asyncio.ensure_future(host.acquire(1.0))
        await asyncio.sleep(0)
        leaps.moment += timedelta(seconds=2)
        host.answered(status=200, seconds=5.0)
        await early
        host.answered(status=200, seconds=0.0)
        return [sum(seconds for _, seconds in await each) for each in (early, late)]

    assert run(scene) == [5.0, 2.0]


def test_who_is_sent_home_from_the_line_says_what_was_waited_for_until_then() -> None:
    async def scene(leaps: Leaps) -> HeldOff:
        host = line(leaps)
        await host.acquire(1.0)
        waiting = asyncio.ensure_future(host.acquire(100.0))
        await asyncio.sleep(0)
        leaps.moment += timedelta(seconds=3)
        host.answered(status=503, seconds=3.0, retry_after=leaps.now() + timedelta(hours=1), said="3600")
        [held] = await asyncio.gather(waiting, return_exceptions=True)
        assert isinstance(held, HeldOff)
        return held

    held = run(scene)
    assert held.cause.reason == "the server asked us to wait (HTTP 503)"
    assert held.cause.signal == "503, Retry-After: 3600"
    assert [(cause.reason, seconds) for cause, seconds in held.spells] == [("requests in flight", 3.0)]


def test_who_leaves_the_line_keeps_nobody_waiting() -> None:
    async def scene(leaps: Leaps) -> tuple[int, bool]:
        host = line(leaps)
        await host.acquire(1.0)
        first, second = (asyncio.ensure_future(host.acquire(1.0)) for _ in range(2))
        await asyncio.sleep(0)
        first.cancel()
        await asyncio.sleep(0)
        host.answered(status=200, seconds=0.1)
        await second
        return host.clock.in_flight, first.cancelled()

    assert run(scene) == (1, True)


def test_a_turn_given_to_someone_who_just_left_is_given_on() -> None:
    async def scene(leaps: Leaps) -> int:
        host = line(leaps)
        await host.acquire(1.0)
        first, second = (asyncio.ensure_future(host.acquire(1.0)) for _ in range(2))
        await asyncio.sleep(0)
        host.answered(status=200, seconds=0.1)  # gives the turn to the first, who is called off at once
        first.cancel()
        await asyncio.gather(first, return_exceptions=True)
        await second
        return host.clock.in_flight

    assert run(scene) == 1


def test_a_host_between_two_turns_says_what_it_waits_for() -> None:
    async def scene(_: Leaps) -> tuple[Any, Any]:
        class Patience:
            """A clock that stands still: whoever waits, waits."""

            def __init__(self) -> None:
                self.leaps = Leaps()

            async def sleep(self, _: float) -> None:
                await asyncio.get_running_loop().create_future()

        still = Patience()
        host = HostThrottle(
            "a.example", Timekeeper(now=still.leaps.now, sleep=still.sleep), delay_seconds=30.0, concurrency=2
        )
        idle = host.waiting()
        await host.acquire(1.0)
        host.answered(status=200, seconds=0.1)
        waiting = asyncio.ensure_future(host.acquire(1.0))
        await asyncio.sleep(0)
        wait = host.waiting()
        host.stop()
        await asyncio.gather(waiting, return_exceptions=True)
        with pytest.raises(asyncio.CancelledError):
            await host.acquire(1.0)
        return idle, wait

    idle, wait = run(scene)
    assert idle is None
    assert wait.why == "30 s between requests"


def test_the_steady_clock_goes_forward() -> None:
    keeper = Timekeeper.steady()
    assert keeper.now() <= keeper.now()
    assert keeper.now().utcoffset() == timedelta(0)


def test_the_steady_time_goes_on_while_the_machine_sleeps() -> None:
    seconds = 100.0
    time = Timekeeper.steady(lambda: seconds)
    began = time.now()
    seconds += 8 * 3600.0
    assert time.now() - began == timedelta(hours=8)
