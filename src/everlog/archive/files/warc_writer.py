"""WARC writer: exchanges as records, appended to one file at a time and made safe.

An exchange becomes two records, each a gzip member of its own: the answer (a `response`, or a `revisit`
when its body is held already) and the `request` behind it. What a browser made of a page becomes one: the
rendered document a `conversion`, a screenshot a `resource`. Bodies are kept without transfer and content
encodings, so the headers that spoke of them are renamed and the length is our own.
"""

from __future__ import annotations

import hashlib
import os
import re
import uuid
import zlib
from abc import ABC, abstractmethod
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING
from urllib.parse import quote, urlsplit

from everlog.archive.files import durable as disk
from everlog.archive.files.durable import nothing
from everlog.archive.files.warc_names import FOLDER, Owner

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from pathlib import Path

    from everlog.records import Exchange

try:
    from deflate import gzip_compress as _gzip
except ImportError:

    def _gzip(data: bytes, _level: int) -> bytes:  # type: ignore[misc]
        return zlib.compress(data, STREAM_LEVEL, zlib.MAX_WBITS + 16)


# What replay tools and copies handle well; the size other archivers use.
ROTATE_BYTES = 1_000_000_000
# On 626 real pages of 40 kB: libdeflate's level 1 0.14 ms to 26.1 %, 3 0.22 ms to 25.3 %, 4 0.23 ms to 25.0 %,
# 6 0.30 ms to 24.4 %; zlib's 1 0.27 ms to 27.8 %, 4 0.41 ms to 25.3 %, 6 0.67 ms to 24.5 %; zlib-ng's 4 0.28 ms to
# 25.1 %; ISA-L's 3 0.14 ms to 26.5 %.
LEVEL, STREAM_LEVEL = 3, 4
# Longer bodies are compressed as they come: libdeflate takes a record in one piece, which is another copy of it.
ONE_PIECE_BYTES = 1_000_000
# What is compressed already only costs time to compress again.
_DENSE = re.compile(r"image/(?!svg|bmp|x-ms-bmp|vnd\.microsoft)|video/|audio/|font/woff|application/(?:zip|gzip|pdf)")

# What was made here and not answered by a server, with the type of its record.
MADE: Mapping[str, str] = MappingProxyType({"rendered": "conversion", "screenshot": "resource"})
# Headers that speak of the bytes on the wire; the prefix is the one browser-based crawlers use.
OF_THE_WIRE = frozenset({"content-length", "content-encoding", "transfer-encoding"})
RENAMED = "X-Orig-"
# An archive is handed on; what logged its owner in is not.
_SECRET = frozenset({"authorization", "cookie", "proxy-authorization"})

