"""WARC record of a capture, to be taken away: its bytes as they stand in the archive."""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from everlog.archive.files.warc_bodies import PIECE_BYTES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from everlog.archive import Archive
    from everlog.archive.files.warc_writer import Place
    from everlog.archive.models import Memento

# More than the request of a page ever takes: a longer one is left out.
_REQUEST_BYTES = 1 << 16
# What a server gives to who is logged in.
_GIVEN = frozenset({"set-cookie", "set-cookie2", "authorization", "proxy-authorization"})


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordFile:
    """Records of one capture, one behind the other: a WARC file of its own."""

    name: str
    size: int
    pieces: Iterator[bytes]


def holds_secrets(archive: Archive, memento: Memento) -> bool:
    """Whether the records of a capture have cookies that a server gave to the crawler."""
    for place in {memento.own_place, memento.place}:
        with archive.files.open_body(place) as record:
            if any(name.lower() in _GIVEN for name, _ in record.headers):
                return True
    return False


def record_file(archive: Archive, memento: Memento, name: str, *, with_request: bool) -> RecordFile:
    """The answer; the record with its body, where that is another; and the request, which comes last."""
    places = list(dict.fromkeys((memento.own_place, memento.place)))
    request = _request(archive, memento.own_place) if with_request else b""
    return RecordFile(
        name=f"{name}.warc.gz", size=sum(place.length for place in places) + len(request),
        pieces=_pieces(archive, places, request),
    )


def _pieces(archive: Archive, places: list[Place], request: bytes) -> Iterator[bytes]:
    for place in places:
        with archive.files.open(place.file) as file:
            file.seek(place.offset)
            left = place.length
            while left > 0 and (piece := file.read(min(PIECE_BYTES, left))):
                left -= len(piece)
                yield piece
    if request:
        yield request


def _request(archive: Archive, place: Place) -> bytes:
    """The record behind an answer, if it is that of its request."""
    with archive.files.open(place.file) as file:
        file.seek(place.offset + place.length)
        packed = file.read(_REQUEST_BYTES)
    unpacking = zlib.decompressobj(zlib.MAX_WBITS + 16)
    try:
        record = unpacking.decompress(packed, 1 << 20)
    except zlib.error:
        return b""
    if not unpacking.eof or b"\r\nWARC-Type: request\r\n" not in record.partition(b"\r\n\r\n")[0]:
        return b""
    return packed[:len(packed) - len(unpacking.unused_data)]
