"""axe-core in a real browser: what it finds against WCAG 2.2 A and AA. tests/slow/test_pages_in_chromium.py asks it of
every page."""

from __future__ import annotations

from importlib.resources import files
from typing import TYPE_CHECKING, Any

import pytest

from web.test_in_chromium import browser, opened

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

    from web.served_archive import Served

pytestmark = pytest.mark.slow
__all__ = ["browser"]

AXE = files("axe_playwright_python").joinpath("axe.min.js").read_text("utf-8")
# Frames are left alone: what strangers wrote is as they wrote it.
RUN = """() => axe.run(document, {
    runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"], iframes: false, resultTypes: ["violations"] })"""


def violations(page: Page) -> list[tuple[str, str]]:
    """What axe-core finds: the rule, and the first element that is against it."""
    page.evaluate(AXE)
    found: dict[str, Any] = page.evaluate(RUN)
    return [(each["id"], each["nodes"][0]["html"]) for each in found["violations"]]


def test_the_keys_can_be_read_by_everybody(browser: Browser, served: Served):
    with opened(browser, served) as (page, _, said):
        page.goto(served.interface)
        page.keyboard.press("?")
        assert violations(page) == []
        assert said == []


def test_the_check_finds_what_cannot_be_used(browser: Browser, served: Served):
    # The control: a picture without words, and letters that nobody can read.
    with opened(browser, served) as (page, _, __):
        page.goto(served.interface + "/keys")
        page.evaluate("""() => {
            const picture = document.createElement("img");
            picture.src = "/static/icon.svg";
            const words = document.createElement("p");
            words.textContent = "Some words";
            words.style.color = "#eee";
            document.querySelector("main").append(picture, words);
        }""")
        assert {rule for rule, _ in violations(page)} == {"image-alt", "color-contrast"}
