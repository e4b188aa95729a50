"""Requests and answers in DevTools' words."""

from __future__ import annotations

import base64
import re
from typing import Any

from everlog.records import BrowserRequest, Exchange, Failure, Page

# A command and its parameters, but for the request it answers.
Reply = tuple[str, dict[str, Any]]

_UNWANTED = frozenset(
    "cspviolationreport eventsource fedcm manifest media ping prefetch signedexchange texttrack websocket".split()
)
_OWN_HEADERS = frozenset(
    "accept-encoding connection content-length dnt host priority proxy-connection te upgrade-insecure-requests "
    "user-agent".split()
)
_TRANSPORT = frozenset(("content-encoding", "content-length", "transfer-encoding"))
_REASONS = {
    "address": "BlockedByClient", "connection": "ConnectionFailed", "dns": "NameNotResolved",
    "robots": "BlockedByClient", "timeout": "TimedOut",
}
_DOT = base64.b64encode(
    b"GIF89a\x01\x00\x01\x00\x80\x00\x00\x00\x00\x00\x00\x00\x00!\xf9\x04\x01\x00\x00\x00\x00"
    b",\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02D\x01\x00;"
).decode()
_CLOSED_SHADOW = re.compile(rb"(shadowrootmode\s*=\s*[\"']?)closed", re.IGNORECASE)
_CHARSET = re.compile(r"charset\s*=\s*[\"']?([\w.:-]+)", re.IGNORECASE)


def browser_request(event: dict[str, Any]) -> BrowserRequest:
    """A request as Chromium describes it, without the headers that are the business of who sends it."""
    request = event["request"]
    headers = tuple(
        (name, value)
        for name, value in request["headers"].items()
        if name.lower() not in _OWN_HEADERS and not name.lower().startswith("sec-")
    )
    return BrowserRequest(
        url=request["url"].partition("#")[0],
        method=request["method"],
        headers=headers,
        body=_posted(request),
        kind=event["resourceType"].lower(),
    )


def _posted(request: dict[str, Any]) -> bytes:
    entries = request.get("postDataEntries")
    if entries:
        return b"".join(base64.b64decode(entry.get("bytes", "")) for entry in entries)
    return str(request.get("postData", "")).encode()


def is_unwanted(event: dict[str, Any]) -> bool:
    """Whether a request is for what no archive needs, or for what never ends."""
    kind = event["resourceType"].lower()
    headers = {name.lower(): value for name, value in event["request"]["headers"].items()}
    accept = headers.get("accept", "")
    return (
        kind in _UNWANTED
        or (kind == "other" and accept.startswith("image/"))  # the picture beside the page's address
        or accept == "text/event-stream"
        or "prefetch" in headers.get("sec-purpose", headers.get("purpose", ""))
    )


def passage() -> Reply:
    """The reply that a request may go on: it stays inside the browser."""
    return "Fetch.continueRequest", {}


def refusal(reason: str) -> Reply:
    """The reply that nothing comes, with one of DevTools' reasons."""
    return "Fetch.failRequest", {"errorReason": reason}


def main_document(page: Page) -> Reply:
    """The reply to the first request of all: the page as it came through another door."""
    return _fulfil(200, [("content-type", html_type(page.content_type))], _opened(page.body))


def fulfilment(answer: Exchange | Failure, *, is_document: bool) -> Reply:
    """The reply that is an answer; a failure behind which a server stands (404, 500) is that server's answer."""
    if isinstance(answer, Failure):
        if not answer.exchanges or answer.exchanges[-1].status != answer.status:
            return refusal(_REASONS.get(answer.trouble, "Failed"))
        answer = answer.exchanges[-1]
    headers = [(name, value) for name, value in answer.headers if name.lower() not in _TRANSPORT]
    return _fulfil(answer.status, headers, _opened(answer.body) if is_document else answer.body)


def _fulfil(status: int, headers: list[tuple[str, str]], body: bytes) -> Reply:
    return "Fetch.fulfillRequest", {
        "responseCode": status,
        "responseHeaders": [{"name": name, "value": value} for name, value in headers],
        "body": base64.b64encode(body).decode(),
    }


def dot(wanted: BrowserRequest) -> Reply:
    """The smallest picture there is: pages take away, or replace, pictures that do not come."""
    origin = next((value for name, value in wanted.headers if name.lower() == "origin"), "*")
    return "Fetch.fulfillRequest", {
        "responseCode": 200,
        "responseHeaders": [
            {"name": "content-type", "value": "image/gif"},
            {"name": "access-control-allow-origin", "value": origin},
            {"name": "access-control-allow-credentials", "value": "true"},
        ],
        "body": _DOT,
    }


def _opened(body: bytes) -> bytes:
    """A document whose shadow roots can be kept: scripts' are opened by guard.js, written ones here."""
    return _CLOSED_SHADOW.sub(rb"\1open", body)


def html_type(content_type: str | None) -> str:
    """The type a page is shown as: HTML whatever it says, in the encoding it says.

    >>> html_type("application/xhtml+xml; charset=ISO-8859-1")
    'text/html; charset=ISO-8859-1'
    >>> html_type(None)
    'text/html'
    """
    charset = _CHARSET.search(content_type or "")
    return f"text/html; charset={charset[1]}" if charset else "text/html"
