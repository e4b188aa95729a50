"""What the projection for lists costs, and what it gives: crawls with and without it, an archive filled, `status`.

    python benchmarks/projection.py crawl [--posts 500] [--rounds 5] [--most 3]
    python benchmarks/projection.py share [--posts 150] [--rounds 3] [--most 3]
    python benchmarks/projection.py fill FOLDER [--most 60]       # an archive of looking_archive.py
    python benchmarks/projection.py status FOLDER [--rounds 5] [--most 0.3]

*crawl*: the same made blog (`made_blog.py`) is crawled in fresh processes, in turns with the projection and without it
(its one call in the transaction of a batch left out); what counts is the processor time of the crawling process and of
all that it starts. The middle one of the differences is told in per cent, with the least and the most of them: on a
busy machine they lie ten per cent apart.

*share*: what the projection takes of the processor time of crawls with it, by the clock of its own thread. It says
nothing of what the database does later (checkpoints of a longer log), and depends on nothing else: for gates.

*fill*: all posts projected anew from their versions, as `everlog search --rebuild` does.

*status*: `everlog status` and `everlog status --json` beside the same on an archive without anything in it, in turns.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import Any

from crawl_speed import crawl_with_everlog
from everlog.archive import open_archive
from everlog.archive.projection.rebuild import rebuild
from everlog.archive.write import record_batch
from made_blog import served


def main() -> int:
    """Measure one of the three."""
    options = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    options.add_argument("what", choices=("crawl", "share", "fill", "status"))
    options.add_argument("folder", nargs="?", help="of fill and status")
    options.add_argument("--posts", type=int, default=500, help="of the made blog")
    options.add_argument("--rounds", type=int, default=5)
    options.add_argument("--most", type=float, help="end with 1 above: per cent, or seconds")
    options.add_argument("--child", choices=("with", "without"), help=argparse.SUPPRESS)
    options.add_argument("--home", help=argparse.SUPPRESS)
    given = options.parse_args()
    if given.child:
        print(json.dumps(_crawl_here(given.child, given.home)))
        return 0
    if given.what == "crawl":
        reached = crawls(given.posts, given.rounds)
    elif given.what == "share":
        reached = shares(given.posts, given.rounds)
    elif given.folder is None:
        options.error(f"{given.what} needs an archive")
    else:
        reached = fill(given.folder) if given.what == "fill" else status(given.folder, given.rounds)
    return int(given.most is not None and reached > given.most)


def crawls(posts: int, rounds: int) -> float:
    """Per cent of processor time that the projection adds to a crawl."""
    more = []
    print("| round | without, CPU ms a page | with | more | by its own clock |\n|---:|---:|---:|---:|---:|")
    with served(posts, page_bytes=30_000) as blog:
        for number in range(rounds):
            kinds = ("without", "with") if number % 2 else ("with", "without")
            cost = {kind: _crawl(kind, blog.home) for kind in kinds}
            before, after = (cost[kind]["cpu_ms_per_page"] for kind in ("without", "with"))
            more.append(100 * (after / before - 1))
            own = cost["with"]["share"]
            print(f"| {number + 1} | {before:.3f} | {after:.3f} | {more[-1]:.1f} % | {own:.1f} % |", flush=True)
    print(f"\nmore CPU with the projection: {median(more):.1f} % (median; {min(more):.1f} to {max(more):.1f} %)")
    return median(more)


def shares(posts: int, rounds: int) -> float:
    """Per cent of a crawl's processor time that is spent in the projection."""
    with served(posts, page_bytes=30_000) as blog:
        found = [float(_crawl("with", blog.home)["share"]) for _ in range(rounds)]
    print(f"of the CPU time of a crawl: {median(found):.1f} % (median; {min(found):.1f} to {max(found):.1f} %)")
    return median(found)


def _crawl(kind: str, home: str) -> dict[str, float]:
    command = [sys.executable, __file__, "crawl", "--child", kind, "--home", home]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    figures: dict[str, float] = json.loads(done.stdout)
    return figures


def _crawl_here(kind: str, home: str) -> dict[str, float]:
    """A crawl in this process: its CPU time a page, and what share of it the projection has."""
    project, own = record_batch.project_batch, 0.0

    def timed(*given: Any) -> None:
        nonlocal own
        began = time.thread_time()
        project(*given)
        own += time.thread_time() - began

    record_batch.project_batch = timed if kind == "with" else lambda *_: None
    before = _children()
    figures = crawl_with_everlog(home)
    used = figures["cpu_seconds"] + _children() - before
    return {"cpu_ms_per_page": 1_000 * used / figures["pages"], "share": 100 * own / used}


def _children() -> float:
    """Seconds of processor time of processes that this one started, and that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def fill(where: str) -> float:
    """Seconds of processor time in which all posts are projected anew."""
    with open_archive(where) as archive:
        began, used = time.perf_counter(), time.process_time()
        count = rebuild(archive.backend.database, lambda _: None)
        seconds = time.process_time() - used
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
        print(f"{count:,} posts in {seconds:.1f} s of CPU ({time.perf_counter() - began:.1f} s), {peak} MB at most")
    return seconds


def status(where: str, rounds: int) -> float:
    """Seconds of processor time that `status` takes over its start; that of the slower one of its two kinds."""
    times: dict[tuple[str, str], list[float]] = {}
    kinds = {"status": [], "status --json": ["--json"]}
    with tempfile.TemporaryDirectory() as folder:
        empty = str(Path(folder) / "empty")
        open_archive(empty, create=True).close()
        for _ in range(rounds):
            for kind, flags in kinds.items():
                for name, place in (("empty", empty), ("full", where)):
                    before = _children()
                    subprocess.run(
                        [sys.executable, "-m", "everlog", "status", *flags, "--archive", place],
                        stdout=subprocess.DEVNULL, check=True,
                    )
                    times.setdefault((kind, name), []).append(_children() - before)
    over = 0.0
    for kind in kinds:
        start, whole = (median(times[kind, name]) for name in ("empty", "full"))
        over = max(over, whole - start)
        print(f"{kind}: {whole:.2f} s of CPU, {whole - start:.2f} s over that of an empty archive ({start:.2f} s)")
    return over


if __name__ == "__main__":
    sys.exit(main())
