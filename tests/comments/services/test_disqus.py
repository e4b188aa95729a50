"""Disqus: an embed script, a container, a frame of disqus.com."""

from __future__ import annotations

import pytest
from a_rendered_page import days, fixture, frame, page, read, service_named, threads

from everlog.comments.css import Selection
from everlog.comments.services import embedded
from everlog.core.tree import parse

FRAME = "https://disqus.com/embed/comments/?base=default&f=example"


def names(static: str) -> list[str]:
    return [service.name for service in embedded(parse(static.encode()))]


@pytest.mark.parametrize(
    "static",
    [
        '<div id="disqus_thread"></div>',
        '<script src="https://example.disqus.com/embed.js" async></script>',
        "<script>var s = document.createElement('script'); s.src = '//example.disqus.com/embed.js';</script>",
        "<script>dsq.src = '//' + disqus_shortname + '.' + 'disqus.com' + '/embed.js?pname=wordpress';</script>",
        "<script>var disqus_script = 'embed.js'; dsq.src = 'http://' + name + '.disqus.com/' + disqus_script;</script>",
        '<script src="/wp-content/plugins/disqus-comment-system/public/js/comment_embed.js?ver=3.1.2"></script>',
        f'<iframe src="{FRAME}"></iframe>',
    ],
)
def test_a_page_that_loads_the_thread_embeds_it(static):
    assert names(static) == ["disqus"]


@pytest.mark.parametrize(
    "static",
    [
        '<script id="dsq-count-scr" src="//example.disqus.com/count.js" async></script>',
        '<a href="https://blog.example/tea/#disqus_thread">Comments</a>',
        "<script>var disqus_shortname = 'example'; s.src = '//' + disqus_shortname + '.disqus.com/count.js';</script>",
        "<script>var disqus_script = 'count.js'; s.src = '//example.disqus.com/' + disqus_script;</script>",
        '<a href="https://disqus.com/by/ada/">Ada at Disqus</a>',
        '<iframe src="https://disqus.com/recommendations/?base=default"></iframe>',
    ],
)
def test_counting_scripts_and_links_embed_nothing(static):
    assert names(static) == []


def test_threads_authors_and_numbers_are_read_from_the_frame():
    assert threads(read("disqus")) == [
        ("4810001", None, "Ada", "Three minutes, no more.\n\nAnd never boil it."),
        ("4810002", "4810001", "Bob", "Four for the green one."),
        ("4810004", "4810002", "Cleo", "Well said, whoever you were."),
    ]


def test_dates_links_profiles_and_the_count_are_read():
    thread = read("disqus")
    assert thread is not None
    assert thread.claimed == 4
    assert days(thread) == ["2020-03-02 09:15", "2020-03-03 18:40", "2020-03-04 00:05"]
    first, second, _ = thread.comments
    assert (first.author_url, second.author_url) == ("https://disqus.com/by/ada/", None)
    assert first.url == "https://blog.example/2020/03/tea/#comment-4810001"
    assert first.html is not None
    assert "<b>boil</b>" in first.html
    assert first.source == "disqus"


def test_a_frame_that_says_so_has_no_comments():
    empty = '<div id="posts"><div id="no-posts">Be the first to comment.</div><ul id="post-list"></ul></div>'
    thread = read("disqus", page(frame(FRAME, empty)))
    assert thread is not None
    assert thread.comments == ()


@pytest.mark.parametrize(
    "body",
    [
        '<div id="disqus_thread"></div>',
        frame(FRAME, '<div id="error" class="alert--error"><p>We were unable to load Disqus.</p></div>'),
        frame("https://disqus.com/recommendations/?base=default", '<ul id="post-list"></ul>'),
        frame("https://disqus.example/embed/comments/", '<ul id="post-list"></ul>'),
    ],
)
def test_without_an_answer_nothing_is_known(body):
    assert read("disqus", page(body)) is None


def test_the_controls_that_show_more_are_known():
    more = '<div class="load-more" data-role="more"><a href="#" data-action="more-posts">Load more comments</a></div>'
    answers = '<div class="show-children-wrapper"><a class="show-children">Show more replies</a></div>'
    shown = Selection(page(frame(FRAME, more + answers)))
    assert [len(shown.all(control)) for control in service_named("disqus").more] == [1, 1]


def test_the_fixture_embeds_it_too():
    assert [service.name for service in embedded(parse(fixture("disqus")))] == ["disqus"]
