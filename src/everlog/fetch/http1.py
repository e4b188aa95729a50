"""HTTP/1 parser: one response as its bytes come in, as lenient as browsers are where servers break the rules.

ResponseParser   the bytes of one response: its head, and its body without chunks
Head             status line and headers, as they were sent
request_bytes    a request as it goes over the wire

It opens no connection and knows no clock: `connection` feeds it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass

# Real heads are a few kilobytes; an endless one would fill the memory before the time is over.
MOST_HEAD_BYTES = 256 * 1024
# Responses before the response: servers send one or two (100 Continue, 103 Early Hints).
MOST_INTERIM = 100
# A line with the size of a chunk has a few digits and, rarely, an extension; a header behind the last chunk is short.
MOST_CHUNK_LINE_BYTES = 4096
# No body is as long as 10^18 bytes, in decimal digits; and Python itself refuses to read thousands of digits.
MOST_DIGITS, MOST_HEX_DIGITS = 18, 15

_STATUS_LINE = re.compile(rb"HTTP/(\d)(?:\.(\d))?[ \t]+(\d+)(?:[ \t]+(.*))?", re.IGNORECASE | re.DOTALL)
# Both kinds of line ends happen, also one after the other.
_HEAD_END = re.compile(rb"\n\r?\n")
_TOKEN = re.compile(rb"[!#$%&'*+\-.^_`|~0-9A-Za-z]+")
_HEX = re.compile(rb"[0-9A-Fa-f]+")
_BREAKS = re.compile(rb"[\r\n\0]+")
_TARGET = re.compile(r"[!-~]+")
_BODILESS = frozenset({204, 304})
# What says where a request ends, and what becomes of the connection, is written here alone.
_FRAMING = frozenset({b"content-length", b"transfer-encoding", b"connection"})


class OddAnswer(Exception):
    """A response that nobody should try to read."""


class CutOff(Exception):
    """A response whose end is missing, or whose chunks do not fit together."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Head:
    """Status line and headers of a response, in their order and case; folded lines are one."""

    status: int
    reason: bytes
    headers: tuple[tuple[bytes, bytes], ...]
    is_http_1_1: bool = True

    def values(self, name: bytes) -> list[bytes]:
        """The values of a header whose name is given in lower case."""
        return [value for key, value in self.headers if key.lower() == name]

    @property
    def keeps_alive(self) -> bool:
        """Whether the connection may be used again, as far as version and headers say."""
        return self.is_http_1_1 and not any(b"close" in value.lower() for value in self.values(b"connection"))


