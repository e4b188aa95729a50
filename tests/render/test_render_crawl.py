"""The browser on the crawl's loop, with the crawl's way to the web. (A process of its own: a reactor starts once.)"""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING

from everlog.core.tree import parse

if TYPE_CHECKING:
    from collections.abc import Iterator

PROGRAM = """
import asyncio, json, os, signal, sys
from everlog.fetch import with_http_client
from everlog.records import Page
from everlog.render import Browser
from everlog.core.fetcher import FetchPolicy

home, body = sys.argv[1:]

async def task(client):
    signals, kinds = [], []
    asyncio.get_running_loop().add_signal_handler(signal.SIGINT, signals.append, "SIGINT")
    session = client.session(FetchPolicy(typed=(home,), user_agent="everlog", delay_seconds=0.0, obey_robots=False))

    async def fetch(asked):
        kinds.append(asked.kind)
        if asked.url.endswith("post.json"):
            # What Ctrl-C does: all programs of the terminal hear it.
            os.killpg(0, signal.SIGINT)
        return await session.request(asked)

    async with Browser() as browser:
        rendered = await browser.render(Page(url=home + "post", body=body.encode()), fetch=fetch)
    return {
        "body": rendered.body.decode(), "settled": rendered.settled, "requests": rendered.requests, "signals": signals,
        "kinds": sorted(kinds), "ledger": sum(row.requests for row in session.host_stats()),
    }

print(json.dumps(with_http_client(task)))
"""

BODY = """<!DOCTYPE html><html><body><div id="app"></div><iframe src="/old-frame"></iframe>
<script src="/app.js"></script><img src="/picture.png"></body></html>"""
SCRIPT = """fetch('/post.json', {headers: {'X-Asked': 'yes'}}).then((answer) => answer.json())
  .then(({text}) => { document.querySelector('#app').innerHTML = text; })"""
ANSWERS = {
    "/app.js": ("text/javascript", SCRIPT),
    "/post.json": ("application/json", json.dumps({"text": "<p>Written by a script</p>"})),
    "/frame": ("text/html; charset=utf-8", "<p>Gerüst</p>"),
}


class Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.server.seen.append((self.path, dict(self.headers)))
        kind, text = ANSWERS.get(self.path, ("text/plain", ""))
        body = text.encode()
        self.send_response(302 if self.path == "/old-frame" else 200 if body else 404)
        if self.path == "/old-frame":
            self.send_header("Location", "/frame")
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def serving() -> Iterator[ThreadingHTTPServer]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.seen = []
        server.daemon_threads = True
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()


def test_a_page_is_rendered_with_what_the_crawl_fetches_and_no_signal_ends_the_browser():
    with serving() as server:
        home = f"http://127.0.0.1:{server.server_port}/"
        command = [sys.executable, "-c", PROGRAM, home, BODY]
        done = subprocess.run(command, capture_output=True, text=True, check=False, start_new_session=True)
    assert done.stderr == ""
    told = json.loads(done.stdout)
    root = parse(told["body"].encode())
    assert root.findtext("body/div[@id='app']/p") == "Written by a script"
    assert root.xpath("string(//template[@data-everlog-frame]/p)") == "Gerüst"
    assert root.xpath("//template/@data-everlog-frame") == [f"{home}frame"]
    assert (told["settled"], told["requests"]) == (True, 4)
    # This server closes each connection without a word, so that some questions may have to be asked twice.
    assert set(told["signals"]) == {"SIGINT"}
    assert set(told["kinds"]) == {"document", "script", "xhr"}
    paths = dict(server.seen)
    assert sorted(paths) == ["/app.js", "/frame", "/old-frame", "/post.json"]
    assert paths["/post.json"]["X-Asked"] == "yes"
    assert {headers["User-Agent"] for headers in paths.values()} == {"everlog"}
