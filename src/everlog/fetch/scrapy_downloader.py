"""Scrapy as a mere downloader: no queue, no redirects, no second tries, no cookies of its own."""

from __future__ import annotations

import asyncio
import gc
import logging
import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Self, TypeVar

from scrapy import Request, Spider
from scrapy.core.scheduler import BaseScheduler
from scrapy.crawler import AsyncCrawlerRunner, Crawler
from scrapy.exceptions import NotConfigured
from scrapy.logformatter import LogFormatter
from scrapy.utils.reactor import install_reactor
from twisted.python.log import PythonLoggingObserver
from w3lib.http import basic_auth_header

from everlog.core.terminal import harmless
from everlog.errors import UsageError, file_error
from everlog.fetch.download_handler import GuardedHandler
from everlog.fetch.fetch_errors import fetch_error_of, too_slow, undecoded
from everlog.fetch.guard import close_other_doors
from everlog.fetch.guarded_request import GuardedRequest
from everlog.fetch.proxies import Proxies
from everlog.fetch.request import HttpRequest, HttpResponse
from everlog.records import Exchange

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable

    from scrapy.core.engine import ExecutionEngine
    from scrapy.http import Response

    Download = Callable[[HttpRequest], Awaitable[HttpResponse]]

T = TypeVar("T")

REACTOR = "twisted.internet.asyncioreactor.AsyncioSelectorReactor"
WITHHELD = "[withheld]"
_WIDE = 100_000
# New objects that stay before the garbage collector looks for circles among them. A page leaves none: with Python's 700
# it went over the posts that wait to be stored after nearly every page. A crawl of 500 posts on a busy machine spent
# 0.54 ms of 8.9 a page in it so, and 0.21 with this, imports included; what a failed request leaves stays for longer.
_YOUNG_OBJECTS = 20_000

# What is not named here is off: the `_BASE` settings hold all that Scrapy would switch on by itself.
SETTINGS: dict[str, Any] = {
    "TWISTED_REACTOR": REACTOR,
    "SCHEDULER": "everlog.fetch.scrapy_downloader.NoSchedule",
    "DOWNLOAD_HANDLERS_BASE": {"http": GuardedHandler, "https": GuardedHandler},
    "DOWNLOADER_MIDDLEWARES_BASE": {
        "scrapy.downloadermiddlewares.httpcompression.HttpCompressionMiddleware": 590,
        "everlog.fetch.scrapy_downloader.ProxyMiddleware": 750,
    },
    "SPIDER_MIDDLEWARES_BASE": {},
    "EXTENSIONS_BASE": {},
    "DOWNLOAD_VERIFY_CERTIFICATES": True,
    "DOWNLOAD_FAIL_ON_DATALOSS": True,
    "DOWNLOAD_DELAY": 0,
    "DOWNLOAD_DELAY_JITTER": 0,
    "DOWNLOAD_WARNSIZE": 0,
    # Turns are given elsewhere: here nobody waits for anybody.
    "CONCURRENT_REQUESTS": 0,
    "CONCURRENT_REQUESTS_PER_DOMAIN": _WIDE,
    "STATS_CLASS": "scrapy.statscollectors.DummyStatsCollector",
    "STATS_DUMP": False,
    "TELNETCONSOLE_ENABLED": False,
    "LOG_ENABLED": False,
    "LOG_FORMATTER": "everlog.fetch.scrapy_downloader.NoLog",
}


def run_inside_scrapy(errand: Callable[[Download], Awaitable[T]], *, log_level: int) -> T:
    """Start Scrapy, run the errand with its downloader, stop Scrapy, give the errand's result."""
    _quieten(log_level)
    install_reactor(REACTOR)
    from twisted.internet import reactor as installed  # noqa: PLC0415 - importing it installs one

    reactor: Any = installed
    if getattr(reactor, "everlog_closed", False):
        raise UsageError(
            "the web can be opened only once in a process", advice="do all of it within one with_http_client call",
        )
    close_other_doors(reactor)
    # What was imported stays to the end. A collector that goes over it again and again takes 0.1 s each time, as much
    # as twenty pages do.
    gc.freeze()
    gc.set_threshold(_YOUNG_OBJECTS)
    work: list[asyncio.Task[T]] = []
    crawl = AsyncCrawlerRunner(SETTINGS).crawl(_Errand, errand=errand, work=work)
    crawl.add_done_callback(lambda _: reactor.callLater(0, reactor.stop))
    reactor.run(installSignalHandlers=False)
    if not work:
        crawl.result()
        raise asyncio.CancelledError
    return work[0].result()


class _Errand(Spider):
    """A spider that asks for nothing itself: it lives as long as the errand does."""

    name = "everlog"
    errand: Callable[[Download], Awaitable[Any]]
    work: list[asyncio.Task[Any]]

    async def start(self) -> AsyncIterator[Any]:
        task = asyncio.ensure_future(_run(self.errand, _Downloader(self.crawler.engine)))
        self.work.append(task)
        try:
            await asyncio.wait({task})
        finally:
            task.cancel()
        return
        yield


