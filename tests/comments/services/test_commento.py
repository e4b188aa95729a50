"""Commento, in the page itself."""

from __future__ import annotations

import pytest
from a_rendered_page import days, page, read, threads

from everlog.comments.services import embedded
from everlog.core.tree import parse


@pytest.mark.parametrize(
    "static",
    [
        '<div id="commento"></div><script defer src="https://cdn.commento.io/js/commento.js"></script>',
        '<script>s.src = "https://talk.blog.example/js/commento.js"; document.body.appendChild(s);</script>',
    ],
)
def test_its_script_tells_it(static):
    assert [service.name for service in embedded(parse(static.encode()))] == ["commento"]


@pytest.mark.parametrize(
    "static",
    [
        '<form><textarea id="commento" name="commento"></textarea></form>',
        '<div id="commento">Un commento</div>',
        '<script src="https://cdn.commento.io/js/count.js"></script>',
    ],
)
def test_the_italian_word_and_its_counter_embed_nothing(static):
    assert embedded(parse(static.encode())) == ()


def test_threads_are_read():
    assert threads(read("commento")) == [
        ("commento-comment-card-5e1f0a", None, "Ada", "Three minutes, no more."),
        ("commento-comment-card-77b2c3", "commento-comment-card-5e1f0a", "Anonymous", "Four for the green one."),
        ("commento-comment-card-90d4e5", None, "Cleo", "Milk first."),
    ]


def test_dates_and_homes_are_read():
    thread = read("commento")
    assert thread is not None
    assert days(thread) == ["2020-03-02 09:15", "2020-03-03 18:40", "2020-03-04 00:05"]
    assert [comment.author_url for comment in thread.comments] == ["https://ada.example/", None, None]


def test_older_clients_write_the_text_into_the_body():
    old = (
        '<div id="commento-comments-area"><div id="commento-comment-card-ab" class="commento-card">'
        '<div class="commento-header"><div class="commento-name">Ada</div></div>'
        '<div id="commento-comment-contents-ab"><div id="commento-comment-body-ab" class="commento-body"><p>Fine.</p>'
        "</div></div></div></div>"
    )
    assert threads(read("commento", page(old))) == [("commento-comment-card-ab", None, "Ada", "Fine.")]


def test_an_empty_area_has_no_comments():
    area = '<div id="commento-error" style="display: none;"></div><div id="commento-comments-area"></div>'
    thread = read("commento", page(area))
    assert thread is not None
    assert thread.comments == ()


@pytest.mark.parametrize(
    "body",
    [
        '<div id="commento"></div>',
        '<div id="commento-comments-area"></div><div id="commento-error" style="display: block;">Oops</div>',
    ],
)
def test_before_an_answer_and_after_an_error_nothing_is_known(body):
    assert read("commento", page(body)) is None
