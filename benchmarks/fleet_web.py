"""A web of made blogs for fleets: many hosts behind one forward proxy on loopback, with a log of who asked when.

    python benchmarks/fleet_web.py --blogs 8 --posts 40 --log FILE [--tenants 3] [--pictures] [--delay 0.05]

    http://blog-N.example/            a blog of its own host, N from 1
    http://many.example/tN/           tenants: several blogs of one host
    http://pictures.example/...       where all of them have their pictures

A host that is none of these answers 404 to everything. The log has a line for each request, written when it arrives:
`seconds <tab> host <tab> path <tab> status`.
"""

from __future__ import annotations

import argparse
import asyncio
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from made_blog import MadeBlog

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import TextIO

PICTURES = "pictures.example"
MANY = "many.example"


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


class _Visitor(asyncio.Protocol):
    """One connection; requests have no bodies, so a blank line ends each. They are answered in order."""

    def __init__(self, fetcher: MadeWeb, log: TextIO, delay: float) -> None:
        self._fetcher, self._log, self._delay = fetcher, log, delay
        self._waiting = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        now = time.time()
        *requests, self._waiting = (self._waiting + data).split(b"\r\n\r\n")
        for request in requests:
            parts = urlsplit(request.split(b" ", 2)[1].decode("ascii", "replace"))
            found = self._fetcher.answer(parts.netloc, parts.path or "/")
            status = 200 if found else 404
            print(f"{now:.6f}", parts.netloc, parts.path, status, sep="\t", file=self._log)
            kind, body = found or ("text/html", b"nothing here")
            head = f"HTTP/1.1 {status} Answer\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\n\r\n".encode()
            asyncio.get_running_loop().call_later(self._delay, self._transport.write, head + body)


async def _serve(arguments: argparse.Namespace) -> None:
    fetcher = MadeWeb(
        blogs=arguments.blogs, tenants=arguments.tenants, posts=arguments.posts, pictures=arguments.pictures,
        page_bytes=int(arguments.kilobytes * 1_000),
    )
    with arguments.log.open("w", buffering=1, encoding="utf-8") as log:
        loop = asyncio.get_running_loop()
        server = await loop.create_server(lambda: _Visitor(fetcher, log, arguments.delay), "127.0.0.1", 0)
        print(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}", flush=True)
        await server.serve_forever()


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
