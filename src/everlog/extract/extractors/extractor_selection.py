"""Extractor selection: which extractor reads a blog, by how each does on the blog's own pages.

With a feed the truth is the feed's text; without one it is what the extractors agree on. The best of all reads the
blog, the others wait for pages on which it finds nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from everlog.core.rules import Rule
from everlog.extract.article.article_read import Design
from everlog.extract.article.cuts_learn import Marked, f1
from everlog.extract.calibration import STRICT, confidence
from everlog.extract.extractors.blogforever import best_rule, first_match
from everlog.extract.extractors.diffpost import RepeatCounts
from everlog.extract.extractors.extractor import FEEDLESS, pick_at
from everlog.extract.extractors.keypath import KeyPaths, PathSample, first_with_text

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from everlog.core.layout import Layout
    from everlog.core.tree import Element
    from everlog.extract.article.article_learn import Place
    from everlog.extract.article.picks import Pick
    from everlog.extract.samples import Sample

    Bools = NDArray[np.bool_]
    Nodes = tuple[int | None, ...]

# The most frequent best rule of five pages is that of ten on 82 of 85 sets of pages.
PAGES_OF_PAPER_RULE = 5
# Pages on which the extractors are tried: lines cost as much as two parses a page. Not tuned.
PAGES_SCORED = 6


@dataclass(frozen=True, slots=True, eq=False)
class ExtractorCandidate:
    """An extractor, the words it takes for the article on each of the pages, and their likeness to the truth."""

    rule: Rule
    kept: tuple[Bools, ...]
    scores: tuple[float, ...] = ()

    @property
    def score(self) -> float:
        """The mean over the pages."""
        return float(np.mean(self.scores)) if self.scores else 0.0

    def design(self) -> Design:
        """The extractor as a design of the blog."""
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


def candidates(samples: Sequence[Sample], repeats: RepeatCounts) -> list[ExtractorCandidate]:
    """What each extractor takes for the article. A page does not count among those it is compared with."""
    found = []
    for method in FEEDLESS:
        rule = Rule(method=method, where=method)
        picks = [pick_at(sample.view, rule, repeats) for sample in samples[:PAGES_SCORED]]
        if sum(pick is not None for pick in picks) * 2 > len(picks):
            kept = tuple(kept_words(sample.layout, pick) for sample, pick in zip(samples, picks, strict=False))
            found.append(ExtractorCandidate(rule, kept))
    return found


def unscored() -> list[ExtractorCandidate]:
    """The extractors in the order of what they are worth on other blogs, where none could be better than a place."""
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


def scored(found: Sequence[ExtractorCandidate], pages: Sequence[Marked]) -> list[ExtractorCandidate]:
    """The candidates with their likeness to the truth of the pages, the best first."""
    all_scored = [
        replace(one, scores=tuple(f1(kept, page) for kept, page in zip(one.kept, pages, strict=False)))
        for one in found
    ]
    return sorted(all_scored, key=lambda candidate: -candidate.score)


def agreement(kept: Sequence[Bools], others: Sequence[ExtractorCandidate]) -> float:
    """How far the extractors agree with one answer, in [0, 1]: the mean likeness of theirs to it."""
    likeness = [alike(mine, its) for other in others for mine, its in zip(kept, other.kept, strict=False)]
    return float(np.mean(likeness)) if likeness else 0.0


def alike(a: Bools, b: Bools) -> float:
    """The F1 of two answers for one page."""
    total = int(a.sum()) + int(b.sum())
    return 2 * int((a & b).sum()) / total if total else 1.0


def places_of_papers(samples: Sequence[Sample], key_paths: KeyPaths) -> list[tuple[Place, Nodes]]:
    """The places that the BlogForever rule and the key-path name, with the node each picks on every page.

    Both are learned as their papers say, and then scored like any selector: docs/internals/how-it-works.md.
    """
    found: list[tuple[Place, Nodes]] = []
    taught = [(sample.layout.outline, sample.text) for sample in samples[:PAGES_OF_PAPER_RULE]]
    rule = best_rule(taught)
    if rule is not None:
        found.append((("xpath", rule, "first"), _nodes(samples, lambda root: first_match(root, rule))))
    path = key_paths.content
    if path is not None:
        found.append((("key-path", str(path), "first"), _nodes(samples, lambda root: first_with_text(root, path))))
    return found


def path_samples(samples: Sequence[Sample]) -> list[PathSample]:
    """The samples as the key-path learner takes them."""
    return [
        PathSample(
            root=sample.view.root, title=sample.entry.title, content=sample.text or None,
            authors=sample.entry.authors, tags=sample.entry.tags,
        )
        for sample in samples
    ]


def _nodes(samples: Sequence[Sample], find: Callable[[Element], Element | None]) -> Nodes:
    nodes: list[int | None] = []
    for sample in samples:
        element = find(sample.view.root)
        nodes.append(None if element is None else sample.layout.number(element))
    return tuple(nodes)
