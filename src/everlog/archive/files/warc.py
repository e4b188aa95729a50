"""Exchanges as WARC records, and back.

An exchange becomes two records, each a gzip member of its own: the answer (a `response`, or a `revisit`
when its body is held already) and the `request` behind it. What a browser made of a page becomes one: the
rendered document a `conversion`, a screenshot a `resource`. Bodies are kept without transfer and content
encodings, so the headers that spoke of them are renamed and the length is our own.
"""

from __future__ import annotations

import hashlib
import re
import uuid
import zlib
from dataclasses import dataclass
from datetime import UTC, datetime
from types import MappingProxyType
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlsplit

from everlog.errors import DamagedArchive
from everlog.records import Exchange

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import BinaryIO

    from everlog.records import Purpose

# On 257 real pages of 30 kB: level 1 0.46 ms to 30.3 %, 4 0.65 ms to 27.7 %, 6 0.85 ms to 27.1 %,
# 9 1.02 ms to 27.0 %.
LEVEL = 4
# What is compressed already only costs time to compress again.
_DENSE = re.compile(r"image/(?!svg|bmp|x-ms-bmp|vnd\.microsoft)|video/|audio/|font/woff|application/(?:zip|gzip|pdf)")

# What was made here and not answered by a server, with the type of its record.
MADE: Mapping[str, str] = MappingProxyType({"rendered": "conversion", "screenshot": "resource"})
# Headers that speak of the bytes on the wire; the prefix is the one browser-based crawlers use.
_OF_THE_WIRE = frozenset({"content-length", "content-encoding", "transfer-encoding"})
_RENAMED = "X-Orig-"
# An archive is handed on; what logged its owner in is not.
_SECRET = frozenset({"authorization", "cookie", "proxy-authorization"})

# More than the first record of a file ever has.
_INFO_BYTES = 1 << 16

_NOT_IN_A_NAME = re.compile(r"[^!#$%&'*+\-.^_`|~0-9A-Za-z]")
_NOT_IN_A_LINE = re.compile(r"[\x00-\x08\x0a-\x1f\x7f\ud800-\udfff]")
# Blanks of all kinds: readers of WARC headers strip them.
_NOT_IN_A_URI = re.compile(r"[\x00-\x20\x7f-\x9f<>\s\ud800-\udfff]")
_PROFILE = "http://netpreserve.org/warc/1.1/revisit/"


@dataclass(frozen=True, slots=True, kw_only=True)
class Original:
    """The record that holds a body already: when it was fetched, and under which digest."""

    url: str
    fetched_at: datetime
    digest: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Records:
    """The two records of an exchange, compressed; that of the answer in pieces, which can be taken once."""

    pieces: Iterator[bytes]
    request: bytes


def payload_digest(body: bytes) -> str:
    """The name of a body: SHA-256, because two bodies of one SHA-1 can be made at will.

    >>> payload_digest(b"")[:14]
    'sha256:e3b0c44'
    """
    return "sha256:" + hashlib.sha256(body).hexdigest()


def exchange_records(exchange: Exchange, *, digest: str, original: Original | None = None) -> Records:
    """The records of an exchange whose body has this digest; with an original, a visit to it again."""
    if exchange.purpose in MADE:
        return Records(pieces=_made_record(exchange, digest), request=b"")
    answer_id = _record_id()
    date = _date(exchange.fetched_at)
    target = target_uri(exchange.url)
    head = _answer_head(exchange)
    level = 0 if _DENSE.match((exchange.header("content-type") or "").strip().lower()) else LEVEL
    named = [
        ("WARC-Type", "revisit" if original else "response"), ("WARC-Record-ID", answer_id), ("WARC-Date", date),
        ("WARC-Target-URI", target), ("WARC-Payload-Digest", original.digest if original else digest),
    ]
    if original:
        kind = "server-not-modified" if exchange.status == 304 else "identical-payload-digest"
        named += [
            ("WARC-Profile", _PROFILE + kind), ("WARC-Refers-To-Target-URI", target_uri(original.url)),
            ("WARC-Refers-To-Date", _date(original.fetched_at)),
        ]
    body = None if original else exchange
    answer = _pieces(named, "application/http; msgtype=response", head, body, level)
    asked = [
        ("WARC-Type", "request"), ("WARC-Record-ID", _record_id()), ("WARC-Date", date), ("WARC-Target-URI", target),
        ("WARC-Concurrent-To", answer_id),
    ]
    request = _record(asked, "application/http; msgtype=request", _request_head(exchange), LEVEL)
    return Records(pieces=answer, request=request)


def _made_record(exchange: Exchange, digest: str) -> Iterator[bytes]:
    kind = exchange.header("content-type") or "application/octet-stream"
    named = [
        ("WARC-Type", MADE[exchange.purpose]), ("WARC-Record-ID", _record_id()),
        ("WARC-Date", _date(exchange.fetched_at)), ("WARC-Target-URI", target_uri(exchange.url)),
        ("WARC-Payload-Digest", digest),
    ]
    return _pieces(named, _line(kind), b"", exchange, 0 if _DENSE.match(kind) else LEVEL)


def info_record(filename: str, fields: Iterable[tuple[str, str]], *, made_at: datetime) -> bytes:
    """The record at the head of a file that says who wrote it."""
    named = [
        ("WARC-Type", "warcinfo"), ("WARC-Record-ID", _record_id()), ("WARC-Date", _date(made_at)),
        ("WARC-Filename", filename),
    ]
    return _record(named, "application/warc-fields", info_block(fields), LEVEL)


