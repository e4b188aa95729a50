"""The first page: all blogs with what is held of each."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from html import unescape
from typing import TYPE_CHECKING

import pytest

from archive import some_visits as some
from archive.some_visits import HOME
from everlog.archive import open_archive
from everlog.records import Comment
from web.conftest import PICTURE, answer, filled, stamp
from web.served_archive import Served, serving
from web.some_blogs import add_events, add_posts

if TYPE_CHECKING:
    from collections.abc import Iterator


def test_a_blog_has_its_figures_and_a_drawing_with_words(served: Served):
    text = served.page("/").text
    assert "<dd>1</dd>" in text
    assert "Complete" in text
    assert 'href="/blog/a.example"' in text
    assert "style=" not in text


def test_the_drawing_is_of_the_months_of_a_blogs_posts(tmp_path):
    with open_archive(tmp_path / "archive", create=True) as archive:
        add_posts(archive, "http://long.example/", 30, title="Long")
        with serving(archive) as served:
            text = served.page("/").text
            assert 'aria-label="Posts from January 2020 to October 2020, at most 4 a month"' in text
            assert "<dd>30</dd>" in text


def test_many_blogs_have_pages(tmp_path):
    with open_archive(tmp_path / "archive", create=True) as archive:
        for number in range(70):
            archive.blogs.add(f"http://b{number}.example/", scope="path")
        with serving(archive) as served:
            found, query = [], "/"
            while query:
                text = served.page(query).text
                assert "70 blogs" in text
                found += names(text)
                following = re.search(r'<a href="(\?[^"]*)" rel="next"', text)
                query = "/" + unescape(following[1]) if following else ""
            assert found == [f"b{number}.example" for number in range(70)]
            assert "no further blogs" in served.page("/?page=99999").text
            for query in ("page=x", "page=-1", "order=x", "name=%FF", "name=" + "x" * 5000):
                assert served.page("/?" + query).status == 200, query


def test_a_blog_that_was_forgotten_is_shown_as_the_others_and_is_not_updated(tmp_path):
    with open_archive(tmp_path / "archive", create=True) as archive:
        blog = add_posts(archive, "http://a.example/", 3, title="A")
        add_events(archive, "http://a.example/")
        crawled = datetime(2024, 5, 1, tzinfo=UTC)
        archive.blogs.update(blog, crawled_at=crawled, forgotten_at=crawled)
        for public in (False, True):
            with serving(archive, public=public) as served:
                text = served.page("/").text
                assert names(text) == ["a.example"]
                assert "1 blog in this archive" in text
                assert "</time>, no longer updated" in text
                # Its posts and events lead to it, too.
                assert '<a class="of-blog" href="/timeline/a.example"' in text
                assert '<a href="/blog/a.example"' in served.page("/read/http://a.example/1").text
                assert "No longer updated since" in served.page("/blog/a.example").text
        with serving(archive) as served:
            assert "None: the blog is no longer updated." in served.page("/requests/a.example").text


def names(text: str) -> list[str]:
    """The blogs of a page, in its order."""
    return re.findall(r'<h2 dir="auto"><a href="/blog/([^"]*)"', text)


@pytest.fixture(scope="module")
def several(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    place = tmp_path_factory.mktemp("several") / "archive"
    with open_archive(place, create=True) as archive:
        add_posts(archive, "http://few.example/", 2, title="Zebra")
        add_posts(archive, "http://many.example/", 9, title="Ärger und Äpfel")
        add_posts(archive, "http://some.example/", 5, title="apple pie")
        add_posts(archive, "http://none.example/", 0)
        add_events(archive, "http://few.example/")
    with open_archive(place, read_only=True) as archive, serving(archive) as running:
        yield running


@pytest.mark.parametrize(("query", "shown"), [
    ("", ["few", "many", "some", "none"]), ("order=name", ["some", "none", "few", "many"]),
    ("order=posts", ["many", "some", "few", "none"]), ("name=%C3%84PF", ["many"]), ("name=EXAMPLE&order=name",
    ["some", "none", "few", "many"]), ("name=pie+some", ["some"]), ("name=nothing", []),
])
def test_blogs_are_sorted_and_found_by_a_part_of_the_name_or_address(several: Served, query, shown):
    text = several.page(f"/?{query}").text
    assert names(text) == [f"{name}.example" for name in shown]
    assert ("No blog has this in its name" in text) == (not shown)
    assert 'href="?order=name' in text or "order=name" in query or "&amp;order=name" in text


def test_what_changed_lately_is_told_of_all_blogs_on_the_first_page(several: Served):
    text = several.page("/").text
    assert "What changed lately" in text
    assert 'href="/diff/3/4/http://few.example/0"' in text
    assert 'class="of-blog" href="/timeline/few.example" dir="auto">Zebra<' in text
    assert "Newest posts" in text
    assert 'href="/read/http://some.example/4"' in text
    assert "What changed lately" not in several.page("/?name=zebra").text


def test_the_newest_posts_stand_by_their_dates_whichever_was_captured_last(several: Served):
    section = several.page("/").text.partition("Newest posts")[2].partition("</section>")[0]
    dates = re.findall(r'datetime="([^"]+)"', section)
    assert len(dates) > 1
    assert dates == sorted(dates, reverse=True)


def test_confidence_completeness_and_visits_are_on_the_card_of_a_blog(several: Served):
    text = several.page("/").text
    assert re.search(r"<dt>Confidence</dt><dd>82 %</dd>", text)
    assert text.count("Completeness not known") == 4
    assert text.count("<dt>Confidence") == 3


def test_the_icon_of_a_blog_is_the_captured_one_or_its_letter(several: Served, tmp_path):
    tile = several.page("/icon/many.example")
    assert tile.headers["Content-Type"] == "image/svg+xml"
    assert tile.headers["Content-Security-Policy"] == "default-src 'none'"
    assert ">Ä</text>" in tile.text
    assert ">N</text>" in several.page("/icon/none.example").text
    assert several.page("/icon/nowhere.example").status == 404
    with open_archive(tmp_path / "archive", create=True) as archive:
        filled(archive)
        blog = archive.blogs.find(HOME).id
        page = b"<html><head><link rel='apple-touch-icon' href='/nowhere.png'><link rel='shortcut icon' href='cat.png'>"
        # However long it is: the rest is not looked at.
        page += b"</head><body>" + b"<p>Words</p>" * 600_000
        with archive.lock(blog):
            archive.commit([some.page(blog, HOME, exchanges=(answer(HOME, page, "text/html", at=9),))])
        with serving(archive) as served:
            found = served.page("/icon/a.example")
            assert found.status == 302
            assert found.headers["Location"] == f"{served.replay}/web/{stamp(0)}/{PICTURE}"
            assert served.page("/icon/a.example").headers["Location"] == found.headers["Location"]


def test_in_public_a_hidden_blog_has_no_icon_and_hidden_posts_change_no_figure(tmp_path):
    with open_archive(tmp_path / "archive", create=True) as archive:
        blog = add_posts(archive, "http://a.example/", 3, title="A")
        other = add_posts(archive, "http://b.example/", 3, title="B")
        add_events(archive, "http://a.example/")
        archive.hidden.set_post(archive.listing.find("http://a.example/0").id, hidden=True)
        archive.hidden.set_blog(other, hidden=True)
        assert blog != other
        with serving(archive, public=True) as public:
            text = public.page("/").text
            assert names(text) == ["a.example"]
            assert "<dd>2</dd>" in text
            assert "Post 0" not in text
            assert public.page("/icon/a.example").status == 200
            assert public.page("/icon/b.example").status == 404


def test_in_public_comments_and_confidence_are_those_of_the_posts_that_are_shown(tmp_path):
    with open_archive(tmp_path / "archive", create=True) as archive:
        # Of these the first is read at 20 %, the others at 90.
        blog = add_posts(archive, "http://a.example/", 3, title="A")
        with archive.lock(blog):
            archive.commit([some.page(blog, f"http://a.example/{name}", outcome="post", post=some.post(
                f"http://a.example/{name}", text=f"{name} {some.LONG}", comments_state="complete",
                comments=tuple(Comment(id=str(number), text="Hello") for number in range(count)),
            )) for name, count in (("many", 40), ("few", 2))])
        for name in ("0", "many"):
            archive.hidden.set_post(archive.listing.find(f"http://a.example/{name}").id, hidden=True)
        with serving(archive, public=True) as public, serving(archive) as private:
            text = public.page("/").text
            assert "<dt>Posts</dt><dd>3</dd>" in text
            assert "<dt>Comments</dt><dd>2</dd>" in text
            assert "<dt>Confidence</dt><dd>90 %</dd>" in text
            assert "<dt>Comments</dt><dd>42</dd>" in private.page("/").text
