"""Every way to find an article, behind one interface: a rule goes in, a pick comes out.

    manual                      what a person set by hand: the place of the article
    selector, xpath, key-path   what was learned of the blog: the same
    repeats                     DiffPost: what other pages of the blog do not say
    lines                       the statistical extractor: lines that read like an article
    metadata                    what the page itself calls its article

The last three need no feed, and read pages of designs that nobody has seen. A further method is a function and a
line in `_METHODS`; `everlog.extract.extractors.extractor_selection` judges all of them on the blog's own pages.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
from lxml import etree

from everlog.core.outline import has_text
from everlog.core.rules import MANUAL
from everlog.core.similarity import NodeBigrams
from everlog.core.tree import Element
from everlog.extract.article.picks import Pick
from everlog.extract.extractors.keypath import KeyPath, first_with_text
from everlog.extract.manual import elements_by_hand

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from everlog.core.outline import Outline
    from everlog.core.rules import Rule
    from everlog.extract.extractors.diffpost import RepeatCounts
    from everlog.markup.view import View

# How a page says in its markup that an element is its article: schema.org's and microformats' words.
_SAID = etree.XPath(
    "//*[@itemprop='articleBody' or @property='articleBody'"
    " or contains(concat(' ', normalize-space(@class), ' '), ' e-content ')]"
)
# A text of JSON-LD is the article of the element that is this like it. Reasoned: such texts lack markup, captions and
# sometimes their end, but an element with half of its bigrams from elsewhere is a frame. Nine of 84 blogs state any.
LIKE_LINKED_DATA = 0.8


def pick_at(view: View, rule: Rule, repeats: RepeatCounts | None = None) -> Pick | None:
    """The article that a rule finds on a page."""
    method = _METHODS.get(rule.method)
    if method is not None:
        return method(view, repeats)
    element = element_at(view, rule)
    return None if element is None else Pick(element)


def is_placed(rule: Rule) -> bool:
    """Whether a rule points at a place, which cuts can be learned for."""
    return rule.method not in _METHODS


def element_at(view: View, rule: Rule) -> Element | None:
    """The element a rule of an article points at."""
    if rule.method == MANUAL:
        return picked(elements_by_hand(view, rule), "first")
    if rule.method == "selector":
        return picked(view.found.get(rule.where, ()), rule.detail.get("pick", "first"))
    if rule.method == "key-path":
        return first_with_text(view.root, _key_path(rule.where))
    matches = _xpath(rule.where)(view.root)
    return next((match for match in matches if isinstance(match, Element)), None) if isinstance(matches, list) else None


def picked(elements: Sequence[Element], pick: str) -> Element | None:
    """The first element that shows text, or the one that shows most."""
    if not elements:
        return None
    if len(elements) == 1:
        return elements[0]
    if pick == "largest":
        return max(elements, key=_length)
    return next((element for element in elements if has_text(element)), elements[0])


def _by_lines(view: View, _: RepeatCounts | None) -> Pick | None:
    from everlog.extract.extractors.line_classifier import find_article  # noqa: PLC0415 - few pages need it

    return find_article(view.outline)


def _by_repeats(view: View, repeats: RepeatCounts | None) -> Pick | None:
    from everlog.extract.extractors.diffpost import find_article  # noqa: PLC0415 - few pages need it

    return find_article(view.outline, repeats) if repeats is not None else None


def _by_metadata(view: View, _: RepeatCounts | None) -> Pick | None:
    """The element that the page calls its article, or the one that says what its linked data says."""
    said = [element for element in _SAID(view.root) if isinstance(element, Element)]  # type: ignore[union-attr]
    # A page that says it several times is a list.
    if len(said) == 1 and has_text(said[0]):
        return Pick(said[0])
    text = next((body for node in view.json_ld if isinstance(body := node.get("articleBody"), str)), "")
    return _like(view.outline, text) if text.strip() else None


def _like(outline: Outline, text: str) -> Pick | None:
    scores = NodeBigrams(outline).score([text])[0]
    best = int(np.argmax(scores))
    return Pick(outline.elements[best]) if scores[best] >= LIKE_LINKED_DATA else None


_METHODS: dict[str, Callable[[View, RepeatCounts | None], Pick | None]] = {
    "repeats": _by_repeats, "lines": _by_lines, "metadata": _by_metadata,
}
FEEDLESS = tuple(_METHODS)
"""The methods that need no place to be learned, those that read best first."""


def _length(element: Element) -> int:
    return len(etree.tostring(element, method="text", encoding="utf-8", with_tail=False))


@lru_cache(maxsize=512)
def _key_path(text: str) -> KeyPath:
    return KeyPath.parse(text)


@lru_cache(maxsize=512)
def _xpath(expression: str) -> etree.XPath:
    return etree.XPath(expression)