_NOT_IN_A_NAME = re.compile(r"[^!#$%&'*+\-.^_`|~0-9A-Za-z]")
_NOT_IN_A_LINE = re.compile(r"[\x00-\x08\x0a-\x1f\x7f\ud800-\udfff]")
# Blanks of all kinds: readers of WARC headers strip them.
_NOT_IN_A_URI = re.compile(r"[\x00-\x20\x7f-\x9f<>\s\ud800-\udfff]")
_PROFILE = "http://netpreserve.org/warc/1.1/revisit/"


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a WARC record stands: its file (relative to the archive), offset and length in it."""

    file: str
    offset: int
    length: int


@dataclass(frozen=True, slots=True, kw_only=True)
class WarcFile:
    """A WARC file as the database knows it: what is behind its `length` was never acknowledged.

    One without a blog holds captures of several.
    """

    name: str
    blog_id: int | None
    length: int
    closed: bool


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


@dataclass(slots=True)
class OpenFile:
    """The file that is being appended to."""

    name: str
    descriptor: int
    length: int
    new: bool


class Appending(ABC):
    """One WARC file at a time, below a folder; how they are named, and what becomes of full ones, others say."""

    def __init__(
        self, base: Path, owner: Owner, *, rotate_bytes: int = ROTATE_BYTES, at: Callable[[str], None] = nothing,
    ) -> None:
        self._base = base
        self._folder = base / FOLDER
        self._owner = owner
        self._rotate_bytes = rotate_bytes
        self._at = at
        self._open: OpenFile | None = None
        # Files that are full, and not yet said to be closed.
        self._closed: list[WarcFile] = []

    def append(self, exchanges: Iterable[tuple[Exchange, str, Original | None]]) -> list[Place]:
        """Write the records of exchanges (with their digests and originals), not yet safe. Where the answers stand."""
        if self._open is not None and self._open.length >= self._rotate_bytes:
            self._rotate()
            self._at("rotated")
        current = self._open or self._create()
        places = []
        for exchange, digest, original in exchanges:
            records = exchange_records(exchange, digest=digest, original=original)
            length, rest = 0, b""
            for piece in records.pieces:
                half = len(piece) // 2
                disk.write_all(current.descriptor, rest + piece[:half])
                self._at("warc-half-record")
                length, rest = length + len(piece), piece[half:]
            places.append(Place(file=current.name, offset=current.length, length=length))
            disk.write_all(current.descriptor, rest + records.request)
            current.length += length + len(records.request)
        self._at("warc-appended")
        return places

    def sync(self) -> list[WarcFile]:
        """Make all that was appended survive a loss of power. The files and lengths to commit with it."""
        changed, self._closed = self._closed, []
        if self._open is not None:
            os.fsync(self._open.descriptor)
            if self._open.new:
                disk.sync_folder(self._folder)
                self._open.new = False
            changed.append(self._known(self._open, closed=False))
        self._at("warc-synced")
        return changed

    def close(self) -> None:
        if self._open is not None:
            os.close(self._open.descriptor)
            self._open = None

    def abandon(self) -> None:
        """End without a look at what was committed."""
        Appending.close(self)

    @abstractmethod
    def _rotate(self) -> None:
        """A file is full: let it go."""

    @abstractmethod
    def _names(self, now: datetime) -> Iterator[str]:
        """Names for a file that is begun now; the first that is not taken will be its own."""

    def _make(self, path: Path) -> int:
        """A descriptor of a new file; one that exists is refused."""
        return disk.create(path)

    def _create(self) -> OpenFile:
        now = datetime.now(UTC)
        for name in self._names(now):
            try:
                descriptor = self._make(self._folder / name)
            except FileExistsError:
                continue
            break
        self._open = OpenFile(name=f"{FOLDER}/{name}", descriptor=descriptor, length=0, new=True)
        self._at("warc-created")
        head = info_record(name, self._owner.fields, made_at=now)
        disk.write_all(descriptor, head)
        self._open.length = len(head)
        return self._open

    def _known(self, file: OpenFile, *, closed: bool) -> WarcFile:
        return WarcFile(name=file.name, blog_id=self._owner.blog_id, length=file.length, closed=closed)


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
    date = _date(exchange.seen_at)
    target = target_uri(exchange.url)
    named = [
        ("WARC-Type", "revisit" if original else "response"), ("WARC-Record-ID", answer_id), ("WARC-Date", date),
        ("WARC-Target-URI", target), ("WARC-Payload-Digest", original.digest if original else digest),
    ]
    if exchange.source_uri is not None:
        # The name that pywb gives the address a capture of another archive was taken from.
        named.append(("WARC-Source-URI", target_uri(exchange.source_uri)))
    if original:
        kind = "server-not-modified" if exchange.status == 304 else "identical-payload-digest"
        named += [
            ("WARC-Profile", _PROFILE + kind), ("WARC-Refers-To-Target-URI", target_uri(original.url)),
            ("WARC-Refers-To-Date", _date(original.fetched_at)),
        ]
    is_dense = _DENSE.match((exchange.header("content-type") or "").strip().lower()) is not None
    body = None if original else exchange
    answer = _pieces(named, "application/http; msgtype=response", _answer_head(exchange), body, is_dense=is_dense)
    asked = [
        ("WARC-Type", "request"), ("WARC-Record-ID", _record_id()), ("WARC-Date", date), ("WARC-Target-URI", target),
        ("WARC-Concurrent-To", answer_id),
    ]
    request = _record(asked, "application/http; msgtype=request", _request_head(target, exchange.request_headers))
    return Records(pieces=answer, request=request)


def _made_record(exchange: Exchange, digest: str) -> Iterator[bytes]:
    kind = exchange.header("content-type") or "application/octet-stream"
    named = [
        ("WARC-Type", MADE[exchange.purpose]), ("WARC-Record-ID", _record_id()),
        ("WARC-Date", _date(exchange.seen_at)), ("WARC-Target-URI", target_uri(exchange.url)),
        ("WARC-Payload-Digest", digest),
    ]
    return _pieces(named, _line(kind), b"", exchange, is_dense=_DENSE.match(kind) is not None)


def info_record(filename: str, fields: Iterable[tuple[str, str]], *, made_at: datetime) -> bytes:
    """The record at the head of a file that says who wrote it."""
    named = [
        ("WARC-Type", "warcinfo"), ("WARC-Record-ID", _record_id()), ("WARC-Date", _date(made_at)),
        ("WARC-Filename", filename),
    ]
    return _record(named, "application/warc-fields", info_block(fields))


def info_block(fields: Iterable[tuple[str, str]]) -> bytes:
    """What such a record says.

    >>> info_block([("software", "everlog/1"), ("operator", "A\\r\\nrobots: ignore")])
    b'software: everlog/1\\r\\noperator: A  robots: ignore\\r\\n'
    """
    return "".join(f"{name}: {_line(value)}\r\n" for name, value in fields).encode()


def target_uri(url: str) -> str:
    """The URL as a record's header holds it: on one line, without blanks.

    >>> target_uri("http://a.example/a b\\r\\nX: y")
    'http://a.example/a%20b%0D%0AX:%20y'
    """
    return _NOT_IN_A_URI.sub(_escaped, url)


def _record(named: list[tuple[str, str]], content_type: str, block: bytes) -> bytes:
    return b"".join(_pieces(named, content_type, block, None))


def _pieces(
    named: list[tuple[str, str]], content_type: str, head: bytes, body: Exchange | None, *, is_dense: bool = False,
) -> Iterator[bytes]:
    """A record as a gzip member, in one piece unless its body is on the disk; such a body is read twice."""
    block = hashlib.sha256(head)
    for chunk in body.chunks() if body is not None else ():
        block.update(chunk)
    size = body.size if body is not None else 0
    lines = "".join([f"{name}: {value}\r\n" for name, value in named])
    start = (
        f"WARC/1.1\r\n{lines}WARC-Block-Digest: sha256:{block.hexdigest()}\r\n"
        f"Content-Type: {content_type}\r\nContent-Length: {len(head) + size}\r\n\r\n"
    ).encode() + head
    is_whole = body is None or body.spooled is None
    if is_whole and size <= ONE_PIECE_BYTES and not is_dense:
        yield bytes(_gzip(b"".join((start, body.body if body is not None else b"", b"\r\n\r\n")), LEVEL))
        return
    gzip = zlib.compressobj(0 if is_dense else STREAM_LEVEL, zlib.DEFLATED, zlib.MAX_WBITS + 16)
    gathered = [gzip.compress(start)]
    for chunk in body.chunks() if body is not None else ():
        gathered.append(gzip.compress(chunk))
        if not is_whole:
            yield b"".join(gathered)
            gathered.clear()
    yield b"".join((*gathered, gzip.compress(b"\r\n\r\n"), gzip.flush()))


def _answer_head(exchange: Exchange) -> bytes:
    lines = [f"HTTP/1.1 {exchange.status:03d} {_line(exchange.reason)}"]
    for name, value in exchange.headers:
        kept = RENAMED + name if name.lower() in OF_THE_WIRE else name
        lines.append(f"{_name(kept)}: {_line(value)}")
    lines.append(f"Content-Length: {exchange.size}")
    return ("\r\n".join(lines) + "\r\n\r\n").encode()


def _request_head(target: str, headers: tuple[tuple[str, str], ...]) -> bytes:
    parts = urlsplit(target)
    wanted = quote(parts.path or "/", safe="/%:@!$&'()*+,;=~-._") + (f"?{parts.query}" if parts.query else "")
    has_host, lines = _request_lines(headers)
    host = "" if has_host else f"Host: {parts.netloc.rpartition('@')[2]}\r\n"
    return f"GET {wanted} HTTP/1.1\r\n{host}{lines}\r\n".encode()


# The same for nearly all pages of a crawl.
@lru_cache(maxsize=64)
def _request_lines(headers: tuple[tuple[str, str], ...]) -> tuple[bool, str]:
    """Whether the host is among the headers of a request, and their lines."""
    lines = [f"{_name(name)}: {_line(value)}\r\n" for name, value in headers if name.lower() not in _SECRET]
    return any(name.lower() == "host" for name, _ in headers), "".join(lines)


@lru_cache(maxsize=1_024)
def _name(name: str) -> str:
    return _NOT_IN_A_NAME.sub("-", name) or "-"


def _line(text: str) -> str:
    return (text if text.isprintable() else _NOT_IN_A_LINE.sub(" ", text)).strip()


def _record_id() -> str:
    return f"<urn:uuid:{uuid.uuid4()}>"


def _date(moment: datetime) -> str:
    return moment.astimezone(UTC).replace(tzinfo=None).isoformat(timespec="microseconds") + "Z"


def _escaped(match: re.Match[str]) -> str:
    return quote(match[0].encode("utf-8", "replace"), safe="")
