"""Responses as servers really send them: what can be read is read, and nothing that is cut off passes for whole."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from everlog.fetch.http1 import (
    MOST_CHUNK_LINE_BYTES,
    MOST_HEAD_BYTES,
    MOST_INTERIM,
    CutOff,
    Head,
    OddAnswer,
    ResponseParser,
    request_bytes,
)

OK = b"HTTP/1.1 200 OK\r\n"
SIZED = b"Content-Length: 4\r\n\r\nbody"
CHUNKED = b"Transfer-Encoding: chunked\r\n\r\n"

WHOLE = {
    "plain": OK + SIZED,
    "lines end with LF alone": b"HTTP/1.1 200 OK\nContent-Length: 4\n\nbody",
    "line ends are mixed": OK + b"Content-Length: 4\n\r\nbody",
    "no reason": b"HTTP/1.1 200\r\n" + SIZED,
    "an empty reason": b"HTTP/1.1 200 \r\n" + SIZED,
    "a reason in Latin-1": b"HTTP/1.1 200 Gr\xfc\xdfe\r\n" + SIZED,
    "two blanks in the status line": b"HTTP/1.1  200 OK\r\n" + SIZED,
    "an empty line before": b"\r\n\r\n" + OK + SIZED,
    "the name of the protocol in small letters": b"http/1.1 200 OK\r\n" + SIZED,
    "a version that is not spoken here": b"HTTP/2 200 OK\r\n" + SIZED,
    "HTTP/1.0 that keeps the connection": b"HTTP/1.0 200 OK\r\nConnection: keep-alive\r\n" + SIZED,
    "the same length twice": OK + b"Content-Length: 4\r\ncontent-length: 4\r\n\r\nbody",
    "the same length twice in one line": OK + b"Content-Length: 4, 4\r\n\r\nbody",
    "more than the length": OK + SIZED + b"surplus",
    "a length beside chunks": OK + b"Content-Length: 99\r\n" + CHUNKED + b"4\r\nbody\r\n0\r\n\r\n",
    "chunked twice": OK + b"Transfer-Encoding: chunked\r\n" + CHUNKED + b"4\r\nbody\r\n0\r\n\r\n",
    "identity as an encoding": OK + b"Transfer-Encoding: identity\r\n" + SIZED,
    "chunks of HTTP/1.0": b"HTTP/1.0 200 OK\r\n" + CHUNKED + b"4\r\nbody\r\n0\r\n\r\n",
    "chunks with extensions": OK + CHUNKED + b"2;a=b\r\nbo\r\n2 ; c\r\ndy\r\n0\r\n\r\n",
    "sizes of chunks padded with blanks and zeros": OK + CHUNKED + b"4   \r\nbody\r\n00000000\r\n\r\n",
    "chunks with LF alone": b"HTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\n4\nbody\n0\n\n",
    "headers behind the chunks": OK + CHUNKED + b"4\r\nbody\r\n0\r\nX-Sum: 1\r\nX-B: 2\r\n\r\n",
    "a folded header": OK + b"X-A: one\r\n\t two\r\n" + SIZED,
    "a fold before any header": OK + b" two\r\n" + SIZED,
    "bytes that are no ASCII": OK + b"X-A: \xe9\xff\r\n" + SIZED,
    "names that are none": OK + b"X A: 1\r\n: 2\r\nX-\xe9: 3\r\nnonsense\r\n" + SIZED,
    "a blank before the colon": OK + b"Content-Length : 4\r\n\r\nbody",
    "no value": OK + b"X-A:\r\n" + SIZED,
    "early hints": b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early\r\nLink: </a>\r\n\r\n" + OK + SIZED,
    "many headers": OK + b"".join(b"X-%d: y\r\n" % number for number in range(2_000)) + SIZED,
    "a long header": OK + b"X-A: " + b"y" * 100_000 + b"\r\n" + SIZED,
    "a status that nobody knows": b"HTTP/1.1 999 Denied\r\n" + SIZED,
}
REFUSED = {
    "no HTTP": b"SSH-2.0-OpenSSH_9.6\r\n\r\n",
    "no HTTP and no line": b"<html>",
    "a status that is a word": b"HTTP/1.1 OK\r\n\r\n",
    "a status of two digits": b"HTTP/1.1 20 OK\r\n\r\n",
    "a status below all": b"HTTP/1.1 099 Low\r\n\r\n",
    "a status of many digits": b"HTTP/1.1 9999999999 Much\r\n\r\n",
    "two lengths": OK + b"Content-Length: 4\r\nContent-Length: 5\r\n\r\nbody",
    "a negative length": OK + b"Content-Length: -4\r\n\r\nbody",
    "a length with a sign": OK + b"Content-Length: +4\r\n\r\nbody",
    "no length in the header": OK + b"Content-Length:\r\n\r\nbody",
    "a length of thousands of digits": OK + b"Content-Length: " + b"9" * 5_000 + b"\r\n\r\n",
    "a length in other digits": OK + "Content-Length: ４\r\n\r\n".encode(),
    "an encoding that is not spoken here": OK + b"Transfer-Encoding: gzip, chunked\r\n\r\n",
    "a head without end": OK + b"X-A: y\r\n" * (MOST_HEAD_BYTES // 8 + 1),
    "a line without end": OK + b"X-A: " + b"y" * MOST_HEAD_BYTES,
    "no end of interim responses": b"HTTP/1.1 100 Continue\r\n\r\n" * (MOST_INTERIM + 1),
    "trailers without end": OK + CHUNKED + b"0\r\n" + (b"X: " + b"y" * 1_000 + b"\r\n") * (MOST_HEAD_BYTES // 1_000),
}
CUT_OFF = {
    "less than the length": OK + b"Content-Length: 9\r\n\r\nbody",
    "no last chunk": OK + CHUNKED + b"4\r\nbody\r\n",
    "a chunk that is not whole": OK + CHUNKED + b"ff\r\nbody",
    "no end behind the last chunk": OK + CHUNKED + b"4\r\nbody\r\n0\r\n",
    "a size that is no number": OK + CHUNKED + b"4\r\nbody\r\nzz\r\n",
    "no size": OK + CHUNKED + b"\r\nbody",
    "a negative size": OK + CHUNKED + b"-4\r\nbody",
    "a chunk longer than its size": OK + CHUNKED + b"2\r\nbody\r\n0\r\n\r\n",
    "a size beyond all": OK + CHUNKED + b"f" * 17 + b"\r\nbody",
    "a size without end": OK + CHUNKED + b"0" * (MOST_CHUNK_LINE_BYTES + 1),
}


class Taken:
    """A response, fed to a parser in some pieces."""

    def __init__(self, *pieces: bytes, **options: Any) -> None:
        self.body = b""
        self.size: int | None = None
        self.parser = ResponseParser(on_head=self._begin, on_body=self._add, **options)
        self.is_whole = False
        for piece in pieces:
            # What stands behind the end is not fed: its reader has hung up.
            self.is_whole = self.is_whole or self.parser.feed(piece)

    def _begin(self, head: Head, size: int | None) -> None:
        self.head, self.size = head, size

    def _add(self, data: bytes) -> None:
        assert data
        self.body += data


def single_bytes(data: bytes) -> list[bytes]:
    return [data[at:at + 1] for at in range(len(data))]


@pytest.mark.parametrize("name", WHOLE)
def test_what_can_be_read_is_read(name: str) -> None:
    taken = Taken(WHOLE[name])
    assert (taken.is_whole, taken.body) == (True, b"body")
    assert taken.head.status in {200, 999}


@pytest.mark.parametrize("name", [name for name, data in WHOLE.items() if len(data) < 10_000])
def test_it_makes_no_difference_in_which_pieces_a_response_comes(name: str) -> None:
    taken = Taken(*single_bytes(WHOLE[name]))
    assert (taken.is_whole, taken.body, taken.head) == (True, b"body", Taken(WHOLE[name]).head)


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_read_is_refused(name: str) -> None:
    with pytest.raises(OddAnswer):
        Taken(REFUSED[name])


@pytest.mark.parametrize("name", CUT_OFF)
def test_what_is_cut_off_is_not_whole(name: str) -> None:
    with pytest.raises(CutOff):
        Taken(CUT_OFF[name]).parser.end()


@given(st.binary(max_size=200), st.lists(st.integers(0, 200), max_size=5))
def test_whatever_comes_is_read_or_refused(data: bytes, cuts: list[int]) -> None:
    edges = [0, *sorted(cuts), len(data)]
    try:
        taken = Taken(OK + CHUNKED, *(data[start:end] for start, end in pairwise(edges)))
        if not taken.is_whole:
            taken.parser.end()
    except (OddAnswer, CutOff):
        return
    assert taken.is_whole


def test_a_body_without_length_ends_with_the_connection() -> None:
    taken = Taken(OK + b"\r\n", b"bo", b"dy")
    taken.parser.end()
    assert (taken.size, taken.body) == (None, b"body")


def test_a_connection_that_ends_before_the_head_brought_no_response() -> None:
    for data in (b"", b"HTTP/1.1 200 OK\r\nContent-Le", b"HTTP/1.1 100 Continue\r\n\r\n"):
        with pytest.raises(ConnectionError):
            Taken(*filter(None, [data])).parser.end()


@pytest.mark.parametrize("status", [b"204 None", b"304 Same"])
def test_some_responses_have_no_body_whatever_their_headers_say(status: bytes) -> None:
    for headers in (b"Content-Length: 9\r\n\r\n", CHUNKED, b"\r\n"):
        taken = Taken(b"HTTP/1.1 " + status + b"\r\n" + headers)
        assert (taken.is_whole, taken.size, taken.body) == (True, 0, b"")
    assert Taken(OK + b"Content-Length: 9\r\n\r\n", is_head=True).is_whole


def test_headers_keep_their_order_and_their_case() -> None:
    head = Taken(OK + b"x-b: 1\r\nX-A:2 \r\nSET-COOKIE: a\r\nset-cookie: b\r\n" + SIZED).head
    assert head.headers[:4] == ((b"x-b", b"1"), (b"X-A", b"2"), (b"SET-COOKIE", b"a"), (b"set-cookie", b"b"))
    assert Taken(OK + b"X-A: one\r\n  two\r\n\tthree\r\n" + SIZED).head.headers[0] == (b"X-A", b"one two three")
    assert Taken(OK + b"X-A: a\rb\r\n" + SIZED).head.headers[0] == (b"X-A", b"a b")


@pytest.mark.parametrize(
    ("data", "reusable"),
    [
        (OK + SIZED, True), (OK + CHUNKED + b"4\r\nbody\r\n0\r\n\r\n", True), (b"HTTP/1.1 304 Same\r\n\r\n", True),
        (OK + b"Connection: Close\r\n" + SIZED, False), (b"HTTP/1.0 200 OK\r\n" + SIZED, False),
        (OK + SIZED + b"!", False), (OK + CHUNKED + b"4\r\nbody\r\n0\r\n\r\n!", False),
        (OK + b"Content-Length: 4\r\n" + CHUNKED + b"4\r\nbody\r\n0\r\n\r\n", False), (OK + b"\r\nbody", False),
    ],
)
def test_a_connection_is_used_again_only_where_the_next_response_has_a_clear_beginning(
    data: bytes, reusable: bool,  # noqa: FBT001 - a column of the table
) -> None:
    assert Taken(data).parser.is_reusable is reusable


def test_a_body_of_many_small_chunks_is_read_at_once() -> None:
    for chunk in (b"1\r\nx\r\n", b"1;e\nx\n"):
        taken = Taken(OK + CHUNKED + chunk * 50_000 + b"0\r\n\r\n")
        assert (taken.is_whole, len(taken.body)) == (True, 50_000)


def test_a_request_says_how_long_its_body_is_and_nothing_else_about_the_connection() -> None:
    headers = [(b"Host", [b"a.org"]), (b"Content-Length", [b"9"]), (b"Connection", [b"close"]), (b"X", [b"1", b"2"])]
    assert request_bytes("POST", "/", headers, b"ab") == (
        b"POST / HTTP/1.1\r\nHost: a.org\r\nX: 1\r\nX: 2\r\nContent-Length: 2\r\n\r\nab"
    )
    assert request_bytes("POST", "/", []) == b"POST / HTTP/1.1\r\nContent-Length: 0\r\n\r\n"


@pytest.mark.parametrize(
    ("method", "target", "name"),
    [("GET", "/a b", b"X"), ("GET", "/a\r\nX: 1", b"X"), ("GET", "", b"X"), ("GET", "/ü", b"X"), ("G ET", "/", b"X"),
     ("GÉT", "/", b"X"), ("", "/", b"X"), ("GET", "/", b"X\r\nY"), ("GET", "/", b"")],
)
def test_what_would_break_the_lines_of_a_request_is_not_sent(method: str, target: str, name: bytes) -> None:
    with pytest.raises(ValueError, match="invalid"):
        request_bytes(method, target, [(name, [b"1"])])
