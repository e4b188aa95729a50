"""Answers that are too large, too slow, cut off or not HTTP at all."""

from __future__ import annotations

import gzip
import socket
import sys
import threading
import zlib
from itertools import repeat
from typing import TYPE_CHECKING, Any

import brotli
import pytest
from servers import Server, reply
from stories import Leaps, policy, tell, told

from everlog.records import Fetched

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from everlog.fetch import HttpClient

LEAPS = Leaps()
OVER = threading.Event()
MOST = 100_000
# A time limit that ends what never comes, and one within which the first half of a picture comes on any machine.
SHORT_SECONDS, LONG_SECONDS = 0.2, 2.0
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
ZEROS = bytes(20_000_000)


def pieces(*parts: bytes) -> Iterable[bytes]:
    """An answer after which the server hangs up."""
    return list(parts)


def stalled(_: object) -> Iterator[bytes]:
    """A body that begins and does not go on."""
    yield HEAD + b"\r\n" + b"x" * 10
    OVER.wait(300)


def flood(_: object) -> Iterator[bytes]:
    yield HEAD + b"\r\n"
    yield from repeat(b"x" * 65536)


def drip(_: object) -> Iterator[bytes]:
    """A picture of which a byte comes, and then nothing for as long as anybody waits."""
    yield HEAD + b"Content-Length: 100000\r\n\r\n"
    yield b"x"
    OVER.wait(300)


def silent(_: object) -> Iterator[bytes]:
    OVER.wait(300)
    yield HEAD


def in_two(_: object) -> Iterator[bytes]:
    """A picture that takes longer than a page may, and comes fast enough for its size."""
    yield HEAD + b"Content-Length: 2000000\r\n\r\n"
    yield b"x" * 1_000_000
    OVER.wait(LONG_SECONDS + 0.5)
    yield b"x" * 1_000_000


def endless_head(_: object) -> Iterator[bytes]:
    yield HEAD
    yield from repeat(b"X-Filler: " + b"y" * 8000 + b"\r\n")


def encoded(body: bytes, *encodings: str) -> bytes:
    return reply(200, body, Content_Encoding=", ".join(encodings))


def routes() -> dict[str, Any]:
    small = b"<p>good</p>" * 50
    return {
        "/gzip": encoded(gzip.compress(small), "gzip"),
        "/deflate": encoded(zlib.compress(small), "deflate"),
        "/deflate-raw": encoded(zlib.compress(small)[2:-4], "deflate"),
        "/zstd": encoded(zstd.compress(small), "zstd"),
        "/brotli": encoded(brotli.compress(small), "br"),
        "/twice": encoded(gzip.compress(gzip.compress(small)), "gzip", "gzip"),
        "/named-wrongly": encoded(small, "UTF-8"),
        "/until-close": lambda _: pieces(HEAD + b"\r\n" + small),
        "/chunked": reply(200)[:-21] + b"Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n",
        "/empty": b"HTTP/1.1 204 Nothing\r\n\r\n",
        "/bomb-gzip": encoded(gzip.compress(ZEROS), "gzip"),
        "/bomb-brotli": encoded(brotli.compress(ZEROS, quality=5), "br"),
        "/bomb-deflate": encoded(zlib.compress(ZEROS), "deflate"),
        "/bomb-zstd": encoded(zstd.compress(ZEROS), "zstd"),
        "/bomb-twice": encoded(gzip.compress(gzip.compress(ZEROS)), "gzip", "gzip"),
        "/announced": lambda _: pieces(HEAD + b"Content-Length: 999999999\r\n\r\n", b"x" * 1000),
        "/flood": flood,
        "/many-layers": encoded(gzip.compress(small), *["gzip"] * 50),
        "/no-gzip": encoded(small, "gzip"),
        "/no-deflate": encoded(small, "deflate"),
        "/no-brotli": encoded(small, "br"),
        "/no-zstd": encoded(small, "zstd"),
        "/foreign": encoded(small, "compress"),
        "/not-http": lambda _: pieces(b"SSH-2.0-OpenSSH_9.6\r\n\r\n"),
        "/endless-head": endless_head,
        "/odd-status": b"HTTP/1.1 9999999999 Much\r\nContent-Length: 0\r\n\r\n",
        "/cut": lambda _: pieces(HEAD + b"Content-Length: 500\r\n\r\n", b"only this"),
        "/broken-chunk": lambda _: pieces(HEAD + b"Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\nzz\r\nno\r\n"),
        "/cut-chunk": lambda _: pieces(HEAD + b"Transfer-Encoding: chunked\r\n\r\nff\r\nhello"),
        "/hung-up": lambda _: pieces(),
        "/stalled": stalled,
    }


