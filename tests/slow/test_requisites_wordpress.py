"""What a browser asks for to show pages of a real WordPress, without scripts, is in the archive."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

import everlog
from cli.program import everlog as run_everlog
from everlog.core.urls import canonical
from everlog.render.find_chromium import find_chromium
from platforms import wordpress
from platforms.content import oddities, years
from platforms.serving import needs
from platforms.wordpress import BLOCKS, CLASSIC, PRETTY, Options

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from playwright.sync_api import Browser

pytestmark = [pytest.mark.slow, needs("wordpress")]
WIDTHS = (390, 1280)
PAGES = 6


@contextmanager
def chromium() -> Iterator[Browser]:
    playwright = pytest.importorskip("playwright.sync_api")
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=str(find_chromium(None)), args=["--no-sandbox"])
        yield browser
        browser.close()


def asked_by(browser: Browser, url: str, width: int) -> set[str]:
    """What a browser without scripts asks for to show a page, beside the page itself."""
    asked: set[str] = set()
    context = browser.new_context(java_script_enabled=False, viewport={"width": width, "height": 800})
    page = context.new_page()
    page.on("request", lambda request: asked.add(request.url))
    page.goto(url, wait_until="networkidle")
    context.close()
    return {each for each in asked if each.startswith("http") and canonical(each) != canonical(url)}


@pytest.mark.parametrize("theme", [BLOCKS, CLASSIC], ids=["blocks", "classic"])
def test_all_that_a_browser_asks_for_is_held(tmp_path: Path, theme):
    with wordpress.site(Options(theme=theme, permalinks=PRETTY), filled_with=[*years(posts=20), *oddities()]) as site:
        done = run_everlog(
            "crawl", site.url, "--archive", "a", "--delay", "0", "--render", "never", folder=tmp_path,
        )
        assert done.code in {0, 3}, done.err
        assert "that show pages as they were" in done.err
        with everlog.open_archive(tmp_path / "a") as archive, chromium() as browser:
            urls = [site.url, *sorted(post.url for post in archive.posts())[:PAGES]]
            asked = {each for url in urls for width in WIDTHS for each in asked_by(browser, url, width)}
    # Faces of commenters are on a host that nobody reaches from here.
    asked = {each for each in asked if each.startswith(site.url)}
    with archive_of(tmp_path) as held:
        assert len(asked) >= 2
        assert {each for each in asked if canonical(each) not in held} == set()
    verified = run_everlog("verify", "--archive", "a", folder=tmp_path)
    assert verified.code == 0, verified.out


@contextmanager
def archive_of(folder: Path) -> Iterator[set[str]]:
    """The keys of all that is held, pages and media among it."""
    from everlog.archive import open_archive

    with open_archive(folder / "a", create=False) as archive:
        blog = archive.blogs()[0]
        yield {
            canonical(capture.url)
            for purpose in ("page", "requisite", "media") for capture in archive.captures(blog.id, purpose=purpose)
        }
