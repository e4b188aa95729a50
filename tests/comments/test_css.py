"""CSS selectors on pages of comments."""

from __future__ import annotations

import pytest
from lxml import etree

from everlog.comments.css import Nearest, Selection
from everlog.core.tree import parse

PAGE = parse(
    b"""<main id=m><ol class="list big"><li class="c even" id=c1 data-n=1><p>1</p><a href="#c1" rel="x y">a</a></li>
    <li class="c odd" id=c2 lang=en-GB><p>2</p><ul><li class="c even" id=c3><p class=e></p></li></ul></li></ol>
    <p class=after>3</p><div id=last><b>4</b></div></main>"""
)


@pytest.mark.parametrize(
    ("selector", "found"),
    [
        ("li", ["c1", "c2", "c3"]), ("LI.c", ["c1", "c2", "c3"]), ("li.c.odd", ["c2"]), ("#c3", ["c3"]),
        ("li#c3.c", ["c3"]), ("div#c3", []),
        ("#none, .none", []), ("ol > li", ["c1", "c2"]), ("ol li", ["c1", "c2", "c3"]), ("li li", ["c3"]),
        ("li + li", ["c2"]), ("ol ~ div", ["last"]), ("p ~ div", ["last"]), ("div ~ ol", []), ("[data-n]", ["c1"]),
        ("li[data-n='1']", ["c1"]), ("li[lang|=en]", ["c2"]), ("[id^=c]:not(.odd)", ["c1", "c3"]),
        ("[id$='3']", ["c3"]), ("main > :is(div, p)#last", ["last"]),
        ("[class*=eve]", ["c1", "c3"]), ("[class~=odd]", ["c2"]), ("li[id!=c1]", ["c2", "c3"]), ("[id^='']", []),
        ("li:is(.odd, .none)", ["c2"]), (":is(ol, ul) > li:is(#c3, [data-n])", ["c1", "c3"]),
        ("li:first-child", ["c1", "c3"]),
        ("li:last-child", ["c2", "c3"]), ("[id]:numbered", ["c1", "c2", "c3"]), ("div, li.odd", ["c2", "last"]),
    ],
)
def test_selectors_find_what_css_means_by_them(selector, found):
    assert [element.get("id") for element in Selection(PAGE).all(selector)] == found


def test_classes_and_empty_elements_are_found():
    page = Selection(PAGE)
    assert [element.get("class") for element in page.all("p:empty")] == ["e"]
    assert [element.tag for element in page.all("[rel~=y]")] == ["a"]
    assert [[element.tag for element in group] for group in page.each("b, .none, ul")] == [["b"], ["ul"]]


def test_an_element_with_nothing_but_a_note_is_empty():
    root = parse(b"<p></p>")
    root.find("body/p").append(etree.Comment("note"))
    assert len(Selection(root).all("p:empty")) == 1


def test_thousands_of_selectors_are_not_all_remembered():
    page = Selection(PAGE)
    assert all(page.all(f".x{number}, #c1") for number in range(5000))


def test_a_part_of_a_page_has_only_what_is_in_it():
    part = PAGE.find(".//ul")
    assert [element.get("id") for element in Selection(part).all("li, [id], .c, #c1")] == ["c3"]


@pytest.mark.parametrize("selector", ["a[", "li:hover", "li:nth-child(2)", ":is(a b)", "p:has(b)"])
def test_what_is_not_known_is_refused(selector):
    with pytest.raises(ValueError, match="selector"):
        Selection(PAGE).all(selector)


def test_the_nearest_element_above_is_found_and_remembered():
    first, second, third = PAGE.iter("li")
    nearest = Nearest([second, third])
    deep = PAGE.find(".//p[@class='e']")
    assert nearest.at(deep) is third
    assert nearest.at(deep) is third
    assert nearest.above(third) is second
    assert nearest.above(second) is None
    assert nearest.at(first) is None
    assert Nearest([PAGE]).above(PAGE) is None


def test_the_nearest_of_many_is_that_of_each():
    body = parse(b"<div><p><i>x</i><b>y</b></p></div><ul><li>z</li></ul>")[0]
    inner = [*body.iter()]
    assert Nearest([body[0]]).each(inner) == [Nearest([body[0]]).at(element) for element in inner]
