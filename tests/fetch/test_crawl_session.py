"""What one blog's crawl may ask, and what comes of it: one story, told once, looked at by many tests."""

from __future__ import annotations

import asyncio
from datetime import datetime, timedelta
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pytest
from servers import Server, redirect, reply
from stories import AGENT, Leaps, policy, tell, told

from everlog.records import Failure, Fetched

if TYPE_CHECKING:
    from everlog.fetch import HttpClient

LEAPS = Leaps()
NOON_TOMORROW = "Thu, 02 May 2024 12:00:00 GMT"


def patient(*answers: bytes) -> list[bytes]:
    return list(answers)


async def story(fetcher: HttpClient) -> dict[str, Any]:
    found: dict[str, Any] = {}
    other = Server({"/landing": reply(200, "elsewhere"), "/back": b""}, now=LEAPS.now)
    with Server(now=LEAPS.now) as blog, other:
        found["address"] = blog.url("")
        other.routes["/back"] = redirect(blog.url("/private"))
        blog.routes |= {
            "/plain": reply(200, "hello", ETag='"1"', X_Two="a"),
            "/gone": reply(410, "gone"),
            "/forbidden": reply(403),
            "/moved": redirect("/plain#part", 301),
            "/a": redirect("/b"), "/b": redirect("/a"),
            "/script": redirect("javascript:alert(1)"), "/file": redirect("file:///etc/passwd"),
            "/inward": redirect("http://169.254.169.254/latest/meta-data/"),
            "/nowhere": reply(302),
            "/away": redirect(other.url("/landing"), 307), "/there-and-back": redirect(other.url("/back")),
            "/utf8": redirect("/caf\u00e9"), "/caf%C3%A9": reply(200, "coffee"),
            "/private": reply(200, "yours"),
            "/unchanged": reply(304),
            "/recovers": patient(reply(500), reply(502), reply(200, "at last")),
            "/broken": reply(500),
            "/chain0": redirect("/chain1"),
            **{f"/chain{n}": redirect(f"/chain{n + 1}") for n in range(1, 30)},
        }
        session = fetcher.session(policy(blog.url()))
        for name in ("plain", "missing", "gone", "forbidden", "moved", "a", "script", "file", "inward", "nowhere",
                     "utf8", "unchanged", "recovers", "broken", "chain0"):
            found[name] = await session.fetch(blog.url(f"/{name}"))
        found["conditional"] = await session.fetch(
            blog.url("/unchanged"), etag='"1"', last_modified="Wed, 01 May 2024 00:00:00 GMT"
        )
        found["conditional sent"] = blog.last("/unchanged").headers
        found["fragment"] = await session.fetch(blog.url("/plain#comments"))
        found["counts"] = blog.counts()
        staying = fetcher.session(policy(blog.url(), stays=True))
        landed = len(other.seen)
        found["stays"] = [await staying.fetch(blog.url(path)) for path in ("/moved", "/away")]
        found["landed"] = len(other.seen) - landed
        found["ledger"] = session.host_stats()
        found["sent"] = blog.last("/plain").headers
        await _private_things(fetcher, blog, other, found)
    await _rate_limits(fetcher, found)
    await _robots(fetcher, found)
    await _memory(fetcher, found)
    await _stopping(fetcher, found)
    return found


async def _private_things(fetcher: HttpClient, blog: Server, other: Server, found: dict[str, Any]) -> None:
    secrets = {"headers": (("X-Key", "s3cret"),), "cookies": (("sid", "42"), ("b", "c"))}
    session = fetcher.session(policy(blog.url(), **secrets))
    found["private"] = await session.fetch(blog.url("/private"))
    found["private sent"] = blog.last("/private").headers
    http_client = fetcher.session(policy(blog.url(), other.url(), **secrets))
    found["away"] = await http_client.fetch(blog.url("/away"))
    found["away sent"] = other.last("/landing").headers
    found["there and back"] = await http_client.fetch(blog.url("/there-and-back"))
    found["there and back sent"] = blog.last("/private").headers


