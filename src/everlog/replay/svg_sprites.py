"""SVG sprites: the signs that a page takes out of another file by `<use href="icons.svg#name">`, put into the page.

A browser takes elements only out of files of the page's own origin, and a page under `sandbox` has none.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from html import unescape
from typing import TYPE_CHECKING

from lxml import etree

from everlog.replay.html_tokens import escaped

if TYPE_CHECKING:
    from collections.abc import Iterator

# The text of a held file by its timestamp and URL; None if it cannot be had.
SpriteText = Callable[[str, str], str | None]

# Files of one page, and the size of one: sets of 2,000 icons are 1 MB, pages take signs from one or two.
MOST_SPRITES = 8
LONGEST_SPRITE = 2_000_000
# Shapes and what colours them. Nothing here can hold a script, a page or another file.
_SHAPES = frozenset(
    "symbol g path circle ellipse line polygon polyline rect text tspan use defs title desc linearGradient "
    "radialGradient stop clipPath mask pattern".split(),
)
_ATTRIBUTES = frozenset(
    "id d x y x1 y1 x2 y2 cx cy r rx ry fx fy dx dy width height points transform viewBox preserveAspectRatio fill "
    "fill-opacity fill-rule clip-rule stroke stroke-width stroke-linecap stroke-linejoin stroke-miterlimit "
    "stroke-dasharray stroke-dashoffset stroke-opacity opacity offset stop-color stop-opacity gradientUnits "
    "gradientTransform patternUnits clip-path mask font-size font-family font-weight text-anchor color class".split(),
)
_USE = re.compile(r"(<use\b[^<>]{0,2000}?\s(?:xlink:)?href=\")([^\"#]{1,4000})#([^\"]{1,200})(?=\")", re.IGNORECASE)
_ADDRESS = re.compile(r"/web/(\d{14})/(.+)", re.DOTALL)
_OF_ID = re.compile(r"url\(\s*['\"]?#([^'\")\s]{1,200})['\"]?\s*\)")
_HREFS = ("href", "{http://www.w3.org/1999/xlink}href")


def with_sprites(text: str, prefix: str, sprite: SpriteText) -> str:
    """A rewritten page that has the signs it uses inside of itself; what is not held stays as it is.

    >>> page = '<svg><use href="http://r/web/20200101000000/http://a.org/i.svg#x"></use></svg>'
    >>> sign = '<svg xmlns="http://www.w3.org/2000/svg"><symbol id="x"><path d="M0 0"/></symbol></svg>'
    >>> shown = with_sprites(page, "http://r", lambda at, url: sign)
    >>> shown.partition("</svg>")[0], '<symbol id="everlog-0-x"><path d="M0 0"></path></symbol>' in shown
    ('<svg><use href="#everlog-0-x"></use>', True)
    """
    if "<use" not in text and "<USE" not in text:
        return text
    signs: dict[str, str | None] = {}

    def placed(found: re.Match[str]) -> str:
        address, name = unescape(found[2]), unescape(found[3])
        if address not in signs:
            meant = _ADDRESS.fullmatch(address.removeprefix(prefix)) if address.startswith(prefix) else None
            held = sprite(meant[1], meant[2]) if meant is not None and len(signs) < MOST_SPRITES else None
            signs[address] = _inlined(held, _mark(len(signs))) if held is not None else None
        if signs[address] is None:
            return found[0]
        return f"{found[1]}#{escaped(_mark([*signs].index(address)) + name)}"

    rewritten = _USE.sub(placed, text)
    return rewritten + "".join(sign for sign in signs.values() if sign is not None)


def _mark(number: int) -> str:
    """What names of elements begin with, so that they are not those of the page."""
    return f"everlog-{number}-"


def _inlined(svg: str, mark: str) -> str | None:
    """The shapes of a file as HTML; None if it is none of SVG."""
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, recover=True)
    try:
        root = etree.fromstring(svg[:LONGEST_SPRITE].encode("utf-8", "replace"), parser)
    except etree.XMLSyntaxError:
        return None
    if root is None or _name(root) != "svg":
        return None
    inside = "".join(piece for child in root for piece in _written(child, mark))
    # It takes no room, and no rule of the page reaches its frame.
    return (
        '<svg aria-hidden="true" style="all:initial;position:absolute;width:0;height:0;overflow:hidden">'
        f"{inside}</svg>"
    )


def _written(element: etree._Element, mark: str, depth: int = 0) -> Iterator[str]:
    name = _name(element)
    # A drawing inside of another is a sign as well.
    if name == "svg":
        name = "symbol"
    if name not in _SHAPES or depth > 50:
        return
    yield f"<{name}"
    for attribute, value in element.attrib.items():
        if attribute == "id":
            yield f' id="{escaped(mark + str(value))}"'
        elif attribute in _HREFS and str(value).startswith("#"):
            yield f' href="#{escaped(mark + str(value)[1:])}"'
        # An escape may spell an address too.
        elif attribute in _ATTRIBUTES and "url(" not in str(value).lower() and "\\" not in str(value):
            yield f' {attribute}="{escaped(str(value))}"'
        elif attribute in _ATTRIBUTES and (found := _OF_ID.fullmatch(str(value).strip())) is not None:
            yield f' {attribute}="url(#{escaped(mark + found[1])})"'
    yield f">{escaped(element.text or '') if name in {'text', 'tspan'} else ''}"
    for child in element:
        yield from _written(child, mark, depth + 1)
    yield f"</{name}>"


def _name(element: etree._Element) -> str:
    return etree.QName(element).localname if isinstance(element.tag, str) else ""
