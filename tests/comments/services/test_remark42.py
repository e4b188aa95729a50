"""Remark42, in a frame of the blog's own server."""

from __future__ import annotations

import pytest
from a_rendered_page import days, frame, page, read, threads

from everlog.comments.services import embedded
from everlog.core.tree import parse

FRAME = "https://talk.blog.example/web/iframe.html?host=https%3A%2F%2Ftalk.blog.example&site_id=blog"


def test_its_container_tells_it():
    static = b'<div id="remark42"></div><script>var remark_config = {host: "https://talk.blog.example"}</script>'
    assert [service.name for service in embedded(parse(static))] == ["remark42"]


def test_a_page_that_only_counts_embeds_nothing():
    static = (
        b"<span class='remark42__counter' data-url='https://blog.example/tea/'></span>"
        b"<script>var remark_config = {host: 'https://talk.blog.example', components: ['counter']}</script>"
    )
    assert embedded(parse(static)) == ()


def test_answers_are_told_by_their_links_and_pinned_comments_are_read_once():
    ada, bob, cleo = (f"remark42__comment-{ident}" for ident in ("ef14cbd2-a1", "97d2a0b1-b2", "5fd30e44-cf"))
    assert threads(read("remark42")) == [
        (ada, None, "Ada", "Three minutes, no more."),
        (bob, ada, "Bob", "Four for the green one."),
        (cleo, None, "Cleo", "Milk first."),
    ]


def test_dates_and_links_are_read():
    thread = read("remark42")
    assert thread is not None
    assert days(thread) == ["2020-03-02 09:15", "2020-03-13 18:40", "2020-03-04 00:05"]
    assert thread.comments[0].url == "https://blog.example/2020/03/tea/#remark42__comment-ef14cbd2-a1"


def test_a_list_of_no_threads_has_no_comments():
    thread = read("remark42", page(frame(FRAME, '<div class="root__threads" role="list"></div>')))
    assert thread is not None
    assert thread.comments == ()


@pytest.mark.parametrize(
    "body",
    [
        frame(FRAME, '<div class="root"><div class="preloader root__preloader"></div></div>'),
        frame(FRAME, '<div class="root__threads"><div class="preloader root__preloader"></div></div>'),
        frame("https://talk.blog.example/web/other.html?site_id=blog", '<div class="root__threads"></div>'),
    ],
)
def test_while_it_loads_nothing_is_known(body):
    assert read("remark42", page(body)) is None