async def _rate_limits(fetcher: HttpClient, found: dict[str, Any]) -> None:
    with Server(now=LEAPS.now) as server:
        server.routes |= {
            "/soon": patient(reply(429, Retry_After="90"), reply(200, "welcome")),
            "/date": patient(reply(503, Retry_After=NOON_TOMORROW), reply(200, "welcome")),
            "/vague": patient(reply(429), reply(503), reply(200, "welcome")),
            "/always": reply(429, Retry_After="2"),
        }
        session = fetcher.session(policy(server.url(), longest_wait_seconds=172_800))
        for name in ("soon", "date", "vague", "always"):
            found[f"limit {name}"] = await session.fetch(server.url(f"/{name}"))
            found[f"limit {name} at"] = [seen.at for seen in server.seen if seen.path == f"/{name}"]
        found["limit waits"] = session.waiting()
        found["limit ledger"] = session.host_stats()
    with Server({"*": reply(503, Retry_After="99999999999999999999")}, now=LEAPS.now) as server:
        session = fetcher.session(policy(server.url()))
        pages = [session.fetch(server.url(f"/{n}")) for n in range(9)]
        found["absurd"] = await asyncio.gather(*pages)
        found["absurd later"] = await session.fetch(server.url("/later"))
        found["absurd counts"] = server.counts()


async def _robots(fetcher: HttpClient, found: dict[str, Any]) -> None:
    rules = "User-agent: *\nDisallow: /closed\n\nUser-agent: everlog\nDisallow: /mine\nCrawl-delay: 7\n"
    answers = {
        "rules": reply(200, rules), "missing": reply(404), "forbidden": reply(403), "broken": reply(503),
        "busy": reply(429), "moved": redirect("/real-robots.txt"), "inward": redirect("http://127.0.0.1:1/robots.txt"),
        "loop": redirect("/robots.txt"), "odd": reply(200, b"\xff\xfe\x00nonsense"),
        "large": reply(200, rules + "# much\n" * 100_000), "huge": reply(200, "# much\n" * 1_000_000),
        "late rule": reply(200, "# much\n" * 100_000 + "User-agent: *\nDisallow: /\n"),
    }
    for name, answer in answers.items():
        with Server(now=LEAPS.now) as server:
            server.routes |= {"/robots.txt": answer, "*": reply(200, "page"), "/real-robots.txt": reply(200, rules)}
            session = fetcher.session(policy(server.url(), obey_robots=True))
            paths = ("/open", "/closed", "/mine", "/open2")
            found[f"robots {name}"] = [await session.fetch(server.url(path)) for path in paths]
            found[f"robots {name} counts"] = server.counts()
            found[f"robots {name} at"] = [seen.at for seen in server.seen if seen.path != "/robots.txt"]
            found[f"robots {name} exchanges"] = session.robots_exchanges()
            found[f"robots {name} drained"] = session.robots_exchanges()
            if name == "broken":
                LEAPS.moment += timedelta(minutes=11)
                server.routes["/robots.txt"] = reply(404)
                found["robots broken later"] = await session.fetch(server.url("/open"))
            if name == "rules":
                disobeying = fetcher.session(policy(server.url()))
                found["robots disobeyed"] = await disobeying.fetch(server.url("/mine"))
                found["robots itself"] = await session.fetch(server.url("/robots.txt"), purpose="robots")
    with Server({"/robots.txt": reply(404), "*": reply(200, "page")}, now=LEAPS.now) as server:
        sessions = [fetcher.session(policy(server.url(), obey_robots=True, concurrency=8)) for _ in range(3)]
        await asyncio.gather(*(each.fetch(server.url(f"/{n}")) for each in sessions for n in range(5)))
        found["robots asked together"] = server.counts()["/robots.txt"]