def info_block(fields: Iterable[tuple[str, str]]) -> bytes:
    """What such a record says.

    >>> info_block([("software", "everlog/1"), ("operator", "A\\r\\nrobots: ignore")])
    b'software: everlog/1\\r\\noperator: A  robots: ignore\\r\\n'
    """
    return "".join(f"{name}: {_line(value)}\r\n" for name, value in fields).encode()


def read_info(file: BinaryIO) -> bytes | None:
    """What the record at the head of a file says; None: it begins with another one, or with none."""
    try:
        record = zlib.decompressobj(zlib.MAX_WBITS + 16).decompress(file.read(_INFO_BYTES), _INFO_BYTES)
    except zlib.error:
        return None
    head, _, block = record.partition(b"\r\n\r\n")
    return block.removesuffix(b"\r\n\r\n") if b"\r\nWARC-Type: warcinfo\r\n" in head else None


def target_uri(url: str) -> str:
    """The URL as a record's header holds it: on one line, without blanks.

    >>> target_uri("http://a.example/a b\\r\\nX: y")
    'http://a.example/a%20b%0D%0AX:%20y'
    """
    return _NOT_IN_A_URI.sub(_escaped, url)


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
            raise _damaged(file, offset)
        body = answer.raw_stream.read()
        if answer.rec_type == "response" and str(len(body)) != answer.http_headers.headers[-1][1]:
            raise _damaged(file, offset)
        asked = _request_headers(next(iterator, None), answer.rec_headers.get_header("WARC-Record-ID"))
    except (ArchiveLoadFailed, zlib.error, EOFError, ValueError, IndexError) as error:
        raise _damaged(file, offset) from error
    named, http = answer.rec_headers, answer.http_headers
    code, _, reason = http.statusline.partition(" ")
    return Exchange(
        url=named.get_header("WARC-Target-URI"), status=int(code), reason=reason,
        headers=tuple((_unrenamed(name), value) for name, value in http.headers[:-1]), body=body,
        request_headers=asked, fetched_at=datetime.fromisoformat(named.get_header("WARC-Date")), purpose=purpose,
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


def _record(named: list[tuple[str, str]], content_type: str, block: bytes, level: int) -> bytes:
    return b"".join(_pieces(named, content_type, block, None, level))


def _pieces(
    named: list[tuple[str, str]], content_type: str, head: bytes, body: Exchange | None, level: int,
) -> Iterator[bytes]:
    """A record as a gzip member, in one piece unless its body is on the disk; such a body is read twice."""
    block = hashlib.sha256(head)
    for chunk in body.chunks() if body is not None else ():
        block.update(chunk)
    lines = [f"{name}: {value}\r\n" for name, value in named]
    start = (
        f"WARC/1.1\r\n{''.join(lines)}WARC-Block-Digest: sha256:{block.hexdigest()}\r\n"
        f"Content-Type: {content_type}\r\nContent-Length: {len(head) + (body.size if body is not None else 0)}\r\n\r\n"
    )
    gzip = zlib.compressobj(level, zlib.DEFLATED, zlib.MAX_WBITS + 16)
    gathered = [gzip.compress(start.encode() + head)]
    for chunk in body.chunks() if body is not None else ():
        gathered.append(gzip.compress(chunk))
        if body is not None and body.spooled is not None:
            yield b"".join(gathered)
            gathered.clear()
    yield b"".join((*gathered, gzip.compress(b"\r\n\r\n"), gzip.flush()))


def _answer_head(exchange: Exchange) -> bytes:
    lines = [f"HTTP/1.1 {exchange.status:03d} {_line(exchange.reason)}"]
    for name, value in exchange.headers:
        kept = _RENAMED + name if name.lower() in _OF_THE_WIRE else name
        lines.append(f"{_name(kept)}: {_line(value)}")
    lines.append(f"Content-Length: {exchange.size}")
    return ("\r\n".join(lines) + "\r\n\r\n").encode()


def _request_head(exchange: Exchange) -> bytes:
    parts = urlsplit(target_uri(exchange.url))
    wanted = quote(parts.path or "/", safe="/%:@!$&'()*+,;=~-._") + (f"?{parts.query}" if parts.query else "")
    lines = [f"GET {wanted} HTTP/1.1"]
    if not any(name.lower() == "host" for name, _ in exchange.request_headers):
        lines.append(f"Host: {parts.netloc.rpartition('@')[2]}")
    lines += [
        f"{_name(name)}: {_line(value)}" for name, value in exchange.request_headers if name.lower() not in _SECRET
    ]
    return ("\r\n".join(lines) + "\r\n\r\n").encode()


def _name(name: str) -> str:
    return _NOT_IN_A_NAME.sub("-", name) or "-"


def _line(text: str) -> str:
    return _NOT_IN_A_LINE.sub(" ", text).strip()


def _unrenamed(name: str) -> str:
    plain = name.removeprefix(_RENAMED)
    return plain if plain.lower() in _OF_THE_WIRE else name


def _record_id() -> str:
    return f"<urn:uuid:{uuid.uuid4()}>"


def _date(moment: datetime) -> str:
    return moment.astimezone(UTC).replace(tzinfo=None).isoformat(timespec="microseconds") + "Z"


def _escaped(match: re.Match[str]) -> str:
    return quote(match[0].encode("utf-8", "replace"), safe="")


def _damaged(file: BinaryIO, offset: int) -> DamagedArchive:
    name = getattr(file, "name", "the WARC file")
    return DamagedArchive(
        f"{name} holds no response at {offset}",
        advice="restore the file from a backup; 'everlog verify' shows what else is wrong",
    )
