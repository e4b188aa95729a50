"""Which Chromium is started."""

from __future__ import annotations

import subprocess
import sys

import pytest

from everlog.errors import NoBrowser
from everlog.extras import line_for
from everlog.render.find_chromium import NAMES, find_chromium, not_started


def program(folder, name):
    file = folder / name
    file.write_text("#!/bin/sh\n")
    file.chmod(0o755)
    return str(file)


@pytest.fixture
def path(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("EVERLOG_CHROMIUM", raising=False)
    return tmp_path


def test_the_one_that_is_named_comes_first(path, monkeypatch):
    program(path, "chromium")
    mine, theirs = program(path, "mine"), program(path, "theirs")
    monkeypatch.setenv("EVERLOG_CHROMIUM", theirs)
    assert find_chromium(mine) == mine
    assert find_chromium(None) == theirs


def test_those_on_the_path_come_in_order_and_before_playwright_s_own(path, tmp_path):
    own = program(tmp_path, "download")
    assert find_chromium(None, own) == own
    for name in reversed(NAMES):
        found = program(path, name)
        assert find_chromium(None, own) == found


def test_where_there_is_none_the_error_says_how_to_get_it(path, monkeypatch):
    for named in (None, "/nowhere/chromium"):
        with pytest.raises(NoBrowser) as error:
            find_chromium(named, str(path / "not downloaded"))
        assert "apt install chromium" in str(error.value)
    monkeypatch.setenv("EVERLOG_CHROMIUM", "/nowhere/else")
    with pytest.raises(NoBrowser, match="/nowhere/else"):
        find_chromium(None)


def test_a_sandbox_that_cannot_be_built_has_its_own_advice():
    error = not_started("/usr/bin/chromium", "BrowserType.launch: closed\n[pid=1][err] FATAL: No usable sandbox!")
    assert "chromium-sandbox" in str(error)


def test_without_playwright_the_error_says_how_to_get_it():
    told = (
        "import sys, asyncio; sys.modules['playwright'] = None; sys.modules['playwright.async_api'] = None\n"
        "from everlog.records import Page; from everlog.render import Browser, NoBrowser\n"
        "async def main():\n"
        "    async with Browser() as browser:\n"
        "        await browser.render(Page(url='https://a.blog/', body=b''), fetch=None)\n"
        "try: asyncio.run(main())\n"
        "except NoBrowser as error: print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", told], capture_output=True, text=True, check=True)
    assert "Playwright is not installed" in done.stdout
    assert f"install it:  {line_for('playwright>=1.49')}" in done.stdout
    assert "apt install chromium" in done.stdout or sys.platform == "darwin"
    assert done.stderr == ""


def test_playwright_is_not_imported_before_a_page_is_rendered():
    told = "import sys, everlog.render; print('playwright' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", told], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