async def _memory(fetcher: HttpClient, found: dict[str, Any]) -> None:
    kept: dict[str, str] = {}
    with Server(now=LEAPS.now) as server:
        origin = server.url("")
        rules = reply(200, "User-agent: *\nDisallow: /no")
        server.routes |= {"*": reply(429, Retry_After="9000"), "/robots.txt": rules}
        session = fetcher.session(policy(server.url(), obey_robots=True), recall=kept.get, remember=kept.__setitem__)
        found["memory first"] = await session.fetch(server.url("/yes"))
        found["memory"] = dict(kept)
        # As in the next run: nothing is known but what was remembered.
        fetcher.robots.rules.clear()
        fetcher._throttles.clear()
        session = fetcher.session(policy(server.url(), obey_robots=True), recall=kept.get)
        found["memory held"] = await session.fetch(server.url("/yes"))
        found["memory forbids"] = await session.fetch(server.url("/no"))
        found["memory counts"] = server.counts()
        fetcher.robots.rules.clear()
        fetcher._throttles.clear()
        spoilt = {f"robots {origin}": '{"read_at": 5}', f"wait 127.0.0.1:{server.port}": "someday"}
        server.routes["*"] = reply(200)
        session = fetcher.session(policy(server.url(), obey_robots=True), recall=spoilt.get)
        found["memory spoilt"] = await session.fetch(server.url("/yes"))


async def _stopping(fetcher: HttpClient, found: dict[str, Any]) -> None:
    with Server({"*": reply(200)}, now=LEAPS.now) as server:
        session = fetcher.session(policy(server.url(), delay_seconds=50.0))
        await session.fetch(server.url("/"))
        waiting = asyncio.ensure_future(session.fetch(server.url("/")))
        # Stopped in the very round in which the wait began.
        asyncio.get_running_loop().call_soon(fetcher.stop)
        found["stopped"] = (await asyncio.gather(waiting, return_exceptions=True))[0]
        found["stopped later"] = (await asyncio.gather(session.fetch(server.url("/")), return_exceptions=True))[0]
        found["stopped counts"] = server.counts()


@pytest.fixture(scope="module")
def found() -> dict[str, Any]:
    return told(__file__)


def test_an_answer_comes_with_what_was_asked_and_what_was_said(found: dict[str, Any]) -> None:
    fetched = found["plain"]
    assert isinstance(fetched, Fetched)
    assert (fetched.answer.body, fetched.answer.status, fetched.answer.reason) == (b"hello", 200, "Words")
    assert fetched.answer.header("etag") == '"1"'
    assert fetched.answer.header("content-length") == "5"
    assert fetched.page.url == found["address"] + "/plain"
    assert fetched.answer.purpose == "page"


def test_what_is_sent_is_honest_and_little(found: dict[str, Any]) -> None:
    sent = found["sent"]
    assert sent["user-agent"] == AGENT
    assert set(sent) == {"host", "user-agent", "accept", "accept-encoding"}
    kept = {name.lower(): value for name, value in found["plain"].answer.request_headers}
    assert kept == sent


def test_what_is_not_there_is_a_failure_with_its_status(found: dict[str, Any]) -> None:
    told_of = {name: (found[name].trouble, found[name].status) for name in ("missing", "gone", "forbidden", "nowhere")}
    assert told_of == {"missing": ("http", 404), "gone": ("gone", 410), "forbidden": ("http", 403),
                       "nowhere": ("http", 302)}
    assert found["gone"].exchanges[-1].body == b"gone"


def test_redirects_are_followed_and_every_hop_is_kept(found: dict[str, Any]) -> None:
    moved = found["moved"]
    assert [exchange.status for exchange in moved.exchanges] == [301, 200]
    assert moved.url == found["address"] + "/moved"
    assert moved.page.url == found["address"] + "/plain"
    assert found["utf8"].answer.body == b"coffee"


def test_who_stays_on_a_host_is_not_led_to_another(found: dict[str, Any]) -> None:
    here, away = found["stays"]
    assert isinstance(here, Fetched)
    assert isinstance(away, Failure)
    assert "redirects to another host" in away.reason
    assert found["landed"] == 0


def test_redirects_in_a_circle_or_without_end_are_loops(found: dict[str, Any]) -> None:
    assert found["a"].trouble == "loop"
    assert found["chain0"].trouble == "loop"
    assert found["counts"]["/a"] == found["counts"]["/b"] == 1
    assert sum(found["counts"].get(f"/chain{n}", 0) for n in range(30)) == 11


