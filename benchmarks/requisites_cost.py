"""What requisites cost: requests and processor time of a crawl with them, over one without.

    python benchmarks/requisites_cost.py [--posts 300] [--rounds 5]
    python benchmarks/requisites_cost.py --lively            # with faces of commenters and pictures of lists
    python benchmarks/requisites_cost.py --gate              # a smaller blog, fails above what is allowed

Both crawl the same made blog with the design of a theme (`made_blog.py --theme`: style sheets with imports, fonts,
scripts, icons, pictures), each in a fresh process whose imports are done before the clock starts. They take turns, the
order is turned around from round to round, and the ratio of processor time is the median over the rounds. Requests are
those that the archive's statistics of hosts count, robots.txt among them. With `--lively` what is allowed is about
the blog's own host; its commenters' faces are on another one, and each of them is one request.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from importlib import import_module
from pathlib import Path
from statistics import median
from typing import Any

from blogs import say
from crawl_speed import CONCURRENCY, IMPORTED_LATER
from made_blog import MadeBlog, served

# What is asked for: at most a tenth more requests and 15 % more processor time, for a blog of 300 posts.
MOST_REQUESTS, MOST_CPU = 1.10, 1.15
# On a smaller blog the same files weigh more: 37 of 180 requests; and a busy machine wants some room.
GATE_POSTS, GATE_REQUESTS, GATE_CPU = 150, 1.25, 1.30
ROUNDS = 5
Figures = dict[str, Any]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--posts", type=int, help=f"default: 300, with --gate {GATE_POSTS}")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--gate", action="store_true", help="a smaller blog; exit 1 above what is allowed for it")
    parser.add_argument("--lively", action="store_true", help="a blog with faces of commenters and pictures of lists")
    parser.add_argument("--only", choices=("with", "without"), help=argparse.SUPPRESS)
    parser.add_argument("--home", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.only:
        print(json.dumps(crawl(MadeBlog(posts=0, home=arguments.home), requisites=arguments.only == "with")))
        return
    posts = arguments.posts or (GATE_POSTS if arguments.gate else 300)
    with served(posts, theme=True, lively=arguments.lively) as blog:
        rounds = [one_round(blog.home, number) for number in range(arguments.rounds)]
    most = (GATE_REQUESTS, GATE_CPU) if arguments.gate else (MOST_REQUESTS, MOST_CPU)
    sys.exit(report(rounds, posts, *most))


def one_round(home: str, number: int) -> dict[str, Figures]:
    """Both crawls, one after the other."""
    figures: dict[str, Figures] = {}
    for name in ("with", "without")[:: 1 if number % 2 else -1]:
        done = subprocess.run(
            [sys.executable, __file__, "--only", name, "--home", home], stdout=subprocess.PIPE, text=True, check=True,
        )
        figures[name] = json.loads(done.stdout)
        say(f"round {number + 1} {name}: {figures[name]}")
    return figures


def crawl(blog: MadeBlog, *, requisites: bool) -> Figures:
    """One crawl into a new archive."""
    for module in (*IMPORTED_LATER, "everlog.fetch.scrapy_downloader"):
        import_module(module)
    from everlog.archive import open_archive  # noqa: PLC0415
    from everlog.errors import EverlogError  # noqa: PLC0415
    from everlog.settings import make_settings  # noqa: PLC0415
    from everlog.usecases.runner import Job, run_jobs  # noqa: PLC0415

    settings = make_settings({
        "delay": 0, "concurrency": CONCURRENCY, "requisites": requisites, "allow": (blog.faces_host,),
    })
    with tempfile.TemporaryDirectory() as folder, open_archive(Path(folder), create=True) as archive:
        used = time.process_time()
        [done] = run_jobs([Job(url=blog.home, typed=True)], archive, settings)
        cpu = time.process_time() - used
        if isinstance(done, EverlogError):
            raise done
        stats = list(archive.hosts.stats())
        requests = sum(each.requests for each in stats)
        own = sum(each.requests for each in stats if each.host in blog.home)
    now = done.tally.now
    return {
        "cpu_seconds": round(cpu, 3), "requests": requests, "own": own, "posts": now.posts,
        "requisites": now.requisites, "missing": now.requisites_missing,
    }


def report(rounds: list[dict[str, Figures]], posts: int, most_requests: float, most_cpu: float) -> int:
    """A table, and whether both ratios are within what is allowed."""
    print("| round | requests of its host without | with | all, with | CPU s without | with | CPU, with over without |")
    print("|---:|---:|---:|---:|---:|---:|---:|")
    ratios = []
    for number, each in enumerate(rounds, 1):
        before, after = each["without"], each["with"]
        ratios.append(after["cpu_seconds"] / before["cpu_seconds"])
        print(
            f"| {number} | {before['own']} | {after['own']} | {after['requests']} | {before['cpu_seconds']:.2f} "
            f"| {after['cpu_seconds']:.2f} | {ratios[-1]:.3f} |",
        )
    first = rounds[0]
    requests, cpu = first["with"]["own"] / first["without"]["own"], median(ratios)
    everywhere = first["with"]["requests"] / first["without"]["requests"]
    print(
        f"\n{posts} posts, {first['with']['requisites']} requisites: {requests:.3f} x the requests of its host "
        f"(allowed {most_requests:.2f}), {everywhere:.3f} x those of all hosts, {cpu:.3f} x the processor time "
        f"(median of {len(ratios)}, allowed {most_cpu:.2f})",
    )
    is_whole = all(each[name]["posts"] == posts for each in rounds for name in each) and not first["with"]["missing"]
    if not is_whole:
        print("posts or requisites are missing")
    return 0 if is_whole and requests <= most_requests and cpu <= most_cpu else 1


if __name__ == "__main__":
    main()
