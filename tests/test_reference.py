"""The linear Algorithm 2 chooses what the quadratic Algorithm 1 of the paper chooses."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

import reference
from everlog.extract.extractors.blogforever import Target, best_node, best_rule, rule_of

names = st.sampled_from([None, "a", "b", "c", "a b", ""])
words = st.text("abcd 日本é\n", max_size=10)
nodes = st.recursive(
    st.tuples(st.sampled_from(["p", "b", "script", "!"]), names, names, words, st.just([]), words),
    lambda inner: st.tuples(
        st.sampled_from(["div", "p", "section"]), names, names, words, st.lists(inner, max_size=4), words),
    max_leaves=15,
)

REAL = [
    "<div id=page><div class=post><h1>Hello</h1><p>Some words</p><p>and more of them</p></div><b>Some words",
    "<div class=row><div class=row>Some words</div></div><div class=row>Some words and more of them</div>",
    "<article>Some <b>words</b> and more<!-- of them --><script>Some words and more of them</script> of them",
    "<p>Fish &amp; chips &lt;3</p>Some words and<br>more of them<p class=''>Some words and more of them</p>",
    "<div id=a>x</div><div id=a class=k>Some words and more of them</div><div class=k>y</div>",
    "<ul><li>今日はよい天気です</li><li class=item>Some words</li><li class=item>明日も</li></ul>",
]


def build(drawn: tuple) -> etree._Element:
    tag, name, group, text, children, tail = drawn
    if tag == "!":
        node = etree.Comment("hidden")
    else:
        named = {"id": name, "class": group}
        node = etree.Element(tag, {key: value for key, value in named.items() if value is not None})
        node.text = text
    node.tail = tail
    node.extend(build(child) for child in children)
    return node


@given(nodes, st.lists(words, min_size=1, max_size=3), st.data())
def test_both_algorithms_choose_the_same_node(drawn, targets, data):
    root = etree.Element("html")
    root.append(build(drawn))
    near = data.draw(st.none() | st.sampled_from(list(root.iter("*"))))
    naive = reference.best_of_page(root, targets, near)
    assert best_node(root, Target(texts=tuple(targets), near=near)) is (naive and naive[1])


@pytest.mark.parametrize("html", REAL)
@pytest.mark.parametrize("target", ["Some words and more of them", "Hello", "Fish & chips <3", "明日もよい"])
def test_both_algorithms_choose_the_same_rule_on_pages_like_real_ones(html, target):
    page = etree.HTML(f"<html><head><title>Hello</title></head><body>{html}</body></html>")
    assert best_rule([(page, target)]) == reference.best_extraction_rule([(page, target)])


def test_both_algorithms_agree_on_the_rule_of_several_pages():
    pages = [(etree.HTML(html), "Some words and more of them") for html in REAL]
    assert best_rule(pages) == reference.best_extraction_rule(pages)


def test_both_algorithms_write_the_same_rules():
    page = etree.HTML(REAL[0])
    assert list(dict.fromkeys(map(rule_of, page.iter("*")))) == reference.all_rules(page)
