"""Connections: kept open and used again where that is safe, made anew where it is not, and gone with the web."""

from __future__ import annotations

import asyncio
import os
import socket
import struct
import sys
import threading
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from certificates import certificate, server_context
from servers import reply
from stories import policy, tell, told

from everlog.records import Fetched

if TYPE_CHECKING:
    import ssl
    from collections.abc import Callable, Iterator

    from everlog.fetch import HttpClient

    # What a server does with one connection; `hear` waits for a request.
    Manner = Callable[[socket.socket], None]

PAGE = reply(200, "page")
OK = b"HTTP/1.1 200 OK\r\n"


def hear(connection: socket.socket) -> bytes:
    heard = b""
    while not heard.endswith(b"\r\n\r\n"):
        data = connection.recv(65536)
        if not data:
            raise ConnectionError
        heard += data
    return heard


@contextmanager
def served(*manners: Manner, tls: ssl.SSLContext | None = None) -> Iterator[tuple[str, list[int]]]:
    """A server that treats its first connection in the first manner, and all behind the last in the last."""
    listener = socket.create_server(("127.0.0.1", 0))
    connections: list[int] = []

    def serve(connection: socket.socket, manner: Manner) -> None:
        with suppress(OSError), tls.wrap_socket(connection, server_side=True) if tls else connection as wrapped:
            manner(wrapped)

    def accept() -> None:
        while True:
            connection, _ = listener.accept()
            if is_over.is_set():
                connection.close()
                return
            connections.append(len(connections))
            manner = manners[min(connections[-1], len(manners) - 1)]
            threading.Thread(target=serve, args=(connection, manner), daemon=True).start()

    is_over = threading.Event()
    accepting = threading.Thread(target=accept, daemon=True)
    accepting.start()
    try:
        yield f"http{'s' if tls else ''}://127.0.0.1:{listener.getsockname()[1]}/", connections
    finally:
        is_over.set()
        with socket.socket() as last:
            last.connect(listener.getsockname())
        accepting.join(timeout=60)
        listener.close()


def always(answer: bytes) -> Manner:
    def answers(connection: socket.socket) -> None:
        while hear(connection):
            connection.sendall(answer)

    return answers


def once(answer: bytes) -> Manner:
    """One answer; the next request is hung up on."""
    def answers(connection: socket.socket) -> None:
        hear(connection)
        connection.sendall(answer)
        hear(connection)

    return answers


def reset(answer: bytes) -> Manner:
    def answers(connection: socket.socket) -> None:
        hear(connection)
        connection.sendall(answer)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        connection.close()

    return answers


def without_notice(answer: bytes) -> Manner:
    """The end of a connection through TLS that is not announced in it."""
    def answers(connection: socket.socket) -> None:
        hear(connection)
        connection.sendall(answer)
        socket.socket(fileno=connection.detach()).close()

    return answers


async def story(fetcher: HttpClient) -> dict[str, Any]:
    found: dict[str, Any] = {}
    await _kept(fetcher, found)
    await _ends(fetcher, found)
    await _secure(fetcher, found, Path(sys.argv[1]))
    await _addresses(fetcher, found)
    await _slow_names(fetcher, found)
    # One is left open: it ends with the web, and nothing is said about it.
    with served(always(PAGE)) as (url, _):
        await _fetch(fetcher, url)
    return found


async def _fetch(fetcher: HttpClient, url: str, times: int = 1, **other: Any) -> list[Any]:
    session = fetcher.session(policy(url, timeout_seconds=60.0, **other))
    return [await session.fetch(url) for _ in range(times)]


async def _kept(fetcher: HttpClient, found: dict[str, Any]) -> None:
    for name, manner in {
        "kept": always(PAGE), "chunked": always(OK + b"Transfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n"),
        "close": always(OK + b"Connection: close\r\nContent-Length: 1\r\n\r\nx"),
        "1.0": always(b"HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 1\r\n\r\nx"),
        "surplus": always(OK + b"Content-Length: 1\r\n\r\nx" + PAGE),
        "hangs up on the second": once(PAGE),
    }.items():
        with served(manner) as (url, connections):
            found[name] = await _fetch(fetcher, url, times=3, retries=1)
            found[f"{name} connections"] = len(connections)
    with served(always(reply(200, "x", Set_Cookie="a=b", x_lower="1", X_UPPER="2"))) as (url, _):
        found["cookies"] = [each.answer.request_headers for each in await _fetch(fetcher, url, times=2)]
        found["headers"] = (await _fetch(fetcher, url))[0].answer.headers


