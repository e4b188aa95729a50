"""SVG sprites and filters: what a page takes out of other files, put where a page without an origin can reach it.

    with_sprites   a page that has the signs of `<use href="icons.svg#name">` inside of itself
    with_filters   a page or style sheet whose `filter: url(effects.svg#name)` holds the filter

A browser takes either only out of files of the page's own origin, and a page under `sandbox` has none. Gradients, masks
and clip paths of other files need no more than that they may be shared (`Access-Control-Allow-Origin`).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from html import unescape

from everlog.replay.html_tokens import escaped
from everlog.replay.style_rewrite import data_url
from everlog.replay.svg_shapes import drawing, name_of, rules, shapes

# The text of a held file by its timestamp and URL; None if it cannot be had.
SpriteText = Callable[[str, str], str | None]

# Files of one page: most pages take signs from one or two.
MOST_SPRITES = 8
# A filter is some hundred letters.
LONGEST_FILTER = 50_000
_USE = re.compile(r"(<use\b[^<>]{0,2000}?\s(?:xlink:)?href=\")([^\"#]{1,4000})#([^\"]{1,200})(?=\")", re.IGNORECASE)
_ADDRESS = re.compile(r"/web/(\d{14})/(.+)", re.DOTALL)
# The property, or the attribute of SVG, with the address of a file as the rewriters write it.
_FILTER = re.compile(
    r"(\bfilter\s{0,9}(?::|=\")[^;{}<>\"]{0,200}?url\((?:\"|&quot;|&#34;))"
    r"([^\"&<>()\s#]{1,4000}(?:&(?!quot;|#34;)[^\"&<>()\s#]{1,4000}){0,50})"
    r"#([^\"&<>()\s]{1,200})(?=\"|&quot;|&#34;)", re.IGNORECASE,
)


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
    files = _Files(prefix, sprite)
    signs: dict[str, str | None] = {}

    def placed(found: re.Match[str]) -> str:
        address, name = unescape(found[2]), unescape(found[3])
        if address not in signs:
            held = files.text(address)
            signs[address] = _inlined(held, _mark(len(signs))) if held is not None else None
        if signs[address] is None:
            return found[0]
        return f"{found[1]}#{escaped(f'{_mark([*signs].index(address))}-{name}')}"

    rewritten = _USE.sub(placed, text)
    return rewritten + "".join(sign for sign in signs.values() if sign is not None)


def with_filters(text: str, prefix: str, sprite: SpriteText) -> str:
    """A rewritten page or style sheet whose filters of other files stand in their addresses.

    >>> sheet = 'p { filter: url("http://r/web/20200101000000/http://a.org/f.svg#x") }'
    >>> effect = '<svg xmlns="http://www.w3.org/2000/svg"><filter id="x"><feFlood/></filter></svg>'
    >>> with_filters(sheet, "http://r", lambda at, url: effect)[:60]
    'p { filter: url("data:image/svg+xml;charset=utf-8,%3Csvg%20x'
    """
    if f"{prefix}/web/" not in text or not _FILTER.search(text):
        return text
    files = _Files(prefix, sprite)

    def placed(found: re.Match[str]) -> str:
        held = files.text(unescape(found[2]))
        effect = _filter(held, unescape(found[3])) if held is not None else None
        return found[0] if effect is None else f"{found[1]}{effect}"

    return _FILTER.sub(placed, text)


class _Files:
    """The files that one document takes something out of, each looked up once."""

    def __init__(self, prefix: str, sprite: SpriteText) -> None:
        self._prefix, self._sprite = prefix, sprite
        self._known: dict[str, str | None] = {}

    def text(self, address: str) -> str | None:
        if address not in self._known:
            meant = _ADDRESS.fullmatch(address.removeprefix(self._prefix)) if address.startswith(self._prefix) else None
            is_one_more = meant is not None and len(self._known) < MOST_SPRITES
            self._known[address] = self._sprite(meant[1], meant[2]) if meant is not None and is_one_more else None
        return self._known[address]


def _mark(number: int) -> str:
    """What names of elements begin with, so that they are not those of the page."""
    return f"everlog-{number}"


def _inlined(svg: str, mark: str) -> str | None:
    """The shapes of a file as HTML; None if it is none of SVG."""
    root = drawing(svg)
    if root is None:
        return None
    said = rules(root, mark)
    inside = "".join(shapes(child, mark, is_ruled=bool(said)) for child in root)
    style = f"<style>{said}</style>" if said else ""
    # It takes no room, and no rule of the page reaches its frame.
    return (
        '<svg aria-hidden="true" style="all:initial;position:absolute;width:0;height:0;overflow:hidden">'
        f"{style}{inside}</svg>"
    )


def _filter(svg: str, name: str) -> str | None:
    """The address that holds a filter of a file, by its name; None if it has none of it."""
    root = drawing(svg)
    for element in root.iter() if root is not None else ():
        if name_of(element) == "filter" and element.get("id") == name:
            text = shapes(element, "f")
            if len(text) > LONGEST_FILTER:
                return None
            return data_url("image/svg+xml", f'<svg xmlns="http://www.w3.org/2000/svg">{text}</svg>') + f"#f-{name}"
    return None
