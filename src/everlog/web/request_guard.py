"""Request guard: who may ask what, the headers of every answer, and the access log."""

from __future__ import annotations

import logging
import time
from typing import TYPE_CHECKING
from urllib.parse import quote

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse

from everlog.web.origins import name_in

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from everlog.web.origins import Origins

log = logging.getLogger("everlog.web")
# Longer addresses than these nobody has captured; keys are cut at 2,000 bytes.
MOST_ADDRESS_BYTES = 20_000
# Said with every answer. A browser guesses no type, tells nobody where a reader came from, and gives a page no camera.
ALWAYS = {
    "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
}


class RequestGuard:
    """An app behind a check of what is asked. Only GET and HEAD are answered: nothing is changed by any request."""

    def __init__(self, app: ASGIApp, origins: Origins) -> None:
        self._app, self._origins = app, origins

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            # No web sockets; and nothing is to be done when the server starts or stops.
            return
        began, status = time.perf_counter(), 500

        async def sent(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                headers = MutableHeaders(raw=message.setdefault("headers", []))
                for name, value in ALWAYS.items():
                    headers.setdefault(name, value)
            await send(message)

        try:
            await (self._refusal(scope) or self._app)(scope, receive, sent)
        finally:
            path = quote(scope["path"], safe="/:?&=%+,;@~!$'()*")
            log.info("%s %s %s %.0f ms", scope["method"], path, status, (time.perf_counter() - began) * 1000)

    def _refusal(self, scope: Scope) -> ASGIApp | None:
        """Why this is not answered; None: it is."""
        host = Headers(scope=scope).get("host", "")
        if not self._origins.is_allowed(host):
            name = name_in(host) or "this name"
            return PlainTextResponse(
                f"everlog does not answer under {name}.\n"
                "If the name is yours, start everlog serve with --allow-host and the name.\n", status_code=421,
            )
        if scope["method"] not in {"GET", "HEAD"}:
            return PlainTextResponse(
                "Only GET and HEAD are answered: an archive is looked at here, not changed.\n", status_code=405,
                headers={"Allow": "GET, HEAD"},
            )
        if len(scope.get("raw_path") or b"") + len(scope["query_string"]) > MOST_ADDRESS_BYTES:
            return PlainTextResponse("This address is too long.\n", status_code=414)
        return None
