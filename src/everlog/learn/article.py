"""Where the article stands: selectors compete over all pages of the feed, each with its cuts."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from everlog.learn.cuts import Evidence, Marked, Table, f1
from everlog.signatures import Signatures

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from everlog.layout import Layout

# Nodes this much worse than a page's best still name selectors that may be better on the whole.
NEAR_BEST = 0.3
# Nodes looked at on each page, and groups of selectors judged with cuts.
NODES_A_PAGE = 12
GROUPS_JUDGED = 8
# A node that needs cuts is a little less sure than one that is clean as it is.
PRICE_OF_CUTS = 0.01


@dataclass(slots=True)
class Group:
    """Selectors that pick the same node on every page, and how well that node does."""

    selectors: dict[str, str]
    nodes: tuple[int | None, ...]
    plain: float = 0.0
    scores: list[float] = field(default_factory=list)
    bare_scores: list[float] = field(default_factory=list)
    evidence: Evidence | None = None
    cutting: bool = False

    @property
    def score(self) -> float:
        scores = self.scores if self.cutting else self.bare_scores
        return float(np.mean(scores)) if scores else 0.0


def compete(pages: Sequence[Marked], signatures: Sequence[Signatures]) -> tuple[list[Group], Table]:
    """Groups of selectors, the best first, and the table their cuts come from."""
    dices = [page.dice() for page in pages]
    wanted = _wanted(pages, dices, signatures)
    groups = _groups(pages, dices, _index(pages, signatures, wanted))
    groups.sort(key=lambda group: -group.plain)
    groups = groups[:GROUPS_JUDGED]
    outer = [_outermost(pages[row], [g.nodes[row] for g in groups]) for row in range(len(pages))]
    table = Table(pages, signatures, outer)
    for group in groups:
        judge(group, pages, table)
    groups.sort(key=lambda group: -(group.score - PRICE_OF_CUTS * group.cutting))
    return groups, table


def judge(group: Group, pages: Sequence[Marked], table: Table) -> None:
    """Scores a group's node on every page, with the cuts that the other pages teach and without."""
    group.evidence = Evidence(table, group.nodes)
    for row, (page, node) in enumerate(zip(pages, group.nodes, strict=True)):
        if node is None:
            group.scores.append(0.0)
            group.bare_scores.append(0.0)
            continue
        group.bare_scores.append(f1(page.words_of(node), page))
        cut, keep = group.evidence.decide(without=row)
        group.scores.append(f1(group.evidence.kept(row, cut, keep), page))
    group.cutting = float(np.mean(group.scores)) > float(np.mean(group.bare_scores)) + 0.001


# An article is never one paragraph: a node like this as the best answer means that the feed holds
# an excerpt.
PIECES = frozenset(
    "p li h1 h2 h3 h4 h5 h6 blockquote span a em strong b i font title label code q cite".split()
)


def containers(layout: Layout) -> NDArray[np.bool_]:
    """Marks the elements that may hold an article."""
    return np.array([tag not in PIECES for tag in layout.tags], np.bool_)


def _wanted(pages, dices, signatures) -> set[str]:
    wanted: set[str] = set()
    for page, dice, signs in zip(pages, dices, signatures, strict=True):
        best = dice[containers(page.layout)].max(initial=0.0)
        near = np.flatnonzero((dice >= best - NEAR_BEST) & containers(page.layout))
        near = near[np.argsort(-dice[near], kind="stable")][:NODES_A_PAGE]
        for node in near.tolist():
            wanted.update(page.layout.selectors[node])
            wanted.add(signs.chain(node))
    return wanted


def _index(pages, signatures, wanted) -> list[dict[str, list[int]]]:
    chain_tags = {s.rsplit(">", 1)[-1] for s in wanted if ">" in s or s in ("body", "html")}
    index = []
    for page, signs in zip(pages, signatures, strict=True):
        places: dict[str, list[int]] = {}
        for node, own in enumerate(page.layout.selectors):
            for selector in own:
                if selector in wanted:
                    places.setdefault(selector, []).append(node)
            if page.layout.tags[node] in chain_tags:
                chain = signs.chain(node)
                if chain in wanted:
                    places.setdefault(chain, []).append(node)
        index.append(places)
    return index


def _groups(pages, dices, index) -> list[Group]:
    groups: dict[tuple[int | None, ...], Group] = {}
    for selector in dict.fromkeys(s for places in index for s in places):
        for pick in ("first", "largest"):
            nodes = tuple(_pick(places.get(selector), page, pick) for page, places in zip(pages, index, strict=True))
            if sum(n is not None for n in nodes) * 2 < len(pages):
                continue
            known = groups.get(nodes)
            if known is None:
                mean = float(np.mean([d[n] if n is not None else 0.0 for d, n in zip(dices, nodes, strict=True)]))
                groups[nodes] = Group({selector: pick}, nodes, mean)
            else:
                known.selectors.setdefault(selector, pick)
    return list(groups.values())


def _pick(nodes, page, pick) -> int | None:
    if not nodes:
        return None
    if pick == "first":
        return next((n for n in nodes if page.sizes[n]), nodes[0])
    return max(nodes, key=lambda n: (page.sizes[n], -n))


def _outermost(page: Marked, nodes: Sequence[int | None]) -> int | None:
    inside = [n for n in nodes if n is not None]
    if not inside:
        return None
    top, stop = min(inside), max(int(page.layout.stop[n]) for n in inside)
    while page.layout.stop[top] < stop:
        top = int(page.layout.parent[top])
    return top
