"""Finding the article of a page with what was learned of the blog's designs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from everlog.core.rules import Ranked, Rule  # noqa: TC001 - the codec asks for the types of fields
from everlog.extract.extractors.extractor import pick_at
from everlog.markup.cutting import Cutter
from everlog.records.codec import decode, encode

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from everlog.extract.article.picks import Pick
    from everlog.extract.extractors.diffpost import RepeatCounts
    from everlog.markup.view import View


@dataclass(frozen=True, slots=True, kw_only=True)
class Design:
    """One way in which the blog lays out its posts.

    `places` point at the article's element, the best first; `cuts` are the signatures of what is
    not article inside it, `keeps` names that protect from vague cuts, `known` all names seen there.
    `tells` are selectors found on pages of this design only. `method` says how it was learned.
    `most` is how many elements its first place matched at most on one page. `score` is its mean likeness to the
    truth on the blog's own pages, of which `right` of `judged` were read strictly right; `confidence` is the
    chance that another page is.
    """

    places: Ranked
    method: str
    confidence: float
    score: float = 0.0
    right: int = 0
    judged: int = 0
    cuts: tuple[str, ...] = ()
    keeps: tuple[str, ...] = ()
    known: tuple[str, ...] = ()
    tells: tuple[str, ...] = ()
    most: int = 1

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return encode(self)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Design:
        """The design that `to_dict` wrote."""
        # Templates of before had nothing but the score, and called it confidence.
        return decode(cls, {"score": data["confidence"], **data})

    def selectors(self) -> Iterator[str]:
        """The selectors that must be looked up on a page."""
        yield from self.tells
        yield from (rule.where for rule in self.places if rule.method == "selector")


@dataclass(frozen=True, slots=True)
class Found:
    """An article, the rule that found it and the cutter of its design."""

    pick: Pick
    rule: Rule
    design: Design
    cutter: Cutter


class ArticleFinder:
    """The designs of a blog, ready for use on many pages."""

    def __init__(self, designs: Sequence[Design], repeats: RepeatCounts | None = None) -> None:
        self._repeats = repeats
        self._designs = [(design, Cutter(design.cuts, design.keeps, design.known)) for design in designs]
        self._told = [pair for pair in self._designs if pair[0].tells]

    def find(self, view: View) -> Iterator[Found]:
        """The articles that the designs find, the most trusted first."""
        told = [pair for pair in self._told if any(view.found[tell] for tell in pair[0].tells)]
        for design, cutter in (*told, *self._designs):
            for rule in design.places:
                pick = pick_at(view, rule, self._repeats)
                if pick is not None:
                    yield Found(pick, rule, design, cutter)
