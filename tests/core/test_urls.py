"""Addresses: identity, resolution, and pairing a feed's links with pages."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from everlog.core.urls import absolute, canonical, host_of, match_pages

messy = st.one_of(
    st.text(max_size=60),
    st.text(alphabet="htps:/[]@?#&=%.~a1\\ \n\ud800é", max_size=40),
    st.builds("http://{}".format, st.text(max_size=40)),
)


@pytest.mark.parametrize(
    "spelling",
    [
        "http://example.org/2020/a-post",
        "https://example.org/2020/a-post/",
        "//EXAMPLE.org/2020/a-post",
        "example.org/2020/a-post",
        "http://www.example.org:80/2020//a-post/index.html",
        "https://example.org:443/2020/./x/../a-post/?utm_source=feed&fbclid=1",
        " http://example.org/2020/a%2Dpost#comments\n",
        "http://user:word@example.org./2020/a-post;jsessionid=12",
        "http:\\\\example.org\\2020\\a-post",
        "http://example.org/2020/a-post?m=1&replytocom=7",
    ],
)
def test_spellings_of_one_page_have_one_identity(spelling: str) -> None:
    assert canonical(spelling) == "example.org/2020/a-post"


def test_letters_beyond_ascii_are_the_same_raw_escaped_and_decomposed() -> None:
    names = {canonical(f"http://a.org/{path}") for path in ("caf%C3%A9", "caf%c3%a9", "café", "cafe\u0301")}
    assert names == {"a.org/café"}


def test_escapes_that_would_become_syntax_stay_escapes() -> None:
    assert canonical("http://a.org/a%2fb%3f%20%25") == "a.org/a%2Fb%3F%20%25"


def test_bytes_that_are_not_utf8_stay_escapes_with_upper_case_digits() -> None:
    assert canonical("http://a.org/%e9t%e9") == "a.org/%E9t%E9"


def test_parameters_that_select_the_page_are_kept_in_one_order() -> None:
    assert canonical("http://a.org/?p=2&a=x%26y&utm_medium=rss") == "a.org?a=x%26y&p=2"


def test_different_pages_have_different_identities() -> None:
    urls = ["http://a.org/", "http://a.org/a", "http://a.org/A", "http://a.org/a.html", "http://a.org/?p=1",
            "http://a.org/?p=2", "http://a.org:8080/a", "http://b.a.org/a", "http://a.org/#!/x"]  # fmt: skip
    assert len({canonical(url) for url in urls}) == len(urls)


def test_international_hosts_are_the_same_in_both_notations() -> None:
    assert host_of("http://xn--mnchen-3ya.de/") == host_of("http://www.MÜNCHEN.de") == "münchen.de"


def test_what_only_looks_like_a_url_still_has_an_identity() -> None:
    assert canonical("mailto:Jo@a.org") == "mailto:/Jo@a.org"
    assert canonical("a.org:8080/x") == "a.org:8080/x"
    assert canonical("http://xn--\xe9.org/") == "xn--é.org"
    assert canonical("http://a.org/?" + "a&" * 300).startswith("a.org?a&a")


def test_a_two_part_host_called_www_is_not_shortened() -> None:
    assert canonical("http://www.org/a") == "www.org/a"


@given(messy)
def test_identity_never_raises(url: str) -> None:
    assert isinstance(canonical(url), str)


@pytest.mark.parametrize(
    ("link", "expected"),
    [
        ("/a", "https://a.org/a"),
        ("a b", "https://a.org/blog/a%20b"),
        ("\n  ../é\t ", "https://a.org/é"),
        ("//b.org/x", "https://b.org/x"),
        ("HTTP://B.org", "http://B.org"),
        ("feed://a.org/rss", "http://a.org/rss"),
        ("feed:https://a.org/rss", "https://a.org/rss"),
        ("", "https://a.org/blog/"),
        ("?page=2", "https://a.org/blog/?page=2"),
    ],
)
def test_links_are_resolved_as_browsers_do(link: str, expected: str) -> None:
    assert absolute("https://a.org/blog/", link) == expected


@pytest.mark.parametrize(
    "link",
    ["javascript:void(0)", "mailto:a@b.c", "data:text/html,x", "tel:1", "ftp://a.org/", "http://[::1", "http://",
     "http://a.org:port/", "http://a b.org/", "file:///etc/passwd"],
)  # fmt: skip
def test_what_is_no_web_address_gives_none(link: str) -> None:
    assert absolute("https://a.org/", link) is None


def test_a_relative_link_without_a_base_gives_none() -> None:
    assert absolute(None, "/a") is None
    assert absolute("junk", "a") is None
    assert absolute(None, None) is None
    assert absolute(None, "//a.org/x") == "http://a.org/x"


@given(messy, messy)
def test_resolution_never_raises_and_gives_web_addresses_only(base: str, link: str) -> None:
    found = absolute(base, link)
    assert found is None or found.startswith(("http://", "https://"))


@pytest.mark.parametrize(
    "link",
    [
        "http://a.org/2020/one/",
        "https://www.a.org/2020/one?utm_source=rss",
        "//a.org/2020/one/index.html",
        "/2020/one/",
        "2020/one",
        "http://a.org/2020/one.html",
        "http://a.org/2020/One?from=feed",
        "http://localhost:4000/2020/one/",
        "http://old.example/blog/2020/one/",
    ],
)
def test_a_feeds_link_finds_its_page_in_any_spelling(link: str) -> None:
    pages = ["https://a.org/2020/one/", "https://a.org/2020/two/", "https://a.org/"]
    assert match_pages([link], pages) == {link: pages[0]}


@pytest.mark.parametrize(
    "page", ["/2020/one", "2020/one/index.html", "one.html", "http://127.0.0.1/x/2020/one"]
)
def test_pages_too_may_be_given_in_any_spelling(page: str) -> None:
    assert match_pages(["https://a.org/2020/one/"], [page, "/2020/two"]) == {"https://a.org/2020/one/": page}


def test_a_path_two_pages_share_on_other_hosts_is_not_guessed() -> None:
    assert match_pages(["http://localhost/one"], ["http://a.org/one", "http://b.org/one"]) == {}


def test_pages_told_apart_by_their_query_are_not_confused() -> None:
    pages = ["http://a.org/view.php?id=4", "http://a.org/?p=4"]
    assert match_pages(["http://a.org/view.php?id=3", "http://a.org/?p=3"], pages) == {}
    assert match_pages(["http://b.org/?p=4"], pages) == {"http://b.org/?p=4": pages[1]}


def test_a_page_that_has_its_link_is_not_given_to_a_stranger() -> None:
    links = ["http://other.org/one", "http://a.org/one"]
    assert match_pages(links, ["http://a.org/one", "http://a.org/two"]) == {links[1]: "http://a.org/one"}


def test_the_home_page_is_no_match_for_another_site() -> None:
    assert match_pages(["http://b.org/"], ["http://a.org/"]) == {}


@given(st.lists(messy, max_size=5), st.lists(messy, max_size=5))
def test_matching_never_raises_and_invents_nothing(links: list[str], pages: list[str]) -> None:
    found = match_pages(links, pages)
    assert set(found) <= set(links)
    assert set(found.values()) <= set(pages)
