"""The time line of a blog: what happened to it and its posts, filtered by kind, in pages."""

from __future__ import annotations

import re
from html import unescape
from typing import TYPE_CHECKING

import pytest

from archive.some_visits import START
from everlog.archive import open_archive
from everlog.records import Event
from everlog.web.interface.event_list import EventList
from web.served_archive import Served, serving
from web.some_blogs import HOSTILE, add_events, add_hostile, add_posts

if TYPE_CHECKING:
    from collections.abc import Iterator

LONG = "http://long.example/"


@pytest.fixture(scope="module")
def lived(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    place = tmp_path_factory.mktemp("lived") / "archive"
    with open_archive(place, create=True) as archive:
        add_posts(archive, LONG, 5, title="A long life")
        add_events(archive, LONG)
        add_hostile(archive)
    with open_archive(place, read_only=True) as archive, serving(archive) as running:
        yield running


def kinds(text: str) -> list[str]:
    return re.findall(r'<li class="event-([a-z-]+)">', text)


def test_events_are_told_the_newest_first_with_a_link_to_what_changed(lived: Served):
    text = lived.page("/timeline/long.example").text
    assert kinds(text) == [
        "completeness", "redesigned", "moved", "back", "deleted", "edited", "edited", "edited",
    ]
    assert f'href="/diff/3/4/{LONG}0"' in text
    assert f'href="/diff/1/2/{LONG}0"' in text
    assert "its page said 410 Gone" in text
    assert 'href="/complete/long.example">Who says so' in text
    assert "left the feed" not in text
    assert '<a href="/timeline/long.example" aria-current="page">Time line</a>' in text
    assert lived.page("/timeline/nowhere.example").status == 404


@pytest.mark.parametrize(("kind", "shown"), [
    ("edits", ["edited"] * 3), ("deletions", ["back", "deleted"]), ("moves", ["moved"]), ("redesigns", ["redesigned"]),
    ("completeness", ["completeness"]), ("comments", []),
])
def test_events_are_filtered_by_kind(lived: Served, kind, shown):
    text = lived.page(f"/timeline/long.example?kind={kind}").text
    assert kinds(text) == shown
    assert ("Nothing of this kind" in text) == (not shown)


@pytest.mark.parametrize("query", ["kind=x", "before=x", "kind=%3Cscript%3E&before=-1"])
def test_strange_queries_are_answered_with_everything(lived: Served, query):
    assert len(kinds(lived.page(f"/timeline/long.example?{query}").said)) == 8


def test_a_long_time_line_has_pages_and_nothing_is_twice(tmp_path):
    with open_archive(tmp_path / "archive", create=True) as archive:
        blog = add_posts(archive, LONG, 1)
        archive.events.add([
            Event(blog_id=blog, kind="moved", at=START, reason=f"it moved, number {number};") for number in range(120)
        ])
        with serving(archive) as served:
            found, query = [], "/timeline/long.example"
            while query:
                text = served.page(query).text
                found += map(int, re.findall(r"number (\d+);", text))
                following = re.search(r'<a href="(\?[^"]*)" rel="next"', text)
                query = "/timeline/long.example" + unescape(following[1]) if following else ""
            assert found == list(range(120))[::-1]


def test_what_strangers_wrote_is_only_text_on_a_time_line(lived: Served):
    text = lived.page("/timeline/hostile.example").said
    assert len(kinds(text)) == 11
    assert not re.search(r"<(script|img src=x|iframe|svg onload)", text)
    assert f'href="/diff/1/2/{HOSTILE}0"' in text


def test_a_blog_to_which_nothing_happened_says_so(tmp_path):
    with open_archive(tmp_path / "archive", create=True) as archive:
        add_posts(archive, LONG, 1)
        with serving(archive) as served, serving(archive, public=True) as public:
            assert "no edit, no deletion" in served.page("/timeline/long.example").text
            assert "everlog update" not in public.page("/timeline/long.example").text


def test_in_public_hidden_posts_and_blogs_have_no_events(tmp_path):
    with open_archive(tmp_path / "archive", create=True) as archive:
        blog = add_posts(archive, LONG, 3, title="A long life")
        other = add_posts(archive, "http://other.example/", 2, title="Another")
        add_events(archive, LONG)
        add_events(archive, "http://other.example/")
        archive.hidden.set_post(archive.listing.find(LONG + "0").id, hidden=True)
        archive.hidden.set_blog(other, hidden=True)
        with serving(archive, public=True) as public, serving(archive) as private:
            # The sentence about completeness counts the hidden post.
            assert kinds(public.page("/timeline/long.example").text) == ["redesigned", "moved"]
            assert len(kinds(private.page("/timeline/long.example").text)) == 8
            assert public.page("/timeline/other.example").status == 404
        found = EventList(archive, public=True).page(limit=50)
        assert {each.event.blog_id for each in found.happenings} == {blog}


def test_many_events_of_hidden_posts_are_passed_over(tmp_path):
    with open_archive(tmp_path / "archive", create=True) as archive:
        blog = add_posts(archive, LONG, 2)
        hidden, shown = (archive.listing.find(f"{LONG}{number}").id for number in (0, 1))
        archive.hidden.set_post(hidden, hidden=True)
        archive.events.add([
            Event(blog_id=blog, post_id=number, kind="deleted", at=START, reason="x")
            for number in (shown, *[hidden] * 30, shown)
        ])
        first = EventList(archive, public=True).page(limit=10)
        assert [each.post.id for each in first.happenings if each.post] == [shown, shown]
        assert first.following is None
