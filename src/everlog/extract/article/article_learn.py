"""Where the article stands: selectors, key-path and the paper's rule compete over the feed's pages.

Every candidate is judged by the node it picks on each page, with the cuts that the *other* pages
teach. The ranking stays as the order of fall-backs.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from everlog.extract.article.cuts_learn import PIECES, Evidence, Marked, Table, f1

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from everlog.core.signatures import Signatures

# Nodes this much worse than a page's best still name selectors that may be better on the whole.
NEAR_BEST = 0.3
# Nodes looked at on each page, and groups of selectors judged with cuts: with 3, 4, 5 or 8 groups
# the accuracy is the same; a group that is far behind the best only costs time.
NODES_A_PAGE = 12
GROUPS_JUDGED = 4
FAR_BEHIND = 0.3
# A node that needs cuts is a little less sure than one that is clean as it is.
PRICE_OF_CUTS = 0.01
# Cuts that gain less than this on the pages they were not learned from are not worth their risk.
LEAST_GAIN = 0.001
# A node that is this like the truth on every page holds nothing worth a cut.
CLEAN = 0.99
Place = tuple[str, str, str]
"""Method, where, and which of several matches: the first or the largest."""


@dataclass(slots=True)
class Group:
    """Places that pick the same node on every page, and how well that node does."""

    places: list[Place]
    nodes: tuple[int | None, ...]
    likeness: float = 0.0
    scores: list[float] = field(default_factory=list)
    bare_scores: list[float] = field(default_factory=list)
    evidence: Evidence | None = None
    is_cutting: bool = False

    @property
    def judged_scores(self) -> list[float]:
        """The score of every page, judged by what the others teach."""
        return self.scores if self.is_cutting else self.bare_scores

    @property
    def score(self) -> float:
        """The mean over the pages."""
        return float(np.mean(self.judged_scores)) if self.judged_scores else 0.0

    def kept(self, number: int, page: Marked) -> NDArray[np.bool_]:
        """The words of a page that are its article, with the cuts that all pages teach."""
        node = self.nodes[number]
        if node is None:
            return np.zeros(len(page.mask), np.bool_)
        if self.evidence is None or not self.is_cutting:
            return page.words_of(node)
        return self.evidence.kept(number, *self.evidence.decide())


def compete(
    pages: Sequence[Marked],
    signatures: Sequence[Signatures],
    extra_places: Sequence[tuple[Place, tuple[int | None, ...]]] = (),
    *,
    is_guessed: bool = False,
) -> list[Group]:
    """Groups of places, the best first. `extra_places` are places of other methods with their nodes.

    `is_guessed` says that the marks are a guess: cuts then need more pages as evidence.
    """
    dices = [page.dice() for page in pages]
    wanted = _wanted(pages, dices, signatures)
    groups = _groups(pages, dices, _index(pages, signatures, wanted))
    for place, nodes in extra_places:
        if all(node is None or page.layout.tags[node] not in PIECES for page, node in zip(pages, nodes, strict=True)):
            _join(groups, place, nodes, dices)
    ranked = sorted(groups.values(), key=lambda group: -group.likeness)[:GROUPS_JUDGED]
    ranked = [group for group in ranked if group.likeness >= ranked[0].likeness - FAR_BEHIND]
    for group in ranked:
        group.bare_scores = [
            f1(page.words_of(node), page) if node is not None else 0.0
            for page, node in zip(pages, group.nodes, strict=True)
        ]
    ranked.sort(key=lambda group: -group.score)
    if ranked and min(ranked[0].bare_scores) >= CLEAN:
        return ranked
    outer = [_outermost(page, [group.nodes[n] for group in ranked]) for n, page in enumerate(pages)]
    table = Table(pages, signatures, outer)
    for group in ranked:
        _judge(group, pages, Evidence(table, group.nodes, is_guessed=is_guessed))
    return sorted(ranked, key=lambda group: -(group.score - PRICE_OF_CUTS * group.is_cutting))


def _judge(group: Group, pages: Sequence[Marked], evidence: Evidence) -> None:
    """Scores a group's node on every page, with the cuts that the other pages teach and without."""
    group.evidence = evidence
    group.scores = []
    for number, (page, node) in enumerate(zip(pages, group.nodes, strict=True)):
        if node is None:
            group.scores.append(0.0)
            continue
        # One page alone must teach itself.
        cut, keep = evidence.decide(without=number if len(pages) > 1 else None)
        group.scores.append(f1(evidence.kept(number, cut, keep), page))
    gain = float(np.mean(group.scores)) - float(np.mean(group.bare_scores))
    group.is_cutting = gain > LEAST_GAIN


