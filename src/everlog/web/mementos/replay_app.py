"""Replay app: captured pages by themselves, on an origin of their own, with what programs ask (RFC 7089).

    /web/{timestamp}{modifier}/{url}      a memento
                                 (modifier id_: its bytes as they were stored; pic_: its screenshot)
    /web/{url}                            leads to the latest
    /timegate/{url}                       leads to the one that `Accept-Datetime` asks for
    /timemap/link/{url}  /timemap/json/{url}
"""

from __future__ import annotations

import hashlib
import logging
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.middleware import Middleware
from starlette.responses import PlainTextResponse, RedirectResponse, Response, StreamingResponse
from starlette.routing import Route

from everlog.core.urls import canonical
from everlog.errors import EverlogError
from everlog.replay import Replayed, View
from everlog.web.health import health_of
from everlog.web.limited_app import LimitedApp
from everlog.web.mementos.byte_ranges import ByteRange, read_range
from everlog.web.mementos.capture_times import from_http_date, http_date, meant_by, timestamp
from everlog.web.mementos.memento_content import document_of, open_bytes, shown_type
from everlog.web.mementos.memento_finder import find_memento
from everlog.web.mementos.memento_protocol import (
    LINK_FORMAT,
    MementoAddresses,
    link_header,
    timemap_json,
    timemap_lines,
)
from everlog.web.mementos.open_reading import ANY_PROGRAM, is_read_by_script, open_reading
from everlog.web.mementos.replay_address import ReplayAddress, behind, read_address, read_url
from everlog.web.mementos.sent_types import bare_type, sent_type, told_type
from everlog.web.origins import origin_of

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from starlette.requests import Request

    from everlog.archive import Archive
    from everlog.archive.models import Memento, Surroundings
    from everlog.web.limited_app import Limits
    from everlog.web.mementos.memento_content import Body, Document
    from everlog.web.origins import Origins
    from everlog.web.page_templates import Pages

log = logging.getLogger("everlog.web")
# A capture does not change. What a page is shown with may: a nearer copy of a picture may come. So pages are asked for
# again, and cost nothing if they are the same.
FOR_EVER, ASK_AGAIN, NEVER = "public, max-age=31536000, immutable", "no-cache", "no-store"
# Pages are shown without scripts, forms, plug-ins and an origin; a click may lead out of the frame.
SANDBOX = "sandbox allow-top-navigation-by-user-activation allow-popups allow-popups-to-escape-sandbox"
# By a sandboxed page every file is loaded from another origin. Who may read one, `open_reading` says.
ALWAYS = {"Cross-Origin-Resource-Policy": "cross-origin", "X-Robots-Tag": "noindex"}


def content_policy(origin: str, *, is_document: bool = True) -> str:
    """The Content-Security-Policy of a capture: what was missed when it was rewritten asks nobody on the live web.

    `'self'` would not do: a sandboxed page has no origin of its own that could be meant.
    """
    if not is_document:
        return f"{SANDBOX}; default-src 'none'; style-src 'unsafe-inline'; img-src {origin} data:; media-src {origin}"
    return (
        f"{SANDBOX}; default-src 'none'; style-src {origin} data: 'unsafe-inline'; img-src {origin} data: blob:; "
        f"font-src {origin} data:; media-src {origin} data: blob:; frame-src {origin}; object-src {origin}; "
        f"manifest-src 'none'; script-src 'none'; form-action 'none'; base-uri 'none'"
    )


