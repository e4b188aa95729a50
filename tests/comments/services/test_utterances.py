"""utterances, in a frame as its source draws it today."""

from __future__ import annotations

import pytest
from a_rendered_page import days, frame, page, read, threads

from everlog.comments.services import embedded
from everlog.core.tree import parse

FRAME = "https://utteranc.es/utterances.html?repo=bb%2Fcc"
HEADING = '<main class="timeline"><h1 class="timeline-header"><a class="text-link"{}>{}</a></h1></main>'


@pytest.mark.parametrize(
    "static",
    [
        '<script src="https://utteranc.es/client.js" repo="a/b" issue-term="title" async></script>',
        "<script>const it = document.createElement('script'); it.src = 'https://utteranc.es/client.js';</script>",
    ],
)
def test_its_script_tells_it(static):
    assert [service.name for service in embedded(parse(static.encode()))] == ["utterances"]


@pytest.mark.parametrize(
    "static", ['<a href="https://utteranc.es/">utterances</a>', "<pre>&lt;script src=https://utteranc.es/client.js&gt;</pre>"]
)
def test_talk_about_it_embeds_nothing(static):
    assert embedded(parse(static.encode())) == ()


def test_comments_are_read_from_the_frame_and_the_form_is_none():
    assert threads(read("utterances")) == [
        ("9001", None, "Ada", "Three minutes, no more.\n\nFour if it rains."),
        ("9002", None, "Bela", "Mine takes five."),
        ("9003", None, "Chidi", "Then it is bitter."),
        ("9004", None, "Dora", "Which water do you take?"),
    ]


def test_dates_addresses_and_the_count_are_read():
    thread = read("utterances")
    assert [day[:10] for day in days(thread)] == ["2020-03-02", "2020-03-03", "2020-03-04", "2020-03-10"]
    assert thread.claimed == 4
    assert (thread.comments[0].author_url, thread.comments[0].url) == (
        "https://github.com/Ada", "https://github.com/bb/cc/issues/1#issuecomment-9001"
    )


def test_an_issue_without_comments_or_none_at_all_says_so():
    for heading in (HEADING.format("", "0 Comments"), HEADING.format(' href="https://github.com/"', "0 Comments")):
        thread = read("utterances", page(frame(FRAME, heading)))
        assert thread is not None
        assert thread.comments == ()


def test_a_count_without_its_comments_and_an_empty_frame_are_no_answer():
    assert read("utterances", page(frame(FRAME, HEADING.format("", "3 Comments")))) is None
    assert read("utterances", page(frame(FRAME, ""))) is None
    assert read("utterances", page("")) is None
