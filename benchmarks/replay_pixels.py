"""Replayed pages against live ones: how many pixels differ, on WordPress, Ghost and twelve sites of real generators.

    scripts/install-platform-parts && scripts/install-site-parts
    .venv/bin/python benchmarks/replay_pixels.py [SITE...] [--keep FOLDER] [--json]

Each site is crawled with the everlog command, looked at in Chromium with scripts off, and shut down; then its pages are
looked at as `everlog serve` replays them. Into FOLDER goes a picture of every page: live, replayed, and what differs.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path
from statistics import median

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from made_sites.comparing import NAMES, as_json, as_line, captured, compared
from made_sites.looking import TOLERANCE, chromium


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sites", nargs="*", metavar="SITE", help=f"which ones (default: all): {', '.join(NAMES)}")
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="keep pictures of live and replayed pages here")
    parser.add_argument("--json", action="store_true", help="a line of JSON for each page")
    options = parser.parse_args()
    names = options.sites or NAMES
    found = []
    with tempfile.TemporaryDirectory(prefix="everlog-pixels-") as folder, chromium() as eyes:
        archive = Path(folder) / "archive"
        sites, live = captured(names, archive, eyes)
        if not options.json:
            print(f"site               width  differ (more than {TOLERANCE} of 255) and at all, page")
        for each in compared(sites, live, archive, eyes, drawn=options.keep is not None):
            found.append(each)
            print(as_json(each) if options.json else as_line(each), flush=True)
            for line in () if options.json else (*each.asked_elsewhere, *each.missing):
                print(f"    {line}")
            if each.difference.sheet is not None:
                options.keep.mkdir(parents=True, exist_ok=True)
                name = f"{each.name}-{each.width}-{each.path.strip('/').replace('/', '_') or 'home'}.png"
                (options.keep / name).write_bytes(each.difference.sheet)
    shares = [each.difference.share for each in found]
    print(
        f"{len(found)} pages: median {100 * median(shares):.3f} %, worst {100 * max(shares):.3f} %; asked elsewhere: "
        f"{sum(len(each.asked_elsewhere) for each in found)}", file=sys.stderr,
    )


if __name__ == "__main__":
    main()