class ReplayApp:
    """What the replay port answers."""

    def __init__(
        self, archive: Archive, origins: Origins, pages: Pages, *, public: bool = False, limits: Limits | None = None,
    ) -> None:
        self._archive, self._origins, self._pages, self._public = archive, origins, pages, public
        # An archive for everybody keeps nothing from anybody's pages.
        self._always = ALWAYS | ANY_PROGRAM if public else ALWAYS
        self._limits = limits

    def app(self) -> Starlette:
        return Starlette(routes=[
            Route("/web/{rest:path}", self.memento),
            Route("/timegate/{rest:path}", self.timegate),
            Route("/timemap/{format}/{rest:path}", self.timemap),
            Route("/static/{name}", self._pages.static),
            Route("/robots.txt", _robots),
            Route("/healthz", self.health),
            Route("/", self.front),
        ], exception_handlers={404: self._lost, EverlogError: self._failed, Exception: self._broken},
           middleware=[Middleware(LimitedApp, wait=self._busy, limits=self._limits)])

    async def memento(self, request: Request) -> Response:
        """A capture, or the way to it."""
        address = read_address(behind(request.scope, "/web/"))
        if address is None or address.digits == "*":
            return await self._missing(request, None)
        at = meant_by(address.digits) if address.digits else _wanted(request) or datetime.now(UTC)
        if at is None:
            return await self._missing(request, address.url)
        found = await run_in_threadpool(find_memento, self._archive, address.url, at)
        memento = found.memento
        if memento is None:
            # Where a redirect leads may be what is hidden.
            return await self._missing(request, address.url if self._public else found.url)
        is_here = timestamp(memento.at) == address.digits and canonical(memento.url) == canonical(address.url)
        if not is_here:
            return self._led(request, memento, address)
        around = await run_in_threadpool(self._archive.mementos.surroundings, address.url, memento)
        if address.modifier == "pic_":
            picture = await run_in_threadpool(self._archive.mementos.picture, memento)
            if picture is None:
                return await self._missing(request, address.url)
            memento = picture
        return await self._sent(request, memento, address, around)

    async def timegate(self, request: Request) -> Response:
        """The way to the capture of a time, which a header names."""
        url = read_url(behind(request.scope, "/timegate/"))
        asked = request.headers.get("accept-datetime")
        at = _wanted(request)
        if asked is not None and at is None:
            return PlainTextResponse("Accept-Datetime is not a date of HTTP.\n", status_code=400, headers=self._always)
        found = await run_in_threadpool(find_memento, self._archive, url, at or datetime.now(UTC)) if url else None
        if found is None or found.memento is None:
            return await self._missing(request, url if self._public or not found else found.url, vary="accept-datetime")
        memento = found.memento
        around = await run_in_threadpool(self._archive.mementos.surroundings, found.url, memento)
        addresses = MementoAddresses(self._prefix(request), memento.url)
        return RedirectResponse(addresses.memento(memento.at), 302, headers=self._always | {
            "Vary": "accept-datetime", "Link": link_header(addresses, around, memento.at), "Cache-Control": NEVER,
        })

    async def timemap(self, request: Request) -> Response:
        """All captures of an address."""
        form = request.path_params["format"]
        url = read_url(behind(request.scope, f"/timemap/{form}/"))
        moments = await run_in_threadpool(self._archive.mementos.moments, url) if url else ()
        if not moments or form not in {"link", "json"}:
            return await self._missing(request, url)
        addresses = MementoAddresses(self._prefix(request), url or "")
        headers = self._always | {"Cache-Control": ASK_AGAIN}
        if form == "json":
            return Response(timemap_json(addresses, moments), media_type="application/json", headers=headers)
        text = "".join(timemap_lines(addresses, moments))
        return Response(text, media_type=LINK_FORMAT, headers=headers)

    async def front(self, request: Request) -> Response:
        """Whoever comes here by hand wants the interface."""
        return RedirectResponse(self._origins.interface(request.headers["host"]) + "/", 302)

    async def health(self, _request: Request) -> Response:
        """Whether the archive can be read."""
        return await health_of(self._archive)

    def _prefix(self, request: Request) -> str:
        return self._origins.replay(request.headers["host"])

    def _led(self, request: Request, memento: Memento, address: ReplayAddress) -> Response:
        view = View(prefix=self._prefix(request), timestamp="", modifier=address.modifier)
        target = view.frame(Replayed(timestamp=timestamp(memento.at), url=memento.url))
        addresses = MementoAddresses(self._prefix(request), address.url)
        links = f'<{addresses.original}>; rel="original", <{addresses.timegate}>; rel="timegate"'
        # A redirect says as much as what it leads to: whoever may not read that is not led on.
        kind = told_type(memento.content_type, memento.url)
        sent = "image/svg+xml" if bare_type(kind) == "image/svg+xml" else sent_type(kind)
        reading = self._reading(request, memento, address, sent)
        vary = ", ".join(filter(None, ("accept-datetime", reading.pop("Vary", None))))
        return RedirectResponse(target, 302, headers=self._always | reading | {
            "Link": links, "Vary": vary, "Cache-Control": NEVER,
        })

    def _reading(self, request: Request, memento: Memento, address: ReplayAddress, sent: str) -> dict[str, str]:
        """Who may read a capture that is sent as a type; no page is shown with errors, bytes as stored, screenshots."""
        if self._public or memento.way == "error" or address.modifier in {"id_", "pic_"}:
            return {}
        return open_reading(sent, request.headers)

    async def _sent(
        self, request: Request, memento: Memento, address: ReplayAddress, around: Surroundings,
    ) -> Response:
        prefix = self._prefix(request)
        headers = self._always | {
            "Memento-Datetime": http_date(memento.at),
            "Link": link_header(MementoAddresses(prefix, address.url), around, memento.at),
        }
        status = memento.status if memento.way == "error" else 200
        if address.modifier not in {"id_", "pic_"}:
            view = View(
                prefix=prefix, timestamp=address.digits, modifier=address.modifier,
                interface=self._origins.interface(request.headers["host"]),
            )
            document = await run_in_threadpool(document_of, self._archive, memento, view)
            if document is not None:
                headers |= self._reading(request, memento, address, document.content_type)
                return _document(request, document, headers, prefix, status)
        headers["Content-Security-Policy"] = content_policy(origin_of(prefix), is_document=False)
        if bare_type(memento.content_type) == "application/pdf":
            # Browsers show these with a program of their own, which a sandbox shuts out.
            headers["Content-Security-Policy"] = "default-src 'none'; object-src 'self'; style-src 'unsafe-inline'"
        kind = memento.content_type
        if address.modifier != "id_":
            kind = await run_in_threadpool(shown_type, self._archive, memento)
        headers["Content-Type"] = sent_type(kind)
        headers |= self._reading(request, memento, address, headers["Content-Type"])
        return await self._bytes(request, memento, headers, status)

    async def _bytes(self, request: Request, memento: Memento, headers: dict[str, str], status: int) -> Response:
        size, etag = memento.size, f'"{memento.digest.replace(":", "-")}"'
        headers |= {
            "ETag": etag, "Cache-Control": FOR_EVER, "Accept-Ranges": "bytes", "Content-Length": str(size),
        }
        # Known from a page that was shown with it, an answer that another website may not read would be read after all.
        if _is_known(request, etag) and (self._public or not is_read_by_script(request.headers)):
            return Response(status_code=304, headers=_without_body(headers))
        part = _part(request, etag, size) if status == 200 else None
        if part is not None and part.length == 0:
            return Response(status_code=416, headers=self._always | {"Content-Range": f"bytes */{size}"})
        if part is not None:
            status = 206
            headers["Content-Length"] = str(part.length)
            headers["Content-Range"] = f"bytes {part.start}-{part.start + part.length - 1}/{size}"
        if request.method == "HEAD":
            return Response(status_code=status, headers=headers)
        body = await run_in_threadpool(open_bytes, self._archive, memento, is_part=part is not None)
        start, length = (part.start, part.length) if part is not None else (0, size)
        return StreamingResponse(_pieces(body, start, length), status_code=status, headers=headers)

    async def _missing(self, request: Request, url: str | None, **headers: str) -> Response:
        page = await run_in_threadpool(
            self._pages.text, "replay_missing.html", root=self._prefix(request), url=url,
            interface=self._origins.interface(request.headers["host"]),
        )
        return self._pages.answer(page, 404, self._always | headers, policy=(
            f"{SANDBOX}; default-src 'none'; style-src {origin_of(self._prefix(request))}"
        ))

    async def _lost(self, request: Request, _error: Exception) -> Response:
        return await self._missing(request, None)

    async def _busy(self, _request: Request, status: int, seconds: int) -> Response:
        """For programs that ask for one list of captures after the other; captures themselves are not limited."""
        return PlainTextResponse(
            f"Lists of captures are limited. Try again in {seconds} s.\n", status_code=status,
            headers=self._always | {"Retry-After": str(seconds), "Cache-Control": NEVER},
        )

    async def _failed(self, _request: Request, error: Exception) -> Response:
        """A capture that cannot be read: what happened, and what to do; in public, nothing of folders and servers."""
        log.error("%s", error)
        said = "This capture could not be read just now." if self._public else str(error)
        return PlainTextResponse(f"{said}\n", status_code=500, headers=self._always | {"Cache-Control": NEVER})

    async def _broken(self, _request: Request, _error: Exception) -> Response:
        """What nobody expected: what it was stands in the log of the server."""
        return PlainTextResponse(
            "Something unexpected went wrong with this capture.\n", status_code=500,
            headers=self._always | {"Cache-Control": NEVER},
        )


