"""Captured XML as a tree: SVG files, and pages that were sent as XHTML.

Entities of the file itself are put in place, those of other files never are.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from html.entities import html5
from typing import Any

from lxml import etree

from everlog.core.tree import MAX_TAGS, UNSETTABLE, Element

_PREFIXES = {"{http://www.w3.org/1999/xlink}": "xlink:", "{http://www.w3.org/XML/1998/namespace}": "xml:"}
_NAMESPACES = {prefix: space for space, prefix in _PREFIXES.items()}
_ENTITY = re.compile(r"&([A-Za-z][A-Za-z0-9]*);")
_KNOWN = frozenset(("amp", "lt", "gt", "quot", "apos"))
_DECLARATION = re.compile(r"^\ufeff?\s*<\?xml\s[^>]*\?>")
_PSEUDO = re.compile(r"""([\w-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')""")


def parse_xml(text: str) -> Element | None:
    """The outermost element of a document, its entities in place and comments left out; None if it cannot be read.

    >>> root = parse_xml('<!DOCTYPE svg [<!ENTITY a "b.png">]><svg><image href="&a;"/>&nbsp;</svg>')
    >>> root[0].get("href")
    'b.png'
    """
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


def plain_name(key: str) -> str:
    """The name that HTML would give an element or attribute.

    >>> plain_name("{http://www.w3.org/1999/xlink}href"), plain_name("{http://www.w3.org/2000/svg}feImage")
    ('xlink:href', 'feimage')
    """
    space, mark, local = key.rpartition("}")
    return (_PREFIXES.get(space + mark, "") + local).lower() if mark else key.lower()


def full_name(name: str) -> str:
    """The name in XML of an attribute that HTML calls so."""
    prefix, mark, local = name.partition(":")
    return _NAMESPACES.get(prefix + mark, "") + local if mark else name


def sheets_before(root: Element) -> Iterator[dict[str, str]]:
    """What the instructions before a document say of its style sheets: `href`, perhaps `media`.

    >>> list(sheets_before(etree.fromstring("<?xml-stylesheet href='a.css'?><svg/>")))
    [{'href': 'a.css'}]
    """
    before = [node for node in root.itersiblings(preceding=True) if isinstance(node, etree._ProcessingInstruction)]
    for node in reversed(before):
        if node.target == "xml-stylesheet" and (said := sheet_said(node.text or "")) is not None:
            yield said


def sheet_said(instruction: str) -> dict[str, str] | None:
    """What an `xml-stylesheet` says; None if it means no CSS."""
    said = {name: double or single for name, double, single in _PSEUDO.findall(instruction)}
    return said if said.get("type", "text/css").strip().lower() == "text/css" else None
