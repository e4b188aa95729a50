"""Titles, names and tags are plain words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from everlog.feeds.labels import names, plain, tags


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("A &amp; B", "A & B"),
        ("A &amp;amp; B", "A & B"),
        ("It&amp;#8217;s", "It’s"),
        ("<em>A</em> post", "A post"),
        ("A<br/>B", "A B"),
        ("&lt;b&gt;A&lt;/b&gt;", "A"),
        ("Using Map<K, V>", "Using Map<K, V>"),
        ("1 < 2 > 0", "1 < 2 > 0"),
        ("  A\n\tB\xa0C ", "A B C"),
        ("AT&T &c", "AT&T &c"),
        ("<img src='x'>", None),
        ("", None),
        (None, None),
    ],
)
def test_titles_lose_markup_and_keep_words(text: str | None, expected: str | None) -> None:
    assert plain(text) == expected


def test_a_title_declared_as_html_loses_every_tag_but_keeps_what_was_escaped() -> None:
    assert plain("The &lt;video&gt; <x-mark>tag</x-mark>", is_html=True) == "The <video> tag"


@pytest.mark.parametrize(
    ("given_names", "expected"),
    [
        (["jo@a.org (Jo Doe)"], ("Jo Doe",)),
        (["Jo Doe <jo@a.org>"], ("Jo Doe",)),
        (["Jo Doe (jo@a.org)"], ("Jo Doe",)),
        (["jo@a.org"], ("jo@a.org",)),
        (["jo@a.org", "Jo"], ("Jo",)),
        (["mailto:jo@a.org"], ("jo@a.org",)),
        (["Jo", "Al", "Jo"], ("Jo", "Al")),
        (["O&#039;Neil (NY)"], ("O'Neil (NY)",)),
        (["Jo (@jo)"], ("Jo (@jo)",)),
        ([None, " "], ()),
    ],
)
def test_authors_are_named_without_their_addresses(
    given_names: list[str | None], expected: tuple[str, ...]
) -> None:
    assert names(given_names) == expected


def test_tags_are_kept_as_written_each_once() -> None:
    assert tags(["Go", "go", "Go", "R&amp;D", None, "tag:x,1", "https://a.org/kind#post"]) == (
        "Go",
        "go",
        "R&D",
    )


@given(st.text())
def test_no_text_raises(text: str) -> None:
    plain(text)
    plain(text, is_html=True)
    names([text])
    tags([text])
