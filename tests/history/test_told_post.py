"""Posts that are told: the record they make, and what their page says of it."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from everlog.history import ListedPost
from everlog.history.told_comments import in_time_order, with_told
from everlog.history.told_post import checked_by_page, told_post
from everlog.history.told_text import EXCERPT, is_told, is_without_page
from everlog.records import Comment, Entry, Post

AT = datetime(2026, 5, 1, tzinfo=UTC)
URL = "https://a.example/sea/"
ENTRY = Entry(
    link=URL, title="The sea", content="<p>It was <b>calm</b>, and so wide that nobody spoke of the way back.</p>",
    authors=("Ada Finch",), tags=("Weather",), published=AT - timedelta(days=9),
)
LISTED = ListedPost(url=URL, id="7", entry=ENTRY, is_whole=True)


def told(listed: ListedPost = LISTED, **said: str) -> Post | None:
    return told_post(listed, blog="https://a.example/", source="WordPress REST", told_at=AT, **said)


def test_a_record_says_who_told_each_field():
    post = told()
    assert (post.title, post.authors, post.tags, post.published) == (
        ENTRY.title, ENTRY.authors, ENTRY.tags, ENTRY.published,
    )
    assert {(name, source.method, source.rule) for name, source in post.provenance.items()} >= {
        (name, "api", "WordPress REST, 7") for name in ("title", "authors", "tags", "published", "text")
    }
    assert is_told(post)
    assert is_without_page(post)


def test_scripts_in_a_text_that_is_told_are_not_kept():
    entry = replace(ENTRY, content='<p onclick="x()">Calm.</p><script>x()</script><img src=x onerror="x()">')
    post = told(replace(LISTED, entry=entry))
    assert ("script" in post.html, "onclick" in post.html, "onerror" in post.html, "x()" in post.text) == (False,) * 4


@pytest.mark.parametrize("listed", [
    replace(LISTED, locked="password"), replace(LISTED, entry=None),
    replace(LISTED, entry=replace(ENTRY, content=None)),
], ids=["locked", "named only", "no text"])
def test_what_is_told_without_a_text_makes_no_record(listed):
    assert told(listed) is None


def test_an_excerpt_is_not_taken_for_the_article():
    post = told(replace(LISTED, is_whole=False))
    assert post.provenance["text"].disagrees == EXCERPT
    assert not is_told(post)


def test_a_page_that_says_the_same_makes_it_sure():
    page = Post(url=URL, title="The Sea", text=told().text, authors=("Ada Finch",), language="en", fetched=AT)
    post = checked_by_page(told(), page)
    assert {name: post.provenance[name].confidence for name in ("title", "text", "authors", "tags")} == {
        "title": 1.0, "text": 1.0, "authors": 1.0, "tags": 0.95,
    }
    assert (post.title, post.language) == ("The sea", "en")


def test_where_a_page_says_something_else_the_record_says_so():
    page = Post(
        url=URL, title="Archive", text="Please log in to read on.", authors=("Admin",), tags=("Home",), published=AT,
    )
    post = checked_by_page(told(), page)
    assert (post.title, post.text, post.authors) == (ENTRY.title, told().text, ENTRY.authors)
    assert {name: source.disagrees for name, source in post.provenance.items() if source.disagrees} == {
        "title": "the page says 'Archive'", "authors": "the page says Admin", "tags": "the page says Home",
        "published": "the page says 2026-05-01", "text": "the page shows another text (0%)",
    }
    assert post.provenance["text"].confidence < 0.95


def test_a_post_without_a_title_gets_none_from_its_page():
    post = checked_by_page(told(replace(LISTED, entry=replace(ENTRY, title=None))), Post(url=URL, title="A blog"))
    assert post.title is None


def test_what_a_feed_tells_is_not_the_last_word():
    post = told(method="feed-entry")
    assert (is_told(post), is_without_page(post)) == (False, True)


def test_comments_of_two_numbers_are_two_though_they_say_the_same():
    one, two = (Comment(id=number, author="Jo", text="Nice, as ever.") for number in ("7", "9"))
    assert with_told((one,), (one, two)) == (one, two)


def test_comments_without_numbers_are_told_apart_by_what_they_say():
    page = Comment(author="Jo", text="Nice, as ever.")
    assert len(with_told((page,), (Comment(id="7", author="Jo", text="Nice, as ever."),))) == 1


def test_told_comments_stand_where_they_were_written():
    early, late = (Comment(id=str(day), published=AT + timedelta(days=day)) for day in (1, 2))
    assert with_told((late,), (early,)) == (early, late)
    undated = Comment(id="3")
    assert in_time_order((late, undated, early)) == (late, undated, early)
