"""A comment service: how a page that embeds it is told, and how its comments look once a browser has run.

A page as it comes from the web only names the service: a script, an empty container, a frame. In a
rendered page the comments stand in the page itself, in a shadow root (`template[shadowrootmode]`) or in
the document of a frame (`template[data-everlog-frame]`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from itertools import islice
from typing import cast

from lxml import etree

from everlog.comments.comment_markup import Markup, Thread, read_marked
from everlog.comments.css import Selection
from everlog.core.tree import Element, drop, is_hidden

FRAME = "data-everlog-frame"
RENDERED = "data-everlog-rendered"

# A heading "Waline" gets the id `waline` from most engines.
_ANCHORS = frozenset(("h1", "h2", "h3", "h4", "h5", "h6", "a", "li", "p", "span"))
# Where markup is kept that no browser with scripts shows or runs.
_DEAD = frozenset(("noscript", "textarea", "noframes", "noembed", "xmp", "template"))
# Delayed scripts and frames keep their address aside until they are wanted.
_LATER = ("data-src", "data-lazy-src", "data-rocket-src")
# More evidence than this is no page that anybody wrote.
_MOST_EVIDENCE = 500
# Strings come first, or the `//` of an address would be taken for a note. What is opened and never closed
# ends with its line or with the code, so nothing is searched twice and the search is linear.
_STRINGS_AND_NOTES = re.compile(
    r""""(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*(?:`|\Z)"""
    r"""|(?P<note>(?<![:'"\\/\w])//[^\n]*|/\*.*?(?:\*/|\Z))""",
    re.DOTALL,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Service:
    """A comment service. One piece of evidence is enough, so none of it may stand in pages that do not embed it.

    `ids`, `classes` and `tags` are those of the element a page keeps for the comments; `scripts` is
    searched in the addresses of scripts and in the scripts that stand in the page; `frame` in the
    addresses of frames: of those in the page, as evidence, and of those in a rendered page, for the
    comments. Without it the comments stand in the page itself or in a shadow root. `word` is a piece of
    text that all its scripts hold, letter for letter; without it, the name but for its first letter, which
    may be a capital. Classes are looked at only where a script holds it.

    `more`, `ready`, `loading` and `trouble` are CSS: the controls that show more, what is there once the
    service has answered, what is there while it has not, and what is there when it says that it
    failed. `verified` says against what all of this was tried.
    """

    name: str
    ids: frozenset[str] = frozenset()
    classes: frozenset[str] = frozenset()
    tags: frozenset[str] = frozenset()
    scripts: re.Pattern[str] | None = None
    word: str = ""
    frame: re.Pattern[str] | None = None
    markup: Markup
    more: tuple[str, ...] = ()
    ready: tuple[str, ...] = ()
    loading: tuple[str, ...] = ()
    trouble: tuple[str, ...] = ()
    verified: str = ""
    documentation: tuple[str, ...] = ()


def embedded(root: Element) -> tuple[Service, ...]:
    """The services whose comments a page asks a browser to fetch, in the order of the table.

    A page that holds the comments already, because a browser saved it, asks for nothing.

    >>> from everlog.core.tree import parse
    >>> [service.name for service in embedded(parse(b'<script src="//x.disqus.com/embed.js"></script>'))]
    ['disqus']
    >>> embedded(parse(b'<a href="https://disqus.com/by/x">me</a><script src="//x.disqus.com/count.js"></script>'))
    ()
    """
    evidence = _evidence()
    rendered = root.get(RENDERED) is not None
    found: dict[str, bool] = {}
    for element, service in islice(evidence.of(root), _MOST_EVIDENCE):
        if service.name not in found and _is_live(element):
            found[service.name] = rendered or not _is_filled(element, service)
    return tuple(service for service in evidence.services if found.get(service.name)) if found else ()


def read_service(
    root: Element, url: str, service: Service, *, fetched_at: datetime | None = None
) -> Thread | None:
    """The comments of a service in a rendered page; None: it has not answered, or said that it failed.

    A thread without comments means that the service said there are none.
    """
    empty = None
    for scope, base in _scopes(root, url, service):
        thread = read_marked(scope, base, service.markup, fetched_at=fetched_at)
        if thread.comments:
            return thread
        # One that counts comments and shows none is not done.
        if empty is None and not thread.claimed and _has_answered(Selection(scope), service):
            empty = thread
    return empty


