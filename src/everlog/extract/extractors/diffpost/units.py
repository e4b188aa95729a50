"""The pieces of a page that are judged as a whole, each with a fingerprint of its tag and text.

A piece is a stretch of an outline's segments:

    a block-level element, with all that it holds
    a run: the bare text and the inline elements that stand between two blocks
    an inline element that stands in a box (a `div`, not a paragraph): a button, a label, a date
    a text: what stands between two tags of a run that has more than one such text

Words inside a paragraph are no pieces, or a name that a blog writes often would be cut out of its sentences.
Fingerprints of all pieces come from one pass over the segments (prints.py).
"""

from __future__ import annotations

from functools import cached_property
from itertools import chain, compress, repeat
from operator import attrgetter
from typing import TYPE_CHECKING

import numpy as np

from everlog.core.tree import BLOCK, INVISIBLE
from everlog.extract.extractors.diffpost.fingerprints import Stretches, prints_of_tags, prints_of_texts

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from everlog.core.outline import Outline
    from everlog.extract.extractors.diffpost.fingerprints import Places, Prints

    Flags = NDArray[np.bool_]

# They part lines or show pictures, and hold no text.
_EMPTY = frozenset(("br", "hr", "img"))
# What stands in these is running text: their inline elements are no pieces. With inline elements everywhere as
# pieces 4.1 % of the articles' words were stripped instead of 3.0 %, with none 0.1 points more noise was left
# (75 blogs, 568 posts, 5 comparison pages).
_RUNNING = frozenset("p li h1 h2 h3 h4 h5 h6 blockquote td th dd dt pre figcaption".split())
_INLINE = frozenset(
    "a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd label mark q s samp small span strike "
    "strong sub sup time tt u var".split()
)
# Without digits "3 comments" and "12 comments" are alike, and so are days of one month: 86.2 % of the noise
# goes instead of 85.1 %, and 0.01 points more of the articles (same pages).
_NO_LETTERS = bytes(byte for byte in range(1, 128) if not chr(byte).isalpha())
_BLANKS = bytes(byte for byte in range(1, 128) if chr(byte).isspace())
# Stands between two segments; no page can hold it.
_GAP = "\0"

_KINDS = ["", *sorted(BLOCK | INVISIBLE | _INLINE)]
_NUMBERS: dict[object, int] = {tag: number for number, tag in enumerate(_KINDS)}
# All other tags, and what is no element, are one kind, so that nothing grows.
_OTHER = len(_KINDS)
_TAG = attrgetter("tag")


def _marks(tags: Iterable[str]) -> Flags:
    wanted = set(tags)
    return np.array([kind in wanted for kind in (*_KINDS, None)], np.bool_)


_IS_BLOCK = _marks(BLOCK - _EMPTY)
_IS_INVISIBLE = _marks(INVISIBLE)
_IS_RUNNING = _marks(_RUNNING)
_IS_INLINE = _marks(_INLINE)
_LINK, _CODE = _NUMBERS["a"], _NUMBERS["pre"]
_PRINTS_OF_KINDS = prints_of_tags([*_KINDS, "?"])


