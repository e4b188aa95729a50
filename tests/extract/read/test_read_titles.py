from __future__ import annotations

import pytest

from everlog.core.rules import Rule
from everlog.core.selectors import Finder
from everlog.core.tree import parse
from everlog.extract.fields.title_read import read_title, title_by
from everlog.markup.view import View


def view(page: str, *selectors: str) -> View:
    root = parse(page.encode())
    return View(root, "https://a.blog/x", found=Finder(selectors).find(root))


def test_the_first_rule_that_finds_a_title_gives_it_with_its_confidence():
    rules = (Rule(method="selector", where="h1"), Rule(method="meta", where="og:title", confidence=0.9))
    title, provenance = read_title(view('<meta property="og:title" content=" On  rain ">', "h1"), rules)
    assert (title, provenance.rule, provenance.confidence) == ("On rain", "og:title", 0.9)


def test_a_page_without_any_of_the_places_has_no_title():
    rules = (
        Rule(method="selector", where="h1"),
        Rule(method="meta", where="og:title"),
        Rule(method="json-ld", where="headline"),
        Rule(method="head-title", detail={"suffix": " - b"}),
    )
    assert read_title(view("<title>Something</title><p>text", "h1"), rules) is None


def test_a_heading_of_signs_only_is_no_title():
    assert title_by(view("<h1>* * *</h1>", "h1"), Rule(method="selector", where="h1")) is None


def test_line_breaks_part_the_words_of_a_heading_and_inline_markup_does_not():
    rule = Rule(method="selector", where="h1")
    assert title_by(view("<h1>On<br>r<i>ai</i>n<script>x()</script></h1>", "h1"), rule) == "On rain"


def test_named_parts_of_a_heading_are_cut():
    rule = Rule(method="selector", where="h1", detail={"cut": "em.badge\nsmall"})
    page = "<h1>Rain <em class=badge>News</em><small>3</small></h1>"
    assert title_by(view(page, "h1"), rule) == "Rain"


def test_json_ld_titles_are_unescaped():
    page = '<script type="application/ld+json">{"@type": "Article", "headline": "Rain &amp; snow"}</script>'
    assert title_by(view(page), Rule(method="json-ld", where="headline")) == "Rain & snow"


@pytest.mark.parametrize("depth", [10, 400])
def test_deep_markup_in_a_heading_is_read(depth: int):
    page = "<h1>" + "<b>" * depth + "Rain" + "</b>" * depth + "</h1>"
    assert title_by(view(page, "h1"), Rule(method="selector", where="h1")) == "Rain"


def test_the_loose_rule_takes_the_head_as_it_is():
    assert (
        title_by(
            view("<title>Rain</title>"), Rule(method="head-title", detail={"loose": "yes", "suffix": " - b"})
        )
        == "Rain"
    )


def test_empty_json_ld_nodes_are_passed_over():
    page = (
        '<script type="application/ld+json">[{"@type": "Article", "headline": ""}, '
        '{"@type": "Article", "headline": "Rain"}]</script>'
    )
    assert title_by(view(page), Rule(method="json-ld", where="headline")) == "Rain"
