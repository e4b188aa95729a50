"""A way to a port of loopback that can be cut like a cable: nothing is refused and nothing closed, it only goes silent.

    python benchmarks/fleet_relay.py PORT        # prints its own port; SIGUSR1 cuts it, SIGUSR2 mends it

What was sent while it was cut is delivered when it is mended, as a network does.
"""

from __future__ import annotations

import asyncio
import signal
import subprocess
import sys
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING
from urllib.parse import urlsplit, urlunsplit

if TYPE_CHECKING:
    from collections.abc import Iterator

PIECE_BYTES = 65_536


@contextmanager
def relay(port: int) -> Iterator[Relay]:
    """A way to a port of loopback that can be cut."""
    made = Relay(port)
    try:
        yield made
    finally:
        made.close()


class Relay:
    """Forwards connections; `cut` lets all of them hang, and new ones too, until `mend`."""

    def __init__(self, port: int) -> None:
        self._process = subprocess.Popen(
            [sys.executable, __file__, str(port)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        )
        assert self._process.stdout is not None
        self.port = int(self._process.stdout.readline())

    def cut(self) -> None:
        self._process.send_signal(signal.SIGUSR1)

    def mend(self) -> None:
        self._process.send_signal(signal.SIGUSR2)

    def close(self) -> None:
        self._process.kill()
        self._process.wait()
        assert self._process.stdout is not None
        self._process.stdout.close()


def through(url: str, port: int) -> str:
    """The same server behind another port."""
    parts = urlsplit(url)
    user = f"{parts.username}@" if parts.username else ""
    return urlunsplit(parts._replace(netloc=f"{user}127.0.0.1:{port}"))


async def main() -> None:
    port = int(sys.argv[1])
    whole = asyncio.Event()
    whole.set()
    loop = asyncio.get_running_loop()
    loop.add_signal_handler(signal.SIGUSR1, whole.clear)
    loop.add_signal_handler(signal.SIGUSR2, whole.set)

    async def forward(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError):
            while piece := await reader.read(PIECE_BYTES):
                await whole.wait()
                writer.write(piece)
                await writer.drain()
        await whole.wait()
        writer.close()

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await whole.wait()
        try:
            there = await asyncio.open_connection("127.0.0.1", port)
        except OSError:
            writer.close()
            return
        await asyncio.gather(forward(reader, there[1]), forward(there[0], writer))

    server = await asyncio.start_server(connected, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main())
