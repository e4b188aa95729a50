"""A page as lines of text, as a design writes it, however its source is broken.

A source line of a page that people wrote holds a paragraph, a menu entry, a heading. Machines write the
same page in one line, or every paragraph in ten. So a line ends here where the markup ends one: at the
edges of block elements.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import compress
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from everlog.extract.extractors.line_classifier.characters import BLANK, CHARACTER, KINDS, kinds_of
from everlog.extract.extractors.line_classifier.line_markup import BIT, SURROUNDINGS, WIDE, read_markup, too_wide

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from everlog.core.outline import Outline

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]
    Bools = NDArray[np.bool_]

_Number = TypeVar("_Number", np.int64, np.float64)
_PLACES = np.arange(len(SURROUNDINGS))


@dataclass(frozen=True, slots=True, kw_only=True)
class Lines:
    """The lines of a page that show text, in document order: a row for each."""

    first: Ints
    """The segment in which a line begins."""
    holder: Ints
    """The block element in which it begins."""
    source: Floats
    """|T|: characters of text and markup."""
    shown: Floats
    """|O|: characters a reader sees, blanks left out. One of a script without spaces counts as two."""
    linked: Floats
    """Those of them inside links."""
    links: Floats
    """|L|"""
    images: Floats
    """|I|"""
    kinds: Ints
    """How many characters of each kind."""
    inside: Ints
    """What it stands in: 1 for each of the SURROUNDINGS, or 0."""
    of_segment: Ints
    """For each segment of the outline, its line; -1 if it shows nothing."""
    above: Ints
    """For each element of the page, the nearest block element above it."""
    start: Ints
    """For each element, the first line that begins inside."""
    stop: Ints
    """For each element, one past the last of them."""

    def __len__(self) -> int:
        return len(self.first)


def lines_of(outline: Outline) -> Lines:
    """The lines of a page.

    >>> from everlog.core.outline import Outline
    >>> from everlog.core.tree import parse
    >>> page = Outline(parse(b"<h1>Sea</h1><div>One <a href=/>two</a><br>three<p>four<img></p></div>"))
    >>> lines = lines_of(page)
    >>> lines.shown.tolist(), lines.linked.tolist(), lines.links.tolist(), lines.images.tolist()
    ([3.0, 11.0, 4.0], [0.0, 3.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0])
    """
    bits, sizes = read_markup(outline.elements)
    own = np.array(bits, np.int64)
    held, nearest = _inherited(bits, outline.parent.tolist())
    around = held[outline.home]
    visible = (around & BIT["invisible"]) == 0
    places, kinds = _characters(outline, visible)

    raw = _raw_lines(outline, (own & BIT["block"]) > 0)
    # Segments of one line stand side by side.
    fresh = np.diff(raw[places], prepend=-1) > 0
    first, starts = places[fresh], np.flatnonzero(fresh)
    count = len(first)
    known = np.full(int(raw[-1]) + 1, -1, np.int64)
    known[raw[first]] = np.arange(count)
    of_segment = np.where(visible, known[raw], -1)

    weighed = (kinds.sum(axis=1) + kinds[:, CHARACTER]).astype(np.float64)
    shown, linked = _added(weighed, starts), _added(weighed * ((around[places] & BIT["link"]) > 0), starts)
    begun = np.zeros(len(around) + 1, np.int64)
    begun[first + 1] = 1
    begun = np.cumsum(begun)
    start, stop = begun[outline.text_slot], begun[outline.tail_slot]
    if _narrowed(bits, shown, start, stop):
        around = _inherited(bits, outline.parent.tolist())[0][outline.home]
    home = of_segment[outline.text_slot]
    stands = home >= 0
    home, own = home[stands], own[stands]
    return Lines(
        first=first, holder=nearest[outline.home[first]],
        source=shown + np.bincount(home, np.array(sizes)[stands], count), shown=shown, linked=linked,
        links=_counted(home, own & BIT["link"], count), images=_counted(home, own & BIT["image"], count),
        kinds=_added(kinds, starts), inside=(around[first][:, None] >> _PLACES) & 1,
        of_segment=of_segment, above=nearest[outline.parent], start=start, stop=stop,
    )


def _inherited(bits: list[int], parents: list[int]) -> tuple[Ints, Ints]:
    """The bits of each element and of all that hold it; and the block that is or holds it, the root if none does."""
    held, nearest, block = bits.copy(), list(range(len(bits))), BIT["block"]
    for place, parent in enumerate(parents):
        if not bits[place] & block:
            nearest[place] = nearest[parent]
        held[place] |= held[parent]
    return np.array(held, np.int64), np.array(nearest, np.int64)


def _characters(outline: Outline, visible: Bools) -> tuple[Ints, Ints]:
    """The segments that a reader sees something of, and how many characters of each kind they have."""
    segments = list(compress(outline.segments, visible.tolist()))
    lengths = np.fromiter(map(len, segments), np.int64, len(segments))
    keys = np.repeat(np.arange(0, KINDS * len(segments), KINDS), lengths) + kinds_of("".join(segments))
    counts = np.bincount(keys, minlength=KINDS * len(segments)).reshape(-1, KINDS)
    counts[:, BLANK] = 0
    spoken = counts.any(axis=1)
    return np.flatnonzero(visible)[spoken], counts[spoken]


def _narrowed(bits: list[int], shown: Floats, start: Ints, stop: Ints) -> bool:
    """Takes from elements what they hold too much of the page for; whether there were any."""
    sums = np.concatenate(([0.0], np.cumsum(shown)))
    inside = sums[stop] - sums[start]
    changed = False
    for place in np.flatnonzero(inside > WIDE * sums[-1]).tolist():
        undeserved = bits[place] & too_wide(float(inside[place] / sums[-1]))
        bits[place] ^= undeserved
        changed = changed or undeserved > 0
    return changed


def _raw_lines(outline: Outline, is_block: Bools) -> Ints:
    """The line of each segment, lines without text counted too."""
    edges = np.zeros(len(outline.segments), np.int64)
    edges[outline.text_slot[is_block]] = 1
    edges[outline.tail_slot[is_block]] = 1
    raw: Ints = np.cumsum(edges)
    return raw


def _added(values: NDArray[_Number], starts: Ints) -> NDArray[_Number]:
    """Sums of the rows from each start to the next."""
    summed: NDArray[_Number] = np.add.reduceat(values, starts, axis=0) if len(starts) else values[:0]
    return summed


def _counted(home: Ints, has: Ints, count: int) -> Floats:
    """How many of the elements that begin in each line have a bit."""
    return np.bincount(home[has > 0], minlength=count).astype(np.float64)
