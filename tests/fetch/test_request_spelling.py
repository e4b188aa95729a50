"""URLs as they go over the wire: the short way and the long way spell them alike."""

from __future__ import annotations

from urllib.parse import urldefrag, urlsplit, urlunsplit

import pytest
from hypothesis import given, reject
from hypothesis import strategies as st
from w3lib.url import safe_url_string

from everlog.fetch.request import _SPELLED, spelled

HOSTS = ("a.org", "A.org:80", "xn--a.org", "127.1", "a..b", "a_b.org:080")
LETTERS = "abzABZ019-._~/%?&=#:@!$'()*+,; ü\\|[]"


def the_long_way(url: str) -> str:
    parts = urlsplit(safe_url_string(urldefrag(url)[0]))
    bare = urlunsplit((
        parts.scheme.lower(), parts.netloc.rpartition("@")[2].lower(), parts.path or "/", parts.query, "",
    ))
    # Browsers send a query that is there and empty.
    is_empty = "?" not in bare and url.partition("#")[0].rstrip().endswith("?")
    return f"{bare}?" if is_empty else bare


@given(st.from_regex(_SPELLED, fullmatch=True))
def test_what_looks_spelled_is_spelled(url: str) -> None:
    assert the_long_way(url) == url


@given(st.sampled_from(HOSTS), st.text(LETTERS, max_size=20))
def test_no_url_is_spelled_in_two_ways(host: str, rest: str) -> None:
    url = f"http://{host}/{rest}"
    try:
        expected = the_long_way(url)
    except ValueError:
        reject()
    assert spelled(url) == expected


@pytest.mark.parametrize("url", ["http://a.org", "http://a.org/?", "HTTP://a.org/", "http://a.org/#b", "http://a.org/ü"])
def test_what_is_not_spelled_yet_takes_the_long_way(url: str) -> None:
    assert not _SPELLED.fullmatch(url)
