"""What a page in the browser may not do: reach anything but through `fetch`, leave, or disturb."""

from __future__ import annotations

import asyncio
import socket
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

from stage import HOME, Site, answer, page, redirect

if TYPE_CHECKING:
    from collections.abc import Iterator


class Ear:
    """A host on loopback that notes who calls, over TCP or UDP."""

    def __init__(self) -> None:
        self.tcp = socket.create_server(("127.0.0.1", 0))
        self.port = self.tcp.getsockname()[1]
        self.udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.udp.bind(("127.0.0.1", self.port))
        self.heard: list[str] = []
        self._threads = [threading.Thread(target=self._accept), threading.Thread(target=self._receive)]
        for thread in self._threads:
            thread.start()

    def _accept(self) -> None:
        while True:
            caller, _ = self.tcp.accept()
            with caller:
                said = caller.recv(1000)
                if said == b"end":
                    return
                self.heard.append(f"TCP {said!r}")

    def _receive(self) -> None:
        while (said := self.udp.recv(1000)) != b"end":
            self.heard.append(f"UDP {said!r}")

    def close(self) -> None:
        with socket.create_connection(("127.0.0.1", self.port)) as caller:
            caller.sendall(b"end")
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as caller:
            caller.sendto(b"end", ("127.0.0.1", self.port))
        for thread in self._threads:
            thread.join()
        self.tcp.close()
        self.udp.close()


@contextmanager
def listening() -> Iterator[Ear]:
    ear = Ear()
    try:
        yield ear
    finally:
        ear.close()


WORKER = """
onmessage = async ({data: there}) => {
  const tried = [];
  try { importScripts(`http://${there}/imported.js`); tried.push("imported"); } catch { tried.push("import refused"); }
  tried.push(await fetch(`http://${there}/worker`).then(() => "fetched", () => "fetch refused"));
  tried.push(await new Promise(done => {
    const line = new WebSocket(`ws://${there}/worker-socket`);
    line.onopen = () => done("socket open"); line.onerror = () => done("socket refused");
  }));
  tried.push(await new Promise(done => {
    const line = new EventSource(`http://${there}/worker-events`);
    line.onopen = () => done("events open"); line.onerror = () => done("events refused");
  }));
  postMessage(tried.join());
};
"""

