"""Embeds of an article: films, maps and posts of other sites that stood on its page, and are no part of what was read.

Articles are kept without frames of other sites. Where one stood is said, so that nobody wonders what "see below" means.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from lxml import etree

from everlog.core.selectors import find_all
from everlog.core.tree import parse
from everlog.core.urls import absolute, host_of
from everlog.errors import UnreadablePage
from everlog.markup.revealing import LAZY, is_pixel

if TYPE_CHECKING:
    from collections.abc import Iterator

    from everlog.core.tree import Element

# Embeds of one article that are told.
MOST = 50
# A text that stands before an embed and is shorter than this may stand anywhere.
TELLING = 12
_MARKS = (b"<iframe", b"<IFRAME", b"<embed", b"<EMBED")
# What paragraphs stand in.
_AROUND = frozenset(("body", "div", "section", "article", "header", "footer", "aside"))
_UNSEEN = frozenset(("script", "style", "noscript", "template"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Embed:
    """What was embedded, and the text that stood before it; none: the article began with it."""

    url: str
    before: str


def embeds_of(body: bytes, content_type: str | None, url: str, place: str) -> tuple[Embed, ...]:
    """The embeds inside of the element that an article was read from, on a page as it was captured.

    >>> page = b"<div class=a><p>Here is my film:</p><iframe src=//tube.example/1></iframe></div>"
    >>> embeds_of(page + b"<iframe src=/ad></iframe>", None, "https://a.org/", "div.a")
    (Embed(url='https://tube.example/1', before='Here is my film:'),)
    """
    if not any(mark in body for mark in _MARKS):
        return ()
    try:
        found = find_all(parse(body, content_type), place)
    except (UnreadablePage, ValueError, etree.XPathError):
        return ()
    return tuple(_within(found[0], url))[:MOST] if found else ()


def put_embeds(root: Element, embeds: tuple[Embed, ...]) -> list[Element]:
    """Links to embeds, in the article where they stood; those whose place is not in it are left out."""
    body = root.find("body")
    if body is None or not embeds:
        return []
    places: dict[str, Element] = {}
    for text, holder in _texts(body):
        if len(text) >= TELLING and holder is not body:
            places.setdefault(text, _block(holder))
    links: list[Element] = []
    behind: dict[Element | None, Element] = {}
    for embed in embeds:
        after = places.get(embed.before)
        if after is None and embed.before:
            continue
        note = etree.Element("p")
        note.set("class", "embed")
        link = etree.SubElement(note, "a")
        link.set("href", embed.url)
        link.text = f"Embedded from {host_of(embed.url)}"
        last = behind.get(after, after)
        if last is None:
            body.insert(0, note)
        else:
            note.tail, last.tail = last.tail, None
            last.addnext(note)
        behind[after] = note
        links.append(link)
    return links


def _block(holder: Element) -> Element:
    """The paragraph, list or table that a text stands in: what comes behind it comes behind the whole."""
    above = holder.getparent()
    while above is not None and above.tag not in _AROUND:
        holder, above = above, above.getparent()
    return holder


def _within(article: Element, url: str) -> Iterator[Embed]:
    before = ""
    for text, holder in _texts(article):
        if text and len(text) >= TELLING:
            before = text
        elif not text and holder.tag in {"iframe", "embed"} and not is_pixel(holder):
            values = (holder.get(name) for name in ("src", *LAZY))
            shown = next(filter(None, (absolute(url, value) for value in values if value)), None)
            if shown is not None:
                yield Embed(url=shown, before=before)


def _texts(top: Element) -> Iterator[tuple[str, Element]]:
    """The texts below an element in their order, each with the element it stands in; and, without text, embeds."""
    for event, element in etree.iterwalk(top, events=("start", "end")):
        if not isinstance(element.tag, str):
            continue
        if event == "start":
            if element.tag in {"iframe", "embed"}:
                yield "", element
            elif element.tag not in _UNSEEN and (text := _line(element.text)):
                yield text, element
        elif element is not top and (text := _line(element.tail)):
            above = element.getparent()
            if above is not None:
                yield text, above


def _line(text: str | None) -> str:
    return " ".join(text.split()) if text else ""
