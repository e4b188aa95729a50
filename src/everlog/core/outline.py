"""A page laid flat: its nodes in document order, with the stretch each one covers.

Written out, an element's text is a run of *segments*: its own text, then for every child that child's
segments and the tail behind it. Numbering the segments in document order makes every element an
interval, so that whatever can be counted per segment can be summed per element without walking the
tree again. Nothing here recurses: pages nested thousands deep are real.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from lxml.etree import _Element
    from numpy.typing import NDArray

# Their text is code, not words. (Comments and processing instructions are told by their tag.)
SILENT = frozenset({"script", "style"})


class Outline:
    """The nodes under `root` in document order; comments keep their place but have no text.

    >>> from lxml import etree
    >>> page = Outline(etree.fromstring("<div>a<b>c</b>d<!-- e -->f</div>"))
    >>> [segment for segment in page.segments if segment]
    ['a', 'c', 'd', 'f']
    >>> page.depth.tolist(), page.end.tolist()
    ([0, 1, 1], [3, 2, 3])
    """

    def __init__(self, root: _Element) -> None:
        self.elements: list[_Element] = list(root.iter())
        count = len(self.elements)
        ends, parents = _ends_and_parents(list(map(len, self.elements)))
        order = np.arange(count)
        self.end: NDArray[np.int64] = np.array(ends, dtype=np.int64)
        """The descendants of node i are i + 1 ... end[i] - 1."""
        self.parent: NDArray[np.int64] = np.array(parents, dtype=np.int64)
        """The place of each node's parent; the root is its own."""
        # A node lies inside another from the other's place + 1 up to its end.
        closing = np.bincount(self.end, minlength=count + 1)[:count]
        self.depth: NDArray[np.int64] = np.cumsum((order > 0) - closing)
        # Before a node's text come the texts of all earlier nodes, and the tails of those
        # among them that are closed: all but its ancestors. The same count places its tail.
        self.text_slot: NDArray[np.int64] = 2 * order - self.depth
        self.tail_slot: NDArray[np.int64] = 2 * self.end - self.depth - 1
        self.segments = self._segments()

    def _segments(self) -> list[str]:
        """All segments in document order, blank ones too."""
        segments = [""] * (2 * len(self.elements))
        places = zip(self.elements, self.text_slot.tolist(), self.tail_slot.tolist(), strict=True)
        for element, text_slot, tail_slot in places:
            tag = element.tag
            if isinstance(tag, str) and tag not in SILENT:
                segments[text_slot] = element.text or ""
            segments[tail_slot] = element.tail or ""
        segments[-1] = ""  # the tail of the root is not part of it
        return segments

    @cached_property
    def home(self) -> NDArray[np.int64]:
        """The node each segment belongs to: a tail is a part of the parent."""
        home = np.empty(2 * len(self.elements), dtype=np.int64)
        home[self.text_slot] = np.arange(len(self.elements))
        home[self.tail_slot] = self.parent
        return home

    @cached_property
    def places(self) -> dict[_Element, int]:
        """Where each node stands in document order."""
        return {element: place for place, element in enumerate(self.elements)}

    def ancestors(self, place: int) -> list[int]:
        """The node itself, its parent, and so on up to the root."""
        chain = [place]
        while chain[-1]:
            chain.append(int(self.parent[chain[-1]]))
        return chain

    def distances(self, place: int) -> NDArray[np.int64]:
        """The number of edges between one node and every node, in linear time.

        >>> from lxml import etree
        >>> Outline(etree.fromstring("<a><b><c/></b><d/></a>")).distances(2).tolist()
        [2, 1, 0, 3]
        """
        chain = self.ancestors(place)
        distances: NDArray[np.int64] = self.depth - self.depth[place]
        # Nodes meet the chosen one at the deepest of its ancestors that holds them. What an ancestor
        # holds beyond the next one lies before and after it: no node is written twice.
        for steps, ancestor in enumerate(chain[1:], start=1):
            inner = chain[steps - 1]
            for held in (slice(ancestor, inner), slice(self.end[inner], self.end[ancestor])):
                distances[held] += 2 * steps
        return distances


def _ends_and_parents(children: list[int]) -> tuple[list[int], list[int]]:
    """For each node in document order: one past its last descendant, and its parent."""
    count = len(children)
    ends = [0] * count
    parents = [0] * count
    for place in range(count - 1, -1, -1):
        end = place + 1
        for _ in range(children[place]):
            parents[end] = place
            end = ends[end]
        ends[place] = end
    return ends, parents


def has_text(node: _Element) -> bool:
    """Whether anything can be read in a node.

    >>> from lxml import etree
    >>> has_text(etree.fromstring("<p> <b> </b> </p>")), has_text(etree.fromstring("<p><b>.</b></p>"))
    (False, True)
    """
    for inner in node.iter():
        shown = isinstance(inner.tag, str) and inner.tag not in SILENT
        text = (inner.text or "") * shown + (inner.tail or "") * (inner is not node)
        if text and not text.isspace():
            return True
    return False
