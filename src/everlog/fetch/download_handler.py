"""Download handler for http and https, behind Scrapy's public interface of handlers: HTTP/1.1 on asyncio, guarded.

Why not one of Scrapy's own: `docs/internals/decisions/0045-a-download-handler-of-our-own.md`.
"""

from __future__ import annotations

import asyncio
import socket
import ssl
from functools import cached_property
from io import BytesIO
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from scrapy.core.downloader.handlers.base import BaseDownloadHandler
from scrapy.exceptions import (
    CannotResolveHostError,
    DownloadCancelledError,
    DownloadConnectionRefusedError,
    DownloadFailedError,
    DownloadTimeoutError,
    ResponseDataLossError,
    UnsupportedURLSchemeError,
)
from scrapy.http import Response

from everlog.fetch.connection import Connection, ConnectionPool
from everlog.fetch.guard import Guard
from everlog.fetch.guarded_request import BlockedAddress, GuardedRequest, ProxyUnreachable, hurried
from everlog.fetch.http1 import CutOff, Head, OddAnswer, ResponseParser, request_bytes
from everlog.fetch.request import DEFAULT_PORTS, LateForSlot, origin_of, place
from everlog.fetch.spooling import SpooledBody
from everlog.fetch.throttle import awake_and_asleep

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler

    from everlog.fetch.proxies import Proxy

# One is plain, two happen by accident of proxies; more is a bomb in layers.
MOST_ENCODINGS = 2
# Names, distance and certificates take their time, and are no reason to ask again. Who took longer stood still.
CONNECTING_SECONDS = 5.0


class TunnelRefused(Exception):
    """A proxy that does not connect to the host it was asked for."""