class _Evidence:
    """What to look for in a page, of all services at once."""

    def __init__(self, services: tuple[Service, ...]) -> None:
        self.services = services
        self._by_id = {name: service for service in services for name in service.ids}
        self._by_tag = {name: service for service in services for name in service.tags}
        self._frames = [(service, service.frame) for service in services if service.frame]
        self._words = [(service.word or service.name[1:], service) for service in services
                       if service.scripts or service.classes]
        self._tags = ("script", "iframe", *self._by_tag)
        self._with_id = etree.XPath(f"id({' '.join(sorted(self._by_id))!r})")
        self._known: dict[int, tuple[Service, ...]] = {}

    def of(self, root: Element) -> Iterator[tuple[Element, Service]]:
        """The elements that speak for a service, and the service."""
        # The parser keeps a table of ids; asking it costs next to nothing.
        for element in cast("list[Element]", self._with_id(root)):
            if element.tag not in _ANCHORS:
                yield element, self._by_id[element.get("id", "")]
        held: set[str] = set()
        for element in root.iter(*self._tags):
            text = element.get("src") or element.text or _later_address(element)
            services = self._known.get(hash(text))
            if services is None:
                services = self._learn(text)
            if services or element.tag != "script":
                held.update(service.name for service in services)
                yield from self._of_element(element, text, services)
        if held:
            yield from self._of_classes(root, held)

    def _learn(self, text: str) -> tuple[Service, ...]:
        """The services of which a script holds the word: remembered, as a blog's pages have most scripts in common."""
        if len(self._known) > 10_000:
            self._known.clear()
        services = tuple(service for word, service in self._words if word in text)
        self._known[hash(text)] = services
        return services

    def _of_element(
        self, element: Element, text: str, services: tuple[Service, ...]
    ) -> Iterator[tuple[Element, Service]]:
        tag = element.tag
        if tag in self._by_tag:
            yield element, self._by_tag[tag]
        elif tag == "iframe":
            address = element.get("src") or _later_address(element)
            yield from ((element, service) for service, frame in self._frames if frame.search(address))
        else:
            yield from ((element, service) for service in services if _runs(service, element, text))

    def _of_classes(self, root: Element, names: set[str]) -> Iterator[tuple[Element, Service]]:
        services = [service for service in self.services if service.classes and service.name in names]
        for element in root.iter("div", "section") if services else ():
            classes = (element.get("class") or "").split()
            yield from ((element, service) for service in services if not service.classes.isdisjoint(classes))


@lru_cache(maxsize=1)
def _evidence() -> _Evidence:
    from everlog.comments.services import SERVICES  # noqa: PLC0415 - the table is made of what is defined here

    return _Evidence(SERVICES)


def _later_address(element: Element) -> str:
    """The address of a script or frame that is loaded when it is wanted."""
    return next(filter(None, map(element.get, _LATER)), "")


def _runs(service: Service, script: Element, text: str) -> bool:
    """Whether a script is one of the service; data and templates stand in scripts too."""
    if service.scripts is None or not service.scripts.search(text):
        return False
    kind = (script.get("type") or "").lower()
    if kind not in {"", "module"} and "script" not in kind:
        return False
    return text != script.text or bool(service.scripts.search(_without_notes(text)))


def _without_notes(code: str) -> str:
    return _STRINGS_AND_NOTES.sub(lambda match: "" if match["note"] else match[0], code)


def _is_live(element: Element) -> bool:
    return not any(above.tag in _DEAD and "shadowrootmode" not in above.attrib for above in element.iterancestors())


def _is_filled(element: Element, service: Service) -> bool:
    return element.tag != "script" and len(element) > 0 and bool(Selection(element).all(service.markup.comment))


def _scopes(root: Element, url: str, service: Service) -> Iterator[tuple[Element, str]]:
    """The parts of a rendered page where a service's comments can stand, with the address of each."""
    frames = [element for element in root.iter("template") if FRAME in element.attrib]
    if service.frame is None:
        if frames:
            # What stands in a frame is none of the page's own.
            root = deepcopy(root)
            drop([element for element in list(root.iter("template")) if FRAME in element.attrib])
        yield root, url
        return
    for frame in frames:
        address = frame.get(FRAME, "")
        if service.frame.search(address):
            yield frame, address if address.startswith(("http://", "https://")) else url


def _has_answered(scope: Selection, service: Service) -> bool:
    return _shows(scope, service.ready) and not _shows(scope, service.trouble + service.loading)


def _shows(scope: Selection, selectors: tuple[str, ...]) -> bool:
    return any(_is_shown(element) for selector in selectors for element in scope.all(selector))


def _is_shown(element: Element) -> bool:
    return not (is_hidden(element) or any(is_hidden(above) for above in element.iterancestors()))
