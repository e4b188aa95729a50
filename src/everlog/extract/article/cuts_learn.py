"""Cuts: which pieces inside the article's node are never part of the article.

For every signature it is counted how often its pieces hold words of the truth and how often
none. What is (nearly) always foreign is cut on other pages too. Pages are judged with what the
other pages teach, so a cut that eats articles shows before it is used.
"""

from __future__ import annotations

from dataclasses import dataclass
from operator import attrgetter
from typing import TYPE_CHECKING

import numpy as np

from everlog.core.signatures import NAME, Signatures, Unit, Wanted, kind_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from everlog.core.layout import Ints, Layout

    Bools = NDArray[np.bool_]

# An article is never one paragraph: a node like this as the best answer means that the feed holds
# an excerpt.
PIECES = frozenset("p li h1 h2 h3 h4 h5 h6 blockquote span a em strong b i font title label code q cite".split())
# A piece is foreign when at most this share of its words is in the truth.
FOREIGN = 0.2
# A signature is cut when this share of its pieces is foreign. With full texts the result is flat from
# 0.6 to 0.95; where the truth is guessed, 0.6 costs 0.9 points of strict (benchmarks/crossvalidate.py).
CUT_SHARE = 0.8
# Where the truth is guessed, a cut must show on this share of the pages: with a name, and without.
NAMED_SHARE = 0.2
NAMELESS_SHARE = 0.5
# A specific name whose pieces are mostly article protects them from vaguer names.
KEEP_SHARE = 0.5


@dataclass(slots=True, kw_only=True)
class Marked:
    """A page with its truth: `mask` marks the article's words, `total` is how many the truth has.

    `inside` and `sizes` count the truth's words and all words of every element; `containers` marks
    the elements that may hold an article.
    """

    layout: Layout
    mask: Bools
    total: int
    inside: Ints
    sizes: Ints
    sums: Ints
    containers: Bools

    @classmethod
    def make(cls, layout: Layout, mask: Bools, total: int) -> Marked:
        """Counts the truth's words in every element."""
        sums = prefix_sums(mask)
        # Of enormous pages words are marked without regard to how often the truth has them.
        total = max(total, int(sums[-1]))
        return cls(
            layout=layout, mask=mask, total=total, sums=sums,
            inside=sums[layout.last] - sums[layout.first], sizes=layout.sizes(),
            containers=np.array([tag not in PIECES for tag in layout.tags], np.bool_),
        )

    def dice(self) -> NDArray[np.float64]:
        """Every element's likeness to the truth, in [0, 1]."""
        result: NDArray[np.float64] = 2 * self.inside / np.maximum(self.sizes + self.total, 1)
        return result

    def words_of(self, node: int) -> Bools:
        """Marks all words of an element."""
        words = np.zeros(len(self.mask), np.bool_)
        words[self.layout.first[node]:self.layout.last[node]] = True
        return words


def prefix_sums(mask: Bools) -> Ints:
    """Sums of all beginnings of a mask, so that any stretch is one subtraction."""
    sums: Ints = np.concatenate((np.zeros(1, np.int32), np.cumsum(mask, dtype=np.int32)))
    return sums


class Table:
    """The units below a node of each page, as arrays: a row for every signature of every unit."""

    def __init__(self, pages: Sequence[Marked], signatures: Sequence[Signatures], outer: Sequence[int | None]) -> None:
        self.pages = pages
        self.numbers: dict[str, int] = {}
        foreign = [(page.inside <= FOREIGN * page.sizes) & (page.sizes > 0) for page in pages]
        units = [
            list(signs.foreign_units(top, mask)) if top is not None else []
            for signs, top, mask in zip(signatures, outer, foreign, strict=True)
        ]
        # Only what some foreign piece shows can become a cut; the others are asked for that alone.
        wanted = Wanted(frozenset(sign for page in units for unit in page for sign in unit.signatures))
        self.rows: list[Rows] = []
        for page, signs, top, mask, found in zip(pages, signatures, outer, foreign, units, strict=True):
            others = signs.other_units(top, mask, wanted) if top is not None else ()
            every = [*found, *(unit for unit in others if _counts(unit, page.mask))]
            self.rows.append(self._rows(sorted(every, key=attrgetter("element"))))
        self.kinds: Ints = np.array([kind_of(s) for s in self.numbers], np.int32)

    def _rows(self, units: Sequence[Unit]) -> Rows:
        numbers = self.numbers
        counts = np.array([len(unit.signatures) for unit in units], np.int32)
        ids = [numbers.setdefault(sign, len(numbers)) for unit in units for sign in unit.signatures]
        lead = np.zeros(len(ids), np.bool_)
        lead[(np.cumsum(counts) - counts)[counts > 0]] = True

        def spread(values: list[int]) -> Ints:
            return np.repeat(np.array(values, np.int32), counts)

        return Rows(
            element=spread([unit.element for unit in units]), start=spread([unit.start for unit in units]),
            stop=spread([unit.stop for unit in units]), ids=np.array(ids, np.int32),
            unit=spread(list(range(len(units)))), lead=lead,
        )

    def below(self, page: int, top: int) -> Rows:
        """The rows of a page for units below `top`."""
        rows = self.rows[page]
        a, b = np.searchsorted(rows.element, [top + 1, self.pages[page].layout.stop[top]]).tolist()
        return Rows(
            element=rows.element[a:b], start=rows.start[a:b], stop=rows.stop[a:b],
            ids=rows.ids[a:b], unit=rows.unit[a:b], lead=rows.lead[a:b],
        )


