"""What is waited for is in the ledger: the reason, and the server's own word for it."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest
from servers import Server, reply
from stories import Leaps, policy, tell, told

from everlog.core.retry_policy import LONGEST_REMEMBERED

if TYPE_CHECKING:
    from everlog.core.fetcher import HostStats, Waited
    from everlog.fetch import HttpClient

LEAPS = Leaps()
CENTURIES = "99999999999"


async def story(fetcher: HttpClient) -> dict[str, Any]:
    found: dict[str, Any] = {}
    await _policy(fetcher, found)
    await _refusals(fetcher, found)
    await _failures(fetcher, found)
    await _unread(fetcher, found)
    await _shared(fetcher, found)
    await _absurd(fetcher, found)
    return found


async def _policy(fetcher: HttpClient, found: dict[str, Any]) -> None:
    with Server({"*": reply(200, "page"), "/robots.txt": reply(404)}, now=LEAPS.now) as server:
        session = fetcher.session(policy(server.url(), delay_seconds=2.0))
        for number in range(4):
            await session.fetch(server.url(f"/{number}"))
        found["own"] = session.host_stats()
        found["own taken"] = session.take_host_stats()
        found["own left"] = session.host_stats()
        await session.fetch(server.url("/again"))
        found["own after"] = session.take_host_stats()
    for name, wish in (("robots", "Crawl-delay: 10"), ("rate", "Request-rate: 1/20"), ("long", "Crawl-delay: 86400")):
        with Server({"*": reply(200), "/robots.txt": reply(200, f"User-agent: *\n{wish}\n")}, now=LEAPS.now) as server:
            session = fetcher.session(policy(server.url(), obey_robots=True, delay_seconds=1.0))
            for number in range(3):
                await session.fetch(server.url(f"/{number}"))
            found[name] = session.take_host_stats()
    with Server({"*": reply(200)}, now=LEAPS.now) as server:
        session = fetcher.session(policy(server.url(), concurrency=1))
        await asyncio.gather(*(session.fetch(server.url(f"/{number}")) for number in range(3)))
        found["busy"] = session.take_host_stats()


async def _refusals(fetcher: HttpClient, found: dict[str, Any]) -> None:
    answers = {
        "asked": reply(429, Retry_After="120"), "vague": reply(429), "busy 503": reply(503, Retry_After="30"),
        "missing": reply(404, Retry_After="50"), "endless": reply(429, Retry_After="1" * 5000),
    }
    for name, answer in answers.items():
        with Server({"/": [answer, reply(200), reply(200), reply(200)]}, now=LEAPS.now) as server:
            session = fetcher.session(policy(server.url()))
            found[f"{name} at"] = LEAPS.now()
            await session.fetch(server.url())
            await session.fetch(server.url())
            found[f"refused {name}"] = session.take_host_stats()
    with Server({"*": reply(429, Retry_After="7200")}, now=LEAPS.now) as server:
        session = fetcher.session(policy(server.url(), longest_wait_seconds=600))
        found["sent home at"] = LEAPS.now()
        found["sent home"] = [await session.fetch(server.url(f"/{number}")) for number in range(3)]
        found["sent home ledger"] = session.take_host_stats()


async def _failures(fetcher: HttpClient, found: dict[str, Any]) -> None:
    with Server({"/": [reply(500), reply(502), reply(200)]}, now=LEAPS.now) as server:
        session = fetcher.session(policy(server.url()))
        await session.fetch(server.url())
        found["failed"] = session.take_host_stats()
    cut = (b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n", b"cut")
    with Server({"/": [cut, reply(200)]}, now=LEAPS.now) as server:
        session = fetcher.session(policy(server.url()))
        await session.fetch(server.url())
        found["cut off"] = session.take_host_stats()


async def _unread(fetcher: HttpClient, found: dict[str, Any]) -> None:
    with Server({"*": reply(200), "/robots.txt": reply(503)}, now=LEAPS.now) as server:
        session = fetcher.session(policy(server.url(), obey_robots=True))
        await session.fetch(server.url("/a"))
        await session.fetch(server.url("/b"))
        found["unread"] = session.take_host_stats()
        found["unread counts"] = server.counts()


async def _shared(fetcher: HttpClient, found: dict[str, Any]) -> None:
    with Server({"*": reply(500)}, now=LEAPS.now) as server:
        sessions = [fetcher.session(policy(server.url(), retries=0)) for _ in range(3)]
        for session in sessions:
            await session.fetch(server.url())
        found["shared"] = [session.take_host_stats() for session in sessions]


async def _absurd(fetcher: HttpClient, found: dict[str, Any]) -> None:
    kept: dict[str, str] = {}
    with Server({"*": reply(503, Retry_After=CENTURIES)}, now=LEAPS.now) as server:
        session = fetcher.session(policy(server.url()), recall=kept.get, remember=kept.__setitem__)
        found["absurd at"] = LEAPS.now()
        found["absurd"] = await session.fetch(server.url())
        found["absurd kept"] = dict(kept)
        # As in the next run, six days later and then eight: nothing is known but what was remembered.
        for days in (6, 8):
            fetcher._throttles.clear()
            LEAPS.moment = found["absurd at"] + timedelta(days=days)
            again = fetcher.session(policy(server.url()), recall=kept.get, remember=kept.__setitem__)
            found[f"absurd after {days}"] = await again.fetch(server.url())
            found[f"absurd ledger after {days}"] = again.take_host_stats()
        # What an older version kept, without an end that anybody would see.
        [name] = [each for each in kept if each.startswith("wait ")]
        kept[name] = "9999-01-01T00:00:00+00:00 the server asked us to wait (HTTP 503) and asked to wait"
        fetcher._throttles.clear()
        found["old at"] = LEAPS.now()
        old = fetcher.session(policy(server.url()), recall=kept.get, remember=kept.__setitem__)
        found["old"] = await old.fetch(server.url())
        found["old kept"] = kept[name]


@pytest.fixture(scope="module")
def found() -> dict[str, Any]:
    return told(__file__)


def causes(ledger: tuple[HostStats, ...]) -> list[tuple[str, str]]:
    (row,) = ledger
    return [(wait.reason, wait.signal) for wait in row.waits]


def first_wait(ledger: tuple[HostStats, ...]) -> Waited:
    return ledger[0].waits[0]


def test_ones_own_delay_is_a_wait_that_no_server_asked_for(found: dict[str, Any]) -> None:
    assert causes(found["own"]) == [("delay between requests", "")]
    wait = first_wait(found["own"])
    assert (wait.times, wait.seconds, wait.until) == (3, 6.0, None)
    assert wait.last_at - wait.first_at == timedelta(seconds=4)


def test_what_is_taken_is_not_counted_again(found: dict[str, Any]) -> None:
    assert found["own taken"] == found["own"]
    assert found["own left"] == ()
    (row,) = found["own after"]
    assert (row.requests, row.waits[0].times) == (1, 1)
    assert row.asked_at > found["own taken"][0].asked_at


@pytest.mark.parametrize(
    ("name", "signal", "seconds"),
    [("robots", "Crawl-delay: 10", 30.0), ("rate", "Request-rate: 1/20", 60.0), ("long", "Crawl-delay: 86400", 180.0)],
)
def test_a_wish_of_robots_txt_is_the_reason_in_its_own_words(
    found: dict[str, Any], name: str, signal: str, seconds: float,
) -> None:
    assert causes(found[name]) == [("crawl-delay in robots.txt", signal)]
    assert first_wait(found[name]).seconds == seconds


def test_what_took_no_time_is_no_wait(found: dict[str, Any]) -> None:
    # The clock of this story stands still while answers come.
    assert found["busy"][0].requests == 3
    assert found["busy"][0].waits == ()


@pytest.mark.parametrize(
    ("name", "reason", "signal", "seconds"),
    [
        ("asked", "the server asked us to wait (HTTP 429)", "429, Retry-After: 120", 120.0),
        ("vague", "rate-limited by the server (HTTP 429)", "429", 5.0),
        ("busy 503", "the server asked us to wait (HTTP 503)", "503, Retry-After: 30", 30.0),
        ("missing", "the server asked us to wait (HTTP 404)", "404, Retry-After: 50", 50.0),
    ],
)
def test_a_refusal_is_the_reason_with_the_words_it_came_with(
    found: dict[str, Any], name: str, reason: str, signal: str, seconds: float,
) -> None:
    wait = first_wait(found[f"refused {name}"])
    assert (wait.reason, wait.signal, wait.times, wait.seconds) == (reason, signal, 1, seconds)
    assert wait.last_at == found[f"{name} at"] + timedelta(seconds=seconds)


def test_the_slower_pace_after_a_refusal_has_its_own_reason(found: dict[str, Any]) -> None:
    assert causes(found["refused asked"])[1:] == [("backing off after HTTP 429", "429")]
    assert found["refused asked"][0].slowed == 1


def test_a_signal_is_no_longer_than_anybody_reads(found: dict[str, Any]) -> None:
    assert all(len(wait.signal) <= 100 for wait in found["refused endless"][0].waits)


def test_who_is_sent_home_has_waited_too_and_knows_until_when(found: dict[str, Any]) -> None:
    (row,) = found["sent home ledger"]
    (wait,) = row.waits
    assert row.requests == 1
    # The second try of the first page, and the two others.
    assert wait.reason == "the server asked us to wait (HTTP 429)"
    assert (wait.signal, wait.times) == ("429, Retry-After: 7200", 3)
    assert (wait.seconds, wait.until) == (0.0, found["sent home at"] + timedelta(seconds=7200))
    assert {failure.until for failure in found["sent home"]} == {wait.until}


def test_failures_are_a_reason_with_the_status_they_had(found: dict[str, Any]) -> None:
    reason = "backing off after failed requests"
    assert causes(found["failed"]) == [(reason, "500"), (reason, "502")]
    assert causes(found["cut off"]) == [(reason, "")]


def test_rules_that_could_not_be_read_keep_everybody_waiting(found: dict[str, Any]) -> None:
    (row,) = found["unread"]
    (wait,) = row.waits
    assert (wait.reason, wait.signal, wait.times) == ("robots.txt could not be fetched", "503", 2)
    assert wait.until == wait.first_at + timedelta(minutes=10)
    assert found["unread counts"] == {"/robots.txt": 1}


def test_of_sessions_that_share_a_host_each_counts_its_own(found: dict[str, Any]) -> None:
    assert [(row.requests, row.slowed) for (row,) in found["shared"]] == [(1, 1)] * 3


@pytest.mark.parametrize("name", ["own", "robots", "refused asked", "refused vague", "failed", "cut off"])
def test_the_waits_of_a_host_add_up_to_what_was_waited_for_it(found: dict[str, Any], name: str) -> None:
    (row,) = found[name]
    assert row.waited_seconds == pytest.approx(sum(wait.seconds for wait in row.waits))


def test_an_absurd_wish_is_obeyed_and_remembered_for_a_week(found: dict[str, Any]) -> None:
    assert found["absurd"].until.year > 3000
    [kept] = [value for name, value in found["absurd kept"].items() if name.startswith("wait ")]
    assert kept.startswith((found["absurd at"] + LONGEST_REMEMBERED).isoformat())
    assert kept.endswith(f"503, Retry-After: {CENTURIES}"), "as the server said it"


def test_within_the_week_nobody_asks_and_after_it_once(found: dict[str, Any]) -> None:
    (row,) = found["absurd ledger after 6"]
    assert (row.requests, row.waits[0].signal) == (0, f"503, Retry-After: {CENTURIES}")
    assert found["absurd after 6"].until == found["absurd at"] + LONGEST_REMEMBERED
    (row,) = found["absurd ledger after 8"]
    assert row.requests == 1


def test_what_an_older_version_remembered_ends_within_a_week_as_well(found: dict[str, Any]) -> None:
    assert found["old"].until == found["old at"] + LONGEST_REMEMBERED
    assert found["old kept"].startswith(found["old"].until.isoformat())


if __name__ == "__main__":
    tell(story, LEAPS.keeper())
