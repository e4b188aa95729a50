from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from everlog.core.layout import Layout, Vocabulary
from everlog.core.tree import INVISIBLE, Element, parse
from everlog.core.words import words


def laid_out(markup: str) -> tuple[Layout, list[str]]:
    vocabulary = Vocabulary()
    layout = Layout(parse(markup.encode()), vocabulary)
    return layout, list(vocabulary)


def spoken(layout: Layout, spellings: list[str], element: int) -> list[str]:
    return [spellings[word] for word in layout.words[layout.first[element]:layout.last[element]]]


def place(layout: Layout, tag: str) -> int:
    return layout.tags.index(tag)


def visible_words(element: Element) -> list[str]:
    """The words of an element, the slow way."""
    if element.tag in INVISIBLE:
        return []
    found = words(element.text or "")
    for child in element:
        found += visible_words(child) + words(child.tail or "")
    return found


def test_a_vocabulary_numbers_words_on_first_sight():
    vocabulary = Vocabulary()
    assert [vocabulary[word] for word in ("a", "b", "a")] == [0, 1, 0]


def test_every_element_has_the_words_of_its_subtree():
    layout, spellings = laid_out("<div>one <p>two <b>three</b> four</p> five</div>")
    assert spoken(layout, spellings, place(layout, "div")) == ["one", "two", "three", "four", "five"]
    assert spoken(layout, spellings, place(layout, "p")) == ["two", "three", "four"]
    assert spoken(layout, spellings, place(layout, "b")) == ["three"]


def test_a_words_home_is_the_element_in_which_it_stands_directly():
    layout, _ = laid_out("<div>one <p>two <b>three</b> four</p> five</div>")
    assert [layout.tags[home] for home in layout.home] == ["div", "p", "b", "p", "div"]


def test_what_a_reader_cannot_see_has_no_words():
    layout, spellings = laid_out("<head><title>no</title></head><p>a<script>b</script>c<noscript><i>d</i></noscript>")
    assert spoken(layout, spellings, 0) == ["a", "c"]


def test_marked_words_are_counted_for_every_element():
    layout, _ = laid_out("<div>one <p>two three</p></div>")
    marks = np.array([True, False, True])
    assert layout.counts(marks)[place(layout, "div")] == 2
    assert layout.counts(marks)[place(layout, "p")] == 1
    assert layout.sizes()[place(layout, "p")] == 2


def test_words_in_links_are_known_however_deep():
    layout, _ = laid_out("<p>a <a href=x>b <i>c</i></a> d</p>")
    assert layout.in_links().tolist() == [False, True, True, False]


def test_ancestors_come_nearest_first():
    layout, _ = laid_out("<div><p><b>x</b></p></div>")
    assert [layout.tags[above] for above in layout.ancestors(place(layout, "b"))] == ["p", "div", "body", "html"]


def test_a_page_without_words_has_a_layout():
    layout, _ = laid_out("<div></div>")
    assert len(layout.words) == 0
    assert layout.counts(np.zeros(0, np.bool_)).tolist() == [0] * len(layout.tags)


markup = st.recursive(
    st.sampled_from(["one ", "Two, ", "世界", " ", "<br>", "<script>no</script>", "<svg><b>no</b></svg>"]),
    lambda inner: st.tuples(st.sampled_from(["div", "p", "b", "a", "select"]), st.lists(inner, max_size=4)).map(
        lambda made: f"<{made[0]}>{''.join(made[1])}</{made[0]}>"
    ),
    max_leaves=25,
)


@given(markup)
def test_the_layout_says_the_same_as_walking_the_tree(text):
    layout, spellings = laid_out(f"<div>x {text}</div>")
    for number, element in enumerate(layout.elements):
        above = element.getparent()
        assert layout.parent[number] == (-1 if above is None else layout.elements.index(above))
        assert layout.stop[number] == number + sum(1 for _ in element.iter())
        if not any(e.tag in INVISIBLE for e in element.iterancestors()):
            assert spoken(layout, spellings, number) == visible_words(element)
