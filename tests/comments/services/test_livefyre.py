"""LiveFyre, in pages that browsers saved."""

from __future__ import annotations

import pytest
from a_rendered_page import days, fixture, page, read, threads

from everlog.comments.services import embedded
from everlog.core.tree import parse


@pytest.mark.parametrize(
    "static",
    [
        '<div id="livefyre-comments"></div>',
        '<script src="http://zor.livefyre.com/wjs/v3.0/javascripts/livefyre.js"></script>',
        "<script>fyre.conv.load({}, [{el: 'talk', network: 'livefyre.com', siteId: '1'}], function() {});</script>",
        "<script>Livefyre.require(['fyre.conv#3', 'auth'], function (Conv, auth) {});</script>",
    ],
)
def test_its_script_or_container_tells_it(static):
    assert [service.name for service in embedded(parse(static.encode()))] == ["livefyre"]


def test_a_script_that_counts_embeds_nothing():
    counting = b'<script src="http://zor.livefyre.com/wjs/v1.0/javascripts/CommentCount.js"></script>'
    assert embedded(parse(counting)) == ()


def test_a_page_that_a_browser_saved_with_its_comments_asks_for_no_other():
    saved = fixture("livefyre").replace(b' data-everlog-rendered="settled"', b"")
    assert embedded(parse(saved)) == ()


def test_threads_are_read_and_the_preview_of_the_form_is_not():
    assert threads(read("livefyre")) == [
        ("226573152", None, "Ada", "Three minutes, no more."),
        ("226573160", "226573152", "Bob", "Four for the green one."),
        ("225989917", None, "Cleo", "Milk first."),
    ]


def test_dates_and_the_count_are_those_for_programs():
    thread = read("livefyre")
    assert thread is not None
    assert days(thread) == ["2014-10-20 08:19", "2014-10-20 10:00", "2014-10-18 03:28"]
    assert thread.claimed == 3


def test_a_stream_without_articles_has_no_comments():
    thread = read("livefyre", page('<div class="fyre"><div class="fyre-stream-content"></div></div>'))
    assert thread is not None
    assert thread.comments == ()


@pytest.mark.parametrize(
    "body",
    [
        '<div id="livefyre-comments"></div>',
        '<div class="fyre-stream-content"></div><div class="fyre-content-loading">Loading</div>',
        '<div class="fyre-stream-content"></div><div class="fyre-modal-alert-content">Something went wrong</div>',
    ],
)
def test_while_it_loads_or_fails_nothing_is_known(body):
    assert read("livefyre", page(body)) is None
