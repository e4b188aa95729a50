"""The hosts that a page with comments asks, without a network: each answers from this machine, all others fail."""

from __future__ import annotations

import asyncio
import http.client
import json
import re
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import parse_qs, urlsplit

import pytest

from everlog.records import BrowserRequest, Exchange, Failure

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

CLIENTS = Path(__file__).parent / "clients"
TYPES = {".js": "text/javascript", ".mjs": "text/javascript", ".html": "text/html", ".css": "text/css"}
# What a connection of its own carries, not the request.
OF_THE_CONNECTION = frozenset(("host", "connection", "content-length", "accept-encoding", "transfer-encoding"))


class Answer(NamedTuple):
    """What a host says."""

    status: int = 200
    type: str = "application/json"
    body: bytes = b""


if TYPE_CHECKING:
    Host = Callable[[BrowserRequest], Answer]


@dataclass(frozen=True, slots=True)
class Hosts:
    """Hosts by name; other pages' scripts may ask them anything."""

    named: Mapping[str, Host]

    async def fetch(self, asked: BrowserRequest) -> Exchange | Failure:
        """The `Fetch` of the browser."""
        host = self.named.get(urlsplit(asked.url).netloc)
        if host is None:
            return Failure(url=asked.url, trouble="dns", reason="no such host here")
        headers = {name.lower(): value for name, value in asked.headers}
        if asked.method == "OPTIONS":
            answer = Answer(204)
        else:
            answer = await asyncio.to_thread(host, asked)
        allowed = (
            ("access-control-allow-origin", headers.get("origin", "*")),
            ("access-control-allow-credentials", "true"),
            ("access-control-allow-headers", headers.get("access-control-request-headers", "*")),
            ("access-control-allow-methods", "GET, POST"),
        )
        return Exchange(
            url=asked.url, status=answer.status, body=answer.body, fetched_at=datetime.now(UTC),
            headers=(("content-type", answer.type), *allowed),
        )


def said_as_json(found: Any, status: int = 200) -> Answer:
    """What a host says in JSON."""
    return Answer(status, "application/json", json.dumps(found).encode())


def query(asked: BrowserRequest) -> dict[str, str]:
    """The parameters of an address, the first value of each."""
    return {name: values[0] for name, values in parse_qs(urlsplit(asked.url).query).items()}


def broken(asked: BrowserRequest) -> Answer:
    """A server that fails."""
    return said_as_json({"message": "Internal Server Error"}, 500)


def files(folder: str, **named: str) -> Host:
    """A host with the files of an installed package; some go by another name as well: `comments_js="index.js"`."""

    def answer(asked: BrowserRequest) -> Answer:
        path = urlsplit(asked.url).path.lstrip("/")
        other = next((file for name, file in named.items() if re.sub(r"\W", "_", path).startswith(name)), path)
        file = CLIENTS / "node_modules" / folder / other
        if not file.is_file():
            return Answer(404, "text/plain", b"not found")
        return Answer(200, TYPES.get(file.suffix, "text/plain"), file.read_bytes())

    return answer


def forwarded(port: int) -> Host:
    """A host that is a server of its own on this machine."""

    def answer(asked: BrowserRequest) -> Answer:
        parts = urlsplit(asked.url)
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=300)
        headers = {name: value for name, value in asked.headers if name.lower() not in OF_THE_CONNECTION}
        connection.request(asked.method, f"{parts.path}?{parts.query}", body=asked.body or None, headers=headers)
        with connection.getresponse() as response:
            body = response.read()
        connection.close()
        return Answer(response.status, response.getheader("content-type", ""), body)

    return answer


def need(folder: str) -> Path:
    """The folder of an installed part."""
    place = CLIENTS / folder
    if not (place / ".installed").is_file():
        pytest.fail(f"{place} is not installed; run scripts/install-browser-parts", pytrace=False)
    return place
