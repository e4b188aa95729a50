"""Style sheets of the archive, rewritten for looking at."""

from __future__ import annotations

import re
from base64 import b64decode
from collections.abc import Callable, Iterator
from urllib.parse import quote, unquote_to_bytes

from everlog.replay.css_references import CssReference, css_references, css_text, rewrite_css
from everlog.replay.memento_links import Replayed, Resolve, View, reference, without_errors

# Nothing, without a request: what is not held is not shown, nobody is asked, and a picture has its words. Where
# `about:invalid` stood, which no policy allows, Chromium wrote an error on its console for each.
NOWHERE = "data:,"
# Style sheets in style sheets in `data:` addresses; nobody writes more than one.
_DEEPEST_DATA = 3
# A font that has a tenth of a second to come, or is never shown: with the live page's preloads it was there in time.
_OPTIONAL_FONT = re.compile(r"(font-display\s{0,9}:\s{0,9})optional\b", re.IGNORECASE)
_DATA = re.compile(r"\s*data:([^,]*),(.*)", re.IGNORECASE | re.DOTALL)


def rewrite_style(text: str, *, url: str, resolve: Resolve, view: View) -> str:
    """A captured style sheet whose references lead to the archive; those that are not held lead nowhere.

    >>> held = {"https://a.org/b.png": Replayed(timestamp="20200101000000", url="https://a.org/b.png")}
    >>> rewrite_style("p {background: url(/b.png), url(c.png)}", url="https://a.org/css/a.css",
    ...               resolve=lambda urls: held, view=View(prefix="http://r", timestamp="20200101000000"))
    'p {background: url("http://r/web/20200101000000/https://a.org/b.png"), url("data:,")}'
    """
    wanted = style_urls(text, url)
    held = resolve(wanted) if wanted else {}
    return restyled(text, url, without_errors(held.get), view)


def style_urls(text: str, url: str) -> tuple[str, ...]:
    """All that a style sheet refers to, each once: absolute, without fragments."""
    named = (reference(url, each.url.strip()) for each in sheet_references(text))
    return tuple(dict.fromkeys(meant[0] for meant in named if meant is not None))


def restyled(
    text: str, url: str, held: Callable[[str], Replayed | None], view: View, depth: int = 0,
    encoding: str | None = None,
) -> str:
    """A style sheet, or the value of a `style` attribute, rewritten with what is known to be held.

    `encoding` is that of the page, if it is none of Unicode.
    """

    def replaced(found: CssReference) -> str:
        link = found.url.strip()
        if link.startswith("#"):
            return link
        if _is_data(link):
            return _data(found, url, held, view, depth)
        meant = reference(url, link, encoding) if link else None
        capture = held(meant[0]) if meant is not None else None
        return view.file(capture, meant[1]) if meant is not None and capture is not None else NOWHERE

    return _OPTIONAL_FONT.sub(r"\1block", rewrite_css(text, replaced))


def sheet_references(text: str, depth: int = 0) -> Iterator[CssReference]:
    """The references of a style sheet and of the style sheets in `data:` addresses in it; none to itself.

    >>> [each.url for each in sheet_references("@import 'data:text/css,p{mask:url(a.svg)}'; b {mask: url(#c)}")]
    ['a.svg']
    """
    for each in css_references(text):
        link = each.url.strip()
        if not link or link.startswith("#"):
            continue
        if not _is_data(link):
            yield each
        elif each.kind == "style" and depth < _DEEPEST_DATA and (inner := data_text(link)) is not None:
            yield from sheet_references(inner, depth + 1)


def _is_data(link: str) -> bool:
    return link[:5].lower() == "data:"


def _data(found: CssReference, url: str, held: Callable[[str], Replayed | None], view: View, depth: int) -> str:
    """Pictures and fonts hold all that they are; a style sheet may ask for more."""
    if found.kind != "style":
        return found.url
    inner = data_text(found.url) if depth < _DEEPEST_DATA else None
    if inner is None:
        return NOWHERE
    return data_url("text/css", restyled(inner, url, held, view, depth + 1))


def data_text(link: str) -> str | None:
    """The text that a `data:` address holds; None if it cannot be read.

    >>> data_text("data:text/css;base64,cHt9"), data_text("data:text/css,p%7B%7D")
    ('p{}', 'p{}')
    """
    found = _DATA.match(link)
    if found is None:
        return None
    body = unquote_to_bytes(found[2].partition("#")[0])
    if found[1].lower().rstrip().endswith(";base64"):
        try:
            body = b64decode(re.sub(rb"\s", b"", body) + b"==")
        except ValueError:
            return None
    return css_text(body, found[1])


def data_url(content_type: str, text: str) -> str:
    """A text as an address that holds it.

    >>> data_url("text/css", 'p::before {content: "é"}')
    'data:text/css;charset=utf-8,p%3A%3Abefore%20%7Bcontent%3A%20%22%C3%A9%22%7D'
    """
    return f"data:{content_type};charset=utf-8,{quote(text.encode('utf-8', 'replace'), safe='')}"
