"""Valine, as Valine 1.5.3 wrote it into a page."""

from __future__ import annotations

import pytest
from a_rendered_page import days, page, read, threads

from everlog.comments.services import embedded
from everlog.core.tree import parse


@pytest.mark.parametrize("static", ['<div id="vcomments"></div>', "<script>new Valine({el: '#comments'})</script>"])
def test_its_container_or_its_start_tells_it(static):
    assert [service.name for service in embedded(parse(static.encode()))] == ["valine"]


@pytest.mark.parametrize(
    "static",
    ['<script src="//unpkg.com/valine/dist/Valine.min.js"></script>', "<h2 id=valine>L-Valine</h2><p>150 mg/L</p>"],
)
def test_unused_files_and_amino_acids_embed_nothing(static):
    assert embedded(parse(static.encode())) == ()


def test_an_answer_names_the_comment_it_answers():
    ids = [f"5f{number:021}a" for number in (4, 1, 2, 3)]
    assert threads(read("valine")) == [
        (ids[0], None, "Dora", "Which water do you take?"),
        (ids[1], None, "Ada", "Three minutes, no more.\n\nFour if it rains."),
        (ids[2], ids[1], "Bela", "@Ada , Mine takes five."),
        (ids[3], ids[2], "Chidi", "@Bela , Then it is bitter."),
    ]


def test_dates_and_addresses_are_read_and_a_count_without_answers_is_not():
    thread = read("valine")
    assert [day[:10] for day in days(thread)] == ["2020-03-10", "2020-03-02", "2020-03-03", "2020-03-04"]
    assert thread.claimed is None
    assert thread.comments[1].author_url == "https://ada.example/"


def test_it_says_that_there_are_none():
    notice = '<div class="vempty" style="display: block;">No comment yet.</div>'
    thread = read("valine", page(f'<div class="vcards"></div>{notice}'))
    assert thread is not None
    assert thread.comments == ()


@pytest.mark.parametrize(
    "notice",
    [
        '<div class="vempty" style="display:none;"></div>',
        '<div class="vempty" style="display: block;"><pre>Code 1: Internal server error</pre></div>',
    ],
)
def test_a_failure_or_nothing_yet_is_no_answer(notice):
    assert read("valine", page(f'<div class="vcards"></div>{notice}')) is None
