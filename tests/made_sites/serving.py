"""A site on loopback at two addresses: its own, and one for fonts and pictures as a CDN would be.

Files name both by names that are nobody's; what is served has the addresses in place of them, in any encoding.
"""

from __future__ import annotations

import gzip
import mimetypes
import sys
import threading
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any, ClassVar
from urllib.parse import unquote, urlsplit

from made_sites.making import TEXTS, built
from made_sites.posts import CDN, SITE

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from made_sites.making import Site

OWN_HOST, CDN_HOST = "127.0.0.1", "127.0.0.2"
# Below these, a file has moved: the answer is a redirect to the place where it is.
_MOVED, _FONTS = "/moved/", "/fonts/"
_TYPES = {
    ".woff2": "font/woff2", ".webmanifest": "application/manifest+json", ".webp": "image/webp",
    ".js": "text/javascript",
}
_NOT_FOUND = b"<!doctype html><title>Not found</title><p>There is no such page."


# Style sheets whose names do not say so, as those of font services.
_OF_CDN = {"/css/css": "text/css; charset=utf-8", "/css/css2": "text/css; charset=utf-8"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Served:
    """Where a site is; `allow` is what `everlog --allow` must be told."""

    url: str
    cdn_url: str

    @property
    def allow(self) -> tuple[str, str]:
        return urlsplit(self.url).netloc, urlsplit(self.cdn_url).netloc


@contextmanager
def served(site: Site) -> Iterator[Served]:
    """A site, until the block ends."""
    made = built(site)
    own, cdn = _server(OWN_HOST, made.own, site.types), _server(CDN_HOST, made.cdn, _OF_CDN)
    told = Served(url=f"http://{_place(own)}", cdn_url=f"http://{_place(cdn)}")
    places = {SITE.removeprefix("http://"): _place(own), CDN.removeprefix("http://"): _place(cdn)}
    threads = []
    for server in (own, cdn):
        server.RequestHandlerClass.places = places  # type: ignore[attr-defined]
        threads.append(threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}))
    for thread in threads:
        thread.start()
    try:
        yield told
    finally:
        for server in (own, cdn):
            server.shutdown()
            server.server_close()
        for thread in threads:
            thread.join()


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Browsers and crawlers may go before all was said; anything else is told."""
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)


def _server(host: str, folder: Path, types: Mapping[str, str]) -> ThreadingHTTPServer:
    handler = type("Handler", (_Handler,), {"folder": folder, "types": types})
    return _Server((host, 0), handler)


def _place(server: ThreadingHTTPServer) -> str:
    host, port = server.server_address[:2]
    return f"{host!s}:{port}"


class _Handler(BaseHTTPRequestHandler):
    """Files with their types, compressed where they are text and the client takes that."""

    protocol_version = "HTTP/1.1"
    folder: ClassVar[Path]
    types: ClassVar[Mapping[str, str]]
    places: ClassVar[Mapping[str, str]]

    def do_GET(self) -> None:
        path = unquote(urlsplit(self.path).path)
        if path.startswith(_MOVED):
            self._answer(302, b"", {"Location": _FONTS + path.removeprefix(_MOVED)})
            return
        file = self.folder / path.lstrip("/")
        if file.is_dir() and not path.endswith("/"):
            self._answer(301, b"", {"Location": f"{path}/"})
            return
        file = file / "index.html" if file.is_dir() else file
        if ".." in path or not file.is_file():
            self._answer(404, _NOT_FOUND, {"Content-Type": "text/html"})
            return
        body, kind = file.read_bytes(), self._type(file, path)
        headers = {"Content-Type": kind, "Access-Control-Allow-Origin": "*"}
        if file.suffix in TEXTS:
            body = self._placed(body)
            if "gzip" in self.headers.get("Accept-Encoding", ""):
                body, headers["Content-Encoding"] = gzip.compress(body, mtime=0), "gzip"
        self._answer(200, body, headers)

    def do_HEAD(self) -> None:
        self.do_GET()

    def _type(self, file: Path, path: str) -> str:
        for end, kind in self.types.items():
            if path.endswith(end) or str(file).endswith(end):
                return kind
        return _TYPES.get(file.suffix) or mimetypes.guess_type(file.name)[0] or "application/octet-stream"

    def _placed(self, body: bytes) -> bytes:
        encoding = "utf-16" if body[:2] in {b"\xff\xfe", b"\xfe\xff"} else "latin-1"
        text = body.decode(encoding)
        for name, place in self.places.items():
            text = text.replace(name, place)
        return text.encode(encoding)

    def _answer(self, status: int, body: bytes, headers: Mapping[str, str]) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Say nothing."""
