"""Memento content: what is sent of a capture: a page or style sheet rewritten, or its bytes in pieces."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, BinaryIO, Protocol
from urllib.parse import urljoin

from lxml import etree

from everlog.archive.files.warc_bodies import PIECE_BYTES
from everlog.errors import UnreadablePage
from everlog.replay import (
    View,
    css_text,
    html_encoding,
    html_text,
    query_encoding,
    rewrite_html,
    rewrite_style,
    rewrite_svg,
    with_filters,
    with_sprites,
)
from everlog.replay.svg_shapes import LONGEST_DRAWING
from everlog.web.mementos.capture_times import meant_by
from everlog.web.mementos.memento_finder import find_memento, replayed
from everlog.web.mementos.sent_types import HTML, KEPT_FROM_PAGES, bare_type, sent_type, told_type, type_by_start

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from everlog.archive import Archive
    from everlog.archive.models import Memento
    from everlog.replay import Replayed

# Larger documents are sent as text, unread: a crawl keeps pages of up to 20 MB, and real ones have 40 kB.
MOST_REWRITTEN_BYTES = 20_000_000
# Media files are opened for bodies from this size on: a record of a small picture is as quick.
MEDIA_FILE_BYTES = 1_000_000
# A drawn page is shown in the place of one that has less than half of its words: pages that scripts write have hardly
# any before, and what scripts add to the others (comments, a list of other posts) is less than the page itself.
SHOWS_LITTLE = 0.5

_REWRITTEN = HTML | {"text/css", "image/svg+xml"}
_BEGINS_LIKE_HTML = re.compile(rb"\s*(?:<!doctype\s+html|<html|<head|<body)", re.IGNORECASE)
_WORD = re.compile(r"\w+")


class Body(Protocol):
    """A body that is read in pieces, and closed by who opened it."""

    def pieces(self, start: int = 0, length: int | None = None) -> Iterator[bytes]: ...

    def close(self) -> None: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A rewritten document, whole."""

    body: bytes
    content_type: str


class FileBody:
    """The body of a media file: any part of it is had without reading what stands before."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file

    def pieces(self, start: int = 0, length: int | None = None) -> Iterator[bytes]:
        self._file.seek(start)
        left = length
        while (left is None or left > 0) and (
            piece := self._file.read(PIECE_BYTES if left is None else min(PIECE_BYTES, left))
        ):
            left = None if left is None else left - len(piece)
            yield piece

    def close(self) -> None:
        self._file.close()


def document_of(archive: Archive, memento: Memento, view: View) -> Document | None:
    """A page, style sheet or picture of lines, rewritten for a view; None: its bytes are sent as they are."""
    kind = bare_type(told_type(memento.content_type, memento.url))
    if memento.size > MOST_REWRITTEN_BYTES or (kind and kind not in _REWRITTEN):
        return None
    with archive.files.open_body(memento.place) as record:
        body = record.whole()
    if kind in HTML and type_by_start(body) is not None:
        return None

    def resolve(urls: Sequence[str]) -> Mapping[str, Replayed]:
        return replayed(archive, urls, memento.at, with_errors=True)

    def sprite(at: str, url: str) -> str | None:
        return _sprite(archive, at, url)

    if kind == "text/css":
        sheet = css_text(body, memento.content_type, _pages_encoding(archive, memento, body))
        text = rewrite_style(sheet, url=memento.url, resolve=resolve, view=view)
        text = with_filters(text, view.prefix, sprite)
        return Document(body=text.encode("utf-8", "replace"), content_type="text/css; charset=utf-8")
    if kind == "image/svg+xml":
        text = rewrite_svg(html_text(body, memento.content_type), url=memento.url, resolve=resolve, view=view)
        return Document(body=text.encode("utf-8", "replace"), content_type="image/svg+xml; charset=utf-8")
    if not kind and not _BEGINS_LIKE_HTML.match(body):
        return None
    drawn = _drawn(archive, memento, body)
    is_xml = drawn is None and kind == "application/xhtml+xml"
    text = html_text(body, memento.content_type) if drawn is None else drawn
    encoding = query_encoding(body, memento.content_type) if drawn is None else None
    text = rewrite_html(text, url=memento.url, resolve=resolve, view=view, is_xml=is_xml, encoding=encoding)
    if not is_xml:
        text = with_filters(with_sprites(text, view.prefix, sprite), view.prefix, sprite)
    return Document(
        body=text.encode("utf-8", "replace"), content_type=f"{kind if is_xml else 'text/html'}; charset=utf-8",
    )


def _pages_encoding(archive: Archive, sheet: Memento, body: bytes) -> str:
    """The encoding of a style sheet that does not say which: that of the page which uses it.

    Which page that is, is not known here. What is no UTF-8 has the encoding of the front page of its host.
    """
    try:
        body.decode("utf-8")
    except UnicodeDecodeError:
        home = find_memento(archive, urljoin(sheet.url, "/"), sheet.at).memento
        if home is not None and bare_type(home.content_type) in HTML and home.size <= MOST_REWRITTEN_BYTES:
            with archive.files.open_body(home.place) as record:
                return html_encoding(record.whole(), home.content_type)
    return "utf-8"


def _sprite(archive: Archive, digits: str, url: str) -> str | None:
    """The text of a held picture of lines, whose signs a page takes."""
    at = meant_by(digits)
    found = find_memento(archive, url, at).memento if at is not None else None
    if found is None or found.size > LONGEST_DRAWING or bare_type(found.content_type) != "image/svg+xml":
        return None
    with archive.files.open_body(found.place) as record:
        return html_text(record.whole(), found.content_type)


def open_bytes(archive: Archive, memento: Memento, *, is_part: bool = False) -> Body:
    """The body of a capture as it was stored; a large one, or one that a part is wanted of, from its media file."""
    if is_part or memento.size >= MEDIA_FILE_BYTES:
        sha256 = memento.digest.removeprefix("sha256:")
        path = archive.captures.media_paths([sha256]).get(sha256)
        if path is not None:
            try:
                return FileBody(archive.files.open(path))
            except FileNotFoundError:
                # The record has it too.
                pass
    return archive.files.open_body(memento.place)


def shown_type(archive: Archive, memento: Memento) -> str | None:
    """The type of a file that is shown in a page as it is: as it is told, or as the file itself shows."""
    told = told_type(memento.content_type, memento.url)
    if bare_type(sent_type(told)) not in KEPT_FROM_PAGES:
        return told
    with archive.files.open_body(memento.place) as record:
        return type_by_start(next(record.pieces(), b"")) or told


def _drawn(archive: Archive, memento: Memento, body: bytes) -> str | None:
    """The text that a browser made of a page, where the page itself shows little; None: it is shown itself."""
    drawn = archive.mementos.drawing(memento) if memento.purpose == "page" else None
    if drawn is None:
        return None
    with archive.files.open_body(drawn.place) as record:
        made = html_text(record.whole(), drawn.content_type)
    is_empty = _words(html_text(body, memento.content_type)) < SHOWS_LITTLE * _words(made)
    return made if is_empty else None


def _words(text: str) -> int:
    """How many words of a page a reader sees."""
    from everlog.core.tree import parse  # noqa: PLC0415 - few pages were drawn

    try:
        root = parse(text.encode("utf-8", "replace"), "text/html; charset=utf-8")
    except UnreadablePage:
        return 0
    etree.strip_elements(root, "script", "style", "noscript", "template", "head", with_tail=False)
    return len(_WORD.findall(" ".join(map(str, root.itertext()))))
