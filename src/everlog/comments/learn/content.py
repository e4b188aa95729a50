"""Where a blog's comments keep their text: selectors compete in explaining the comments of the feeds.

A rule that finds fewer elements on a page than the feed has comments there scores nothing. The others
score the heaviest matching between what they find and what the feed says. What stands in the elements
and never in the feed ("Reply", "Ada says") is learned as a cut, and the best are scored again without it.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from lxml import etree

from everlog.comments.learn.element_names import chain_of, names_of, plainness
from everlog.core.matching import heaviest_matching
from everlog.core.similarity import bigram_set
from everlog.core.tree import INVISIBLE, Element
from everlog.core.words import words

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence

    from numpy.typing import NDArray

    from everlog.comments.learn.comment_samples import CommentSample
    from everlog.records import Comment

# Elements less alike than this share of the best one hold several comments, or a part of one.
_NEAR_THE_BEST = 0.5
# Selectors that are looked at, and those among them whose cuts are learned: each costs a walk over
# every comment.
_MOST_NAMES = 60
_MOST_CUT = 8
# A name is cut if what it names is mostly not in the feed: a commenter's name may stand in the text.
_SHARE_TO_CUT = 0.8
# A rule that finds fewer elements than this share of the feed's comments scores nothing. Not all of them:
# what another blog quoted may stand in the page by chance.
_SHARE_TO_FIND = 0.75
# Elements of the page that are compared for each comment of the feed.
_NEAREST = 3


class Content(NamedTuple):
    """A rule for the text: `selector` finds it, `whole` says that bare text in it belongs to the comment."""

    selector: str
    whole: bool = True
    cuts: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The selector of what holds the text itself."""
        return self.selector if self.whole else f"{self.selector} > *"


class Judged(NamedTuple):
    """A rule with its score on each sample, in [0, 1], what each sample weighs, and how many elements it found."""

    content: Content
    scores: tuple[float, ...]
    weights: tuple[int, ...]
    found: int

    @property
    def score(self) -> float:
        """The mean over the feeds' comments."""
        return self._sum() / max(1, sum(self.weights))

    def score_without(self, place: int) -> float:
        """The same without one of the samples."""
        rest = self._sum() - self.scores[place] * self.weights[place]
        return rest / max(1, sum(self.weights) - self.weights[place])

    def _sum(self) -> float:
        return sum(score * weight for score, weight in zip(self.scores, self.weights, strict=True))


def learn_content(samples: Sequence[CommentSample]) -> list[Judged]:
    """The rules for the comments' text, the best first."""
    told = [sample for sample in samples if sample.targets]
    rough = sorted((_judge_roughly(name, samples) for name in _candidates(told)), key=_worth, reverse=True)
    judged = []
    for rule in [rule for rule in rough if rule.score > 0][:_MOST_CUT]:
        cuts = _learn_cuts(rule.content, told)
        judged += [judge_content(rule.content._replace(whole=whole, cuts=cuts), samples) for whole in (True, False)]
    return sorted((rule for rule in judged if rule.score > 0), key=_worth, reverse=True)


def judge_content(content: Content, samples: Sequence[CommentSample]) -> Judged:
    """The rule's score on every sample, its cuts applied."""
    return _judged(content, samples, lambda sample: [likeness for _, _, likeness in matched(content, sample)])


def _judged(
    content: Content, samples: Sequence[CommentSample], likeness_of: Callable[[CommentSample], list[float]]
) -> Judged:
    scores, weights = [], []
    found = 0
    for sample in samples:
        count = len(sample.page.all(content.selector))
        found += count
        scores.append(_score(likeness_of(sample) if count else [], count, sample))
        # A page without comments shows only what a rule must not find.
        weights.append(len(sample.targets) or min(1, count))
    return Judged(content, tuple(scores), tuple(weights), found)


def matched(content: Content, sample: CommentSample) -> list[tuple[Element, Comment, float]]:
    """The elements that hold the sample's comments, each with its comment and how alike they are."""
    elements = sample.page.all(content.selector)
    if not elements or not sample.targets:
        return []
    rough = _likeness(sample, elements)
    near = np.unique(np.argpartition(-rough, min(_NEAREST, len(elements)) - 1, axis=1)[:, :_NEAREST])
    stops = {*elements, *(element for cut in content.cuts for element in sample.page.all(cut))}
    texts = {int(at): bigram_set(_text(elements[at], stops, whole=content.whole)) for at in near}
    weights = np.zeros(rough.shape)
    for row, wanted in enumerate(sample.bigrams):
        for at, have in texts.items():
            weights[row, at] = 2 * len(wanted & have) / max(1, len(wanted) + len(have))
    return [
        (elements[at], sample.targets[row], float(weights[row, at])) for row, at in heaviest_matching(weights)
    ]


def _likeness(sample: CommentSample, elements: Sequence[Element]) -> NDArray[np.float64]:
    places = sample.outline.places
    return sample.likeness[:, [places[element] for element in elements]]


