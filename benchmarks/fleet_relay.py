"""A way to a port of loopback that can be cut like a cable: nothing is refused and nothing closed, it only goes silent.

    python benchmarks/fleet_relay.py OWN_PORT PORT        # SIGUSR1 cuts it, SIGUSR2 mends it

What was sent while it was cut is delivered when it is mended, as a network does.
"""

from __future__ import annotations

import asyncio
import signal
import sys
from contextlib import suppress

PIECE_BYTES = 65_536


async def main() -> None:
    own, port = int(sys.argv[1]), int(sys.argv[2])
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

    server = await asyncio.start_server(connected, "127.0.0.1", own)
    print("ready", flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main())
