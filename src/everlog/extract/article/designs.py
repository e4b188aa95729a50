"""The designs of a blog, learned from the pages of its feed: from full texts or from excerpts."""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING

from everlog.core.rules import Rule
from everlog.core.selectors import Finder
from everlog.core.signatures import HIDDEN
from everlog.extract.article.article_read import Design
from everlog.extract.article.marking import FULL, TrainingPage
from everlog.extract.article.training import FULL_TEXTS, TrainingSet, best_run, ranked
from everlog.extract.article.witnesses import DISAGREEMENT
from everlog.extract.calibration import STRICT, confidence
from everlog.extract.extractors.extractor_selection import candidates, scored, unscored

if TYPE_CHECKING:
    from collections.abc import Sequence

    from everlog.core.layout import Vocabulary
    from everlog.extract.article.article_learn import Group
    from everlog.extract.extractors.diffpost import RepeatCounts
    from everlog.extract.extractors.keypath import KeyPaths
    from everlog.extract.samples import Sample

# A design that reads less than this of what the feed says is none: the worst of 84 blogs is at 0.65.
LEAST_SCORE = 0.2
# Designs kept as fall-backs for pages on which the first finds nothing.
DESIGNS_KEPT = 4
# Pages on which the best design does worse than this are tried as a design of their own.
UNREAD = 0.5
# A method that needs no place reads first where it is so much better than all places by what the feed says. On 84
# blogs none is: the most is 0.007.
CLEARLY = 0.02
# Selectors that tell pages of a later design; a few are enough and cost nothing.
TELLS_KEPT = 5


def learn_designs(
    samples: Sequence[Sample], vocabulary: Vocabulary, language: str | None, key_paths: KeyPaths, repeats: RepeatCounts,
) -> tuple[Design, ...]:
    """The designs of the blog's posts, the best first; sets the article's node of every sample."""
    training = TrainingSet(samples, vocabulary, language, key_paths, repeats)
    run = best_run(training)
    pages, method = run.pages, run.method
    groups = [group for group in run.groups if group.score >= LEAST_SCORE]
    designs = [_doubted(_design(group, pages, method), run.agreed) for group in groups[:DESIGNS_KEPT]]
    designs += _designs_of_unread(pages, groups, method)
    _note_articles(pages, groups)
    best = max((design.score for design in designs), default=0.0)
    if method != FULL_TEXTS or best + CLEARLY >= 1.0:
        # A guess is a judge among places, not between places and methods; where it fits no place, it is wrong.
        # And where nothing can be clearly better, nobody needs to look.
        return (*designs, *(candidate.design() for candidate in unscored())) if designs else ()
    asked = candidates([page.sample for page in pages], repeats)
    found = [each for each in scored(asked, [page.marked for page in pages]) if each.score >= LEAST_SCORE]
    return _in_order(designs, [candidate.design() for candidate in found])


def _doubted(design: Design, agreed: float | None) -> Design:
    """A design is worth no more than other methods grant, where they mean something else."""
    if agreed is None or agreed >= DISAGREEMENT:
        return design
    return replace(design, confidence=round(min(design.confidence, agreed), 4))


def _in_order(learned: Sequence[Design], others: Sequence[Design]) -> tuple[Design, ...]:
    """Learned places first, unless another method reads the blog's own pages clearly better."""
    best = max((design.score for design in learned), default=0.0)
    first = [design for design in others if design.score > best + CLEARLY]
    return (*first, *learned, *(design for design in others if design not in first))


def _design(group: Group, pages: Sequence[TrainingPage], method: str, tells: Sequence[str] = ()) -> Design:
    evidence = group.evidence
    known = tuple(sorted(_names_inside(group, pages)))
    cuts, keeps = evidence.signatures() if evidence is not None and group.is_cutting else ((), ())
    if _hides_text(group, pages):
        keeps = (*keeps, HIDDEN)
    score = round(group.score, 4)
    right = sum(one >= STRICT for one in group.judged_scores)
    places = tuple(
        Rule(method=how, where=where, detail=MappingProxyType({"pick": pick}), confidence=score)
        for how, where, pick in sorted(group.places, key=_trust)
    )
    return Design(
        places=places,
        method=method,
        confidence=confidence(method, right, len(group.judged_scores)),
        score=score,
        right=right,
        judged=len(group.judged_scores),
        cuts=cuts,
        keeps=keeps,
        known=known,
        tells=tuple(tells),
        most=_most_matches(places[0], pages),
    )


def _hides_text(group: Group, pages: Sequence[TrainingPage]) -> bool:
    """Whether what the pages hide inside the article is mostly text of the feed: spoilers, tabs."""
    hidden = shared = 0
    for page, node in zip(pages, group.nodes, strict=True):
        if node is not None:
            inside = page.hidden & page.marked.words_of(node)
            hidden += int(inside.sum())
            shared += int((inside & page.marked.mask).sum())
    return shared * 2 > hidden


def _most_matches(place: Rule, pages: Sequence[TrainingPage]) -> int:
    if place.method != "selector":
        return 1
    finder = Finder([place.where])
    return max((len(finder.find(page.sample.view.root)[place.where]) for page in pages), default=1)


def _names_inside(group: Group, pages: Sequence[TrainingPage]) -> set[str]:
    """The names of all elements seen inside the article's node."""
    names: set[str] = set()
    for page, node in zip(pages, group.nodes, strict=True):
        if node is not None:
            layout = page.sample.layout
            names.update(name for own in layout.selectors[node + 1:layout.stop[node]] for name in own)
    return names


def _trust(place: tuple[str, str, str]) -> tuple[bool, bool, bool, int]:
    """Names before chains, single names before whole class lists, selectors before other methods."""
    method, where, pick = place
    return method != "selector", ">" in where, pick != "first", where.count(" ")


def _designs_of_unread(pages: Sequence[TrainingPage], groups: Sequence[Group], method: str) -> list[Design]:
    """Pages that the best design cannot read are another design: an older theme, link posts, galleries."""
    if not groups or method != FULL_TEXTS:
        return []
    scores = groups[0].judged_scores
    unread = [page for page, score in zip(pages, scores, strict=True) if score < UNREAD and page.is_full]
    read = [page for page, score in zip(pages, scores, strict=True) if score >= UNREAD]
    if not unread or not read:
        return []
    own = ranked(unread, method)
    if not own or own[0].score < FULL:
        return []
    return [_design(own[0], unread, method, _tells(unread, read))]


def _tells(these: Sequence[TrainingPage], others: Sequence[TrainingPage]) -> list[str]:
    """Selectors that all of these pages have and none of the others."""
    def names(page: TrainingPage) -> set[str]:
        return {name for own in page.sample.layout.selectors for name in own}

    shared = set.intersection(*map(names, these))
    for other in others:
        shared -= names(other)
    return sorted(shared, key=lambda name: (len(name), name))[:TELLS_KEPT]


def _note_articles(pages: Sequence[TrainingPage], groups: Sequence[Group]) -> None:
    if groups:
        for page, node in zip(pages, groups[0].nodes, strict=True):
            page.sample.article = node
            if node is not None:
                page.sample.view.article = page.sample.layout.elements[node]
