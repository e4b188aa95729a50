"""Elements with nothing but paragraphs in them: their text and cleaned markup in one walk, without a parser."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from everlog.core.tree import Element

# What stands in paragraphs of which it is certain how cleaning writes them.
_INLINE = frozenset("br em i strong b".split())
# Control characters, which no tree holds, mark the ends of paragraphs and of lines.
_PARAGRAPH, _LINE = "\x1d", "\x1e"
_MARKS = {"<p>": _PARAGRAPH, "</p>": _PARAGRAPH, "<br>": _LINE}
# Line ends that HTML knows two spellings of (`\r` is another), and what is no character, or a mark of `core.tree`.
_UNCERTAIN = re.compile("[\x80-\x9f\ufdd0-\ufdd3\ufeff\ufffe\uffff]")


def simple_body(part: Element) -> tuple[str, str] | None:
    """Text and cleaned inner HTML of an element with nothing but paragraphs in it; None of any other.

    Most comments are so, and some articles. What cleaning makes of them is certain, and takes a twentieth of the time
    that a parser of HTML and a second walk take. The element stays as it is.

    >>> from everlog.core.tree import parse
    >>> simple_body(parse(b"<div><p>A &amp; B<br>no<p> <i>C</i></div>")[0][0])
    ('A & B\\nno\\n\\nC', '<p>A &amp; B<br>no</p><p> <i>C</i></p>')
    """
    if len(part) == 1 and (single := _single(part, part[0])) is not None:
        return single
    # Texts and tags take turns.
    pieces = [part.text or ""]
    for paragraph in part:
        if paragraph.tag != "p" or paragraph.keys():
            return None
        pieces += ("<p>", paragraph.text or "")
        for inner in paragraph if len(paragraph) else ():
            tag, tail = inner.tag, inner.tail or ""
            if tag not in _INLINE or inner.keys() or len(inner):
                return None
            pieces += ("<br>", tail) if tag == "br" else (f"<{tag}>", inner.text or "", f"</{tag}>", tail)
        pieces += ("</p>", paragraph.tail or "")
    said = "".join(pieces[::2])
    if _is_uncertain(said):
        return None
    text = _text_of(pieces)
    if "&" in said or "<" in said or ">" in said or "\xa0" in said:
        pieces[::2] = map(_escaped, pieces[::2])
    return text, "".join(pieces).strip()


def _single(part: Element, paragraph: Element) -> tuple[str, str] | None:
    """The same for one paragraph of plain text and nothing around it, as most comments are; None of any other."""
    said = paragraph.text
    if paragraph.tag != "p" or not said or len(paragraph) or paragraph.keys() or part.text or paragraph.tail:
        return None
    if not said.isascii() or _is_uncertain(said) or "&" in said or "<" in said or ">" in said:
        return None
    return " ".join(said.split()), f"<p>{said}</p>"


def _is_uncertain(said: str) -> bool:
    # To look for one character takes a hundredth of what a class of them takes, and articles are long.
    if "\r" in said or "\x7f" in said or _PARAGRAPH in said or _LINE in said:
        return True
    return not said.isascii() and _UNCERTAIN.search(said) is not None


def _text_of(pieces: list[str]) -> str:
    """The text as a reader sees it: white space collapsed, nothing empty."""
    marked = pieces.copy()
    marked[1::2] = [_MARKS.get(tag, "") for tag in pieces[1::2]]
    blocks = "".join(marked).split(_PARAGRAPH)
    return "\n\n".join(filter(None, [_lines(block) if _LINE in block else " ".join(block.split()) for block in blocks]))


def _lines(block: str) -> str:
    return "\n".join(filter(None, [" ".join(line.split()) for line in block.split(_LINE)]))


def _escaped(text: str) -> str:
    """A text as cleaning writes it."""
    return text.replace("&", "&amp;").replace("\xa0", "&nbsp;").replace("<", "&lt;").replace(">", "&gt;")
