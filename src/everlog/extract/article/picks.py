"""An article as any method finds it on one page: an element, and what inside it is no part of the article."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from everlog.core.outline import Outline
    from everlog.core.tree import Element


@dataclass(frozen=True, slots=True)
class Pick:
    """The element that holds an article, and the elements inside it that do not belong to it."""

    element: Element
    drops: tuple[Element, ...] = ()


def pick_of(outline: Outline, kept: NDArray[np.bool_]) -> Pick | None:
    """The smallest element around the segments that a method kept, less the elements in which it kept nothing.

    Elements without any text (pictures, rules) stay: methods that weigh text cannot tell of them.

    >>> from lxml import etree
    >>> from everlog.core.outline import Outline
    >>> page = Outline(etree.fromstring("<div><nav>menu</nav><div><p>one</p><b>ad</b><img/><p>two</p></div></div>"))
    >>> pick = pick_of(page, np.array([segment in ("one", "two") for segment in page.segments]))
    >>> pick.element.tag, [element.tag for element in pick.drops]
    ('div', ['b'])
    """
    wanted = np.flatnonzero(kept)
    if not len(wanted):
        return None
    first, last = int(wanted[0]), int(wanted[-1])
    # The deepest node whose stretch of segments holds both ends; the home of the first is inside it.
    holder = next(
        place for place in outline.ancestors(int(outline.home[first]))
        if outline.text_slot[place] <= first and last < outline.tail_slot[place]
    )
    spoken = np.array([bool(segment) and not segment.isspace() for segment in outline.segments], np.bool_)
    kept_in, spoken_in = _inside(outline, kept & spoken), _inside(outline, spoken)
    drops: list[Element] = []
    place, end = holder + 1, int(outline.end[holder])
    while place < end:
        node = outline.elements[place]
        if isinstance(node.tag, str) and spoken_in[place] and not kept_in[place]:
            drops.append(node)
            place = int(outline.end[place])
        else:
            place += 1
    return Pick(outline.elements[holder], tuple(drops))


def _inside(outline: Outline, marked: NDArray[np.bool_]) -> NDArray[np.int64]:
    """How many marked segments stand in each node."""
    sums = np.concatenate(([0], np.cumsum(marked)))
    counted: NDArray[np.int64] = sums[outline.tail_slot] - sums[outline.text_slot]
    return counted
