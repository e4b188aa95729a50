from __future__ import annotations

import numpy as np
import pytest

from everlog.core.layout import Layout, Vocabulary
from everlog.core.signatures import (
    CHAIN,
    CONTEXT,
    LABEL,
    NAME,
    PLACE,
    SECTION,
    Signatures,
    Unit,
    kind_of,
    label,
    own_label,
    place_kind,
)
from everlog.core.tree import parse


class Page:
    """The signatures of a page, asked for by the `n` attribute of its elements."""

    def __init__(self, markup: str) -> None:
        vocabulary = Vocabulary()
        self.layout = Layout(parse(f"<div class=entry>{markup}</div>".encode()), vocabulary)
        self.signatures = Signatures(self.layout, list(vocabulary))

    def number(self, name: str) -> int:
        return next(i for i, e in enumerate(self.layout.elements) if e.get("n") == name)

    def of(self, name: str) -> tuple[str, ...]:
        return self.signatures.of(self.number(name))

    def units(self, *, foreign: bool) -> list[Unit]:
        everything = np.full(len(self.layout.tags), foreign)
        return list(self.signatures.foreign_units(self.layout.tags.index("div"), everything))


@pytest.mark.parametrize(
    ("signature", "kind"),
    [
        ("div.share", NAME), ("div#a", NAME), ("=h3 related posts", LABEL), ("~p tags", LABEL), ("div.entry>ul", CHAIN),
        ("^p posted in", CONTEXT), ("+ul related posts", CONTEXT), ("|i.calendar", CONTEXT), ("»h2#comments", SECTION),
        ("div.entry>ul@-1L", PLACE), ("div.entry>p@0S", PLACE),
    ],
)
def test_every_signature_tells_its_kind(signature, kind):
    assert kind_of(signature) == kind


def test_the_kinds_stand_in_the_order_of_trust():
    assert NAME < LABEL < CHAIN < CONTEXT < SECTION < PLACE


def test_numbers_in_labels_are_alike():
    assert label(["12", "comments"]) == label(["3", "comments"])


def test_only_a_few_words_before_a_child_are_a_label():
    assert own_label("Filed under: ") == "filed under"
    assert own_label("") == own_label("one two three four five") == ""


@pytest.mark.parametrize(("size", "linked", "kind"), [(10, 6, "L"), (10, 5, ""), (8, 0, "S"), (9, 0, ""), (2, 2, "L")])
def test_places_are_told_by_length_and_links(size, linked, kind):
    assert place_kind(size, linked) == kind


def test_names_come_first_and_short_texts_are_labels():
    assert Page("<p class=share n=x>Share this</p>").of("x")[:2] == ("p.share", "=p share this")


def test_what_stands_before_the_first_child_is_a_label_too():
    assert "~p tags" in Page("<p n=x>Tags: <a href=/a>one</a> <a href=/b>two</a></p>").of("x")


def test_a_longer_text_is_known_by_its_first_words():
    signs = Page("<p n=x>Posted in one of the many rooms of this old house</p>").of("x")
    assert "^p posted in" in signs
    assert not any(sign.startswith("=") for sign in signs)


def test_an_element_is_known_by_the_label_before_it():
    assert "+ul related posts" in Page("<h3>Related posts</h3><ul n=x><li>one</li></ul>").of("x")


def test_only_elements_without_a_name_are_known_by_their_place():
    page = Page("<p>a long first paragraph of more than eight words stands here</p><ul n=x><li><a>l</a></li></ul>")
    assert {"div.entry>ul", "div.entry>ul@1L", "div.entry>ul@-1L"} <= set(page.of("x"))
    assert not any(">" in sign for sign in Page("<ul class=y n=x><li>a</li></ul>").of("x"))


def test_places_deep_inside_an_article_are_not_known():
    page = Page("<p>a</p>" * 3 + "<p n=x>b</p>" + "<p>c</p>" * 3)
    assert not any("@" in sign for sign in page.of("x"))


def test_bare_text_behind_an_element_is_a_unit_of_its_own():
    units = Page("<i class=calendar></i> 3 May 2024<p>text</p>").units(foreign=False)
    assert [(unit.stop - unit.start, unit.signatures) for unit in units if unit.signatures[0].startswith("|")] == [
        (3, ("|i.calendar",)),
    ]


def test_bare_text_in_a_paragraph_is_text():
    assert not Page("<p><i class=calendar></i> 3 May 2024</p>").units(foreign=False)


def test_a_marker_with_all_that_follows_it_is_a_unit():
    page = Page("<p>text</p><h2 id=comments>Two comments</h2><p>first one</p><p>second one</p>")
    section = next(unit for unit in page.units(foreign=False) if "»h2#comments" in unit.signatures)
    assert section.stop - section.start == 6


def test_foreign_elements_are_units_with_all_their_signatures():
    page = Page("<p class=share n=x>Share</p>")
    assert any(unit.element == page.number("x") and "p.share" in unit.signatures for unit in page.units(foreign=True))
