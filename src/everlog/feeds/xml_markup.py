"""The elements of an XML feed by the names people know them by, and the HTML they hold."""

from __future__ import annotations

import base64
import binascii
import html
import re
from collections.abc import Iterable, Iterator

from lxml import etree

# Namespaces by what they contain: versions, cases and trailing slashes differ in the wild.
_NAMESPACES = (
    ("purl.org/dc/elements", "dc:"),
    ("purl.org/dc/terms", "dcterms:"),
    ("modules/content", "content:"),
    ("modules/slash", "slash:"),
    ("modules/syndication", "sy:"),
    ("wellformedweb.org/commentapi", "wfw:"),
    ("syndication/thread", "thr:"),
    ("syndication/history", "fh:"),
    ("spec/opensearch", "opensearch:"),
    ("feedburner", "feedburner:"),
    ("podcast-1.0.dtd", "itunes:"),
    ("search.yahoo.com/mrss", "media:"),
    ("w3.org/1999/xhtml", "xhtml:"),
    ("w3.org/2005/atom", "atom:"),
    ("purl.org/atom/", "atom:"),
    ("w3.org/1999/02/22-rdf", "rdf:"),
    ("purl.org/rss/1.0/", ""),
    ("my.netscape.com/rdf/simple", ""),
    ("backend.userland.com/rss", ""),
    ("blogs.law.harvard.edu/tech/rss", ""),
    ("w3.org/xml/1998", "xml:"),
)
_KNOWN_TAG = re.compile(
    r"</?(?:p|br|a|div|span|img|ul|ol|li|h[1-6]|em|strong|b|i|blockquote|pre|code|table|iframe|figure)(?:\s[^<>]*)?/?>"
    r"|&(?:#\d+|nbsp|amp|lt|gt|quot|[lr]squo|[lr]dquo|hellip|[mn]dash);",
    re.IGNORECASE,
)
_NOT_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
XML_BASE = "{http://www.w3.org/XML/1998/namespace}base"
XML_LANG = "{http://www.w3.org/XML/1998/namespace}lang"


class Names:
    """Names elements and attributes `prefix:local`, however the feed declared its prefixes.

    In an Atom feed Atom's own elements go without a prefix; elsewhere they are `atom:`.
    """

    def __init__(self, *, atom: bool) -> None:
        self._own = "atom:" if atom else ""
        self._known: dict[tuple[str, str | None], str] = {}

    def of(self, tag: str, prefix: str | None = None) -> str:
        key = (tag, prefix)
        if key not in self._known:
            name = _name(tag, prefix)
            self._known[key] = name.removeprefix(self._own) if self._own else name
        return self._known[key]

    def children(self, element: etree._Element) -> dict[str, list[etree._Element]]:
        """The direct children by name, in document order."""
        found: dict[str, list[etree._Element]] = {}
        for child in element:
            found.setdefault(self.of(str(child.tag), child.prefix), []).append(child)
        return found

    def attributes(self, element: etree._Element) -> dict[str, str]:
        return {_name(str(key), None): str(value).strip() for key, value in element.attrib.items()}


def _name(tag: str, prefix: str | None) -> str:
    if not tag.startswith("{"):
        return tag.lower()
    namespace, _, local = tag[1:].lower().partition("}")
    for part, short in _NAMESPACES:
        if part in namespace:
            return short + local
    return f"{prefix.lower()}:{local}" if prefix else local


def local_name(element: etree._Element) -> str:
    """The name without namespace or prefix, also where a prefix was never declared."""
    return str(element.tag).rpartition("}")[2].rpartition(":")[2].lower()


def first_text(elements: Iterable[etree._Element]) -> str | None:
    """The first text that is not blank."""
    return next((text for element in elements if (text := text_of(element))), None)


def text_of(element: etree._Element) -> str | None:
    if len(element) == 0:
        text = _from_base64(element) if _is_base64(element) else element.text
    else:
        text = "".join(_seen(element))
    return (text or "").strip() or None


def own_text(element: etree._Element) -> str | None:
    """The text right inside an element, without that of the elements in it."""
    return "".join([element.text or "", *(child.tail or "" for child in element)]).strip() or None


def _seen(element: etree._Element) -> Iterator[str]:
    """The text of an element, but for scripts and styles. Not by recursion: elements nest as deep as a feed likes."""
    walk = etree.iterwalk(element, events=("start", "end"))
    for event, node in walk:
        if event == "end":
            yield (node.tail or "") if node is not element else ""
        elif local_name(node) in {"script", "style"}:
            walk.skip_subtree()
        else:
            yield node.text or ""


def html_of(element: etree._Element) -> str | None:
    """What an element holds, as HTML: escaped, as markup, as declared plain text or in base64."""
    kind = (element.get("type") or "").lower()
    if _is_base64(element):
        return _from_base64(element)
    if len(element):
        return _inner_html(element)
    text = (element.text or "").strip()
    if kind in {"text", "text/plain"} and not _KNOWN_TAG.search(text):
        text = html.escape(text, quote=False)
    return text or None


def is_html(element: etree._Element) -> bool:
    """Whether the source declares markup, so that every tag in its text is one."""
    return "html" in (element.get("type") or "").lower()


def _is_base64(element: etree._Element) -> bool:
    """Whether the text is declared to be base64: by its mode (Atom 0.3), by a type that is no text (Atom 1.0)."""
    if not element.attrib or len(element):
        return False
    if element.get("mode", "").lower() == "base64":
        return True
    kind = (element.get("type") or "").lower().partition(";")[0].strip()
    return "/" in kind and not kind.startswith(("text/", "message/")) and not kind.endswith(("xml", "html", "json"))


def _inner_html(element: etree._Element) -> str | None:
    copy = etree.fromstring(etree.tostring(element, with_tail=False), _plain_parser())
    for node in copy.iter(etree.Element):
        node.tag = local_name(node) or "span"
        for key in [key for key in node.attrib if str(key).startswith("{")]:
            del node.attrib[key]
    etree.cleanup_namespaces(copy)
    inner = html.escape(copy.text or "", quote=False)
    inner += "".join(etree.tostring(child, encoding="unicode", method="html") for child in copy)
    return inner.strip() or None


def _plain_parser() -> etree.XMLParser:
    return etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=True, recover=True)


def _from_base64(element: etree._Element) -> str | None:
    """The text behind base64, none where that is a picture or the like.

    Where only the type asks for base64, a text that is none is taken as it stands.
    """
    text = (element.text or "").strip()
    try:
        decoded = base64.b64decode("".join(text.split()), validate=not element.get("mode"))
    except (binascii.Error, ValueError):
        return None if element.get("mode") else text or None
    if b"\0" in decoded:
        return None
    return _NOT_XML.sub("", decoded.decode("utf-8", "replace")).strip() or None
