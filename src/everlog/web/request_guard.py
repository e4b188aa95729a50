"""Request guard: who may ask what, the headers of every answer, and the logs."""

from __future__ import annotations

import asyncio
import logging
import time
from typing import TYPE_CHECKING
from urllib.parse import quote

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse, Response

from everlog.web.client_limits import ProxyTrust, client_of
from everlog.web.origins import name_in

if TYPE_CHECKING:
    from collections.abc import Mapping

    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from everlog.web.access_log import AccessLog
    from everlog.web.origins import Origins
    from everlog.web.silent_proxy import SilentProxy

log = logging.getLogger("everlog.web")
# Longer addresses than these nobody has captured; keys are cut at 2,000 bytes.
MOST_ADDRESS_BYTES = 20_000
# Said with every answer, whatever made it. A browser guesses no type, tells nobody where a reader came from, and gives
# a page no camera.
ALWAYS = {
    "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer", "X-Permitted-Cross-Domain-Policies": "none",
    "Permissions-Policy": "camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()",
}
# Said with every answer of one port, unless it says something else itself: what is no page shows nothing, runs nothing
# and is framed by nobody.
INTERFACE = {
    "Content-Security-Policy": "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "Cross-Origin-Resource-Policy": "same-origin", "X-Frame-Options": "DENY",
}
# Captured pages are framed by the interface and by each other; their files are loaded by pages that have no origin.
REPLAY = {
    "Content-Security-Policy": "sandbox; default-src 'none'", "Cross-Origin-Resource-Policy": "cross-origin",
    "X-Robots-Tag": "noindex",
}
OPENER = "Cross-Origin-Opener-Policy"


class RequestGuard:
    """An app behind a check of what is asked. Only GET and HEAD are answered: nothing is changed by any request.

    `headers` are those of answers that say nothing else. Who asks (`client_of`) stands in the scope. `silent` hears of
    all requests, where there is a proxy that has to say who asks. `before` are the headers for browsers that want to
    know whether a script of another website may ask (OPTIONS); without any they are told nothing.
    """

    def __init__(
        self, app: ASGIApp, origins: Origins, *, headers: Mapping[str, str], access_log: AccessLog | None = None,
        trust: ProxyTrust = ProxyTrust(),  # noqa: B008 - frozen
        silent: SilentProxy | None = None, before: Mapping[str, str] | None = None,
    ) -> None:
        self._app, self._origins, self._access_log, self._trust = app, origins, access_log, trust
        self._silent, self._before = silent, before
        self._headers = {**ALWAYS, **headers}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            # No web sockets; and nothing is to be done when the server starts or stops.
            return
        began, status, size = time.perf_counter(), 500, 0
        asked = Headers(scope=scope)
        client = client_of((scope.get("client") or (None,))[0], asked, self._trust)
        if self._silent is not None:
            self._silent.note(scope["path"], client, asked)

        async def sent(message: Message) -> None:
            nonlocal status, size
            if message["type"] == "http.response.start":
                status = message["status"]
                self._complete(MutableHeaders(raw=message.setdefault("headers", [])))
            else:
                size += len(message.get("body", b""))
            await send(message)

        try:
            await (self._refusal(scope) or self._app)({**scope, "everlog.client": client}, receive, sent)
        except asyncio.CancelledError:
            # The server stops, and who still reads is cut off: nothing that somebody would have to look after.
            log.info("%s was cut off", scope["path"])
        finally:
            path = quote(scope["path"], safe="/:?&=%+,;@~!$'()*")
            log.info("%s %s %s %.0f ms", scope["method"], path, status, (time.perf_counter() - began) * 1000)
            if self._access_log is not None:
                self._access_log.note(scope, asked, client, status, size)

    def _complete(self, headers: MutableHeaders) -> None:
        for name, value in self._headers.items():
            headers.setdefault(name, value)
        if "sandbox" not in headers["Content-Security-Policy"]:
            # Browsers refuse to open what is sandboxed and has one of these.
            headers.setdefault(OPENER, "same-origin")

    def _refusal(self, scope: Scope) -> ASGIApp | None:
        """Why this is not answered; None: it is."""
        host = Headers(scope=scope).get("host", "")
        if not self._origins.is_allowed(host):
            name = name_in(host) or "this name"
            return PlainTextResponse(
                f"everlog does not answer under {name}.\n"
                "If the name is yours, start everlog serve with --allow-host and the name.\n", status_code=421,
            )
        if scope["method"] == "OPTIONS" and self._before is not None:
            return Response(status_code=204, headers=self._before)
        if scope["method"] not in {"GET", "HEAD"}:
            return PlainTextResponse(
                "Only GET and HEAD are answered: an archive is looked at here, not changed.\n", status_code=405,
                headers={"Allow": "GET, HEAD"},
            )
        if len(scope.get("raw_path") or b"") + len(scope["query_string"]) > MOST_ADDRESS_BYTES:
            return PlainTextResponse("This address is too long.\n", status_code=414)
        return None
