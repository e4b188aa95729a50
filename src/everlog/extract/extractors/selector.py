"""Selector of an article: the place that was learned of a blog, or that a person set by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lxml import etree

from everlog.core.outline import has_text
from everlog.extract.article.picks import Pick
from everlog.extract.manual import elements_by_hand

if TYPE_CHECKING:
    from collections.abc import Sequence

    from everlog.core.rules import Rule
    from everlog.core.tree import Element
    from everlog.extract.extractors.diffpost import RepeatCounts
    from everlog.markup.view import View


def pick(view: View, rule: Rule, _: RepeatCounts | None) -> Pick | None:
    """The element that a learned selector points at."""
    return _as_pick(picked(view.found.get(rule.where, ()), rule.detail.get("pick", "first")))


def pick_by_hand(view: View, rule: Rule, _: RepeatCounts | None) -> Pick | None:
    """The element that a person's selector points at."""
    return _as_pick(picked(elements_by_hand(view, rule), "first"))


def picked(elements: Sequence[Element], which: str) -> Element | None:
    """The first element that shows text, or the one that shows most."""
    if not elements:
        return None
    if len(elements) == 1:
        return elements[0]
    if which == "largest":
        return max(elements, key=_length)
    return next((element for element in elements if has_text(element)), elements[0])


def _as_pick(element: Element | None) -> Pick | None:
    return None if element is None else Pick(element)


def _length(element: Element) -> int:
    return len(etree.tostring(element, method="text", encoding="utf-8", with_tail=False))
