"""Gitalk, as Gitalk 1.8.0 wrote it into a page."""

from __future__ import annotations

import pytest
from a_rendered_page import days, page, read, threads

from everlog.comments.services import embedded
from everlog.core.tree import parse


@pytest.mark.parametrize(
    "static",
    [
        '<div id="gitalk-container"></div>',
        '<div class="comments gitalk-container"></div><script src="/js/gitalk.js"></script>',
        "<script>const gitalk = new Gitalk({repo: 'b'}); gitalk.render('comments')</script>",
    ],
)
def test_its_container_or_its_start_tells_it(static):
    assert [service.name for service in embedded(parse(static.encode()))] == ["gitalk"]


@pytest.mark.parametrize(
    "static",
    [
        '<script src="https://unpkg.com/gitalk/dist/gitalk.min.js"></script>',
        '<p>x</p><!-- <div id="gitalk-container"></div><script>new Gitalk({})</script> -->',
        '<h2 id="gitalk">Gitalk</h2>',
    ],
)
def test_unused_files_and_talk_about_it_embed_nothing(static):
    assert embedded(parse(static.encode())) == ()


def test_comments_are_read_in_their_order():
    assert threads(read("gitalk")) == [
        (None, None, "Ada", "Three minutes, no more.\n\nFour if it rains."),
        (None, None, "Bela", "Mine takes five."),
        (None, None, "Chidi", "Then it is bitter."),
        (None, None, "Dora", "Which water do you take?"),
    ]


def test_how_long_ago_is_counted_from_when_the_page_was_fetched():
    thread = read("gitalk")
    # "3 months ago" leaves the day open.
    assert [day[:10] for day in days(thread)][1:] == ["2020-05-12", "2020-05-30", "2020-05-31"]
    assert days(thread)[0][:7] in {"2020-02", "2020-03"}
    assert thread.claimed == 4
    assert thread.comments[0].author_url == "https://github.com/Ada"


NONE = '<div class="gt-comments"><p class="gt-comments-null">Be the first</p></div>'


@pytest.mark.parametrize("inside", [NONE, '<div class="gt-no-init"></div>'])
def test_it_says_that_there_are_none(inside):
    thread = read("gitalk", page(f'<div class="gt-container">{inside}</div>'))
    assert thread is not None
    assert thread.comments == ()


@pytest.mark.parametrize("inside", ['<div class="gt-initing"></div>', f'<div class="gt-error">Error: 500</div>{NONE}'])
def test_a_failure_or_nothing_yet_is_no_answer(inside):
    assert read("gitalk", page(f'<div class="gt-container">{inside}</div>')) is None
