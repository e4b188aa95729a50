"""Looks at pages in a real Chromium, with scripts off: pictures of whole pages, and how many of their pixels differ.

All requests of a look are known twice: the browser tells them, and whatever does not go to the one address that a look
may ask is sent to a proxy, which writes it down and refuses it.
"""

from __future__ import annotations

import base64
import re
import socketserver
import struct
import threading
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from playwright.sync_api import sync_playwright

from everlog.render.find_chromium import find_chromium

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from playwright.sync_api import Browser, BrowserContext, Frame, Page

WIDTHS = (390, 1280)
HEIGHT = 900
_FONTS = re.compile(r"\.(?:woff2?|ttf|otf)(?:\?|$)")
# Of 255 levels of a channel. Scaled pictures and the edges of letters may differ by one or two from run to run; a wrong
# font, colour or picture differs by far more than this.
TOLERANCE = 16
PATIENCE_MILLISECONDS = 60_000

# What a script of a page would do to pictures that wait for one: lazy loading as most themes and plugins write it.
REVEAL = """() => {
  for (const image of document.querySelectorAll("img[data-src], img[data-srcset]")) {
    if (image.dataset.srcset) image.srcset = image.dataset.srcset;
    if (image.dataset.src) image.src = image.dataset.src;
  }
}"""
# All fonts and pictures are there, or are known not to come, those of style sheets too: a frame asks for what stands
# behind its elements when it is first laid out, which may be after it is loaded. Listeners are scripts, and never
# called here.
SETTLED = """async () => {
  for (const image of document.images) image.loading = "eager";
  // What moves into its place is there; what moves for ever cannot be ended.
  for (const moving of document.getAnimations()) try { moving.finish(); } catch { continue; }
  const behind = new Set();
  for (const element of document.querySelectorAll("*")) for (const part of [null, "::before", "::after"]) {
    const style = getComputedStyle(element, part);
    for (const said of [
      style.backgroundImage, style.listStyleImage, style.borderImageSource, style.content, style.filter,
      style.maskImage, style.clipPath, style.fill,
    ]) for (const found of (said || "").matchAll(/url\\("([^"]*)"\\)/g)) behind.add(found[1]);
  }
  const pictures = [...behind].map((url) => Object.assign(new Image(), {src: url}));
  const settled = Promise.all([
    document.fonts.ready, ...[...document.images, ...pictures].map((image) => image.decode().catch(() => 0)),
  ]);
  // A script may take a picture away that was to come. (Without scripts no timer goes off, and all of them come.)
  await Promise.race([settled, new Promise((resolve) => setTimeout(resolve, 10_000))]);
}"""
_COMPARE = """async ([one, other, tolerance, drawn]) => {
  const pixels = async (file) => {
    const bytes = Uint8Array.from(atob(file), (sign) => sign.charCodeAt(0));
    const picture = await createImageBitmap(new Blob([bytes], {type: "image/png"}), {colorSpaceConversion: "none"});
    const pen = new OffscreenCanvas(picture.width, picture.height).getContext("2d", {willReadFrequently: true});
    pen.drawImage(picture, 0, 0);
    return [picture, pen.getImageData(0, 0, picture.width, picture.height)];
  };
  const [[left, a], [right, b]] = [await pixels(one), await pixels(other)];
  const width = Math.max(a.width, b.width), height = Math.max(a.height, b.height);
  const marks = drawn ? new ImageData(width, height) : null;
  let strict = 0, visible = 0, top = -1, bottom = -1;
  const [aw, ah, bw, bh, ad, bd] = [a.width, a.height, b.width, b.height, a.data, b.data];
  for (let y = 0; y < height; y++) for (let x = 0; x < width; x++) {
    let apart = 255;
    if (x < aw && y < ah && x < bw && y < bh) {
      const i = (y * aw + x) * 4, j = (y * bw + x) * 4;
      apart = Math.max(Math.abs(ad[i] - bd[j]), Math.abs(ad[i + 1] - bd[j + 1]), Math.abs(ad[i + 2] - bd[j + 2]));
    }
    if (apart > 0) strict++;
    if (apart > tolerance) {
      visible++;
      if (top < 0) top = y;
      bottom = y;
      if (marks) marks.data.set([220, 0, 60, 255], (y * width + x) * 4);
    }
  }
  const told = {strict, visible, pixels: width * height, top, bottom};
  if (!drawn) return told;
  const sheet = new OffscreenCanvas(width * 3 + 40, height), pen = sheet.getContext("2d");
  pen.fillStyle = "#888"; pen.fillRect(0, 0, sheet.width, height);
  pen.drawImage(left, 0, 0); pen.drawImage(right, width + 20, 0);
  pen.fillStyle = "#fff"; pen.fillRect(2 * width + 40, 0, width, height);
  pen.drawImage(await createImageBitmap(marks), 2 * width + 40, 0);
  const file = new Uint8Array(await (await sheet.convertToBlob({type: "image/png"})).arrayBuffer());
  let text = "";
  for (let at = 0; at < file.length; at += 32768) text += String.fromCharCode(...file.subarray(at, at + 32768));
  return {...told, sheet: btoa(text)};
}"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """A page as it looked: a PNG of all of it, and the addresses that were asked, with those that were not answered."""

    png: bytes
    asked: tuple[str, ...]
    failed: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """Two pictures against each other, in pixels; `sheet` is a PNG of both, with what differs beside them."""

    pixels: int
    visible: int
    strict: int
    # The first and the last line that differs.
    top: int
    bottom: int
    sheet: bytes | None = None

    @property
    def share(self) -> float:
        """Of all pixels, those of which a channel differs by more than the tolerance."""
        return self.visible / self.pixels


class Eyes:
    """One Chromium with everything that looks through it."""

    def __init__(self, browser: Browser) -> None:
        self.browser = browser
        self._table: Page | None = None

    @contextmanager
    def looking(
        self, width: int, *, only: str | None = None, scripts: bool = False, fonts: bool = True,
    ) -> Iterator[Viewer]:
        """A window; with `only` no other host and port can be reached, and what tries is noted.

        With scripts it becomes as high as the page, as that of a player does: designs measure by the window (`vmin`).
        """
        options: dict[str, Any] = {
            "java_script_enabled": scripts, "viewport": {"width": width, "height": HEIGHT}, "reduced_motion": "reduce",
            "color_scheme": "light", "locale": "en-US", "timezone_id": "UTC",
        }
        with tattling_proxy() as proxy:
            if only is not None:
                # Loopback addresses go by the proxy as well, but for the one.
                options["proxy"] = {"server": proxy.url, "bypass": f"<-loopback>,{only}"}
            context = self.browser.new_context(**options)
            if not fonts:
                context.route(_FONTS, lambda route: route.abort())
            try:
                yield Viewer(context, proxy, is_grown=scripts)
            finally:
                context.close()

    def compare(self, one: bytes, other: bytes, *, drawn: bool = False) -> Difference:
        if one == other and not drawn:
            # Most pages: to compare their pixels takes twice as long as to draw them.
            return Difference(pixels=_pixels(one), visible=0, strict=0, top=-1, bottom=-1)
        if self._table is None:
            self._table = self.browser.new_context().new_page()
        told = self._table.evaluate(
            _COMPARE, [base64.b64encode(one).decode(), base64.b64encode(other).decode(), TOLERANCE, drawn],
        )
        sheet = base64.b64decode(told.pop("sheet")) if drawn else None
        return Difference(sheet=sheet, **told)


class Viewer:
    """A window: `refused` is what was asked of other addresses than the one that may be."""

    def __init__(self, context: BrowserContext, proxy: Proxy, *, is_grown: bool = False) -> None:
        self._context = context
        self._proxy = proxy
        self._is_grown = is_grown

    @property
    def refused(self) -> list[str]:
        return list(self._proxy.asked)

    def look(self, url: str, *, revealed: bool = False) -> Look:
        """A page when all of it is there; `revealed`: with pictures that wait for a script, as it would show them."""
        page = self._context.new_page()
        asked: list[str] = []
        failed: list[str] = []
        page.on("request", lambda request: asked.append(request.url))
        page.on("requestfailed", lambda request: failed.append(f"{request.url} ({request.failure})"))
        page.on("response", lambda answer: answer.status >= 400 and failed.append(f"{answer.url} ({answer.status})"))
        try:
            page.goto(url, wait_until="load", timeout=PATIENCE_MILLISECONDS)
            if revealed:
                page.evaluate(REVEAL)
            if self._is_grown:
                grow(page, page.main_frame)
            for frame in page.frames:
                frame.evaluate(SETTLED)
            png = page.screenshot(
                full_page=not self._is_grown, animations="disabled", caret="hide", timeout=PATIENCE_MILLISECONDS,
            )
            return Look(png=png, asked=tuple(asked), failed=tuple(failed))
        finally:
            page.close()


def _pixels(png: bytes) -> int:
    """How many there are: a PNG begins with its width and height."""
    width, height = struct.unpack(">II", png[16:24])
    return int(width * height)


def grow(page: Page, frame: Frame) -> None:
    """Make a window as high as what a frame of it shows, when all of that is there."""
    size = page.viewport_size
    assert size is not None
    frame.evaluate(SETTLED)
    height = max(HEIGHT, int(frame.evaluate("document.documentElement.scrollHeight")))
    page.set_viewport_size({"width": size["width"], "height": height})


@contextmanager
def chromium() -> Iterator[Eyes]:
    """A Chromium for looks, which draws the same on every run."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=find_chromium(None, playwright.chromium.executable_path),
            args=[
                "--no-sandbox", "--force-color-profile=srgb", "--font-render-hinting=none", "--hide-scrollbars",
                "--disable-lcd-text", "--dns-prefetch-disable", "--no-pings",
                # Else pictures that are still being decoded are left out of a look.
                "--disable-checker-imaging",
                # What a browser asks of its maker by itself.
                "--disable-features=AutofillServerCommunication,MediaRouter,OptimizationHints,Translate,HttpsUpgrades",
            ],
        )
        try:
            yield Eyes(browser)
        finally:
            browser.close()


class Proxy(socketserver.ThreadingTCPServer):
    """A proxy that lets nothing through, and writes down what was asked of it."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Refusal)
        self.asked: list[str] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


class _Refusal(socketserver.StreamRequestHandler):
    def handle(self) -> None:
        line = self.rfile.readline(65_536).decode("latin-1").strip()
        assert isinstance(self.server, Proxy)
        self.server.asked.append(line)
        self.wfile.write(b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")


@contextmanager
def tattling_proxy() -> Iterator[Proxy]:
    with Proxy() as proxy:
        thread = threading.Thread(target=proxy.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield proxy
        finally:
            proxy.shutdown()
            thread.join()


def elsewhere(asked: Sequence[str], origin: str) -> list[str]:
    """Addresses that are on another host or port than this one's. What stands in the page itself is nowhere."""
    own = urlsplit(origin).netloc
    inside = {"data", "blob", "about"}
    return [url for url in asked if urlsplit(url).scheme not in inside and urlsplit(url).netloc != own]
