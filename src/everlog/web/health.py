"""Health of the server: whether the archive behind it can be read just now."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from starlette.concurrency import run_in_threadpool
from starlette.responses import PlainTextResponse

from everlog.errors import EverlogError

if TYPE_CHECKING:
    from starlette.responses import Response

    from everlog.archive import Archive

log = logging.getLogger("everlog.web")


async def health_of(archive: Archive) -> Response:
    """Whether an archive can be read, for who watches the server: one row is asked for; of why not, nothing is told."""
    try:
        await run_in_threadpool(archive.overview.blogs, limit=1)
    except EverlogError as error:
        log.error("%s", error)  # noqa: TRY400 - what it says is all there is to know
        return PlainTextResponse(
            "the archive cannot be read\n", status_code=503, headers={"Cache-Control": "no-store", "Retry-After": "10"},
        )
    return PlainTextResponse("ok\n", headers={"Cache-Control": "no-store"})
