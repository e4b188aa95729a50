"""Which addresses a user may type."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from everlog.errors import Blocked, UsageError
from everlog.records import Exchange, Failure
from everlog.usecases.discover.front_page import why_unreachable
from everlog.usecases.discover.typed_address import fetchable

LONGEST = ".".join(["a" * 63, "b" * 63, "c" * 63, "d" * 61])


@pytest.mark.parametrize("host", [LONGEST, LONGEST + ".", "ü" * 50 + ".example", "[2001:db8::1]"])
def test_a_host_as_long_as_name_servers_take_it_is_an_address(host):
    assert fetchable(f"{host}:65535/blog/") == f"http://{host}:65535/blog/"


@pytest.mark.parametrize("host", [
    LONGEST + "d", "a." * 5_000 + "example", "ü." * 40 + "example", "ü" * 100_000 + ".example",
    "[fe80::1%25" + "e" * 300 + "]", "a.example:" + "0" * 4_000 + "80",
])
def test_a_host_longer_than_name_servers_take_it_is_no_address_and_is_not_told_at_length(host):
    with pytest.raises(UsageError, match="is not a valid blog address: host names have at most 253") as raised:
        fetchable(f"http://{host}/blog/")
    assert raised.value.advice == "write it like this:  everlog crawl https://a.blog.example/"
    assert len(str(raised.value)) < 300


@pytest.mark.parametrize("typed", ["./blogs.txt", "../blogs.opml", ".", "/blogs.txt"])
def test_a_path_is_no_address(typed):
    with pytest.raises(UsageError, match="is not a valid blog address"):
        fetchable(typed)


@pytest.mark.parametrize("typed", ["ann@blog.example", "mailto:ann@blog.example"])
def test_an_e_mail_address_is_called_one(typed):
    with pytest.raises(UsageError, match="is an e-mail address, not that of a blog"):
        fetchable(typed)


@pytest.mark.parametrize("typed", ["http://ann@blog.example/", "ann:sesame@blog.example"])
def test_a_password_is_not_taken_with_the_address(typed):
    with pytest.raises(UsageError, match="contains a password"):
        fetchable(typed)


@pytest.mark.parametrize(("trouble", "headers", "is_told"), [
    ("rate-limited", (("Retry-After", "120"),), True), ("rate-limited", (), False), ("robots", (), False),
])
def test_only_a_server_that_names_a_time_is_taken_at_its_word(trouble, headers, is_told):
    now = datetime(2024, 1, 1, tzinfo=UTC)
    answer = Exchange(url="http://a.example/", status=429, headers=headers, body=b"", fetched_at=now)
    error = why_unreachable(
        Failure(url=answer.url, trouble=trouble, reason="answers 429", until=now, exchanges=(answer,)),
    )
    assert isinstance(error, Blocked)
    assert error.is_told is is_told


def test_a_host_that_was_not_asked_has_named_its_time_before():
    now = datetime(2024, 1, 1, tzinfo=UTC)
    assert why_unreachable(Failure(url="http://a.example/", trouble="rate-limited", reason="held", until=now)).is_told


@pytest.mark.parametrize(("failure", "said"), [
    (
        Failure(url="http://a.example/", trouble="robots", reason="not crawling: robots.txt returned 502",
                until=datetime(2024, 1, 1, 8, 24, 30, tzinfo=UTC)),
        "http://a.example/: not crawling: robots.txt returned 502, retry after 2024-01-01 08:25 UTC",
    ),
    (
        Failure(url="http://a.example/", trouble="dns", reason="DNS lookup failed for a.example"),
        "http://a.example/: DNS lookup failed for a.example",
    ),
    (
        Failure(url="http://a.example/", trouble="http", reason="HTTP 404 Not Found at http://a.example/"),
        "HTTP 404 Not Found at http://a.example/",
    ),
])
def test_an_address_that_cannot_be_fetched_is_named_once_with_the_time_to_retry(failure, said):
    assert why_unreachable(failure).message == said
