"""Requisites: the files that a page, a style sheet or a manifest needs to be shown.

    requisites_of            those of a parsed page
    requisites_of_css        those of a style sheet: what it imports, its fonts and pictures
    requisites_of_manifest   the icons of a web app manifest
    with_icon                those of a front page, with the icon that browsers ask for unasked
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from collections.abc import Set as AbstractSet
from copy import deepcopy
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, cast
from urllib.parse import urldefrag, urljoin

from lxml import etree

from everlog.core.links import base_of
from everlog.core.tree import Element, drop, parse_fragment
from everlog.core.urls import absolute, host_of, with_empty_query
from everlog.markup.revealing import LAZY, SPARE, is_empty_picture, is_pixel, lazy_address
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
from everlog.replay.picture_choice import pictures_taken

# Requisites of one page, at most, the pictures of its article among them. Of 9,132 pages of 84 blogs half name 17 or
# fewer, 99 in a hundred 218 or fewer, and five more than this (339 at most): lists with a picture for everything.
MOST_PER_PAGE = 300
# References of one style sheet, at most: icon fonts and flags of all countries are 250 to 500 pictures.
MOST_PER_SHEET = 500
MOST_ICONS = 50
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
_SHOWN_SOURCES = frozenset(("audio", "video"))
_XLINK = "{http://www.w3.org/1999/xlink}href"
# All values of attributes that hold CSS, or the picture of a background. (Attributes of SVG with `url()` nearly always
# name elements of their own document.) Few pages have any: single strings are found in their bytes in a fraction of the
# time.
_STYLES = etree.XPath("//@style")
_PAINTING = CSS_ATTRIBUTES - {"style"}
_PAINTED = etree.XPath(" | ".join(f"//@{name}" for name in sorted(_PAINTING)))
_BACKGROUNDS = etree.XPath(" | ".join(f"//@{name}" for name in LAZY_BACKGROUNDS))
_MAY_STYLE, _MAY_BE_BEHIND = b"url(", (b"data-b", b"data-lazy-b", b"data-image-src")
# Addresses that do not depend on their page and are the same on all pages of a blog.
_REMEMBERED = 8_192
# Style inside of pages, of which it is remembered what it names; some engines write 50 kB into every page.
_STYLES_REMEMBERED = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class Requisite:
    """A file that something needs to be shown: its absolute address without fragment, and what it is.

    `is_guess` is set where nobody names it, and browsers ask for it all the same.
    """

    url: str
    kind: Kind
    is_guess: bool = False


def requisites_of(
    root: Element, url: str, body: bytes | None = None, attributes: AbstractSet[str] | None = None,
) -> tuple[Requisite, ...]:
    """What a page needs, in the order of the page, each once.

    Its `body` and the names of the `attributes` in it, if they are at hand, save time.

    Of a picture in several sizes these are the one that `src` names and the one that a browser takes.
    Frames of other hosts are other sites' pages: only those of the page's own host are needed.

    >>> page = etree.HTML('<link rel=stylesheet href=/a.css?v=1><img src=i.png><p style="filter: url(//b.org/c.png)">')
    >>> [each.url for each in requisites_of(page, "https://a.org/post/")]
    ['https://a.org/a.css?v=1', 'https://a.org/post/i.png', 'https://b.org/c.png']
    """
    found: dict[str, Kind] = {}
    own = host_of(url)
    for full, kind in _of_documents(root, url, body, attributes):
        if full in found or full == url or (kind == "frame" and host_of(full) != own):
            continue
        found[full] = kind
        if len(found) >= MOST_PER_PAGE:
            break
    return tuple(Requisite(url=full, kind=kind) for full, kind in found.items())


def requisites_of_css(text: str, url: str) -> tuple[Requisite, ...]:
    """What a style sheet needs: other sheets, fonts, pictures.

    >>> found = requisites_of_css("@import 'b.css'; p { background: url(c.png) }", "http://a.org/x/a.css")
    >>> [(each.kind, each.url) for each in found]
    [('style', 'http://a.org/x/b.css'), ('image', 'http://a.org/x/c.png')]
    """
    found: dict[str, Kind] = {}
    for reference in css_references(text):
        full = _full(_root_of(url), url, reference.url)
        if full is not None and full != url:
            found.setdefault(full, reference.kind)
        if len(found) >= MOST_PER_SHEET:
            break
    return tuple(Requisite(url=full, kind=kind) for full, kind in found.items())


def requisites_of_manifest(body: bytes, url: str) -> tuple[Requisite, ...]:
    """The icons that a web app manifest names.

    >>> requisites_of_manifest(b'{"icons": [{"src": "/i.png"}, 7]}', "https://a.org/m.json")
    (Requisite(url='https://a.org/i.png', kind='icon', is_guess=False),)
    """
    try:
        said = json.loads(body)
    except (ValueError, RecursionError):
        return ()
    icons: Any = said.get("icons") if isinstance(said, dict) else None
    named = [icon.get("src") for icon in icons if isinstance(icon, dict)] if isinstance(icons, list) else []
    full = (_full(_root_of(url), url, link) for link in named[:MOST_ICONS] if isinstance(link, str))
    return tuple(Requisite(url=each, kind="icon") for each in dict.fromkeys(filter(None, full)))


def with_icon(named: tuple[Requisite, ...], url: str) -> tuple[Requisite, ...]:
    """The requisites of a front page; with the icon at the usual place of its host, if it names none."""
    if any(each.kind == "icon" for each in named):
        return named
    return (*named, Requisite(url=urljoin(url, "/favicon.ico"), kind="icon", is_guess=True))


def _of_documents(
    root: Element, url: str, body: bytes | None = None, attributes: AbstractSet[str] | None = None, depth: int = 0,
) -> Iterator[tuple[str, Kind]]:
    """What a page and the documents in it name: frames that it has the text of, and those that a browser drew."""
    drawn = [each for each in root.iter("template") if each.get(DRAWN_FRAME)]
    if drawn:
        # Their links are relative to addresses of their own.
        root = deepcopy(root)
        drawn = [each for each in root.iter("template") if each.get(DRAWN_FRAME)]
        drop(drawn)
    base = base_of(root, url)
    start = _root_of(base)
    for link, kind in _named(root, body, attributes):
        full = _full(start, base, link)
        if full is not None:
            yield full, kind
    if depth < MOST_IN_EACH_OTHER:
        for frame in drawn:
            yield from _of_documents(frame, absolute(base, frame.get(DRAWN_FRAME)) or base, depth=depth + 1)
        for text in (text for frame in root.iter("iframe") if (text := frame.get("srcdoc"))):
            yield from _of_documents(parse_fragment(text), base, depth=depth + 1)


def _named(root: Element, body: bytes | None, attributes: AbstractSet[str] | None) -> Iterator[tuple[str, Kind]]:
    """All that a page names, as it is written."""
    for element in root.iter(*_WALKED):
        yield from _READERS.get(element.tag, _of_others)(element)
    # To look for a word in the bytes of a page takes a hundred times as long as to ask for a name.
    has_style = attributes is None or "style" in attributes
    if has_style and (body is None or _MAY_STYLE in body):
        for written in _values(_STYLES(root)):
            if "(" in written:
                yield from _of_style(written)
    has_paint = attributes is None or not attributes.isdisjoint(_PAINTING)
    if has_paint and (body is None or _MAY_STYLE in body):
        for written in _values(_PAINTED(root)):
            if "url(" in written and "url(#" not in written:
                yield from _of_style(written)
    has_background = attributes is None or not attributes.isdisjoint(LAZY_BACKGROUNDS)
    if has_background and (body is None or any(sign in body for sign in _MAY_BE_BEHIND)):
        for written in _values(_BACKGROUNDS(root)):
            yield from ((link, "image") for link in _of_background(written))


def _values(found: object) -> list[str]:
    """The values of attributes that were looked for."""
    return cast("list[str]", found)


def _of_link(link: Element) -> Iterable[tuple[str, Kind]]:
    kind, href = link_kind(link.get("rel"), link.get("type")), link.get("href")
    if kind == "dead":
        kind = _fetched_ahead(link)
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
            yield link, kind


@lru_cache(maxsize=_STYLES_REMEMBERED)
def _of_style(text: str) -> tuple[tuple[str, Kind], ...]:
    """What style inside of a page names: most pages of a blog have the same, and most of that names nothing."""
    small = text.lower()
    if not any(sign in small for sign in ("url(", "import", "image-set", "\\")):
        return ()
    return tuple((each.url, each.kind) for each in css_references(text))


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
    if around is not None and around.tag in _SHOWN_SOURCES and (link := source.get("src")):
        yield link, "media"


def _of_style_element(style: Element) -> Iterable[tuple[str, Kind]]:
    return _of_style(style.text or "")


def _of_background(written: str) -> Iterable[str]:
    """The picture that a script is to put behind an element: an address, `url()`, or candidates."""
    if "url(" in written:
        return [each.url for each in css_references(written)]
    if ("/" not in written and "." not in written) or "{" in written:
        return ()
    best = largest(candidates(written))
    return (best,) if best is not None else ()


_READERS: dict[str, Callable[[Element], Iterable[tuple[str, Kind]]]] = {
    "img": _of_picture, "link": _of_link, "source": _of_source, "style": _of_style_element, "meta": _of_meta,
}


def _root_of(url: str) -> str:
    scheme, _, rest = url.partition("://")
    return f"{scheme}://{rest.partition('/')[0]}/"


def _full(root: str, base: str, link: str) -> str | None:
    """The absolute address that a link means, without fragment; None if nothing is to be asked for."""
    if link.startswith(("/", "http://", "https://")):
        return _of_root(root, link)
    link = link.strip()
    if not link or link.startswith(("#", "data:", "javascript:", "about:", "blob:")):
        return None
    return _bare(absolute(base, link), link)


@lru_cache(maxsize=_REMEMBERED)
def _of_root(root: str, link: str) -> str | None:
    return _bare(absolute(root, link), link)


def _bare(full: str | None, link: str) -> str | None:
    return with_empty_query(urldefrag(full).url if "#" in full else full, link) if full is not None else None