@pytest.mark.parametrize(
    ("name", "words"),
    [("script", "not http or https"), ("file", "not http or https"), ("inward", "cloud metadata")],
)
def test_redirects_to_where_nobody_should_go_are_blocked(found: dict[str, Any], name: str, words: str) -> None:
    failure = found[name]
    assert failure.trouble == "address"
    assert "blocked address" in failure.reason
    assert words in failure.reason
    assert len(failure.exchanges) == 1


def test_a_fragment_is_nobodys_business_but_ours(found: dict[str, Any]) -> None:
    assert found["fragment"].answer.url == found["address"] + "/plain"
    assert not any("#" in path for path in found["counts"])


def test_unchanged_is_an_answer_only_to_who_asked_for_changes(found: dict[str, Any]) -> None:
    assert isinstance(found["conditional"], Fetched)
    assert found["conditional"].answer.status == 304
    assert found["conditional sent"]["if-none-match"] == '"1"'
    assert found["conditional sent"]["if-modified-since"].startswith("Wed, 01 May")
    assert (found["unchanged"].trouble, found["unchanged"].status) == ("http", 304)


def test_passing_trouble_is_tried_again_as_often_as_manners_say(found: dict[str, Any]) -> None:
    assert found["recovers"].answer.body == b"at last"
    assert (found["broken"].trouble, found["broken"].status) == ("http", 500)
    assert found["counts"]["/recovers"] == found["counts"]["/broken"] == 3
    assert found["counts"]["/missing"] == found["counts"]["/gone"] == 1


def test_the_ledger_counts_what_the_server_counted(found: dict[str, Any]) -> None:
    (ledger,) = found["ledger"]
    assert ledger.requests == sum(found["counts"].values())
    assert ledger.slowed >= 5
    assert ledger.waited_seconds > 0


def test_headers_and_cookies_go_to_the_typed_host_and_are_not_kept(found: dict[str, Any]) -> None:
    assert (found["private sent"]["x-key"], found["private sent"]["cookie"]) == ("s3cret", "sid=42; b=c")
    kept = dict(found["private"].answer.request_headers)
    assert (kept["X-Key"], kept["Cookie"]) == ("[withheld]", "[withheld]")
    assert "s3cret" not in repr(found["private"])


def test_headers_and_cookies_do_not_follow_a_redirect_to_another_host_nor_back(found: dict[str, Any]) -> None:
    assert found["away"].answer.body == b"elsewhere"
    assert {"x-key", "cookie"}.isdisjoint(found["away sent"])
    assert found["there and back"].answer.body == b"yours"
    assert {"x-key", "cookie"}.isdisjoint(found["there and back sent"])


def test_no_request_starts_before_the_server_said(found: dict[str, Any]) -> None:
    first, second = found["limit soon at"]
    assert second - first >= timedelta(seconds=90)
    assert found["limit date at"][1] >= datetime.fromisoformat("2024-05-02T12:00:00+00:00")
    assert isinstance(found["limit soon"], Fetched)
    assert isinstance(found["limit date"], Fetched)


def test_a_server_that_names_no_time_is_given_more_each_time(found: dict[str, Any]) -> None:
    first, second, third = found["limit vague at"]
    assert third - second > second - first >= timedelta(seconds=5)
    assert isinstance(found["limit vague"], Fetched)


def test_a_server_that_never_relents_is_left_alone_until_it_may_be_asked(found: dict[str, Any]) -> None:
    failure = found["limit always"]
    assert (failure.trouble, failure.status) == ("rate-limited", 429)
    assert len(found["limit always at"]) == 3
    assert failure.until == found["limit always at"][-1] + timedelta(seconds=2)
    (wait,) = found["limit waits"]
    assert wait.until == failure.until
    assert "429" in wait.why


def test_an_absurd_wait_is_neither_waited_for_nor_broken(found: dict[str, Any]) -> None:
    # Four were on their way when the first answer came; nobody asked after it.
    assert sum(found["absurd counts"].values()) <= 4
    assert {failure.trouble for failure in [*found["absurd"], found["absurd later"]]} == {"rate-limited"}
    assert found["absurd later"].until.year == 9999
    assert found["absurd later"].exchanges == ()


