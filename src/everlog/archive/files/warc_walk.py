"""All records of a WARC file in order, read by somebody else's code than wrote them."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, BinaryIO

_PIECE = 1 << 16


class Broken(Exception):
    """From here on the file cannot be read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """A record: where it stands, what it says, and what is wrong with it by itself."""

    offset: int
    length: int
    kind: str
    id: str | None
    url: str | None
    digest: str | None
    problem: str | None


def walk_records(raw: BinaryIO, length: int) -> Iterator[Seen]:
    """The records of the first `length` bytes of a file; raises `Broken` where they do not lie one behind the other."""
    from warcio.archiveiterator import ArchiveIterator  # noqa: PLC0415 - only who verifies needs it
    from warcio.exceptions import ArchiveLoadFailed  # noqa: PLC0415

    end, answer = 0, None
    _check_members(raw, length)
    raw.seek(0)
    iterator = ArchiveIterator(_Head(raw, length), check_digests=True)
    try:
        for record in iterator:
            seen = _seen(iterator, record, answer)
            if seen.offset != end:
                raise Broken(f"no record at {end}; the next is at {seen.offset}")
            end += seen.length
            answer = seen.id if seen.kind in {"response", "revisit"} else None
            yield seen
    except (ArchiveLoadFailed, zlib.error, EOFError, ValueError, AttributeError) as error:
        raise Broken(f"no record can be read after {end}: {error}") from error
    if end != length:
        raise Broken(f"its records end at {end}, not at {length}")


def _check_members(raw: BinaryIO, length: int) -> None:
    """Whether all gzip members are whole: warcio takes half a one, and looks at no checksum but its own."""
    head = _Head(raw, length)
    member = zlib.decompressobj(zlib.MAX_WBITS + 16)
    member_at, fed = 0, b""
    try:
        while fed := fed or head.read(_PIECE):
            member.decompress(fed)
            fed = member.unused_data
            if member.eof:
                member_at = raw.tell() - len(fed)
                member = zlib.decompressobj(zlib.MAX_WBITS + 16)
    except zlib.error as error:
        raise Broken(f"the record at {member_at} cannot be unpacked: {error}") from error
    if member_at != length:
        raise Broken(f"truncated within the record at {member_at}")


def _seen(iterator: Any, record: Any, answer: str | None) -> Seen:
    offset = iterator.get_record_offset()
    stream = record.raw_stream
    while stream.read(_PIECE):
        pass
    length = iterator.get_record_length()
    named = record.rec_headers
    problems = list(record.digest_checker.problems)
    if record.rec_type == "request" and named.get_header("WARC-Concurrent-To") != answer:
        problems.append("a request without its response")
    if record.rec_type == "warcinfo" and offset:
        problems.append("a second warcinfo record")
    return Seen(
        offset=offset, length=length, kind=record.rec_type, id=named.get_header("WARC-Record-ID"),
        url=named.get_header("WARC-Target-URI"), digest=named.get_header("WARC-Payload-Digest"),
        problem="; ".join(problems) or None,
    )


class _Head:
    """The first bytes of a file, as if it ended there."""

    def __init__(self, file: BinaryIO, length: int) -> None:
        self._file = file
        self._left = length

    def read(self, size: int = -1) -> bytes:
        data = self._file.read(self._left if size < 0 else min(size, self._left))
        self._left -= len(data)
        return data

    def tell(self) -> int:
        return self._file.tell()
