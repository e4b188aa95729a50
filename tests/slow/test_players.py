"""Pages as they were: what Chromium draws of a replayed page is what it drew of the live one, and nobody else is asked.

All sites that replay is looked at with: WordPress with a block theme and a classic one, Ghost, and twelve made with
Hugo, Jekyll, Pelican, Nikola, Hexo and Eleventy: their front page, two posts and a list of posts, at the widths of a
telephone and of a screen. The sites are gone when their pages are replayed. Others' programs have the same archive:
warcio, wacz, pywb and ReplayWeb.page read it, and show the same pages, at the width of a screen.
`benchmarks/replay_pixels.py` has our own figures one by one, with pictures.
"""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING

import pytest

from cli.program import everlog
from importing.other_programs import needs_them, wacz_complaints
from made_sites.comparing import NAMES, OPTIONAL_FONTS, WAYS, as_line, captured, compared
from made_sites.looking import WIDTHS, chromium
from made_sites.making import needs_sites
from made_sites.player import playing
from platforms.serving import needs
from platforms.web_archive import pywb

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from made_sites.comparing import Looks, Subject
    from made_sites.looking import Eyes

pytestmark = [needs("pywb"), needs("wordpress"), needs("ghost"), needs_sites(), needs_them]
WIDTH = max(WIDTHS)
# Of all pixels of a page.
MEDIAN, WORST = 0.005, 0.03
# The one page with an escape in `url()`. ReplayWeb.page takes its backslash for a slash, and asks for what no browser
# would ask for. (Its style says `url(/pictures/\\35 .svg)`, which is `/pictures/5.svg`.)
ESCAPED, ASKED_FOR = ("eleventy-notebook", "/posts/a-list-of-ropes/"), "/pictures//35%20.svg"


@dataclass(frozen=True, slots=True, kw_only=True)
class Archived:
    """Sites that were crawled twice and are gone, how they looked, and what was made of them for others."""

    eyes: Eyes
    place: Path
    sites: tuple[Subject, ...]
    live: Looks
    files: tuple[Path, ...]
    package: Path
    index: Path

    def pages(self) -> Iterator[tuple[str, str]]:
        for site in self.sites:
            for page in site.pages:
                yield site.name, page

    def difference(self, name: str, page: str, shown: bytes, *, scripts: bool = False) -> float:
        """How many of a page's pixels are others than they were; for a font that may come late, either is right."""
        looks = [self.live[page, "scripts" if scripts else WIDTH]]
        if name in OPTIONAL_FONTS:
            looks.append(self.live[page, "scripts, no fonts" if scripts else "no fonts"])
        return min(self.eyes.compare(look.png, shown).share for look in looks)


@pytest.fixture(scope="module")
def archived(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Archived]:
    folder = tmp_path_factory.mktemp("players")
    archive = folder / "archive"
    with chromium() as eyes:
        sites, live = captured(NAMES, archive, eyes, times=2, ways=WAYS)
        package, index = folder / "captures.wacz", folder / "index.cdxj"
        for file, kind in ((package, "wacz"), (index, "cdxj")):
            done = everlog(
                "export", "--archive", str(archive), "--format", kind, "-o", str(file), "-q", folder=folder,
            )
            assert done.code == 0, done.err
        files = tuple(sorted(archive.rglob("*.warc.gz")))
        yield Archived(eyes=eyes, place=archive, sites=sites, live=live, files=files, package=package, index=index)


def asked_live(archived: Archived, page: str) -> tuple[str, ...]:
    """What Chromium asked for when it drew the live page."""
    return archived.live[page, WIDTH].asked


def check(different: dict[str, float]) -> None:
    worst = dict(sorted(different.items(), key=lambda each: -each[1])[:10])
    assert median(different.values()) <= MEDIAN, worst
    assert max(different.values()) <= WORST, worst


def test_replayed_pages_look_as_they_did_and_ask_nobody_else(archived: Archived) -> None:
    found = list(compared(archived.sites, archived.live, archived.place, archived.eyes))
    assert len(found) == len(NAMES) * 4 * len(WIDTHS)
    assert [each for each in found if each.asked_elsewhere] == []
    table = "\n".join(as_line(each) for each in sorted(found, key=lambda each: -each.difference.share)[:20])
    shares = [each.difference.share for each in found]
    assert median(shares) <= MEDIAN, table
    assert max(shares) <= WORST, table


def test_warcio_and_wacz_accept_every_file(archived: Archived) -> None:
    assert archived.files
    words = [sys.executable, "-m", "warcio.cli", "check", *map(str, archived.files)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, ""), done.stdout + done.stderr
    assert wacz_complaints(archived.package) == ""
    # What was the same the second time, and what led elsewhere, are among the captures.
    index = archived.index.read_text("utf-8")
    assert '"mime": "warc/revisit"' in index
    assert '"status": "302"' in index


@pytest.mark.parametrize("has_our_index", [False, True])
def test_pywb_shows_the_same_pages_with_its_own_index_and_with_ours(archived: Archived, *, has_our_index: bool) -> None:
    index = archived.index if has_our_index else None
    different = {}
    # An index that is wrong anywhere shows nothing at all there: half of each site's pages are enough for the second.
    pages = list(archived.pages())[::2 if has_our_index else 1]
    with pywb(archived.files, index=index) as server, archived.eyes.looking(WIDTH) as viewer:
        for name, page in pages:
            shown = viewer.look(f"{server.url}mp_/{page}", revealed=True)
            different[f"{name} {page}"] = archived.difference(name, page, shown.png)
    check(different)


def test_replayweb_page_shows_the_same_pages_but_for_escapes_in_addresses_of_styles(archived: Archived) -> None:
    different, wrong = {}, {}
    with playing(archived.package, archived.eyes) as player:
        for name, page in archived.pages():
            shown, text = player.look(page)
            assert text.strip()
            told = archived.difference(name, page, shown.png, scripts=True)
            is_escaped = name == ESCAPED[0] and page.endswith(ESCAPED[1])
            (wrong if is_escaped else different)[f"{name} {page}"] = told
            assert any(ASKED_FOR in url for url in shown.failed) == is_escaped
            if is_escaped:
                asked = asked_live(archived, page)
                assert any(url.endswith("/pictures/5.svg") for url in asked)
                assert not any(ASKED_FOR in url for url in asked)
    check(different)
    # But for that picture the page is the same.
    assert len(wrong) == 1
    assert max(wrong.values()) <= WORST