@dataclass(slots=True, kw_only=True)
class Rows:
    """Signatures of units as parallel arrays; `lead` marks the most specific signature of a unit."""

    element: Ints
    start: Ints
    stop: Ints
    ids: Ints
    unit: Ints
    lead: Bools


def _counts(unit: Unit, mask: Bools) -> bool:
    """Whether a unit says something: it has words, or is a sign amid words of the article.

    Highlighted code puts every dot and bracket into an element of its own. Without counting
    these, two foreign words in such elements would cut all dots out of the code.
    """
    place = unit.start
    return place < unit.stop or bool(0 < place < len(mask) and mask[place - 1] and mask[place])


class Evidence:
    """What the pages teach about the signatures below one node of each."""

    def __init__(self, table: Table, tops: Sequence[int | None], *, is_guessed: bool = False) -> None:
        self.table = table
        self.tops = tops
        self.is_guessed = is_guessed
        self.rows = [table.below(n, top) if top is not None else None for n, top in enumerate(tops)]
        width = len(table.numbers)
        self.seen = np.zeros((len(tops), width), np.int32)
        self.foreign = np.zeros_like(self.seen)
        self.chosen = np.zeros(width, np.bool_)
        self._choose()

    def _choose(self) -> None:
        """Counts kind by kind; a later kind sees only what the kinds before it do not cut."""
        pages = self.table.pages
        left = [page.words_of(top) if top is not None else None for page, top in zip(pages, self.tops, strict=True)]
        width = len(self.table.numbers)
        for kind in np.unique(self.table.kinds).tolist():
            of_kind = self.table.kinds == kind
            for n, rows in enumerate(self.rows):
                words = left[n]
                if rows is None or words is None:
                    continue
                page = pages[n]
                sums = prefix_sums(words)
                size = rows.stop - rows.start
                remains = (sums[rows.stop] - sums[rows.start] > 0) | (size == 0)
                counted = of_kind[rows.ids] & remains
                foreign = counted & (size > 0) & (page.sums[rows.stop] - page.sums[rows.start] <= FOREIGN * size)
                self.seen[n] += np.bincount(rows.ids[counted], minlength=width).astype(np.int32)
                self.foreign[n] += np.bincount(rows.ids[foreign], minlength=width).astype(np.int32)
            cut, keep = self.decide()
            cut &= of_kind
            if not cut.any():
                continue
            self.chosen |= cut
            for n, words in enumerate(left):
                if words is not None:
                    left[n] = words & self.kept(n, cut, keep)

    def decide(self, without: int | None = None) -> tuple[Bools, Bools]:
        """Which signatures to cut, and which to keep, as all pages (or all but one) teach."""
        seen, foreign = self.seen.sum(axis=0), self.foreign.sum(axis=0)
        pages = (self.foreign > 0).sum(axis=0)
        used = len(self.seen)
        if without is not None:
            seen = seen - self.seen[without]
            foreign = foreign - self.foreign[without]
            pages = pages - (self.foreign[without] > 0)
            used -= 1
        least = self._least_pages(used)
        cut = (pages >= least) & (foreign >= CUT_SHARE * seen)
        keep = (seen - foreign >= 2) & (seen - foreign > KEEP_SHARE * seen)
        if without is not None:
            cut &= self.chosen
        return cut, keep

    def _least_pages(self, used: int) -> NDArray[np.float64]:
        """On how many pages each signature must be foreign to be cut."""
        # With one or two pages to learn from, one page must do as evidence.
        least = np.full(len(self.table.numbers), 2.0 if used >= 3 else 1.0)
        if self.is_guessed:
            # What stands on a few pages only may be a habit of the writer, unless a name says otherwise.
            habit = np.where(self.table.kinds == NAME, NAMED_SHARE, NAMELESS_SHARE) * used
            least = np.maximum(least, habit)
        return least

    def kept(self, page: int, cut: Bools, keep: Bools) -> Bools:
        """The words of a page's node that remain when the cut signatures are cut."""
        top, rows = self.tops[page], self.rows[page]
        if top is None or rows is None:
            return np.zeros(0, np.bool_)
        words = self.table.pages[page].words_of(top)
        doomed = np.flatnonzero(cut[rows.ids])
        if not len(doomed):
            return words
        ids, unit = rows.ids[doomed], rows.unit[doomed]
        vague = ~rows.lead[doomed] & (self.table.kinds[ids] == NAME)
        if vague.any():
            is_spared = np.zeros(int(rows.unit[-1]) + 1, np.bool_)
            is_spared[rows.unit[rows.lead & keep[rows.ids] & (self.table.kinds[rows.ids] == NAME)]] = True
            doomed = doomed[~(vague & is_spared[unit])]
        for start, stop in set(zip(rows.start[doomed].tolist(), rows.stop[doomed].tolist(), strict=True)):
            words[start:stop] = False
        return words

    def signatures(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The signatures that are cut, and the names that protect from vaguer ones."""
        names = list(self.table.numbers)
        _, keep = self.decide()
        guards = keep & (self.table.kinds == NAME)
        return (
            tuple(names[i] for i in np.flatnonzero(self.chosen).tolist()),
            tuple(names[i] for i in np.flatnonzero(guards).tolist()),
        )


def f1(kept: Bools, page: Marked) -> float:
    """Likeness of the kept words to the truth, in [0, 1]."""
    return float(2 * np.count_nonzero(kept & page.mask) / max(int(np.count_nonzero(kept)) + page.total, 1))
