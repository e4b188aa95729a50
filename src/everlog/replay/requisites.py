"""Requisites: the files that a page, a style sheet, a drawing or a manifest needs to be shown.

    requisites_of            those of a parsed page
    requisites_of_css        those of a style sheet: what it imports, its fonts and pictures
    requisites_of_svg        those of a drawing that is shown as a document
    requisites_of_manifest   the icons of a web app manifest
    with_icon                those of a front page, with the icon that browsers ask for unasked

All say how many they left out beyond the limits.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin

from everlog.core.urls import host_of
from everlog.replay.html_decode import query_encoding
from everlog.replay.html_places import CSS_ATTRIBUTES, PLACES, REQUISITE_KINDS, Kind
from everlog.replay.link_base import LinkBase
from everlog.replay.page_references import of_style, page_references
from everlog.replay.style_rewrite import sheet_references
from everlog.replay.xml_tree import parse_xml, plain_name, sheets_before

if TYPE_CHECKING:
    from everlog.core.tree import Element

# Requisites of one page, at most, the pictures of its article among them. Of 9,132 pages of 84 blogs half name 17 or
# fewer, 99 in a hundred 218 or fewer, and five more than this (339 at most): lists with a picture for everything.
MOST_PER_PAGE = 300
# References of one style sheet or drawing, at most: icon fonts and flags of all countries are 250 to 500 pictures.
MOST_PER_SHEET = 500
MOST_ICONS = 50
# What is shown in the place of a picture.
_DOCUMENTS = frozenset(("drawing", "frame"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Requisite:
    """A file that something needs to be shown: its absolute address without fragment, and what it is.

    `is_guess` is set where nobody names it, and browsers ask for it all the same.
    """

    url: str
    kind: Kind
    is_guess: bool = False

    @property
    def is_document(self) -> bool:
        """Whether browsers ask for what it names itself."""
        return self.kind in _DOCUMENTS


@dataclass(frozen=True, slots=True, kw_only=True)
class Requisites:
    """What something needs to be shown, in its order, each once; and how many more it names beyond the limit."""

    kept: tuple[Requisite, ...] = ()
    beyond: int = 0

    def __iter__(self) -> Iterator[Requisite]:
        return iter(self.kept)

    def __len__(self) -> int:
        return len(self.kept)


NONE_NEEDED = Requisites()


def requisites_of(
    root: Element, url: str, body: bytes | None = None, attributes: AbstractSet[str] | None = None,
    content_type: str | None = None,
) -> Requisites:
    """What a page needs, in the order of the page, each once.

    Its `body` and the names of the `attributes` in it, if they are at hand, save time. The body and the `content_type`
    tell in which encoding it asks.

    Of a picture in several sizes these are the one that `src` names and the one that a browser takes.
    Frames of other hosts are other sites' pages: only those of the page's own host are needed.

    >>> from lxml import etree
    >>> page = etree.HTML('<link rel=stylesheet href=/a.css?v=1><img src=i.png><p style="filter: url(//b.org/c.png)">')
    >>> [each.url for each in requisites_of(page, "https://a.org/post/")]
    ['https://a.org/a.css?v=1', 'https://a.org/post/i.png', 'https://b.org/c.png']
    """
    base = LinkBase(url=url)
    if body is not None:
        base = LinkBase(url=url, encoding=cache(partial(query_encoding, body, content_type)))
    own = host_of(url)
    named = page_references(root, base, body, attributes)
    return _kept((each for each in named if each[1] != "frame" or host_of(each[0]) == own), url, MOST_PER_PAGE)


def requisites_of_css(text: str, url: str) -> Requisites:
    """What a style sheet needs: other sheets, fonts, pictures.

    >>> found = requisites_of_css("@import 'b.css'; p { background: url(c.png) }", "http://a.org/x/a.css")
    >>> [(each.kind, each.url) for each in found]
    [('style', 'http://a.org/x/b.css'), ('image', 'http://a.org/x/c.png')]
    """
    base = LinkBase(url=url)
    named = ((full, each.kind) for each in sheet_references(text) if (full := base.full(each.url)) is not None)
    return _kept(named, url, MOST_PER_SHEET)


def requisites_of_svg(text: str, url: str) -> Requisites:
    """What a drawing needs that is shown as a document, or of which parts are: in an `img` it gets none of that.

    >>> found = requisites_of_svg('<svg><image href="a.png"/><path fill="url(b.svg#c)"/></svg>', "http://a.org/x/a.svg")
    >>> [each.url for each in found]
    ['http://a.org/x/a.png', 'http://a.org/x/b.svg']
    """
    own = host_of(url)
    base = LinkBase(url=url)
    named = ((full, kind) for link, kind in _named_by_svg(text) if (full := base.full(link)) is not None)
    return _kept((each for each in named if each[1] != "frame" or host_of(each[0]) == own), url, MOST_PER_SHEET)


def requisites_of_manifest(body: bytes, url: str) -> Requisites:
    """The icons that a web app manifest names.

    >>> requisites_of_manifest(b'{"icons": [{"src": "/i.png"}, 7]}', "https://a.org/m.json").kept
    (Requisite(url='https://a.org/i.png', kind='icon', is_guess=False),)
    """
    try:
        said = json.loads(body)
    except (ValueError, RecursionError):
        return NONE_NEEDED
    icons: Any = said.get("icons") if isinstance(said, dict) else None
    named = [icon.get("src") for icon in icons if isinstance(icon, dict)] if isinstance(icons, list) else []
    base = LinkBase(url=url)
    full = (base.full(link) for link in named if isinstance(link, str))
    return _kept(((each, "icon") for each in full if each is not None), url, MOST_ICONS)


def with_icon(named: Requisites, url: str) -> Requisites:
    """The requisites of a front page; with the icon at the usual place of its host, if it names none."""
    if any(each.kind == "icon" for each in named):
        return named
    guess = Requisite(url=urljoin(url, "/favicon.ico"), kind="icon", is_guess=True)
    return replace(named, kept=(*named.kept, guess))


def _named_by_svg(text: str) -> Iterator[tuple[str, Kind]]:
    """Pictures, parts of other drawings, scripts, what style and paint name, and the sheets that stand before it."""
    root = parse_xml(text)
    if root is None:
        return
    for said in sheets_before(root):
        yield said.get("href", ""), "style"
    for element in root.iter():
        if not isinstance(element.tag, str):
            continue
        element_name = plain_name(element.tag)
        if element_name == "style":
            yield from of_style("".join(str(part) for part in element.itertext()))
        for key, value in element.items():
            name = plain_name(str(key))
            kind = PLACES.get((element_name, name))
            if kind in REQUISITE_KINDS and kind is not None:
                yield str(value), kind
            elif name in CSS_ATTRIBUTES and "(" in value:
                yield from of_style(str(value))


def _kept(named: Iterable[tuple[str, Kind]], url: str, most: int) -> Requisites:
    """As many as are kept of what the document at `url` names."""
    found: dict[str, Kind] = {}
    beyond: set[str] = set()
    for full, kind in named:
        if full in found:
            # A picture that is shown as a document elsewhere needs what it names.
            if kind in _DOCUMENTS and found[full] == "image":
                found[full] = kind
        elif full == url:
            continue
        elif len(found) < most:
            found[full] = kind
        else:
            beyond.add(full)
    kept = tuple(Requisite(url=full, kind=kind) for full, kind in found.items())
    return Requisites(kept=kept, beyond=len(beyond))