PAGE = """<!DOCTYPE html><html><head>
<link rel="dns-prefetch" href="http://THERE/"><link rel="preconnect" href="http://THERE/">
<link rel="prefetch" href="http://THERE/prefetch"><link rel="prerender" href="http://THERE/prerender">
<link rel="preload" as="script" href="http://THERE/preload.js"><link rel="icon" href="http://THERE/icon.png">
<link rel="manifest" href="http://THERE/manifest.json"><link rel="stylesheet" href="http://THERE/style.css">
<script type="speculationrules">{"prerender": [{"urls": ["http://THERE/speculated"]}]}</script>
<meta http-equiv="Content-Security-Policy-Report-Only" content="img-src 'none'; report-uri http://THERE/report">
</head><body>
<img src="http://THERE/img.png"><iframe src="http://THERE/frame"></iframe><video src="http://THERE/video.mp4"></video>
<object data="http://THERE/object"></object><embed src="http://THERE/embed"><audio src="http://THERE/a.mp3"></audio>
<a id="a" href="http://THERE/link" ping="http://THERE/ping">a</a>
<a id="b" target="_blank" href="http://THERE/blank">b</a>
<form id="f" method="post" action="http://THERE/form"><input name="x" value="1"></form>
<form id="g" method="post" target="_blank" action="http://THERE/form"><input name="x" value="1"></form>
<p id="said"></p>
<script>
const there = "THERE", said = [];
const say = (word) => { said.push(word); document.getElementById("said").textContent = said.join(" | "); };
const attempts = [];
const attempt = (name, work) => attempts.push(
  Promise.resolve().then(work).then((x) => x, (e) => "no").then((outcome) => say(name + ": " + outcome)));
const post = {method: "POST", mode: "no-cors", body: "x"};
attempt("fetch", () => fetch(`http://${there}/fetch`, post).then(() => "answered"));
attempt("redirected", () => fetch("/redirected", {mode: "no-cors"}).then(() => "answered"));
attempt("beacon", () => navigator.sendBeacon(`http://${there}/beacon`, "x") && "queued");
attempt("keepalive", () => fetch(`http://${there}/alive`, {keepalive: true, mode: "no-cors"}).then(() => "answered"));
attempt("socket", () => new Promise((yes, no) => {
  const line = new WebSocket(`ws://${there}/socket`); line.onopen = yes; line.addEventListener("close", no); }));
attempt("events", () => new Promise((yes, no) => {
  const line = new EventSource(`http://${there}/events`); line.onopen = yes; line.onerror = no; }));
attempt("peer", async () => {
  const frame = document.body.appendChild(document.createElement("iframe"));
  const Peer = window.RTCPeerConnection || frame.contentWindow.RTCPeerConnection;
  const peer = new Peer({iceServers: [{urls: `stun:${there}`}]}); peer.createDataChannel("x");
  await peer.setLocalDescription(await peer.createOffer()); return "offered"; });
attempt("transport", () => new WebTransport(`https://${there}/`).ready.then(() => "open"));
attempt("service worker", () => navigator.serviceWorker.register("/service.js").then(() => "registered"));
attempt("window", () => window.open(`http://${there}/open`) ? "opened" : Promise.reject());
attempt("shared worker", () => new Promise((yes, no) => {
  new SharedWorker("/shared.js").onerror = no; setTimeout(no, 100); }));
attempt("worker", () => new Promise((yes, no) => {
  const worker = new Worker("/worker.js");
  worker.onmessage = ({data}) => yes(data); worker.onerror = no; worker.postMessage(there); }));
attempt("leave", () => {
  a.click(); b.click(); f.submit(); g.submit(); location.href = `http://${there}/location`; return "tried"; });
fetch("/held");
Promise.all(attempts).then(() => fetch("/all-said"));
</script></body></html>"""


def test_a_page_reaches_nothing_but_what_is_fetched_for_it(stage):
    site = Site({
        "http://a.blog/worker.js": WORKER, "http://a.blog/shared.js": "fetch('http://THERE/shared')",
        "http://a.blog/service.js": "1",
    })
    all_said = asyncio.Event()

    def note(_):
        all_said.set()
        return "1"

    async def held(_):
        # The page is not at rest before its worker is done, which is another thread and may have to wait for its turn.
        await all_said.wait()
        return "1"

    site.answers |= {"http://a.blog/held": held, "http://a.blog/all-said": note}
    with listening() as ear:
        there = f"127.0.0.1:{ear.port}"
        site.answers["http://a.blog/redirected"] = lambda asked: redirect(asked.url, f"http://{there}/redirected-to")
        rendered = stage.render(page(PAGE.replace("THERE", there), "http://a.blog/post"), site)
        assert ear.heard == []
    said = rendered.body.decode().partition('<p id="said">')[2].partition("</p>")[0]
    assert "worker: import refused,fetch refused,socket refused,events refused" in said
    for refused in ("socket: no", "events: no", "peer: no", "transport: no", "service worker: no", "window: no"):
        assert refused in said
    assert "leave: tried" in said
    wanted = {asked.url.partition(there)[2] for asked in site.asked if there in asked.url}
    assert wanted == {
        "/style.css", "/preload.js", "/frame", "/object", "/embed", "/fetch", "/redirected-to", "/alive",
        "/imported.js", "/worker",
    }