def _wanted(
    pages: Sequence[Marked], dices: Sequence[NDArray[np.float64]], signatures: Sequence[Signatures],
) -> set[str]:
    """The selectors of the best nodes of all pages."""
    wanted: set[str] = set()
    for page, dice, signs in zip(pages, dices, signatures, strict=True):
        fit = page.containers
        best = dice[fit].max(initial=0.0)
        near = np.flatnonzero((dice >= best - NEAR_BEST) & fit)
        for node in near[np.argsort(-dice[near], kind="stable")][:NODES_A_PAGE].tolist():
            wanted.update(page.layout.selectors[node])
            wanted.add(signs.chain(node))
    return wanted


def _index(
    pages: Sequence[Marked], signatures: Sequence[Signatures], wanted: set[str],
) -> list[dict[str, list[int]]]:
    """The nodes of every wanted selector on every page."""
    chain_ends = {selector.rsplit(">", 1)[-1] for selector in wanted}
    index = []
    for page, signs in zip(pages, signatures, strict=True):
        places: dict[str, list[int]] = {}
        for node, own in enumerate(page.layout.selectors):
            for selector in own:
                if selector in wanted:
                    places.setdefault(selector, []).append(node)
            if page.layout.tags[node] in chain_ends and (chain := signs.chain(node)) in wanted and chain not in own:
                places.setdefault(chain, []).append(node)
        index.append(places)
    return index


def _groups(
    pages: Sequence[Marked], dices: Sequence[NDArray[np.float64]], index: Sequence[dict[str, list[int]]],
) -> dict[tuple[int | None, ...], Group]:
    groups: dict[tuple[int | None, ...], Group] = {}
    for selector in dict.fromkeys(selector for places in index for selector in places):
        for name, choose in (("first", _first), ("largest", _largest)):
            nodes = tuple(choose(page, places.get(selector)) for page, places in zip(pages, index, strict=True))
            _join(groups, ("selector", selector, name), nodes, dices)
    return groups


def _join(
    groups: dict[tuple[int | None, ...], Group], place: Place,
    nodes: tuple[int | None, ...], dices: Sequence[NDArray[np.float64]],
) -> None:
    if sum(node is not None for node in nodes) * 2 < len(nodes):
        return
    group = groups.get(nodes)
    if group is None:
        likeness = [dice[node] if node is not None else 0.0 for dice, node in zip(dices, nodes, strict=True)]
        groups[nodes] = Group([place], nodes, float(np.mean(likeness)))
    elif all(known[1] != place[1] for known in group.places):
        group.places.append(place)


def _first(page: Marked, nodes: list[int] | None) -> int | None:
    return next((node for node in nodes if page.sizes[node]), nodes[0]) if nodes else None


def _largest(page: Marked, nodes: list[int] | None) -> int | None:
    return max(nodes, key=lambda node: (page.sizes[node], -node)) if nodes else None


def _outermost(page: Marked, nodes: Sequence[int | None]) -> int | None:
    """The innermost element around all nodes."""
    inside = [node for node in nodes if node is not None]
    if not inside:
        return None
    top, stop = min(inside), max(int(page.layout.stop[node]) for node in inside)
    while page.layout.stop[top] < stop:
        top = int(page.layout.parent[top])
    return top
