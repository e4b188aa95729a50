"""Pages as they were: what Chromium draws of a replayed page is what it drew of the live one, and nobody else is asked.

WordPress with a block theme and a classic one, Ghost, and twelve sites made with Hugo, Jekyll, Pelican, Nikola, Hexo
and Eleventy: their front page, two posts and a list of posts, at the widths of a telephone and of a screen. The sites
are gone when their pages are replayed. `benchmarks/replay_pixels.py` has the same figures one by one, with pictures.
"""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING

from made_sites.comparing import NAMES, as_line, captured, compared
from made_sites.looking import chromium
from made_sites.making import needs_sites
from platforms.serving import needs

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = [needs("wordpress"), needs("ghost"), needs_sites()]
# Of all pixels of a page.
MEDIAN, WORST = 0.005, 0.03


def test_replayed_pages_look_as_they_did_and_ask_nobody_else(tmp_path: Path) -> None:
    archive = tmp_path / "archive"
    with chromium() as eyes:
        sites, live = captured(NAMES, archive, eyes)
        found = list(compared(sites, live, archive, eyes))
    assert len(found) == len(NAMES) * 4 * 2
    assert [each for each in found if each.asked_elsewhere] == []
    table = "\n".join(as_line(each) for each in sorted(found, key=lambda each: -each.difference.share)[:20])
    shares = [each.difference.share for each in found]
    assert median(shares) <= MEDIAN, table
    assert max(shares) <= WORST, table
