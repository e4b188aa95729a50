"""Types that captures are sent under: what their servers said, where that shows them and makes no document of them."""

from __future__ import annotations

import re

HTML = frozenset({"text/html", "application/xhtml+xml"})
_CHARSET = re.compile(r"charset\s*=\s*[\"']?([\w.:-]+)", re.IGNORECASE | re.ASCII)
_NAMED = re.compile(r"[a-z0-9!#$&^_.+-]+/[a-z0-9!#$&^_.+-]+", re.IGNORECASE)
# What browsers show or play without reading it as a document.
_AS_IT_IS = re.compile(
    r"(?:image|audio|video|font)/(?!svg)|application/(?:json|pdf|ogg|(?:x-)?font-|vnd\.ms-fontobject|zip|gzip)|"
    r"text/(?:css|plain|javascript|vtt)|application/(?:x-)?javascript"
)
# Files whose servers did not know what they are: a page that has no origin is given them by their type alone.
_UNTOLD = frozenset({"", "application/octet-stream", "binary/octet-stream", "text/plain"})
_BY_NAME = {
    "woff2": "font/woff2", "woff": "font/woff", "ttf": "font/ttf", "otf": "font/otf", "vtt": "text/vtt",
    "eot": "application/vnd.ms-fontobject", "mp4": "video/mp4", "m4v": "video/mp4", "webm": "video/webm",
    "ogv": "video/ogg", "ogg": "audio/ogg", "oga": "audio/ogg", "mp3": "audio/mpeg", "m4a": "audio/mp4",
}
# Under these a browser gives no file of another origin to a page, and every file is of one to a page without an origin.
KEPT_FROM_PAGES = frozenset({"text/plain", "application/json"})
# How pictures and fonts begin. Browsers look at that, whatever a server says of them, unless it says `nosniff` as ours.
_STARTS = tuple((re.compile(start, re.DOTALL), kind) for start, kind in (
    (rb"\x89PNG\r\n\x1a\n", "image/png"), (rb"\xff\xd8\xff", "image/jpeg"), (rb"GIF8[79]a", "image/gif"),
    (rb"RIFF....WEBP", "image/webp"), (rb"....ftypavi[fs]", "image/avif"), (rb"\0\0\x01\0", "image/x-icon"),
    (rb"wOF2", "font/woff2"), (rb"wOFF", "font/woff"), (rb"OTTO\0", "font/otf"), (rb"\0\x01\0\0\0", "font/ttf"),
))  # fmt: skip


def told_type(content_type: str | None, url: str) -> str | None:
    """The type of a file that is shown in a page: what its server said, or if that is nothing, what its name says.

    >>> told_type("application/octet-stream", "https://a.org/f.woff2?v=4.7"), told_type(None, "https://a.org/f")
    ('font/woff2', None)
    >>> told_type(None, "https://a.org/a.css"), told_type("text/plain", "https://a.org/a.css")
    ('text/css', 'text/plain')
    """
    kind = bare_type(content_type)
    if kind not in _UNTOLD:
        return content_type
    name = url.partition("#")[0].partition("?")[0].rpartition("/")[2]
    suffix = name.rpartition(".")[2].lower()
    # A style sheet that is said to be something else is none to browsers.
    return "text/css" if not kind and suffix == "css" else _BY_NAME.get(suffix, content_type)


def type_by_start(start: bytes) -> str | None:
    """The type of a picture or font by how it begins; None for everything else.

    >>> type_by_start(b"GIF89a.."), type_by_start(b"<html>")
    ('image/gif', None)
    """
    return next((kind for sign, kind in _STARTS if sign.match(start)), None)


def sent_type(content_type: str | None) -> str:
    """The type under which bytes are sent that were not rewritten: nothing that a browser reads as a document.

    >>> sent_type("image/png"), sent_type("application/rss+xml; charset=latin1"), sent_type("text/html")
    ('image/png', 'text/plain; charset=latin1', 'text/plain; charset=utf-8')
    >>> sent_type(None), sent_type("application/x-shockwave-flash")
    ('application/octet-stream', 'application/octet-stream')
    """
    kind = bare_type(content_type)
    charset = _CHARSET.search(content_type or "")
    if _AS_IT_IS.match(kind) and not kind.endswith("+xml"):
        named = f"; charset={charset[1]}" if charset and kind.startswith("text/") else ""
        return kind + named
    if kind.startswith("text/") or kind.endswith(("+xml", "/xml", "+json")):
        return f"text/plain; charset={charset[1] if charset else 'utf-8'}"
    return "application/octet-stream"


def bare_type(content_type: str | None) -> str:
    """The type without its parameters; nothing, if it is none."""
    kind = (content_type or "").partition(";")[0].strip().lower()
    return kind if _NAMED.fullmatch(kind) else ""


def is_framed(content_type: str | None) -> bool:
    """Whether a capture can be looked at inside a frame: what a browser would save or hand on cannot."""
    kind = bare_type(content_type)
    sent = sent_type(content_type)
    return not kind or kind in HTML or kind == "image/svg+xml" or sent.startswith((
        "image/", "audio/", "video/", "text/", "application/json",
    ))