async def _ends(fetcher: HttpClient, found: dict[str, Any]) -> None:
    for name, answer in {
        "reset": b"", "reset in the head": OK + b"Content-", "reset without length": OK + b"\r\npage",
        "reset in the length": OK + b"Content-Length: 9\r\n\r\npage",
    }.items():
        with served(reset(answer)) as (url, _):
            found[name] = (await _fetch(fetcher, url, retries=0))[0]


async def _secure(fetcher: HttpClient, found: dict[str, Any], folder: Path) -> None:
    context = server_context(folder / "blog.pem")
    names: list[str | None] = []
    context.sni_callback = lambda _socket, name, _context: names.append(name)
    before, socket.getaddrinfo = socket.getaddrinfo, _at("127.0.0.1")
    for name, manner in {
        "tls": always(PAGE), "tls without length": without_notice(OK + b"\r\npage"),
        "tls cut": without_notice(OK + b"Content-Length: 9\r\n\r\npage"), "tls nothing": without_notice(b""),
    }.items():
        with served(manner, tls=context) as (url, connections):
            found[name] = await _fetch(fetcher, url.replace("127.0.0.1", "blog.example"), times=3, retries=0)
            found[f"{name} connections"] = len(connections)
    with served(lambda connection: connection.close()) as (url, _):
        secure = url.replace("http:", "https:")
        found["tls hung up"] = (await _fetch(fetcher, secure, retries=0))[0]
    found["names"] = set(names)
    socket.getaddrinfo = before


def _at(*addresses: str) -> Any:
    """A name server that knows these addresses, of any name."""
    def getaddrinfo(_: str, port: int, **__: Any) -> list[Any]:
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port)) for address in addresses]

    return getaddrinfo


async def _addresses(fetcher: HttpClient, found: dict[str, Any]) -> None:
    loop = asyncio.get_running_loop()
    before, connect, tried = socket.getaddrinfo, loop.sock_connect, []

    async def sock_connect(connecting: socket.socket, address: Any) -> None:
        tried.append(address[0])
        if address[0] == "127.0.0.3":
            try:
                await asyncio.Event().wait()
            finally:
                tried.append("given up")
        await connect(connecting, address)

    loop.sock_connect = sock_connect  # type: ignore[method-assign,assignment]
    with served(always(PAGE)) as (url, _):
        named = url.replace("127.0.0.1", "many.example")
        # At the second nobody listens, at the third nobody answers.
        for name, addresses in {
            "refused first": ("127.0.0.2", "127.0.0.1"), "silent first": ("127.0.0.3", "127.0.0.1"),
            "refused only": ("127.0.0.2", "127.0.0.2", "127.0.0.4"),
        }.items():
            tried.clear()
            socket.getaddrinfo = _at(*addresses)
            found[name] = (await _fetch(fetcher, named, retries=0))[0]
            await asyncio.sleep(0)
            found[f"{name} tried"] = tuple(tried)
    socket.getaddrinfo = _no_name
    for name in ("nowhere.example", "a..example"):
        found[name] = (await _fetch(fetcher, f"http://{name}/", retries=0))[0]
    socket.getaddrinfo = before
    del loop.sock_connect  # type: ignore[misc]


async def _slow_names(fetcher: HttpClient, found: dict[str, Any]) -> None:
    """A name server that hangs for more names than there are threads, while others have work for threads."""
    hanging, is_asked, before = threading.Event(), threading.Event(), socket.getaddrinfo

    def getaddrinfo(host: str, *_: Any, **__: Any) -> list[Any]:
        is_asked.set()
        hanging.wait(300)
        return _no_name(host)

    socket.getaddrinfo = getaddrinfo
    asking = [asyncio.ensure_future(_fetch(fetcher, f"http://{number}.example/", retries=0)) for number in range(40)]
    while not is_asked.is_set():
        await asyncio.sleep(0)
    found["work meanwhile"] = await asyncio.to_thread(lambda: not hanging.is_set())
    hanging.set()
    found["slow names"] = {failure.trouble for (failure,) in await asyncio.gather(*asking)}
    socket.getaddrinfo = before