class Units:
    """The pieces of some pages that hold letters: elements first, then runs, then texts.

    The segments of all pages are numbered on, page after page. Piece i is the segments `start[i]:stop[i]`, of page
    `owner[i]`, and has the fingerprint `prints[i]`; `runs` and `texts` are the slices of those kinds. Every text
    stands in exactly one run; `letters` and `linked` count the letters of each run and those of them in links,
    `lengths` those of every segment. `pages` are the fingerprints of whole pages, and `bounds` where each page begins
    and the last ends.

    Many pages at once cost less than the same pages one by one.

    >>> from lxml import etree
    >>> from everlog.core.outline import Outline
    >>> one = Units(Outline(etree.fromstring("<div><p>3 comments</p><p>Rain</p></div>")))
    >>> two = Units(Outline(etree.fromstring("<div><p>12 comments!</p><p>Sun</p></div>")))
    >>> len(set(one.prints.tolist()) & set(two.prints.tolist()))
    1
    """

    def __init__(self, *outlines: Outline) -> None:
        self._sheaf = sheaf = _Sheaf(outlines)
        self.bounds = 2 * sheaf.bounds
        kinds = sheaf.kinds()
        self._anchors = (kinds == _LINK).nonzero()[0]
        self._hidden = sheaf.covered(_IS_INVISIBLE[kinds].nonzero()[0])
        self.lengths, texts = _letters(sheaf.outlines, self._hidden)
        ranks = sums(self.lengths > 0)
        start, stop, holder, first_run, first_text = _pieces(sheaf, kinds, ranks)
        first, last = ranks[start], ranks[stop]
        held = (last > first).nonzero()[0]
        self.start, self.stop = start[held], stop[held]
        stretches = Stretches(texts)
        self.prints = stretches.prints(first[held], last[held]) + _PRINTS_OF_KINDS[kinds[holder[held]]]
        run, text = held.searchsorted((first_run, first_text)).tolist()
        self.runs, self.texts = slice(run, text), slice(text, len(held))
        self.owner = self.bounds[1:-1].searchsorted(self.start, side="right")
        pages = ranks[self.bounds]
        self.pages = stretches.prints(pages[:-1], pages[1:]) + _PRINTS_OF_KINDS[kinds[sheaf.bounds[:-1]]]

    @cached_property
    def spoken(self) -> Flags:
        """Marks the segments that show anything at all."""
        return self.shown(np.ones(len(self.lengths), np.bool_))

    def shown(self, asked: Flags) -> Flags:
        """Marks those of the asked segments that show anything at all."""
        shown: Flags = (self.lengths > 0) & asked
        # "12" and "&" have no letters and are shown all the same.
        others = asked & ~shown & ~self._hidden
        if others.any():
            segments = chain.from_iterable(outline.segments for outline in self._sheaf.outlines)
            shown[others] = _lengths(_without(_BLANKS, _GAP.join(compress(segments, others.tolist())))) > 0
        return shown

    @cached_property
    def letters(self) -> Places:
        """How many letters each run has."""
        return self._of_runs(self.lengths)

    @cached_property
    def linked(self) -> Places:
        """How many letters each run has in links.

        An `a` without an address is a name for a place, and often closed far too late.
        """
        return self.linked_around(self.spoken)

    def linked_around(self, asked: Flags) -> Places:
        """The same for the runs that hold any of the asked segments; of the others fewer may be counted."""
        starts, stops = self.start[self.runs], self.stop[self.runs]
        before = sums(asked)
        holding = before[stops] > before[starts]
        held = sums(_covered(len(asked), starts[holding], stops[holding]) & (self.lengths > 0))
        sheaf, anchors = self._sheaf, self._anchors
        anchors = anchors[held[sheaf.tail_slot[anchors]] > held[sheaf.text_slot[anchors]]]
        return self.letters_in(sheaf.covered(sheaf.with_address(anchors)))

    def letters_in(self, marked: Flags) -> Places:
        """How many letters each run has in the marked segments."""
        return self._of_runs(self.lengths * marked)

    def _of_runs(self, values: Places) -> Places:
        added = sums(values)
        counted: Places = added[self.stop[self.runs]] - added[self.start[self.runs]]
        return counted

    def covered(self, chosen: Flags) -> Flags:
        """Marks the segments that stand in any of the chosen pieces."""
        return _covered(len(self.lengths), self.start[chosen], self.stop[chosen])


class _Sheaf:
    """Outlines laid one behind the other."""

    __slots__ = ("bounds", "home", "outlines", "parent", "tail_slot", "text_slot")

    def __init__(self, outlines: Sequence[Outline]) -> None:
        sizes = [len(outline.elements) for outline in outlines]
        self.outlines = outlines
        self.bounds = sums(np.array(sizes))
        if len(outlines) == 1:
            only = outlines[0]
            self.parent, self.home = only.parent, only.home
            self.text_slot, self.tail_slot = only.text_slot, only.tail_slot
            return
        before = np.repeat(self.bounds[:-1], sizes)
        self.parent = np.concatenate([outline.parent for outline in outlines]) + before
        # An outline has two segments for every element.
        self.text_slot = np.concatenate([outline.text_slot for outline in outlines]) + 2 * before
        self.tail_slot = np.concatenate([outline.tail_slot for outline in outlines]) + 2 * before
        self.home = np.empty(2 * len(before), np.int64)
        self.home[self.text_slot] = np.arange(len(before))
        self.home[self.tail_slot] = self.parent

    def kinds(self) -> NDArray[np.uint8]:
        """The kind of every element."""
        elements = chain.from_iterable(outline.elements for outline in self.outlines)
        return np.frombuffer(bytes(list(map(_NUMBERS.get, map(_TAG, elements), repeat(_OTHER)))), np.uint8)

    def covered(self, chosen: Places | list[int]) -> Flags:
        """Marks the segments that stand in any of the chosen elements."""
        return _covered(len(self.home), self.text_slot[chosen], self.tail_slot[chosen])

    def with_address(self, anchors: Places) -> list[int]:
        """Those of the elements that have an address."""
        page = self.bounds[1:-1].searchsorted(anchors, side="right").tolist()
        first = self.bounds.tolist()
        return [
            place for place, at in zip(anchors.tolist(), page, strict=True)
            if "href" in self.outlines[at].elements[place - first[at]].attrib
        ]


