"""Memory of one crawl as it goes on: the same at page 10,000 as at page 1,000?

    python benchmarks/crawl_memory.py [--posts 11000]

A made blog (`made_blog.py`, in a process of its own) is crawled with no delay into a new archive; after every
thousand pages that are safe, the process says how much memory it holds (VmRSS) and has held at most (VmHWM).
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from blogs import say
from made_blog import served

if TYPE_CHECKING:
    from everlog.archive.write.record_batch import Acknowledged

STEP = 1_000
FIRST, LAST = 1_000, 10_000
MOST_GROWTH = 0.10
# Sixteen requests at once, as in crawl_speed.py: more pages are in memory than in a polite crawl.
CONCURRENCY = 16
Row = dict[str, Any]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--posts", type=int, default=11_000)
    parser.add_argument("--kilobytes", type=float, default=30.0, help="about the size of a page")
    parser.add_argument("--json", action="store_true", help="print JSON, not Markdown")
    parser.add_argument("--home", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.home:
        crawl(arguments.home)
        return
    with served(arguments.posts, page_bytes=int(arguments.kilobytes * 1000)) as blog:
        rows = in_process(blog.home)
    if arguments.json:
        print(json.dumps(rows, indent=1))
        return
    print("| page | MB held | MB at most |")
    print("|---:|---:|---:|")
    for row in rows:
        print(f"| {row['pages']:,} | {row['VmRSS']:.1f} | {row['VmHWM']:.1f} |")
    at = {row["pages"]: row for row in rows}
    if {FIRST, LAST} <= at.keys():
        growth = {name: at[LAST][name] / at[FIRST][name] - 1 for name in ("VmRSS", "VmHWM")}
        print(f"\nfrom page {FIRST:,} to page {LAST:,}: held {growth['VmRSS']:+.1%}, at most {growth['VmHWM']:+.1%}")
        sys.exit(max(growth.values()) > MOST_GROWTH)


def in_process(home: str) -> list[Row]:
    """The crawl in a process of its own, which tells line by line."""
    rows: list[Row] = []
    with subprocess.Popen([sys.executable, __file__, "--home", home], stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        for line in child.stdout:
            rows.append(json.loads(line))
            say(line.strip())
    if child.returncode:
        sys.exit(child.returncode)
    return rows


def crawl(home: str) -> None:
    """NewCrawl into a new archive; a line of JSON after every thousand pages."""
    from everlog.archive import open_archive  # noqa: PLC0415 - the parent needs none of it
    from everlog.errors import EverlogError  # noqa: PLC0415
    from everlog.settings import make_settings  # noqa: PLC0415
    from everlog.usecases.runner import Job, run_jobs  # noqa: PLC0415

    pages = 0

    def on_safe(safe: Acknowledged) -> None:
        nonlocal pages
        pages += safe.visit.outcome in {"post", "page", "listing"}
        if pages and pages % STEP == 0:
            print(json.dumps({"pages": pages} | memory()), flush=True)

    settings = make_settings({"delay": 0, "concurrency": CONCURRENCY})
    with tempfile.TemporaryDirectory() as folder, open_archive(Path(folder), create=True) as archive:
        [report] = run_jobs([Job(url=home, typed=True)], archive, settings, on_safe=on_safe)
    if isinstance(report, EverlogError):
        raise report


def memory() -> dict[str, float]:
    """Megabytes of this process: held now, and held at most."""
    status = Path(f"/proc/{os.getpid()}/status").read_text("utf-8")
    found = re.findall(r"(VmRSS|VmHWM):\s*(\d+) kB", status)
    return {name: int(kilobytes) / 1024 for name, kilobytes in found}


if __name__ == "__main__":
    main()
