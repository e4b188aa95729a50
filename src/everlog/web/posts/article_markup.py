"""Article markup: what strangers wrote, made fit to stand on a page of ours.

It was cleaned before: nothing in it runs or leads anywhere. Here it is put in order, so that readers who hear a page
or go through it by keyboard get along, and nothing in it can be mistaken for a part of the page around it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from lxml import etree

from everlog.core.urls import canonical
from everlog.web.page_templates import is_language

if TYPE_CHECKING:
    from collections.abc import Iterator

    from everlog.core.tree import Element

# Ids of an article begin with this: none is one of the page's own.
OWN = "in-"
_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
_LISTS = frozenset(("ul", "ol"))
# What browsers can show of a part of the world that has no words in it.
_SHOWN = ("img", "video", "audio", "picture")
_NUMBERS = re.compile(r"[\d\s]*\d[\d\s]*")
_SIZE = re.compile(r"[1-9]\d{0,3}")


def put_in_order(root: Element, url: str) -> None:
    """An article's markup, in place: ids that are its own, footnotes that lead there and back, headings below the
    title, lists that are lists, tables and code that scroll by themselves, pictures with words.

    >>> from everlog.core.tree import parse_fragment
    >>> root = parse_fragment('<h1 id="comments">A</h1><a href="http://a.org/b#comments">Up</a><li>x</li>')
    >>> put_in_order(root, "https://a.org/b/")
    >>> etree.tostring(root.find("body")).decode()
    '<body><h2 id="in-comments">A</h2><a href="#in-comments">Up</a><div>x</div></body>'
    """
    _own_ids(root, url)
    _lower_headings(root)
    _mend_lists(root)
    for element in root.iter(etree.Element):
        if not is_language(element.get("lang", "en")):
            del element.attrib["lang"]
        # Of pages that colour code; here they would be those of our own style sheet.
        element.attrib.pop("class", "")
    for link in list(root.iter("a")):
        _mend_link(link)
    for picture in root.iter("img"):
        _name_picture(picture)
    for table in list(root.iter("table")):
        _without_frame(table)
    for code in root.iter("pre"):
        code.set("tabindex", "0")
    for table in list(root.iter("table")):
        _let_scroll(table)


def written(root: Element) -> str:
    """The markup inside of a document that was parsed from a fragment."""
    body = root.find("body")
    if body is None:
        return ""
    # What stands before the first element is text, and not escaped yet.
    holder = etree.Element("div")
    holder.text = body.text
    before = etree.tostring(holder, method="html", encoding="unicode")[len("<div>"):-len("</div>")]
    return before + "".join(etree.tostring(each, method="html", encoding="unicode") for each in body)


def replaced(element: Element, tag: str, text: str, **attributes: str) -> None:
    """Another element in the place of one, with nothing in it but a text."""
    tail = element.tail
    element.clear()
    element.tag, element.tail, element.text = tag, tail, text
    for name, value in attributes.items():
        element.set(name.rstrip("_"), value)


def _own_ids(root: Element, url: str) -> None:
    """Ids with a beginning of their own, each once; links to them lead to them on this page."""
    known: set[str] = set()
    for element in root.iter(etree.Element):
        name = element.get("id")
        if name is None:
            continue
        if not name.strip() or name in known:
            del element.attrib["id"]
            continue
        known.add(name)
        element.set("id", _own(name))
    own = canonical(url)
    for link in root.iter("a"):
        address, mark, name = (link.get("href") or "").partition("#")
        if mark and name in known and (not address or canonical(address) == own):
            link.set("href", f"#{_own(name)}")
        elif mark and not address:
            # It leads nowhere: what it led to was no part of the article.
            del link.attrib["href"]


def _own(name: str) -> str:
    return OWN + "-".join(name.split())


def _lower_headings(root: Element) -> None:
    """The title of the page is its only first heading."""
    if next(root.iter("h1"), None) is None:
        return
    for heading in root.iter(*_HEADINGS):
        heading.tag = _HEADINGS[min(_HEADINGS.index(heading.tag) + 1, len(_HEADINGS) - 1)]


def _mend_lists(root: Element) -> None:
    """What is said to be a part of a list stands in one, and nothing else does."""
    for item in list(root.iter("li")):
        above = item.getparent()
        if above is None or above.tag not in _LISTS:
            item.tag = "div"
    for part in list(root.iter("dt", "dd")):
        above = part.getparent()
        if above is None or above.tag not in {"dl", "div"} or next(part.iterancestors("dl"), None) is None:
            part.tag = "div"
    for found in list(root.iter(*_LISTS)):
        for child in list(found):
            if child.tag == "li":
                continue
            item = etree.Element("li")
            item.tail, child.tail = child.tail, None
            found.replace(child, item)
            item.append(child)
        if len(found) == 0:
            found.tag = "div"
    for found in list(root.iter("dl")):
        if any(child.tag not in {"dt", "dd"} for child in found) or len(found) == 0:
            for part in found:
                part.tag = "div" if part.tag in {"dt", "dd"} else part.tag
            found.tag = "div"


def _mend_link(link: Element) -> None:
    """A link with nothing to be seen or heard is a mark in the text, if anything."""
    if _text(link).strip() or next(link.iter(*_SHOWN), None) is not None:
        return
    link.attrib.pop("href", "")
    link.tag = "span"


def _name_picture(picture: Element) -> None:
    """A picture without words is named by its file where it is all that a link has; else it is passed over."""
    for side in ("width", "height"):
        if (value := picture.get(side)) is not None and not _SIZE.fullmatch(value):
            del picture.attrib[side]
    if (picture.get("alt") or "").strip():
        return
    around = next(picture.iterancestors("a"), None)
    is_all = around is not None and around.get("href") and not _text(around).strip()
    name = (picture.get("src") or "").partition("?")[0].rpartition("/")[2]
    picture.set("alt", f"Picture {name}".strip() if is_all else "")


def _without_frame(table: Element) -> None:
    """A table of one cell is a frame; and one of code beside its line numbers is code to those who read it."""
    cells = list(table.iter("td", "th"))
    above = table.getparent()
    if above is None or len(cells) not in {1, 2} or next(table.iter("caption"), None) is not None:
        return
    if len(cells) == 1:
        kept = cells[0]
        kept.tag = "div"
        kept.attrib.clear()
    else:
        code = next(cells[1].iter("pre"), None)
        if code is None or not _NUMBERS.fullmatch(_text(cells[0])):
            return
        kept = code
    kept.tail = table.tail
    above.replace(table, kept)


def _let_scroll(table: Element) -> None:
    """A table too wide for the page scrolls in a frame that the keyboard gets to."""
    if next(table.iterancestors("table"), None) is not None:
        return
    frame = etree.Element("div")
    frame.set("class", "scrolls")
    frame.set("tabindex", "0")
    frame.set("role", "region")
    frame.set("aria-label", next(_captions(table), "Table"))
    frame.tail, table.tail = table.tail, None
    above = table.getparent()
    if above is not None:
        above.replace(table, frame)
        frame.append(table)


def _text(element: Element) -> str:
    return "".join(map(str, element.itertext()))


def _captions(table: Element) -> Iterator[str]:
    for caption in table.iter("caption"):
        if words := " ".join(_text(caption).split()):
            yield words[:100]
