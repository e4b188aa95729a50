"""References of a page: the files that it names to be shown, in the page itself and in the documents in it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from collections.abc import Set as AbstractSet
from copy import deepcopy
from dataclasses import replace
from functools import lru_cache
from html import unescape
from typing import cast

from lxml import etree

from everlog.core.links import base_of
from everlog.core.tree import Element, drop, parse_fragment
from everlog.core.urls import absolute
from everlog.markup.revealing import LAZY, SPARE, is_empty_picture, is_picture, is_pixel, lazy_address
from everlog.markup.srcset import candidates, largest
from everlog.replay.css_references import css_references
from everlog.replay.html_places import (
    CSS_ATTRIBUTES,
    DRAWN_FRAME,
    LAZY_BACKGROUNDS,
    LAZY_PLACES,
    PLACES,
    REQUISITE_KINDS,
    Kind,
    link_kind,
    meta_kind,
)
from everlog.replay.link_base import LinkBase
from everlog.replay.picture_choice import pictures_taken
from everlog.replay.style_rewrite import data_text, sheet_references
from everlog.replay.xml_tree import sheet_said

# Documents in documents, as replay shows them.
MOST_IN_EACH_OTHER = 3

# Elements with an address of their own, but for `link`, `meta` and pictures; and which of their attributes have one.
_NAMING: dict[str, tuple[tuple[str, Kind], ...]] = {}
for (_tag, _name), _kind in PLACES.items():
    if _kind in REQUISITE_KINDS and _tag not in {"img", "source"}:
        _NAMING[_tag] = (*_NAMING.get(_tag, ()), (_name, _kind))
for _tag, _name in LAZY_PLACES:
    if (kind_ := PLACES.get((_tag, LAZY_PLACES[_tag, _name]))) in REQUISITE_KINDS and _tag in _NAMING:
        _NAMING[_tag] = (*_NAMING[_tag], (_name, kind_))
# Case is as libxml2 writes names: in small letters, but for those of SVG in XHTML.
_WALKED = ("link", "meta", "img", "source", "style", *_NAMING)
_AHEAD: dict[str, Kind] = {"style": "style", "script": "script", "font": "font"}
# Before the first element of XHTML.
_XML, _LONGEST_PROLOGUE = b"<?xml", 4_096
_INSTRUCTION = re.compile(rb"<\?xml-stylesheet\s(.{1,2000}?)\?>", re.DOTALL)
_DATA = re.compile(r"\s*data:", re.IGNORECASE)
_DATA_PAGE = re.compile(r"data:\s*text/html", re.IGNORECASE)
_SHOWN_SOURCES = frozenset(("audio", "video"))
_XLINK = "{http://www.w3.org/1999/xlink}href"
# All values of attributes that hold CSS, or the picture of a background. (Attributes of SVG with `url()` nearly always
# name elements of their own document.) Few pages have any: single strings are found in their bytes in a fraction of the
# time.
_STYLES = etree.XPath("//@style")
_PAINTING = CSS_ATTRIBUTES - {"style"}
_PAINTED = etree.XPath(" | ".join(f"//@{name}" for name in sorted(_PAINTING)))
_BACKGROUNDS = etree.XPath(" | ".join(f"//@{name}" for name in LAZY_BACKGROUNDS))
_MAY_BE_BEHIND = (b"data-b", b"data-lazy-b", b"data-image-src")
# A function of CSS, whose bracket some programs write as a reference, as they do with all but letters and digits.
_FUNCTIONS = (b"url(", b"image-set(", b"url&", b"image-set&")
# The name of a function of CSS, as long as any of ours with every letter as an escape.
_ESCAPED_NAME = re.compile(rb"\\[-\w\\ \t\r\n\f]{1,160}+\(")
# Style inside of pages, of which it is remembered what it names; some engines write 50 kB into every page.
_STYLES_REMEMBERED = 64


def page_references(
    root: Element, page: LinkBase, body: bytes | None = None, attributes: AbstractSet[str] | None = None,
    depth: int = 0,
) -> Iterator[tuple[str, Kind]]:
    """What a page and the documents in it name: frames that it has the text of, and those that a browser drew.

    The addresses are absolute. The page's `body` and the names of the `attributes` in it, if they are at hand, save
    time.
    """
    may_be_drawn = attributes is None or DRAWN_FRAME in attributes
    drawn = [each for each in root.iter("template") if each.get(DRAWN_FRAME)] if may_be_drawn else []
    if drawn:
        # Their links are relative to addresses of their own.
        root = deepcopy(root)
        drawn = [each for each in root.iter("template") if each.get(DRAWN_FRAME)]
        drop(drawn)
    base = replace(page, url=base_of(root, page.url))
    if body is not None and body.startswith(_XML) and depth == 0:
        yield from _before(body, page)
    for link, kind in _named(root, body, attributes):
        full = base.full(link)
        if full is not None:
            yield full, kind
    if depth < MOST_IN_EACH_OTHER:
        for frame in drawn:
            inner = LinkBase(url=absolute(base.url, frame.get(DRAWN_FRAME)) or base.url)
            yield from page_references(frame, inner, depth=depth + 1)
        for text in filter(None, map(_text_of_frame, root.iter("iframe"))):
            yield from page_references(parse_fragment(text), LinkBase(url=base.url), depth=depth + 1)


def _text_of_frame(frame: Element) -> str | None:
    """The document that a frame has in itself, as its text or as its address."""
    text = frame.get("srcdoc")
    if text is not None:
        return text
    link = (frame.get("src") or "").strip()
    if link.lower() in {"", "about:blank"}:
        link = next((value for name in LAZY if (value := (frame.get(name) or "").strip())), "")
    return data_text(link) if _DATA_PAGE.match(link) else None


def _before(body: bytes, page: LinkBase) -> Iterator[tuple[str, Kind]]:
    """The style sheets that stand before an XHTML page, which the parser of HTML leaves out."""
    head = body[:_LONGEST_PROLOGUE].partition(b"<html")[0]
    for instruction in _INSTRUCTION.findall(head):
        said = sheet_said(unescape(instruction.decode("utf-8", "replace")))
        if said is not None and (full := page.full(said.get("href", ""))) is not None:
            yield full, "style"


def _named(root: Element, body: bytes | None, attributes: AbstractSet[str] | None) -> Iterator[tuple[str, Kind]]:
    """All that a page names, as it is written."""
    for element in root.iter(*_WALKED):
        yield from _READERS.get(element.tag, _of_others)(element)
    # To look for a word in the bytes of a page takes a hundred times as long as to ask for a name.
    has_style = attributes is None or "style" in attributes
    has_paint = attributes is None or not attributes.isdisjoint(_PAINTING)
    if (has_style or has_paint) and (body is None or _may_style(body)):
        for written in _values(_STYLES(root)) if has_style else ():
            if "(" in written:
                yield from of_style(written)
        for written in _values(_PAINTED(root)) if has_paint else ():
            if "(" in written:
                yield from of_style(written)
    has_background = attributes is None or not attributes.isdisjoint(LAZY_BACKGROUNDS)
    if has_background and (body is None or b"\0" in body or any(sign in body for sign in _MAY_BE_BEHIND)):
        for written in _values(_BACKGROUNDS(root)):
            yield from ((link, "image") for link in _of_background(written))


def _may_style(body: bytes) -> bool:
    """Whether a page may have a `url()` or an `image-set()`, however it is written; of UTF-16 the bytes do not tell."""
    small = body.lower()
    return any(name in small for name in _FUNCTIONS) or b"\0" in body or _ESCAPED_NAME.search(body) is not None


def _values(found: object) -> list[str]:
    """The values of attributes that were looked for."""
    return cast("list[str]", found)


def _of_link(link: Element) -> Iterable[tuple[str, Kind]]:
    kind, href = link_kind(link.get("rel"), link.get("type")), link.get("href")
    if kind == "dead":
        kind = _fetched_ahead(link)
    if kind == "style" and href and _DATA.match(href):
        return of_style(data_text(href) or "")
    return ((href, kind),) if href and kind in REQUISITE_KINDS else ()


def _fetched_ahead(link: Element) -> Kind:
    """What a link fetches ahead of need: the page needs it later, and modules of scripts are named nowhere else."""
    relations = (link.get("rel") or "").lower().split()
    if "modulepreload" in relations:
        return "script"
    return _AHEAD.get((link.get("as") or "").lower(), "dead") if "preload" in relations else "dead"


def _of_meta(meta: Element) -> Iterable[tuple[str, Kind]]:
    kind, content = meta_kind(meta.get("name")), meta.get("content")
    return ((content, kind),) if content and kind is not None else ()


def _of_others(element: Element) -> Iterable[tuple[str, Kind]]:
    for name, kind in _NAMING[element.tag]:
        if link := element.get(name) or (element.get(_XLINK) if name == "xlink:href" else None):
            yield link, "drawing" if kind == "frame" and shows_picture(element, link) else kind


def shows_picture(element: Element, link: str) -> bool:
    """Whether an object shows a picture, by its type or else by its address: wherever that is, it is no frame."""
    if element.tag not in {"object", "embed"}:
        return False
    kind = (element.get("type") or "").strip().lower()
    return kind.startswith("image/") if kind else is_picture(link)


@lru_cache(maxsize=_STYLES_REMEMBERED)
def of_style(text: str) -> tuple[tuple[str, Kind], ...]:
    """What style inside of a page names: most pages of a blog have the same, and most of that names nothing."""
    small = text.lower()
    if not any(sign in small for sign in ("url(", "import", "image-set", "\\")):
        return ()
    return tuple((each.url, each.kind) for each in sheet_references(text))


def _of_picture(picture: Element) -> Iterator[tuple[str, Kind]]:
    """The addresses of a picture: as it stands, as scripts would show it, and what a browser takes."""
    if is_pixel(picture):
        return
    if src := picture.get("src"):
        yield src, "image"
    names = [str(name) for name in picture.keys()]  # noqa: SIM118 - an element, not a mapping
    for name in names:
        if name in LAZY and (late := picture.get(name)) and ("/" in late or "." in late):
            yield late, "image"
    # Larger copies, which replay shows where the picture itself shows nothing.
    spare = [value for name in SPARE if name in names and (value := lazy_address(picture.get(name)))]
    if spare and is_empty_picture(src):
        yield spare[0], "image"
    for taken in pictures_taken(picture):
        yield taken, "image"


def _of_source(source: Element) -> Iterator[tuple[str, Kind]]:
    """The file of a player; the sizes of a picture are looked at with it."""
    around = next(source.iterancestors("picture", *_SHOWN_SOURCES), None)
    if around is None or around.tag not in _SHOWN_SOURCES:
        return
    if link := source.get("src"):
        yield link, "media"
    if late := next((value for name in LAZY if (value := lazy_address(source.get(name)))), None):
        yield late, "media"


def _of_style_element(style: Element) -> Iterable[tuple[str, Kind]]:
    return of_style(style.text or "")


def _of_background(written: str) -> Iterable[str]:
    """The picture that a script is to put behind an element: an address, `url()`, or candidates."""
    if "url(" in written.lower():
        return [each.url for each in css_references(written)]
    if ("/" not in written and "." not in written) or "{" in written:
        return ()
    best = largest(candidates(written))
    return (best,) if best is not None else ()


_READERS: dict[str, Callable[[Element], Iterable[tuple[str, Kind]]]] = {
    "img": _of_picture, "link": _of_link, "source": _of_source, "style": _of_style_element, "meta": _of_meta,
}