LEAVING = {
    "refresh": "<meta http-equiv=refresh content='0; url=https://b.example/'>",
    "href": "<script>location.href = 'https://b.example/'</script>",
    "replace": "<script>location.replace('/other')</script>",
    "reload": "<script>location.reload()</script>",
    "later": "<script>setTimeout(() => location.assign('https://b.example/'), 20)</script>",
    "blob": "<script>location = URL.createObjectURL(new Blob(['<p>gone'], {type: 'text/html'}))</script>",
    "blank": "<script>location = 'about:blank'</script>",
    "back": "<script>history.back()</script>",
    "go": "<script>addEventListener('load', () => history.go(-1))</script>",
    "close": "<script>window.close()</script>",
    "open": "<script>window.open('/other', '_self')</script>",
    "navigation": "<script>navigation.navigate('/other')</script>",
    "navigation back": "<script>navigation.back()</script>",
    "link": "<a id=l href='https://b.example/'></a><script>l.click()</script>",
    "form": "<form id=f action='https://b.example/' method=post></form><script>f.submit()</script>",
    "frame": "<iframe srcdoc='<script>top.location = \"https://b.example/\"</script>'></iframe>",
    "fragment": "<script>onload = () => { location.hash = 'x'; history.pushState(1, '', '/n'); }</script>",
}


def test_a_page_that_wants_to_leave_stays(stage):
    site = Site({"https://b.example/": "<p>elsewhere</p>", "https://a.blog/other": "<p>other</p>"})
    pages = {name: f"<body><p>here</p>{leaving}</body>" for name, leaving in LEAVING.items()}
    for name, rendered in stage.render_all(pages, site).items():
        assert b"<p>here</p>" in rendered.body, name
        assert rendered.url == HOME
    assert site.asked == []


def test_a_page_that_turns_leaving_into_a_change_of_itself_may_do_so(stage):
    turning = "event.intercept({async handler() { document.body.append('turned'); }})"
    site = Site()
    for listening in (f"navigation.addEventListener('navigate', (event) => {{ {turning} }})",
                      f"navigation.onnavigate = (event) => {{ {turning} }}"):
        html = stage.html(f"<body><p>here</p><script>{listening}; location.href = '/other'</script></body>", site)
        assert "<p>here</p>" in html
        assert "</script>turned" in html
    assert site.asked == []


DISTURBING = {
    "dialogs": "for (let n = 0; n < 1000; n++) { alert('x'); confirm('x'); prompt('x'); }",
    "print": "print()",
    "debugger": "debugger",
    "unload": "addEventListener('beforeunload', (event) => { event.preventDefault(); event.returnValue = 'stay'; })",
    "download": """
        const a = document.createElement('a');
        a.href = URL.createObjectURL(new Blob(['x'])); a.download = 'x'; a.click()""",
    "permissions": "Notification.requestPermission(); navigator.geolocation.getCurrentPosition(() => 1)",
    "fullscreen": "document.documentElement.requestFullscreen().catch(() => 1)",
    "sabotage": """
        Object.prototype.toJSON = Array.prototype.toJSON = JSON.stringify = () => 'x';
        Array.prototype.map = Array.prototype.flatMap = Promise.prototype.then = null;
        Document.prototype.querySelectorAll = () => [];
        window.MutationObserver = window.performance = window.setTimeout = null""",
    "error": "throw new Error('x')",
}


def test_a_page_that_disturbs_is_rendered_like_any_other(stage):
    pages = {name: f"<body><p>here</p><script>{script}</script></body>" for name, script in DISTURBING.items()}
    for _ in range(2):
        for name, rendered in stage.render_all(pages).items():
            assert b"<p>here</p>" in rendered.body, name
            assert rendered.settled, name


def test_a_download_in_a_frame_is_nothing(stage):
    file = answer("https://a.blog/file", "data", "application/zip", Content_Disposition="attachment; filename=x.zip")
    site = Site({"https://a.blog/file": file})
    assert stage.render("<p>here</p><iframe src='/file'></iframe>", site).settled


def test_only_the_web_is_asked(stage):
    site = Site()
    html = stage.html(
        """<body><iframe src='file:///etc/passwd'></iframe><iframe src='chrome://version'></iframe>
        <iframe src='data:text/html,<p>inside</p>'></iframe><script>
        const blob = URL.createObjectURL(new Blob(['blob']));
        for (const address of ['file:///etc/passwd', 'ftp://a.blog/x', 'data:text/plain,hello', blob]) {
          fetch(address).then(answer => answer.text(), () => '').then(text => document.body.append(text));
        }</script>""", site,
    )
    assert site.asked == []
    assert "hello" in html
    assert "blob" in html
    assert "<p>inside</p>" in html
    assert "root:" not in html
