"""Blogger's own comments where a script draws them."""

from __future__ import annotations

from a_rendered_page import days, page, read, service_named, threads

from everlog.comments.css import Selection
from everlog.comments.services import embedded
from everlog.core.tree import parse

FOLDER = "//www.blogblog.com/dynamicviews"


def test_dynamic_views_need_a_browser():
    static = f"<script src='{FOLDER}/6465efe1e2987800/js/common.js'></script>".encode()
    assert [service.name for service in embedded(parse(static))] == ["blogger"]


def test_other_pages_of_blogger_hold_their_comments_already():
    static = (
        f"<script async src='{FOLDER}/4224c15c4e7c9321/js/comments.js'></script>"
        f"<script>_WidgetManager._SetDataContext([{{'dynamicViewsScriptSrc': '{FOLDER}/6465efe1e2987800'}}]);</script>"
        "<div id='comment-holder'></div>"
    ).encode()
    assert embedded(parse(static)) == ()


def test_threads_are_read_as_the_script_draws_them():
    assert threads(read("blogger")) == [
        ("515501214389986316", None, "Ada", "Three minutes, no more."),
        ("1496783606946925164", "515501214389986316", "Bob", "Four for the green one."),
        ("2055617612349608421", None, "Cleo", "Milk first."),
    ]


def test_dates_profiles_and_the_count_are_read():
    thread = read("blogger")
    assert thread is not None
    assert days(thread) == ["2020-03-02 09:15", "2020-03-03 18:40", "2020-03-04 00:05"]
    assert thread.claimed == 3
    assert [comment.author_url for comment in thread.comments] == [
        "https://www.blogger.com/profile/071", "https://www.blogger.com/profile/072", None,
    ]


def test_threads_are_read_as_the_server_writes_them():
    static = (
        '<div id="comment-holder"><div class="comment-thread toplevel-thread"><ol id="top-ra">'
        '<li class="comment" id="c8549"><div class="comment-block"><div class="comment-header"><cite class="user">Ada'
        '</cite><span class="datetime secondary-text"><a href="/tea/?showComment=1#c8549">March 2, 2020 at 9:15 AM</a>'
        '</span></div><p class="comment-content">Fine.</p></div></li></ol></div></div>'
    )
    assert threads(read("blogger", page(static))) == [("8549", None, "Ada", "Fine.")]


def test_an_empty_holder_has_no_comments_and_a_page_without_one_is_not_drawn_yet():
    thread = read("blogger", page('<div id="comments"><div id="comment-holder"></div></div>'))
    assert thread is not None
    assert thread.comments == ()
    assert read("blogger", page("<div class='viewitem-panel'></div>")) is None


def test_more_is_shown_until_all_is_loaded():
    control = '<div class="comment-thread"><div class="loadmore{}"><a href="javascript:;">Load more...</a></div></div>'
    [more] = service_named("blogger").more
    assert len(Selection(page(control.format(""))).all(more)) == 1
    assert Selection(page(control.format(" loaded"))).all(more) == []
