"""The ledger of requests and waits: added up by host and cause, once each."""

from __future__ import annotations

import json
import sqlite3
import threading
from contextlib import closing
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from places import Place
from sqlalchemy import event

from everlog.archive import open_archive
from everlog.archive.db.migrate import SCRIPTS, Schema
from everlog.archive.repos.hosts import EARLIER, MOST_SIGNALS
from everlog.core.fetcher import HostStats, Waited

NOW = datetime(2024, 5, 1, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)


@pytest.fixture
def archive(place):
    with place.open() as opened:
        yield opened


def waited(reason="the server asked us to wait (HTTP 429)", signal="429, Retry-After: 120", at=NOW, **other):
    return Waited(**{"reason": reason, "signal": signal, "seconds": 120.0, "first_at": at, "last_at": at, **other})


def asked(host="a.example", *waits, requests=2, at=NOW):
    return HostStats(
        host=host, requests=requests, bytes=100, waited_seconds=121.0, slowed=1, delay_seconds=2.5,
        asked_at=at if requests else None, waits=waits,
    )


def test_an_archive_without_crawls_has_an_empty_ledger(archive):
    archive.hosts.add([], NOW)
    assert list(archive.hosts.stats()) == []


def test_what_is_added_comes_back_whole(archive):
    row = asked("a.example", waited(until=NOW + HOUR))
    archive.hosts.add([row], NOW)
    assert list(archive.hosts.stats()) == [row]


def test_runs_are_added_up_by_host_and_by_cause(archive):
    archive.hosts.add([asked("a.example", waited(until=NOW + HOUR)), asked("b.example")], NOW)
    later = NOW + 2 * HOUR
    robots = waited("crawl-delay in robots.txt", "", at=later)
    archive.hosts.add([asked("a.example", waited(at=later), robots, at=later)], later)
    first, second = archive.hosts.stats()
    assert (first.host, first.requests, first.bytes) == ("a.example", 4, 200)
    assert (first.waited_seconds, first.slowed) == (242.0, 2)
    assert first.asked_at == later
    refused, robots = first.waits
    assert (refused.times, refused.seconds, refused.first_at, refused.last_at) == (2, 240.0, NOW, later)
    assert refused.until == NOW + HOUR, "what the server said last about a time stands until it says another"
    assert (robots.reason, robots.signal, robots.times) == ("crawl-delay in robots.txt", "", 1)
    assert (second.host, second.requests, second.waits) == ("b.example", 2, ())


def test_two_rows_of_one_host_in_one_go_are_added_up_too(archive):
    archive.hosts.add([asked("a.example", waited()), asked("a.example", waited())], NOW)
    [row] = archive.hosts.stats()
    assert (row.requests, row.waits[0].times) == (4, 2)


def test_a_host_that_was_only_waited_for_keeps_the_time_it_was_asked(archive):
    archive.hosts.add([asked()], NOW)
    archive.hosts.add([asked("a.example", waited(), requests=0)], NOW + HOUR)
    [row] = archive.hosts.stats()
    assert row.asked_at == NOW


def test_one_host_can_be_looked_up(archive):
    archive.hosts.add([asked(f"{letter}.example", waited()) for letter in "abc"], NOW)
    [row] = archive.hosts.stats("b.example")
    assert (row.host, len(row.waits)) == ("b.example", 1)
    assert list(archive.hosts.stats("d.example")) == []


def test_a_poll_that_waits_for_its_time_is_in_the_ledger_of_its_host(archive):
    words = {"reason": "the feed is fresh", "signal": "ttl: 60 min"}
    archive.hosts.note_waits({"a.example": [waited(**words, seconds=3600.0, until=NOW + HOUR)]})
    [row] = archive.hosts.stats()
    assert (row.requests, row.waited_seconds, row.asked_at) == (0, 0.0, None), "nobody asked, nobody stood in line"
    assert row.waits == (waited(**words, seconds=3600.0, until=NOW + HOUR),)
    archive.hosts.add([asked()], NOW)
    archive.hosts.note_waits({"a.example": [waited(**words)]})
    [row] = archive.hosts.stats()
    assert (row.requests, row.delay_seconds, row.waits[0].times) == (2, 2.5, 2)


