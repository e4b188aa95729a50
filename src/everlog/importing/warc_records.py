"""Records of WARC files that others wrote: what there is, and one of them again.

A record that cannot be read is passed over with its reason; reading goes on at the next one that begins.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from contextlib import redirect_stderr
from dataclasses import dataclass
from datetime import UTC, datetime
from io import StringIO
from typing import TYPE_CHECKING, Any, BinaryIO, Literal

from everlog.core.urls import absolute, canonical

if TYPE_CHECKING:
    from collections.abc import Callable

_PIECE = 1 << 16
# Places in one file at which reading is begun again behind something damaged.
MOST_RESTARTS = 1_000
_STARTS = (b"\x1f\x8b\x08", b"WARC/1.")
# What warcio says of a file that is compressed as a whole.
_ONE_MEMBER = "non-chunked"

Kind = Literal["answer", "again", "made"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """A capture in a WARC file: `again` ones refer to the body of another, `made` ones are what a browser made."""

    offset: int
    kind: Kind
    url: str
    at: datetime
    status: int
    type: str | None
    digest: str | None = None
    # Where a redirect leads; and what a record without a body of its own refers to.
    location: str | None = None
    refers_to: str | None = None
    refers_at: datetime | None = None


class PackedAsWhole(Exception):
    """A compressed file whose records cannot be found one by one."""


def read_records(file: BinaryIO, on_bad: Callable[[str], None]) -> Iterator[Record]:
    """The captures of a WARC file in order; `on_bad` hears of each record that cannot be read."""
    from warcio.archiveiterator import ArchiveIterator  # noqa: PLC0415 - only who imports needs it

    start: int | None = 0
    for _ in range(MOST_RESTARTS):
        if start is None:
            return
        file.seek(start)
        iterator, last = ArchiveIterator(file), start
        while True:
            try:
                with redirect_stderr(StringIO()):  # warcio has warnings of its own, for nobody in particular
                    record = next(iterator, None)
                    last = iterator.get_record_offset() if record is not None else last
            except Exception as error:  # noqa: BLE001 - whatever a damaged file makes of its reader
                if _ONE_MEMBER in str(error):
                    raise PackedAsWhole from None
                on_bad("damaged")
                break
            if record is None:
                return
            # All of it was passed over on the way to its end; what is left then is not in the file.
            found = _captured(record, last) if not getattr(record.raw_stream, "limit", 0) else "cut off"
            if isinstance(found, str):
                on_bad(found)
            elif found is not None:
                yield found
        start = _next_start(file, last + 1)


def read_body(file: BinaryIO, offset: int, most: int) -> tuple[list[tuple[str, str]], str, Iterator[bytes]] | None:
    """The headers, the reason and the decoded body of the record at an offset, in pieces, and no more than `most`."""
    from warcio.archiveiterator import ArchiveIterator  # noqa: PLC0415
    from warcio.bufferedreaders import BufferedReader, ChunkedDataReader  # noqa: PLC0415

    file.seek(offset)
    try:
        record = next(iter(ArchiveIterator(file)), None)
    except Exception:  # noqa: BLE001 - as above
        return None
    if record is None:
        return None
    if record.http_headers is None:
        kind = record.content_type or "application/octet-stream"
        return [("Content-Type", kind)], "", _pieces(record.raw_stream, most)
    coding = (record.http_headers.get_header("Content-Encoding") or "identity").strip().lower()
    if coding not in {"", "identity", "br", *BufferedReader.get_supported_decompressors()}:
        return None
    _, _, reason = record.http_headers.statusline.partition(" ")
    if coding == "br":
        # warcio knows the brotli of another package, and fails with this one.
        is_chunked = (record.http_headers.get_header("Transfer-Encoding") or "").strip().lower() == "chunked"
        packed = ChunkedDataReader(record.raw_stream) if is_chunked else record.raw_stream
        pieces = _unpacked(_pieces(packed, most), most)
    else:
        pieces = _pieces(record.content_stream(), most)
    return list(record.http_headers.headers), reason, pieces


class TooLarge(Exception):
    """A body of more bytes than are wanted."""


def _pieces(stream: Any, most: int) -> Iterator[bytes]:
    size = 0
    while True:
        try:
            with redirect_stderr(StringIO()):
                piece = stream.read(_PIECE)
        except (zlib.error, EOFError, OSError, ValueError):
            return
        if not piece:
            return
        size += len(piece)
        if size > most:
            raise TooLarge
        yield piece


def _unpacked(packed: Iterator[bytes], most: int) -> Iterator[bytes]:
    """A body that was sent with brotli. What is not compressed after all is as it is; what is damaged ends there."""
    import brotli  # noqa: PLC0415

    decoder, size = brotli.Decompressor(), 0
    for number, given in enumerate(packed):
        waiting, piece = given, b"-"
        # A little of what is sent may become very much: it comes in parts, until nothing more does.
        while piece and not decoder.is_finished():
            try:
                piece = decoder.process(waiting, output_buffer_limit=_PIECE)
            except brotli.error:
                if number == 0 and size == 0:
                    yield given
                    yield from packed
                return
            size += len(piece)
            if size > most:
                raise TooLarge
            waiting = b""
            yield piece


def _captured(record: Any, offset: int) -> Record | str | None:
    """The capture that a record is; None for what is none, a text for what is wrong with it."""
    kinds: dict[str, Kind] = {"response": "answer", "resource": "answer", "revisit": "again", "conversion": "made"}
    kind = kinds.get(record.rec_type)
    named = record.rec_headers
    url = (named.get_header("WARC-Target-URI") or "").strip().strip("<>")
    if kind is None or not url.lower().startswith(("http://", "https://")) or absolute(None, url) is None:
        return None
    if record.rec_type == "response" and record.http_headers is None:
        return "without an HTTP answer"
    if named.get_header("WARC-Truncated"):
        return "cut off when it was captured"
    at = _moment(named.get_header("WARC-Date"))
    if at is None:
        return "without a date"
    status, kind_of, location = 200, record.content_type, None
    if record.http_headers is not None:
        code = record.http_headers.get_statuscode() or ""
        if not code.isdecimal():
            return "without a status"
        status, kind_of = int(code), record.http_headers.get_header("Content-Type")
        location = record.http_headers.get_header("Location") if 300 <= status < 400 else None
    if kind == "again" and status == 304:
        status = 200  # what it refers to was the answer again
    refers = named.get_header("WARC-Refers-To-Target-URI")
    return Record(
        offset=offset, kind=kind, url=url, at=at, status=status, type=_plain_type(kind_of),
        digest=named.get_header("WARC-Payload-Digest"), location=absolute(url, location) if location else None,
        refers_to=canonical(refers) if refers else None, refers_at=_moment(named.get_header("WARC-Refers-To-Date")),
    )


def _plain_type(kind: str | None) -> str | None:
    return kind.partition(";")[0].strip().lower() or None if kind else None


def _moment(text: str | None) -> datetime | None:
    try:
        moment = datetime.fromisoformat(text or "")
    except ValueError:
        return None
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)


def _next_start(file: BinaryIO, offset: int) -> int | None:
    """Where the next record may begin, behind an offset."""
    file.seek(offset)
    before, at = b"", offset
    while piece := file.read(_PIECE):
        window = before + piece
        found = [place for place in map(window.find, _STARTS) if place >= 0]
        if found:
            return at - len(before) + min(found)
        at += len(piece)
        before = window[-8:]
    return None