def _candidates(told: Sequence[CommentSample]) -> list[str]:
    """The names of elements that are about as alike to a comment as any, those that explain most first.

    Of names that mean the same elements on all pages only the plainest is kept.
    """
    worth: dict[str, float] = defaultdict(float)
    for sample in told:
        for row in sample.likeness:
            best: dict[str, float] = {}
            for at in np.flatnonzero(row >= _NEAR_THE_BEST * row.max()):
                element = sample.outline.elements[at]
                if element.tag in {"html", "body"} or not isinstance(element.tag, str):
                    continue
                for name in (*names_of(element), chain_of(element)):
                    if name and row[at] > best.get(name, 0.0):
                        best[name] = float(row[at])
            for name, value in best.items():
                worth[name] += value
    distinct: dict[tuple[int, ...], str] = {}
    for name, _ in Counter(worth).most_common(_MOST_NAMES):
        meant = tuple(id(element) for sample in told for element in sample.page.all(name))
        distinct[meant] = max(name, distinct.get(meant, name), key=plainness)
    return list(distinct.values())


def _judge_roughly(name: str, samples: Sequence[CommentSample]) -> Judged:
    """The score of a selector from the likeness of whole elements, which is known already."""

    def likeness_of(sample: CommentSample) -> list[float]:
        likeness = _likeness(sample, sample.page.all(name))
        return [float(likeness[pair]) for pair in heaviest_matching(likeness)]

    return _judged(Content(name), samples, likeness_of)


def _score(pairs: Sequence[float], found: int, sample: CommentSample) -> float:
    """The mean likeness of the pairs, less where more was found than the feed knows and the feed knows all."""
    if not sample.targets or found < _SHARE_TO_FIND * len(sample.targets):
        return 0.0
    recall = sum(pairs) / len(sample.targets)
    if sample.is_cut or not pairs:
        return recall
    spare = max(0, found - len(pairs) - sample.untold)
    return recall * len(pairs) / (len(pairs) + spare)


def _worth(judged: Judged) -> tuple[float | int | bool, ...]:
    # Equal to the hundredth: the rule that needs no cuts, then the one that finds less beside the comments.
    content = judged.content
    return (
        round(judged.score, 2), content.whole, not content.cuts, -judged.found, -len(content.cuts),
        *plainness(content.selector),
    )


def _learn_cuts(content: Content, told: Sequence[CommentSample]) -> tuple[str, ...]:
    """The names of what stands inside the text's element and is not of the text."""
    votes: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    walks = [walk for sample in told for walk in _walks(content, sample)]
    for element, spoken, stops in walks:
        for inner, is_foreign in _votes(element, spoken, stops):
            for name in _cut_names(inner, element):
                votes[name][is_foreign] += 1
    cut = {name for name, (own, foreign) in votes.items() if foreign >= _SHARE_TO_CUT * (own + foreign)}
    chosen: dict[str, None] = {}
    for element, _, stops in walks:
        walk = etree.iterwalk(element, events=("start",))
        for _, inner in walk:
            if inner is element:
                continue
            names = [name for name in _cut_names(inner, element) if name in cut]
            if names or inner in stops or inner.tag in INVISIBLE:
                walk.skip_subtree()
            if names:
                chosen[max(names, key=lambda name: (votes[name][1], plainness(name)))] = None
    return tuple(chosen)


def _walks(content: Content, sample: CommentSample) -> Iterator[tuple[Element, str, Collection[Element]]]:
    """The elements that hold comments, each with the comment's words and the elements that are others'."""
    elements = sample.page.all(content.selector)
    stops = set(elements)
    for row, at in heaviest_matching(_likeness(sample, elements)) if elements else ():
        yield elements[at], sample.spoken[row], stops


def _cut_names(inner: Element, element: Element) -> Iterator[str]:
    names = names_of(inner)
    yield from names
    if not names and (chain := chain_of(inner, element)):
        yield chain


def _votes(element: Element, spoken: str, stops: Collection[Element]) -> Iterator[tuple[Element, bool]]:
    """The elements inside a comment's, each with whether its words are foreign to the comment's text."""
    open_elements: list[tuple[Element, list[int]]] = []
    walk = etree.iterwalk(element, events=("start", "end"))
    for event, inner in walk:
        if event == "start":
            if inner is not element and (inner in stops or inner.tag in INVISIBLE):
                walk.skip_subtree()
            open_elements.append((inner, [0, 0]))
            _count(inner.text if inner.tag not in INVISIBLE else None, spoken, open_elements[-1][1])
            continue
        _, (own, foreign) = open_elements.pop()
        if not open_elements:
            return
        if own + foreign and inner not in stops:
            # Words of the text beside others: what holds both is no cut.
            yield inner, own == 0
        outer = open_elements[-1][1]
        if inner not in stops:
            outer[0] += own
            outer[1] += foreign
        _count(inner.tail, spoken, outer)


def _count(text: str | None, spoken: str, tally: list[int]) -> None:
    if text and not text.isspace() and (said := " ".join(words(text))):
        tally[f" {said} " not in spoken] += len(said)


def _text(element: Element, stops: Collection[Element], *, whole: bool) -> str:
    """The text of an element without what it must not hold and, unless it is whole, without its bare text."""
    pieces = []
    walk = etree.iterwalk(element, events=("start", "end"))
    for event, inner in walk:
        if event == "start":
            if inner is not element and (inner in stops or inner.tag in INVISIBLE):
                walk.skip_subtree()
            elif inner.text and (whole or inner is not element):
                pieces.append(inner.text)
        elif inner is not element and inner.tail and (whole or inner.getparent() is not element):
            pieces.append(inner.tail)
    return " ".join(pieces)
