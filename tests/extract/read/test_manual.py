"""Rules set by hand: standard CSS over what was learned, read for every field."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

import a_blog
import everlog
from everlog.core.rules import MANUAL, Rule
from everlog.errors import UsageError
from everlog.extract.manual import NOTATION, OWN, checked_css
from everlog.extract.template import Template
from everlog.records import Post

HEAD = "<meta property=og:title content='Another title'><meta name=description content='In short'>"
AFTER = (
    "<div id=post-12><ul class='labels all'><li><a href=/l/rain>Rain</a><li><a href=/l/snow>Snow</a></ul>"
    "<span class=keys>Tags: fog, hail</span><b class=who>Zoe Ray</b> <i>3 March 2021</i>"
    "<p class=lead>A few words.</p></div>"
)


@pytest.fixture(scope="module")
def template() -> Template:
    items = [a_blog.item(number) for number in a_blog.NUMBERS]
    return everlog.learn(a_blog.rss(items), {a_blog.url(number): a_blog.page(number) for number in a_blog.NUMBERS})


def read(template: Template, name: str, selector: str, **detail: str) -> Post:
    by_hand = template.with_manual({name: Rule(method=MANUAL, where=selector, detail=detail)})
    post = by_hand.read(a_blog.page(9, head=HEAD, after=AFTER), a_blog.url(9))
    assert isinstance(post, Post)
    return post


@pytest.mark.parametrize(("name", "selector", "value"), [
    ("title", "meta[property='og:title']", "Another title"),
    ("title", "b.who, i", "Zoe Ray"),
    ("title", "#post-12 > b", "Zoe Ray"),
    ("title", "#post-12 i", "3 March 2021"),
    ("title", ".labels li:nth-child(2)", "Snow"),
    ("title", "ul.labels.all li:not(:first-child) a[href$=snow]", "Snow"),
    ("authors", ".who", ("Zoe Ray",)),
    ("tags", ".labels", ("Rain", "Snow")),
    ("tags", ".labels a", ("Rain", "Snow")),
    ("tags", ".keys", ("fog", "hail")),
    ("summary", ".lead", "A few words."),
    ("published", "#post-12 i", datetime(2021, 3, 3, tzinfo=UTC)),
    ("published", "p.meta", datetime(2024, 1, 9, tzinfo=UTC)),
    ("updated", "#post-12 i", datetime(2021, 3, 3, tzinfo=UTC)),
    ("text", "p.lead", "A few words."),
])
def test_a_field_is_read_where_a_person_says(template, name, selector, value):
    post = read(template, name, selector)
    assert getattr(post, name) == value
    source = post.provenance[name]
    assert (source.method, source.rule, source.confidence) == ("manual", selector, None)


@pytest.mark.parametrize("name", ["title", "authors", "published", "tags", "text"])
def test_where_it_finds_nothing_the_learned_rules_are_asked(template, name):
    plain = template.read(a_blog.page(9, head=HEAD, after=AFTER), a_blog.url(9))
    assert isinstance(plain, Post)
    assert getattr(read(template, name, "blink.none"), name) == getattr(plain, name)


def test_everlogs_own_notation_still_says_what_it_said(template):
    post = read(template, "title", "div#post->b", **{NOTATION: OWN})
    assert (post.title, post.provenance["title"].rule) == ("Zoe Ray", "div#post->b")


def test_a_template_keeps_them_apart_from_what_was_learned(template):
    by_hand = template.with_manual({"title": Rule(method=MANUAL, where="b.who")})
    again = Template.from_json(by_hand.to_json())
    assert again.manual == by_hand.manual
    assert again.fields == template.fields
    assert again.as_learned.to_json() == template.to_json()


def test_templates_of_before_have_none(template):
    text = template.to_json().replace('"manual"', '"of later"')
    assert Template.from_json(text).manual == {}


@pytest.mark.parametrize(("selector", "said"), [
    ("div..x", r"from '\.x' on \(character 5\)"), ("h1 >", "breaks off at its end"), ("", "it is empty"),
    ("a[href", "breaks off"), ("h1::text", "pseudo-elements"), ("p:blue", "blue"), ("h1 !", "'!' on"),
])
def test_what_is_no_css_says_where_it_is_wrong(selector, said):
    with pytest.raises(UsageError, match=said):
        checked_css(selector)
