"""What the inventories and the verdict cost a crawl, in processor time.

    benchmarks/inventory_cost.py [--posts 500] [--rounds 5] [--most 2]

Two made blogs are crawled over loopback, each time in a fresh process: one whose sitemap lists all of its posts, and a
WordPress whose interface tells them, with two comments a post. With inventories and, in turn, with all that makes them
taken out. The difference of the two is a few parts in a hundred of figures that vary by as much. So the crawls with
inventories also say how long their thread was busy in each of the functions that make them: that share is what `--most`
looks at.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import wraps
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib import import_module
from pathlib import Path
from statistics import median
from threading import Thread
from typing import TYPE_CHECKING, Any

from blogs import say
from completeness_sites import MadeWordPress
from crawl_speed import CONCURRENCY, IMPORTED_LATER
from everlog.history.completeness import Completeness, judge_comments, judge_posts
from made_blog import served

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager


def _nothing(*_: Any, **__: Any) -> None:
    """Nothing is kept."""


def _unjudged(*_: Any, **__: Any) -> Completeness:
    """A verdict on nothing."""
    posts = judge_posts([], [], held=0)
    comments = judge_comments([], held=0, lists=(), posts=posts)
    return Completeness(posts=posts, comments=comments, inventories=(), checked_at=datetime.now(UTC))


# The functions that make inventories and verdicts, where a crawl calls them by, and what takes their place. What a
# sitemap or an interface lists is visited in both, so that the crawls are the same: there its time is taken off. What
# one of them calls of the others is its own time.
PARTS: tuple[tuple[str, str, Callable[..., Any] | None], ...] = (
    ("everlog.usecases.crawl.crawl_blog", "keep_sitemap", None),
    ("everlog.usecases.crawl.crawl_blog", "keep_archive_pages", _nothing),
    ("everlog.usecases.history.archive_walk:ArchiveWalk", "take", _nothing),
    ("everlog.usecases.crawl.lifecycle", "keep_neighbours", _nothing),
    ("everlog.usecases.crawl.lifecycle", "renew", _unjudged),
    # What an interface lists, posts and comments, as it is told (`ToldStore`).
    ("everlog.archive.repos.inventory:InventoryRepository", "add_comments", None),
    ("everlog.archive.repos.inventory:InventoryRepository", "add", None),
)
COMMENTS_PER_POST = 2
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
    blogs: dict[str, Callable[[], AbstractContextManager[Any]]] = {
        "sitemap": lambda: served(arguments.posts, page_bytes=int(arguments.kilobytes * 1000), sitemap=True),
        "interface": lambda: served_wordpress(arguments.posts, int(arguments.kilobytes * 1000)),
    }
    shares = []
    for name, blog in blogs.items():
        with blog() as site:
            rounds = [one_round(site.home, number) for number in range(arguments.rounds)]
        shares.append(report(rounds, name, as_json=arguments.json))
    if arguments.most is not None and max(shares) > arguments.most:
        sys.exit(f"inventories take {max(shares):.2f} % of a crawl's processor time (at most {arguments.most:.2f})")


@contextmanager
def served_wordpress(posts: int, page_bytes: int) -> Iterator[MadeWordPress]:
    """A WordPress with comments, its pages about so many bytes long, served for as long as the context lasts."""
    site = MadeWordPress.of(posts, posts * COMMENTS_PER_POST)
    filling = "<!--" + "x" * max(0, page_bytes - 8_000) + "-->"

    class Visitor(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            status, headers, body = site.answer(site.home.rstrip("/") + self.path, dict(self.headers))
            if "html" in headers.get("Content-Type", ""):
                body = body.replace(b"</body>", filling.encode() + b"</body>")
            self.send_response(status)
            for name, value in {**headers, "Content-Length": str(len(body))}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            """Nobody reads it."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Visitor)
    site.home = f"http://127.0.0.1:{server.server_address[1]}/"
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield site
    finally:
        server.shutdown()


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
    is_busy: list[bool] = []
    for place, name, other in PARTS:
        module, _, owner = place.partition(":")
        where = getattr(import_module(module), owner) if owner else import_module(module)
        is_clocked = way == "with" or other is None
        setattr(where, name, clocked(getattr(where, name), used, is_busy) if is_clocked else other)
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


def clocked(function: Callable[..., Any], used: dict[str, float], is_busy: list[bool]) -> Callable[..., Any]:
    """A function that adds how long its thread was busy in it, unless another such function called it."""
    @wraps(function)
    def timed(*arguments: Any, **named: Any) -> Any:
        if is_busy:
            return function(*arguments, **named)
        is_busy.append(True)
        began = time.thread_time()
        try:
            return function(*arguments, **named)
        finally:
            used[function.__name__] += time.thread_time() - began
            is_busy.clear()
    return timed


def report(rounds: list[dict[str, Figures]], kind: str, *, as_json: bool) -> float:
    """Print the shares; that of all parts together is returned, in parts of a hundred."""
    shares = [100 * sum(each["with"]["parts"].values()) / each["with"]["cpu_seconds"] for each in rounds]
    without, whole = (median(each[way]["cpu_seconds"] for each in rounds) for way in ("without", "with"))
    if as_json:
        print(json.dumps({"blog": kind, "rounds": rounds, "shares": shares}, indent=1))
        return median(shares)
    print(f"## {kind}\n")
    print("| part | CPU ms | % of the crawl |")
    print("|---|---:|---:|")
    for _, name, _ in PARTS:
        spent = [each["with"]["parts"].get(name, 0.0) for each in rounds]
        parts = [100 * part / each["with"]["cpu_seconds"] for part, each in zip(spent, rounds, strict=True)]
        print(f"| {name} | {1000 * median(spent):.1f} | {median(parts):.2f} |")
    listed = ", ".join(f"{share:.2f}" for share in sorted(shares))
    print(f"\ninventories: {median(shares):.2f} % of the processor time of a crawl (median of {listed})")
    difference = 100 * (whole / without - 1)
    print(f"whole crawls: {whole:.2f} s with, {without:.2f} s without ({difference:+.1f} %, medians)\n")
    return median(shares)


if __name__ == "__main__":
    main()
