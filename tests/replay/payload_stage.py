"""A stage for payloads: one server that plays replay, one that plays the live web, and a browser between them.

What counts is seen from outside of the page: requests that reach the live web, and those that the browser makes to
any other address than replay's.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

from payloads import CSS, SVG, XHTML, Payload
from playwright.sync_api import Browser, Page, Request, sync_playwright
from playwright.sync_api import TimeoutError as NotYet

from everlog.render.find_chromium import find_chromium
from everlog.replay import Replayed, View, rewrite_html, rewrite_style, rewrite_svg
from everlog.web.mementos.replay_app import content_policy

# Documents in one page.
AT_ONCE = 60
LOAD_MILLISECONDS = 300_000
# Some payloads that come through never stop asking.
IDLE_MILLISECONDS = 2_000


@dataclass
class Stage:
    """The servers' addresses and the browser; `run` shows payloads and tells which of them came through."""

    replay: str
    live: str
    page: Page
    payloads: Sequence[Payload]
    asked: set[str] = field(default_factory=set)
    elsewhere: set[str] = field(default_factory=set)
    happened: list[str] = field(default_factory=list)

    def run(self, numbers: Sequence[int], *, is_rewritten: bool, has_policy: bool) -> set[int]:
        """The numbers of the payloads of which something reached the live web."""
        # What the last run left behind ends with its page.
        self.page.goto("about:blank")
        self.asked.clear()
        self.elsewhere.clear()
        self.happened.clear()
        mode = f"{int(is_rewritten)}{int(has_policy)}"
        for start in range(0, len(numbers), AT_ONCE):
            shown = ",".join(map(str, numbers[start:start + AT_ONCE]))
            self.page.goto(f"{self.replay}/{mode}/show/{shown}", wait_until="load", timeout=LOAD_MILLISECONDS)
            with suppress(NotYet):
                self.page.wait_for_load_state("networkidle", timeout=IDLE_MILLISECONDS)
        return {int(path.rpartition("/")[2]) for path in self.asked if path.startswith("/hit/") and path[5:].isdigit()}

    def noted(self, request: Request) -> None:
        if request.url.startswith(("http:", "https:", "ws:", "ftp:")) and not request.url.startswith(self.replay + "/"):
            self.elsewhere.add(request.url)

    def document(self, number: int, *, is_rewritten: bool, mode: str) -> tuple[str, str]:
        """A payload's document and its content type."""
        payload = self.payloads[number]
        if payload.kind == CSS:
            return "text/html", f"<!DOCTYPE html><link rel=stylesheet href='/{mode}/sheet/{number}'><p>x"
        text = payload.make(f"{self.live}/hit/{number}")
        return payload.kind, self._rewritten(text, payload.kind) if is_rewritten else text

    def sheet(self, number: int, *, is_rewritten: bool) -> str:
        text = self.payloads[number].make(f"{self.live}/hit/{number}")
        return self._rewritten(text, CSS) if is_rewritten else text

    def _rewritten(self, text: str, kind: str) -> str:
        view = View(prefix=self.replay, timestamp="20200101000000")
        about: dict[str, Any] = {"url": f"{self.live}/a/page.html", "resolve": every_other, "view": view}
        if kind == CSS:
            return rewrite_style(text, **about)
        return rewrite_svg(text, **about) if kind == SVG else rewrite_html(text, is_xml=kind == XHTML, **about)


def every_other(urls: Sequence[str]) -> dict[str, Replayed]:
    """Half of what is asked for is held: both ways of a rule are tried."""
    return {url: Replayed(timestamp="20200101000000", url=url) for url in urls if sum(map(ord, url)) % 2}


@contextmanager
def staged(payloads: Sequence[Payload]) -> Iterator[Stage]:
    with sync_playwright() as playwright, _server(_Live) as live, _server(_Replay) as replay:
        browser: Browser = playwright.chromium.launch(
            executable_path=find_chromium(None, playwright.chromium.executable_path), args=["--no-sandbox"]
        )
        page = browser.new_page()
        stage = Stage(replay=_address(replay), live=_address(live), page=page, payloads=payloads)
        live.stage = replay.stage = stage  # type: ignore[attr-defined]
        page.on("request", stage.noted)
        page.on("dialog", lambda dialog: (stage.happened.append(f"dialog {dialog.message}"), dialog.dismiss()))
        page.context.on("page", lambda opened: stage.happened.append(f"window {opened.url}"))
        page.on("download", lambda download: stage.happened.append(f"download {download.url}"))
        yield stage
        browser.close()


@contextmanager
def _server(handler: type[BaseHTTPRequestHandler]) -> Iterator[ThreadingHTTPServer]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _address(server: ThreadingHTTPServer) -> str:
    return f"http://127.0.0.1:{server.server_port}"


class _Handler(BaseHTTPRequestHandler):
    @property
    def stage(self) -> Stage:
        return self.server.stage  # type: ignore[attr-defined]

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the name is the base's
        """Nothing is printed."""

    def answer(self, kind: str, body: str, *, status: int = 200, has_policy: bool = False) -> None:
        data = body.encode("utf-8", "replace")
        self.send_response(status)
        self.send_header("Content-Type", f"{kind}; charset=utf-8")
        self.send_header("Content-Length", str(len(data)))
        self.send_header("Access-Control-Allow-Origin", "*")
        self.send_header("Cache-Control", "no-store")
        if has_policy:
            self.send_header("Content-Security-Policy", content_policy(self.stage.replay))
        self.end_headers()
        # A browser that has seen enough hangs up.
        with suppress(ConnectionError):
            self.wfile.write(data)


class _Live(_Handler):
    """The live web: whatever is asked here should not have been."""

    def do_GET(self) -> None:
        self.stage.asked.add(self.path)
        self.answer("text/plain", "live")

    def do_POST(self) -> None:
        self.do_GET()

    def do_OPTIONS(self) -> None:
        self.do_GET()


class _Replay(_Handler):
    """`/MODE/show/NUMBERS` shows payloads in frames; MODE says whether they are rewritten, and have the policy."""

    def do_GET(self) -> None:
        _, mode, what, *rest = (*self.path.split("/"), "", "")
        is_known = mode in {"00", "01", "10", "11"} and what in {"show", "document", "sheet"}
        if not is_known or not rest[0][:1].isdigit():
            self.answer("text/plain", "not here", status=404)
            return
        is_rewritten, has_policy = mode[0] == "1", mode[1] == "1"
        if what == "show":
            frames = (f"<iframe src=/{mode}/document/{number}></iframe>" for number in rest[0].split(","))
            self.answer("text/html", "<!DOCTYPE html><title>stage</title>" + "".join(frames))
        elif what == "sheet":
            sheet = self.stage.sheet(int(rest[0]), is_rewritten=is_rewritten)
            self.answer("text/css", sheet, has_policy=has_policy)
        else:
            kind, text = self.stage.document(int(rest[0]), is_rewritten=is_rewritten, mode=mode)
            self.answer(kind, text, has_policy=has_policy)
