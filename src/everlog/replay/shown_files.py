"""Files that replay shows a document with: a second opinion on what the finder of requisites finds.

A document is rewritten as if all that it names were held, and what is written into it is read. What is shown here and
is not found there would be missing from every replay, and no check that asks the finder again could tell.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from everlog.core.tree import Element, parse_fragment
from everlog.core.urls import canonical, host_of
from everlog.markup.revealing import is_pixel
from everlog.markup.srcset import candidates
from everlog.replay.html_places import SETS, SVG_REFERRING
from everlog.replay.html_rewrite import rewrite_html
from everlog.replay.memento_links import Replayed, View
from everlog.replay.page_references import shows_picture
from everlog.replay.style_rewrite import data_text, rewrite_style
from everlog.replay.xml_rewrite import rewrite_svg

_FRAMES = frozenset(("iframe", "frame", "object", "embed"))
# Links lead to another time than files.
_VIEW = View(prefix="http://replay.invalid", timestamp="20200101000000")
_TIME = "19990101000000"
_PLACE = f"{_VIEW.prefix}/web/{_TIME}/"
_IN_STYLE = re.compile(rf'"{re.escape(_PLACE)}([^"]*)"')


def shown_on_page(text: str, url: str, *, is_xml: bool = False, encoding: str | None = None) -> frozenset[str]:
    """The keys of the files that a page is shown with, if all are held.

    Other sizes of a picture are left out, pictures that count readers, and frames of other hosts: they are not kept on
    purpose.

    >>> sorted(shown_on_page("<img src=b.png><img src=c.gif width=1 height=1><a href=/d>", "https://a.org/"))
    ['a.org/b.png']
    """
    rewritten = rewrite_html(text, url=url, resolve=_all, view=_VIEW, is_xml=is_xml, encoding=encoding)
    return _keys(_of_tree(parse_fragment(rewritten), host_of(url)), url)


def shown_in_svg(text: str, url: str) -> frozenset[str]:
    """The same of a drawing."""
    rewritten = rewrite_svg(text, url=url, resolve=_all, view=_VIEW)
    return _keys(_of_tree(parse_fragment(rewritten), host_of(url)), url)


def shown_by_style(text: str, url: str) -> frozenset[str]:
    """The same of a style sheet."""
    return _keys(_of_style(rewrite_style(text, url=url, resolve=_all, view=_VIEW)), url)


def _all(urls: Sequence[str]) -> Mapping[str, Replayed]:
    return {url: Replayed(timestamp=_TIME, url=url) for url in urls}


def _keys(shown: Iterator[str], url: str) -> frozenset[str]:
    return frozenset(map(canonical, shown)) - {canonical(url)}


def _of_tree(root: Element, own: str) -> Iterator[str]:
    for element in root.iter():
        if not isinstance(element.tag, str):
            yield from _IN_STYLE.findall(element.text or "")
            continue
        if element.tag == "style":
            yield from _of_style(element.text or "")
        if element.tag in SVG_REFERRING or (element.tag == "img" and is_pixel(element)) or _is_idle(element):
            # The first refer to elements of their own document, nearly always.
            continue
        sizes = _sizes_around(element)
        for name, value in element.items():
            if name == "srcdoc":
                yield from _of_tree(parse_fragment(str(value)), own)
            elif name not in SETS and value not in sizes and not _is_other_frame(element, str(value), own):
                yield from _of_value(str(value))


def _is_idle(element: Element) -> bool:
    """Whether a `source` is none of a player: a `picture` has its sizes from other attributes."""
    return element.tag == "source" and next(element.iterancestors("audio", "video"), None) is None


def _sizes_around(element: Element) -> frozenset[str]:
    """The addresses of all sizes of a picture: where it has no other, replay shows the largest that is held."""
    if element.tag != "img":
        return frozenset()
    around = next(element.iterancestors("picture"), element)
    return frozenset(
        link for each in around.iter("img", "source") for link, _ in candidates(each.get("srcset") or "")
    ) - {element.get("data-src", "")}


def _is_other_frame(element: Element, value: str, own: str) -> bool:
    address = value.removeprefix(_PLACE)
    return element.tag in _FRAMES and host_of(address) != own and not shows_picture(element, address)


def _of_value(value: str) -> Iterator[str]:
    if value.startswith(_PLACE):
        yield value.removeprefix(_PLACE)
    elif value[:13].lower() == "data:text/css":
        yield from _of_style(data_text(value) or "")
    else:
        yield from _of_style(value)


def _of_style(text: str) -> Iterator[str]:
    yield from _IN_STYLE.findall(text)
    for data in re.findall(r'"(data:text/css[^"]*)"', text):
        yield from _of_style(data_text(data) or "")