async def story(fetcher: HttpClient) -> dict[str, Any]:
    found: dict[str, Any] = {}
    with Server(routes()) as server:
        session = fetcher.session(policy(server.url(), max_page_bytes=MOST, timeout_seconds=20.0, retries=1))
        hurried = fetcher.session(policy(server.url(), timeout_seconds=SHORT_SECONDS, retries=1))
        for path in server.routes:
            # Only time can end this one.
            each = session if path != "/stalled" else hurried
            found[path] = await each.fetch(server.url(path))
        await _slow_pictures(fetcher, found)
        found["media"] = await session.fetch(server.url("/bomb-gzip"), purpose="media")
        found["counts"] = server.counts()
        found["ledger"] = session.host_stats()[0]
    # Bound and not listened on: nobody else is given this port meanwhile, and who connects is refused.
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{nobody.getsockname()[1]}/"
        found["refused"] = await fetcher.session(policy(url, retries=1)).fetch(url)
    return found


async def _slow_pictures(fetcher: HttpClient, found: dict[str, Any]) -> None:
    with Server({"/drip.png": drip, "/silent.png": silent, "/slow.png": in_two}) as server:
        for path in server.routes:
            limit = LONG_SECONDS if path == "/slow.png" else SHORT_SECONDS
            session = fetcher.session(policy(server.url(), timeout_seconds=limit, retries=2))
            found[path] = await session.fetch(server.url(path), purpose="media")
        found["picture counts"] = server.counts()
        OVER.set()


@pytest.fixture(scope="module")
def found() -> dict[str, Any]:
    return told(__file__)


@pytest.mark.parametrize("path", [
    "/gzip", "/deflate", "/deflate-raw", "/brotli", "/zstd", "/twice", "/named-wrongly", "/until-close",
])
def test_bodies_are_decoded_and_nothing_speaks_of_the_encoding_any_more(found: dict[str, Any], path: str) -> None:
    answer = found[path].answer
    assert answer.body == b"<p>good</p>" * 50
    assert answer.header("content-encoding") is answer.header("transfer-encoding") is None
    assert answer.header("content-length") == "550"


def test_chunks_are_put_together_and_nothing_is_an_answer_too(found: dict[str, Any]) -> None:
    assert found["/chunked"].answer.body == b"abc"
    assert found["/chunked"].answer.header("transfer-encoding") is None
    assert found["/empty"].answer.body == b""


@pytest.mark.parametrize("path", [
    "/bomb-gzip", "/bomb-brotli", "/bomb-deflate", "/bomb-zstd", "/bomb-twice", "/announced", "/flood",
])
def test_what_is_too_large_is_dropped_and_not_asked_for_again(found: dict[str, Any], path: str) -> None:
    assert found[path].trouble == "too-large"
    assert "100,000 bytes" in found[path].reason
    assert found["counts"][path] == (2 if path == "/bomb-gzip" else 1)


def test_pictures_may_be_larger_than_pages(found: dict[str, Any]) -> None:
    assert isinstance(found["media"], Fetched)
    assert len(found["media"].answer.body) == len(ZEROS)


@pytest.mark.parametrize("path", [
    "/many-layers", "/no-gzip", "/no-deflate", "/no-brotli", "/no-zstd", "/foreign", "/not-http", "/endless-head",
    "/odd-status",
])
def test_what_cannot_be_read_is_said_to_be_so(found: dict[str, Any], path: str) -> None:
    assert found[path].trouble == "protocol"
    assert found["counts"][path] == 1


@pytest.mark.parametrize("path", ["/cut", "/broken-chunk", "/cut-chunk"])
def test_what_broke_off_is_tried_again_and_never_given_as_whole(found: dict[str, Any], path: str) -> None:
    assert found[path].trouble == "truncated"
    assert found["counts"][path] == 2


@pytest.mark.parametrize("path", ["/drip.png", "/silent.png"])
def test_a_picture_that_drips_costs_one_time_limit_and_is_not_asked_for_again(found: dict[str, Any], path: str) -> None:
    assert found[path].trouble == "timeout"
    assert found[path].reason.startswith("download too slow: only ")
    assert "0.2 s" in found[path].reason
    assert found["picture counts"][path] == 1


def test_a_picture_that_comes_fast_enough_for_its_size_may_take_longer(found: dict[str, Any]) -> None:
    assert len(found["/slow.png"].answer.body) == 2_000_000


def test_a_server_that_hangs_up_gave_no_answer_and_is_asked_again(found: dict[str, Any]) -> None:
    assert found["/hung-up"].trouble == "connection"
    assert found["counts"]["/hung-up"] == 2


def test_a_body_without_end_ends_with_the_time_for_it(found: dict[str, Any]) -> None:
    assert found["/stalled"].trouble == "timeout"
    assert "0.2 s" in found["/stalled"].reason


def test_a_server_that_is_not_there_refuses_the_connection(found: dict[str, Any]) -> None:
    assert found["refused"].trouble == "connection"


def test_the_ledger_counts_bytes_as_they_were_sent(found: dict[str, Any]) -> None:
    # Another session asked for it, and whether the server hears of that in so short a time is the machine's affair.
    stalled = found["counts"].get("/stalled", 0)
    assert found["ledger"].requests == sum(found["counts"].values()) - stalled
    assert found["ledger"].bytes < 200_000


if __name__ == "__main__":
    tell(story, LEAPS.keeper())
