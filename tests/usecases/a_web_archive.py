"""A web archive in memory: captures of addresses, told as the Wayback Machine, pywb or TimeMaps tell them.

    archive = WebArchive()                  # or kind="pywb", "timemap"
    archive.capture("http://a.org/x", "20200102030405", "<html>")
    archive.traps.add("breaks off")

Traps: "breaks off" (a list), "endless keys", "repeats keys", "refuses" (429 for all but the first requests), "silent".
"""

from __future__ import annotations

import json
from base64 import b32encode
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from hashlib import sha1
from urllib.parse import parse_qs, unquote, urlsplit

from everlog.core.urls import canonical
from everlog.records import Exchange, Failure, Fetched
from fetch.servers import Seen, Server, reply
from usecases.a_web import NOW, MemoryWeb

FOLDERS = {"wayback": "", "pywb": "/coll", "timemap": "/coll"}
REPLAYS = {"wayback": "/web/", "pywb": "/coll/", "timemap": "/coll/"}


@dataclass(frozen=True)
class Captured:
    """One capture."""

    url: str
    stamp: str
    body: bytes
    type: str = "text/html"
    status: int = 200
    # Where it redirected to then.
    location: str | None = None
    is_revisit: bool = False

    @property
    def digest(self) -> str:
        return b32encode(sha1(self.body, usedforsecurity=False).digest()).decode()

    @property
    def moment(self) -> datetime:
        return datetime.strptime(self.stamp, "%Y%m%d%H%M%S").replace(tzinfo=UTC)


@dataclass
class WebArchive(MemoryWeb):
    """The fetcher of one archive."""

    kind: str = "wayback"
    host: str = "http://archive.example"
    captures: list[Captured] = field(default_factory=list)
    traps: set[str] = field(default_factory=set)
    per_page: int = 50
    # So many requests are answered before the trap "refuses" shuts.
    patience: int = 3

    @property
    def endpoint(self) -> str:
        return self.host + FOLDERS[self.kind]

    @property
    def root(self) -> str:
        return self.host + REPLAYS[self.kind]

    def capture(self, url: str, stamp: str, body: bytes | str = b"", **how: object) -> None:
        data = body.encode() if isinstance(body, str) else body
        self.captures.append(Captured(url, stamp, data, **how))  # type: ignore[arg-type]

    def capture_all(self, web: MemoryWeb, stamp: str) -> None:
        """All that another web shows now."""
        for key, answer in web.answers.items():
            if not isinstance(answer, Failure):
                self.capture(f"https://{key}", stamp, answer.body, type=answer.type, status=answer.status)

    def serve(self, server: Server) -> None:
        """Answer on a server of loopback instead."""
        self.host = server.url("").rstrip("/")

        def answer(seen: Seen) -> bytes:
            # As it was sent: the path of what looks like a proxy's request is another.
            status, headers, body, _ = self.answer(self.host + seen.line.split(" ")[1])
            return reply(status, body, **{name.replace("-", "_"): value for name, value in headers.items()})

        server.routes["*"] = answer

    async def fetch(self, url, *, purpose="page", etag=None, last_modified=None):  # noqa: ARG002
        self.asked.append(url)
        if "silent" in self.traps:
            return Failure(url=url, trouble="connection", reason="refuses connections")
        if "refuses" in self.traps and len(self.asked) > self.patience:
            until = self.now + timedelta(hours=1)
            return Failure(url=url, trouble="rate-limited", reason="HTTP 429", status=429, until=until)
        status, headers, body, shown = self.answer(url)
        exchange = Exchange(
            url=shown, status=status, headers=tuple(headers.items()), body=body, fetched_at=self.now, purpose=purpose,
        )
        if 200 <= status < 300:
            return Fetched(url=url, exchanges=(exchange,))
        return Failure(url=url, trouble="http", reason=f"HTTP {status} at {url}", status=status, exchanges=(exchange,))

    def answer(self, url: str) -> tuple[int, dict[str, str], bytes, str]:
        parts = urlsplit(url)
        indexes = {"wayback": "/cdx/search/cdx", "pywb": "/coll/cdx"}
        if parts.path == indexes.get(self.kind):
            return 200, {"Content-Type": "application/json"}, self._listing(parse_qs(parts.query)), url
        timemap = f"{self.root}timemap/link/"
        if self.kind == "timemap" and url.startswith(timemap):
            return self._timemap(url.removeprefix(timemap), url)
        if url.startswith(self.root) and url[len(self.root)].isdecimal():
            return self._replay(url)
        return 404, {"Content-Type": "text/html"}, b"Nothing here", url

    def _replay(self, url: str) -> tuple[int, dict[str, str], bytes, str]:
        stamp, _, original = url.removeprefix(self.root).partition("id_/")
        wanted = [each for each in self.captures if canonical(each.url) == canonical(unquote(original))]
        if not wanted:
            return 404, {"Content-Type": "text/html"}, b"not archived", url
        moment = datetime.strptime(stamp, "%Y%m%d%H%M%S").replace(tzinfo=UTC)
        found = min(wanted, key=lambda each: abs(each.moment - moment))
        if found.location is not None:
            return self._replay(f"{self.root}{found.stamp}id_/{found.location}")
        headers = {
            "Content-Type": found.type, "Memento-Datetime": format_datetime(found.moment, usegmt=True),
            "X-Archive-Orig-Server": "then",
        }
        return found.status, headers, found.body, f"{self.root}{found.stamp}id_/{found.url}"

    def _listing(self, query: dict[str, list[str]]) -> bytes:
        said = {name: values[0] for name, values in query.items()}
        wanted = canonical(said["url"])
        is_prefix = said.get("matchType") in {"prefix", "host"}
        found = sorted(
            (
                each for each in self.captures
                if (canonical(each.url).startswith(wanted) if is_prefix else canonical(each.url) == wanted)
                and (each.status == 200 or each.is_revisit)
            ),
            key=lambda each: (canonical(each.url), each.stamp),
        )
        rows = [
            [canonical(each.url), each.stamp, each.url, "warc/revisit" if each.is_revisit else each.type,
             "-" if each.is_revisit else str(each.status), each.digest]
            for each in found
        ]
        if self.kind == "pywb":
            names = ("urlkey", "timestamp", "url", "mime", "status", "digest")
            text = "".join(json.dumps(dict(zip(names, row, strict=True))) + "\n" for row in rows)
            return text.encode()[: -20 if "breaks off" in self.traps and is_prefix else None]
        start = int(said.get("resumeKey", "0"))
        size = min(self.per_page, int(said.get("limit", "100000")))
        page = rows[start : start + size]
        more: list[list[str]] = []
        if "endless keys" in self.traps or ("repeats keys" in self.traps and rows):
            more = [[], [str(start + 1 if "endless keys" in self.traps else 7)]]
        elif start + size < len(rows):
            more = [[], [str(start + size)]]
        text = "[" + ",\n".join(json.dumps(row) for row in [*page, *more]) + "]"
        return text.encode()[: -20 if "breaks off" in self.traps and is_prefix else None]

    def _timemap(self, original: str, url: str) -> tuple[int, dict[str, str], bytes, str]:
        found = [each for each in self.captures if canonical(each.url) == canonical(original)]
        lines = [f'<{original}>; rel="original"', *(
            f'<{self.root}{each.stamp}mp_/{each.url}>; rel="memento"; '
            f'datetime="{format_datetime(each.moment, usegmt=True)}"' for each in found
        )]
        headers = {"Content-Type": "application/link-format"}
        return 200 if found else 404, headers, ",\n".join(lines).encode() if found else b"", url


__all__ = ["NOW", "Captured", "WebArchive"]
