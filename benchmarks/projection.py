"""What the projection for lists costs, and what it gives: crawls with and without it, an archive filled, `status`.

    python benchmarks/projection.py crawl [--posts 500] [--rounds 5] [--most 3]
    python benchmarks/projection.py fill FOLDER [--most 60]       # an archive of looking_archive.py
    python benchmarks/projection.py status FOLDER [--rounds 5] [--most 0.3]

*crawl*: the same made blog (`made_blog.py`) is crawled in fresh processes, in turns with the projection and without it
(its one call in the transaction of a batch left out); what counts is the processor time of the crawling process, which
hardly depends on what else the machine does. The middle one of the differences is told in per cent.

*fill*: all posts projected anew from their versions, as `everlog search --rebuild` does.

*status*: `everlog status --json` beside the same command on an archive without anything in it, in turns.
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

from crawl_speed import crawl_with_everlog
from everlog.archive import open_archive
from everlog.archive.projection.rebuild import rebuild
from everlog.archive.write import record_batch
from made_blog import served


def main() -> int:
    """Measure one of the three."""
    options = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    options.add_argument("what", choices=("crawl", "fill", "status"))
    options.add_argument("folder", nargs="?", help="of fill and status")
    options.add_argument("--posts", type=int, default=500, help="of the made blog")
    options.add_argument("--rounds", type=int, default=5)
    options.add_argument("--most", type=float, help="end with 1 above: per cent, or seconds")
    options.add_argument("--child", choices=("with", "without"), help=argparse.SUPPRESS)
    options.add_argument("--home", help=argparse.SUPPRESS)
    given = options.parse_args()
    if given.child:
        if given.child == "without":
            record_batch.project_batch = lambda *_: None
        print(json.dumps(crawl_with_everlog(given.home)))
        return 0
    if given.what == "crawl":
        reached = crawls(given.posts, given.rounds)
    elif given.folder is None:
        options.error(f"{given.what} needs an archive")
    else:
        reached = fill(given.folder) if given.what == "fill" else status(given.folder, given.rounds)
    return int(given.most is not None and reached > given.most)


def crawls(posts: int, rounds: int) -> float:
    """Per cent of processor time that the projection adds to a crawl."""
    shares = []
    print("| round | without, CPU ms a page | with | more |\n|---:|---:|---:|---:|")
    with served(posts, page_bytes=30_000) as blog:
        for number in range(rounds):
            kinds = ("without", "with") if number % 2 else ("with", "without")
            cost = {kind: _crawl(kind, blog.home) for kind in kinds}
            shares.append(100 * (cost["with"] / cost["without"] - 1))
            print(f"| {number + 1} | {cost['without']:.3f} | {cost['with']:.3f} | {shares[-1]:.1f} % |", flush=True)
    print(f"\nmore CPU with the projection: {median(shares):.1f} % (median)")
    return median(shares)


def _crawl(kind: str, home: str) -> float:
    command = [sys.executable, __file__, "crawl", "--child", kind, "--home", home]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    return float(json.loads(done.stdout)["cpu_ms_per_page"])


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
    """Seconds of processor time that `status --json` takes over its start."""
    times: dict[str, list[float]] = {"empty": [], "full": []}
    with tempfile.TemporaryDirectory() as folder:
        empty = str(Path(folder) / "empty")
        open_archive(empty, create=True).close()
        for _ in range(rounds):
            for name, place in (("empty", empty), ("full", where)):
                before = resource.getrusage(resource.RUSAGE_CHILDREN)
                subprocess.run(
                    [sys.executable, "-m", "everlog", "status", "--json", "--archive", place],
                    stdout=subprocess.DEVNULL, check=True,
                )
                after = resource.getrusage(resource.RUSAGE_CHILDREN)
                times[name].append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    start, whole = (median(times[name]) for name in ("empty", "full"))
    print(f"status --json: {whole:.2f} s of CPU, {whole - start:.2f} s over that of an empty archive ({start:.2f} s)")
    return whole - start


if __name__ == "__main__":
    sys.exit(main())
