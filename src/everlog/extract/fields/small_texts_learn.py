"""Where on its page a short text of the feed stands, and the selectors that would find it again."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from everlog.core.selectors import Finder, chain_of, selectors_of
from everlog.core.words import comparable
from everlog.extract.fields.small_texts_read import selectors_used, short_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from everlog.core.layout import Vocabulary
    from everlog.core.rules import Rule
    from everlog.core.tree import Element
    from everlog.extract.samples import Sample
    from everlog.markup.view import View

# Texts up to this many words are looked up in an index. Of 15,000 tags looked at 12 are longer;
# longer titles are searched for one by one.
INDEXED_WORDS = 12
# The layout parts words at tags (`<i>W</i>ord`), a text does not: a place may count a few words
# more or less than the text it shows.
_SLACK = 2

_K = TypeVar("_K")


class Places:
    """The small elements of all sample pages by what they show.

    The layouts must share a vocabulary. Given here, it saves reading the elements' texts.
    """

    def __init__(self, samples: Sequence[Sample], vocabulary: Vocabulary | None = None) -> None:
        self.samples = samples
        texts = _Texts(list(vocabulary) if vocabulary is not None else None)
        self._by_text: list[dict[str, list[Element]]] = [_index(sample, texts) for sample in samples]

    def of(self, page: int, text: str) -> list[Element]:
        """The elements of a page whose text is this one, in document order.

        >>> from everlog.extract.samples import Sample
        >>> from everlog.core.layout import Layout, Vocabulary
        >>> from everlog.markup.view import View
        >>> from everlog.records import Entry
        >>> from everlog.core.tree import parse
        >>> root = parse(b"<h1><a>Rain!</a></h1><p>Rain again")
        >>> layout = Layout(root, Vocabulary())
        >>> sample = Sample(entry=Entry(link=None), url="", view=View(root, ""), layout=layout)
        >>> [element.tag for element in Places([sample]).of(0, "rain")]
        ['h1', 'a']
        """
        target = comparable(text)
        if not target:
            return []
        if len(target.split()) <= INDEXED_WORDS - _SLACK:
            return self._by_text[page].get(target, [])
        return [e for e in self._of_size(page, target, 0) if comparable(short_text(e)) == target]

    def holding(
        self, page: int, text: str, spare: int, only: Callable[[Element], bool] | None = None
    ) -> list[tuple[Element, str]]:
        """The elements that hold this text and at most `spare` other words, with what they show."""
        target = comparable(text)
        if not target:
            return []
        padded = f" {target} "
        most = len(target.split()) + spare
        if most <= INDEXED_WORDS:
            fits = [
                element
                for shown, elements in self._by_text[page].items()
                if target in shown and padded in f" {shown} " and shown.count(" ") < most
                for element in elements
                if only is None or only(element)
            ]
            return [(element, short_text(element)) for element in fits]
        found = ((e, short_text(e)) for e in self._of_size(page, target, spare) if only is None or only(e))
        return [(element, shown) for element, shown in found if padded in f" {comparable(shown)} "]

    def _of_size(self, page: int, target: str, spare: int) -> Iterable[Element]:
        layout = self.samples[page].layout
        wanted = target.count(" ") + 1
        sizes = layout.sizes()
        fits = np.flatnonzero((sizes >= max(1, wanted - _SLACK)) & (sizes <= wanted + _SLACK + spare))
        return (layout.elements[int(i)] for i in fits)


class _Texts:
    """What the elements show, by the numbers of their words: menus and buttons stand on every page."""

    def __init__(self, spelled: list[str] | None) -> None:
        self._spelled = spelled
        self._known: dict[bytes, str] = {}

    def text(self, key: bytes, element: Element) -> str:
        known = self._known.get(key)
        if known is None:
            if self._spelled is None:
                known = comparable(short_text(element))
            else:
                known = " ".join([self._spelled[number] for number in np.frombuffer(key, np.int32).tolist()])
                if "_" in known:
                    known = comparable(known)
            self._known[key] = known
        return known


def _index(sample: Sample, texts: _Texts) -> dict[str, list[Element]]:
    layout = sample.layout
    sizes = layout.sizes()
    small = np.flatnonzero((sizes > 0) & (sizes <= INDEXED_WORDS))
    spoken = layout.words.tobytes()
    width = layout.words.itemsize
    firsts = (layout.first[small] * width).tolist()
    lasts = (layout.last[small] * width).tolist()
    elements = layout.elements
    text_of = texts.text
    found: dict[str, list[Element]] = {}
    for i, first, last in zip(small.tolist(), firsts, lasts, strict=True):
        element = elements[i]
        text = text_of(spoken[first:last], element)
        if text in found:
            found[text].append(element)
        else:
            found[text] = [element]
    return found


def names_of(element: Element) -> tuple[str, ...]:
    """The selectors that point at an element: what stands on it first, then its chain."""
    return tuple(dict.fromkeys((*selectors_of(element), chain_of(element))))


def repeated(counts: Mapping[_K, int], pages: int) -> list[_K]:
    """What was seen on two pages at least: what only one page shows says nothing of the others.

    This makes the judging of the rules leave-one-out. A page may vouch for a rule only if the rule
    would also have been proposed without that page. A place, an affix or a format that two pages
    propose is proposed without either of them, so all pages may judge it; what a single page
    proposes would be credited for that page alone, and is left out before. With one or two
    pages there is nothing to leave out, and everything is kept.

    >>> repeated({"h1": 3, "h2": 1}, 3), repeated({"h2": 1}, 2)
    (['h1'], ['h2'])
    """
    least = 2 if pages > 2 else 1
    return [name for name, count in counts.items() if count >= least]


def views_for(samples: Sequence[Sample], rules: Iterable[Rule]) -> list[View]:
    """The pages with the elements of all candidate rules, as a reader will have them."""
    finder = Finder(selectors_used(rules))
    views = []
    for sample in samples:
        view = copy.copy(sample.view)
        view.found = finder.find(view.root)
        views.append(view)
    return views


def without_twins(rules: Sequence[Rule], views: Sequence[View], kept: int = 2) -> list[Rule]:
    """The rules without those that only give the same elements another name.

    Of selectors that agree on all pages the first `kept` stay: one to read with, one to fall back on.
    """
    seen: dict[object, int] = {}
    left = []
    for rule in rules:
        if rule.method == "selector":
            elements = tuple(tuple(map(id, view.found[rule.where])) for view in views)
            key = (elements, tuple(sorted(rule.detail.items())))
            seen[key] = seen.get(key, 0) + 1
            if seen[key] > kept:
                continue
        left.append(rule)
    return left
