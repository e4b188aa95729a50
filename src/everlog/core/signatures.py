"""What a piece of an article's node looks like, in every way a cut may recognise it again.

    div.share              one of its own selectors
    =h3 related posts      its tag and its whole text, when short
    ~p tags                its tag and the words before its first child
    div.entry>ul           its chain below a named ancestor (elements without a name only)
    ^p posted in           its tag and the first words of its text
    +ul related posts      its tag and the text of the sibling before it
    |i.calendar            not an element: the bare text that follows one
    »h2#comments           an element with all its later siblings
    :hidden                an element that says it is not shown; cut unless it is kept
    div.entry>ul@-1L       its chain and its place among its siblings, from the start or the end, for
                           elements that are short (S) or mostly links (L)

The order is that of trust: a later kind is only asked about what the kinds before it leave.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

from everlog.core.selectors import anchor_of
from everlog.core.tree import HOLDERS, Element
from everlog.core.words import words

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy as np
    from numpy.typing import NDArray

    from everlog.core.layout import Ints, Layout

# "Leave a reply", "You may also like these": labels are short; longer texts are never the same twice.
LABEL_WORDS = 8
# "Posted in", "Filed under": with one word too much of the language begins alike.
OPENING_WORDS = 2
# "Tags:", "Filed under:", "Posted by": what stands before the links.
OWN_WORDS = 4
# Bylines stand among the first, licences and links among the last children; a place further inside
# an article is a place in its text.
OUTER_PLACES = 3
HEADINGS = frozenset(["h1", "h2", "h3", "h4", "h5", "h6", "hr"])

# The name of all elements that say they are not shown.
HIDDEN = ":hidden"
# Kinds in the order of trust.
NAME, LABEL, CHAIN, CONTEXT, SECTION, PLACE = range(6)
_KINDS = {"=": LABEL, "~": LABEL, "^": CONTEXT, "+": CONTEXT, "|": CONTEXT, "»": SECTION}


def kind_of(signature: str) -> int:
    """The kind of a signature.

    >>> kind_of("div.share") == NAME, kind_of("div.a>p@0S") == PLACE, kind_of("=h3 tags") == LABEL
    (True, True, True)
    """
    kind = _KINDS.get(signature[0])
    if kind is not None:
        return kind
    if ">" not in signature:
        return NAME
    return PLACE if "@" in signature.rsplit(">", 1)[1] else CHAIN


def label(spoken: list[str]) -> str:
    """Words of a label with its numbers made alike: `3 comments` is `0 comments`.

    >>> label(["3", "comments"])
    '0 comments'
    """
    return " ".join("0" if word.isdigit() else word for word in spoken)


def own_label(text: str) -> str:
    """The words before an element's first child, if they are few enough to be a label.

    >>> own_label("Tags: "), own_label("A sentence that goes on for long and then has a link")
    ('tags', '')
    """
    spoken = words(text[:80])
    return label(spoken) if 0 < len(spoken) <= OWN_WORDS else ""


def place_kind(size: int, linked: int) -> str:
    """How an element of so many words, so many of them in links, looks to a cut by place.

    >>> place_kind(20, 15), place_kind(4, 0), place_kind(40, 3)
    ('L', 'S', '')
    """
    if linked * 2 > size:
        return "L"
    return "S" if size <= LABEL_WORDS else ""


def outer_places(element: Element) -> list[int]:
    """The element's place among its siblings from the start and from the end, where it is among the outer.

    >>> from lxml import etree
    >>> [outer_places(child) for child in etree.fromstring("<p><a/><a/><a/><a/><a/></p>")]
    [[0], [1], [2, -3], [-2], [-1]]
    """
    # Steps are counted, not looked up: among 20,000 siblings, an index costs 20,000 steps.
    before = sum(1 for _ in islice(element.itersiblings(preceding=True), OUTER_PLACES))
    behind = sum(1 for _ in islice(element.itersiblings(), OUTER_PLACES))
    places = [before] if before < OUTER_PLACES else []
    return [*places, -1 - behind] if behind < OUTER_PLACES else places


@dataclass(frozen=True, slots=True)
class Unit:
    """A piece of a page that can be cut: the words `start:stop`, at or behind an element."""

    element: int
    start: int
    stop: int
    signatures: tuple[str, ...]


class Wanted:
    """Signatures of foreign elements, and by kind the tags they begin with: what others are asked for."""

    def __init__(self, signatures: frozenset[str]) -> None:
        self.signatures = signatures
        self.tags: dict[str, set[str]] = {kind: set() for kind in "=~^+>"}
        for sign in signatures:
            if sign[0] in self.tags:
                self.tags[sign[0]].add(sign[1:].split(" ", 1)[0])
            elif ">" in sign and sign[0] not in "|»":
                self.tags[">"].add(sign.rsplit(">", 1)[1].split("@", 1)[0])


class Signatures:
    """The units of one page with their signatures, made on demand."""

    def __init__(self, layout: Layout, vocabulary: list[str]) -> None:
        self.layout = layout
        self._vocabulary = vocabulary
        self._chains: dict[int, str] = {}
        self._labels: dict[int, str] = {}
        self._linked: Ints | None = None

    def foreign_units(self, top: int, is_foreign: NDArray[np.bool_]) -> Iterator[Unit]:
        """The foreign elements below an element with all their signatures, and all bare texts and sections."""
        for element in self._below(top):
            if is_foreign[element]:
                yield Unit(element, int(self.layout.first[element]), int(self.layout.last[element]), self.of(element))
            yield from self._bare_units(element)

    def other_units(self, top: int, is_foreign: NDArray[np.bool_], wanted: Wanted) -> Iterator[Unit]:
        """The other elements, with those signatures that some foreign element bears too."""
        first, last = self.layout.first.tolist(), self.layout.last.tolist()
        for element in self._below(top):
            start, stop = first[element], last[element]
            if is_foreign[element] or (start == stop and not _is_sign(self.layout.elements[element].text)):
                continue
            shared = self._shared(element, wanted)
            if shared:
                yield Unit(element, start, stop, shared)

    def _below(self, top: int) -> range:
        return range(top + 1, int(self.layout.stop[top]))

    def _bare_units(self, element: int) -> Iterator[Unit]:
        layout = self.layout
        above = int(layout.parent[element])
        if layout.tags[above] not in HOLDERS:
            return
        start, stop = int(layout.first[element]), int(layout.last[element])
        following = layout.elements[element].getnext()
        behind = layout.last[above] if following is None else layout.first[layout.outline.places[following]]
        if behind > stop:
            yield Unit(element, stop, int(behind), tuple(f"|{name}" for name in self._names(element)))
        if following is not None and start < stop and self._is_marker(element):
            yield Unit(element, start, int(layout.last[above]), tuple(f"»{name}" for name in self._markers(element)))

    def of(self, element: int) -> tuple[str, ...]:
        """All signatures of an element, its own selectors first."""
        return tuple(self._signs(element, None))

    def _shared(self, element: int, wanted: Wanted) -> tuple[str, ...]:
        shared = [sign for sign in self._signs(element, wanted) if sign in wanted.signatures]
        own = self.layout.selectors[element]
        # The most specific name stands first: what is mostly article under it is kept from vaguer names.
        if shared and own and shared[0] != own[0]:
            shared.insert(0, own[0])
        return tuple(shared)

    def _signs(self, element: int, wanted: Wanted | None) -> Iterator[str]:
        """The signatures of an element; only of kinds and tags that are wanted, if given."""
        layout = self.layout
        tag = layout.tags[element]
        node = layout.elements[element]
        yield from layout.selectors[element]
        if (wanted is None or tag in wanted.tags["="]) and (text := self.label(element)):
            yield f"={tag} {text}"
        opens = (wanted is None or tag in wanted.tags["~"]) and len(node) > 0
        if opens and (opening := own_label(node.text or "")):
            yield f"~{tag} {opening}"
        start = int(layout.first[element])
        if (wanted is None or tag in wanted.tags["^"]) and layout.last[element] - start > OPENING_WORDS:
            spoken = [self._vocabulary[w] for w in layout.words[start:start + OPENING_WORDS].tolist()]
            yield f"^{tag} {label(spoken)}"
        if wanted is None or tag in wanted.tags["+"]:
            before = node.getprevious()
            if before is not None and (text := self.label(layout.outline.places[before])):
                yield f"+{tag} {text}"
        if (wanted is None or tag in wanted.tags[">"]) and not node.get("class") and not node.get("id"):
            chain = self.chain(element)
            yield chain
            if kind := self._place_kind(element):
                yield from (f"{chain}@{place}{kind}" for place in self._places(element))

    def label(self, element: int) -> str:
        """The text of an element if it is short enough for a label, else nothing."""
        known = self._labels.get(element)
        if known is None:
            layout = self.layout
            start, stop = int(layout.first[element]), int(layout.last[element])
            short = 0 < stop - start <= LABEL_WORDS
            known = label([self._vocabulary[w] for w in layout.words[start:stop].tolist()]) if short else ""
            self._labels[element] = known
        return known

    def chain(self, element: int) -> str:
        """The element's chain of tags below its nearest named ancestor."""
        tags: list[str] = []
        layout = self.layout
        here = element
        while here not in self._chains:
            tags.append(layout.tags[here])
            above = int(layout.parent[here])
            if above < 0:
                start = ""
                break
            node = layout.elements[above]
            anchor = anchor_of(node.tag, node.get("id"), node.get("class"))
            if anchor:
                start = anchor
                break
            here = above
        else:
            start = self._chains[here]
        chain = ">".join(filter(None, (start, *reversed(tags))))
        self._chains[element] = chain
        return chain

    def _names(self, element: int) -> list[str]:
        """What identifies an element in short: its selectors, or its label and chain."""
        own = list(self.layout.selectors[element])
        text = self.label(element)
        if text:
            own.append(f"={self.layout.tags[element]} {text}")
        return own or [self.chain(element)]

    def _markers(self, element: int) -> list[str]:
        return [name for name in self._names(element) if ">" not in name]

    def _is_marker(self, element: int) -> bool:
        size = int(self.layout.last[element] - self.layout.first[element])
        return self.layout.tags[element] in HEADINGS or size <= LABEL_WORDS

    def _place_kind(self, element: int) -> str:
        layout = self.layout
        size = int(layout.last[element] - layout.first[element])
        if size == 0:
            return ""
        if self._linked is None:
            self._linked = layout.counts(layout.in_links())
        return place_kind(size, int(self._linked[element]))

    def _places(self, element: int) -> list[int]:
        return outer_places(self.layout.elements[element])


def _is_sign(text: str | None) -> bool:
    """Whether an element without words shows something all the same: a dot, a bracket."""
    return bool(text) and not text.isspace()  # type: ignore[union-attr]
