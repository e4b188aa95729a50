"""Text to an XML tree: as it stands where it is well-formed, repaired step by step where it is not.

No document type is ever read: the text is cut to its root element first, so that entities a feed
defines are neither expanded nor fetched.
"""

from __future__ import annotations

import html
import re
from dataclasses import dataclass
from html.entities import html5

from lxml import etree

from everlog.core.attributes import bounded_xml

_ROOT = re.compile(r"<(?:[\w.-]+:)?(?:rss|feed|rdf|channel)(?=[\s>])", re.IGNORECASE)
_NAME = re.compile(r"<([^\s>/]+)")
_HTML = re.compile(r"<(?:html|head|body)\b|<!doctype\s+html", re.IGNORECASE)
_SPECIAL = re.compile(r"<!\[CDATA\[|<!--")
# An ampersand that starts no reference XML knows. The quantifiers are bounded, so that a run of
# letters costs the same however long it is.
_AMPERSAND = re.compile(r"&(?!(?:amp|lt|gt|quot|apos|#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6});)(?:(\w{2,32});)?")
_CHARACTER = re.compile(r"&#(?:[0-9]{1,7}|[xX][0-9a-fA-F]{1,6});")
_LONE_LESS = re.compile(r"<(?![A-Za-z_/!?])|<!(?!\[CDATA\[|--)")
_ARTICLE = re.compile(r"(?:atom:)?(?:description|summary|content|content:encoded)", re.IGNORECASE)
_LINK_END = re.compile(r"\s*</link\s*>", re.IGNORECASE)
_NOT_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
# Elements that hold text: markup found in them is content that should have been escaped.
_LEAF = re.compile(
    r"<(title|link|guid|id|description|summary|content|subtitle|tagline|category|pubDate|published|updated"
    r"|content:encoded|dc:\w{1,20}|slash:\w{1,20}|wfw:\w{1,20}|atom:summary|atom:content)(\s[^<>]*)?(?<!/)>",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Source:
    """A feed's root element, and in plain words what had to be repaired to get it."""

    root: etree._Element
    problem: str | None = None


def read_xml(text: str) -> Source | None:
    """The feed in this text, or None if there is no feed element at all."""
    document = _cut_to_root(text)
    if document is None:
        return None
    root, reason = _parse(document)
    if root is not None:
        return Source(root)
    for repair in (_escape_strays, _escape_leaves):
        document = repair(document)
        root, _ = _parse(document)
        if root is not None:
            return Source(root, f"not well-formed XML ({reason}); repaired")
    root, _ = _parse(document, recover=True)
    return (
        None if root is None else Source(root, f"not well-formed XML ({reason}); what could be read was kept")
    )


def looks_like_html(text: str) -> bool:
    return _HTML.search(text, 0, 5000) is not None


def _cut_to_root(text: str) -> str | None:
    position = 0
    while (start := _ROOT.search(text, position)) is not None:
        comment = text.rfind("<!--", position, start.start())
        end = text.find("-->", comment) if comment >= 0 else -1
        if comment >= 0 and end > start.start():
            position = end
            continue
        break
    # Words of an HTML page before the element mean that it is quoted there, not served.
    if start is None or _HTML.search(text, 0, start.start()):
        return None
    name = _NAME.match(text, start.start())
    closing = f"</{name[1]}" if name else "</"
    end = text.rfind(closing)
    close = text.find(">", end) if end > start.start() else -1
    return text[start.start() : close + 1] if close > 0 else text[start.start() :]


def _parse(document: str, *, recover: bool = False) -> tuple[etree._Element | None, str]:
    parser = etree.XMLParser(
        encoding="utf-8", recover=recover, resolve_entities=False, no_network=True, load_dtd=False,
        huge_tree=True, remove_comments=True, remove_pis=True,
    )  # fmt: skip
    try:
        return etree.fromstring(bounded_xml(document.encode("utf-8", "ignore")), parser), ""
    except etree.XMLSyntaxError as error:
        return None, re.sub(r"\s+", " ", error.msg or "unreadable")[:120]


def _escape_strays(document: str) -> str:
    """Escapes what only text could mean: lone ampersands and less-than signs, names HTML knows."""
    pieces: list[str] = []
    position = 0
    comments_end = True
    while special := _SPECIAL.search(document, position):
        is_comment = special[0] == "<!--"
        end = (
            document.find("-->" if is_comment else "]]>", special.end())
            if comments_end or not is_comment
            else -1
        )
        pieces.append(_escape_text(document[position : special.start()]))
        if end < 0 and is_comment:
            comments_end = False
            pieces.append("&lt;!--")
            position = special.end()
            continue
        if end < 0:  # the feed breaks off inside: all that follows is that section
            return "".join([*pieces, document[special.start() :], "]]>"])
        pieces.append("" if is_comment else document[special.start() : end + 3])
        position = end + 3
    return "".join([*pieces, _escape_text(document[position:])])


def _escape_text(text: str) -> str:
    text = _AMPERSAND.sub(_named, text)
    text = _CHARACTER.sub(_numbered, text)
    return _LONE_LESS.sub(lambda less: "&lt;" + less[0][1:], text).replace("]]>", "]]&gt;")


def _named(reference: re.Match[str]) -> str:
    character = html5.get(f"{reference[1]};") if reference[1] else None
    return html.escape(character) if character else "&amp;" + reference[0][1:]


def _numbered(reference: re.Match[str]) -> str:
    character = html.unescape(reference[0])
    # XML knows a small "x" only.
    return reference[0].lower() if character and character in "<>&\"'\r" else _NOT_XML.sub("", character)


def _escape_leaves(document: str) -> str:
    """Escapes markup inside the elements that hold text, and closes those that were left open."""
    pieces: list[str] = []
    position = 0
    while leaf := _LEAF.search(document, position):
        start = leaf.end()
        if leaf[1].lower() == "link" and leaf[2] and "href" in leaf[2].lower():
            end = after = start  # says all in its attributes; what follows is no part of it
            if closing := _LINK_END.match(document, start):
                after = closing.end()
        else:
            end, after = _leaf_end(document, start, leaf[1])
        pieces += (document[position:start], _escape_less(document[start:end]), f"</{leaf[1]}>")
        position = after
    return "".join([*pieces, document[position:]])


def _leaf_end(document: str, start: int, name: str) -> tuple[int, int]:
    """Where a text element's text ends, and its end tag; an entry's tags end what was left open."""
    # A title or date holds no other field, so that the next field ends it too; an article may.
    others = "" if _ARTICLE.fullmatch(name) else "|<(?:link|guid|pubDate|description|dc:|content|summary)"
    mark = re.compile(
        rf"<!\[CDATA\[.*?\]\]>|(</{re.escape(name)}\s*>)|</?(?:item|entry)[\s>]{others}",
        re.IGNORECASE | re.DOTALL,
    )
    while found := mark.search(document, start):
        if not found[0].startswith("<!["):
            return found.start(), found.end() if found[1] else found.start()
        start = found.end()
    return len(document), len(document)


def _escape_less(text: str) -> str:
    if "<![CDATA[" not in text:
        return text.replace("<", "&lt;")
    parts = re.split(r"(<!\[CDATA\[.*?\]\]>)", text, flags=re.DOTALL)
    return "".join(part if part.startswith("<![CDATA[") else part.replace("<", "&lt;") for part in parts)
