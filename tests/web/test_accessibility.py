"""Every page in a real browser with axe-core: nothing against WCAG 2.2 A or AA, nothing wider than the screen."""

from __future__ import annotations

from importlib.resources import files
from typing import TYPE_CHECKING, Any

import pytest

from everlog.archive import open_archive
from web.conftest import HOME, POST, filled, stamp
from web.served_archive import Served, serving
from web.some_blogs import HOSTILE, add_events, add_hostile, add_posts
from web.test_in_chromium import browser, opened

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.slow
__all__ = ["browser"]

AXE = files("axe_playwright_python").joinpath("axe.min.js").read_text("utf-8")
# Frames are left alone: what strangers wrote is as they wrote it.
RUN = """() => axe.run(document, {
    runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"], iframes: false, resultTypes: ["violations"] })"""
LONG = "http://long.example/"
PATHS = [
    "/", "/?order=name&name=long", "/?name=nothing", "/blog/long.example", "/blog/long.example?month=2020-05&tag=maps",
    "/blog/long.example?tag=nothing", "/blog/hostile.example", "/calendar/long.example", "/timeline/long.example",
    "/timeline/long.example?kind=comments", "/complete/long.example", "/captures/a.example", "/rules/a.example",
    "/requests/a.example", "/search", "/search?q=word3", "/search?q=word3&year=2020", "/search?q=neverwritten",
    "/keys", f"/read/{POST}", f"/read/{LONG}0", f"/read/{HOSTILE}0", f"/diff/1/2/{POST}",
    f"/diff/2/4/{LONG}0", f"/web/{stamp(10)}/{POST}", f"/web/*/{POST}", f"/web/{HOME}paper.pdf", "/fleet",
]
MISSING = ["/nowhere", "/search?q=before:x", f"/web/{HOME}2024/b-post", "/blog/long.example?month=x"]


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    place = tmp_path_factory.mktemp("many") / "archive"
    with open_archive(place, create=True) as archive:
        filled(archive)
        add_posts(archive, LONG, 60, title="A long life")
        add_events(archive, LONG)
        add_hostile(archive)
        add_posts(archive, "http://other.example/", 3)
    with open_archive(place, read_only=True) as archive, serving(archive) as running:
        yield running


def violations(page: Page) -> list[tuple[str, str]]:
    """What axe-core finds: the rule, and the first element that is against it."""
    page.evaluate(AXE)
    found: dict[str, Any] = page.evaluate(RUN)
    return [(each["id"], each["nodes"][0]["html"]) for each in found["violations"]]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 768, 1440])
def test_every_page_can_be_used_by_everybody(browser: Browser, many: Served, width, scheme):
    with opened(
        browser, many, viewport={"width": width, "height": 900}, color_scheme=scheme,  # type: ignore[arg-type]
    ) as (page, strange, said):
        wrong = []
        for path in PATHS + MISSING:
            page.goto(many.interface + path)
            wrong += [(path, *each) for each in violations(page)]
            if page.evaluate("document.documentElement.scrollWidth") > width:
                wrong.append((path, "wider than the screen", str(width)))
            # A browser says on its console that a page is not there.
            wrong += [(path, "said on the console", each) for each in said if path not in MISSING]
            said.clear()
        assert wrong == []
        assert strange == []


def test_the_keys_can_be_read_by_everybody(browser: Browser, many: Served):
    with opened(browser, many) as (page, _, said):
        page.goto(many.interface)
        page.keyboard.press("?")
        assert violations(page) == []
        assert said == []


def test_the_check_finds_what_cannot_be_used(browser: Browser, many: Served):
    # The control: a picture without words, and letters that nobody can read.
    with opened(browser, many) as (page, _, __):
        page.goto(many.interface + "/keys")
        page.evaluate("""() => {
            const picture = document.createElement("img");
            picture.src = "/static/icon.svg";
            const words = document.createElement("p");
            words.textContent = "Some words";
            words.style.color = "#eee";
            document.querySelector("main").append(picture, words);
        }""")
        assert {rule for rule, _ in violations(page)} == {"image-alt", "color-contrast"}
