"""The page of a post: article, threads, versions, where fields came from, and what is near."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest

from archive import some_visits as some
from everlog.archive import open_archive
from everlog.records import Comment
from web.conftest import POST, filled
from web.served_archive import Served, serving
from web.some_blogs import HOSTILE, PAYLOADS, add_hostile, add_posts

if TYPE_CHECKING:
    from collections.abc import Iterator

LONG = "http://long.example/"
STRANGE = "http://strange.example/"
MARKUP = "<pre><code>x &lt; 1</code></pre><table><tr><td>cell</td></tr></table>"


@pytest.fixture(scope="module")
def posts(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    place = tmp_path_factory.mktemp("posts") / "archive"
    with open_archive(place, create=True) as archive:
        filled(archive)
        add_posts(archive, LONG, 20, title="A long life")
        add_hostile(archive)
        blog = archive.blogs.add(STRANGE, scope="path").id
        many = tuple(
            Comment(id=str(number), parent=str(number - 1) if number % 10 else None, author=f"Reader {number}",
                    text=f"Comment {number}") for number in range(5_000)
        )
        with archive.lock(blog):
            archive.commit([
                some.page(blog, url, outcome="post", exchanges=(some.exchange(url, url.encode()),),
                          post=some.post(url, **rest))
                for url, rest in (
                    (STRANGE + "many", {"comments": many, "comments_state": "complete"}),
                    (STRANGE + "arabic", {"title": "مرحبا", "language": "ar", "text": "مرحبا بالعالم",
                                          "html": f'<p>مرحبا <a href="{LONG}3">بالعالم</a></p>'}),
                    (STRANGE + "twins", {"text": "Twins", "comments_state": "complete", "comments": (
                        Comment(id="1", text="One"), Comment(id="1", text="Two"),
                    )}),
                    (STRANGE + "markup", {"text": "x < 1 cell", "html": MARKUP}),
                )
            ])
    with open_archive(place, read_only=True) as archive, serving(archive) as running:
        yield running


def test_a_post_leads_to_its_neighbours_its_blog_and_its_tags(posts: Served):
    text = posts.page(f"/read/{LONG}7").text
    assert f'rel="prev" href="/read/{LONG}6"' in text
    assert f'rel="next" href="/read/{LONG}8"' in text
    assert 'href="/blog/long.example" dir="auto">A long life</a>' in text
    assert 'href="/blog/long.example?tag=Maps"' in text
    assert f'<link rel="canonical" href="{LONG}7">' in text
    assert 'rel="prev"' not in posts.page(f"/read/{LONG}0").text


def test_a_post_says_who_links_to_it(posts: Served):
    text = posts.page(f"/read/{LONG}3").text
    assert "Posts that link here" in text
    assert f'href="/read/{STRANGE}arabic"' in text


def test_a_post_is_in_its_own_language_and_direction(posts: Served):
    text = posts.page(f"/read/{STRANGE}arabic").text
    assert '<h1 lang="ar" dir="auto">مرحبا</h1>' in text
    assert '<div class="article" lang="ar" dir="auto" hx-disable>' in text


def test_code_and_tables_are_shown(posts: Served):
    text = posts.page(f"/read/{STRANGE}markup").text
    assert "<code>x &lt; 1</code>" in text
    assert "<td>cell</td>" in text


def test_where_fields_came_from_is_said_with_how_sure_that_is(posts: Served):
    text = posts.page(f"/read/{LONG}7").text
    assert "<code>article</code>" in text
    assert "sure (90 %)" in text
    assert "WARC record" in text
    assert "not sure that this post was read right" not in text
    assert "not sure that this post was read right" in posts.page(f"/read/{LONG}10").text


def test_thousands_of_comments_are_threads_each_with_a_link(posts: Served):
    text = posts.page(f"/read/{STRANGE}many").text
    anchors = re.findall(r' id="((?:c-|comment-)[^"]+)"', text)
    assert len(anchors) == len(set(anchors)) == 5_000
    assert all(f'href="#{anchor}"' in text for anchor in anchors[:50])
    assert text.count("<details open>") == 500
    assert "9 answers" in text


def test_comments_of_one_id_have_links_of_their_own(posts: Served):
    text = posts.page(f"/read/{STRANGE}twins").text
    assert len(set(re.findall(r'href="#(c[^"]+)"', text)) - {"comments", "content"}) == 2


def test_versions_are_listed_with_what_changed(posts: Served):
    text = posts.page(f"/read/{POST}").text
    assert "3 versions" in text
    assert f'href="/diff/2/3/{POST}"' in text
    changes = posts.page(f"/diff/2/3/{POST}").text
    assert "<del>10</del>" in changes
    assert "<ins>20</ins>" in changes
    assert f'href="/diff/1/2/{POST}"' in changes
    assert "These two versions say the same" in posts.page(f"/diff/2/2/{POST}").text
    for path in (f"/diff/2/9/{POST}", f"/diff/x/y/{POST}", f"/diff/1/2/{LONG}never", "/diff/1/2/"):
        assert posts.page(path).status == 404, path


def test_a_post_is_had_as_json_and_as_markdown(posts: Served):
    answer = posts.page(f"/json/{POST}")
    assert answer.headers["Content-Type"] == "application/json; charset=utf-8"
    found = json.loads(answer.text)
    assert found["url"] == POST
    assert len(found["comments"]) == 2
    text = posts.page(f"/markdown/{POST}")
    assert text.headers["Content-Type"] == "text/markdown; charset=utf-8"
    assert f'original_url: "{POST}"' in text.text
    for path in (f"/json/{LONG}never", f"/markdown/{LONG}never", "/json/"):
        assert posts.page(path).status == 404


def test_what_strangers_wrote_is_only_text_on_the_pages_of_a_post(posts: Served):
    for number in range(len(PAYLOADS)):
        for path in (f"/read/{HOSTILE}{number}", f"/diff/1/2/{HOSTILE}{number}"):
            answer = posts.page(path)
            assert answer.status == 200, path
            for evil in ("<script", "<iframe", "onerror=alert(1)>", "onload=alert(1)>", 'href="javascript', 'onmouse"'):
                assert evil not in answer.said, (path, evil)
            assert not re.search(r"<[^>]*\son\w+\s*=", re.sub(r'"[^"]*"', '""', answer.text)), path
        for path in (f"/json/{HOSTILE}{number}", f"/markdown/{HOSTILE}{number}"):
            answer = posts.page(path)
            assert answer.status == 200
            assert answer.headers["X-Content-Type-Options"] == "nosniff"
            assert "sandbox" in answer.headers["Content-Security-Policy"]
    assert "No text was found" in posts.page(f"/read/{HOSTILE}empty").text


def test_in_public_a_hidden_post_has_no_page_and_nothing_is_told_of_files(tmp_path):
    with open_archive(tmp_path / "archive", create=True) as archive:
        filled(archive)
        add_posts(archive, LONG, 20, title="A long life")
        archive.hidden.set_post(archive.listing.find(LONG + "7").id, hidden=True)
        with serving(archive, public=True) as public, serving(archive) as private:
            for kind in ("read", "json", "markdown", "diff/1/1"):
                assert public.page(f"/{kind}/{LONG}7").status == 404
                assert private.page(f"/{kind}/{LONG}7").status == 200
            assert f'rel="prev" href="/read/{LONG}6"' in public.page(f"/read/{LONG}8").text
            assert "Hidden:" in private.page(f"/read/{LONG}7").text
            for path in (f"/read/{POST}", f"/json/{POST}", f"/markdown/{POST}"):
                assert "warc.gz" not in public.page(path).text
            assert "warc.gz" in private.page(f"/read/{POST}").text
