"""Isso, as Isso 0.14.0 wrote it into a page."""

from __future__ import annotations

import pytest
from a_rendered_page import days, page, read, threads

from everlog.comments.services import embedded
from everlog.core.tree import parse


def test_its_container_tells_it():
    static = b'<script data-isso="//x.org/" src="//x.org/js/embed.min.js"></script><section id="isso-thread"></section>'
    assert [service.name for service in embedded(parse(static))] == ["isso"]


@pytest.mark.parametrize(
    "static",
    [
        '<script data-isso="//x.org/" src="//x.org/js/count.min.js"></script><a href="/a/#isso-thread">Comments</a>',
        '<pre>&lt;section id="isso-thread"&gt;&lt;/section&gt;</pre>',
    ],
)
def test_its_counter_and_talk_about_it_embed_nothing(static):
    assert embedded(parse(static.encode())) == ()


def test_threads_are_read_and_the_preview_of_the_form_is_no_comment():
    assert threads(read("isso")) == [
        ("1", None, "Ada", "Three minutes, no more.\n\nFour if it rains."),
        ("2", "1", "Bela", "Mine takes five."),
        ("3", "1", "Chidi", "Then it is bitter."),
        ("4", None, "Dora", "Which water do you take?"),
    ]


def test_dates_addresses_and_the_count_are_read():
    thread = read("isso")
    assert days(thread) == ["2020-03-02 12:00", "2020-03-03 12:00", "2020-03-04 12:00", "2020-03-10 12:00"]
    assert thread.claimed == 4
    assert (thread.comments[0].author_url, thread.comments[0].url) == (
        "https://ada.example/", "https://blog.example/2020/03/tea/#isso-1"
    )


def test_a_version_before_the_names_had_a_prefix_is_read():
    comment = (
        '<div class="isso-comment" id="isso-7"><div class="text-wrapper"><div class="isso-comment-header">'
        '<span class="author">Ada</span><a class="permalink" href="#isso-7"><time datetime="2014-05-01T10:00:00Z">'
        '8 years ago</time></a></div><div class="text"><p>Old, and good.</p></div></div>'
        '<div class="isso-follow-up"></div></div>'
    )
    thread = read("isso", page(f'<section id="isso-thread"><h4>1 Comment</h4><div id="isso-root">{comment}</div>'))
    assert threads(thread) == [("7", None, "Ada", "Old, and good.")]
    assert days(thread) == ["2014-05-01 10:00"]


def test_a_heading_with_words_says_that_there_are_none():
    inside = '<h4>No Comments Yet</h4><div id="isso-root"></div>'
    thread = read("isso", page(f'<section id="isso-thread">{inside}</section>'))
    assert thread is not None
    assert thread.comments == ()


@pytest.mark.parametrize("inside", ["", "<h4></h4>", '<h4></h4><div id="isso-root"></div>'])
def test_a_heading_without_words_has_not_been_answered(inside):
    assert read("isso", page(f'<section id="isso-thread">{inside}</section>')) is None
