"""Access log: a line for each request, in the combined format that programs for statistics read.

Behind a question mark stand words that people look for, and what the addresses of others have there: keys and tokens.
None of it is written, nor is a name and password in an address. In public, who reads is nobody's business: addresses
lose their last part, and neither browsers nor the pages they came from are noted.
"""

from __future__ import annotations

import ipaddress
import logging
import re
import sys
from contextlib import contextmanager
from datetime import UTC, datetime
from logging.handlers import WatchedFileHandler
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from everlog.core.urls import without_user
from everlog.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from starlette.datastructures import Headers
    from starlette.types import Scope

LONGEST_FIELD = 500
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


class AccessLog:
    """Lines of requests. `now` tells the time."""

    def __init__(
        self, write: Callable[[str], None], *, is_public: bool = False,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._write, self._is_public, self._now = write, is_public, now

    def note(self, scope: Scope, headers: Headers, client: str | None, status: int, size: int) -> None:
        """Write the line of one request."""
        peer = client or (scope.get("client") or ("-",))[0]
        method = re.sub("[^A-Z]", "", scope["method"])[:20]
        asked = f"{method} {shown_path(scope['path'])} HTTP/{scope.get('http_version', '1.1')}"
        came_from = "" if self._is_public else headers.get("referer", "")
        browser = "" if self._is_public else headers.get("user-agent", "")
        self._write(
            f'{shortened(peer) if self._is_public else _field(peer)} - - [{stamp(self._now())}] "{asked}" {status} '
            f'{size or "-"} "{_field(without_user(came_from.partition("?")[0]))}" "{_field(browser)}"',
        )


@contextmanager
def opened_access_log(where: str | None, *, is_public: bool = False) -> Iterator[AccessLog | None]:
    """The log in a file, which may be moved away while it is written; `-` is standard output, None is no log."""
    if where is None:
        yield None
        return
    if where == "-":
        handler: logging.Handler = logging.StreamHandler(sys.stdout)
    else:
        try:
            handler = WatchedFileHandler(Path(where).expanduser(), encoding="utf-8", errors="replace")
        except OSError as error:
            raise UsageError(
                f"the access log {where} cannot be written: {error.strerror}",
                advice="name a file in a folder that is there:  --access-log access.log",
            ) from error

    def write(line: str) -> None:
        handler.handle(logging.makeLogRecord({"msg": "%s", "args": (line,), "levelno": logging.INFO}))

    try:
        yield AccessLog(write, is_public=is_public)
    finally:
        handler.close()


def shown_path(path: str) -> str:
    """A path as the log has it.

    >>> shown_path('/web/2024/https://me:secret@a.org/x y"')
    '/web/2024/https://a.org/x%20y%22'
    """
    return quote(without_user(path), safe="/:&=%+,;@~!$'()*")[:4 * LONGEST_FIELD]


def shortened(address: str) -> str:
    """An address without what tells one household from the next.

    >>> shortened("203.0.113.77"), shortened("2001:db8:1:2::7"), shortened("2001:db8:1:2::/64"), shortened("-")
    ('203.0.113.0', '2001:db8:1::', '2001:db8:1::', '-')
    """
    try:
        found = ipaddress.ip_address(address.partition("/")[0])
    except ValueError:
        return "-"
    kept = 24 if found.version == 4 else 48
    return str(ipaddress.ip_network((found, kept), strict=False).network_address)


def stamp(moment: datetime) -> str:
    """A time as these logs write it, whatever language the machine speaks.

    >>> stamp(datetime(2026, 5, 1, 12, 0, 9, tzinfo=UTC))
    '01/May/2026:12:00:09 +0000'
    """
    return f"{moment:%d}/{_MONTHS[moment.month - 1]}/{moment:%Y:%H:%M:%S} +0000"


def _field(text: Any) -> str:
    """A text between quotes that stays on its line."""
    shown = str(text)[:LONGEST_FIELD].encode("unicode_escape").decode("ascii").replace('"', '\\"')
    return shown or "-"
