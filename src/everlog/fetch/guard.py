"""The one guard: whatever leaves through Scrapy connects here, or not at all.

Names are judged by the address they turned out to have, at the moment of connecting, so that
redirects, odd spellings and name servers that change their mind all meet the same check.
"""

from __future__ import annotations

from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from scrapy.core.downloader.handlers.http11 import (
    HTTP11DownloadHandler,
    _LenientHTTP11ClientFactory,
    _LenientHTTP11ClientProtocol,
    _ScrapyAgent,
)
from scrapy.http import Response
from scrapy.utils._download_handlers import wrap_twisted_exceptions
from scrapy.utils.defer import maybe_deferred_to_future
from twisted.internet.defer import fail
from twisted.internet.interfaces import IReactorPluggableNameResolver
from twisted.python.failure import Failure
from twisted.web._newclient import BODY
from twisted.web.client import HTTPConnectionPool
from twisted.web.iweb import IPolicyForHTTPS
from zope.interface import implementer  # type: ignore[import-untyped]

from everlog.core.terminal import harmless
from everlog.fetch.guarded_request import BlockedAddress, hurried
from everlog.fetch.request import LateForSlot
from everlog.fetch.spooling import SpooledBody
from everlog.fetch.throttle import awake_and_asleep

if TYPE_CHECKING:
    from collections.abc import Callable

    from scrapy import Request
    from scrapy.crawler import Crawler
    from twisted.internet.interfaces import IAddress

    from everlog.fetch.guarded_request import GuardedRequest

# Real heads are a few kilobytes; an endless one would fill the memory before the time is over.
MOST_HEAD_BYTES = 256 * 1024
# One is plain, two happen by accident of proxies; more is a bomb in layers.
MOST_ENCODINGS = 2
# A context of trust takes 6 ms and 0.9 MB to load (measured), which every connection would do anew.
KEPT_TRUST = 16
# Apache and Node close a silent connection after five seconds: who asks just then is hung up on.
SILENT_SECONDS = 4
# Names, distance and certificates take their time, and are no reason to ask again. Who took longer stood still.
CONNECTING_SECONDS = 5.0


class OddAnswer(Exception):
    """An answer that nobody should try to read."""


def close_other_doors(reactor: Any) -> None:
    """From here on, connections are made by `GuardedReactor` or fail."""

    def refuse(host: str, port: int, *_: Any, **__: Any) -> None:
        raise BlockedAddress(f"{host}:{port}", "connection not made by the address guard")

    reactor.everlog_connect = reactor.connectTCP
    reactor.connectTCP = reactor.connectSSL = refuse


@implementer(IReactorPluggableNameResolver)
class GuardedReactor:
    """The reactor as one request sees it: it resolves names freely and connects with care."""

    def __init__(
        self, reactor: Any, passage: GuardedRequest, target: tuple[str, int], proxy: tuple[str, int] | None,
    ) -> None:
        self._reactor = reactor
        self._passage = passage
        self._port = (proxy or target)[1]
        # Behind a proxy no address of the target is seen here: the proxy is the user's own.
        self._has_proxy = proxy is not None

    def __getattr__(self, name: str) -> Any:
        return getattr(self._reactor, name)

    def connectTCP(self, host: str, port: int, *rest: Any, **named: Any) -> Any:  # noqa: N802 - Twisted's name
        if port != self._port:
            why: str | None = "not the requested port"
        else:
            why = None if self._has_proxy else self._passage.permit.refuse(host)
        if why is not None:
            self._passage.blocked = BlockedAddress(host, why)
            raise self._passage.blocked
        return self._reactor.everlog_connect(host, port, *rest, **named)


class GuardedHandler(HTTP11DownloadHandler):
    """Scrapy's handler of http and https, behind the guard."""

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._contextFactory: Any = _KeptTrust(self._contextFactory)
        self._pool = _new_pool(self._pool)

    async def download_request(self, request: Request) -> Response:
        passage: GuardedRequest = request.meta["passage"]
        agent = _GuardedAgent(
            passage,
            contextFactory=self._contextFactory,
            pool=self._pool,
            maxsize=self._default_maxsize,
            crawler=self._crawler,
        )
        with wrap_twisted_exceptions(), hurried(passage):
            passage.under_way = agent.download_request(request)
            return await maybe_deferred_to_future(passage.under_way)


