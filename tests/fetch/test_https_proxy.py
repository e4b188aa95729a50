"""A proxy that is spoken to through TLS, proxies that are not there, and one that wants a password."""

from __future__ import annotations

import asyncio
import os
import socket
import sys
import threading
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from certificates import certificate, server_context
from servers import Server, reply
from stories import policy, tell, told

if TYPE_CHECKING:
    from collections.abc import Iterator

    from everlog.fetch import HttpClient


@contextmanager
def tls_proxy(folder: Path, heard: list[str]) -> Iterator[int]:
    """A proxy through TLS that answers at the other end of every tunnel itself, through TLS in TLS."""
    proxy, blog = server_context(folder / "proxy.pem"), server_context(folder / "blog.pem")

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        heard.append(head)
        if head.startswith("CONNECT "):
            writer.write(b"HTTP/1.1 200 Connected\r\n\r\n")
            await writer.drain()
            await writer.start_tls(blog)
            heard.append((await reader.readuntil(b"\r\n\r\n")).decode())
        writer.write(reply(200, "through"))
        await writer.drain()
        # Whoever is still connected when the test is over is let go without a word.
        with suppress(asyncio.CancelledError, ConnectionError):
            await reader.read()
        writer.close()

    loop = asyncio.new_event_loop()
    server = loop.run_until_complete(asyncio.start_server(serve, "127.0.0.1", 0, ssl=proxy))
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join(timeout=60)
        for task in asyncio.all_tasks(loop):
            task.cancel()
        loop.run_until_complete(asyncio.sleep(0))
        server.close()
        loop.close()


def main(folder: Path, scene: str) -> None:
    heard: list[str] = []
    with tls_proxy(folder, heard) as port, Server({"*": reply(407)}) as closed, socket.socket() as nobody:
        # Bound and not listened on: who connects is refused.
        nobody.bind(("127.0.0.1", 0))
        proxy = {
            "tls": f"https://me:secret@localhost:{port}", "closed": f"http://me:secret@localhost:{closed.port}",
            "nobody": f"http://me:secret@localhost:{nobody.getsockname()[1]}", "no name": "http://me:secret@a..b:3128",
            "not its name": f"https://me:secret@127.0.0.1:{port}", "socks": "socks5://me:secret@localhost:1080",
        }[scene]
        os.environ["http_proxy"] = os.environ["https_proxy"] = proxy

        async def story(fetcher: HttpClient) -> dict[str, Any]:
            session = fetcher.session(policy("http://blog.example/", retries=0, timeout_seconds=60.0))
            found = {scheme: await session.fetch(f"{scheme}://blog.example/a") for scheme in ("http", "https")}
            return found | {"heard": heard}

        tell(story)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("keys")
    blog, proxy = certificate(made, "blog", address="blog.example"), certificate(made, "proxy", address="localhost")
    (made / "roots.pem").write_bytes(blog.read_bytes() + proxy.read_bytes())
    return made


def story_of(folder: Path, scene: str) -> dict[str, Any]:
    return told(__file__, str(folder), scene, environment={"SSL_CERT_FILE": str(folder / "roots.pem")})


def test_pages_come_through_a_proxy_with_tls_and_sealed_ones_through_tls_in_tls(folder: Path) -> None:
    found = story_of(folder, "tls")
    assert found["http"].answer.body == found["https"].answer.body == b"through"
    plain, tunnel, inside = found["heard"]
    assert plain.startswith("GET http://blog.example/a HTTP/1.1")
    assert tunnel.startswith("CONNECT blog.example:443 HTTP/1.1")
    assert inside.startswith("GET /a HTTP/1.1")


def test_the_password_is_for_the_proxy_and_not_for_who_is_behind_it(folder: Path) -> None:
    plain, tunnel, inside = story_of(folder, "tls")["heard"]
    assert "Proxy-Authorization: Basic " in plain
    assert "Proxy-Authorization: Basic " in tunnel
    assert "proxy-authorization" not in inside.lower()


def test_a_proxy_has_to_prove_its_name_too(folder: Path) -> None:
    found = story_of(folder, "not its name")
    assert [found[scheme].trouble for scheme in ("http", "https")] == ["tls", "tls"]
    assert found["heard"] == []


@pytest.mark.parametrize(("scene", "trouble", "said"), [
    ("nobody", "proxy", "refused the connection"), ("no name", "proxy", "has no address: DNS lookup failed"),
    ("socks", "connection", "Unsupported scheme: socks5"),
])
def test_a_proxy_that_cannot_be_used_is_named_without_its_password(
    folder: Path, scene: str, trouble: str, said: str,
) -> None:
    found = story_of(folder, scene)
    for scheme in ("http", "https"):
        failure = found[scheme]
        assert (failure.trouble, said in failure.reason, "secret" in failure.reason) == (trouble, True, False), failure


def test_a_proxy_that_wants_another_password_is_an_answer_or_no_connection(folder: Path) -> None:
    found = story_of(folder, "closed")
    assert found["http"].status == 407
    assert found["https"].trouble == "connection"
    assert "407" in found["https"].reason
    assert "secret" not in found["https"].reason


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
