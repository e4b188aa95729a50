"""Training on the pages of a feed: what its texts teach about articles, and what the pages teach without them.

    feed-text   the feed holds whole articles: what of them stands on a page is its article
    excerpt     the feed holds their beginnings: the article is guessed from there on
    pages       the feed's texts say nothing of the article, or stand beside it: it is guessed from the pages alone

Knowing more must not make it worse. Where what the feed teaches is a small part of the pages, or what these state as
their descriptions, a run with the pages alone is made as well, and extractors that know of neither decide.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from everlog.extract.article.article_learn import Group, compete
from everlog.extract.article.descriptions import shown_descriptions, states_descriptions
from everlog.extract.article.excerpt import DESIGN_SHARE, common_sequences
from everlog.extract.article.marking import TrainingPage, mark_guesses, training_pages
from everlog.extract.extractors.extractor_selection import (
    PAGES_SCORED,
    agreement,
    alike,
    candidates,
    places_of_papers,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from everlog.core.layout import Vocabulary
    from everlog.extract.article.cuts_learn import Marked
    from everlog.extract.extractors.diffpost import RepeatCounts
    from everlog.extract.extractors.extractor_selection import ExtractorCandidate
    from everlog.extract.extractors.keypath import KeyPaths
    from everlog.extract.samples import Sample

# Pages with whole texts that suffice to learn from them alone.
ENOUGH_FULL = 3
# Of nodes that do nearly equally well on guessed articles, the tightest is the article's own.
NEARLY = 0.02
# Without any text of a feed the guess itself is weaker, and the agreement of the methods decides among more: 0.02 and
# 0.1 read 84 blogs alike (98.09 % strict), 0.1 reads more of a blog whose posts share most of their phrases.
NEARLY_AGREED = 0.1
# A guess that no node fits better than this is wrong. With cut feeds two of 84 blogs are below (0.66, 0.67),
# the next is at 0.83.
DOUBTFUL_GUESS = 0.7
# The run with the feed's texts is looked at again where it takes less than this of what a page says alone. Of 84 blogs
# without descriptions 8 are below; where a description is taken for the article, it is 0.04 at most on long posts.
SMALL_PART = 0.6
# The run with the pages alone is taken where the other extractors agree with it so much better. On 96 blogs the right
# run with a feed is behind by 0.07 at most, a wrong one by 0.34 at least.
MARGIN = 0.2
# Where the feed's texts are what the pages state as their descriptions, and print in a place of their own, the pages
# decide without a handicap; where that place was taken for the article's beginning, even if they are a little behind.
MARGIN_OF_DESCRIPTIONS = 0.0
MARGIN_OF_LEADS = -0.05
FULL_TEXTS = "feed-text"
PAGES = "pages"


@dataclass(slots=True)
class TrainingRun:
    """Ranked places of the article, learned from training pages that were marked in one way.

    `agreed` is how far other extractors agree, in [0, 1]; None where there was no reason to ask them.
    """

    method: str
    pages: list[TrainingPage]
    groups: list[Group]
    agreed: float | None = None

    def agreement(self, training: TrainingSet) -> float:
        """How far extractors that need no training agree with it, in [0, 1]; 1 if there are none."""
        if not self.groups or not training.witnesses:
            return float(bool(self.groups))
        places = {id(sample): place for place, sample in enumerate(training.samples[:PAGES_SCORED])}
        likeness = [
            alike(self.groups[0].kept(number, page.marked), witness.kept[place])
            for number, page in enumerate(self.pages)
            if (place := places.get(id(page.sample))) is not None
            for witness in training.witnesses
        ]
        return float(np.mean(likeness)) if likeness else 0.0


class TrainingSet:
    """The training pages of a blog, and all that is known when they are marked."""

    def __init__(
        self, samples: Sequence[Sample], vocabulary: Vocabulary, language: str | None, key_paths: KeyPaths,
        repeats: RepeatCounts,
    ) -> None:
        self.pages = training_pages(samples, vocabulary)
        self.key_paths = key_paths
        self.samples = samples
        self._vocabulary = vocabulary
        self._language = language
        self._repeats = repeats

    @cached_property
    def digits(self) -> NDArray[np.bool_]:
        """Which words of the vocabulary are numbers."""
        return np.array([word.isdigit() for word in self._vocabulary], np.bool_)

    @cached_property
    def witnesses(self) -> list[ExtractorCandidate]:
        """What methods that know nothing of the feed take for the articles."""
        return candidates(self.samples, self._repeats)

    def guessed(self, pages: list[TrainingPage], method: str) -> TrainingRun:
        """The run with articles that are guessed from all pages."""
        mark_guesses(pages, self._vocabulary, self._language)
        groups = ranked(pages, method, self.key_paths, lambda: self.witnesses)
        if groups and groups[0].score < DOUBTFUL_GUESS:
            mark_guesses(pages, self._vocabulary, self._language, trust_sequences=False)
            groups = ranked(pages, method, self.key_paths, lambda: self.witnesses)
        return TrainingRun(method, pages, groups)


def best_run(training: TrainingSet) -> TrainingRun:
    """What the feed teaches, unless the pages without its texts teach what other methods find more likely."""
    told = _by_feed(training)
    if told.method == PAGES:
        return told
    is_stated = states_descriptions(training.pages)
    if not (is_stated or _is_small(told, training)):
        return told
    shown = shown_descriptions(training.pages)
    alone = _by_pages(training, shown)
    told.agreed, alone.agreed = told.agreement(training), alone.agreement(training)
    if not alone.groups or alone.groups[0].score < DOUBTFUL_GUESS:
        return told
    margin = MARGIN
    if is_stated and any(node is not None for node in shown):
        margin = MARGIN_OF_DESCRIPTIONS if told.method == FULL_TEXTS else MARGIN_OF_LEADS
    return alone if alone.agreed - told.agreed > margin else told


def _by_feed(training: TrainingSet) -> TrainingRun:
    pages = training.pages
    method = _method(pages)
    if method != FULL_TEXTS:
        return training.guessed([replace(page) for page in pages], method)
    if sum(page.is_full for page in pages) >= ENOUGH_FULL:
        pages = [page for page in pages if page.is_full]
    return TrainingRun(method, pages, ranked(pages, method, training.key_paths))


def _by_pages(training: TrainingSet, shown: Sequence[int | None]) -> TrainingRun:
    """The feed's texts teach nothing here, but for where pages print them beside their articles."""
    alone = []
    for page, node in zip(training.pages, shown, strict=True):
        aside = page.marked.words_of(node) if node is not None else None
        alone.append(replace(page, found=np.zeros_like(page.found), start=None, aside=aside))
    return training.guessed(alone, PAGES)


