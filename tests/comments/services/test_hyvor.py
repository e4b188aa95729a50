"""Hyvor Talk, in a shadow root."""

from __future__ import annotations

import pytest
from a_rendered_page import days, page, read, threads

from everlog.comments.services import embedded
from everlog.core.tree import parse


def shadow(body: str) -> str:
    return f'<hyvor-talk-comments><template shadowrootmode="open">{body}</template></hyvor-talk-comments>'


@pytest.mark.parametrize(
    "static",
    [
        '<hyvor-talk-comments website-id="1" page-id=""></hyvor-talk-comments>',
        '<div id="hyvor-talk-view"></div>',
        '<script async src="//talk.hyvor.com/web-api/embed"></script>',
    ],
)
def test_its_element_or_older_container_tells_it(static):
    assert [service.name for service in embedded(parse(static.encode()))] == ["hyvor"]


@pytest.mark.parametrize(
    "static",
    [
        '<hyvor-talk-comment-count page-id="tea"></hyvor-talk-comment-count>',
        '<script async src="https://talk.hyvor.com/embed/comment-counts.js" type="module"></script>',
        '<a href="https://blog.example/tea/#hyvor-talk-view">Comments</a>',
    ],
)
def test_counts_and_links_embed_nothing(static):
    assert embedded(parse(static.encode())) == ()


def test_threads_are_read_from_the_shadow_root_and_not_from_the_article():
    assert threads(read("hyvor")) == [
        ("501", None, "Ada", "Three minutes, no more."),
        ("502", "501", "Bob", "Four for the green one."),
        ("503", None, "Cleo", "Milk first."),
    ]


def test_dates_and_the_count_are_read():
    thread = read("hyvor")
    assert thread is not None
    assert days(thread) == ["2020-03-02 09:15", "2020-03-13 18:40", "2020-03-04 00:05"]
    assert thread.claimed == 3


def test_an_empty_list_has_no_comments():
    thread = read("hyvor", page(shadow('<div class="comments-list parent"></div>')))
    assert thread is not None
    assert thread.comments == ()


@pytest.mark.parametrize("body", ["<hyvor-talk-comments></hyvor-talk-comments>", shadow('<div id="root"></div>')])
def test_without_an_answer_nothing_is_known(body):
    assert read("hyvor", page(body)) is None