class GuardedHandler(BaseDownloadHandler):
    """Scrapy's handler of http and https: one request, one response, nothing kept but open connections.

    What a request may reach, and what it learns on its way, is `request.meta["passage"]`.
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._pool = ConnectionPool()
        self._guard = Guard()

    async def download_request(self, request: Request) -> Response:
        passage: GuardedRequest = request.meta["passage"]
        seconds: float = request.meta["download_timeout"]
        limit = asyncio.timeout(seconds)
        try:
            async with limit:
                passage.under_way = limit
                if passage.slow_seconds is None:
                    return await self._exchange(request, passage)
                with hurried(passage, passage.slow_seconds):
                    return await self._exchange(request, passage)
        except TimeoutError as error:
            if not limit.expired():
                raise DownloadFailedError(str(error)) from error
            if passage.is_given_up:
                raise DownloadCancelledError(f"given up: {request.url}") from error
            raise DownloadTimeoutError(f"{request.url} took longer than {seconds} s") from error
        except socket.gaierror as error:
            raise CannotResolveHostError(str(error)) from error
        except ConnectionRefusedError as error:
            raise DownloadConnectionRefusedError(str(error)) from error
        except CutOff as error:
            raise ResponseDataLossError(str(error)) from error
        except (OSError, OddAnswer, BlockedAddress, ProxyUnreachable, TunnelRefused) as error:
            raise DownloadFailedError(str(error)) from error
        finally:
            passage.under_way = None

    async def close(self) -> None:
        """Hang up on everybody."""
        self._guard.close()
        self._pool.close()
        # Sockets are closed in the next round of the loop.
        await asyncio.sleep(0)

    async def _exchange(self, request: Request, passage: GuardedRequest) -> Response:
        url = request.url
        origin = origin_of(url)
        proxy = passage.proxy
        # A connection that only this host and port of one blog was allowed to make is nobody else's to use again.
        key = (origin, proxy, passage.permit.pool)
        if passage.leave_by is not None and awake_and_asleep() > passage.leave_by:
            raise _late(passage, LateForSlot())
        connection = self._pool.take(key) or await self._connect(origin, passage, request)
        if passage.leave_by is not None and awake_and_asleep() > passage.leave_by + CONNECTING_SECONDS:
            # Who asks again finds it open.
            self._pool.put(key, connection)
            raise _late(passage, LateForSlot(by_connecting=True))
        is_tunnelled = proxy is not None and url.startswith("https:")
        response = _Response(passage, request.meta["download_maxsize"])
        parser = ResponseParser(on_head=response.begin, on_body=response.add, is_head=request.method == "HEAD")
        headers: dict[bytes, list[bytes]] = dict(dict.items(request.headers))
        if is_tunnelled:
            # That was for the proxy.
            headers.pop(b"Proxy-Authorization", None)
        target = url if proxy is not None and not is_tunnelled else url[len(origin):]
        await connection.ask(request_bytes(request.method, target, headers.items(), request.body), parser)
        if parser.is_reusable:
            self._pool.put(key, connection)
        else:
            connection.abort()
        return response.whole(url)

    async def _connect(self, origin: str, passage: GuardedRequest, request: Request) -> Connection:
        """A new connection to the host of a request, through its proxy if it has one."""
        host, port = place(origin)
        is_secure = origin.startswith("https:")
        proxy = passage.proxy
        if proxy is None:
            return await self._open(host, port, passage, server_name=host if is_secure else None)
        proxy_host, proxy_port, is_secure_proxy = _proxy_place(proxy)
        server_name = proxy_host if is_secure_proxy else None
        connection = await self._open(proxy_host, proxy_port, passage, server_name=server_name)
        if is_secure:
            try:
                await self._tunnel(connection, host, port, request)
            except BaseException:
                connection.abort()
                raise
        return connection

    async def _open(self, host: str, port: int, passage: GuardedRequest, *, server_name: str | None) -> Connection:
        try:
            connected = await self._guard.connect(host, port, passage)
        except OSError as error:
            if passage.proxy is None:
                raise
            raise ProxyUnreachable(str(error)) from error
        _, connection = await asyncio.get_running_loop().create_connection(
            lambda: Connection(self._pool), sock=connected, server_hostname=server_name,
            ssl=self._trust if server_name is not None else None,
        )
        return connection

    async def _tunnel(self, connection: Connection, host: str, port: int, request: Request) -> None:
        """Have the proxy connect to the host, and prove who it is through that."""
        target = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
        headers = [(b"Host", [target.encode("ascii")])]
        if secret := request.headers.getlist("Proxy-Authorization"):
            headers.append((b"Proxy-Authorization", secret))
        parser = ResponseParser(on_head=lambda *_: None, on_body=lambda _: None, is_head=True)
        await connection.ask(request_bytes("CONNECT", target, headers), parser)
        head = parser.head
        if head is None or head.status >= 300:
            said = "" if head is None else f"{head.status} {head.reason.decode('latin-1')}"
            raise TunnelRefused(f"the proxy does not connect to {target}: {said.strip()}")
        secured = await asyncio.get_running_loop().start_tls(
            connection.transport, connection, self._trust, server_hostname=host,
        )
        if secured is None:
            raise ConnectionError("the proxy closed the connection")
        connection.secured(secured)

    @cached_property
    def _trust(self) -> ssl.SSLContext:
        """Whom to believe; loaded once, since that takes 6 ms and 0.9 MB (measured)."""
        trust = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)  # verifies certificates and names
        trust.load_default_certs()
        # Those of OpenSSL, as for any other program on this machine; Python's own list leaves out old servers.
        trust.set_ciphers("DEFAULT")
        return trust


class _Response:
    """What has come of one response."""

    __slots__ = ("_body", "_most_bytes", "_passage")

    def __init__(self, passage: GuardedRequest, most_bytes: int) -> None:
        self._passage = passage
        self._most_bytes = most_bytes
        self._body: BytesIO | SpooledBody = BytesIO()

    def begin(self, head: Head, size: int | None) -> None:
        passage = self._passage
        passage.head = head
        layers = b",".join(head.values(b"content-encoding")).split(b",")
        if len(layers) > MOST_ENCODINGS:
            raise OddAnswer(f"{len(layers)} layers of Content-Encoding")
        self._check(size or 0)
        if passage.scratch is not None and layers == [b""]:
            self._body = passage.body = SpooledBody(passage.scratch, on_error=passage.fail_to_spool)

    def add(self, data: bytes) -> None:
        self._passage.received_bytes += len(data)
        self._check(self._passage.received_bytes)
        self._body.write(data)

    def whole(self, url: str) -> Response:
        passage, head = self._passage, self._passage.head
        assert head is not None  # noqa: S101 - no response is whole without
        body = self._body.getvalue()
        passage.take_body(body)
        # No guess at the kind of document: that is made elsewhere, from the bytes.
        return Response(url, status=head.status, headers=head.headers, body=body)

    def _check(self, size: int) -> None:
        if self._most_bytes and size > self._most_bytes:
            raise DownloadCancelledError(f"more than {self._most_bytes} bytes")


def _late(passage: GuardedRequest, late: LateForSlot) -> LateForSlot:
    passage.late = late
    return late


def _proxy_place(proxy: Proxy) -> tuple[str, int, bool]:
    """Host and port of a proxy, and whether it is spoken to through TLS."""
    parts = urlsplit(proxy.url)
    if parts.scheme not in DEFAULT_PORTS:
        raise UnsupportedURLSchemeError(f"Unsupported scheme: {parts.scheme}")
    return parts.hostname or "", parts.port or DEFAULT_PORTS[parts.scheme], parts.scheme == "https"
