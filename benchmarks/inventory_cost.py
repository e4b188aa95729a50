"""What the inventories and the verdict cost a crawl, in processor time.

    benchmarks/inventory_cost.py [--posts 500] [--rounds 5] [--most 2]

A made blog whose sitemap lists all of its posts is crawled over loopback, each time in a fresh process: with
inventories and, in turn, with all that makes them taken out. The difference of the two is a few parts in a hundred of
figures that vary by as much. So the crawls with inventories also say how long their thread was busy in each of the
functions that make them: that share is what `--most` looks at.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from datetime import UTC, datetime
from functools import wraps
from importlib import import_module
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

from blogs import say
from crawl_speed import CONCURRENCY, IMPORTED_LATER
from everlog.history.completeness import Completeness, judge_comments, judge_posts
from made_blog import served

if TYPE_CHECKING:
    from collections.abc import Callable



def _nothing(*_: Any, **__: Any) -> None:
    """Nothing is kept."""


def _unjudged(*_: Any, **__: Any) -> Completeness:
    """A verdict on nothing."""
    posts = judge_posts([], [], held=0)
    comments = judge_comments([], held=0, lists=(), posts=posts)
    return Completeness(posts=posts, comments=comments, inventories=(), checked_at=datetime.now(UTC))


# The functions that make inventories and verdicts, where a crawl calls them by, and what takes their place. What a
# sitemap lists is visited in both, so that the crawls are the same: there its time is taken off.
PARTS: tuple[tuple[str, str, Callable[..., Any] | None], ...] = (
    ("everlog.usecases.crawl.crawl_blog", "keep_sitemap", None),
    ("everlog.usecases.crawl.crawl_blog", "keep_archive_pages", _nothing),
    ("everlog.usecases.history.archive_walk:ArchiveWalk", "take", _nothing),
    ("everlog.usecases.crawl.lifecycle", "keep_neighbours", _nothing),
    ("everlog.usecases.crawl.lifecycle", "renew", _unjudged),
)
WAYS = ("with", "without")
Figures = dict[str, Any]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--posts", type=int, default=500)
    parser.add_argument("--kilobytes", type=float, default=30.0, help="about the size of a page")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--most", type=float, help="fail where inventories take more of a hundred parts of the time")
    parser.add_argument("--json", action="store_true", help="print JSON, not Markdown")
    parser.add_argument("--only", choices=WAYS, help=argparse.SUPPRESS)
    parser.add_argument("--home", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.only:
        print(json.dumps(crawled(arguments.home, arguments.only)))
        return
    with served(arguments.posts, page_bytes=int(arguments.kilobytes * 1000), sitemap=True) as blog:
        rounds = [one_round(blog.home, number) for number in range(arguments.rounds)]
    share = report(rounds, as_json=arguments.json)
    if arguments.most is not None and share > arguments.most:
        sys.exit(f"inventories take {share:.2f} % of a crawl's processor time (at most {arguments.most:.2f})")


def one_round(home: str, number: int) -> dict[str, Figures]:
    """Both crawls, one after the other; the order is turned around from round to round."""
    figures = {}
    for way in WAYS[:: 1 if number % 2 else -1]:
        command = [sys.executable, __file__, "--only", way, "--home", home]
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
        figures[way] = json.loads(done.stdout)
        say(f"round {number + 1} {way}: {figures[way]['cpu_seconds']:.2f} s of CPU, {figures[way]['pages']} pages")
    return figures


def crawled(home: str, way: str) -> Figures:
    """One crawl into a new archive, with the processor time of it and of the parts that make inventories."""
    for module in IMPORTED_LATER:
        import_module(module)
    import everlog.fetch.scrapy_downloader  # noqa: F401, PLC0415 - one crawl per process
    from everlog.archive import open_archive  # noqa: PLC0415
    from everlog.errors import EverlogError  # noqa: PLC0415
    from everlog.settings import make_settings  # noqa: PLC0415
    from everlog.usecases.runner import Job, run_jobs  # noqa: PLC0415

    used: defaultdict[str, float] = defaultdict(float)
    for place, name, other in PARTS:
        module, _, owner = place.partition(":")
        where = getattr(import_module(module), owner) if owner else import_module(module)
        is_clocked = way == "with" or other is None
        setattr(where, name, clocked(getattr(where, name), used) if is_clocked else other)
    settings = make_settings({"delay": 0, "concurrency": CONCURRENCY})
    with tempfile.TemporaryDirectory() as folder, open_archive(Path(folder), create=True) as archive:
        began = time.process_time()
        [report] = run_jobs([Job(url=home, typed=True)], archive, settings)
        seconds = time.process_time() - began - (sum(used.values()) if way == "without" else 0)
        if isinstance(report, EverlogError):
            raise report
        members = archive.blogs.inventory.counts(archive.blogs()[0].id)
    return {"cpu_seconds": seconds, "parts": dict(used), "posts": report.held, "pages": report.tally.visited,
            "members": members}


def clocked(function: Callable[..., Any], used: dict[str, float]) -> Callable[..., Any]:
    """A function that adds how long its thread was busy in it."""
    @wraps(function)
    def timed(*arguments: Any, **named: Any) -> Any:
        began = time.thread_time()
        try:
            return function(*arguments, **named)
        finally:
            used[function.__name__] += time.thread_time() - began
    return timed


def report(rounds: list[dict[str, Figures]], *, as_json: bool) -> float:
    """Print the shares; that of all parts together is returned, in parts of a hundred."""
    shares = [100 * sum(each["with"]["parts"].values()) / each["with"]["cpu_seconds"] for each in rounds]
    without, whole = (median(each[way]["cpu_seconds"] for each in rounds) for way in ("without", "with"))
    if as_json:
        print(json.dumps({"rounds": rounds, "shares": shares}, indent=1))
        return median(shares)
    print("| part | CPU ms | % of the crawl |")
    print("|---|---:|---:|")
    for _, name, _ in PARTS:
        spent = [each["with"]["parts"].get(name, 0.0) for each in rounds]
        parts = [100 * part / each["with"]["cpu_seconds"] for part, each in zip(spent, rounds, strict=True)]
        print(f"| {name} | {1000 * median(spent):.1f} | {median(parts):.2f} |")
    listed = ", ".join(f"{share:.2f}" for share in sorted(shares))
    print(f"\ninventories: {median(shares):.2f} % of the processor time of a crawl (median of {listed})")
    print(f"whole crawls: {whole:.2f} s with, {without:.2f} s without ({100 * (whole / without - 1):+.1f} %, medians)")
    return median(shares)


if __name__ == "__main__":
    main()
