"""Twikoo, as Twikoo 1.7.9 wrote it into a page."""

from __future__ import annotations

import pytest
from a_rendered_page import days, page, read, threads

from everlog.comments.services import embedded
from everlog.core.tree import parse


@pytest.mark.parametrize(
    "static", ['<div id="tcomment"></div>', "<script>twikoo.init({envId: '//x.org', el: '#comments'})</script>"]
)
def test_its_container_or_its_start_tells_it(static):
    assert [service.name for service in embedded(parse(static.encode()))] == ["twikoo"]


@pytest.mark.parametrize(
    "static",
    [
        '<script src="https://cdn.jsdelivr.net/npm/twikoo@1.7.9/dist/twikoo.min.js"></script>',
        "<script>twikoo.getCommentsCount({envId: '//x.org', urls: ['/a/']}).then(show)</script>",
        '<h2 id="twikoo">Twikoo</h2>',
    ],
)
def test_its_counters_unused_files_and_talk_about_it_embed_nothing(static):
    assert embedded(parse(static.encode())) == ()


def test_an_answer_names_the_comment_it_answers():
    assert threads(read("twikoo")) == [
        ("t4x", None, "Dora", "Which water do you take?"),
        ("t1x", None, "Ada", "Three minutes, no more.\n\nFour if it rains."),
        ("t2x", "t1x", "Bela", "Mine takes five."),
        ("t3x", "t2x", "Chidi", "Then it is bitter."),
    ]


def test_dates_and_addresses_are_read_and_a_count_without_answers_is_not():
    thread = read("twikoo")
    assert days(thread) == ["2020-03-10 12:00", "2020-03-02 12:00", "2020-03-03 12:00", "2020-03-04 12:00"]
    assert thread.claimed is None
    assert thread.comments[1].author_url == "https://ada.example/"


NONE = '<div class="tk-comments-container"><div class="tk-comments-no"><span>No comment</span>{}</div>{}</div>'


def test_it_says_that_there_are_none():
    thread = read("twikoo", page(NONE.format("", "")))
    assert thread is not None
    assert thread.comments == ()


@pytest.mark.parametrize(
    ("inside", "after"),
    [
        ('<span class="tk-comments-error">Network error</span>', ""),
        ("", '<div class="tk-expand-wrap"><div class="tk-expand">Load more</div></div>'),
    ],
)
def test_none_beside_an_error_or_an_offer_of_more_is_a_failure(inside, after):
    assert read("twikoo", page(NONE.format(inside, after))) is None
