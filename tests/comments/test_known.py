"""Comments in the markup of blog engines."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from everlog.comments.engines import KNOWN
from everlog.comments.known_engines import read_known
from everlog.core.tree import parse

if TYPE_CHECKING:
    from everlog.comments.comment_markup import Thread

URL = "http://a.org/2019/rain/"
# Two comments in the markup of each engine: Ada's of 1 March and Bob's of 2 March 2019, at ten.
ENGINES = Path(__file__).parent / "engines"


def read(html: str) -> Thread:
    thread = read_known(parse(html.encode()), URL)
    assert thread is not None
    return thread




THREADED = {"wordpress-html5", "wordpress-html4", "blogger-threads", "drupal-8", "drupal-6", "json-ld"}


@pytest.mark.parametrize("file", sorted(ENGINES.glob("*.html")), ids=lambda file: file.stem)
def test_the_markup_of_an_engine_is_read(file):
    thread = read(file.read_text("utf-8"))
    assert file.stem.startswith(thread.source)
    first, second = thread.comments
    assert (first.author, first.author_url, first.text) == ("Ada", "http://ada.org/", "It will stop.")
    assert (second.author, second.author_url, second.text) == ("Bob", None, "It never does.")
    assert [c.published for c in thread.comments] == [datetime(2019, 3, day, 10, tzinfo=UTC) for day in (1, 2)]
    assert [(c.id or "").lstrip("0") for c in thread.comments] == ["7", "8"]
    assert (first.parent, second.parent) == (None, first.id if file.stem in THREADED else None)


def test_the_stated_count_comes_with_the_comments():
    for engine in ("wordpress-html5", "blogger-classic"):
        assert read((ENGINES / f"{engine}.html").read_text("utf-8")).claimed == 2


def test_a_page_that_counts_none_above_its_comments_is_not_believed():
    page = (ENGINES / "movable-type-4.html").read_text("utf-8")
    assert read(page.replace("2 Comments", "No Comments")).claimed is None


def test_links_from_elsewhere_are_comments_whether_the_page_shows_their_text_or_their_name_alone():
    thread = read(
        """<ol class=commentlist><li class="pingback even depth-1" id="comment-1"><div class="comment-body">Pingback:
        <a href="http://b.org/" rel="external nofollow" class="url">A title</a></div></li>
        <li class="trackback depth-1" id="comment-2"><cite class=fn>B</cite><p class="comment-text">[…] says […]</p>
        <ul><li class="comment depth-2" id="comment-3"><cite class=fn>C</cite><p>Thanks.</p></li></ul></li></ol>"""
    )
    found = [(c.id, c.author, c.author_url, c.text, c.parent) for c in thread.comments]
    assert found == [
        ("1", "A title", "http://b.org/", "", None), ("2", "B", None, "[…] says […]", None),
        ("3", "C", None, "Thanks.", "2"),
    ]


def test_an_answer_inside_a_link_from_elsewhere_answers_it():
    html = """<ol><li class="comment depth-1" id="comment-9"><cite class=fn>Z</cite><p>First.</p></li>
        <li class="pingback depth-1" id="comment-1">Pingback: <a class=url href="http://b.org/">T</a>
        <ul class=children><li class="comment depth-2" id="comment-2"><cite class=fn>A</cite><p>Thanks.</p></li></ul>
        </li></ol>"""
    assert [(c.id, c.parent) for c in read(html).comments] == [("9", None), ("1", None), ("2", "1")]


def test_a_page_with_nothing_but_names_of_links_has_these():
    thread = read(
        """<ol><li class="pingback" id="comment-4"><p>Pingback: <a class=url href="http://b.org/#x">A title</a>
        <span class=edit-link><a href="http://a.org/wp-admin/comment.php?c=4">Edit</a></span></p></li>
        <li class="trackback" id="comment-5"><a href="#comment-5">5 March</a> Trackback von
        <a href="http://c.org/">Ein Titel</a></li></ol>"""
    )
    found = [(comment.id, comment.author, comment.author_url, comment.text) for comment in thread.comments]
    assert found == [("4", "A title", "http://b.org/#x", ""), ("5", "Ein Titel", "http://c.org/", "")]


def test_links_from_elsewhere_in_lists_of_the_latest_comments_are_not_the_posts():
    ping = '<li class="pingback" id="comment-4">Pingback: <a class=url href="http://b.org/">A title</a></li>'
    assert read_known(parse(f"<ul class=recent-comments>{ping}</ul>".encode()), URL) is None


@pytest.mark.parametrize(
    "html",
    [
        "<p>No comments at all.</p>",
        "<pre><span class='comment'># a comment in code</span></pre>",
        "<div id=respond class=comment-respond><form class=comment-form><p class=comment-notes>Write.</p></form></div>",
        "<ul class=recentcomments><li class=comment><cite>Ada</cite><p>on Snow</p></li></ul>",
        "<div class=comment><div class=content></div></div>",
        "<ul class=commentlist><li><p>Be the first!</p></li></ul>",
        '<script type="application/ld+json">{"@type": "BlogPosting", "comment": {"@type": "Comment"}}</script>',
    ],
)
def test_pages_without_comments_have_none(html):
    thread = read_known(parse(html.encode()), URL)
    assert thread is None or thread.comments == ()


def test_answers_in_data_are_followed_only_so_deep():
    deep = '{"@type": "Comment", "text": "x", "comment": ' * 80 + "[]" + "}" * 80
    thread = read(f'<script type="application/ld+json">{{"@type": "Article", "comment": {deep}}}</script>')
    assert 50 <= len(thread.comments) < 80


def test_every_engine_has_a_name_and_reads_texts_names_and_dates():
    assert all(markup.name and markup.text and markup.author and markup.date for markup in KNOWN)
