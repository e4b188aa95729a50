"""What other websites in the reader's browser can read of an archive, and that replayed pages lack nothing for it."""

from __future__ import annotations

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import sync_playwright

from archive import some_visits as some
from everlog.archive import open_archive
from everlog.errors import NoBrowser
from everlog.render.find_chromium import find_chromium
from web.conftest import HOME, PNG, POST, STYLE, answer, stamp
from web.served_archive import Served, serving

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Page

pytestmark = pytest.mark.slow

PATIENCE_MILLISECONDS = 120_000
CUES = b"WEBVTT\n\n00:00.000 --> 00:01.000\nOne\n\n00:01.000 --> 00:02.000\nTwo\n"
SHAPE = b'<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect width="9" height="9"/></svg>'
LOOK = (
    "<!doctype html><style>@font-face{font-family:f;src:url(/a.woff2)}@font-face{font-family:g;src:url(/g.woff?v=1)}"
    "p{font-family:f}b{font-family:g}i{display:block;height:9px;mask-image:url(/m.svg)}</style>"
    "<p>One</p><b>Two</b><i></i><video src=/film.mp4 preload=none><track default src=/t.vtt></video>"
)
CUES_OF = "() => { const one = document.querySelector('track'); return [one.readyState, one.track.cues?.length] }"
READ = "url => fetch(url).then(one => one.text(), () => 'refused')"


class _Foreign(BaseHTTPRequestHandler):
    """Some website that the reader has open beside the archive."""

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", "7")
        self.end_headers()
        self.wfile.write(b"<p>Evil")

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture(scope="module")
def foreign() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), _Foreign) as server:
        threading.Thread(target=server.serve_forever).start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/"
        finally:
            server.shutdown()


@pytest.fixture
def page() -> Iterator[Page]:
    try:
        program = find_chromium(None)
    except NoBrowser as error:
        pytest.skip(str(error))
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        opened = browser.new_page()
        opened.set_default_timeout(PATIENCE_MILLISECONDS)
        yield opened
        browser.close()


def test_another_website_reads_neither_pages_nor_lists_nor_files(page: Page, served: Served, foreign, folder):
    paths = [
        f"/web/{stamp(0)}/{POST}", f"/web/2019/{POST}", f"/timemap/json/{POST}", f"/timemap/link/{POST}",
        f"/timegate/{POST}", f"/web/{stamp(0)}id_/{POST}", f"/web/{stamp(0)}/{STYLE}", "/nowhere",
    ]
    page.goto(foreign)
    assert {path: page.evaluate(READ, served.replay + path) for path in paths} == dict.fromkeys(paths, "refused")
    # The control: the same website reads an archive that is for everybody.
    with open_archive(folder, read_only=True) as archive, serving(archive, public=True) as public:
        assert "Day 0" in page.evaluate(READ, f"{public.replay}/web/{stamp(0)}/{POST}")
        assert POST in page.evaluate(READ, f"{public.replay}/timemap/json/{POST}")


def test_a_replayed_page_has_its_fonts_masks_and_subtitles(page: Page, tmp_path):
    with open_archive(tmp_path / "archive", create=True) as archive, serving(archive) as served:
        blog = archive.blogs.add(HOME, scope="path").id
        with archive.lock(blog):
            # Servers that do not know fonts and subtitles send them as bytes and texts of any kind.
            archive.commit([some.page(blog, HOME, exchanges=(answer(HOME, LOOK.encode(), "text/html"),)), *(
                some.page(blog, HOME + name, outcome="media", exchanges=(
                    answer(HOME + name, body, kind, purpose="requisite"),
                ))
                for name, body, kind in (
                    ("a.woff2", b"wOF2", "font/woff2"), ("g.woff?v=1", b"wOFF", "application/octet-stream"),
                    ("m.svg", SHAPE, "image/svg+xml"), ("t.vtt", CUES, "text/plain"), ("film.mp4", PNG, "video/mp4"),
                )
            )])
        refused: list[str] = []
        had: set[str] = set()
        page.on("requestfailed", lambda request: refused.append(request.url))
        page.on("requestfinished", lambda request: had.add(request.url.rpartition("/")[2]))
        said: list[str] = []
        page.on("console", lambda message: said.append(message.text))
        page.goto(f"{served.replay}/web/{stamp(0)}/{HOME}", wait_until="networkidle")
        assert page.evaluate("window.origin") == "null"
        assert had >= {"a.woff2", "g.woff?v=1", "m.svg", "t.vtt"}
        assert refused == []
        assert not [text for text in said if "CORS" in text or "Security Policy" in text]
        assert page.evaluate(CUES_OF) == [2, 2]
