"""Rules: what an answer means, and how long it holds."""

from __future__ import annotations

import asyncio
import json
from datetime import UTC, datetime, timedelta

import pytest

from everlog.fetch.robots import KEPT_ORIGINS, RobotsBook, Rules, read_rules, remember_rules, remembered_rules, rules_of
from everlog.records import Exchange

NOW = datetime(2024, 5, 1, tzinfo=UTC)
ORIGIN = "https://a.example"


def answer(status: int, body: bytes = b"") -> Exchange:
    return Exchange(url=f"{ORIGIN}/robots.txt", status=status, body=body, fetched_at=NOW, purpose="robots")


@pytest.mark.parametrize(("status", "free"), [(200, True), (401, True), (403, True), (404, True), (410, True),
                                               (429, False), (500, False), (503, False)])
def test_a_status_means_free_or_stay_out(status: int, *, free: bool) -> None:
    assert read_rules(answer(status), NOW).allows(f"{ORIGIN}/a", "everlog") is free


def test_rules_hold_a_day_and_their_absence_by_fault_ten_minutes() -> None:
    rules, fault = read_rules(answer(404), NOW), read_rules(answer(500), NOW)
    assert rules.holds(NOW + timedelta(hours=23))
    assert not rules.holds(NOW + timedelta(hours=24))
    assert fault.holds(NOW + timedelta(minutes=9))
    assert not fault.holds(NOW + timedelta(minutes=10))
    assert not rules.holds(NOW - timedelta(days=900)), "a clock that was years ahead proves nothing"


@pytest.mark.parametrize(("line", "seconds"), [("Crawl-delay: 3", 3.0), ("Crawl-delay: nan", None),
                                               ("Crawl-delay: soon", None), ("", None), ("Request-rate: 1/20", 20.0),
                                               ("Request-rate: 1/20\nCrawl-delay: 30", 30.0)])
def test_a_crawl_delay_is_a_number_or_none(line: str, seconds: float | None) -> None:
    assert rules_of(f"User-agent: *\n{line}\nDisallow: /x\n", NOW).crawl_delay("everlog") == seconds


def test_rules_are_remembered_and_faults_are_not() -> None:
    kept: dict[str, str] = {}
    good = answer(200, b"User-agent: *\nDisallow: /no\n")
    remember_rules(kept.__setitem__, ORIGIN, good, read_rules(good, NOW))
    remember_rules(kept.__setitem__, "https://b.example", answer(500), read_rules(answer(500), NOW))
    remember_rules(None, ORIGIN, good, read_rules(good, NOW))
    assert list(kept) == [f"robots {ORIGIN}"]
    again = remembered_rules(kept.get, ORIGIN, NOW + timedelta(hours=1))
    assert again is not None
    assert not again.allows(f"{ORIGIN}/no", "everlog")
    assert remembered_rules(kept.get, ORIGIN, NOW + timedelta(hours=25)) is None
    assert remembered_rules(None, ORIGIN, NOW) is None


@pytest.mark.parametrize("spoilt", ["", "{", "[]", "{}", '{"read_at": "2024-05-01T00:00:00", "text": ""}',
                                    json.dumps({"read_at": "someday", "text": ""})])
def test_what_cannot_be_read_is_not_remembered(spoilt: str) -> None:
    assert remembered_rules({f"robots {ORIGIN}": spoilt}.get, ORIGIN, NOW) is None


def test_the_book_forgets_those_not_met_for_long() -> None:
    book = RobotsBook()
    for number in range(KEPT_ORIGINS):
        book.keep(str(number), Rules(read_at=NOW))
    assert book.known("0", NOW) is not None
    book.keep("one more", Rules(read_at=NOW))
    assert book.known("1", NOW) is None
    assert book.known("0", NOW) is not None


def test_one_reads_while_the_others_wait() -> None:
    async def scene() -> list[str]:
        book, order = RobotsBook(), []

        async def reader(name: str) -> None:
            async with book.reading(ORIGIN):
                order.append(f"{name} in")
                await asyncio.sleep(0)
                order.append(f"{name} out")

        await asyncio.gather(reader("a"), reader("b"), reader("c"))
        assert book._reading == {}
        return order

    assert asyncio.run(scene()) == ["a in", "a out", "b in", "b out", "c in", "c out"]
