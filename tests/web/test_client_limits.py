"""Limits of expensive answers: who pays, who waits, and who asks."""

from __future__ import annotations

import asyncio

import pytest
from starlette.datastructures import Headers

from everlog.archive import open_archive
from everlog.web.client_limits import BURST, COSTS, ClientLimits, ProxyTrust, Turns, client_of, cost_of
from everlog.web.interface.interface_app import interface_app
from everlog.web.limited_app import LimitedApp, Limits
from everlog.web.mementos.replay_app import ReplayApp
from everlog.web.origins import Origins
from everlog.web.page_templates import Pages
from web.served_archive import serving

HERE, EVERYWHERE, NONE = ProxyTrust(on_this_machine=True), ProxyTrust(everywhere=True), ProxyTrust()


class Clock:
    """Seconds that pass when they are told to."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def test_a_bucket_empties_and_fills_again():
    clock = Clock()
    limits = ClientLimits(clock, burst=5, per_second=2)
    assert [limits.pay("a", 1) for _ in range(6)] == [0, 0, 0, 0, 0, 1]
    clock.now = 0.5
    assert [limits.pay("a", 1), limits.pay("a", 1), limits.pay("b", 5)] == [0, 1, 0]
    assert limits.pay("b", 4) == 2
    clock.now = 1_000
    assert [limits.pay("a", 5), limits.pay("a", 1)] == [0, 1]


def test_what_costs_more_than_a_bucket_can_be_had_with_a_full_one():
    limits = ClientLimits(Clock(), burst=5)
    assert [limits.pay("a", 50), limits.pay("a", 50)] == [0, 5]


def test_only_those_who_asked_last_are_remembered():
    limits = ClientLimits(Clock(), burst=1, most=100)
    for number in range(10_000):
        assert limits.pay(str(number), 1) == 0
        assert len(limits) <= 100
    assert limits.pay("9999", 1) == 1


@pytest.mark.parametrize(("peer", "headers", "trust", "client"), [
    ("203.0.113.7", {}, NONE, "203.0.113.7"), ("127.0.0.1", {}, NONE, None), ("::1", {}, HERE, None),
    (None, {}, NONE, None),
    ("203.0.113.7", {"X-Forwarded-For": "198.51.100.1"}, NONE, "203.0.113.7"),
    ("203.0.113.7", {"X-Forwarded-For": "198.51.100.1"}, HERE, "203.0.113.7"),
    ("203.0.113.7", {"X-Forwarded-For": "198.51.100.1"}, EVERYWHERE, "198.51.100.1"),
    ("127.0.0.1", {"X-Forwarded-For": "198.51.100.1"}, NONE, None),
    ("127.0.0.1", {"X-Forwarded-For": "6.6.6.6, 198.51.100.1"}, HERE, "198.51.100.1"),
    ("127.0.0.1", {"X-Forwarded-For": "nonsense"}, HERE, None),
    ("127.0.0.1", {"Forwarded": 'for=192.0.2.1;proto=http, For="[2001:db8:1::17]:47";by=x'}, HERE, "2001:db8:1::/64"),
    ("127.0.0.1", {"X-Forwarded-For": "192.0.2.43:4711"}, HERE, "192.0.2.43"),
    ("::ffff:203.0.113.7", {}, NONE, "203.0.113.7"), ("2001:db8:1:2:3::4", {}, NONE, "2001:db8:1:2::/64"),
])
def test_who_asks_is_the_last_one_that_a_trusted_proxy_names(peer, headers, trust, client):
    assert client_of(peer, Headers(headers), trust) == client


def test_every_price_is_one_of_a_page_and_the_pages_of_a_post_are_free(tmp_path):
    with open_archive(tmp_path / "archive", create=True) as archive:
        given = archive, Origins(port=1, replay_port=2), Pages()
        routes = {route.path for app in (interface_app(*given), ReplayApp(*given).app()) for route in app.routes}
    # `/web/*` is a kind of `/web/`.
    assert [start for start in COSTS if not any(route.startswith(start.rstrip("*")) for route in routes)] == []
    free = (
        "/", "/blog/a.org", "/read/http://a.org/", "/icon/a.org", "/static/x", "/healthz", "/web/2024/http://a.org/",
        "/web/20240501120000mp_/http://a.org/", "/timegate/http://a.org/",
    )
    assert [cost_of(path) for path in free] == [0] * len(free)


def test_who_asks_too_much_is_told_how_long_to_wait_and_others_are_answered(tmp_path):
    proxy = {"base_url": "http://archive.example", "replay_base_url": "http://pages.example"}
    with open_archive(tmp_path / "archive", create=True) as archive, serving(archive, **proxy) as served:
        asked = {"Host": "archive.example", "X_Forwarded_For": "203.0.113.7"}
        # All of them would be answered on a machine that needs minutes for it.
        answers = [served.page("/search.csv?q=tide", **asked) for _ in range(30)]
        assert answers[0].status == 200
        refused = [answer for answer in answers if answer.status == 429]
        assert refused
        seconds = int(refused[-1].headers["Retry-After"])
        assert 1 <= seconds <= 10
        assert "Please wait a little" in refused[-1].text
        assert f"Try again in {seconds} second" in refused[-1].text
        assert served.page("/", **asked).status == 200
        assert served.page("/search?q=tide", **{**asked, "X_Forwarded_For": "203.0.113.8"}).status == 200


@pytest.mark.parametrize(("options", "warnings"), [
    ({"public": True, "base_url": "http://archive.example"}, 1), ({"public": True}, 0),
    ({"base_url": "http://archive.example"}, 0),
], ids=["behind a proxy", "without one", "not public"])
def test_a_proxy_that_does_not_say_for_whom_it_asks_is_told_of_once(tmp_path, caplog, options, warnings):
    with open_archive(tmp_path / "archive", create=True) as archive, serving(archive, **options) as served:
        # Who watches the server asks for nobody else.
        assert served.page("/healthz").status == 200
        assert served.page("/", X_Forwarded_For="203.0.113.7").status == 200
        assert served.page("/", Forwarded="for=203.0.113.7").status == 200
        assert "X-Forwarded-For" not in caplog.text
        for _ in range(3):
            served.page("/")
            served.ask("/")
    assert caplog.text.count("proxy_set_header X-Forwarded-For $remote_addr;") == warnings


def test_a_client_has_one_bucket_for_both_ports_and_captures_are_not_limited(tmp_path):
    proxy = {"base_url": "http://archive.example", "replay_base_url": "http://pages.example"}
    with open_archive(tmp_path / "archive", create=True) as archive, serving(archive, **proxy) as served:
        here = {"Host": "archive.example", "X_Forwarded_For": "203.0.113.7"}
        there = here | {"Host": "pages.example"}
        seen = [served.page("/web/*/http://a.example/", **here).status for _ in range(5)]
        asked = [served.ask("/timemap/link/http://a.example/", **there) for _ in range(2 * int(BURST))]
        seen += [answer.status for answer in asked]
        assert set(seen) == {404, 429}
        # The bucket fills while it is emptied, by one a second.
        assert seen[: int(BURST)] == [404] * int(BURST)
        last = next(answer for answer in asked if answer.status == 429)
        assert last.text == f"Lists of captures are limited. Try again in {last.headers['Retry-After']} s.\n"
        assert last.headers["X-Robots-Tag"] == "noindex"
        free = {served.ask(f"/web/2024{kind}/http://a.example/x.png", **there).status for kind in ("", "mp_") * 40}
        assert free == {404}
        assert served.ask("/timemap/link/http://a.example/", Host="pages.example").status == 404


def test_this_machine_is_not_limited(tmp_path):
    with open_archive(tmp_path / "archive", create=True) as archive, serving(archive) as served:
        answers = {served.page("/search?q=tide", X_Forwarded_For="203.0.113.7").status for _ in range(int(BURST) + 10)}
    assert answers == {200}


def asked(path: str) -> dict:
    return {"type": "http", "method": "GET", "path": path, "query_string": b"", "headers": [], "everlog.client": None}


async def nothing(*_: object) -> None:
    """Nobody reads what is sent."""


def test_expensive_answers_are_made_a_few_at_a_time_and_cheap_ones_do_not_wait():
    async def run() -> tuple[int, int, list[int]]:
        free, working, most, refused = asyncio.Event(), 0, 0, []

        async def app(scope, _receive, send):
            nonlocal working, most
            if scope["path"] == "/":
                await send({"type": "http.response.start", "status": 200, "headers": []})
                return
            working += 1
            most = max(most, working)
            await free.wait()
            working -= 1
            await send({"type": "http.response.start", "status": 200, "headers": []})

        async def wait(_request, status, _seconds):
            refused.append(status)
            return nothing

        limited = LimitedApp(app, wait, limits=Limits(turns=Turns(4, most_waiting=10, seconds=600)))
        tasks = [asyncio.create_task(limited(asked("/search"), nothing, nothing)) for _ in range(20)]
        while len(refused) < 6 or working < 4:
            await asyncio.sleep(0)
        # All four turns are taken, ten wait, and six were sent away; what is cheap is answered.
        await limited(asked("/"), nothing, nothing)
        at_work = working
        free.set()
        await asyncio.gather(*tasks)
        return at_work, most, refused

    assert asyncio.run(run()) == (4, 4, [503] * 6)


def test_a_turn_that_does_not_come_ends_the_wait():
    async def run() -> list[bool]:
        turns = Turns(1, seconds=0.01)
        first, second = await turns.take(), await turns.take()
        turns.give_back()
        return [first, second, await turns.take()]

    assert asyncio.run(run()) == [True, False, True]


def test_who_reads_slowly_keeps_no_turn():
    async def run() -> bool:
        turns = Turns(1, seconds=0.01)
        is_read = asyncio.Event()

        async def app(_scope, _receive, send):
            await send({"type": "http.response.start", "status": 200, "headers": []})

        async def slowly(_message):
            await is_read.wait()

        async def wait(*_):
            return nothing

        slow = asyncio.create_task(LimitedApp(app, wait, limits=Limits(turns=turns))(asked("/search"), nothing, slowly))
        await asyncio.sleep(0)
        has_turn = await turns.take()
        is_read.set()
        await slow
        return has_turn

    assert asyncio.run(run())