class ResponseParser:
    """One response: `on_head` is told its head and the size of its body, if that is known, `on_body` each piece of it.

    >>> pieces = []
    >>> parser = ResponseParser(on_head=lambda head, size: pieces.append((head.status, size)), on_body=pieces.append)
    >>> parser.feed(b"HTTP/1.1 200 OK\\r\\nTransfer-Encoding: chunked\\r\\n\\r\\n3\\r\\nabc\\r\\n")
    False
    >>> parser.feed(b"0\\r\\n\\r\\n"), pieces
    (True, [(200, None), b'abc'])
    """

    __slots__ = ("_buffer", "_interim", "_is_head", "_left", "_line", "_on_body", "_on_head", "_read", "_trailer_bytes",
                 "head", "is_reusable")

    def __init__(
        self, *, on_head: Callable[[Head, int | None], None], on_body: Callable[[bytes], None], is_head: bool = False,
    ) -> None:
        self._on_head = on_head
        self._on_body = on_body
        self._is_head = is_head
        self._buffer = bytearray()
        self._interim = 0
        self._left = 0
        self._trailer_bytes = 0
        # Functions, not methods of this object: what refers to itself stays in memory until it is searched for.
        self._read: Callable[[ResponseParser, bytes], bool] = ResponseParser._read_head
        self._line: Callable[[ResponseParser, bytes], bool] = ResponseParser._read_chunk_size
        self.head: Head | None = None
        # Whether the next response on the connection would begin where this one ended.
        self.is_reusable = False

    def feed(self, data: bytes) -> bool:
        """Take what has come; whether that was the end. `OddAnswer` or `CutOff` where it cannot be read."""
        return self._read(self, data)

    def end(self) -> None:
        """The connection has ended: fine where that ends the body, `CutOff` else; ConnectionError before the head."""
        if self.head is None:
            raise ConnectionError("the server closed the connection without a response")
        if self._read is not ResponseParser._read_rest:
            raise CutOff("the connection ended before the body did")

    def _read_head(self, data: bytes) -> bool:
        buffer = self._buffer
        buffer += data
        start = max(0, len(buffer) - len(data) - 3)
        while True:
            if buffer.startswith((b"\r", b"\n")):
                # Some servers send an empty line behind the response before.
                del buffer[:len(buffer) - len(buffer.lstrip(b"\r\n"))]
                start = 0
            found = _HEAD_END.search(buffer, start)
            if (found.start() if found else len(buffer)) > MOST_HEAD_BYTES:
                raise OddAnswer("response headers too long")
            if found is None:
                if buffer[:5].upper() != b"HTTP/"[:len(buffer)]:
                    raise OddAnswer(f"not HTTP: {bytes(buffer[:20])!r}")
                return False
            head = read_head(bytes(buffer[:found.start()]))
            del buffer[:found.end()]
            if head.status >= 200:
                break
            start = 0
            self._interim += 1
            if self._interim > MOST_INTERIM:
                raise OddAnswer("no end of interim responses")
        rest = bytes(buffer)
        buffer.clear()
        return self._begin_body(head, rest)

    def _begin_body(self, head: Head, rest: bytes) -> bool:
        self.head = head
        is_bodiless = self._is_head or head.status in _BODILESS
        is_chunked = not is_bodiless and _is_chunked(head)
        size = 0 if is_bodiless else None if is_chunked else _content_length(head)
        self._on_head(head, size)
        if is_chunked:
            # Who names a length besides may mean either about where the next response begins.
            self.is_reusable = head.keeps_alive and not head.values(b"content-length")
            self._read = ResponseParser._read_chunks
        elif size is None:
            self._read = ResponseParser._read_rest
        else:
            self.is_reusable = head.keeps_alive
            self._left = size
            self._read = ResponseParser._read_sized
        return self._read(self, rest)

    def _read_sized(self, data: bytes) -> bool:
        left = self._left
        if len(data) > left:
            self.is_reusable = False
            data = data[:left]
        if data:
            self._left = left - len(data)
            self._on_body(data)
        return not self._left

    def _read_rest(self, data: bytes) -> bool:
        if data:
            self._on_body(data)
        return False

    def _read_chunks(self, data: bytes) -> bool:
        """All chunks in what has come, one after the other; what is left of a line waits for the rest of it."""
        if self._buffer:
            data = bytes(self._buffer) + data
            self._buffer.clear()
        at = 0
        while at < len(data):
            if self._left:
                piece = data[at:at + self._left]
                at += len(piece)
                self._left -= len(piece)
                self._on_body(piece)
                continue
            end = data.find(b"\n", at, at + MOST_CHUNK_LINE_BYTES)
            if end < 0:
                if len(data) - at >= MOST_CHUNK_LINE_BYTES:
                    raise CutOff("broken chunk: a line without end")
                self._buffer += data[at:]
                return False
            line = data[at:end].rstrip(b"\r")
            at = end + 1
            if self._line(self, line):
                self.is_reusable = self.is_reusable and at == len(data)
                return True
        return False

    def _read_chunk_size(self, line: bytes) -> bool:
        # Padded with blanks by servers of old.
        digits = line.partition(b";")[0].strip(b" \t")
        if not _HEX.fullmatch(digits) or len(digits.lstrip(b"0")) > MOST_HEX_DIGITS:
            raise CutOff(f"broken chunk: {line[:20]!r}")
        self._left = int(digits, 16)
        self._line = ResponseParser._read_chunk_end if self._left else ResponseParser._read_trailer
        return False

    def _read_chunk_end(self, line: bytes) -> bool:
        if line:
            raise CutOff(f"broken chunk: {line[:20]!r}")
        self._line = ResponseParser._read_chunk_size
        return False

    def _read_trailer(self, line: bytes) -> bool:
        """A header behind the last chunk, which nobody needs; an empty line is the end."""
        self._trailer_bytes += len(line)
        if self._trailer_bytes > MOST_HEAD_BYTES:
            raise OddAnswer("response headers too long")
        return not line