def _is_small(run: TrainingRun, training: TrainingSet) -> bool:
    """Whether what a run takes for the articles is a small part of what most pages say and others do not."""
    if not run.groups:
        return True
    layouts = [page.sample.layout for page in run.pages]
    shared = common_sequences(layouts, training.digits, max(2, DESIGN_SHARE * len(layouts)))
    shares = []
    for number, (page, design) in enumerate(zip(run.pages, shared, strict=True)):
        kept = run.groups[0].kept(number, page.marked)
        shares.append(int(kept.sum()) / max(int((kept | ~design).sum()), 1))
    return float(np.median(np.array(shares))) < SMALL_PART


def _method(pages: Sequence[TrainingPage]) -> str:
    """What there is to learn from: the feed's whole texts, its excerpts, or nothing but the pages."""
    if not any(page.found.any() for page in pages):
        return PAGES
    return FULL_TEXTS if _has_full_texts(pages) else "excerpt"


def _has_full_texts(pages: Sequence[TrainingPage]) -> bool:
    full = sum(page.is_full for page in pages)
    broken_off = sum(page.is_broken_off for page in pages)
    return full * 2 >= len(pages) and broken_off * 2 <= len(pages)


def ranked(
    pages: Sequence[TrainingPage], method: str, key_paths: KeyPaths | None = None,
    others: Callable[[], list[ExtractorCandidate]] | None = None,
) -> list[Group]:
    """Places of the article, the best first."""
    marked = [page.marked for page in pages]
    extra_places = places_of_papers([page.sample for page in pages], key_paths) if key_paths is not None else []
    groups = compete(marked, [page.signatures for page in pages], extra_places, is_guessed=method != FULL_TEXTS)
    if method == FULL_TEXTS:
        return groups
    holding = [group for group in groups if _holds_starts(group, pages)]
    top = max((group.score for group in holding), default=0.0)
    is_told = any(page.aside is not None for page in pages)
    tolerance = NEARLY_AGREED if method == PAGES and not is_told else NEARLY
    near = [group for group in holding if group.score >= top - tolerance]
    near.sort(key=lambda group: _mean_size(group, marked))
    if method == PAGES and len(near) > 1 and others is not None:
        # Nobody says where the article begins: of places that do equally well, the one the other methods mean.
        asked = others()
        near.sort(key=lambda group: -round(_agreement(group, marked, asked), 2))
    return near + [group for group in groups if group not in near]


def _agreement(group: Group, marked: Sequence[Marked], others: Sequence[ExtractorCandidate]) -> float:
    return agreement([group.kept(number, page) for number, page in enumerate(marked)], others)


def _holds_starts(group: Group, pages: Sequence[TrainingPage]) -> bool:
    """Whether the excerpt begins inside the group's node on most pages."""
    held = 0
    for page, node in zip(pages, group.nodes, strict=True):
        layout = page.sample.layout
        held += page.start is None or (node is not None and layout.first[node] <= page.start < layout.last[node])
    return held * 2 >= len(pages)


def _mean_size(group: Group, marked: Sequence[Marked]) -> float:
    sizes = [page.sizes[node] for page, node in zip(marked, group.nodes, strict=True) if node is not None]
    return float(np.mean(sizes)) if sizes else 0.0
