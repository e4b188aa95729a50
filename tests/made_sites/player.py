"""ReplayWeb.page on loopback: the player that web archives put into pages of their own, with one package of captures.

It is under the AGPL, so it is only installed for tests, and nothing of it is in this repository.
"""

from __future__ import annotations

import re
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, ClassVar

from made_sites.looking import HEIGHT, PATIENCE_MILLISECONDS, REVEAL, SETTLED, WIDTHS, Look, grow
from made_sites.making import PARTS

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from playwright.sync_api import BrowserContext, Frame

    from made_sites.looking import Eyes

_PAGE = """<!doctype html><meta charset="utf-8"><script src="/ui.js"></script>
<style>body {{ margin: 0 }} replay-web-page {{ display: block; height: 100vh }}</style>
<replay-web-page source="/captures.wacz" url="{url}" replayBase="/replay/" embed="replayonly">
</replay-web-page>"""
_RANGE = re.compile(r"bytes=(\d+)-(\d*)")
_LAST_BYTES = re.compile(r"bytes=-(\d+)")


class Player:
    """A window with the player in it."""

    def __init__(self, context: BrowserContext, url: str) -> None:
        self._context = context
        self._url = url

    def look(self, url: str) -> tuple[Look, str]:
        """A page as the player shows it, and its text. The player first loads the package, then shows the page."""
        page = self._context.new_page()
        asked: list[str] = []
        failed: list[str] = []
        page.on("request", lambda request: asked.append(request.url))
        page.on("response", lambda told: told.status >= 400 and failed.append(f"{told.url} ({told.status})"))
        try:
            page.goto(f"{self._url}/play?{url}", timeout=PATIENCE_MILLISECONDS)
            page.locator("replay-web-page").wait_for(timeout=PATIENCE_MILLISECONDS)
            frame = self._shown(page.frames, url)
            while frame is None:
                page.wait_for_event("framenavigated", timeout=PATIENCE_MILLISECONDS)
                frame = self._shown(page.frames, url)
            frame.wait_for_load_state("load", timeout=PATIENCE_MILLISECONDS)
            frame.evaluate(REVEAL)
            # All of the page at once.
            grow(page, frame)
            frame.evaluate(SETTLED)
            png = page.screenshot(animations="disabled", timeout=PATIENCE_MILLISECONDS)
            return Look(png=png, asked=tuple(asked), failed=tuple(failed)), frame.inner_text("body")
        finally:
            page.close()

    @staticmethod
    def _shown(frames: list[Frame], url: str) -> Frame | None:
        return next((frame for frame in frames if frame.url.endswith(f"mp_/{url}")), None)


@contextmanager
def playing(package: Path, eyes: Eyes) -> Iterator[Player]:
    """ReplayWeb.page with a WACZ file, until the block ends."""
    handler = type("Handler", (_Files,), {"package": package})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    context = eyes.browser.new_context(
        viewport={"width": max(WIDTHS), "height": HEIGHT}, reduced_motion="reduce", color_scheme="light",
        locale="en-US", timezone_id="UTC",
    )
    try:
        yield Player(context, f"http://127.0.0.1:{server.server_address[1]}")
    finally:
        context.close()
        server.shutdown()
        server.server_close()
        thread.join()


class _Files(BaseHTTPRequestHandler):
    """The player's two files, a page with it, and the package, in ranges."""

    protocol_version = "HTTP/1.1"
    package: ClassVar[Path]

    def do_GET(self) -> None:
        path, _, query = self.path.partition("?")
        if path == "/play":
            self._answer(200, _PAGE.format(url=query).encode(), "text/html; charset=utf-8")
        elif path in {"/ui.js", "/replay/sw.js"}:
            body = (PARTS / "player" / path.rpartition("/")[2]).read_bytes()
            self._answer(200, body, "text/javascript; charset=utf-8")
        elif path == "/captures.wacz":
            self._part(self.package.read_bytes())
        else:
            self._answer(404, b"", "text/plain")

    def do_HEAD(self) -> None:
        self.do_GET()

    def _part(self, body: bytes) -> None:
        wanted = self.headers.get("Range", "")
        if (found := _LAST_BYTES.fullmatch(wanted)) is not None:
            first, last = max(0, len(body) - int(found[1])), len(body) - 1
        elif (found := _RANGE.fullmatch(wanted)) is not None:
            first, last = int(found[1]), min(int(found[2] or len(body) - 1), len(body) - 1)
        else:
            self._answer(200, body, "application/wacz")
            return
        self._answer(
            206, body[first:last + 1], "application/wacz", **{"Content-Range": f"bytes {first}-{last}/{len(body)}"},
        )

    def _answer(self, status: int, body: bytes, kind: str, **headers: str) -> None:
        self.send_response(status)
        for name, value in {"Content-Type": kind, "Accept-Ranges": "bytes", **headers}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Say nothing."""