def test_signals_that_are_new_each_time_fill_no_archive(archive):
    for minute in range(40):
        at = NOW + timedelta(minutes=minute)
        fresh = waited("the feed is fresh", f"Expires: {at:%H:%M}", at, seconds=60.0)
        archive.hosts.note_waits({"a.example": [fresh]})
    archive.hosts.note_waits({"a.example": [waited("delay between requests", "", seconds=1.0)]})
    [row] = archive.hosts.stats()
    fresh = [wait for wait in row.waits if wait.reason == "the feed is fresh"]
    assert len(fresh) == MOST_SIGNALS + 1
    assert (sum(wait.times for wait in fresh), sum(wait.seconds for wait in fresh)) == (40, 2400.0)
    latest = {f"Expires: 12:{minute}" for minute in range(40 - MOST_SIGNALS, 40)}
    assert {wait.signal for wait in fresh} == {EARLIER, *latest}
    [folded] = [wait for wait in fresh if wait.signal == EARLIER]
    assert (folded.first_at, folded.last_at) == (NOW, NOW + timedelta(minutes=39 - MOST_SIGNALS))


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 30), st.integers(0, 9)), max_size=60))
def test_no_sum_is_lost_however_signals_come(tmp_path_factory, notes):
    loses_no_sum(Place(folder=tmp_path_factory.mktemp("ledger")), notes)


@settings(max_examples=5)
@given(st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 30), st.integers(0, 9)), max_size=60))
def test_no_sum_is_lost_on_a_server_however_signals_come(emptied, tmp_path_factory, notes):
    loses_no_sum(emptied(tmp_path_factory.mktemp("ledger")), notes)


def loses_no_sum(place, notes):
    with place.open() as archive:
        for number, (host, signal, seconds) in enumerate(notes):
            at = NOW + timedelta(seconds=number)
            archive.hosts.add([asked(host, waited(signal=str(signal), seconds=float(seconds), at=at))], at)
        rows = {row.host: row for row in archive.hosts.stats()}
        for host in {host for host, _, _ in notes}:
            mine = [seconds for other, _, seconds in notes if other == host]
            assert rows[host].requests == 2 * len(mine)
            assert sum(wait.times for wait in rows[host].waits) == len(mine)
            assert sum(wait.seconds for wait in rows[host].waits) == sum(mine)
            assert len(rows[host].waits) <= MOST_SIGNALS + 1


def test_what_no_database_takes_is_stored_all_the_same(archive):
    archive.hosts.add([asked("a.example", waited(signal="429, Retry-After: \x00\ud800"))], NOW)
    [row] = archive.hosts.stats()
    assert row.waits[0].signal == "429, Retry-After: \ufffd\ufffd"


def test_one_host_of_many_costs_as_much_as_one_of_few(archive):
    def statements(hosts):
        said = []
        event.listen(archive.backend.database.engine, "before_cursor_execute", lambda *call: said.append(call[2]))
        archive.hosts.add(hosts, NOW)
        return len(said)

    few = statements([asked("a.example", waited())])
    archive.hosts.add([asked(f"h{number}.example", waited()) for number in range(1000)], NOW)
    assert statements([asked("a.example", waited())]) == few
    assert len(list(archive.hosts.stats())) == 1001


def test_writers_side_by_side_lose_nothing(archive):
    def add():
        for _ in range(20):
            archive.hosts.add([asked("a.example", waited()), asked("b.example", waited())], NOW)

    threads = [threading.Thread(target=add) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [(row.requests, row.waits[0].times) for row in archive.hosts.stats()] == [(160, 80), (160, 80)]


def test_the_ledger_of_an_older_version_is_taken_over(tmp_path):
    from everlog.archive.archive import ArchiveOptions

    folder = tmp_path / "archive"
    figures = {"requests": 7, "bytes": 99, "waited_seconds": 3.5, "slowed": 1, "delay_seconds": 1.0}
    folder.mkdir()
    with closing(sqlite3.connect(folder / "everlog.sqlite")) as database:
        database.execute("create table alembic_version (version_num text not null primary key)")
        database.execute("insert into alembic_version values ('0000')")
        database.commit()
    scripts = tmp_path / "scripts"
    scripts.mkdir()
    (scripts / "r0000.py").write_text('revision = "0000"\ndown_revision = None\ndef upgrade(): ...\n')
    for script in SCRIPTS.glob("r000*.py"):
        text = script.read_text().replace("down_revision = None", 'down_revision = "0000"')
        (scripts / script.name).write_text(text)
    with open_archive(folder, create=True, options=ArchiveOptions(schema=Schema(head="0003", scripts=(scripts,)))):
        pass
    with closing(sqlite3.connect(folder / "everlog.sqlite")) as database:
        database.execute(
            "insert into remembered values (0, 'ledger', ?)", (json.dumps({"old.example": figures}),),
        )
        database.commit()
    with open_archive(
        folder, create=True, options=ArchiveOptions(schema=Schema(head="0004", scripts=(scripts,))),
    ) as archive:
        assert list(archive.hosts.stats()) == [HostStats(host="old.example", **figures)]
        archive.hosts.add([asked("old.example", waited())], NOW)
        [row] = archive.hosts.stats()
        assert (row.requests, row.bytes, row.asked_at) == (9, 199, NOW)
