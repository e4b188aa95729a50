"""The text and the markup of one comment, without what stands in it that is not its own."""

from __future__ import annotations

from collections.abc import Container, Sequence
from copy import deepcopy

from everlog.core.tree import Element, drop, take_text
from everlog.markup.cleaning import clean_html, clean_text_markup
from everlog.markup.cutting import Cutter, remove_cuts
from everlog.markup.paragraphs import simple_body
from everlog.markup.revealing import without_words

# What never is text of a comment: forms to answer it. Scripts, buttons and hidden elements go as in articles.
_FORMS = ("form", "fieldset")
_HOLDERS = frozenset("div article section li dd td span main body template".split())
# Most comments are paragraphs and nothing else: no form, script, link or medium is to be looked for in them.
_PLAIN = frozenset("p br em i strong b blockquote".split())


class Bodies:
    """Reads the bodies of a page's comments; the page stays as it is."""

    def __init__(self, url: str) -> None:
        self._url = url
        # It remembers every id it meets, so it must not outlive its page.
        self._cutter = Cutter(())

    def read(self, parts: Sequence[Element], without: Container[Element] = ()) -> tuple[str, str]:
        """Text and cleaned HTML of the elements that hold a comment, less the elements it must not hold.

        >>> from everlog.core.tree import parse
        >>> body = parse(b"<div>Well.<a class=reply>Reply</a> <i>No.</i></div>")[0]
        >>> Bodies("http://a.org/").read([body[0]], {body[0][0]})
        ('Well. No.', 'Well. <i>No.</i>')
        """
        is_one = len(parts) == 1 and not without and parts[0].tag in _HOLDERS
        simple = simple_body(parts[0]) if is_one else None
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
