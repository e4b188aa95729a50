"""A page laid out as arrays: every element and every word in document order.

The words of a subtree stand side by side, so whatever is known of words (matched by the feed,
repeated on other pages) becomes known of every element by one subtraction of prefix sums.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from everlog.core.outline import Outline
from everlog.core.selectors import naming_of, own_selectors
from everlog.core.tree import INVISIBLE, Element, is_hidden
from everlog.core.words import marked_words

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Ints = NDArray[np.int32]


# Stands between two segments of text; no page can hold it.
_GAP = "\0"


class Vocabulary(dict[str, int]):
    """Numbers for words, handed out on first sight."""

    def __missing__(self, word: str) -> int:
        number = self[word] = len(self)
        return number


class Layout:
    """The elements and words of one page.

    `stop[i]` ends the subtree of element i; `first[i]:last[i]` are its words; `home[w]` is the
    element in which word w stands directly. Invisible elements have no words.
    """

    __slots__ = ("_selectors", "elements", "first", "home", "last", "outline", "parent", "stop", "tags", "words")

    def __init__(self, root: Element, vocabulary: Vocabulary) -> None:
        self.outline = outline = Outline(root)
        self.elements = outline.elements
        self.tags: list[str] = [element.tag for element in self.elements]
        self.stop: Ints = outline.end.astype(np.int32)
        self.parent: Ints = outline.parent.astype(np.int32)
        self.parent[0] = -1
        # All segments are taken apart in one go, with a mark between them that counts as a word.
        spoken = marked_words(_GAP.join(self._visible_segments()), _GAP)
        numbers: Ints = np.array(list(map(vocabulary.__getitem__, spoken)), np.int32)
        gaps = numbers == vocabulary[_GAP]
        segment = np.cumsum(gaps)[~gaps]
        self.words: Ints = numbers[~gaps]
        self.home: Ints = outline.home[segment].astype(np.int32)
        before = np.searchsorted(segment, np.arange(len(outline.segments) + 1))
        self.first: Ints = before[outline.text_slot].astype(np.int32)
        self.last: Ints = before[outline.tail_slot].astype(np.int32)
        self._selectors: list[tuple[str, ...]] | None = None

    def _visible_segments(self) -> list[str]:
        segments = self.outline.segments
        hidden = [number for number, tag in enumerate(self.tags) if tag in INVISIBLE]
        if not hidden:
            return segments
        segments = segments.copy()
        text, tail = self.outline.text_slot, self.outline.tail_slot
        for number in hidden:
            start, stop = int(text[number]), int(tail[number])
            segments[start:stop] = [""] * (stop - start)
        return segments

    def number(self, element: Element) -> int | None:
        """The place of an element in document order."""
        return self.outline.places.get(element)

    @property
    def selectors(self) -> list[tuple[str, ...]]:
        """The selectors that name each element, the most specific first."""
        if self._selectors is None:
            self._selectors = [
                own_selectors(e.tag, e.get("id"), e.get("class"), naming_of(e)) for e in self.elements
            ]
        return self._selectors

    def counts(self, mask: NDArray[np.bool_]) -> Ints:
        """How many of the marked words stand in each element's subtree."""
        total = np.concatenate(([0], np.cumsum(mask, dtype=np.int32)))
        result: Ints = total[self.last] - total[self.first]
        return result

    def sizes(self) -> Ints:
        """How many words stand in each element's subtree."""
        result: Ints = self.last - self.first
        return result

    def in_links(self) -> NDArray[np.bool_]:
        """Marks the words that stand inside links."""
        inside = [False] * len(self.tags)
        for number, (tag, above) in enumerate(zip(self.tags, self.parent.tolist(), strict=True)):
            inside[number] = tag == "a" or (above >= 0 and inside[above])
        return np.array(inside, np.bool_)[self.home]

    def hidden(self) -> NDArray[np.bool_]:
        """Marks the words that the page does not show at first: `style="display:none"`, `hidden`."""
        mask = np.zeros(len(self.words), np.bool_)
        for number, element in enumerate(self.elements):
            if is_hidden(element):
                mask[self.first[number]:self.last[number]] = True
        return mask

    def ancestors(self, element: int) -> list[int]:
        """Parents of an element, nearest first."""
        chain = []
        while (element := int(self.parent[element])) >= 0:
            chain.append(element)
        return chain
