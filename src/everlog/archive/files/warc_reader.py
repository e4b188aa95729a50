"""WARC records read: the exchange that stands at an offset, and what the head of a file says."""

from __future__ import annotations

import zlib
from datetime import datetime
from typing import Any, BinaryIO

from everlog.archive.files.warc_writer import MADE, OF_THE_WIRE, RENAMED
from everlog.errors import DamagedArchive
from everlog.records import Exchange, Purpose

# More than the first record of a file ever has.
_INFO_BYTES = 1 << 16


def read_info(file: BinaryIO) -> bytes | None:
    """What the record at the head of a file says; None: it begins with another one, or with none."""
    try:
        record = zlib.decompressobj(zlib.MAX_WBITS + 16).decompress(file.read(_INFO_BYTES), _INFO_BYTES)
    except zlib.error:
        return None
    head, _, block = record.partition(b"\r\n\r\n")
    return block.removesuffix(b"\r\n\r\n") if b"\r\nWARC-Type: warcinfo\r\n" in head else None


def read_exchange(file: BinaryIO, offset: int, *, purpose: Purpose = "page") -> Exchange:
    """The exchange whose answer stands at this offset. The body of a `revisit` is empty: its original has it."""
    from warcio.archiveiterator import ArchiveIterator  # noqa: PLC0415 - not before somebody reads again
    from warcio.exceptions import ArchiveLoadFailed  # noqa: PLC0415

    try:
        file.seek(offset)
        iterator = ArchiveIterator(file)
        answer = next(iterator, None)
        if answer is not None and answer.rec_type in MADE.values():
            return _made_exchange(answer, purpose)
        if answer is None or answer.rec_type not in {"response", "revisit"} or answer.http_headers is None:
            raise damaged(file, offset)
        body = answer.raw_stream.read()
        if answer.rec_type == "response" and str(len(body)) != answer.http_headers.headers[-1][1]:
            raise damaged(file, offset)
        asked = _request_headers(next(iterator, None), answer.rec_headers.get_header("WARC-Record-ID"))
    except (ArchiveLoadFailed, zlib.error, EOFError, ValueError, IndexError) as error:
        raise damaged(file, offset) from error
    named, http = answer.rec_headers, answer.http_headers
    code, _, reason = http.statusline.partition(" ")
    return Exchange(
        url=named.get_header("WARC-Target-URI"), status=int(code), reason=reason,
        headers=tuple((_unrenamed(name), value) for name, value in http.headers[:-1]), body=body,
        request_headers=asked, fetched_at=datetime.fromisoformat(named.get_header("WARC-Date")), purpose=purpose,
        source_uri=named.get_header("WARC-Source-URI"),
    )


def _made_exchange(record: Any, purpose: Purpose) -> Exchange:
    named = record.rec_headers
    return Exchange(
        url=named.get_header("WARC-Target-URI"), status=200, headers=(("Content-Type", record.content_type),),
        body=record.raw_stream.read(), fetched_at=datetime.fromisoformat(named.get_header("WARC-Date")),
        purpose=purpose,
    )


def _request_headers(record: Any, answer_id: str) -> tuple[tuple[str, str], ...]:
    if record is None or record.rec_headers.get_header("WARC-Concurrent-To") != answer_id:
        return ()
    return tuple(record.http_headers.headers)


def _unrenamed(name: str) -> str:
    plain = name.removeprefix(RENAMED)
    return plain if plain.lower() in OF_THE_WIRE else name


def damaged(file: BinaryIO, offset: int) -> DamagedArchive:
    """What is said of a place in a file where a record should stand."""
    name = getattr(file, "name", "the WARC file")
    return DamagedArchive(
        f"{name} holds no response at {offset}",
        advice="restore the file from a backup; 'everlog verify' shows what else is wrong",
    )