def test_rules_are_obeyed_and_a_crawler_goes_by_its_own(found: dict[str, Any]) -> None:
    open_page, closed, mine, open_again = found["robots rules"]
    assert isinstance(open_page, Fetched)
    assert isinstance(closed, Fetched)
    assert isinstance(open_again, Fetched)
    assert mine.trouble == "robots"
    assert found["robots rules counts"] == {"/robots.txt": 1, "/open": 1, "/closed": 1, "/open2": 1}


def test_a_crawl_delay_lies_between_all_requests(found: dict[str, Any]) -> None:
    moments = found["robots rules at"]
    assert all(later - earlier >= timedelta(seconds=7) for earlier, later in pairwise(moments))


@pytest.mark.parametrize("name", ["missing", "forbidden", "odd"])
def test_without_rules_all_is_allowed(found: dict[str, Any], name: str) -> None:
    assert all(isinstance(outcome, Fetched) for outcome in found[f"robots {name}"])


@pytest.mark.parametrize("name", ["broken", "busy", "inward", "loop", "huge"])
def test_rules_that_cannot_be_read_mean_to_stay_out(found: dict[str, Any], name: str) -> None:
    outcomes = found[f"robots {name}"]
    assert {outcome.trouble for outcome in outcomes} == {"robots"}
    assert all(outcome.reason.startswith("not crawling: robots.txt ") for outcome in outcomes)
    assert all(outcome.until is not None for outcome in outcomes)
    assert found[f"robots {name} counts"] == {"/robots.txt": 1}


def test_a_server_whose_rules_come_back_is_asked_again_after_a_while(found: dict[str, Any]) -> None:
    assert found["robots broken"][0].reason == "not crawling: robots.txt returned 503"
    assert isinstance(found["robots broken later"], Fetched)


@pytest.mark.parametrize("name", ["moved", "large"])
def test_rules_that_moved_or_grew_long_hold_as_well(found: dict[str, Any], name: str) -> None:
    outcomes = found[f"robots {name}"]
    assert [type(outcome) for outcome in outcomes] == [Fetched, Fetched, Failure, Fetched]


def test_rules_beyond_the_first_half_megabyte_are_not_read(found: dict[str, Any]) -> None:
    assert all(isinstance(outcome, Fetched) for outcome in found["robots late rule"])


def test_the_answers_to_robots_are_handed_out_once_for_the_archive(found: dict[str, Any]) -> None:
    statuses = [exchange.status for exchange in found["robots moved exchanges"]]
    assert statuses == [302, 200]
    assert {exchange.purpose for exchange in found["robots moved exchanges"]} == {"robots"}
    assert found["robots moved drained"] == ()


def test_who_is_told_to_disobey_does_and_robots_txt_is_no_secret(found: dict[str, Any]) -> None:
    assert isinstance(found["robots disobeyed"], Fetched)
    assert isinstance(found["robots itself"], Fetched)


def test_rules_are_asked_for_once_however_many_want_them(found: dict[str, Any]) -> None:
    assert found["robots asked together"] == 1


def test_rules_and_waits_survive_into_the_next_run(found: dict[str, Any]) -> None:
    assert found["memory first"].trouble == found["memory held"].trouble == "rate-limited"
    assert found["memory held"].until == found["memory first"].until
    assert found["memory held"].exchanges == ()
    assert found["memory forbids"].trouble == "robots"
    assert found["memory counts"] == {"/robots.txt": 1, "/yes": 1}
    assert sorted(name.split(" ")[0] for name in found["memory"]) == ["first", "robots", "strain", "wait"]


def test_a_spoilt_memory_is_no_memory(found: dict[str, Any]) -> None:
    assert isinstance(found["memory spoilt"], Fetched)


def test_stopping_ends_all_waits(found: dict[str, Any]) -> None:
    assert isinstance(found["stopped"], asyncio.CancelledError)
    assert isinstance(found["stopped later"], asyncio.CancelledError)
    assert found["stopped counts"] == {"/": 1}


if __name__ == "__main__":
    tell(story, LEAPS.keeper())
