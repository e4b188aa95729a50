"""The text and the markup of one comment, without what stands in it that is not its own."""

from __future__ import annotations

import re
from copy import deepcopy
from typing import TYPE_CHECKING

from everlog.reading.cleaning import clean_html, clean_text_markup
from everlog.reading.cutting import Cutter, remove_cuts
from everlog.reading.revealing import without_words
from everlog.tree import LINE, PARAGRAPH, drop, take_text, tidy

if TYPE_CHECKING:
    from collections.abc import Container, Sequence

    from everlog.tree import Element

# What never is text of a comment: forms to answer it. Scripts, buttons and hidden elements go as in articles.
_FORMS = ("form", "fieldset")
_HOLDERS = frozenset("div article section li dd td span main body template".split())
# Most comments are paragraphs and nothing else: no form, script, link or medium is to be looked for in them.
_PLAIN = frozenset("p br em i strong b blockquote".split())
# What stands in paragraphs of which it is certain how cleaning writes them.
_INLINE = frozenset("br em i strong b".split())
_MARKED = re.compile(f"[{PARAGRAPH}{LINE}\ufdd2\ufdd3]")
_ESCAPED = re.compile("[&<>\xa0]")
# Line ends that HTML knows two spellings of, and characters that are none.
_UNCERTAIN = re.compile("[\r\x7f-\x9f\ufeff\ufffe\uffff]")


class Bodies:
    """Reads the bodies of a page's comments; the page stays as it is."""

    def __init__(self, url: str) -> None:
        self._url = url
        # It remembers every id it meets, so it must not outlive its page.
        self._cutter = Cutter(())

    def read(self, parts: Sequence[Element], without: Container[Element] = ()) -> tuple[str, str]:
        """Text and cleaned HTML of the elements that hold a comment, less the elements it must not hold.

        >>> from everlog.tree import parse
        >>> body = parse(b"<div>Well.<a class=reply>Reply</a> <i>No.</i></div>")[0]
        >>> Bodies("http://a.org/").read([body[0]], {body[0][0]})
        ('Well. No.', 'Well. <i>No.</i>')
        """
        simple = simple_body(parts[0]) if len(parts) == 1 and not without else None
        if simple is not None:
            return simple
        whole = _together([_copied(part, without) if without else deepcopy(part) for part in parts])
        if _is_plain(whole):
            markup = clean_text_markup(whole)
            return take_text(whole), markup
        drop(list(whole.iter(*_FORMS)))
        players = remove_cuts(whole, self._cutter)
        without_words(players)
        markup = clean_html(whole, self._url)
        drop(players)
        return take_text(whole), markup


def simple_body(part: Element) -> tuple[str, str] | None:
    """Text and cleaned HTML of an element with nothing but paragraphs in it; None of any other.

    Most comments are so, and what cleaning makes of them is certain: it takes a twentieth of the time that a copy, a
    parser of HTML and a second walk take.

    >>> from everlog.tree import parse
    >>> simple_body(parse(b"<div><p>A &amp; B<br>no<p> <i>C</i></div>")[0][0])
    ('A & B\\nno\\n\\nC', '<p>A &amp; B<br>no</p><p> <i>C</i></p>')
    """
    if part.tag not in _HOLDERS:
        return None
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


def _is_plain(whole: Element) -> bool:
    """Whether nothing stands in an element but text in paragraphs, none of which says anything of itself."""
    return all(element.tag in _PLAIN and not element.attrib for element in whole.iterdescendants())


def _together(parts: list[Element]) -> Element:
    """One element around all; an element that only holds others is that element itself."""
    for part in parts:
        part.tail = None
    if len(parts) == 1 and parts[0].tag in _HOLDERS:
        parts[0].tag = "div"
        return parts[0]
    whole = parts[0].makeelement("div")
    whole.extend(parts)
    return whole


def _copied(element: Element, without: Container[Element]) -> Element:
    """A copy that never looks into what it leaves out: a thread nested in its first comment stays linear."""
    copy = _bare(element)
    waiting = [(element, copy)]
    while waiting:
        source, target = waiting.pop()
        last: Element | None = None
        for child in source:
            if child in without:
                _add_text(target, last, child.tail)
                continue
            last = _bare(child)
            last.tail = child.tail
            target.append(last)
            waiting.append((child, last))
    return copy


def _bare(element: Element) -> Element:
    try:
        copy = element.makeelement(element.tag, {str(name): str(value) for name, value in element.attrib.items()})
    except ValueError:  # names that only a forgiving parser takes
        copy = element.makeelement("span")
    copy.text = element.text
    return copy


def _add_text(target: Element, last: Element | None, text: str | None) -> None:
    if not text:
        return
    before = (target.text if last is None else last.tail) or ""
    if text.isspace():
        if not before or before[-1].isspace():
            return
        text = " "
    if last is None:
        target.text = before + text
    else:
        last.tail = before + text
