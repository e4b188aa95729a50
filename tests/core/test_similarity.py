"""Bigrams, Dice, and the score of every node in one pass."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

import reference
from everlog.core import similarity as module
from everlog.core.outline import Outline
from everlog.core.similarity import NodeBigrams, bigram_set, similarity

words = st.text("ab é日本\n\t &<'\"", max_size=12)
texts = st.text(max_size=30)
pages = st.recursive(
    st.tuples(st.sampled_from(["p", "b", "script", "style", "!"]), words, st.just([]), words),
    lambda inner: st.tuples(st.sampled_from(["div", "p", "ul"]), words, st.lists(inner, max_size=4), words),
    max_leaves=20,
)


def build(drawn: tuple) -> etree._Element:
    tag, text, children, tail = drawn
    node = etree.Comment("hidden") if tag == "!" else etree.Element(tag)
    node.text, node.tail = text.replace("-", ""), tail
    node.extend(build(child) for child in children)
    return node


def page_of(drawn: tuple) -> etree._Element:
    root = etree.Element("html")
    root.append(build(drawn))
    return root


@given(texts, texts)
def test_dice_is_symmetric_and_lies_between_nothing_and_all(a, b):
    score = similarity(a, b)
    assert score == similarity(b, a)
    assert 0 <= score <= 1


@given(texts)
def test_a_text_is_entirely_like_itself_if_it_has_a_bigram(text):
    assert similarity(text, text) == (1 if bigram_set(text) else 0)


def test_the_order_of_the_words_hardly_matters():
    assert similarity("Scheme Scala", "Scala Scheme") == pytest.approx(0.9)


@given(pages, st.lists(words, min_size=1, max_size=3))
def test_one_pass_gives_every_node_the_score_it_has_on_its_own(drawn, targets):
    nodes = NodeBigrams(Outline(page_of(drawn)))
    scores = nodes.score(targets)
    for place, node in enumerate(nodes.outline.elements):
        for row, target in enumerate(targets):
            assert scores[row, place] == reference.similarity(node, target)


def test_bigrams_do_not_cross_from_one_segment_into_the_next():
    root = etree.fromstring("<p>a<b>b</b>c<!-- ab --><script>ab</script><style>ab</style>b</p>")
    assert not NodeBigrams(Outline(root)).score(["ab"]).any()


def test_a_page_without_text_and_an_empty_target_score_nothing():
    assert NodeBigrams(Outline(etree.fromstring("<p/>"))).score(["text"]).tolist() == [[0]]
    assert NodeBigrams(Outline(etree.fromstring("<p>text</p>"))).score(["", "\0"]).tolist() == [[0], [0]]


def test_pages_nested_thousands_deep_are_scored():
    root = node = etree.Element("div")
    for _ in range(5000):
        node = etree.SubElement(node, "div")
    node.text = "deep down"
    assert NodeBigrams(Outline(root)).score(["deep down"]).min() == 1


def test_a_page_with_more_segments_than_fit_beside_a_bigram_is_sorted_by_two_keys():
    pairs, slots = np.array([7, 5, 7, 5, 7]), np.array([1 << 30, 2, 3, 2, 3])
    assert [part.tolist() for part in module._distinct(pairs, slots)] == [[5, 7, 7], [2, 3, 1 << 30]]


def test_a_page_is_counted_once_for_any_number_of_texts():
    nodes = NodeBigrams(Outline(etree.fromstring("<div><p>one</p><p>two</p></div>")))
    assert nodes.sizes.tolist() == [4, 2, 2]
    assert nodes.score(["one"])[0].argmax() == 1
    assert nodes.score(["two"])[0].argmax() == 2


@given(pages)
def test_distances_are_those_of_the_tree(drawn):
    outline = Outline(page_of(drawn))
    for place, node in enumerate(outline.elements):
        expected = [reference.tree_distance(node, other) for other in outline.elements]
        assert outline.distances(place).tolist() == expected


@given(pages)
def test_an_outline_knows_parents_and_depths(drawn):
    outline = Outline(page_of(drawn))
    for place, node in enumerate(outline.elements[1:], start=1):
        assert outline.elements[outline.parent[place]] is node.getparent()
        assert outline.depth[place] == len(list(node.iterancestors()))
        assert outline.end[place] - place == len(list(node.iter()))