def _document(
    request: Request, document: Document, headers: dict[str, str], prefix: str, status: int,
) -> Response:
    etag = f'"{hashlib.sha256(document.body).hexdigest()[:32]}"'
    headers |= {
        "ETag": etag, "Cache-Control": ASK_AGAIN, "Content-Security-Policy": content_policy(origin_of(prefix)),
    }
    if status == 200 and _is_known(request, etag):
        return Response(status_code=304, headers=headers)
    return Response(document.body, status, headers | {"Content-Type": document.content_type})


def _wanted(request: Request) -> datetime | None:
    asked = request.headers.get("accept-datetime")
    return from_http_date(asked) if asked is not None else None


def _is_known(request: Request, etag: str) -> bool:
    asked = request.headers.get("if-none-match")
    if asked is None:
        return False
    return asked.strip() == "*" or etag in {each.strip().removeprefix("W/") for each in asked.split(",")}


def _part(request: Request, etag: str, size: int) -> ByteRange | None:
    known = request.headers.get("if-range")
    return read_range(request.headers.get("range"), size) if known is None or known.strip() == etag else None


def _without_body(headers: dict[str, str]) -> dict[str, str]:
    return {name: value for name, value in headers.items() if name not in {"Content-Length", "Content-Type"}}


async def _pieces(body: Body, start: int, length: int) -> AsyncIterator[bytes]:
    pieces = body.pieces(start, length)
    try:
        while (piece := await run_in_threadpool(next, pieces, None)) is not None:
            yield piece
    finally:
        body.close()


async def _robots(_request: Request) -> Response:
    return PlainTextResponse("User-agent: *\nDisallow: /\n")
