"""Others' programs on one of our archives: warcio, wacz, pywb and ReplayWeb.page read it, and show the same pages."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

from cli.program import everlog
from importing.other_programs import needs_them, wacz_complaints
from made_sites.comparing import captured
from made_sites.looking import WIDTHS, chromium
from made_sites.making import needs_sites
from made_sites.player import playing
from platforms.serving import needs
from platforms.web_archive import pywb

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = [needs("pywb"), needs("wordpress"), needs_sites(), needs_them]
# Both ways of writing text, fonts and pictures of a second host, redirected fonts, a real WordPress.
SITES = ("hugo-harbour", "eleventy-notebook", "wordpress-classic")
# ReplayWeb.page does not read escapes in CSS, and looks for `font.woff2?` where `font.woff2` was captured.
BEYOND_THE_PLAYER = {"eleventy-notebook"}
WIDTH = max(WIDTHS)
# Of all pixels: others run scripts of pages, or leave out what they cannot show.
WORST = 0.03


def test_others_read_our_archives_and_show_the_same_pages(tmp_path: Path) -> None:
    archive = tmp_path / "archive"
    with chromium() as eyes:
        sites, live = captured(SITES, archive, eyes, times=2)
        files = sorted(archive.rglob("*.warc.gz"))
        assert files
        words = [sys.executable, "-m", "warcio.cli", "check", *map(str, files)]
        check = subprocess.run(words, capture_output=True, text=True, check=False)
        assert (check.returncode, check.stdout) == (0, ""), check.stdout + check.stderr
        package, index = tmp_path / "captures.wacz", tmp_path / "index.cdxj"
        for file, kind in ((package, "wacz"), (index, "cdxj")):
            done = everlog(
                "export", "--archive", str(archive), "--format", kind, "-o", str(file), "-q", folder=tmp_path,
            )
            assert done.code == 0, done.err
        assert wacz_complaints(package) == ""
        # What was the same the second time, and what led elsewhere, are among the captures.
        assert '"mime": "warc/revisit"' in index.read_text("utf-8")
        assert '"status": "302"' in index.read_text("utf-8")
        for told in (None, index):
            with pywb(files, index=told) as server, eyes.looking(WIDTH) as viewer:
                different = {}
                for page in (page for site in sites for page in site.pages):
                    shown = viewer.look(f"{server.url}mp_/{page}", revealed=True)
                    different[page] = eyes.compare(live[page, WIDTH].png, shown.png).share
            assert max(different.values()) <= WORST, different
        different = {}
        with playing(package, eyes) as player:
            for site in sites:
                for page in site.pages[:2]:
                    shown, text = player.look(page)
                    assert text.strip()
                    if site.name not in BEYOND_THE_PLAYER:
                        different[page] = eyes.compare(live[page, WIDTH].png, shown.png).share
        assert max(different.values()) <= WORST, different
