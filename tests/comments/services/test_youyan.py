"""Youyan, in pages that browsers saved."""

from __future__ import annotations

import pytest
from a_rendered_page import days, page, read, threads

from everlog.comments.services import embedded
from everlog.core.tree import parse


@pytest.mark.parametrize(
    "static",
    [
        '<div id="uyan_frame"></div>',
        '<script src="http://v1.uyan.cc/js/iframe.js?UYUserId=1" async=""></script>',
        '<script src="http://v2.uyan.cc/code/uyan.js?uid=1"></script>',
    ],
)
def test_its_container_or_script_tells_it(static):
    assert [service.name for service in embedded(parse(static.encode()))] == ["youyan"]


def test_links_embed_nothing():
    assert embedded(parse(b'<a href="http://www.uyan.cc">uyan</a>')) == ()


def test_answers_are_told_by_how_far_they_are_moved_to_the_right():
    assert threads(read("youyan")) == [
        ("31", None, "Ada", "Three minutes, no more."),
        ("32", "31", "Bob", "Four for the green one."),
        ("33", None, "Cleo", "Milk first."),
    ]


def test_dates_and_homes_are_read():
    thread = read("youyan")
    assert thread is not None
    assert days(thread) == ["2014-03-02 09:15", "2014-03-03 18:40", "2014-03-04 00:05"]
    assert thread.comments[0].author_url == "https://ada.example/"


def test_an_empty_list_has_no_comments_and_an_empty_container_no_answer():
    thread = read("youyan", page('<div id="uyan_frame"><div id="uyan_cmt_list"></div></div>'))
    assert thread is not None
    assert thread.comments == ()
    assert read("youyan", page('<div id="uyan_frame"></div>')) is None
