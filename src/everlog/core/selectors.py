"""Selectors: the ways in which a rule can point at elements, in the notation of CSS.

    div#post-          an id, its digits removed (`post-1337` and `post-2` are one)
    div.entry          one class token, its digits removed
    div.[entry hentry] all class tokens together
    div[itemprop=x]    an attribute that says what the element is
    article            a tag that means something by itself
    div#main>div>p     a chain of children below the nearest ancestor with an id or class

A selector is a plain string, so it can be counted, stored and shown as it is; `xpath` gives the
same selector as an XPath for other programs.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from everlog.core.tree import Element

    # An element, its class, its id and its `itemprop`.
    Marked = tuple[Element, str | None, str | None, str | None]

_HEAD = re.compile(
    r"([^#.\[]+)(?:#(?P<id>.+)|\.\[(?P<all>.+)\]|\.(?P<one>.+)|\[(?P<name>[^=]+)=(?P<value>.*)\])?"
)
_DIGITS = re.compile(r"\d+")
# What an element is called by.
MARKS = ("class", "id", "itemprop")
_ANY_MARK = frozenset(MARKS)
# Attributes that name an element's meaning.
NAMING = ("itemprop", "role", "rel", "property")
# Tags that a design uses once or twice a page.
TELLING_TAGS = frozenset("article main time h1 h2 header footer address".split())


def without_digits(name: str) -> str:
    """A class or id without the numbers that differ from post to post.

    >>> without_digits("post-1337")
    'post-'
    """
    return _DIGITS.sub("", name)


@lru_cache(maxsize=50_000)
def tokens(classes: str) -> tuple[str, ...]:
    """The class tokens of an attribute, digits removed, each once.

    >>> tokens("post post-12 post-13")
    ('post', 'post-')
    """
    return tuple(dict.fromkeys(filter(None, map(without_digits, classes.split()))))


@lru_cache(maxsize=50_000)
def own_selectors(tag: str, ident: str | None, classes: str | None, naming: str | None) -> tuple[str, ...]:
    """All selectors that name an element by what stands on it, the most specific first.

    >>> own_selectors("div", "post-7", "entry hentry", None)
    ('div#post-', 'div.[entry hentry]', 'div.entry', 'div.hentry')
    """
    found: list[str] = []
    if ident and (folded := without_digits(ident).strip()):
        found.append(f"{tag}#{folded}")
    if naming:
        found.append(f"{tag}[{naming}]")
    if classes and (names := tokens(classes)):
        if len(names) > 1:
            found.append(f"{tag}.[{' '.join(sorted(names))}]")
        found.extend(f"{tag}.{name}" for name in names)
    if tag in TELLING_TAGS:
        found.append(tag)
    # A `>` would be read as a step; such names are broken markup.
    return tuple(selector for selector in found if ">" not in selector)


def naming_of(element: Element) -> str | None:
    """The attribute that names an element's meaning, as `name=value`.

    >>> from lxml import etree
    >>> naming_of(etree.fromstring('<div itemprop="articleBody"/>'))
    'itemprop=articleBody'
    """
    stated = element.keys()
    for name in NAMING:
        if name in stated and (value := element.get(name)):
            return f"{name}={value}"
    return None


def selectors_of(element: Element) -> tuple[str, ...]:
    """All selectors that name this element by what stands on it."""
    return own_selectors(element.tag, element.get("id"), element.get("class"), naming_of(element))


def anchor_of(tag: str, ident: str | None, classes: str | None) -> str | None:
    """The selector below which the chain of a nameless element hangs."""
    own = own_selectors(tag, ident, classes, None)
    return own[0] if own and (ident or classes or tag in TELLING_TAGS) else None


def chain_of(element: Element) -> str:
    """The selector of an element as a chain below its nearest named ancestor.

    >>> from lxml import etree
    >>> root = etree.fromstring('<body><div id="main"><div><p/></div></div></body>')
    >>> chain_of(root[0][0][0]), chain_of(root)
    ('div#main>div>p', 'body')
    """
    tags = [element.tag]
    for above in element.iterancestors():
        anchor = anchor_of(above.tag, above.get("id"), above.get("class"))
        tags.append(anchor or above.tag)
        if anchor:
            break
    return ">".join(reversed(tags))


def marked_among(elements: Iterable[Element], stated: Iterable[list[str]] | None = None) -> list[Marked]:
    """Those of some elements with a class, an id or an `itemprop`, and what these are.

    `stated` are the names of the attributes of each, where they are known.

    >>> from lxml import etree
    >>> [names for _, *names in marked_among(etree.fromstring('<p><b id="a"/><i/><b class="x y"/></p>').iter())]
    [[None, 'a', None], ['x y', None, None]]
    """
    # To ask for an attribute takes longer than to list those that are there: half of the elements have none.
    pairs = zip(elements, stated, strict=True) if stated is not None else ((each, each.keys()) for each in elements)
    return [
        (
            element,
            element.get("class") if "class" in names else None,
            element.get("id") if "id" in names else None,
            element.get("itemprop") if "itemprop" in names else None,
        )
        for element, names in pairs
        if names and not _ANY_MARK.isdisjoint(names)
    ]


def find_all(root: Element, selector: str) -> list[Element]:
    """All elements a selector points at, in document order; the slow way, for single questions.

    >>> from lxml import etree
    >>> root = etree.fromstring('<body><div id="main"><p/><div><p n="1"/></div></div></body>')
    >>> [e.get("n") for e in find_all(root, "div#main>div>p")]
    ['1']
    """
    return Finder([selector]).find(root)[selector]


class Finder:
    """Finds the elements of many selectors in one walk over a page.

    Blogs repeat few combinations of tag, id and class, so what an element answers to is
    remembered by that combination; the walk is then one dictionary look-up an element. Who looks at a
    page with several finders lists its marked elements once, for all of them.
    """

    def __init__(self, selectors: Iterable[str]) -> None:
        self.selectors = tuple(dict.fromkeys(selectors))
        self._chains: dict[str, tuple[str, tuple[str, ...]]] = {}
        heads: dict[str, None] = {}
        for selector in self.selectors:
            head, *steps = selector.split(">")
            heads[head] = None
            if steps:
                self._chains[selector] = (head, tuple(steps))
        self._heads = tuple(heads)
        self._tags = tuple(dict.fromkeys(_tag_of(head) for head in heads))
        self._tag_set = frozenset(self._tags)
        # Elements of these tags are looked up by their naming attributes, which no memory holds.
        self._named_tags = tuple(dict.fromkeys(_tag_of(head) for head in heads if "[" in head and ".[" not in head))
        self._bare_tags = tuple(head for head in heads if head == _tag_of(head))
        self._known: dict[tuple[str, str | None, str | None], tuple[str, ...]] = {}

    def find(self, root: Element, marked: Iterable[Marked] | None = None) -> dict[str, list[Element]]:
        """The elements of each selector in document order; `marked` are those of the page, where they are known."""
        heads: dict[str, list[Element]] = {head: [] for head in self._heads}
        known, tags = self._known, self._tag_set
        if marked is None:
            marked = marked_among(root.iter(*self._tags)) if tags else ()
        for element, classes, ident, _ in marked:
            tag = element.tag
            if tag not in tags:
                continue
            key = (tag, ident, classes)
            answers = known.get(key)
            if answers is None:
                answers = known[key] = self._answers(*key)
            for head in answers:
                heads[head].append(element)
        for tag in self._bare_tags:
            heads[tag] = list(root.iter(tag))
        for tag in self._named_tags:
            for element in root.iter(tag):
                if (naming := naming_of(element)) and (head := f"{tag}[{naming}]") in heads:
                    heads[head].append(element)
        if not self._chains:
            return heads
        found = {}
        for selector in self.selectors:
            chain = self._chains.get(selector)
            found[selector] = heads[selector] if chain is None else _descend(root, heads[chain[0]], chain[1])
        return found

    def _answers(self, tag: str, ident: str | None, classes: str | None) -> tuple[str, ...]:
        if len(self._known) > 100_000:
            self._known.clear()
        own = own_selectors(tag, ident, classes, None)
        return tuple(head for head in self._heads if head != tag and head in own)


class Finds(Mapping[str, list["Element"]]):
    """The elements of a page by selector; those of the second finder are looked up on first need."""

    def __init__(
        self, root: Element, first: Finder, rest: Finder, marked: Iterable[Marked] | None = None,
    ) -> None:
        self._root = root
        self._rest: Finder | None = rest
        self._found = first.find(root, marked)

    def __getitem__(self, selector: str) -> list[Element]:
        found = self._found.get(selector)
        if found is not None:
            return found
        if self._rest is not None:
            rest, self._rest = self._rest, None
            self._found = rest.find(self._root) | self._found
        return self._found[selector]

    def __iter__(self) -> Iterator[str]:
        return iter(self._found)

    def __len__(self) -> int:
        return len(self._found)


def _tag_of(head: str) -> str:
    return re.split(r"[#.\[]", head, maxsplit=1)[0]


def _descend(root: Element, heads: list[Element], steps: tuple[str, ...]) -> list[Element]:
    elements = heads
    for tag in steps:
        elements = [child for element in elements for child in element if child.tag == tag]
    if len(heads) > 1 and len(elements) > 1:
        # Heads inside each other give their children out of order.
        order = {element: place for place, element in enumerate(root.iter(steps[-1]))}
        elements.sort(key=order.__getitem__)
    return elements


def xpath(selector: str) -> str:
    """The same selector as XPath 1.0.

    >>> xpath("div#post->p")
    "//div[translate(@id,'0123456789','')='post-']/p"
    >>> xpath("div.entry")
    "//div[contains(concat(' ',translate(normalize-space(@class),'0123456789',''),' '),' entry ')]"
    """
    head, *steps = selector.split(">")
    return "//" + _xpath_step(head) + "".join(f"/{step}" for step in steps)


def _xpath_step(head: str) -> str:
    match = _HEAD.fullmatch(head)
    if match is None:
        return head
    tag = match[1]
    if match["id"]:
        return f"{tag}[translate(@id,'0123456789','')={_quote(match['id'])}]"
    if match["name"]:
        return f"{tag}[@{match['name']}={_quote(match['value'])}]"
    if names := (match["all"] or match["one"]):
        classes = "concat(' ',translate(normalize-space(@class),'0123456789',''),' ')"
        return tag + "".join(f"[contains({classes},{_quote(f' {name} ')})]" for name in names.split())
    return tag


def _quote(value: str) -> str:
    if "'" not in value:
        return f"'{value}'"
    if '"' not in value:
        return f'"{value}"'
    parts = ", \"'\", ".join(f"'{part}'" for part in value.split("'"))
    return f"concat({parts})"