class ProxyMiddleware:
    """The proxy of each request, chosen by `proxies`: never for this machine's own addresses."""

    def __init__(self, configured: Proxies) -> None:
        self._configured = configured

    @classmethod
    def from_crawler(cls, _crawler: Crawler) -> Self:
        configured = Proxies.configured()
        if not configured.by_scheme:
            raise NotConfigured
        return cls(configured)

    def process_request(self, request: Request) -> None:
        proxy = self._configured.proxy_for(request.url)
        request.meta["passage"].proxy = proxy
        # What a page in the browser would tell a proxy is nobody's: the password is sent by this alone.
        request.headers.pop("Proxy-Authorization", None)
        if proxy is not None and proxy.credentials is not None:
            request.headers["Proxy-Authorization"] = basic_auth_header(*proxy.credentials, encoding="latin-1")


class NoLog(LogFormatter):
    """Scrapy's log of pages, which nobody reads: not even put together."""

    def crawled(self, request: Request, response: Response, spider: Spider) -> None:  # type: ignore[override] # noqa: ARG002 - Scrapy's
        return None


class NoSchedule(BaseScheduler):
    """The queue of a spider that never yields a request."""

    def has_pending_requests(self) -> bool:
        return False

    def enqueue_request(self, request: Request) -> bool:  # noqa: ARG002 - Scrapy's signature
        return False

    def next_request(self) -> None:
        return None


class _Downloader:
    """Asks once, and says in our words what came of it."""

    def __init__(self, engine: ExecutionEngine) -> None:
        self._engine = engine

    async def __call__(self, wanted: HttpRequest) -> HttpResponse:
        guarded = GuardedRequest(
            permit=wanted.permit, leave_by=wanted.leave_by, scratch=wanted.scratch, slow_seconds=wanted.slow_seconds,
        )
        request = Request(
            wanted.url,
            method=wanted.method,
            body=wanted.body,
            headers=dict(wanted.headers),
            meta={
                "passage": guarded,
                # It is spelled for the wire already.
                "verbatim_url": True,
                "download_slot": "all",
                "download_timeout": wanted.timeout_seconds,
                "download_maxsize": wanted.max_bytes,
            },
        )
        began = time.monotonic()
        try:
            response = await self._engine.download_async(request)
        except asyncio.CancelledError:
            guarded.abort()
            guarded.drop_body()
            raise
        except Exception as error:
            guarded.drop_body()
            if guarded.late is not None:
                raise guarded.late from error
            if guarded.disk_error is not None:
                raise file_error(guarded.disk_error, wanted.scratch or "") from error
            if guarded.too_slow:
                raise too_slow(wanted, guarded.received_bytes) from error
            raise fetch_error_of(error, wanted, guarded) from error
        seconds = time.monotonic() - began
        exchange = _exchange(wanted, request, response, guarded)
        return HttpResponse(exchange=exchange, wire_bytes=guarded.wire_bytes, seconds=seconds)


def _exchange(wanted: HttpRequest, request: Request, response: Response, guarded: GuardedRequest) -> Exchange:
    head = guarded.head
    assert head is not None  # noqa: S101 - no response is whole without
    if encodings := response.headers.getlist("Content-Encoding"):
        undecoded(encodings, wanted)
    body = response.body
    headers = [
        (name.decode("latin-1"), value.decode("latin-1"))
        for name, value in head.headers
        if name.lower() not in _TRANSPORT
    ]
    size = len(body) if guarded.spooled is None else guarded.spooled.size
    headers.append(("Content-Length", str(size)))
    return Exchange(
        spooled=guarded.spooled,
        url=request.url,
        status=response.status,
        reason=harmless(head.reason.decode("latin-1")),
        headers=tuple(headers),
        body=body,
        request_headers=tuple(_sent(request, wanted.secret)),
        fetched_at=datetime.now(UTC),
        purpose=wanted.purpose,
    )


def _sent(request: Request, secret: frozenset[str]) -> list[tuple[str, str]]:
    pairs: list[tuple[str, str]] = []
    for key, values in dict.items(request.headers):
        name = key.decode("latin-1")
        hidden = name.lower() in secret
        pairs.extend((name, WITHHELD if hidden else value.decode("latin-1")) for value in values)
    return pairs


_TRANSPORT = frozenset({b"content-encoding", b"transfer-encoding", b"content-length"})


async def _run(errand: Callable[[Download], Awaitable[T]], download: Download) -> T:
    return await errand(download)


def _quieten(log_level: int) -> None:
    for name in ("scrapy", "twisted"):
        logging.getLogger(name).setLevel(log_level)
    PythonLoggingObserver("twisted").start()  # type: ignore[no-untyped-call]
