"""Connection: one open socket to a server, asked for one response at a time; and the pool of those kept open."""

from __future__ import annotations

import asyncio
from collections.abc import Hashable
from typing import cast

from everlog.fetch.http1 import CutOff, ResponseParser

# Apache and Node close a silent connection after five seconds: who asks just then is hung up on.
SILENT_SECONDS = 4


class Connection(asyncio.Protocol):
    """One connection. It belongs to the request that has it, or to the pool."""

    __slots__ = ("_parser", "_pool", "_transport", "_waiter", "silent_since")

    def __init__(self, pool: ConnectionPool) -> None:
        self._pool = pool
        self._transport: asyncio.Transport | None = None
        self._parser: ResponseParser | None = None
        self._waiter: asyncio.Future[None] | None = None
        self.silent_since = 0.0

    @property
    def is_open(self) -> bool:
        """Whether nobody has hung up, as far as is known."""
        return self._transport is not None and not self._transport.is_closing()

    @property
    def transport(self) -> asyncio.Transport:
        if self._transport is None:
            raise ConnectionError("the server closed the connection")
        return self._transport

    def secured(self, transport: asyncio.Transport) -> None:
        """From here on the bytes go through TLS, as `loop.start_tls` made it."""
        self._transport = transport

    async def ask(self, request: bytes, parser: ResponseParser) -> None:
        """Send a request and feed the parser until its response is whole; what goes wrong ends the connection."""
        transport = self.transport
        waiter = self._waiter = asyncio.get_running_loop().create_future()
        self._parser = parser
        transport.write(request)
        try:
            await waiter
        except BaseException:
            self.abort()
            raise
        finally:
            self._parser = self._waiter = None
            if waiter.done() and not waiter.cancelled():
                # Who was called off in the same moment does not see it, and nobody else asks.
                waiter.exception()

    def abort(self) -> None:
        """Hang up."""
        if self._transport is not None:
            self._transport.abort()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)
        self._pool.opened(self)

    def data_received(self, data: bytes) -> None:
        if self._parser is None:
            # Nobody asked: what comes now would be taken for the response to the next request.
            self.abort()
            return
        try:
            is_whole = self._parser.feed(data)
        except Exception as error:  # noqa: BLE001 - whatever it is, it is for who waits
            self._settle(error)
        else:
            if is_whole:
                self._settle(None)

    def connection_lost(self, exc: Exception | None) -> None:
        self._transport = None
        self._pool.lost(self)
        if self._parser is None:
            return
        # A reset in the middle of a body of no known length ends it like any other end: servers that close without
        # reading all that was sent to them do so.
        if exc is not None and (self._parser.head is None or not isinstance(exc, ConnectionResetError)):
            self._settle(exc if self._parser.head is None else CutOff(str(exc)))
            return
        try:
            self._parser.end()
        except (CutOff, ConnectionError) as error:
            self._settle(error)
        else:
            self._settle(None)

    def _settle(self, error: Exception | None) -> None:
        waiter, self._parser = self._waiter, None
        if waiter is None or waiter.done():
            return
        if error is None:
            waiter.set_result(None)
        else:
            waiter.set_exception(error)


class ConnectionPool:
    """Connections that are open and that nobody uses, by whom they may serve."""

    def __init__(self) -> None:
        self._open: set[Connection] = set()
        self._idle: dict[Hashable, list[Connection]] = {}
        self._sweep: asyncio.TimerHandle | None = None

    def opened(self, connection: Connection) -> None:
        self._open.add(connection)

    def lost(self, connection: Connection) -> None:
        self._open.discard(connection)

    def take(self, key: Hashable) -> Connection | None:
        """The one that was used last; those that the server closed, or may be about to, are not used."""
        idle = self._idle.get(key)
        if not idle:
            return None
        oldest = asyncio.get_running_loop().time() - SILENT_SECONDS
        while idle:
            connection = idle.pop()
            if connection.is_open and connection.silent_since > oldest:
                return connection
            connection.abort()
        return None

    def put(self, key: Hashable, connection: Connection) -> None:
        """Keep it for the next request, if it is open."""
        if not connection.is_open:
            return
        loop = asyncio.get_running_loop()
        connection.silent_since = loop.time()
        self._idle.setdefault(key, []).append(connection)
        if self._sweep is None:
            self._sweep = loop.call_later(SILENT_SECONDS, self._close_silent)

    def close(self) -> None:
        """Hang up on everybody."""
        if self._sweep is not None:
            self._sweep.cancel()
            self._sweep = None
        self._idle.clear()
        for connection in tuple(self._open):
            connection.abort()

    def _close_silent(self) -> None:
        loop = asyncio.get_running_loop()
        oldest = loop.time() - SILENT_SECONDS
        for key, idle in tuple(self._idle.items()):
            kept = []
            for connection in idle:
                if connection.is_open and connection.silent_since > oldest:
                    kept.append(connection)
                else:
                    connection.abort()
            if kept:
                self._idle[key] = kept
            else:
                del self._idle[key]
        self._sweep = loop.call_later(SILENT_SECONDS, self._close_silent) if self._idle else None