def read_head(data: bytes) -> Head:
    """Status line and headers. Lines that are no header are left out, as browsers leave them out.

    >>> head = read_head(b"HTTP/1.0 200\\r\\nX-A: one\\r\\n two\\r\\nnonsense\\nx-b:3")
    >>> head.status, head.headers, head.keeps_alive
    (200, ((b'X-A', b'one two'), (b'x-b', b'3')), False)
    """
    first, *lines = data.split(b"\n")
    first = first.rstrip(b"\r")
    matched = _STATUS_LINE.fullmatch(first)
    if matched is None:
        raise OddAnswer(f"not HTTP: {first[:20]!r}")
    major, minor, code, reason = matched.groups()
    if len(code) != 3 or code < b"100":
        raise OddAnswer(f"invalid status code {code[:20].decode()}")
    headers: list[tuple[bytes, bytes]] = []
    for line in _unfolded(lines) if b"\n " in data or b"\n\t" in data else lines:
        name, colon, value = line.partition(b":")
        name = name.rstrip(b" \t")
        if colon and _TOKEN.fullmatch(name):
            value = value.strip(b" \t\r")
            headers.append((name, value.replace(b"\r", b" ") if b"\r" in value else value))
    return Head(
        status=int(code), reason=(reason or b"").strip(), headers=tuple(headers),
        is_http_1_1=(major, minor) == (b"1", b"1"),
    )


def _unfolded(lines: Iterable[bytes]) -> list[bytes]:
    """Lines that begin with a blank belong to the one before (obsolete line folding, RFC 9112, 5.2)."""
    whole: list[list[bytes]] = []
    for line in lines:
        if line[:1] not in {b" ", b"\t"}:
            whole.append([line.rstrip(b" \t\r")])
        elif whole:
            whole[-1].append(line.strip(b" \t\r"))
    return [b" ".join(parts) for parts in whole]


def _is_chunked(head: Head) -> bool:
    words = {word.strip().lower() for value in head.values(b"transfer-encoding") for word in value.split(b",")}
    words -= {b"", b"identity"}
    if words - {b"chunked"}:
        raise OddAnswer(f"unsupported Transfer-Encoding {b', '.join(sorted(words))[:40]!r}")
    return bool(words)


def _content_length(head: Head) -> int | None:
    """What all headers of that name agree on; None if there is none."""
    values = {part.strip() for value in head.values(b"content-length") for part in value.split(b",")}
    if not values:
        return None
    if len(values) > 1:
        raise OddAnswer(f"conflicting Content-Length headers: {b', '.join(sorted(values))[:40]!r}")
    (digits,) = values
    if not digits.isdigit() or len(digits) > MOST_DIGITS:
        raise OddAnswer(f"invalid Content-Length {digits[:20]!r}")
    return int(digits)


def request_bytes(
    method: str, target: str, headers: Iterable[tuple[bytes, Iterable[bytes]]], body: bytes = b"",
) -> bytes:
    """A request as it goes over the wire. ValueError where method, target or a name would break the line it is in.

    >>> request_bytes("GET", "/a", [(b"Host", [b"a.org"]), (b"X", [b"in\\r\\njected: 1"])])
    b'GET /a HTTP/1.1\\r\\nHost: a.org\\r\\nX: in jected: 1\\r\\n\\r\\n'
    """
    if not _TOKEN.fullmatch(method.encode("latin-1", "replace")):
        raise ValueError(f"invalid method {method[:20]!r}")
    if not _TARGET.fullmatch(target):
        raise ValueError(f"invalid address {target[:200]!r}")
    lines = [f"{method} {target} HTTP/1.1".encode("ascii")]
    for name, values in headers:
        if not _TOKEN.fullmatch(name):
            raise ValueError(f"invalid name of a header {name[:40]!r}")
        if name.lower() not in _FRAMING:
            lines += [name + b": " + _BREAKS.sub(b" ", value) for value in values]
    if body or method in {"POST", "PUT"}:
        lines.append(b"Content-Length: %d" % len(body))
    return b"\r\n".join((*lines, b"", body))
