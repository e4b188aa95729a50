"""Cutting what is not article out of the article's node, by learned signatures."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from lxml import etree

from everlog.core.noise_names import NAMEABLE, names_comments, names_noise
from everlog.core.outline import has_text
from everlog.core.selectors import chain_of, naming_of, own_selectors
from everlog.core.signatures import HIDDEN, LABEL_WORDS, OPENING_WORDS, label, outer_places, own_label, place_kind
from everlog.core.tree import HOLDERS, INVISIBLE, Element, drop, is_hidden, visible_pieces
from everlog.core.words import words
from everlog.markup.date_labels import DateLabels
from everlog.markup.revealing import PLAYERS, shows_media

# Words looked at to tell a label from a longer text.
_ENOUGH = LABEL_WORDS + 1
# Letters in which two words are found, the first of them whole.
_FIRST_LETTERS = 32


def remove_cuts(article: Element, cutter: Cutter) -> list[Element]:
    """Takes out of an article, in place, everything that is not part of it.

    Bare text behind a removed element stays: it belongs to the element above. Players of media stay,
    and are given back: they must go before the text is taken. Cuts that would leave nothing are not made: they were
    learned from other posts.
    """
    doomed: list[Element] = []
    cut: list[Element] = []
    players: list[Element] = []
    silenced: list[Element] = []
    closing: list[Element] = []
    idle = cutter.is_idle
    for element in article.iter():
        if element.tag in INVISIBLE:
            (players if element.tag in PLAYERS and shows_media(element) else doomed).append(element)
        elif not idle and element is not article:
            if cutter.is_cut(element):
                cut.append(element)
            if cutter.has_tails and cutter.cuts_tail(element):
                silenced.append(element)
            if cutter.has_sections and cutter.cuts_rest(element):
                closing.append(element)
    if cut and not _leaves_text(article, {*cut, *doomed, *players}) and has_text(article):
        cut = silenced = closing = []
    for element in silenced:
        above = element.getparent()
        if above is not None and above.tag in HOLDERS:
            element.tail = None
    sections = _without_later(closing)
    for player in players:
        # Blank text behind a removed element goes, whether the element is removed now or later.
        if (player.tail or "").isspace():
            player.tail = None
    drop(element for element in doomed if element is not article)
    drop(cut)
    drop(sections)
    return [player for player in players if player is not article]


def _leaves_text(article: Element, doomed: Collection[Element]) -> bool:
    """Whether any text of an article stands outside of some elements; the first word answers."""
    walk = etree.iterwalk(article, events=("start", "end"))
    for event, node in walk:
        if event == "start":
            if node in doomed:
                walk.skip_subtree()
                continue
            text = node.text
        else:
            text = node.tail if node is not article else None
        if text and not text.isspace():
            return True
    return False


def _without_later(closing: Iterable[Element]) -> list[Element]:
    """The elements with which an article's end begins, after taking out all that follows them."""
    sections = []
    for element in closing:
        above = element.getparent()
        if above is not None and above.tag in HOLDERS:
            for later in list(element.itersiblings()):
                above.remove(later)
            element.tail = None
            sections.append(element)
    return sections


class Cutter:
    """Says of an element whether it is cut. Built once a template, used on every page.

    What an element's names decide is remembered by tag, id and class, so most elements cost one
    look-up; texts and places are only looked at for tags that a cut of that kind names.
    """

    def __init__(self, cuts: Iterable[str], keeps: Iterable[str] = (), known: Iterable[str] = ()) -> None:
        self._cuts = frozenset(cuts)
        self._keeps = frozenset(keeps)
        self._seen = frozenset(known)
        self._known: dict[tuple[str, str | None, str | None, str | None], bool] = {}
        named = (c for c in (*self._cuts, *self._keeps, *self._seen) if "[" in c and ".[" not in c)
        self._named_tags = frozenset(c.split("[", 1)[0] for c in named)
        self._labels = _Labels(c[1:] for c in self._cuts if c[0] in "=^")
        self._dates = DateLabels(c[1:] for c in self._cuts if c[0] == "=")
        self._follow = _Labels(c[1:] for c in self._cuts if c[0] == "+")
        self._own_tags = frozenset(c[1:].split(" ", 1)[0] for c in self._cuts if c[0] == "~")
        self._chain_tags = frozenset(
            c.rsplit(">", 1)[1].split("@")[0] for c in self._cuts if c[0] not in "=^+~|»" and ">" in c
        )
        self._after = _Markers(c[1:] for c in self._cuts if c[0] == "|")
        self._from = _Markers(c[1:] for c in self._cuts if c[0] == "»")
        self._cuts_hidden = HIDDEN not in self._keeps
        self.is_idle = not self._cuts and not self._seen and not self._cuts_hidden
        self.has_tails = bool(self._after.names)
        self.has_sections = bool(self._from.names)

    def is_cut(self, element: Element) -> bool:
        """Whether this element, inside an article, is not part of it."""
        tag = element.tag
        # Most elements of an article say nothing of themselves, and what they say is asked for one by one.
        stated = element.keys()
        ident = element.get("id") if "id" in stated else None
        classes = element.get("class") if "class" in stated else None
        key = (tag, ident, classes, naming_of(element) if stated and tag in self._named_tags else None)
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = self._by_name(element, own_selectors(*key))
        if known or (stated and self._cuts_hidden and is_hidden(element)):
            return True
        if not (ident or classes) and tag in self._chain_tags and self._by_place(element):
            return True
        return self._by_text(element, tag)

    def cuts_tail(self, element: Element) -> bool:
        """Whether the bare text behind this element is not part of the article."""
        return self._after.know(element)

    def cuts_rest(self, element: Element) -> bool:
        """Whether this element and all its later siblings are not part of the article."""
        return self._from.know(element)

    def _by_name(self, element: Element, own: tuple[str, ...]) -> bool:
        if not own:
            return False
        if own[0] in self._cuts:
            return True
        if own[0] in self._keeps:
            return False
        if any(selector in self._cuts for selector in own):
            return True
        return bool(self._seen) and not any(selector in self._seen for selector in own) and _is_named_noise(element)

    def _by_place(self, element: Element) -> bool:
        chain = chain_of(element)
        if chain in self._cuts:
            return True
        places = outer_places(element)
        kind = _kind(element) if places else ""
        return bool(kind) and any(f"{chain}@{place}{kind}" in self._cuts for place in places)

    def _by_text(self, element: Element, tag: str) -> bool:
        if tag in self._labels.tags and (spoken := self._labels.words_of(element, tag)):
            if len(spoken) <= LABEL_WORDS and f"={tag} {label(spoken)}" in self._cuts:
                return True
            if len(spoken) > OPENING_WORDS and f"^{tag} {label(spoken[:OPENING_WORDS])}" in self._cuts:
                return True
        if tag in self._dates.tags and self._dates.may_be(element.text):
            spoken = first_words(element)
            if len(spoken) <= LABEL_WORDS and self._dates.know(tag, spoken):
                return True
        if tag in self._own_tags and len(element) and (text := element.text):
            opening = own_label(text)
            if opening and f"~{tag} {opening}" in self._cuts:
                return True
        if tag in self._follow.tags and (before := element.getprevious()) is not None:
            spoken = self._follow.words_of(before, tag)
            return 0 < len(spoken) <= LABEL_WORDS and f"+{tag} {label(spoken)}" in self._cuts
        return False


