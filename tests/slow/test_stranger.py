"""A stranger's first minutes: from the demo to a post with its comments and whether all is held, in three clicks."""

from __future__ import annotations

import re
import shlex
import signal
from typing import TYPE_CHECKING

from cli.program import begin, everlog
from everlog.demo.site import truth
from web.test_in_chromium import browser

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Browser, Page

__all__ = ["browser"]

MOST_CLICKS = 3


class Stranger:
    """Somebody who reads what is on the screen, and clicks."""

    def __init__(self, page: Page) -> None:
        self.page, self.clicks = page, 0

    def click(self, words: str | re.Pattern[str]) -> None:
        """Click the first link with these words that is in sight."""
        self.page.get_by_role("link", name=words).locator("visible=true").first.click()
        self.page.wait_for_load_state("load")
        self.clicks += 1


def test_a_stranger_reads_a_post_and_learns_whether_all_is_held(browser: Browser, tmp_path: Path):
    done = everlog("demo", folder=tmp_path)
    assert done.code == 0
    # What the demo says to type, typed; but for the browser, which is ours, and a port that nobody has.
    [typed] = [line.strip() for line in done.out.splitlines() if line.startswith("  everlog serve ")]
    words = shlex.split(typed)[1:]
    assert words[-1] == "--open"
    server = begin(*words[:-1], "--port", "0", folder=tmp_path)
    try:
        assert server.stdout is not None
        place = server.stdout.readline().strip()
        page = browser.new_page()
        page.set_default_timeout(120_000)
        page.goto(place)
        stranger = Stranger(page)
        assert "Signal Box Notes" in page.inner_text("main")

        stranger.click("Signal Box Notes")
        # How complete it is stands on the page of the blog, and who says so one click behind it.
        assert re.search(r"\b(Complete|Not complete|Completeness not known)\b", page.inner_text("main"))

        most = max(truth(), key=lambda piece: len(piece.remarks))
        page.locator("main h3 a:visible").first.wait_for()
        listed = page.locator("main h3 a").all_inner_texts()
        chosen = most.title if most.title in listed else listed[0]
        stranger.click(chosen)
        assert page.locator("article h1").inner_text() == chosen
        assert len(page.inner_text("article")) > 200
        remarks = next(piece.remarks for piece in truth() if piece.title == chosen)
        assert page.locator("section.comments .said:visible").count() >= len(remarks)

        page.go_back()
        page.wait_for_load_state("load")
        stranger.click(re.compile("See who lists its posts|See which, and why|Complete"))
        assert "Is all of it held?" in page.inner_text("main")
        assert stranger.clicks <= MOST_CLICKS
        page.close()
    finally:
        server.send_signal(signal.SIGINT)
        server.communicate(timeout=60)
