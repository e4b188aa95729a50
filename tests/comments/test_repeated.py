"""Comments recognised by repetition alone, and what is not taken for them."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from everlog.comments.repeated import read_repeated
from everlog.core.tree import parse

if TYPE_CHECKING:
    from everlog.comments.comment_markup import Thread

URL = "http://a.org/2019/rain/"
ARTICLE = "<article><h1>Rain</h1><p>It rains.</p></article>"


def read(html: str, fetched_at: datetime | None = None) -> Thread | None:
    root = parse(f"<html lang=en><body>{ARTICLE}{html}".encode())
    return read_repeated(root, URL, root.find("body/article"), fetched_at=fetched_at)


def item(name: str, day: int, text: str) -> str:
    return f"<div class=entry><b>{name}</b> <i>{day} March 2019</i><p>{text}</p></div>"


def test_elements_with_name_date_and_text_in_a_place_for_comments_are_comments():
    thread = read(f"<section class=replies>{item('Ada', 1, 'It will stop.')}{item('Bob', 2, 'Never.')}</section>")
    assert thread is not None
    found = [(c.author, c.text, str(c.published)[:10]) for c in thread.comments]
    assert found == [("Ada", "It will stop.", "2019-03-01"), ("Bob", "Never.", "2019-03-02")]


def test_a_heading_is_as_good_as_a_name():
    thread = read(f"<h2>2 Comments</h2><div>{item('Ada', 1, 'One.')}{item('Bob', 2, 'Two.')}</div><h2>More</h2>")
    assert thread is not None
    assert thread.claimed is None
    assert len(thread.comments) == 2


def test_of_two_groups_the_one_that_says_more_is_taken():
    long = item("Ada", 1, "It will stop, I am sure of that.") + item("Bob", 2, "It never does, as everybody knows.")
    short = "".join(f"<li><b>Cyd</b> <i>{day} March 2019</i><p>No {day}.</p></li>" for day in (1, 2))
    for html in (f"<ul>{short}</ul>{long}", f"{long}<ul>{short}</ul>"):
        thread = read(f"<div class=comments>{html}</div>")
        assert thread is not None
        assert [c.author for c in thread.comments] == ["Ada", "Bob"]


def test_a_list_of_terms_is_read_as_well():
    thread = read(
        "<div id=discussion><dl><dt><a href='http://ada.org'>Ada</a>, 1 March 2019</dt><dd>It will stop.</dd>"
        "<dt><a href='http://bob.org'>Bob</a>, 2 March 2019</dt><dd>It never does.</dd></dl></div>"
    )
    assert thread is not None
    assert [(c.author, c.text) for c in thread.comments] == [("Ada", "It will stop."), ("Bob", "It never does.")]


def test_answers_nested_in_items_are_comments_of_their_own():
    answer = "<li class='c odd'><b>Cyd</b> <i>3 March 2019</i><p>Three.</p></li>"
    thread = read(
        "<div class=reactions><ul><li class='c even'><b>Ada</b> <i>1 March 2019</i><p>One.</p>"
        f"<ul>{answer}</ul></li><li class='c odd'><b>Bob</b> <i>2 March 2019</i><p>Two.</p></li></ul></div>"
    )
    assert thread is not None
    assert [c.text for c in thread.comments] == ["One.", "Three.", "Two."]
    assert thread.comments[1].parent == thread.comments[0].id


def test_dates_may_be_told_from_the_day_of_fetching():
    items = "".join(f"<div><b>Reader {n}</b> <i>{n} days ago</i><p>Text {n}.</p></div>" for n in (3, 4))
    thread = read(f"<div class=comments>{items}</div>", datetime(2019, 3, 8, tzinfo=UTC))
    assert thread is not None
    assert [str(c.published)[:10] for c in thread.comments] == ["2019-03-05", "2019-03-04"]


@pytest.mark.parametrize(
    "html",
    [
        # Only one.
        f"<div class=comments>{item('Ada', 1, 'One.')}</div>",
        # Nobody calls the place one for comments.
        f"<div>{item('Ada', 1, 'One.')}{item('Bob', 2, 'Two.')}</div>",
        # A sidebar.
        f"<div class=sidebar><div class=comments>{item('Ada', 1, 'One.')}{item('Bob', 2, 'Two.')}</div></div>",
        # Other posts.
        "<div class=comments>" + "".join(
            f"<div><b>Ada</b> <i>{n} March 2019</i><p><a href='/2019/post-{n}/'>What happened on day {n}</a></p></div>"
            for n in (1, 2, 3)
        ) + "</div>",
        # No dates, no names.
        "<div class=comments><div><b>Ada</b><p>One.</p></div><div><b>Bob</b><p>Two.</p></div></div>",
        "<div class=comments><p>On 1 March 2019.</p><p>On 2 March 2019.</p></div>",
        # Bylines of texts that stand elsewhere.
        "<div class=comments><p>Posted by <b>Ada</b> at 1 March 2019</p><p>By <b>Bob</b> at 2 March 2019</p></div>",
        # The same again and again.
        f"<div class=comments>{item('Ada', 1, 'Share') * 4}</div>",
        # A heading with nothing below it.
        "<div><h2>Comments</h2></div>",
        # A heading of a text that happens to speak of responses.
        f"<h2>How our leaders gave three wrong responses in 2019</h2>{item('Ada', 1, 'A.')}{item('Bob', 2, 'B.')}",
        "",
    ],
)
def test_nothing_else_is_taken_for_comments(html):
    assert read(html) is None


def test_what_repeats_inside_the_article_is_article():
    items = item("Ada", 1, "One.") + item("Bob", 2, "Two.")
    root = parse(f"<article id=comments>{items}</article>".encode())
    assert read_repeated(root, URL, root.find("body/article")) is None
    assert read_repeated(root, URL, None) is not None