class _GuardedAgent(_ScrapyAgent):
    def __init__(self, passage: GuardedRequest, **named: Any) -> None:
        super().__init__(**named)
        self._passage = passage

    def _get_agent(self, request: Request, timeout: float) -> Any:
        from twisted.internet import reactor  # noqa: PLC0415 - importing it installs one

        agent: Any = super()._get_agent(request, timeout)
        proxy = request.meta.get("proxy")
        guarded = GuardedReactor(reactor, self._passage, _place(request.url), _place(proxy) if proxy else None)
        agent._reactor = agent._endpointFactory._reactor = guarded
        endpoint_for = agent._getEndpoint
        agent._getEndpoint = lambda uri: _LateEndpoint(partial(endpoint_for, uri))
        agent._pool = _PunctualPool(agent._pool, self._passage)
        return agent

    def _cb_bodyready(self, txresponse: Any, request: Request) -> Any:
        passage, deliver = self._passage, txresponse.deliverBody
        if passage.scratch is not None and not txresponse.headers.hasHeader("Content-Encoding"):
            passage.body = SpooledBody(passage.scratch, on_error=passage.fail_to_spool)

        def deliver_watched(reader: Any) -> None:
            passage.reader = reader
            if passage.body is not None:
                reader._bodybuf = passage.body
            deliver(reader)

        txresponse.deliverBody = deliver_watched
        return super()._cb_bodyready(txresponse, request)

    def _cb_bodydone(self, result: Any, url: str) -> Response:
        answer = result["txresponse"]
        body = result.get("body", b"")
        if not 100 <= answer.code <= 999:
            raise OddAnswer(f"invalid status code {str(answer.code)[:20]}")
        self._passage.reason = harmless(answer.phrase.decode("latin-1"))
        self._passage.take_body(body)
        headers = self._headers_from_twisted_response(answer)
        layers = b",".join(headers.getlist("Content-Encoding")).split(b",")
        if len(layers) > MOST_ENCODINGS:
            raise OddAnswer(f"{len(layers)} layers of Content-Encoding")
        # No guess at the kind of document: that is made elsewhere, from the bytes.
        return Response(url, status=int(answer.code), headers=headers, body=body, flags=result.get("flags"))


class _PunctualPool:
    """Connections for one request, which is written as soon as it has one; none if its slot has gone by."""

    def __init__(self, pool: HTTPConnectionPool, passage: GuardedRequest) -> None:
        self._pool = pool
        self._passage = passage

    def __getattr__(self, name: str) -> Any:
        return getattr(self._pool, name)

    def getConnection(self, key: Any, endpoint: Any) -> Any:  # noqa: N802 - Twisted's name
        passage = self._passage
        # A connection that only this host and port of one blog was allowed to make is nobody else's to use again.
        key = (*key, passage.permit.pool)
        if passage.leave_by is not None and awake_and_asleep() > passage.leave_by:
            passage.late = LateForSlot()
            return fail(passage.late)
        return self._pool.getConnection(key, endpoint).addCallback(self._connected, key)

    def _connected(self, connection: Any, key: Any) -> Any:
        passage = self._passage
        if passage.leave_by is not None and awake_and_asleep() > passage.leave_by + CONNECTING_SECONDS:
            # Who asks again finds it open.
            self._pool._putConnection(key, connection)  # type: ignore[no-untyped-call]
            passage.late = LateForSlot(by_connecting=True)
            raise passage.late
        return connection


class _LateEndpoint:
    """The way to a host, not looked up where a connection is still open."""

    def __init__(self, endpoint: Callable[[], Any]) -> None:
        self._endpoint = endpoint

    def connect(self, factory: Any) -> Any:
        return self._endpoint().connect(factory)


@implementer(IPolicyForHTTPS)
class _KeptTrust:
    """Twisted's verifying policy, its contexts kept for the hosts in use."""

    def __init__(self, policy: Any) -> None:
        self._creator = lru_cache(maxsize=KEPT_TRUST)(policy.creatorForNetloc)

    def creatorForNetloc(self, hostname: bytes, port: int) -> Any:  # noqa: N802 - Twisted's name
        return self._creator(hostname, port)


class _BoundedHead(_LenientHTTP11ClientProtocol):
    """A connection that hangs up on an endless head."""

    _head_bytes = 0

    def request(self, request: Any) -> Any:
        self._head_bytes = 0
        return super().request(request)

    def dataReceived(self, data: bytes) -> None:  # noqa: N802 - Twisted's name
        if self._parser is not None and self._parser.state != BODY:
            self._head_bytes += len(data)
            if self._head_bytes > MOST_HEAD_BYTES:
                self._giveUp(Failure(OddAnswer("response headers too long")))  # type: ignore[no-untyped-call]
                return
        super().dataReceived(data)  # type: ignore[no-untyped-call]


class _BoundedHeadFactory(_LenientHTTP11ClientFactory):
    def buildProtocol(self, addr: IAddress | None) -> _BoundedHead:  # noqa: ARG002, N802 - Twisted's name
        return _BoundedHead(self._quiescentCallback)  # type: ignore[no-untyped-call]


def _new_pool(like: HTTPConnectionPool) -> HTTPConnectionPool:
    pool = HTTPConnectionPool(like._reactor, persistent=True)  # type: ignore[no-untyped-call]
    pool.maxPersistentPerHost = like.maxPersistentPerHost
    pool.cachedConnectionTimeout = SILENT_SECONDS
    pool._factory = _BoundedHeadFactory
    # Twisted would ask a second time by itself; here every request was throttled.
    pool.retryAutomatically = False
    return pool


def _place(url: str) -> tuple[str, int]:
    parts = urlsplit(url if "://" in url else f"http://{url}")
    return parts.hostname or "", parts.port or (443 if parts.scheme == "https" else 80)
