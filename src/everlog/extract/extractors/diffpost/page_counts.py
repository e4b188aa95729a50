"""How many pages of a blog bore which pieces: what cleaning needs to know of the other pages."""

from __future__ import annotations

from base64 import b64decode, b64encode
from binascii import Error as NotBase64
from dataclasses import dataclass
from itertools import compress
from typing import TYPE_CHECKING, Any

import numpy as np

from everlog.extract.extractors.diffpost.units import Units

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from numpy.typing import NDArray

    from everlog.core.outline import Outline
    from everlog.extract.extractors.diffpost.fingerprints import Prints
    from everlog.extract.extractors.diffpost.units import Flags

# Figures: noise left in pages and content stripped from them, in per cent of words; 75 blogs, 568 posts.
# Pages that are counted; a page more, and half of what is known is forgotten. With 3, 5, 10, 20 pages 7.7, 7.6, 7.7,
# 7.3 % noise are left.
MOST_PAGES = 20
# What is seen on two pages is noise where there are so many to choose from: with 7 pages one is enough (noise left
# 7.5 %, content stripped 3.1 %; asking for two 7.8 and 2.8 %), with 10 pages one strips too much (7.4 and 3.3 %;
# two 7.7 and 3.0 %).
ENOUGH_FOR_TWO = 8
# A page that alone repeats more than this of what is left shows the same post at another address. Without link
# lists being cut, 5 pages strip 1.1 % of the content without this rule and 0.8 % with it (3,136 posts); at 0.3, 0.5
# and 0.7 it is the same to 0.04 points.
COPIED = 0.5
# Twenty pages of the same 75 blogs have 1,404 pieces in the median and 3,826 in 19 of 20 blogs, most of them seen
# once; what was seen twice are 136, and 489 at most.
MOST_PRINTS = 4096
# Some seventeen pages of the usual 470 elements: enough that numpy's cost per call does not matter any more.
BATCH_ELEMENTS = 8000
# So many of a fingerprint's 64 bits are left off where only its beginning is looked at.
_FIRST_BITS = np.uint64(48)


