"""Results of a search as files: all of them, with the filters of the page, and safe in a spreadsheet."""

from __future__ import annotations

import csv
import io
import json
from typing import TYPE_CHECKING

import pytest

from archive import some_visits as some
from everlog.archive import open_archive
from web.served_archive import Served, serving
from web.some_blogs import add_posts

if TYPE_CHECKING:
    from collections.abc import Iterator

LONG = "http://long.example/"
FORMULAS = ('=HYPERLINK("http://evil.example")', "+1", "-1", "@SUM(A1)", "\t=1", "＝1")


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    place = tmp_path_factory.mktemp("files") / "archive"
    with open_archive(place, create=True) as archive:
        add_posts(archive, LONG, 130, title="A long life")
        blog = archive.blogs.add("http://sheet.example/", scope="path").id
        with archive.lock(blog):
            archive.commit([some.post_visit(
                blog, f"http://sheet.example/{number}", f"formula {text} {some.LONG}", title=text,
            ) for number, text in enumerate(FORMULAS)])
    with open_archive(place, read_only=True) as archive, serving(archive) as running:
        yield running


def lines(served: Served, query: str) -> list[dict]:
    return [json.loads(line) for line in served.page("/search.jsonl?q=" + query).text.splitlines()]


def rows(served: Served, query: str) -> list[dict]:
    return list(csv.DictReader(io.StringIO(served.page("/search.csv?q=" + query).text, newline="")))


def test_all_results_are_in_both_files_in_one_order(found: Served):
    posts = lines(found, "word3&blog=long.example")
    assert len(posts) == len({post["url"] for post in posts}) == 130
    assert [row["url"] for row in rows(found, "word3&blog=long.example")] == [post["url"] for post in posts]
    assert [post["score"] for post in posts] == sorted((post["score"] for post in posts), reverse=True)


def test_a_result_has_what_the_page_shows_of_it(found: Served):
    [post] = lines(found, "number7")
    assert post["url"] == LONG + "7"
    assert (post["blog"], post["title"], post["authors"]) == (LONG, "Post 7", ["Ann Lee"])
    assert post["published"].startswith("2020-03-18T12:00:00")
    assert "number7" in post["snippet"]
    [row] = rows(found, "number7")
    assert {name: row[name] for name in ("url", "title", "authors")} == {
        "url": LONG + "7", "title": "Post 7", "authors": "Ann Lee",
    }


def test_filters_are_those_of_the_page(found: Served):
    chosen = "word3&tag=maps&author=bob&year=2020"
    assert 0 < len(lines(found, chosen)) == len(rows(found, chosen)) < 130
    assert {post["authors"][0] for post in lines(found, "word3&author=bob")} == {"Bob"}
    assert lines(found, "word3&blog=nowhere.example") == []


def test_no_cell_is_a_formula(found: Served):
    titles = {row["title"] for row in rows(found, "formula&blog=sheet.example")}
    assert len(titles) >= len(FORMULAS) - 1
    assert all(title.startswith("'") for title in titles)
    # For programs they are as they were.
    assert all(not post["title"].startswith("'") for post in lines(found, "formula&blog=sheet.example"))


def test_files_are_sent_as_files(found: Served):
    kinds = {"csv": "text/csv; charset=utf-8; header=present", "jsonl": "application/jsonl; charset=utf-8"}
    for suffix, kind in kinds.items():
        answer = found.page(f"/search.{suffix}?q=word3")
        assert answer.headers["Content-Type"] == kind
        assert answer.headers["Content-Disposition"] == f'attachment; filename="search.{suffix}"'
        assert answer.headers["Content-Security-Policy"].startswith("sandbox")
        assert answer.headers["X-Robots-Tag"] == "noindex"


@pytest.mark.parametrize(("query", "said"), [
    ("", "Nothing is searched for"), ("before:x", "."), ("word3&year=x", "is not a year"),
])
def test_what_cannot_be_searched_for_is_said(found: Served, query, said):
    for suffix in ("csv", "jsonl"):
        answer = found.page(f"/search.{suffix}?q={query}")
        assert answer.status == 400
        assert said in answer.text
        assert answer.headers["Content-Type"].startswith("text/plain")


def test_the_page_of_results_links_to_them_with_its_filters(found: Served):
    text = found.page("/search?q=word3&author=bob&page=2").text
    assert 'href="/search.csv?q=word3&amp;author=bob"' in text
    assert 'href="/search.jsonl?q=word3&amp;author=bob"' in text


def test_in_public_nothing_hidden_is_in_a_file(tmp_path):
    with open_archive(tmp_path / "archive", create=True) as archive:
        add_posts(archive, LONG, 10)
        archive.hidden.set_post(archive.listing.find(LONG + "7").id, hidden=True)
        with serving(archive, public=True) as public:
            assert len(lines(public, "word3")) == 9
            assert len(rows(public, "word3")) == 9
