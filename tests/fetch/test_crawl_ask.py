"""What a page in the browser may ask for: through the same guard, without waiting for turns of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from servers import Server, redirect, reply
from stories import AGENT, Leaps, policy, tell, told

from everlog.records import BrowserRequest, Exchange, Failure

if TYPE_CHECKING:
    from everlog.fetch import HttpClient

LEAPS = Leaps()


async def story(fetcher: HttpClient) -> dict[str, Any]:
    found: dict[str, Any] = {}
    routes = {
        "/api": reply(200, "{}", Content_Type="application/json"), "/moved": redirect("/api"), "/broken": reply(500),
        "/busy": reply(429, Retry_After="3600"), "/robots.txt": reply(200, "User-agent: *\nDisallow: /"),
    }
    with Server(routes, now=LEAPS.now) as blog:
        session = fetcher.session(policy(
            blog.url(), obey_robots=True, delay_seconds=60.0, headers=(("X-Key", "s3cret"),),
        ))
        begun = LEAPS.now()
        sent = (("accept", "application/json"), ("user-agent", "Chrome"), ("x-own", "1"), ("host", "evil.example"))
        asked = BrowserRequest(url=blog.url("/api"), method="post", headers=sent, body=b'{"a": 1}')
        found["posted"] = await session.request(asked)
        found["posted as"] = blog.last("/api")
        for _ in range(5):
            await session.request(BrowserRequest(url=blog.url("/api")))
        found["looked as"] = blog.last("/api")
        found["waited"] = (LEAPS.now() - begun).total_seconds()
        found["moved"] = await session.request(BrowserRequest(url=blog.url("/moved")))
        found["inward"] = await session.request(BrowserRequest(url="http://169.254.169.254/latest/"))
        found["file"] = await session.request(BrowserRequest(url="file:///etc/passwd"))
        found["busy"] = await session.request(BrowserRequest(url=blog.url("/busy")))
        found["after busy"] = await session.request(BrowserRequest(url=blog.url("/api")))
        found["counts"] = blog.counts()
        found["ledger"] = session.host_stats()
    return found


@pytest.fixture(scope="module")
def found() -> dict[str, Any]:
    return told(__file__)


def test_a_request_of_the_page_goes_out_with_its_method_body_and_headers_under_our_name(found):
    assert found["posted"].status == 200
    assert found["posted"].body == b"{}"
    assert found["posted as"].line.startswith("POST /api ")
    assert found["posted as"].body == b'{"a": 1}'
    headers = found["posted as"].headers
    assert headers["user-agent"] == AGENT
    assert (headers["accept"], headers["x-own"]) == ("application/json", "1")
    assert "x-key" not in headers
    assert headers["host"].startswith("127.0.0.1:")
    assert headers["content-length"] == "8"


def test_the_users_own_headers_go_along_with_a_look_and_never_with_what_a_page_posts(found):
    assert found["looked as"].headers["x-key"] == "s3cret"
    assert "x-key" not in found["posted as"].headers


def test_what_a_page_needs_waits_for_no_turn_of_its_own_and_for_no_robots_txt(found):
    assert found["waited"] == 0
    assert "/robots.txt" not in found["counts"]


def test_a_redirect_is_handed_to_the_browser_as_it_is(found):
    assert found["moved"].status == 302
    assert found["moved"].header("location") == "/api"


def test_addresses_inside_are_as_closed_to_the_page_as_to_the_crawl(found):
    for name in ("inward", "file"):
        assert isinstance(found[name], Failure)
        assert found[name].trouble == "address"


def test_a_host_that_asked_to_be_left_alone_is_left_alone(found):
    assert isinstance(found["busy"], Exchange)
    assert found["busy"].status == 429
    assert isinstance(found["after busy"], Failure)
    assert found["after busy"].trouble == "rate-limited"
    assert found["counts"]["/api"] == 6


def test_the_ledger_counts_what_pages_asked_for(found):
    assert sum(entry.requests for entry in found["ledger"]) == sum(found["counts"].values())


if __name__ == "__main__":
    tell(story, LEAPS.keeper())
