"""Where else a post may be that does not answer at its address."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from everlog.core.scope import Alias, Scope
from everlog.history.other_addresses import MOST_ADDRESSES, other_addresses
from everlog.records import Blog

AT = datetime(2026, 1, 1, tzinfo=UTC)


def others(url, home="https://a.org/", known=(), **given):
    blog = Blog(id=1, home=home, added_at=AT, former_homes=given.pop("former", ()))
    return other_addresses(url, blog=blog, scope=Scope(home, **given), known=known)


@pytest.mark.parametrize(("url", "wanted"), [
    ("https://a.org/x/", "http://a.org/x/"),
    ("https://a.org/x/", "https://www.a.org/x/"),
    ("https://www.a.org/x/", "https://a.org/x/"),
    ("https://a.org/x/", "https://a.org/x"),
    ("https://a.org/x", "https://a.org/x/"),
    ("https://a.org/x?utm_source=feed&p=7#more", "https://a.org/x?p=7"),
])
def test_spellings_that_are_one_to_us_may_be_two_to_a_server(url, wanted):
    assert wanted in others(url)


def test_what_is_known_of_the_post_comes_first():
    assert others("https://a.org/x/", known=["https://a.org/?p=7"])[0] == "https://a.org/?p=7"


def test_the_same_path_at_other_homes_of_the_blog():
    assert "http://old.org/blog/x" in others("https://a.org/x", former=("http://old.org/blog/",))
    assert "https://a.wordpress.com/x" in others("https://a.org/x", aliases=(Alias(home="https://a.wordpress.com/"),))
    dead = Alias(home="https://a.wordpress.com/", answers=False)
    assert "https://a.wordpress.com/x" not in others("https://a.org/x", aliases=(dead,))


def test_the_address_itself_is_none_of_them_and_they_are_few():
    found = others("https://a.org/x", known=[f"https://a.org/?p={number}" for number in range(20)])
    assert "https://a.org/x" not in found
    assert len(found) == MOST_ADDRESSES


@pytest.mark.parametrize("url", ["http://127.0.0.1:8000/x.html", "http://[::1]:8000/x.html", "http://localhost:80/x.html"])
def test_a_machine_without_a_name_has_no_www(url):
    assert not any("www" in each for each in others(url, home=url[: url.rindex("/") + 1]))


def test_a_post_on_another_host_has_no_other_homes():
    assert all("//elsewhere.org" in each or "//www.elsewhere.org" in each for each in others("https://elsewhere.org/x"))
