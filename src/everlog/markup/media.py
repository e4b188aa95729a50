"""The pictures, sounds, films and files of an article: which they are, and their copies put in their place."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from html import escape, unescape
from urllib.parse import urldefrag

from everlog.core.tree import Element, parse_fragment
from everlog.core.urls import absolute
from everlog.markup.revealing import PLAYERS, is_pixel, reveal_media, suffix_of
from everlog.markup.srcset import candidates, largest, spelled

_SUFFIXES = {
    "image": "jpg jpeg png gif webp avif svg bmp tif tiff ico heic jxl",
    "audio": "mp3 m4a ogg oga opus wav flac aac mid midi wma",
    "video": "mp4 m4v webm ogv mov avi mkv mpg mpeg wmv flv 3gp",
    "book": "pdf epub mobi azw3 djvu ps",
    "office": "doc docx odt rtf xls xlsx ods csv ppt pptx odp",
    "archive": "zip gz tgz bz2 xz 7z rar tar",
    "other": "ipynb tex bib gpx kml ics vtt srt ttf otf woff woff2 swf",
}
# A link to one of these leads to a file of the article, not to another page.
FILES = frozenset(suffix for suffixes in _SUFFIXES.values() for suffix in suffixes.split())
# Types whose second half is not the usual ending, or that have several names.
_ENDINGS = {
    "image/jpeg": "jpg", "image/pjpeg": "jpg", "image/jpg": "jpg", "image/svg+xml": "svg", "image/x-icon": "ico",
    "image/vnd.microsoft.icon": "ico", "image/tiff": "tif", "image/x-ms-bmp": "bmp", "image/apng": "png",
    "audio/mpeg": "mp3", "audio/mp3": "mp3", "audio/mp4": "m4a", "audio/x-m4a": "m4a", "audio/x-wav": "wav",
    "audio/wave": "wav", "audio/vnd.wave": "wav", "audio/x-flac": "flac", "audio/midi": "mid", "application/ogg": "ogg",
    "video/quicktime": "mov", "video/x-m4v": "m4v", "video/mpeg": "mpg", "video/ogg": "ogv", "video/x-msvideo": "avi",
    "video/x-matroska": "mkv", "video/x-ms-wmv": "wmv", "video/x-flv": "flv", "video/3gpp": "3gp",
    "application/epub+zip": "epub", "application/x-zip-compressed": "zip", "application/gzip": "gz",
    "application/x-gzip": "gz", "application/x-tar": "tar", "application/x-7z-compressed": "7z",
    "application/vnd.rar": "rar", "application/x-rar-compressed": "rar", "application/x-bzip2": "bz2",
    "application/x-mobipocket-ebook": "mobi", "application/postscript": "ps", "application/msword": "doc",
    "application/vnd.ms-excel": "xls", "application/vnd.ms-powerpoint": "ppt",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": "docx",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": "xlsx",
    "application/vnd.openxmlformats-officedocument.presentationml.presentation": "pptx",
    "application/vnd.oasis.opendocument.text": "odt", "application/vnd.oasis.opendocument.spreadsheet": "ods",
    "application/vnd.oasis.opendocument.presentation": "odp", "application/x-shockwave-flash": "swf",
    "text/calendar": "ics",
}
_PAGES = frozenset(("text/html", "application/xhtml+xml"))
# How pages begin; and what is none, though it was sent as one: scripts that send pictures may forget to say so.
_PAGE_START = re.compile(
    rb"(?:\xef\xbb\xbf)?\s*(?:<!--[^>]{0,500}-->\s*)?<(?:!doctype\s+html|html)[\s>]", re.IGNORECASE,
)
_FILE_START = re.compile(
    rb"\x89PNG|\xff\xd8\xff|GIF8|RIFF|BM|%PDF|ID3|OggS|fLaC|PK\x03\x04|wOF|\x1f\x8b|....ftyp|"
    rb"\s*(?:<\?xml[^>]{0,200}>\s*)?(?:<!--[^>]{0,500}-->\s*)?(?:<!DOCTYPE\s+svg[^>]{0,300}>\s*)?<svg[\s>]", re.DOTALL,
)
# As much of a file as tells what it is.
START_BYTES = 2_048
_SHOWING = ("img", "source", "audio", "video", "track", "a")
_MAY_SHOW = re.compile(rf"<(?:a\b|{'|'.join(sorted({*_SHOWING, *PLAYERS} - {'a'}))})", re.IGNORECASE)
_REWRITTEN = frozenset(("a", "audio", "img", "picture", "source", "track", "video"))
# Every tag, not only those that are rewritten: what looks like one inside an attribute belongs to the tag around it.
# Each alternative starts with another sign, so that there is one way to match and no going back.
_TAG = re.compile(r"""<(/?)([a-z][^\s/>]*)((?:[^>"']|"[^"]*"|'[^']*')*)>""", re.IGNORECASE)
_ATTRIBUTE = re.compile(r"""\s*([^\s"'<>/=]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'=<>`]+)))?""")


def media_of(html: str, url: str) -> tuple[str, ...]:
    """Absolute URLs of what an article's HTML shows and of the files it links to, in the order of the text.

    Of a picture in several sizes these are the one that `src` names and the largest.

    >>> media_of('<a href="/big.jpg"><img src="s.jpg" srcset="m.jpg 2x"></a><img src="data:,">', "https://a.org/b/")
    ('https://a.org/big.jpg', 'https://a.org/b/s.jpg', 'https://a.org/b/m.jpg')
    """
    # Most of the time goes into parsing what was cleaned a moment ago.
    if not _MAY_SHOW.search(html):
        return ()
    root = parse_fragment(html)
    reveal_media(root)
    found: dict[str, None] = {}
    for element in root.iter(*_SHOWING):
        for link in _shown_by(element):
            full = absolute(url, link) if link and link.strip() else None
            if full is not None:
                found.setdefault(urldefrag(full).url)
    return tuple(found)


def rewrite(html: str, paths: Mapping[str, str]) -> str:
    """Cleaned HTML with every URL of `paths` replaced by its path; all else stays letter by letter.

    A picture keeps only those of its sizes that have a path, so that no browser asks for the others.

    >>> rewrite('<p><img src="https://a.org/b.png" alt="B"></p>', {"https://a.org/b.png": "media/1.png"})
    '<p><img src="media/1.png" alt="B"></p>'
    """
    if not paths:
        return html
    pieces: list[str] = []
    picture: _Picture | None = None
    at = 0
    for tag in _TAG.finditer(html):
        name = tag[2].lower()
        if name not in _REWRITTEN:
            continue
        if name == "picture":
            picture = _Picture(pieces) if not tag[1] else None
            continue
        attributes = None if tag[1] else _rewritten(name, tag[3], paths)
        if attributes is not None:
            pieces += (html[at:tag.start()], f"<{tag[2]}{attributes}>")
        elif picture is not None and name == "source" and not tag[1]:
            pieces += (html[at:tag.start()], tag[0])
        else:
            continue
        if picture is not None:
            picture.note(is_stored=attributes is not None)
        at = tag.end()
    return "".join((*pieces, html[at:])) if pieces else html


def extension(content_type: str | None, url: str) -> str:
    """The ending for the file of some media: by its type, else by its URL, else `bin`; without a dot.

    >>> extension("image/jpeg; charset=x", "https://a.org/p.png"), extension("application/octet-stream", "/b.MP3?x")
    ('jpg', 'mp3')
    >>> extension(None, "https://a.org/a.b/../../etc")
    'bin'
    """
    kind = _bare_type(content_type)
    if kind in _ENDINGS:
        return _ENDINGS[kind]
    guess = kind.partition("/")[2].removeprefix("x-")
    if guess in FILES:
        return guess
    suffix = suffix_of(url)
    return suffix if suffix in FILES else "bin"


def is_page_instead(content_type: str | None, start: bytes) -> bool:
    """Whether a page was sent where a file was asked for, as servers do that have no such file and do not say 404.

    `start` is what the answer begins with, `START_BYTES` of it or all.

    >>> is_page_instead("text/html; charset=utf-8", b"<p>Nothing here"), is_page_instead("image/png", b"\\x89PNG")
    (True, False)
    >>> is_page_instead("image/png", b"<!DOCTYPE html><title>Not found"), is_page_instead("text/html", b"\\x89PNG")
    (True, False)
    """
    if _bare_type(content_type) in _PAGES:
        return _FILE_START.match(start) is None and b"\0" not in start
    return _PAGE_START.match(start) is not None


def _bare_type(content_type: str | None) -> str:
    return (content_type or "").partition(";")[0].strip().lower()


def _shown_by(element: Element) -> Iterator[str | None]:
    tag = element.tag
    if tag == "a":
        link = element.get("href")
        if link and suffix_of(link.strip()) in FILES:
            yield link
    elif tag == "img":
        if not is_pixel(element):
            yield element.get("src")
            yield largest(_sizes(element))
    elif tag != "source" or not _is_of_picture(element):
        yield element.get("poster")
        yield element.get("src")


def _is_of_picture(source: Element) -> bool:
    return next(source.iterancestors("picture", "audio", "video"), source).tag == "picture"


def _sizes(picture: Element) -> Iterator[tuple[str, str]]:
    """All sizes of a picture, with those of the `picture` around it."""
    # The parser knows no `source` that ends by itself: what follows one stands inside it.
    around = next(picture.iterancestors("picture"), None)
    if around is not None:
        for source in around.iter("source"):
            yield from candidates(source.get("srcset") or "")
    yield from candidates(picture.get("srcset") or "")


class _Picture:
    """A `picture` on its way: its sources of which nothing is stored go, if anything else of it is.

    Browsers take the first source they like, not the first that is there.
    """

    def __init__(self, pieces: list[str]) -> None:
        self._pieces = pieces
        self._missing: list[int] = []
        self._is_stored = False

    def note(self, *, is_stored: bool) -> None:
        """The last piece is an element of the picture."""
        self._is_stored = self._is_stored or is_stored
        if not is_stored:
            self._missing.append(len(self._pieces) - 1)
        if self._is_stored:
            for place in self._missing:
                self._pieces[place] = ""
            self._missing.clear()


def _rewritten(name: str, attributes: str, paths: Mapping[str, str]) -> str | None:
    """The attributes of an element with paths in place of URLs; None if there is nothing to replace."""
    found = {match[1].lower(): match for match in _ATTRIBUTE.finditer(attributes)}
    new: dict[str, str] = {}
    for key in ("href", "src", "poster"):
        if key in found and (path := _path(_value(found[key]), paths)):
            new[key] = path
    if name in {"img", "source"} and "srcset" in found:
        sizes = [(path, size) for link, size in candidates(_value(found["srcset"])) if (path := _path(link, paths))]
        if sizes and name == "img" and "src" in found:
            new.setdefault("src", largest(sizes) or "")
        if sizes or new:
            new["srcset"] = "" if len(sizes) == 1 and sizes[0][0] == new.get("src") else spelled(
                (path.replace(" ", "%20").replace(",", "%2C"), size) for path, size in sizes
            )
    return _ATTRIBUTE.sub(lambda match: _with(match, new), attributes) if new else None


def _with(attribute: re.Match[str], new: Mapping[str, str]) -> str:
    value = new.get(attribute[1].lower())
    if value is None:
        return attribute[0]
    # A `srcset` of nothing shows nothing: it goes, and `src` is shown.
    return f' {attribute[1]}="{escape(value)}"' if value else ""


def _value(attribute: re.Match[str]) -> str:
    return unescape(attribute[2] or attribute[3] or attribute[4] or "")


def _path(link: str, paths: Mapping[str, str]) -> str | None:
    """The path of a URL, however it is spelled, with the fragment it was linked with."""
    if link in paths:
        return paths[link]
    bare, fragment = urldefrag(link)
    path = paths.get(bare) or paths.get(urldefrag(absolute(None, bare) or "").url)
    return f"{path}#{fragment}" if path and fragment else path
