"""Answers kept for all pages: asked for once, forgotten in good order, and never wrongly given."""

from __future__ import annotations

import asyncio

import pytest
from stage import answer

from everlog.records import Failure
from everlog.render.response_cache import ResponseCache


class Source:
    """Brings answers and counts how often it was asked."""

    def __init__(self, *answers):
        self.answers = list(answers)
        self.times = 0

    async def bring(self):
        self.times += 1
        await asyncio.sleep(0)
        return self.answers[0] if len(self.answers) == 1 else self.answers.pop(0)


def test_what_many_want_at_once_is_asked_for_once():
    source = Source(answer("https://a.blog/a.js", "1"))

    async def story():
        file_store = ResponseCache()
        return await asyncio.gather(*(file_store.get("a", source.bring) for _ in range(10)))

    assert {found.body for found in asyncio.run(story())} == {b"1"}
    assert source.times == 1


@pytest.mark.parametrize(
    ("status", "headers", "times"),
    [(200, {}, 1), (404, {}, 1), (301, {}, 1), (500, {}, 2), (429, {}, 2), (200, {"Cache_Control": "no-store"}, 2)],
)
def test_answers_that_may_change_are_not_kept(status, headers, times):
    source = Source(answer("https://a.blog/a.js", "1", status=status, **headers))

    async def story():
        file_store = ResponseCache()
        for _ in range(2):
            await file_store.get("a", source.bring)

    asyncio.run(story())
    assert source.times == times


def test_a_dead_host_is_remembered_and_a_busy_one_is_asked_again():
    dead = Source(Failure(url="https://a.blog/a.js", trouble="dns", reason="no such host"))
    busy = Source(Failure(url="https://a.blog/b.js", trouble="rate-limited", reason="later"))

    async def story():
        file_store = ResponseCache()
        for _ in range(2):
            await file_store.get("dead", dead.bring)
            await file_store.get("busy", busy.bring)

    asyncio.run(story())
    assert (dead.times, busy.times) == (1, 2)


def test_room_is_bounded_and_what_was_not_wanted_longest_goes_first():
    sources = {name: Source(answer(f"https://a.blog/{name}", b"x" * 10_000)) for name in "abcdef"}

    async def story():
        file_store = ResponseCache(room_bytes=50_000)
        for name in "abcadaefa":
            await file_store.get(name, sources[name].bring)

    asyncio.run(story())
    assert {name: source.times for name, source in sources.items()} == dict.fromkeys("abcdef", 1)

    async def again():
        file_store = ResponseCache(room_bytes=50_000)
        for name in "abcdefa":
            await file_store.get(name, sources[name].bring)

    asyncio.run(again())
    assert sources["a"].times == 3


def test_who_waits_for_somebody_who_gave_up_asks_himself():
    source = Source(answer("https://a.blog/a.js", "1"))

    async def story():
        file_store = ResponseCache()

        async def never():
            await asyncio.Event().wait()

        first = asyncio.ensure_future(file_store.get("a", never))
        await asyncio.sleep(0)
        second = asyncio.ensure_future(file_store.get("a", source.bring))
        await asyncio.sleep(0)
        first.cancel()
        return (await second).body

    assert asyncio.run(story()) == b"1"
