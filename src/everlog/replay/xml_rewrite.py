"""Captured XML, rewritten for looking at: SVG files, and pages that were sent as XHTML.

Unlike HTML, XML is read and written without a loss, so that it is parsed: its entities are put in place, and nothing
of its document type is left, in which an attacker could declare what no tag shows.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from lxml import etree

from everlog.core.tree import UNSETTABLE, Element
from everlog.replay.element_rules import Rules
from everlog.replay.frame_rules import not_held
from everlog.replay.html_places import FILMS
from everlog.replay.memento_links import Replayed, Resolve, View, reference
from everlog.replay.xml_tree import full_name, parse_xml, plain_name, sheets_before

_SVG = "http://www.w3.org/2000/svg"
_XHTML = "http://www.w3.org/1999/xhtml"
_EMPTY = f'<svg xmlns="{_SVG}"/>'
Inner = Callable[[str, str, Callable[[str], Replayed | None], View], str]


def rewrite_svg(text: str, *, url: str, resolve: Resolve, view: View) -> str:
    """A captured SVG file whose references lead to the archive, without scripts.

    >>> rewrite_svg('<svg xmlns="http://www.w3.org/2000/svg" onload="x()"><script>x()</script><circle r="1"/></svg>',
    ...             url="https://a.org/b.svg", resolve=lambda urls: {}, view=View(prefix="http://r", timestamp="2020"))
    '<svg xmlns="http://www.w3.org/2000/svg"><script></script><circle r="1"/></svg>'
    """

    def inner(_text: str, base: str, _held: Callable[[str], Replayed | None], _view: View) -> str:
        return not_held(base)

    return rewrite_xml(text, url=url, resolve=resolve, view=view, inner=inner)


def rewrite_xml(
    text: str, *, url: str, resolve: Resolve, view: View, inner: Inner, encoding: str | None = None,
) -> str:
    """Any XML that browsers show; `inner` rewrites the HTML of a frame. What cannot be read is an empty picture."""
    root = parse_xml(text)
    if root is None:
        return _EMPTY
    wanted: dict[str, None] = {}
    _Pass(root, url, view, wanted.setdefault, inner, encoding).run(is_final=False)
    held = resolve(tuple(wanted)) if wanted else {}
    last = _Pass(root, url, view, held.get, inner, encoding)
    last.run(is_final=True)
    return "".join((*last.instructions, etree.tostring(root, encoding="unicode", with_tail=False)))


class _Node:
    """The attributes of an element of XML, under the names that HTML would give them."""

    __slots__ = ("_changed", "_keys", "element", "name")

    def __init__(self, element: Element) -> None:
        self.element = element
        self.name = etree.QName(element).localname.lower()
        self._keys = {plain_name(str(key)): str(key) for key in element.keys()}  # noqa: SIM118 - an element, no mapping
        self._changed: dict[str, str | None] = {}

    def names(self) -> list[str]:
        return list(self._keys)

    def has(self, name: str) -> bool:
        return name in self._keys

    def get(self, name: str) -> str | None:
        return self.element.get(self._keys[name]) if name in self._keys else None

    def set(self, name: str, value: str) -> None:
        self._changed[name] = value

    def drop(self, name: str) -> None:
        if name in self._keys or name in self._changed:
            self._changed[name] = None

    def current(self, name: str) -> str | None:
        return self._changed[name] if name in self._changed else self.get(name)

    def commit(self) -> None:
        """The changes, in the tree."""
        for name, value in self._changed.items():
            key = self._keys.get(name) or full_name(name)
            if value is None:
                self.element.attrib.pop(key, "")
            else:
                self.element.set(key, UNSETTABLE.sub("", value))


class _Pass:
    """One pass over a document: the first learns what it names, the second changes it."""

    def __init__(
        self, root: Element, url: str, view: View, held: Callable[[str], Replayed | None], inner: Inner,
        encoding: str | None = None,
    ) -> None:
        self._root = root
        base = next((link for each in root.iter(f"{{{_XHTML}}}base") if (link := each.get("href"))), None)
        meant = reference(url, base) if base is not None else None
        self._rules = Rules(
            url=url, base=meant[0] if meant is not None else url, view=view, answered=held,
            inner=lambda text, inner_base: inner(text, inner_base, held, view), encoding=encoding,
        )
        self.instructions: list[str] = []

    def run(self, *, is_final: bool) -> None:
        self._prologue()
        gone: list[Element] = []
        for element in list(self._root.iter()):
            if not isinstance(element.tag, str):
                # An instruction inside the document, or a name that nobody declared.
                gone.append(element)
                continue
            node = _Node(element)
            if self._changed(node, is_final=is_final):
                gone.append(element)
            if is_final:
                node.commit()
        if is_final:
            for element in gone:
                _take_out(element)

    def _changed(self, node: _Node, *, is_final: bool) -> bool:
        """Applies the rules to an element; whether it goes."""
        rules, element, name = self._rules, node.element, node.name
        if name == "picture":
            rules.begin_picture()
        rules.apply(node)
        if name in FILMS:
            rules.subtitled(node, (_Node(each) for each in element.iter(f"{{{_XHTML}}}track")))
        if name == "style":
            css = rules.css("".join(str(text) for text in element.itertext()))
            if is_final:
                del element[:]
                element.text = css
        elif name == "script" and is_final:
            del element[:]
            # With an end tag, for whoever reads it as HTML.
            element.text = ""
        elif name == "embed" and node.has("src") and node.current("src") is None:
            meant = rules.meant(node.get("src") or "")
            node.set("srcdoc", not_held(meant[0] if meant is not None else ""))
            if is_final:
                element.tag = f"{{{_XHTML}}}iframe"
        return name == "base" or (name == "source" and node.current("src") is None and node.current("srcset") is None)

    def _prologue(self) -> None:
        """Style sheets that stand before the document."""
        for said in sheets_before(self._root):
            address = self._rules.file(said.get("href"))
            if address is not None and not address.startswith("data:"):
                media = re.sub(r"[\"<>&?]", "", said.get("media", "all"))
                written = address.replace("&", "&amp;").replace("?>", "%3F%3E")
                self.instructions.append(f'<?xml-stylesheet type="text/css" href="{written}" media="{media}"?>')


def _take_out(element: Element) -> None:
    above = element.getparent()
    if above is None:
        return
    before = element.getprevious()
    if element.tail:
        if before is not None:
            before.tail = (before.tail or "") + element.tail
        else:
            above.text = (above.text or "") + element.tail
    above.remove(element)
