from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from everlog.core.selectors import Finder, chain_of, find_all, own_selectors, selectors_of, tokens, xpath
from everlog.core.tree import parse


def found(page: str, selector: str) -> list[str]:
    return [element.get("n", "") for element in find_all(parse(page.encode()), selector)]


def test_numbers_in_ids_and_classes_do_not_matter():
    assert found("<div id=post-1 n=1></div><div id=post-22 n=2></div>", "div#post-") == ["1", "2"]
    assert found("<p class='post-7 a' n=1></p><p class=post-8 n=2></p>", "p.post-") == ["1", "2"]


def test_all_classes_together_say_more_than_one():
    page = "<p class='a b' n=1></p><p class='b a' n=2></p><p class='a b c' n=3></p>"
    assert found(page, "p.[a b]") == ["1", "2"]
    assert found(page, "p.a") == ["1", "2", "3"]


def test_an_attribute_can_name_an_element():
    assert found("<div itemprop=articleBody n=1></div><div itemprop=x></div>", "div[itemprop=articleBody]") == ["1"]


def test_a_chain_leads_over_children_only():
    page = "<div id=a><section><p n=1></p><div><p n=2></p></div></section></div>"
    assert found(page, "div#a>section>p") == ["1"]


def test_a_tag_alone_is_a_selector():
    assert found("<article n=1></article><div><article n=2></article></div>", "article") == ["1", "2"]


def test_the_most_specific_selector_comes_first():
    assert own_selectors("div", "main", "a b", "role=main") == (
        "div#main", "div[role=main]", "div.[a b]", "div.a", "div.b",
    )
    assert own_selectors("article", None, None, None) == ("article",)
    assert own_selectors("div", None, None, None) == ()


def test_names_of_digits_alone_name_nothing():
    assert own_selectors("div", "123", "4 5", None) == ()
    assert tokens("1 2 a3 a4") == ("a",)


def test_a_name_that_would_read_as_a_step_is_left_out():
    assert own_selectors("div", "a>b", "c>d e", None) == ("div.e",)


def test_a_chain_hangs_below_the_nearest_named_ancestor():
    root = parse(b"<div class=x><div><p><b></b></p></div></div>")
    assert chain_of(root.find(".//b")) == "div.x>div>p>b"


def test_one_finder_answers_many_selectors_on_many_pages():
    finder = Finder(["p.a", "div#b", "p.a"])
    for page in ("<p class=a></p><div id=b></div>", "<p class='a c'></p>", "<p></p>"):
        root = parse(page.encode())
        assert finder.find(root) == {"p.a": find_all(root, "p.a"), "div#b": find_all(root, "div#b")}


def test_a_finder_without_selectors_finds_nothing():
    assert Finder([]).find(parse(b"<p>")) == {}


@pytest.mark.parametrize("name", ["it's", 'say "hi"', "a'b\"c"])
def test_quotes_in_names_stay_readable_as_xpath(name):
    root = etree.Element("body")
    child = etree.SubElement(root, "div", id=name)
    assert root.xpath(xpath(f"div#{name}")) == [child]


names = st.lists(st.sampled_from(["a", "b", "a1", "post-3", "x_y"]), max_size=3).map(" ".join)
attributes = st.fixed_dictionaries(
    {},
    optional={
        "id": st.sampled_from(["m", "m2", "post-1", "12"]), "class": names,
        "itemprop": st.sampled_from(["text", "name"]), "role": st.sampled_from(["main"]),
    },
)


@st.composite
def trees(draw: st.DrawFn) -> etree._Element:
    root = etree.Element("html")
    known = [etree.SubElement(root, "body")]
    for _ in range(draw(st.integers(0, 14))):
        above = draw(st.sampled_from(known))
        known.append(etree.SubElement(above, draw(st.sampled_from(["div", "p", "article"])), draw(attributes)))
    return root


def named(root: etree._Element, selector: str) -> list[etree._Element]:
    """What the XPath of a selector finds, less what XPath cannot say."""
    everything = root.xpath(xpath(selector))
    if "[" in selector and ".[" not in selector:
        # Of several naming attributes the first counts.
        return [element for element in everything if selector in selectors_of(element)]
    if ".[" in selector:
        # All classes, and no others.
        wanted = selector.split(".[")[1].rstrip("]").split()
        return [element for element in everything if sorted(tokens(element.get("class", ""))) == wanted]
    return everything


@given(trees())
def test_the_finder_finds_what_the_xpath_finds(root):
    selectors = {own for element in root.iter() for own in selectors_of(element)}
    answers = Finder(selectors).find(root)
    for selector in selectors:
        assert answers[selector] == named(root, selector)


@given(trees())
def test_chains_find_what_their_xpath_finds(root):
    for element in root.iter():
        chain = chain_of(element)
        anchor = chain.split(">", 1)[0]
        if ".[" in anchor or ">" not in chain:
            continue
        answers = find_all(root, chain)
        assert set(answers) == set(root.xpath(xpath(chain)))
        assert element in answers


def test_children_of_heads_inside_each_other_come_in_document_order():
    root = parse(b"<div class=a><div class=a><p n=1></p></div><p n=2></p></div>")
    assert [e.get("n") for e in find_all(root, "div.a>p")] == ["1", "2"]