@dataclass(frozen=True, slots=True, kw_only=True)
class RepeatCounts:
    """The fingerprints of pieces on some pages of a blog, and the number of pages each was on.

    A value like any other: equal if it knows the same, and of bounded size however many pages it saw.

    >>> from lxml import etree
    >>> from everlog.core.outline import Outline
    >>> pages = [Outline(etree.fromstring(f"<div><p>Menu</p><p>{text}</p></div>")) for text in ("one", "two")]
    >>> known = RepeatCounts.learn(pages)
    >>> len(known.pages), RepeatCounts.from_dict(known.to_dict()) == known
    (2, True)
    """

    pages: tuple[int, ...] = ()
    """Fingerprints of the pages that were counted, the last one last."""
    prints: bytes = b""
    """Sorted, eight bytes each."""
    counts: bytes = b""
    """One byte each."""

    @classmethod
    def learn(cls, outlines: Iterable[Outline]) -> RepeatCounts:
        """What the pages have in common. A page that is there twice counts once."""
        repeats = cls()
        for few in in_batches(outlines):
            repeats = repeats.with_units(Units(*few))
        return repeats

    def with_units(self, units: Units) -> RepeatCounts:
        """The same with some pages more, taken apart already; a page that is known already changes nothing."""
        repeats = self._with_all(units)
        if repeats is not None:
            return repeats
        repeats = self
        for place, page in enumerate(units.pages.tolist()):
            if page not in repeats.pages:
                repeats = repeats._with(page, np.unique(units.prints[units.owner == place]))
        return repeats

    def _with_all(self, units: Units) -> RepeatCounts | None:
        """All pages at once, which is faster; None if there are so many that something has to be forgotten."""
        pages = units.pages.tolist()
        is_new = np.array([page not in self.pages and page not in pages[:place] for place, page in enumerate(pages)])
        chosen = is_new[units.owner]
        old = len(self.counts)
        known, places = np.unique(np.concatenate((self._prints, units.prints[chosen])), return_inverse=True)
        if len(self.pages) + is_new.sum() > MOST_PAGES or len(known) > MOST_PRINTS:
            return None
        # A page bears a piece or does not: how often makes no difference.
        borne = np.unique(places[old:] * len(pages) + units.owner[chosen]) // len(pages)
        total = np.bincount(borne, minlength=len(known)).astype(np.uint8)
        total[places[:old]] += self._counts
        return _bounded((*self.pages, *compress(pages, is_new)), known, total, least=1)

    def _with(self, page: int, prints: Prints) -> RepeatCounts:
        pages, known, counts = self.pages, self._prints, self._counts
        if len(pages) >= MOST_PAGES:
            pages, counts = pages[len(pages) // 2:], counts // 2
        known, places = np.unique(np.concatenate((known, prints)), return_inverse=True)
        total = np.bincount(places, np.concatenate((counts, np.ones(len(prints)))), len(known))
        return _bounded((*pages, page), known, total.astype(np.uint8), least=1)

    def compact(self) -> RepeatCounts:
        """Without what was seen on one page only: enough to clean with, once no more pages are to come.

        As long as one page is enough to call a piece repeated, nothing can be left out.
        """
        if len(self.pages) <= ENOUGH_FOR_TWO:
            return self
        return _bounded(self.pages, self._prints, self._counts, least=2)

    def is_repeated(self, units: Units, *, share: float = 0.0) -> Flags:
        """Marks the pieces of a page that enough of the other pages bore too, and at least that share of them.

        The page itself does not count: if it was learned from, it is known by its fingerprint.
        """
        own = np.isin(units.pages, np.array(self.pages, np.uint64))
        others = len(self.pages) - own
        if not self.prints:
            return np.zeros(len(units.prints), np.bool_)
        counts = self._times(units.prints) - own[units.owner]
        least = np.maximum(least_pages(others), np.ceil(share * others))
        repeated: Flags = counts >= least[units.owner]
        doubtful = (least == 1) & (others > 1)
        if doubtful.any():
            copied = doubtful & _is_copied(units, repeated, counts > 1)
            repeated &= (counts > 1) | ~copied[units.owner]
        return repeated

    def _times(self, asked: Prints) -> NDArray[np.int64]:
        """How many pages bore each of the asked pieces."""
        known = self._prints
        # Most pieces of a page are its own: their first bits spare them the search.
        begins = np.zeros(1 << (64 - _FIRST_BITS), np.bool_)
        begins[known >> _FIRST_BITS] = True
        likely = begins[asked >> _FIRST_BITS].nonzero()[0]
        places = known.searchsorted(asked[likely]).clip(max=len(known) - 1)
        times = np.zeros(len(asked), np.int64)
        times[likely] = self._counts[places] * (known[places] == asked[likely])
        return times

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "pages": [f"{page:016x}" for page in self.pages],
            "prints": b64encode(self.prints).decode("ascii"),
            "counts": b64encode(self.counts).decode("ascii"),
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> RepeatCounts:
        """What `to_dict` wrote; nothing is known from what cannot be read.

        >>> RepeatCounts.from_dict({"pages": ["x"]}) == RepeatCounts()
        True
        """
        try:
            pages = tuple(int(page, 16) for page in data["pages"])
            prints, counts = (b64decode(data[name], validate=True) for name in ("prints", "counts"))
        except (KeyError, TypeError, ValueError, NotBase64):
            return cls()
        known = cls(pages=pages, prints=prints, counts=counts)
        is_whole = len(prints) == 8 * len(counts) and (known._prints[1:] > known._prints[:-1]).all()
        return known if is_whole and all(0 <= page < 1 << 64 for page in pages) else cls()

    @property
    def _prints(self) -> Prints:
        return np.frombuffer(self.prints, "<u8").astype(np.uint64, copy=False)

    @property
    def _counts(self) -> NDArray[np.uint8]:
        return np.frombuffer(self.counts, np.uint8)


def least_pages(others: NDArray[np.int64]) -> NDArray[np.int64]:
    """On how many of the other pages a piece must stand to be noise.

    >>> least_pages(np.array([0, 1, 7, 8, 20])).tolist()
    [1, 1, 1, 2, 2]
    """
    return np.where(others < ENOUGH_FOR_TWO, 1, 2)


def in_batches(outlines: Iterable[Outline]) -> Iterator[list[Outline]]:
    """Some pages at a time, so that memory does not grow with their number."""
    few: list[Outline] = []
    size = 0
    for outline in outlines:
        few.append(outline)
        size += len(outline.elements)
        if size >= BATCH_ELEMENTS:
            yield few
            few, size = [], 0
    if few:
        yield few


def _is_copied(units: Units, repeated: Flags, surely: Flags) -> Flags:
    """Which pages have a copy among the others: it repeats most of what no second one does."""
    owner, count = units.owner[units.runs], len(units.pages)
    left = np.bincount(owner, units.letters * ~surely[units.runs], count)
    once = np.bincount(owner, units.letters * (repeated & ~surely)[units.runs], count)
    copied: Flags = once > COPIED * left
    return copied


def _bounded(pages: tuple[int, ...], prints: Prints, counts: NDArray[np.uint8], *, least: int) -> RepeatCounts:
    kept = np.flatnonzero(counts >= least)
    if len(kept) > MOST_PRINTS:
        commonest = np.argsort(-counts[kept].astype(np.int64), kind="stable")[:MOST_PRINTS]
        kept = np.sort(kept[commonest])
    return RepeatCounts(pages=pages, prints=prints[kept].astype("<u8").tobytes(), counts=counts[kept].tobytes())
