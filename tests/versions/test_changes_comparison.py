"""Two versions of a post beside each other."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

from everlog.records import Comment, Post
from everlog.versions import compare

POST = Post(
    url="https://a.example/1", title="A day", authors=("Ada", "Bob"), tags=("sea", "land"), language="en",
    published=datetime(2024, 5, 1, tzinfo=UTC), text="It rained.\n\nWe slept.",
    html="<p>It rained.</p><p>We slept.</p>", comments=(Comment(id="1", author="Jo", text="Nice."),),
)


def test_a_post_is_no_change_of_itself():
    changes = compare(POST, POST)
    assert changes.is_empty
    assert changes.summary() == "nothing"


def test_white_space_and_the_order_of_lists_are_no_change():
    other = replace(POST, title=" A  day", authors=("Bob", "Ada"), tags=("land", "sea"), text="It rained. We slept.")
    assert compare(POST, other).is_empty


def test_each_field_is_told_with_its_old_and_its_new_value():
    later = datetime(2024, 6, 1, tzinfo=UTC)
    other = replace(POST, title="A night", tags=("sea", "sky"), language="de", updated=later, authors=())
    told = {change.name: (change.old, change.new) for change in compare(POST, other).fields}
    assert told == {
        "title": ("A day", "A night"), "authors": (("Ada", "Bob"), ()), "updated": (None, later),
        "tags": (("land",), ("sky",)), "language": ("en", "de"),
    }


def test_links_and_pictures_are_told_although_the_words_are_the_same():
    linked = replace(POST, html=POST.html.replace("rained", '<a href="https://w.example/">rained</a>'))
    assert compare(POST, linked).summary() == "links"
    assert compare(linked, POST).fields[0].old == ("w.example",)


def test_the_summary_says_everything_in_a_line():
    comments = (Comment(id="1", author="Jo", text="Very nice."), Comment(id="2", text="a"), Comment(id="3", text="b"))
    other = replace(POST, title="B", text="It rained hard.\n\nWe slept.", comments=comments)
    assert compare(POST, other).summary() == "title; text: 1 word added; 2 comments new, 1 edited"
    assert compare(other, POST).summary() == "title; text: 1 word removed; 2 comments removed, 1 edited"
    assert compare(POST, replace(POST, text="It rained!\n\nWe slept.")).summary() == "text: signs only"
