"""The sample blog on loopback, as a small web server sends it."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import unquote, urlsplit

from everlog.demo.site import HTML, Document, pages

_MISSING = Document(type=HTML, body=b"<!DOCTYPE html><title>Not here</title><p>There is no such page.</p>")


def serve(port: int = 0) -> AbstractContextManager[str]:
    """Serve the sample blog while the block runs; gives its address, ending with a slash.

    `OSError` at once if somebody has the port.
    """
    return _serving(_Server(("127.0.0.1", port), _Handler))


@contextmanager
def _serving(server: _Server) -> Iterator[str]:
    with server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
        thread.start()
        try:
            yield f"{server.origin}/"
        finally:
            server.shutdown()
            thread.join()


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    @property
    def origin(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Visitors may leave early: that is no news."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_version = "SignalBox"
    sys_version = ""
    # An idle connection must not outlive the server by long.
    timeout = 5
    # Head and body leave in one packet: two would wait for each other on a kept connection.
    wbufsize = -1
    server: _Server

    def do_GET(self) -> None:
        self._answer(with_body=True)

    def do_HEAD(self) -> None:
        self._answer(with_body=False)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base class calls it so
        """Nothing is logged: whoever shows the blog has the screen."""

    def _answer(self, *, with_body: bool) -> None:
        path = unquote(urlsplit(self.path).path)
        documents = pages(self.server.origin)
        document = documents.get(path)
        if document is None and f"{path}/" in documents:
            self._send(HTTPStatus.MOVED_PERMANENTLY, {"Location": f"{path}/", "Content-Length": "0"})
            return
        status = HTTPStatus.OK if document is not None else HTTPStatus.NOT_FOUND
        document = document or _MISSING
        etag = f'"{hashlib.sha256(document.body).hexdigest()[:16]}"'
        if status == HTTPStatus.OK and etag in (self.headers.get("If-None-Match") or ""):
            self._send(HTTPStatus.NOT_MODIFIED, {"ETag": etag})
            return
        headers = {"Content-Type": document.type, "Content-Length": str(len(document.body)), "ETag": etag}
        self._send(status, headers, document.body if with_body else b"")

    def _send(self, status: HTTPStatus, headers: dict[str, str], body: bytes = b"") -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)
        self.wfile.flush()
