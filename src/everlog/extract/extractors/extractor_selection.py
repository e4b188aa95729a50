"""Methods that need no learned place, judged on the blog's own pages like any rule.

With a feed the judge is the feed's text; without one it is what the methods agree on. The best of all reads the
blog, the others wait for pages on which it finds nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from everlog.core.rules import Rule
from everlog.extract.article.article_read import Design
from everlog.extract.article.cuts_learn import f1
from everlog.extract.calibration import STRICT, confidence
from everlog.extract.extractors.diffpost import RepeatCounts
from everlog.extract.extractors.methods import FEEDLESS, pick_at

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from everlog.core.layout import Layout
    from everlog.extract.article.cuts_learn import Marked
    from everlog.extract.article.picks import Pick
    from everlog.extract.samples import Sample

    Bools = NDArray[np.bool_]

# Pages on which the methods are tried: lines cost as much as two parses a page. Not tuned.
PAGES_JUDGED = 6


@dataclass(frozen=True, slots=True, eq=False)
class ExtractorCandidate:
    """A method, the words it takes for the article on each of the pages judged, and their likeness to the truth."""

    rule: Rule
    kept: tuple[Bools, ...]
    scores: tuple[float, ...] = ()

    @property
    def score(self) -> float:
        """The mean over the pages."""
        return float(np.mean(self.scores)) if self.scores else 0.0

    def design(self) -> Design:
        """The method as a design of the blog."""
        right = sum(score >= STRICT for score in self.scores)
        score = round(self.score, 4)
        return Design(
            places=(replace(self.rule, confidence=score if self.scores else None),), method=self.rule.method,
            score=score, right=right, judged=len(self.scores),
            confidence=confidence(self.rule.method, right, len(self.scores)),
        )


def what_repeats(samples: Sequence[Sample]) -> RepeatCounts:
    """What the pages have in common."""
    return RepeatCounts.learn(sample.layout.outline for sample in samples)


def rivals(samples: Sequence[Sample], repeats: RepeatCounts) -> list[ExtractorCandidate]:
    """What each method takes for the article. A page does not count among those it is compared with."""
    found = []
    for method in FEEDLESS:
        rule = Rule(method=method, where=method)
        picks = [pick_at(sample.view, rule, repeats) for sample in samples[:PAGES_JUDGED]]
        if sum(pick is not None for pick in picks) * 2 > len(picks):
            kept = tuple(kept_words(sample.layout, pick) for sample, pick in zip(samples, picks, strict=False))
            found.append(ExtractorCandidate(rule, kept))
    return found


def unjudged() -> list[ExtractorCandidate]:
    """The methods in the order of what they are worth on other blogs, where none could be better than a place."""
    return [ExtractorCandidate(Rule(method=method, where=method), ()) for method in FEEDLESS]


def kept_words(layout: Layout, pick: Pick | None) -> Bools:
    """Marks the words of a page that a pick keeps."""
    kept = np.zeros(len(layout.words), np.bool_)
    place = layout.number(pick.element) if pick is not None else None
    if pick is None or place is None:
        return kept
    kept[layout.first[place]:layout.last[place]] = True
    for element in pick.drops:
        dropped = layout.number(element)
        if dropped is not None:
            kept[layout.first[dropped]:layout.last[dropped]] = False
    return kept


def judged(found: Sequence[ExtractorCandidate], pages: Sequence[Marked]) -> list[ExtractorCandidate]:
    """The methods with their likeness to the truth of the pages, the best first."""
    scored = [
        replace(one, scores=tuple(f1(kept, page) for kept, page in zip(one.kept, pages, strict=False)))
        for one in found
    ]
    return sorted(scored, key=lambda rival: -rival.score)


def agreement(kept: Sequence[Bools], others: Sequence[ExtractorCandidate]) -> float:
    """How far the methods agree with one answer, in [0, 1]: the mean likeness of theirs to it."""
    likeness = [alike(mine, its) for other in others for mine, its in zip(kept, other.kept, strict=False)]
    return float(np.mean(likeness)) if likeness else 0.0


def alike(a: Bools, b: Bools) -> float:
    """The F1 of two answers for one page."""
    total = int(a.sum()) + int(b.sum())
    return 2 * int((a & b).sum()) / total if total else 1.0
