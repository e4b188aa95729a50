"""Silent proxy: one that does not say for whom it asks, so that no reader is limited. It is told once."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from everlog.web.client_limits import is_asked_for_somebody

if TYPE_CHECKING:
    from starlette.datastructures import Headers

log = logging.getLogger("everlog.web")
# Asked by whoever watches the server, from this machine and for nobody else.
_WATCHED = "/healthz"


class SilentProxy:
    """What is noticed of a proxy on this machine, over all requests of both ports."""

    def __init__(self) -> None:
        self._is_told = False

    def note(self, path: str, client: str | None, headers: Headers) -> None:
        """A request, with who asks (`client_of`)."""
        if self._is_told or client is not None or path == _WATCHED or is_asked_for_somebody(headers):
            return
        self._is_told = True
        log.warning(
            "a request came from this machine without X-Forwarded-For. If a proxy asked, it does not say for whom, and "
            "no reader is limited; for nginx:  proxy_set_header X-Forwarded-For $remote_addr;",
        )
