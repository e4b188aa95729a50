"""Takes the pictures of the web interface in the README and the tutorial: a demo, served, and a browser that clicks.

    python scripts/make_web_screenshots.py [FOLDER]      # needs the extras dev and serve, and Chromium

Each picture is what stands on the screen after a click on the one before. They are WebP, as small as they can be read,
inside SVG: a file of text, as all files of this repository are.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from playwright.sync_api import sync_playwright

from everlog.render.find_chromium import find_chromium

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Page

ROOT = Path(__file__).resolve().parent.parent
PICTURES = ROOT / "docs" / "images"
BLOG = "Signal Box Notes"
SIZE = {"width": 1120, "height": 680}
# At 60 letters have no shadows that one would see, and a page is 20 to 60 KB.
QUALITY = 60
MOST_BYTES, MOST_BYTES_IN_ALL = 150_000, 1_000_000


def main(arguments: list[str]) -> int:
    """Make the demo, serve it, take the pictures; 1 if they are too large to be kept."""
    target = Path(arguments[0]) if arguments else PICTURES
    target.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        run("demo", "--quiet", folder=folder).communicate()
        server = run("serve", "--archive", "everlog-demo", "--port", "0", "--quiet", folder=folder)
        try:
            place = "" if server.stdout is None else server.stdout.readline().strip()
            sizes = dict(taken(place, target))
        finally:
            server.send_signal(signal.SIGTERM)
            server.communicate()
    for name, size in sizes.items():
        sys.stderr.write(f"{name}: {size:,} bytes\n")
    is_small = max(sizes.values()) <= MOST_BYTES and sum(sizes.values()) <= MOST_BYTES_IN_ALL
    return 0 if is_small else 1


def run(*words: str, folder: str) -> subprocess.Popen[str]:
    """A command of everlog, with nothing of the user's settings."""
    kept = {name: value for name, value in os.environ.items() if name in {"PATH", "HOME", "PYTHONPATH"}}
    return subprocess.Popen(  # noqa: S603
        [sys.executable, "-m", "everlog", *words], cwd=folder, env={**kept, "LANG": "C.UTF-8"}, text=True,
        stdout=subprocess.PIPE,
    )


def taken(place: str, target: Path) -> Iterator[tuple[str, int]]:
    """The pictures in their order, each with its size."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=find_chromium(None, playwright.chromium.executable_path), args=["--no-sandbox"],
        )
        page = browser.new_page(viewport=SIZE, color_scheme="light")  # type: ignore[arg-type]
        page.set_default_timeout(120_000)
        page.goto(place)
        yield take(page, target, "web-1-start")
        click(page, BLOG)
        blog = page.url
        yield take(page, target, "web-2-blog")
        page.locator("main h3 a:visible").first.click()
        page.wait_for_url("**/read/**")
        yield take(page, target, "web-3-post")
        post = page.url
        page.locator("#comments").scroll_into_view_if_needed()
        page.evaluate("document.querySelector('#comments').scrollIntoView()")
        yield take(page, target, "web-4-comments")
        page.goto(blog)
        click(page, re.compile("See who lists its posts|See which, and why"))
        yield take(page, target, "web-5-complete")
        page.goto(post)
        page.get_by_role("link", name=re.compile("as it was", re.IGNORECASE)).first.click()
        page.wait_for_url("**/web/**")
        page.wait_for_load_state("networkidle")
        yield take(page, target, "web-6-as-it-was")
        browser.close()


def click(page: Page, words: str | re.Pattern[str]) -> None:
    """Click the first link with these words that is in sight."""
    page.get_by_role("link", name=words).locator("visible=true").first.click()
    page.wait_for_load_state("load")


def take(page: Page, target: Path, name: str) -> tuple[str, int]:
    """One picture of what is in sight."""
    # Nothing under the mouse, no field with a cursor in it.
    page.mouse.move(0, 0)
    page.wait_for_load_state("networkidle")
    session = page.context.new_cdp_session(page)
    answer = session.send("Page.captureScreenshot", {"format": "webp", "quality": QUALITY})
    width, height = SIZE["width"], SIZE["height"]
    picture = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}">\n'
        f'<image width="{width}" height="{height}" href="data:image/webp;base64,{answer["data"]}"/>\n</svg>\n'
    )
    (target / f"{name}.svg").write_text(picture, "utf-8")
    return name, len(picture)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
