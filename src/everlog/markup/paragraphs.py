"""Elements with nothing but paragraphs in them: their text and cleaned markup in one walk, without a parser."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from everlog.core.tree import LINE, PARAGRAPH, tidy

if TYPE_CHECKING:
    from everlog.core.tree import Element

# What stands in paragraphs of which it is certain how cleaning writes them.
_INLINE = frozenset("br em i strong b".split())
_MARKED = re.compile(f"[{PARAGRAPH}{LINE}\ufdd2\ufdd3]")
_ESCAPED = re.compile("[&<>\xa0]")
# Line ends that HTML knows two spellings of, and characters that are none.
_UNCERTAIN = re.compile("[\r\x7f-\x9f\ufeff\ufffe\uffff]")


def simple_body(part: Element) -> tuple[str, str] | None:
    """Text and cleaned inner HTML of an element with nothing but paragraphs in it; None of any other.

    Most comments are so, and some articles. What cleaning makes of them is certain, and takes a twentieth of the time
    that a parser of HTML and a second walk take. The element stays as it is.

    >>> from everlog.core.tree import parse
    >>> simple_body(parse(b"<div><p>A &amp; B<br>no<p> <i>C</i></div>")[0][0])
    ('A & B\\nno\\n\\nC', '<p>A &amp; B<br>no</p><p> <i>C</i></p>')
    """
    if len(part) == 1 and (one := _one_paragraph(part)) is not None:
        return one
    markup, raw = [_escaped(part.text or "")], [PARAGRAPH, part.text or ""]
    for paragraph in part:
        if paragraph.tag != "p" or paragraph.attrib:
            return None
        text = paragraph.text or ""
        markup += ("<p>", _escaped(text))
        raw += (PARAGRAPH, text)
        for inner in paragraph:
            tag, text, tail = inner.tag, inner.text or "", inner.tail or ""
            if tag not in _INLINE or inner.attrib or len(inner):
                return None
            if tag == "br":
                markup += ("<br>", _escaped(tail))
                raw += (LINE, LINE, tail)
            else:
                markup += (f"<{tag}>", _escaped(text), f"</{tag}>", _escaped(tail))
                raw += (text, tail)
        tail = paragraph.tail or ""
        markup += ("</p>", _escaped(tail))
        raw += (PARAGRAPH, tail)
    said = "".join(raw)
    if _UNCERTAIN.search(said):
        return None
    return tidy(said), "".join(markup).strip()


def _one_paragraph(part: Element) -> tuple[str, str] | None:
    """The same for one paragraph of text, and nothing beside it."""
    paragraph = part[0]
    text, before, behind = paragraph.text, part.text, paragraph.tail
    if not text or len(paragraph) or paragraph.tag != "p" or paragraph.attrib or _UNCERTAIN.search(text):
        return None
    if (before and before.strip(" \t\n")) or (behind and behind.strip(" \t\n")) or _MARKED.search(text):
        return None
    return " ".join(text.split()), f"<p>{_escaped(text)}</p>"


def _escaped(text: str) -> str:
    """A text as cleaning writes it."""
    if not _ESCAPED.search(text):
        return text
    return text.replace("&", "&amp;").replace("\xa0", "&nbsp;").replace("<", "&lt;").replace(">", "&gt;")