class _Labels:
    """Texts of elements that mean something, each written as `tag words`."""

    def __init__(self, labels: Iterable[str]) -> None:
        self.tags: dict[str, set[str]] = {}
        for text in labels:
            tag, _, spoken = text.partition(" ")
            self.tags.setdefault(tag, set()).add(spoken.split(" ", 1)[0])

    def words_of(self, element: Element, tag: str) -> list[str]:
        """The element's first words if a label for this tag begins with the same word, else none.

        Nearly all elements are refused by their first word, which costs a tenth of all words.
        """
        text = (element.text or "").lstrip()
        if text and (spoken := words(text[:_FIRST_LETTERS])):
            # A word cut off in its middle looks like another one: such texts are looked at whole.
            is_whole = len(spoken) > 1 or len(text) <= _FIRST_LETTERS
            if is_whole and label(spoken[:1]) not in self.tags[tag]:
                return []
        return first_words(element)


class _Markers:
    """Elements behind which something ends or begins, by selector, label or chain."""

    def __init__(self, names: Iterable[str]) -> None:
        self.names = frozenset(names)
        self._labels = _Labels(name[1:] for name in self.names if name[0] == "=")
        self._chain_tags = frozenset(name.rsplit(">", 1)[1] for name in self.names if ">" in name and name[0] != "=")
        self._known: dict[tuple[str, str | None, str | None, str | None], bool] = {}

    def know(self, element: Element) -> bool:
        """Whether the element is one of them. Texts are only looked at for tags that a label names."""
        tag, ident, classes, naming = element.tag, element.get("id"), element.get("class"), naming_of(element)
        key = (tag, ident, classes, naming)
        known = self._known.get(key)
        if known is None:
            own = own_selectors(tag, ident, classes, naming)
            known = self._known[key] = any(name in self.names for name in own)
        if known:
            return True
        if tag in self._labels.tags:
            spoken = self._labels.words_of(element, tag)
            if 0 < len(spoken) <= LABEL_WORDS and f"={tag} {label(spoken)}" in self.names:
                return True
        return tag in self._chain_tags and chain_of(element) in self.names


def _is_named_noise(element: Element) -> bool:
    """Whether an element that no page of the feed had is called noise by its names."""
    names = f"{element.get('id') or ''} {element.get('class') or ''}"
    return element.tag in NAMEABLE and (names_noise(names) or names_comments(names)) and not any(
        above.tag in {"pre", "code"} for above in element.iterancestors()
    )


def _kind(element: Element) -> str:
    size = linked = 0
    depth = 0
    walk = etree.iterwalk(element, events=("start", "end"))
    for event, node in walk:
        if event == "start":
            if node.tag in INVISIBLE:
                walk.skip_subtree()
                depth += node.tag == "a"
                continue
            depth += node.tag == "a"
            text = node.text
        else:
            depth -= node.tag == "a"
            text = node.tail if node is not element else None
        if text and not text.isspace():
            spoken = len(words(text))
            size += spoken
            linked += spoken if depth else 0
    return place_kind(size, linked) if size else ""


def first_words(element: Element) -> list[str]:
    """The first words of an element, one more than a label may have.

    >>> from lxml import etree
    >>> first_words(etree.fromstring("<p>Filed <b>under</b> x</p>"))
    ['filed', 'under', 'x']
    """
    found: list[str] = []
    for text in visible_pieces(element):
        found += words(text)
        if len(found) >= _ENOUGH:
            break
    return found[:_ENOUGH]
