from __future__ import annotations

import pytest

from everlog.core.rules import Rule
from everlog.core.selectors import Finder
from everlog.core.tree import parse, parse_fragment
from everlog.extract.fields.tags_read import as_tag, family_of, link_shape, linked, parts, read_tags, tags_by
from everlog.markup.view import View


def view(page: str, *selectors: str) -> View:
    root = parse(page.encode())
    article = next((e for e in root.iter("div") if e.get("id") == "text"), None)
    return View(root, "https://a.blog/x", found=Finder(selectors).find(root), article=article)


@pytest.mark.parametrize(
    ("text", "tag"),
    [
        ("#rain", "rain"),
        ("C#", "C#"),
        ("rain (12)", "rain"),
        ("rain [3],", "rain"),
        ("·", None),
        ("a" * 400, None),
    ],
)
def test_signs_and_counts_are_not_part_of_a_tag(text: str, tag: str | None):
    assert as_tag(text) == tag


def test_a_list_is_split_at_commas_of_any_script():
    assert parts("标签：雨，雪、风") == ["雨", "雪", "风"]


@pytest.mark.parametrize(
    ("href", "shape"),
    [
        ("/tag/rain", "/tag/"),
        ("rain/", "/"),
        ("http://[broken", ""),
        ("x?cat=3", "?cat="),
        ("/tags/#rain", "/tags/#"),
    ],
)
def test_the_shape_of_an_address_is_what_it_shares_with_other_tags(href: str, shape: str):
    assert link_shape(href) == shape


def test_a_tag_may_be_in_its_link_or_around_it():
    outer, inner, none = parse_fragment("<li><a href=/a>x</a></li><a href=/b><i>y</i></a><b>z</b>").find(
        "body"
    )
    assert (linked(outer), linked(inner[0]), linked(none)) == ("/a", "/b", "")


@pytest.mark.parametrize(
    ("link", "family"),
    [
        ("<a href=/tags/rain>", "tag"),
        ("<a href='/blog/category/a/b/'>", "category"),
        ("<a href='/?tag=rain'>", "tag"),
        ("<a href=/tags/>", None),
        ("<a href=/x rel=tag>", "tag"),
        ("<a href=/x rel='category tag'>", "category"),
        ("<a rel=tag>", None),
    ],
)
def test_links_to_tags_are_known_by_address_or_rel(link: str, family: str | None):
    assert family_of(next(parse_fragment(link).iter("a"))) == family


def test_the_union_has_each_tag_once_and_fallbacks_are_silent_when_it_speaks():
    page = (
        "<meta name=keywords content='Rain, snow'><p class=t><a href=/tag/rain>rain</a></p>"
        "<p class=u><a href=/tag/x>x</a></p>"
    )
    rules = (
        Rule(method="selector", where="p.t", confidence=0.9),
        Rule(method="meta", where="keywords", detail={"split": "yes"}, confidence=0.8),
        Rule(method="selector", where="p.u", detail={"use": "if-empty"}),
    )
    tags, provenance = read_tags(view(page, "p.t", "p.u"), rules)
    assert tags == ("rain", "snow")
    assert (provenance.method, provenance.rule, provenance.confidence) == ("selector", "p.t + keywords", 0.8)
    assert read_tags(view("<p class=u>x</p>", "p.t", "p.u"), rules)[0] == ("x",)
    assert read_tags(view("<p>text", "p.t", "p.u"), rules) is None


def test_only_links_of_the_learned_shape_and_family_count():
    page = "<p class=t><a href=/tag/rain>rain</a><a href=/who/ada>Ada</a></p>"
    rule = Rule(method="selector", where="p.t>a", detail={"shape": "/tag/"})
    assert tags_by(view(page, "p.t>a"), rule) == ["rain"]
    assert tags_by(view(page, "p.t>a"), Rule(method="selector", where="p.t>a", detail={"family": "tag"})) == [
        "rain"
    ]


def test_what_is_near_the_article_hides_what_is_far():
    page = "<p class=t>cloud</p><main><div id=text>x</div><p class=t>rain</p></main>"
    assert tags_by(view(page, "p.t"), Rule(method="selector", where="p.t", detail={"near": "yes"})) == [
        "rain"
    ]


def test_a_place_with_more_tags_than_any_post_has_is_a_cloud():
    page = "".join(f"<b class=t>tag {i}</b>" for i in range(80))
    assert tags_by(view(page, "b.t"), Rule(method="selector", where="b.t")) == []


def test_standard_links_are_read_near_the_article_on_the_same_host():
    page = (
        "<nav><a href=/tag/menu>menu</a></nav><main><div id=text>x</div>"
        "<p><a href=/tag/rain>rain</a> <a href=https://other.blog/tag/x>x</a> "
        "<a href=/category/w>w</a></p></main>"
    )
    both = Rule(method="standard", where="tag category")
    assert tags_by(view(page), both) == ["rain", "w"]
    assert tags_by(view(page), Rule(method="standard", where="tag category", detail={"pick": "first"})) == [
        "rain"
    ]
    assert tags_by(view("<p>text"), both) == []


def test_json_ld_keywords_are_a_list_a_text_or_terms():
    def said(value: str) -> View:
        return view(
            f'<script type="application/ld+json">{{"@type": "Article", "keywords": {value}}}</script>'
        )

    rule = Rule(method="json-ld", where="keywords", detail={"split": "yes"})
    assert tags_by(said('["rain", "snow"]'), rule) == ["rain", "snow"]
    assert tags_by(said('"rain, snow"'), rule) == ["rain", "snow"]
    assert tags_by(said('[{"name": "rain"}, 3]'), rule) == ["rain"]
