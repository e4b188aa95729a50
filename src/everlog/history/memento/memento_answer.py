"""Capture of a web archive, as the answer that the blog's own server gave when it was made."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from everlog.core.urls import canonical
from everlog.history.memento.memento_lines import captured_at, http_moment
from everlog.records import Exchange

if TYPE_CHECKING:
    from datetime import datetime

    from everlog.records import Fetched

_PLACE = re.compile(r"/(\d{14})(?:[a-z]{2}_)?/(https?:/{1,2}.+)$")
_ORIGINAL = re.compile(r'<([^<>]+)>[^<>]*?;\s*rel="?[^"]*\boriginal\b')
_PREFIX = "x-archive-orig-"
# How a body was sent is not how it is kept; what its length was then is no word about it now.
_OF_SENDING = frozenset({"content-encoding", "content-length", "transfer-encoding", "connection", "keep-alive"})


def original_of(fetched: Fetched, url: str, *, stamp: str | None = None) -> Exchange | str:
    """The exchange that a capture of `url` holds; or why it is not what was asked for.

    `stamp` is the time that the archive's list says, for archives that do not say it again. An archive that has no such
    capture leads to its nearest, which may be of another address: where the page redirected to then.
    """
    last = fetched.answer
    if not 200 <= last.status < 300:
        return f"the archive answers with HTTP {last.status}"
    place = _PLACE.search(last.url)
    shown = _original_address(last, place[2] if place is not None else None) or url
    if canonical(shown) != canonical(url):
        return f"captured as a redirect to {shown}"
    moment = http_moment(last.header("memento-datetime"))
    moment = moment or (captured_at(place[1]) if place is not None else None)
    moment = moment or (captured_at(stamp) if stamp else None)
    if moment is None:
        return "the archive does not say when it was captured"
    return _as_answered(last, url, moment)


def _as_answered(last: Exchange, url: str, moment: datetime) -> Exchange:
    return Exchange(
        url=url, status=200, reason="OK", headers=_headers_then(last), body=last.body, spooled=last.spooled,
        fetched_at=last.fetched_at, purpose=last.purpose, origin="memento", captured_at=moment, source_uri=last.url,
    )


def _original_address(last: Exchange, in_address: str | None) -> str | None:
    said = next((found[1] for value in last.values("link") if (found := _ORIGINAL.search(value))), None)
    return said or in_address


def _headers_then(last: Exchange) -> tuple[tuple[str, str], ...]:
    """The headers of the blog's server, which archives keep under names of their own, but for the type."""
    then = [
        (name[len(_PREFIX):], value) for name, value in last.headers
        if name.lower().startswith(_PREFIX) and name.lower()[len(_PREFIX):] not in _OF_SENDING
    ]
    names = {name.lower() for name, _ in then}
    kind = last.header("content-type")
    return tuple(then) if kind is None or "content-type" in names else (*then, ("Content-Type", kind))
