"""The page of results: found in all blogs, filtered, in pages."""

from __future__ import annotations

import re
from html import unescape
from typing import TYPE_CHECKING
from urllib.parse import quote

import pytest

from everlog.archive import open_archive
from web.conftest import filled
from web.served_archive import Served, serving
from web.some_blogs import PAYLOADS, add_hostile, add_posts

if TYPE_CHECKING:
    from collections.abc import Iterator

LONG = "http://long.example/"


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    place = tmp_path_factory.mktemp("found") / "archive"
    with open_archive(place, create=True) as archive:
        filled(archive)
        add_posts(archive, LONG, 70, title="A long life")
        add_hostile(archive)
    with open_archive(place, read_only=True) as archive, serving(archive) as running:
        yield running


def addresses(served: Served, path: str) -> list[str]:
    found, query = [], path
    while query:
        text = served.page(query).text
        found += re.findall(r'<h3[^>]*><a href="/read/([^"]*)">', text)
        following = re.search(r'<a href="(\?[^"]*)" rel="next"', text)
        query = "/search" + unescape(following[1]) if following else ""
    return found


def test_posts_of_all_blogs_are_found_and_the_words_are_marked(found: Served):
    text = found.page("/search?q=number7").text
    assert "<mark>number7</mark>" in text
    assert f'<h3 lang="en" dir="auto"><a href="/read/{LONG}7"' in text
    assert '<p class="snippet" lang="en" dir="auto">' in text
    assert "1 post<" in text
    assert ">A long life</a>" in text


def test_results_have_pages_and_none_is_twice(found: Served):
    every = addresses(found, "/search?q=word3&blog=long.example")
    assert len(every) == len(set(every)) == 70


def test_results_are_filtered_by_blog_year_tag_author_and_language(found: Served):
    text = found.page("/search?q=word3").text
    assert 'href="?q=word3&amp;blog=long.example"' in text
    assert 'href="?q=word3&amp;author=bob"' in text
    assert 'href="?q=word3&amp;year=2021"' in text
    assert len(addresses(found, "/search?q=word3&tag=maps&author=bob")) == 12
    assert len(addresses(found, "/search?q=word3&blog=long.example&year=2020")) == 40
    assert addresses(found, "/search?q=word3&language=de") == []
    assert addresses(found, "/search?q=word3&blog=nowhere.example") == []


def test_a_comment_that_was_found_is_linked(found: Served):
    text = found.page("/search?q=First").text
    assert re.search(r'href="/comment/c-[0-9a-f]{10}/http://a\.example/2024/a-post"', text)
    assert "Comment by &lt;i&gt;Eve&lt;/i&gt;:" in text


@pytest.mark.parametrize(("query", "status", "said"), [
    ("", 200, "How to search"), ("%20", 200, "How to search"), ("before:x", 400, "cannot be searched"),
    ("...", 400, "cannot be searched"), ("neverwritten", 200, "Nothing found"), ("%22", 400, "How to search"),
    ("word3&year=x", 400, "is not a year"), ("word3&page=999", 200, "no further results"),
    ("word3&page=-1", 200, "posts"),
])
def test_strange_queries_are_told_what_to_do(found: Served, query, status, said):
    answer = found.page(f"/search?q={query}")
    assert answer.status == status
    assert said in answer.text


def test_what_strangers_wrote_is_only_text_in_results(found: Served):
    for query in ("hostile", *map(quote, PAYLOADS), *(f"hostile&tag={quote(each)}" for each in PAYLOADS)):
        text = found.page(f"/search?q={query}").said
        assert "<script" not in text, query
        assert "<img" not in text, query
        assert "<iframe" not in text, query
        assert "<svg onload" not in text, query
    assert "&lt;script&gt;" in found.page("/search?q=hostile").text


def test_in_public_nothing_hidden_is_found(tmp_path):
    with open_archive(tmp_path / "archive", create=True) as archive:
        blog = add_posts(archive, LONG, 20, title="A long life")
        other = add_posts(archive, "http://other.example/", 20, title="Another")
        archive.hidden.set_post(archive.listing.find(LONG + "7").id, hidden=True)
        archive.hidden.set_blog(other, hidden=True)
        assert blog != other
        with serving(archive, public=True) as public, serving(archive) as private:
            assert len(addresses(public, "/search?q=word3")) == 19
            assert len(addresses(private, "/search?q=word3")) == 40
            assert addresses(public, "/search?q=number7") == []
            assert addresses(public, "/search?q=word3&blog=other.example") == []
            text = public.page("/search?q=word3").text
            assert "Another" not in text
            assert "19 posts" in text


def test_what_is_hidden_says_so_among_results(tmp_path):
    with open_archive(tmp_path / "archive", create=True) as archive:
        add_posts(archive, LONG, 3, title="A long life")
        other = add_posts(archive, "http://other.example/", 1, title="Another")
        archive.hidden.set_post(archive.listing.find(LONG + "1").id, hidden=True)
        archive.hidden.set_blog(other, hidden=True)
        with serving(archive) as served:
            said = {
                re.search(r'"/read/([^"]*)"', each)[1]: "Hidden" in each  # type: ignore[index]
                for each in served.page("/search?q=word3").text.split("<h3")[1:]
            }
            assert said == {LONG + "0": False, LONG + "1": True, LONG + "2": False, "http://other.example/0": True}


def test_blogs_of_one_title_are_told_apart_by_their_addresses(tmp_path):
    with open_archive(tmp_path / "archive", create=True) as archive:
        for home, title in (("http://a.example/~ann/", "Notes"), ("http://a.example/~bob/", "Notes"), (LONG, "Tides")):
            add_posts(archive, home, 1, title=title)
        with serving(archive) as served:
            text = served.page("/search?q=word3").text
            results, filters = text.split('id="filters"')
            for part in (results, filters):
                assert set(re.findall(r">(Notes[^<]*|Tides[^<]*)</a>", part)) == {
                    "Notes (a.example/~ann)", "Notes (a.example/~bob)", "Tides",
                }


def test_the_field_on_top_leads_to_pages_and_to_results(found: Served):
    def led(typed: str) -> str:
        return found.page(f"/go?url={quote(typed)}").headers["Location"].removeprefix(found.interface)

    assert led("a.example/about") == "/web/http://a.example/about"
    assert led("tide") == "/search?q=tide"
    assert led("night train.") == "/search?q=night+train."
    assert led("") == "/search?q="
    assert led("javascript:alert(1)") == "/search?q=javascript%3Aalert%281%29"
    assert 'href="/search?q=node.js"' in found.page("/web/node.js").text
