"""Addresses of mementos as they are asked for: a time, a modifier and the URL, with its query as it was sent."""

from __future__ import annotations

import re
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from everlog.core.urls import absolute

if TYPE_CHECKING:
    from collections.abc import Mapping

    from everlog.replay import Modifier

# Other players write more modifiers (`im_`, `cs_`, `js_`, `if_`): what they ask for is the memento itself.
# Fewer than four digits are no time, and no host either where an address follows: other archives know `/web/2/https://`.
_TIMED = re.compile(r"(\d{4,14}|\d{1,3}(?=(?:[a-z]{2,3}_)?/https?:)|\*)([a-z]{2,3}_)?/(.+)", re.DOTALL)
_KNOWN: Mapping[str, Modifier] = MappingProxyType({"mp_": "mp_", "id_": "id_", "pic_": "pic_"})
_HAS_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*:(?!\d)", re.IGNORECASE)
# A proxy may have made one slash of two.
_ONE_SLASH = re.compile(r"(https?):/(?!/)", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayAddress:
    """What is asked for; `digits` are empty for the latest capture, and `*` for all of them."""

    digits: str
    modifier: Modifier
    url: str


def read_address(raw: str) -> ReplayAddress | None:
    """What stands behind `/web/`, percent-encoded as it was sent, with its query; None if it names no page of the web.

    >>> read_address("20240501120000mp_/https://a.org/x?b=1")
    ReplayAddress(digits='20240501120000', modifier='mp_', url='https://a.org/x?b=1')
    >>> read_address("a.org:8080/x").url, read_address("2024/http:/a.org").url, read_address("javascript:alert(1)")
    ('http://a.org:8080/x', 'http://a.org', None)
    >>> read_address("2/https://a.org/").digits, read_address("10/x").url
    ('2', 'http://10/x')
    """
    timed = _TIMED.fullmatch(raw)
    digits, modifier, rest = (timed[1], timed[2] or "", timed[3]) if timed else ("", "", raw)
    url = read_url(rest)
    if url is None:
        return None
    return ReplayAddress(digits=digits, modifier=_KNOWN.get(modifier, ""), url=url)


def read_url(text: str) -> str | None:
    """The URL that somebody means, who may leave out the scheme; None if it is none of the web."""
    text = _ONE_SLASH.sub(r"\1://", text.strip())
    if not _HAS_SCHEME.match(text):
        text = "http://" + text.lstrip("/")
    return absolute(None, text)


def behind(scope: Mapping[str, Any], prefix: str) -> str:
    """What stands behind a prefix of the address that was asked for, as it was sent, with the query."""
    raw = (scope.get("raw_path") or scope["path"].encode()).decode("latin-1")
    query = scope["query_string"].decode("latin-1")
    rest: str = raw.partition("?")[0].removeprefix(prefix)
    return f"{rest}?{query}" if query else rest
