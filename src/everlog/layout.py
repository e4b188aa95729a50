"""A page laid out as arrays: every element and every word in document order.

The words of a subtree stand side by side, so whatever is known of words (matched by the feed,
repeated on other pages) becomes known of every element by one subtraction of prefix sums.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from lxml import etree

from everlog.selectors import naming_of, own_selectors
from everlog.tree import INVISIBLE, Element
from everlog.words import words

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Ints = NDArray[np.int32]


class Vocabulary(dict[str, int]):
    """Numbers for words, handed out on first sight."""

    def __missing__(self, word: str) -> int:
        number = self[word] = len(self)
        return number


class Layout:
    """The elements and words of one page.

    `stop[i]` ends the subtree of element i; `first[i]:last[i]` are its words; `home[w]` is the
    element in which word w stands directly.
    """

    __slots__ = (
        "_selectors", "elements", "first", "home", "last", "number", "parent", "stop", "tags", "words",
    )

    def __init__(self, root: Element, vocabulary: Vocabulary) -> None:
        elements: list[Element] = []
        tags: list[str] = []
        parent: list[int] = []
        stop: list[int] = []
        first: list[int] = []
        last: list[int] = []
        spoken: list[int] = []
        home: list[int] = []
        path: list[int] = []
        walk = etree.iterwalk(root, events=("start", "end"))
        lookup = vocabulary.__getitem__
        for event, node in walk:
            if event == "start":
                tag = node.tag
                here = len(elements)
                parent.append(path[-1] if path else -1)
                path.append(here)
                elements.append(node)
                tags.append(tag)
                stop.append(0)
                first.append(len(spoken))
                last.append(0)
                if tag in INVISIBLE:
                    walk.skip_subtree()
                    continue
                text = node.text
            else:
                here = path.pop()
                stop[here] = len(elements)
                last[here] = len(spoken)
                text = node.tail if path else None
                here = path[-1] if path else here
            if text and not text.isspace():
                found = list(map(lookup, words(text)))
                spoken += found
                home += [here] * len(found)
        self.elements = elements
        self.tags = tags
        self.parent: Ints = np.array(parent, np.int32)
        self.stop: Ints = np.array(stop, np.int32)
        self.first: Ints = np.array(first, np.int32)
        self.last: Ints = np.array(last, np.int32)
        self.words: Ints = np.array(spoken, np.int32)
        self.home: Ints = np.array(home, np.int32)
        # Proxies of lxml live as long as `elements` holds them, so their identity is a key.
        self.number = {id(e): i for i, e in enumerate(elements)}
        self._selectors: list[tuple[str, ...]] | None = None

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

    def ancestors(self, element: int) -> list[int]:
        """Parents of an element, nearest first."""
        chain = []
        while (element := int(self.parent[element])) >= 0:
            chain.append(element)
        return chain
