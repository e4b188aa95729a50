"""Captured XML, rewritten for looking at: SVG files, and pages that were sent as XHTML.

Unlike HTML, XML is read and written without a loss, so that it is parsed: its entities are put in place, and nothing
of its document type is left, in which an attacker could declare what no tag shows.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from html.entities import html5
from typing import Any

from lxml import etree

from everlog.core.tree import MAX_TAGS, UNSETTABLE, Element
from everlog.replay.element_rules import Rules
from everlog.replay.frame_rules import not_held
from everlog.replay.html_places import FILMS
from everlog.replay.memento_links import Replayed, Resolve, View, reference

_SVG = "http://www.w3.org/2000/svg"
_XHTML = "http://www.w3.org/1999/xhtml"
_PREFIXES = {"{http://www.w3.org/1999/xlink}": "xlink:", "{http://www.w3.org/XML/1998/namespace}": "xml:"}
_NAMESPACES = {prefix: space for space, prefix in _PREFIXES.items()}
_ENTITY = re.compile(r"&([A-Za-z][A-Za-z0-9]*);")
_KNOWN = frozenset(("amp", "lt", "gt", "quot", "apos"))
_DECLARATION = re.compile(r"^\ufeff?\s*<\?xml\s[^>]*\?>")
_PSEUDO = re.compile(r"""([\w-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')""")
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


def rewrite_xml(text: str, *, url: str, resolve: Resolve, view: View, inner: Inner) -> str:
    """Any XML that browsers show; `inner` rewrites the HTML of a frame. What cannot be read is an empty picture."""
    root = _parsed(text)
    if root is None:
        return _EMPTY
    wanted: dict[str, None] = {}
    _Pass(root, url, view, wanted.setdefault, inner).run(is_final=False)
    held = resolve(tuple(wanted)) if wanted else {}
    last = _Pass(root, url, view, held.get, inner)
    last.run(is_final=True)
    return "".join((*last.instructions, etree.tostring(root, encoding="unicode", with_tail=False)))


def _parsed(text: str) -> Element | None:
    if text.count("<") > 2 * MAX_TAGS:
        return None
    text = _DECLARATION.sub("", text)
    # Names that XHTML has and its files need not declare.
    text = _ENTITY.sub(_character, text)
    # Entities of the file itself, never those of other files; libxml2 bounds what they may grow to.
    only_own: Any = "internal"
    parser = etree.XMLParser(resolve_entities=only_own, no_network=True, recover=True, remove_comments=True)
    try:
        root: Element | None = etree.fromstring(UNSETTABLE.sub("", text).encode(), parser)
    except (etree.XMLSyntaxError, ValueError):
        return None
    if root is not None and len(parser.error_log):
        _mend(root)
    return root


def _mend(root: Element) -> None:
    """Takes out of a tree of broken XML what no XML may hold: attributes twice, prefixes that nobody declared."""
    for element in root.iter(etree.Element):
        if ":" in element.tag.rpartition("}")[2]:
            element.tag = element.tag.rpartition(":")[2]
        keys = [str(key) for key in element.keys()]  # noqa: SIM118 - an element, no mapping
        if len(keys) == len(set(keys)) and not any(":" in key.rpartition("}")[2] for key in keys):
            continue
        kept = {key: str(element.get(key)) for key in keys if ":" not in key.rpartition("}")[2]}
        element.attrib.clear()
        for key, value in kept.items():
            element.set(key, value)


def _character(found: re.Match[str]) -> str:
    if found[1] in _KNOWN or found[1] + ";" not in html5:
        return found[0]
    return "".join(f"&#{ord(sign)};" for sign in html5[found[1] + ";"])


class _Node:
    """The attributes of an element of XML, under the names that HTML would give them."""

    __slots__ = ("_changed", "_keys", "element", "name")

    def __init__(self, element: Element) -> None:
        self.element = element
        self.name = etree.QName(element).localname.lower()
        self._keys = {_plain(str(key)): str(key) for key in element.keys()}  # noqa: SIM118 - an element, no mapping
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
            key = self._keys.get(name) or _key(name)
            if value is None:
                self.element.attrib.pop(key, "")
            else:
                self.element.set(key, UNSETTABLE.sub("", value))


def _plain(key: str) -> str:
    space, mark, local = key.rpartition("}")
    return (_PREFIXES.get(space + mark, "") + local).lower() if mark else key.lower()


def _key(name: str) -> str:
    prefix, mark, local = name.partition(":")
    return _NAMESPACES.get(prefix + mark, "") + local if mark else name


class _Pass:
    """One pass over a document: the first learns what it names, the second changes it."""

    def __init__(
        self, root: Element, url: str, view: View, held: Callable[[str], Replayed | None], inner: Inner,
    ) -> None:
        self._root = root
        base = next((link for each in root.iter(f"{{{_XHTML}}}base") if (link := each.get("href"))), None)
        meant = reference(url, base) if base is not None else None
        self._rules = Rules(
            url=url, base=meant[0] if meant is not None else url, view=view, answered=held,
            inner=lambda text, inner_base: inner(text, inner_base, held, view),
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
        before = [
            node for node in self._root.itersiblings(preceding=True)
            if isinstance(node, etree._ProcessingInstruction)
        ]
        for node in reversed(before):
            if node.target != "xml-stylesheet":
                continue
            found = {name: double or single for name, double, single in _PSEUDO.findall(node.text or "")}
            if found.get("type", "text/css").strip().lower() != "text/css":
                continue
            address = self._rules.file(found.get("href"))
            if address is not None and not address.startswith("data:"):
                media = re.sub(r"[\"<>&?]", "", found.get("media", "all"))
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
