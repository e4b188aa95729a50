from __future__ import annotations

import json

import pytest

import a_blog
from everlog import Post, Skip, Template, learn
from everlog.errors import UnreadableTemplate

PAGES = [
    a_blog.page(8), a_blog.page(9, noise="<div class=share>Share this</div>"), b"", b"<p>another page",
    a_blog.page(7, inside=""), a_blog.page(6).replace(b"class=entry", b"class=other"),
]


def data_of(template: Template) -> dict:
    return json.loads(template.to_json())


@pytest.mark.parametrize("feed", [a_blog.feed(), a_blog.excerpts()], ids=["full", "excerpts"])
def test_a_stored_template_reads_every_page_as_before(feed):
    template = learn(feed, a_blog.pages(noise="<div class=share>Share this with friends</div>"), "https://a.blog/feed")
    again = Template.from_json(template.to_json())
    assert again == template
    assert again.to_json() == template.to_json()
    for body in PAGES:
        assert again.read(body, a_blog.url(9)) == template.read(body, a_blog.url(9))


def test_bytes_are_as_good_as_text(template):
    assert Template.from_json(template.to_json().encode()) == template


def test_a_template_says_its_version_and_where_it_is_from(template):
    data = data_of(template)
    assert data["everlog_template"] == 1
    assert (data["home"], data["learned_from"]) == (a_blog.HOME, 5)


def test_every_field_has_its_measured_confidence(template):
    scores = template.confidence()
    assert scores["text"] == scores["title"] == 1.0
    assert all(score is None or 0 <= score <= 1 for score in scores.values())


def test_a_template_without_rules_skips_every_page():
    outcome = Template(designs=()).read(a_blog.page(1), a_blog.url(1))
    assert outcome == Skip(url=a_blog.url(1), reason="no rule of this blog finds an article on the page")
    assert Template(designs=()).confidence() == {"text": None}


@pytest.mark.parametrize("version", [0, 2, "1", None])
def test_another_version_is_refused_with_what_to_do(template, version):
    text = json.dumps(data_of(template) | {"everlog_template": version})
    with pytest.raises(UnreadableTemplate, match=f"version {version}; this everlog reads version 1") as caught:
        Template.from_json(text)
    assert "learn the blog again" in str(caught.value)


@pytest.mark.parametrize("text", ["", "{", "null", "[]", "5", '"x"', "{}", b"\xff\xfe\x00", '{"version": 1}'])
def test_what_is_no_template_is_refused_with_what_to_do(text):
    with pytest.raises(UnreadableTemplate, match="not a template") as caught:
        Template.from_json(text)
    assert caught.value.advice == "learn the blog again:  everlog rules BLOG --relearn"


@pytest.mark.parametrize("name", ["home", "feed_url", "learned_from", "designs", "fields", "key_paths"])
def test_a_template_that_lacks_a_part_is_damaged(template, name):
    data = data_of(template)
    del data[name]
    with pytest.raises(UnreadableTemplate, match="a damaged template: KeyError"):
        Template.from_json(json.dumps(data))


@pytest.mark.parametrize(
    "change",
    [
        {"designs": None}, {"designs": [5]}, {"designs": [{}]}, {"fields": []}, {"fields": {"title": [{}]}},
        {"fields": {"title": None}}, {"learned_from": "many"}, {"learned_from": None},
    ],
    ids=str,
)
def test_a_template_with_parts_of_another_kind_is_damaged(template, change):
    with pytest.raises(UnreadableTemplate, match="a damaged template") as caught:
        Template.from_json(json.dumps(data_of(template) | change))
    assert "learn the blog again" in str(caught.value)


def test_reading_does_not_change_a_template(template):
    before = template.to_json()
    first = template.read(a_blog.page(8), a_blog.url(8))
    assert isinstance(first, Post)
    assert template.read(a_blog.page(8), a_blog.url(8)) == first
    assert template.to_json() == before
