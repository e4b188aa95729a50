from __future__ import annotations

from types import MappingProxyType

import pytest

from everlog.core.rules import Rule
from everlog.core.selectors import Finder
from everlog.core.tree import parse
from everlog.extract.article.article_read import ArticleFinder, Design
from everlog.extract.extractors.extractor import pick_at
from everlog.extract.extractors.selector import picked
from everlog.markup.view import View


def rule(where: str, method: str = "selector", pick: str = "first") -> Rule:
    return Rule(method=method, where=where, detail=MappingProxyType({"pick": pick}))


def design(*places: Rule, tells: tuple[str, ...] = (), method: str = "feed-text") -> Design:
    return Design(places=places, method=method, confidence=1.0, tells=tells)


def view(page: str, *designs: Design) -> View:
    root = parse(page.encode())
    return View(root, "https://a.blog/1", found=Finder(s for d in designs for s in d.selectors()).find(root))


def found(page: str, *designs: Design) -> list[str]:
    """The texts of the elements that designs find, in their order."""
    return [f.pick.element.text for f in ArticleFinder(designs).find(view(page, *designs))]


PAGE = "<div class=post>post</div><div class=old>old</div><article>whole</article>"


def test_the_best_place_of_the_best_design_comes_first():
    assert found(PAGE, design(rule("div.post"), rule("article")), design(rule("div.old")))[:3] == [
        "post", "whole", "old",
    ]


def test_a_place_that_is_not_there_is_passed_over():
    assert found(PAGE, design(rule("div.none"), rule("article"))) == ["whole"]


def test_a_page_that_tells_its_design_is_read_by_it_first():
    designs = (design(rule("article")), design(rule("div.post"), tells=("div.old",)))
    assert found(PAGE, *designs)[0] == "post"
    assert found(PAGE.replace("old", "new"), *designs)[0] == "whole"


def test_nothing_is_found_where_no_design_fits():
    assert found("<p>x</p>", design(rule("div.post"))) == []


@pytest.mark.parametrize(
    ("place", "text"),
    [
        (rule("div.post"), "post"),
        (rule("//div[@class='old']", "xpath"), "old"),
        (rule("/html/body/article", "xpath"), "whole"),
        (rule("|html|body|article", "key-path"), "whole"),
    ],
)
def test_every_method_points_at_an_element(place, text):
    assert pick_at(view(PAGE, design(place)), place).element.text == text


@pytest.mark.parametrize("where", ["//nothing", "string(//div)", "count(//div)", "//div/text()", "//div/@class"])
def test_an_xpath_that_gives_no_element_finds_nothing(where):
    place = rule(where, "xpath")
    assert pick_at(view(PAGE, design(place)), place) is None


class TestPicking:
    elements = parse(b"<p> </p><p>short</p><p>much longer</p>").findall("body/p")

    def test_the_first_that_shows_text(self):
        assert picked(self.elements, "first").text == "short"

    def test_the_one_that_shows_most(self):
        assert picked(self.elements, "largest").text == "much longer"

    def test_the_only_one_even_without_text(self):
        assert picked(self.elements[:1], "first") is self.elements[0]
        assert picked([], "first") is None

    def test_the_first_where_none_shows_text(self):
        empty = parse(b"<p n=1></p><p n=2></p>").findall("body/p")
        assert picked(empty, "first").get("n") == "1"


def test_a_design_survives_being_plain_data():
    made = design(rule("div.post", pick="largest"), tells=("p.x",))
    assert Design.from_dict(made.to_dict()) == made
