"""Waline, as @waline/client 3.15.2 wrote it into a page."""

from __future__ import annotations

import pytest
from a_rendered_page import days, page, read, threads

from everlog.comments.services import embedded
from everlog.core.tree import parse


@pytest.mark.parametrize(
    "static",
    [
        '<div id="waline"></div>',
        "<script>Waline.init({el: '#comments', serverURL: '//x.org'});</script>",
        "<script>new Waline({el: '#comments'})</script>",
        "<script type=module>import { init } from 'https://unpkg.com/@waline/client@v3/dist/waline.js'</script>",
    ],
)
def test_its_container_or_its_start_tells_it(static):
    assert [service.name for service in embedded(parse(static.encode()))] == ["waline"]


@pytest.mark.parametrize(
    "static",
    [
        '<script src="https://unpkg.com/@waline/client@v3/dist/waline.js"></script>',
        "<script type=module>import { commentCount } from 'https://unpkg.com/@waline/client@v3/dist/comment.js';</script>",
        "<script type=module>import { pageviewCount } from 'https://unpkg.com/@waline/client/dist/pageview.js';</script>",
        '<h2 id="waline">Waline</h2><a href="https://waline.js.org/">Waline</a>',
    ],
)
def test_its_counters_unused_files_and_talk_about_it_embed_nothing(static):
    assert embedded(parse(static.encode())) == ()


def test_an_answer_names_the_comment_it_answers():
    assert threads(read("waline")) == [
        ("w4x", None, "Dora", "Which water do you take?"),
        ("w1x", None, "Ada", "Three minutes, no more.\n\nFour if it rains."),
        ("w2x", "w1x", "Bela", "Mine takes five."),
        ("w3x", "w2x", "Chidi", "Then it is bitter."),
    ]


def test_dates_addresses_and_the_count_are_read():
    thread = read("waline")
    assert [day[:10] for day in days(thread)] == ["2020-03-10", "2020-03-02", "2020-03-03", "2020-03-04"]
    assert thread.claimed == 4
    assert thread.comments[1].author_url == "https://ada.example/"


def test_it_says_that_there_are_none():
    thread = read("waline", page('<div class="wl-cards"></div><div class="wl-empty">No comment yet.</div>'))
    assert thread is not None
    assert thread.comments == ()


@pytest.mark.parametrize(
    "after",
    [
        '<div class="wl-operation"><button type="button" class="wl-btn">Refresh</button></div>',
        '<div class="wl-loading"></div>',
    ],
)
def test_a_list_that_failed_or_is_on_its_way_is_no_answer(after):
    assert read("waline", page(f'<div class="wl-cards"></div>{after}')) is None