def elements_covered(outline: Outline, places: list[int]) -> Flags:
    """Marks the segments of a page that stand in any of these elements."""
    chosen = np.array(places, np.intp)
    return _covered(len(outline.segments), outline.text_slot[chosen], outline.tail_slot[chosen])


def sums(values: NDArray[np.int64] | Flags) -> Places:
    """The sums of all values before each, and of all.

    >>> sums(np.array([3, 1, 2])).tolist()
    [0, 3, 4, 6]
    """
    added = np.zeros(len(values) + 1, np.int64)
    values.cumsum(out=added[1:])
    return added


def _covered(count: int, start: Places, stop: Places) -> Flags:
    edges = np.bincount(start, minlength=count + 1) - np.bincount(stop, minlength=count + 1)
    marked: Flags = edges[:-1].cumsum() > 0
    return marked


def _letters(outlines: Sequence[Outline], hidden: Flags) -> tuple[Places, Prints]:
    """How many letters each segment has that is not hidden, and the fingerprints of those that have some."""
    # Page by page: what is put together of all of them is large, and large memory is slow to come by.
    letters = b"\0".join([_without(_NO_LETTERS, _GAP.join(outline.segments)) for outline in outlines])
    lengths = _lengths(letters)
    held = lengths > 0
    texts = prints_of_texts(filter(None, letters.split(b"\0")), lengths[held])[~hidden[held]]
    lengths *= ~hidden
    return lengths, texts


def _without(signs: bytes, text: str) -> bytes:
    if not text.isascii():
        text = text.replace("\u00a0", " ")
    return text.encode("utf-8", "replace").translate(None, signs)


def _lengths(text: bytes) -> Places:
    """How long the parts of a text between its gaps are."""
    gaps = (np.frombuffer(text, np.uint8) == 0).nonzero()[0]
    lengths: Places = np.diff(gaps, prepend=-1, append=len(text)) - 1
    return lengths


def _pieces(
    sheaf: _Sheaf, kinds: NDArray[np.uint8], ranks: Places,
) -> tuple[Places, Places, Places, int, int]:
    """Start, stop and element of every piece, and the places of the first run and the first text."""
    is_block = _IS_BLOCK[kinds]
    is_block[sheaf.bounds[:-1]] = True
    nearest = np.where(is_block, np.arange(len(kinds)), sheaf.parent)
    # To the nearest block above, by leaps that double; blocks stay where they are.
    while not is_block[nearest].all():
        nearest = nearest[nearest]
    above = nearest[sheaf.home]
    changes = (above[1:] != above[:-1]).nonzero()[0] + 1
    edges = np.concatenate(([0], changes, [len(above)]))
    starts, stops = edges[:-1], edges[1:]
    holders = above[starts]
    is_inline = _IS_INLINE[kinds] & ~is_block & ~_IS_RUNNING[kinds[nearest]]
    elements = np.concatenate((is_block.nonzero()[0], is_inline.nonzero()[0]))
    # A text that is alone in its run would say the same as the run. Words of code are the same everywhere: with
    # them 3.3 % of the articles' words were stripped instead of 3.0 %.
    is_mixed = np.repeat((ranks[stops] - ranks[starts] > 1) & (kinds[holders] != _CODE), stops - starts)
    texts = (is_mixed & (ranks[1:] > ranks[:-1])).nonzero()[0]
    start = np.concatenate((sheaf.text_slot[elements], starts, texts))
    stop = np.concatenate((sheaf.tail_slot[elements], stops, texts + 1))
    holder = np.concatenate((elements, holders, above[texts]))
    return start, stop, holder, len(elements), len(elements) + len(starts)