def _no_name(host: str, *_: Any, **__: Any) -> list[Any]:
    host.encode("idna")
    raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("keys")
    file = certificate(folder, "blog", address="blog.example")
    return told(__file__, str(folder), environment={
        "SSL_CERT_FILE": str(file), "PYTHONWARNINGS": "default::ResourceWarning",
    })


@pytest.mark.parametrize(("name", "connections"), [
    ("kept", 1), ("chunked", 1), ("close", 3), ("1.0", 3), ("surplus", 3), ("hangs up on the second", 3),
])
def test_a_connection_is_used_again_where_the_server_keeps_it(
    found: dict[str, Any], name: str, connections: int,
) -> None:
    assert all(isinstance(each, Fetched) for each in found[name]), found[name]
    assert found[f"{name} connections"] == connections


def test_cookies_that_a_server_sets_are_not_sent_back(found: dict[str, Any]) -> None:
    assert [name for pairs in found["cookies"] for name, _ in pairs if name.lower() == "cookie"] == []


def test_headers_are_kept_as_they_were_sent(found: dict[str, Any]) -> None:
    assert [name for name, _ in found["headers"]] == [
        "Content-Type", "Set-Cookie", "x-lower", "X-UPPER", "Content-Length",
    ]


@pytest.mark.parametrize("name", ["reset", "reset in the head"])
def test_a_reset_before_the_body_is_no_answer(found: dict[str, Any], name: str) -> None:
    assert found[name].trouble == "connection"


def test_a_reset_within_a_known_length_is_an_answer_cut_off(found: dict[str, Any]) -> None:
    assert found["reset in the length"].trouble == "truncated"


def test_a_reset_ends_a_body_of_no_known_length_like_any_other_end(found: dict[str, Any]) -> None:
    assert found["reset without length"].answer.body == b"page"


def test_a_server_is_told_the_name_it_is_asked_under_and_proves_it_once(found: dict[str, Any]) -> None:
    assert [each.answer.body for each in found["tls"]] == [b"page"] * 3
    # The first was made before it was known in which network a typed name is, and serves nobody after that.
    assert (found["names"], found["tls connections"]) == ({"blog.example"}, 2)


def test_an_end_of_tls_that_is_not_announced_is_an_end(found: dict[str, Any]) -> None:
    assert found["tls without length"][0].answer.body == b"page"
    assert found["tls cut"][0].trouble == "truncated"
    assert found["tls nothing"][0].trouble == "connection"


def test_a_server_that_hangs_up_instead_of_proving_itself_gave_no_answer(found: dict[str, Any]) -> None:
    assert found["tls hung up"].trouble == "connection"


def test_of_several_addresses_the_next_is_tried_where_one_refuses(found: dict[str, Any]) -> None:
    assert isinstance(found["refused first"], Fetched)
    assert found["refused first tried"] == ("127.0.0.2", "127.0.0.1")


def test_of_several_addresses_one_that_is_silent_is_not_waited_for(found: dict[str, Any]) -> None:
    assert isinstance(found["silent first"], Fetched)
    assert found["silent first tried"] == ("127.0.0.3", "127.0.0.1", "given up")


def test_where_all_addresses_refuse_each_was_tried_once(found: dict[str, Any]) -> None:
    assert found["refused only"].reason.startswith("connection refused: ")
    assert found["refused only tried"] == ("127.0.0.2", "127.0.0.4")


@pytest.mark.parametrize("name", ["nowhere.example", "a..example"])
def test_a_name_without_an_address_is_said_to_have_none(found: dict[str, Any], name: str) -> None:
    assert (found[name].trouble, found[name].reason) == ("dns", f"DNS lookup failed for {name}")


def test_names_that_hang_hold_up_no_other_work_in_threads(found: dict[str, Any]) -> None:
    assert found["work meanwhile"]
    assert found["slow names"] == {"dns"}


if __name__ == "__main__":
    os.environ.pop("PYTHONWARNINGS", None)
    tell(story)
