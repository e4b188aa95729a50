"""giscus, in a frame as its source draws it, in the shadow root of its own web component."""

from __future__ import annotations

import pytest
from a_rendered_page import days, frame, page, read, threads

from everlog.comments.services import embedded
from everlog.core.tree import parse

FRAME = "https://giscus.app/en/widget?origin=https%3A%2F%2Fblog.example&repo=a%2Fb"
BOX = '<div class="gsc-comment-box"></div>'
HEADING = (
    '<div class="gsc-comments"><h4 class="gsc-comments-count">{}</h4><div class="gsc-timeline hidden"></div>{}</div>'
)


@pytest.mark.parametrize(
    "static",
    [
        '<script src="https://giscus.app/client.js" data-repo="a/b" async></script>',
        "<script>const it = document.createElement('script'); it.src = 'https://giscus.app/client.js';</script>",
        '<giscus-widget repo="a/b"></giscus-widget>',
        '<iframe src="https://comments.example/widget?repo=a%2Fb&repoId=R&category=x&categoryId=C"></iframe>',
    ],
)
def test_its_script_element_or_frame_tells_it(static):
    assert [service.name for service in embedded(parse(static.encode()))] == ["giscus"]


@pytest.mark.parametrize(
    "static",
    ['<a href="https://giscus.app">giscus</a>', '<script>const projects = ["a project with giscus comments"]</script>'],
)
def test_talk_about_it_embeds_nothing(static):
    assert embedded(parse(static.encode())) == ()


def test_threads_are_read_from_the_frame_in_the_shadow_root():
    assert threads(read("giscus")) == [
        ("701", None, "Ada", "Three minutes, no more.\n\nFour if it rains."),
        ("702", "701", "Bela", "Mine takes five."),
        ("703", "701", "Chidi", "Then it is bitter."),
        ("704", None, "Dora", "Which water do you take?"),
    ]


def test_dates_and_addresses_are_read_and_a_count_without_answers_is_not():
    thread = read("giscus")
    assert days(thread) == ["2020-03-02 12:00", "2020-03-03 12:00", "2020-03-04 12:00", "2020-03-10 12:00"]
    assert thread.claimed is None
    assert (thread.comments[1].author_url, thread.comments[1].url) == (
        "https://github.com/Bela", "https://github.com/a/b/discussions/1#discussioncomment-702"
    )


def test_what_was_hidden_keeps_its_place_and_says_nothing():
    hidden = (
        '<div class="gsc-timeline"><div class="gsc-comment"><div class="markdown gsc-comment-content minimized">'
        '<em class="color-text-secondary">This comment was minimized.</em></div></div></div>'
    )
    assert threads(read("giscus", page(frame(FRAME, hidden)))) == [(None, None, None, "")]


@pytest.mark.parametrize("body", [HEADING.format("0 comments", BOX), HEADING.format("<a href='#'>0 comments</a>", "")])
def test_it_says_that_there_are_none(body):
    thread = read("giscus", page(frame(FRAME, body)))
    assert thread is not None
    assert thread.comments == ()


@pytest.mark.parametrize(
    "body", ["", '<div class="gsc-loading">Loading comments…</div>', HEADING.format("An error occurred", "")]
)
def test_a_failure_or_nothing_yet_is_no_answer(body):
    assert read("giscus", page(frame(FRAME, body))) is None
