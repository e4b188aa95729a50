"""A web of made blogs for fleets: many hosts behind one forward proxy on loopback, with a log of who asked when.

    python benchmarks/fleet_web.py --blogs 8 --posts 40 --log FILE [--tenants 3] [--pictures] [--delay 0.05]

    http://blog-N.example/            a blog of its own host, N from 1
    http://many.example/tN/           tenants: several blogs of one host
    http://pictures.example/...       where all of them have their pictures

A host that is none of these answers 404 to everything. The log has a line for each request, dated when it arrived:
`seconds <tab> host <tab> path <tab> status`.
"""

from __future__ import annotations

import argparse
import asyncio
import socket
import struct
import subprocess
import sys
import time
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from made_blog import MadeBlog

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import TextIO

PICTURES = "pictures.example"
MANY = "many.example"
# Linux's asm-generic/socket.h; Python has no name for it. What is told beside the data fits into so many bytes.
SO_TIMESTAMPNS = 35
NOTES_BYTES = 128


class MadeWeb:
    """All the blogs, by host and first part of the path."""

    def __init__(self, *, blogs: int, tenants: int, posts: int, page_bytes: int, pictures: bool) -> None:
        self.blogs: dict[tuple[str, str], MadeBlog] = {}
        for home in homes(blogs=blogs, tenants=tenants):
            parts = urlsplit(home)
            # Blogs say different things, or they would be taken for one another.
            self.blogs[parts.netloc, parts.path.rstrip("/")] = MadeBlog(
                posts=posts, page_bytes=page_bytes, pictures=pictures, home=home, _seed=len(self.blogs) + 1,
            )

    def answer(self, host: str, path: str) -> tuple[str, bytes] | None:
        """Content type and body; None if nothing is there."""
        if host == PICTURES:
            return next(iter(self.blogs.values())).answer(path)
        first = "/" + path.split("/")[1]
        prefix = first if (host, first) in self.blogs else ""
        blog = self.blogs.get((host, prefix))
        if blog is None or path == "/robots.txt":
            return None
        found = blog.answer(path.removeprefix(prefix) or "/")
        if found is None or not (found[0].startswith("text/html") or found[0].endswith("+xml")):
            return found
        body = found[1].replace(b'src="/pictures/', f'src="http://{PICTURES}/pictures/'.encode())
        return found[0], body.replace(b'href="/', f'href="{prefix}/'.encode())


def homes(*, blogs: int, tenants: int = 0) -> list[str]:
    """Where the blogs are."""
    own = [f"http://blog-{number}.example/" for number in range(1, blogs + 1)]
    return own + [f"http://{MANY}/t{number}/" for number in range(1, tenants + 1)]


@contextmanager
def made_web(
    log: Path, *, blogs: int, posts: int, tenants: int = 0, pictures: bool = False, delay: float = 0.0,
    kilobytes: float = 8.0,
) -> Iterator[str]:
    """The web in a process of its own; the address of the proxy."""
    command = [
        sys.executable, __file__, "--blogs", str(blogs), "--posts", str(posts), "--tenants", str(tenants),
        "--delay", str(delay), "--kilobytes", str(kilobytes), "--log", str(log), *(["--pictures"] if pictures else []),
    ]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        try:
            yield server.stdout.readline().strip()
        finally:
            server.kill()


class _Visitor:
    """One connection; requests have no bodies, so a blank line ends each. They are answered in order.

    A request is dated by the kernel, which does so when it arrives: this process may be kept from reading it, and two
    that came apart would seem to have come together.
    """

    def __init__(self, connection: socket.socket, fetcher: MadeWeb, log: TextIO, delay: float) -> None:
        self._connection, self._fetcher, self._log, self._delay = connection, fetcher, log, delay
        self._waiting = b""

    async def serve(self) -> None:
        with self._connection, suppress(ConnectionError):
            while True:
                await self._readable()
                data, notes, _, _ = self._connection.recvmsg(65_536, NOTES_BYTES)
                if not data:
                    return
                *requests, self._waiting = (self._waiting + data).split(b"\r\n\r\n")
                for request in requests:
                    await self._answer(request, arrived(notes))

    async def _readable(self) -> None:
        loop = asyncio.get_running_loop()
        ready = loop.create_future()
        loop.add_reader(self._connection, lambda: ready.done() or ready.set_result(None))
        try:
            await ready
        finally:
            loop.remove_reader(self._connection)

    async def _answer(self, request: bytes, at: float) -> None:
        parts = urlsplit(request.split(b" ", 2)[1].decode("ascii", "replace"))
        found = self._fetcher.answer(parts.netloc, parts.path or "/")
        status = 200 if found else 404
        print(f"{at:.6f}", parts.netloc, parts.path, status, sep="\t", file=self._log)
        kind, body = found or ("text/html", b"nothing here")
        head = f"HTTP/1.1 {status} Answer\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\n\r\n".encode()
        await asyncio.sleep(self._delay)
        await asyncio.get_running_loop().sock_sendall(self._connection, head + body)


def arrived(notes: list[tuple[int, int, bytes]]) -> float:
    """When the kernel had what was read, by the clock of `time.time`; now, if it does not say so."""
    for level, kind, value in notes:
        if (level, kind) == (socket.SOL_SOCKET, SO_TIMESTAMPNS):
            seconds, nanoseconds = struct.unpack("qq", value)
            return float(seconds) + nanoseconds / 1e9
    return time.time()


async def _serve(arguments: argparse.Namespace) -> None:
    fetcher = MadeWeb(
        blogs=arguments.blogs, tenants=arguments.tenants, posts=arguments.posts, pictures=arguments.pictures,
        page_bytes=int(arguments.kilobytes * 1_000),
    )
    with arguments.log.open("w", buffering=1, encoding="utf-8") as log:
        listener = socket.create_server(("127.0.0.1", 0), backlog=1_024)
        listener.settimeout(0)
        # Connections inherit it.
        listener.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)
        print(f"http://127.0.0.1:{listener.getsockname()[1]}", flush=True)
        visitors = set()
        while True:
            connection, _ = await asyncio.get_running_loop().sock_accept(listener)
            visitor = asyncio.create_task(_Visitor(connection, fetcher, log, arguments.delay).serve())
            visitors.add(visitor)
            visitor.add_done_callback(visitors.discard)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--blogs", type=int, default=8)
    parser.add_argument("--tenants", type=int, default=0)
    parser.add_argument("--posts", type=int, default=40)
    parser.add_argument("--kilobytes", type=float, default=8.0)
    parser.add_argument("--pictures", action="store_true")
    parser.add_argument("--delay", type=float, default=0.0)
    parser.add_argument("--log", type=Path, required=True)
    asyncio.run(_serve(parser.parse_args()))


if __name__ == "__main__":
    main()
