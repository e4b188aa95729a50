"""The comments plugin of Facebook."""

from __future__ import annotations

import pytest
from a_rendered_page import days, frame, page, read, threads

from everlog.comments.services import embedded
from everlog.core.tree import parse

SDK = '<script async defer src="https://connect.facebook.net/en_US/sdk.js#xfbml=1&version=v6.0"></script>'
FRAME = "https://www.facebook.com/v6.0/plugins/comments.php?href=https%3A%2F%2Fblog.example%2F"


@pytest.mark.parametrize(
    "static",
    [
        f'<div id="fb-root"></div>{SDK}<div class="fb-comments" data-href="https://blog.example/tea/"></div>',
        '<fb:comments href="https://blog.example/tea/"></fb:comments>',
        f'<iframe src="{FRAME}"></iframe>',
        '<iframe src="https://www.facebook.com/plugins/feedback.php?href=x"></iframe>',
    ],
)
def test_the_plugin_is_told_by_its_element_or_frame(static):
    assert [service.name for service in embedded(parse(static.encode()))] == ["facebook"]


@pytest.mark.parametrize(
    "static",
    [
        f'<div id="fb-root"></div>{SDK}<div class="fb-like" data-href="https://blog.example/tea/"></div>',
        f'{SDK}<span class="fb-comments-count" data-href="https://blog.example/tea/"></span>',
        '<a href="https://www.facebook.com/sharer/sharer.php?u=x">Share</a>',
        '<iframe src="https://www.facebook.com/plugins/like.php?href=x"></iframe>',
    ],
)
def test_buttons_and_counts_embed_nothing(static):
    assert embedded(parse(static.encode())) == ()


def test_threads_are_read_though_only_the_answered_have_ids():
    read_threads = threads(read("facebook"))
    first = read_threads[0][0]
    assert first is not None
    assert read_threads == [
        (first, None, "Ada Lovelace", "Three minutes, no more."),
        (None, first, "Bob", "Four for the green one."),
        (None, None, "Cleo", "Milk first."),
    ]


def test_dates_links_and_the_count_are_read():
    thread = read("facebook")
    assert thread is not None
    assert days(thread) == ["2020-03-02 09:15", "2020-03-03 09:15", "2020-03-04 09:15"]
    assert thread.claimed == 3
    assert thread.comments[0].author_url == "https://www.facebook.com/ada"
    assert thread.comments[0].url == "https://blog.example/2020/03/tea/?fb_comment_id=11_21"


def test_the_older_plugin_is_read_too():
    old = (
        '<ul class="uiList fbFeedbackPosts"><li class="fbFeedbackPost fbFirstPartyPost uiListItem">'
        '<a class="profileName" href="https://www.facebook.com/ada">Ada</a><div class="postText">Fine.</div>'
        '<abbr class="timestamp" data-utime="1351674000">October 31</abbr></li></ul>'
    )
    thread = read("facebook", page(frame("https://www.facebook.com/plugins/comments.php?href=x", old)))
    assert threads(thread) == [(None, None, "Ada", "Fine.")]
    assert days(thread) == ["2012-10-31 09:00"]


def test_a_frame_with_its_heading_and_no_comments_has_none():
    thread = read("facebook", page(frame(FRAME, '<div class="_491z"><span class=" _50f7">0 Comments</span></div>')))
    assert thread is not None
    assert thread.comments == ()


@pytest.mark.parametrize("body", ['<div class="fb-comments"></div>', frame(FRAME, "<p>Log in to continue</p>")])
def test_without_an_answer_nothing_is_known(body):
    assert read("facebook", page(body)) is None
