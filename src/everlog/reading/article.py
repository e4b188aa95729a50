"""Finding the article of a page with what was learned of the blog's designs."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from lxml import etree

from everlog.keypaths import KeyPath, first_with_text, has_text
from everlog.reading.cutting import Cutter
from everlog.rules import Ranked, Rule
from everlog.tree import Element

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from everlog.reading.view import View


@dataclass(frozen=True, slots=True, kw_only=True)
class Design:
    """One way in which the blog lays out its posts.

    `places` point at the article's element, the best first; `cuts` are the signatures of what is
    not article inside it, `keeps` names that protect from vague cuts, `known` all names seen there.
    `tells` are selectors found on pages of this design only. `method` says how it was learned.
    `most` is how many elements its first place matched at most on one page.
    """

    places: Ranked
    method: str
    confidence: float
    cuts: tuple[str, ...] = ()
    keeps: tuple[str, ...] = ()
    known: tuple[str, ...] = ()
    tells: tuple[str, ...] = ()
    most: int = 1

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return {
            "places": [rule.to_dict() for rule in self.places],
            "method": self.method,
            "confidence": self.confidence,
            "cuts": list(self.cuts),
            "keeps": list(self.keeps),
            "known": list(self.known),
            "tells": list(self.tells),
            "most": self.most,
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Design:
        """The design that `to_dict` wrote."""
        return cls(
            places=tuple(map(Rule.from_dict, data["places"])),
            method=str(data["method"]),
            confidence=float(data["confidence"]),
            most=int(data["most"]),
            **{name: tuple(map(str, data[name])) for name in ("cuts", "keeps", "known", "tells")},
        )

    def selectors(self) -> Iterator[str]:
        """The selectors that must be looked up on a page."""
        yield from self.tells
        yield from (rule.where for rule in self.places if rule.method == "selector")


@dataclass(frozen=True, slots=True)
class Found:
    """An article's element, the rule that found it and the cutter of its design."""

    element: Element
    rule: Rule
    design: Design
    cutter: Cutter


class ArticleFinder:
    """The designs of a blog, ready for use on many pages."""

    def __init__(self, designs: Sequence[Design]) -> None:
        self._designs = [(design, Cutter(design.cuts, design.keeps, design.known)) for design in designs]
        self._told = [pair for pair in self._designs if pair[0].tells]

    def find(self, view: View) -> Iterator[Found]:
        """The articles that the designs find, the most trusted first."""
        told = [pair for pair in self._told if any(view.found[tell] for tell in pair[0].tells)]
        for design, cutter in (*told, *self._designs):
            for rule in design.places:
                element = element_at(view, rule)
                if element is not None:
                    yield Found(element, rule, design, cutter)


def element_at(view: View, rule: Rule) -> Element | None:
    """The element a rule of an article points at."""
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


def _length(element: Element) -> int:
    return len(etree.tostring(element, method="text", encoding="utf-8", with_tail=False))


@lru_cache(maxsize=512)
def _key_path(text: str) -> KeyPath:
    return KeyPath.parse(text)


@lru_cache(maxsize=512)
def _xpath(expression: str) -> etree.XPath:
    return etree.XPath(expression)
