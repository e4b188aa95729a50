"""`everlog status`: what became of blogs and posts, when they are asked again, and how polite all that was."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import event as listening

from cli.program import everlog
from everlog.archive import open_archive
from everlog.archive.models import Poll
from everlog.cli import main
from everlog.core.fetcher import HostStats, Waited
from everlog.records import Event
from everlog.schedule.poll_schedule import Observation, after_poll, first_polling
from fetch.servers import reply

NOW = datetime(2024, 5, 1, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)
# A title that would clear the screen, colour it, and turn what stands behind it.
NASTY = "\x1b[2J\x1b[31mred\x9b1m\u202eesrever\r\nfake line"


def run(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    capsys.readouterr()
    assert main(["status", *words]) == 0, capsys.readouterr().err
    return capsys.readouterr().out


@pytest.fixture
def archive(here):
    with open_archive("everlog-archive", create=True) as opened:
        yield opened


def blog(archive, home="https://a.example/", **changes):
    return archive.blogs.update(archive.blogs.add(home, scope="path").id, **{"state": "finished", **changes})


def asked(host, *waits, requests=3):
    return HostStats(
        host=host, requests=requests, bytes=1000, waited_seconds=120.0, slowed=1, delay_seconds=2.0, asked_at=NOW,
        waits=waits,
    )


def waited(reason, signal="", **other):
    return Waited(**{"reason": reason, "signal": signal, "seconds": 120.0, "first_at": NOW, "last_at": NOW, **other})


# All blogs


def test_an_archive_without_blogs_has_an_empty_list(archive, capsys):
    assert json.loads(run(capsys, "--json")) == []
    assert run(capsys).split()[0] == "blog"


@pytest.mark.parametrize("words", [(), ("--politeness",)], ids=["blogs", "ledger"])
def test_an_archive_without_anything_says_how_to_begin(archive, capsys, words):
    assert main(["status", *words]) == 0
    assert capsys.readouterr().err.strip().endswith("yet:  everlog crawl URL")
    assert main(["status", "-q", *words]) == 0
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("end", [{"forgotten_at": NOW}, {"gone": "its host is unknown", "gone_at": NOW}],
                         ids=["forgotten", "gone"])
def test_a_blog_that_nobody_asks_any_more_has_no_next_poll(archive, capsys, end):
    added = blog(archive)
    polling = after_poll(first_polling([], NOW, seed="a"), Observation(kind="unchanged"), NOW, seed="a")
    archive.polls.set(Poll(blog_id=added.id, polling=polling))
    archive.blogs.update(added.id, **end)
    [row] = json.loads(run(capsys, "--json"))
    detail = json.loads(run(capsys, "https://a.example/", "--json"))
    assert [(each["next_poll"], each["poll_reason"]) for each in (row, detail)] == [(None, None)] * 2
    text = run(capsys, "https://a.example/")
    assert "next check" not in text
    assert "last check   2024-05-01" in text


def test_a_blog_that_is_watched_shows_when_it_is_asked_next_and_why(archive, capsys):
    added = blog(archive)
    seen = Observation(kind="unchanged", allowed_at=NOW + 20 * HOUR, signal="Cache-Control: max-age=72000")
    polling = after_poll(first_polling([], NOW, seed="a"), seen, NOW, seed="a")
    archive.polls.set(Poll(blog_id=added.id, polling=polling))
    [row] = json.loads(run(capsys, "--json"))
    assert row["next_poll"] == polling.due_at.isoformat(timespec="seconds")
    assert (row["poll_reason"], row["poll_signal"]) == (polling.why, "Cache-Control: max-age=72000")
    assert run(capsys).split()[-1] == f"{polling.due_at:%Y-%m-%d}"
    text = run(capsys, "https://a.example/")
    assert f"next check   {polling.due_at:%Y-%m-%d}: {polling.why} (Cache-Control: max-age=72000)" in text


def test_a_blog_that_is_gone_says_since_when_and_why(archive, capsys):
    blog(archive, gone="its host is unknown since a week", gone_at=NOW)
    blog(archive, "https://b.example/")
    rows = json.loads(run(capsys, "--json"))
    assert [row["state"] for row in rows] == ["gone", "finished"]
    assert (rows[0]["gone"], rows[0]["gone_since"]) == ("its host is unknown since a week", NOW.isoformat())
    text = run(capsys)
    assert "gone from the web: 1 of 2 blogs" in text
    assert "  https://a.example/  2024-05-01: its host is unknown since a week" in text
    assert "gone         2024-05-01: its host is unknown since a week" in run(capsys, "https://a.example/")


def test_events_that_matter_are_listed_newest_first_and_edits_are_not(archive, capsys):
    added = blog(archive)
    archive.events.add([
        Event(blog_id=added.id, kind=kind, at=NOW + number * HOUR, reason=f"reason {number}")
        for number, kind in enumerate(["moved", "edited", "redesigned", "comments", "dead"])
    ])
    listed = [line.split()[1] for line in run(capsys).splitlines() if "reason" in line]
    assert listed == ["dead", "redesigned", "moved"]
    assert "https://a.example/  reason 4" in run(capsys)
    [row] = json.loads(run(capsys, "--json"))
    assert [(event["kind"], event["reason"]) for event in row["events"]] == [
        ("moved", "reason 0"), ("redesigned", "reason 2"), ("dead", "reason 4"),
    ]


def test_of_many_events_the_latest_are_shown_and_all_on_demand(archive, capsys):
    added = blog(archive)
    archive.events.add([
        Event(blog_id=added.id, kind="deleted", at=NOW + number * HOUR, reason=f"[{number}]") for number in range(50)
    ])
    text = run(capsys)
    assert "[49]" in text
    assert "[30]" in text
    assert "[29]" not in text
    assert "-v shows all" in text
    assert all(f"[{number}]" in run(capsys, "-v") for number in (0, 29, 49))


def test_the_overview_asks_the_database_as_often_for_many_blogs_as_for_one(archive):
    said = []
    listening.listen(archive.backend.database.engine, "before_cursor_execute", lambda *call: said.append(call[2]))
    blog(archive)
    said.clear()
    assert len(list(archive.blogs.outlines())) == 1
    for_one = len(said)
    for number in range(50):
        blog(archive, f"https://b{number}.example/")
    said.clear()
    assert len(list(archive.blogs.outlines())) == 51
    assert len(said) == for_one


def test_figures_of_the_overview_are_those_of_the_blog_itself(kept, capsys):
    [row] = json.loads(run(capsys, "--json"))
    detail = json.loads(run(capsys, kept, "--json"))
    names = ("blog", "title", "posts", "comments", "media", "waiting", "failed", "deleted", "state", "last_crawl")
    assert [row[name] for name in names] == [detail[name] for name in names]
    assert row["media"] > 0


# One blog


def test_a_blog_tells_its_former_homes_templates_and_all_events(archive, capsys):
    added = blog(archive)
    archive.blogs.move(added.id, "https://new.example/")
    with archive.backend.database.writing() as connection:
        connection.exec_driver_sql(
            "insert into templates (blog_id, template, knowledge, retired_at, reason) values (?, '', '', ?, ?)",
            (added.id, "2024-05-01T12:00:00.000000Z", "its pages are built otherwise"),
        )
    archive.events.add([
        Event(blog_id=added.id, kind=kind, at=NOW, reason=f"some {kind}") for kind in ("edited", "edited", "moved")
    ])
    text = run(capsys, "https://new.example/")
    assert "before at    https://a.example/" in text
    assert "relearned    2024-05-01: its pages are built otherwise" in text
    assert "events       2 edited, 1 moved" in text
    assert text.index("some moved") < text.index("some edited")
    detail = json.loads(run(capsys, "https://new.example/", "--json"))
    assert detail["former_homes"] == ["https://a.example/"]
    assert [event["kind"] for event in detail["events"]] == ["edited", "edited", "moved"]


def test_posts_that_are_gone_are_listed_with_the_day_and_the_reason(kept, capsys):
    with open_archive("everlog-archive") as opened:
        gone, missing = (post.url for _, post in zip(range(2), opened.posts(), strict=False))
        with opened.backend.database.writing() as connection:
            connection.exec_driver_sql("update posts set gone = 'its page answers 410', gone_at = ? where id = 1",
                                       ("2024-05-01T12:00:00.000000Z",))
            connection.exec_driver_sql("update posts set missing_since = ?, missing_tries = 2 where id = 2",
                                       ("2024-05-01T12:00:00.000000Z",))
        opened.listing.rebuild()
    assert [row["deleted"] for row in json.loads(run(capsys, "--json"))] == [1]
    detail = json.loads(run(capsys, kept, "--json"))
    assert detail["deleted"] == 1
    assert detail["lost"] == [
        {"url": gone, "gone": "its page answers 410", "since": NOW.isoformat(), "looks": 0},
        {"url": missing, "gone": None, "since": NOW.isoformat(), "looks": 2},
    ]
    text = run(capsys, kept)
    assert f"  {gone}  2024-05-01: its page answers 410" in text
    assert f"  {missing}  not found on the last 2 checks, first 2024-05-01" in text


def test_what_strangers_wrote_does_not_reach_the_terminal_as_they_wrote_it(archive, capsys):
    added = blog(archive, title=NASTY, gone=NASTY, gone_at=NOW)
    archive.events.add([Event(blog_id=added.id, kind="deleted", at=NOW, reason=NASTY)])
    archive.hosts.add([asked("a.example", waited(NASTY, NASTY))], NOW)
    for words in ((), ("https://a.example/",), ("--politeness",)):
        text = run(capsys, *words)
        assert "esrever fake line" in text
        assert not {"\x1b", "\x9b", "\r", "\u202e"} & set(text)
        assert not any(line.startswith("fake") for line in text.splitlines())


# The ledger


def test_the_ledger_shows_the_reason_and_the_signal_of_every_wait(archive, capsys):
    later = datetime.now(UTC) + HOUR
    archive.hosts.add([asked(
        "a.example", waited("the server answered 429", "429, Retry-After: 120", times=2, until=later),
        waited("the time between requests", seconds=3.5, until=NOW),
    )], NOW)
    host, refused, own = run(capsys, "--politeness").splitlines()
    assert host == (
        f"a.example  3 requests, 1000 bytes, waited 120 s, last {NOW.isoformat()}, pace 2 s, slowed down once"
    )
    assert refused.split("  ")[-1] == (
        f"the server answered 429 [429, Retry-After: 120], last {NOW.isoformat()}"
        f", until {later.isoformat(timespec='seconds')}"
    )
    assert "2 times" in refused
    assert "until" not in own, "what is over is no longer waited for"
    [row] = json.loads(run(capsys, "--politeness", "--json"))
    assert (row["host"], row["requests"], row["asked"], len(row["waits"])) == ("a.example", 3, NOW.isoformat(), 2)
    assert row["waits"][0] == {
        "reason": "the server answered 429", "signal": "429, Retry-After: 120", "times": 2, "seconds": 120.0,
        "first": NOW.isoformat(), "last": NOW.isoformat(), "until": later.isoformat(timespec="seconds"),
    }
    assert row["waits"][1]["signal"] is None


def test_of_many_hosts_those_that_asked_for_waits_come_first_then_the_busiest(archive, capsys):
    plain = [asked(f"h{number}.example", requests=number) for number in range(60)]
    fresh = asked("fresh.example", waited("the feed is fresh", "Cache-Control: max-age=3600"))
    refused = asked("refused.example", waited("the server answered 429", "429"), requests=1)
    archive.hosts.add([*plain, fresh, refused], NOW)
    text = run(capsys, "--politeness")
    hosts = [line.split()[0] for line in text.splitlines() if "requests," in line]
    assert hosts[:4] == ["refused.example", "fresh.example", "h59.example", "h58.example"]
    assert len(hosts) == 50
    assert text.splitlines()[-1] == "  and 12 more (-v shows all)"
    assert run(capsys, "--politeness", "-v").count("requests,") == 62
    assert len(json.loads(run(capsys, "--politeness", "--json"))) == 62


def test_the_ledger_of_a_blog_has_its_own_hosts_and_no_others(archive, capsys):
    added = blog(archive, feed_url="https://feeds.example:8443/a.xml")
    archive.blogs.move(added.id, "https://new.example/")
    hosts = ("a.example", "new.example", "feeds.example:8443", "other.example")
    archive.hosts.add([asked(host) for host in hosts], NOW)
    rows = json.loads(run(capsys, "--politeness", "https://new.example/", "--json"))
    assert {row["host"] for row in rows} == set(hosts[:3])


@pytest.mark.slow
def test_a_crawl_that_was_refused_at_once_is_in_the_ledger(server, here, capsys):
    server.routes |= {"/robots.txt": reply(404), "*": reply(429, Retry_After="5000")}
    assert everlog("crawl", server.url(), "-q", folder=here).code == 5
    [row] = json.loads(run(capsys, "--politeness", "--json"))
    assert row["requests"] == len(server.seen)
    signals = {wait["signal"]: wait for wait in row["waits"]}
    assert signals["429, Retry-After: 5000"]["reason"] == "the server asked us to wait (HTTP 429)"
    assert signals["429, Retry-After: 5000"]["until"] > datetime.now(UTC).isoformat()
    before = len(server.seen)
    assert everlog("crawl", server.url(), "-q", folder=here).code == 5
    assert len(server.seen) == before, "the next run does not ask earlier either"
    [again] = json.loads(run(capsys, "--politeness", "--json"))
    assert again["requests"] == row["requests"], "what was asked once is counted once"
