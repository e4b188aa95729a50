"""One request: its spelling, its headers, and who gets to see the private ones."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from stories import AGENT, policy

from everlog.core.ip_addresses import literal_address, refusal
from everlog.fetch.allowlist import Allowlist
from everlog.fetch.request import conditions_of, host_key, http_request, place, spelled, trusts

ANYBODY = Allowlist(policy(), None)
ANYWHERE = ANYBODY.permit("http://a.example/")


@pytest.mark.parametrize(
    ("url", "wire"),
    [
        ("http://Example.org", "http://example.org/"),
        ("http://example.org?q=1", "http://example.org/?q=1"),
        ("https://user:word@example.org/a#b", "https://example.org/a"),
        ("http://münchen.example/ä", "http://xn--mnchen-3ya.example/%C3%A4"),
    ],
)
def test_a_url_goes_over_the_wire_in_one_spelling(url: str, wire: str) -> None:
    assert spelled(url) == wire


@pytest.mark.parametrize(
    ("url", "typed", "sent"),
    [
        ("https://blog.example/a", "https://blog.example/", True),
        ("https://blog.example/a", "http://blog.example/", True),
        ("http://blog.example/a", "https://blog.example/", False),
        ("https://other.example/a", "https://blog.example/", False),
        ("https://blog.example:8443/a", "https://blog.example/", False),
        ("https://sub.blog.example/a", "https://blog.example/", False),
    ],
)
def test_private_headers_go_to_typed_hosts_and_not_into_the_clear(url: str, typed: str, *, sent: bool) -> None:
    assert trusts(url, policy(typed)) is sent


def test_user_headers_replace_ours_and_are_all_secret() -> None:
    own = policy("http://a.example/", headers=(("user-agent", "mine"), ("X-A", "1")), cookies=(("c", "d"),))
    ask = http_request("http://a.example/", "feed", own, conditions=(), private=True, permit=ANYWHERE)
    sent = dict(ask.headers)
    assert (sent["User-Agent"], sent["X-A"], sent["Cookie"]) == ("mine", "1", "c=d")
    assert {"user-agent", "x-a", "cookie", "authorization"} <= ask.secret
    public = http_request("http://a.example/", "feed", own, conditions=(), private=False, permit=ANYWHERE)
    assert dict(public.headers)["User-Agent"] == AGENT
    assert "atom" in dict(public.headers)["Accept"]


def test_limits_fit_what_is_asked_for() -> None:
    own = policy("http://a.example/", max_page_bytes=1, max_media_bytes=2, timeout_seconds=3.0)
    limits = {
        purpose: http_request("http://a.example/", purpose, own, conditions=(), private=False, permit=ANYWHERE)
        for purpose in ("page", "feed", "media", "robots", "sitemap")
    }
    assert {name: ask.max_bytes for name, ask in limits.items()} == {
        "page": 1, "feed": 1, "media": 2, "robots": 5_000_000, "sitemap": 50_000_000,
    }
    assert limits["media"].timeout_seconds > limits["page"].timeout_seconds == 3.0


def test_the_host_header_names_only_unusual_ports() -> None:
    def host(url: str) -> str:
        request = http_request(url, "page", policy(url), conditions=(), private=False, permit=ANYWHERE)
        return dict(request.headers)["Host"]

    assert host("http://a.example:80/") == host("http://a.example/") == "a.example"
    assert host("https://a.example:80/") == "a.example:80"
    assert host("http://[2001:db8::1]:8080/") == "[2001:db8::1]:8080"


def test_conditions_are_sent_only_where_there_are_any() -> None:
    assert conditions_of(None, "") == ()
    assert conditions_of('"x"', None) == (("If-None-Match", '"x"'),)


def test_one_host_has_one_clock_whatever_the_scheme() -> None:
    assert host_key("http://a.example/x") == host_key("https://a.example./y") == "a.example"
    assert host_key("http://a.example:8080/") != host_key("http://a.example/")


hosts = st.text(alphabet="0123456789abx.[]:%@/\\ｆ１。", max_size=30)


@given(st.text(max_size=60) | st.builds("http://{}/".format, hosts))
def test_whatever_is_not_barred_names_a_host_and_no_forbidden_address(text: str) -> None:
    try:
        url = spelled(text)
    except ValueError:
        url = text
    if ANYBODY.barred(url) is None:
        host, port = place(url)
        assert host
        assert port in {80, 443}
        address = literal_address(host)
        assert address is None or refusal(address) is None


def test_a_host_that_is_longer_than_any_can_be_is_barred() -> None:
    labels = ".".join("a" * 60 for _ in range(60))
    assert ANYBODY.barred(spelled(f"http://{labels}.example/x.png")).startswith("blocked address (a host of")
