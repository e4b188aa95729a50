"""How much faster more workers are: the same blogs of a corpus, crawled by 1, 2, 4 and 8 workers.

    python benchmarks/fleet_scaling.py [FOLDER...] [--delays 0.05:1,2 0.5:1,2,4,8]
        [--count 40] [--max-pages 16] [--server SERVE.PY] [--plot docs/images/scale-spiders.svg] [--json]

Every run has a fresh database, an empty queue, and workers of one process each that are there before the blogs are
handed out; the time is from the command that does so to the end of the last job. The blogs are those of the corpus
whose pages link to the fewest addresses, in the order of their names, and the first pages of each are fetched. One
request at a time goes to a blog, as it does with the usual delay, so that those are the same pages, and the same posts
must be stored in every run. Beside each time stands how busy the machine's processors were (workers, PostgreSQL, Redis
and the blogs' own server share them).
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import tempfile
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING
from urllib.parse import SplitResult, urljoin, urlsplit

from blogs import add_corpus_arguments, chosen_blogs, say
from fleet_ground import SERVER, Fleet, Processor, corpus_web, load, requests_in, services
from tables import machine, markdown_table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from everlog.evaluate.corpus import Blog
    from services import Postgres, Redis

PAGES = frozenset({".html", ".htm", ""})
LINK = re.compile(rb"""<a\b[^>]*?\bhref=["']?([^"'\s>]+)""", re.IGNORECASE)
# What is asked of a fleet: this many times faster, with so many workers beside one, at this delay of the server.
FLOORS = {(0.05, 2): 1.7, (0.5, 8): 6.5}


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """The crawl of all blogs by some workers."""

    delay: float
    workers: int
    seconds: float
    requests: int
    posts: int
    busy: float
    jobs: int
    failed: int
    # What was stored, for comparison.
    held: dict[str, str] = field(repr=False, default_factory=dict)


def main() -> None:
    arguments = _arguments()
    blogs = smallest(chosen_blogs(arguments), arguments.count)
    runs: list[Run] = []
    note = load()
    with services() as (postgres, redis):
        for delay, counts in map(_plan, arguments.delays):
            for workers in counts:
                runs.append(measured(blogs, (postgres, redis), delay, workers, arguments))
                say(_line(runs[-1], runs))
    wrong = differences(runs)
    if arguments.json:
        print(json.dumps([asdict(run) | {"held": len(run.held)} for run in runs], indent=1))
    else:
        print(f"{len(blogs)} blogs, {arguments.max_pages} pages of each, {arguments.concurrency} at a time; "
              f"{machine()}; {note}\n")
        print(table(runs))
        print("\n" + ("\n".join(wrong) if wrong else "the same posts, with the same texts, in every run"))
    if arguments.plot:
        draw(runs, arguments.plot)
    sys.exit(bool(wrong))


def measured(
    blogs: Sequence[Blog], servers: tuple[Postgres, Redis], delay: float, workers: int, arguments: argparse.Namespace,
) -> Run:
    """One run on a fresh database and an empty queue."""
    postgres, redis = servers
    redis.empty()
    homes = [home_of(blog) for blog in blogs]
    with tempfile.TemporaryDirectory(prefix="everlog-fleet-") as scratch:
        log = Path(scratch) / "log.tsv"
        with (
            corpus_web({blog.folder.parent for blog in blogs}, arguments.server, log, delay=delay) as proxy,
            Fleet(archive=postgres.url(), broker=redis.url, folder=Path(scratch) / "fleet", proxy=proxy) as fleet,
        ):
            fleet.settings["EVERLOG_CONCURRENCY"] = str(arguments.concurrency)
            fleet.start(workers)
            fleet.ready()
            processor, began = Processor(), time.monotonic()
            fleet.enqueue(homes, "--delay", "0", "--no-media", "--max-pages", str(arguments.max_pages))
            left = fleet.wait()
            seconds, busy = time.monotonic() - began, processor.share()
            held = fleet.posts()
            slices = int(fleet.ask("select coalesce(sum(slices), 0) from workers")[0][0])
            return Run(
                delay=delay, workers=workers, seconds=seconds, requests=len(requests_in(log)), posts=len(held),
                busy=busy, jobs=slices, failed=left.total(), held=held,
            )


def differences(runs: Sequence[Run]) -> list[str]:
    """Where a run stored something else than the first."""
    found = []
    for run in runs[1:]:
        first = runs[0].held
        other = {key for key in first.keys() & run.held.keys() if first[key] != run.held[key]}
        lost, more = first.keys() - run.held.keys(), run.held.keys() - first.keys()
        if lost or more or other:
            found.append(
                f"{run.workers} workers at {run.delay} s: {len(lost)} posts fewer, {len(more)} more, {len(other)} read "
                f"otherwise: {sorted(lost | more | other)[:3]}",
            )
    return found


def table(runs: Sequence[Run]) -> str:
    """One line for each run, with its ratio to the run of one worker."""
    rows = [
        [f"{run.delay * 1000:.0f} ms", str(run.workers), f"{run.seconds:.1f}", f"{ratio(run, runs):.2f} x",
         _floor(run), f"{run.requests / run.seconds:.1f}", str(run.requests), str(run.posts), str(run.jobs),
         f"{100 * run.busy:.0f} %"]
        for run in runs
    ]
    heads = ["server's delay", "workers", "seconds", "faster", "asked", "requests/s", "requests", "posts", "slices",
             "processors busy"]
    return markdown_table(heads, rows)


def ratio(run: Run, runs: Sequence[Run]) -> float:
    """How many times as fast as one worker on the same server."""
    alone = [other.seconds for other in runs if (other.delay, other.workers) == (run.delay, 1)]
    return median(alone) / run.seconds if alone else 1.0


def draw(runs: Sequence[Run], output: Path) -> None:
    """The DGWC paper's Figures 5 and 6 with these runs: time by number of workers, and how many times as fast."""
    import matplotlib as mpl  # noqa: PLC0415 - measuring does without it

    mpl.use("Agg")
    from matplotlib import pyplot as plt  # noqa: PLC0415

    mpl.rcParams.update({"font.size": 11, "axes.spines.top": False, "axes.spines.right": False,
                         "svg.hashsalt": "scale", "svg.fonttype": "none"})
    figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4.6), layout="constrained")
    most = max(run.workers for run in runs)
    right.plot([1, most], [1, most], "--", color="#999999", label="as many times as workers")
    for delay, colour in zip(sorted({run.delay for run in runs}), ("#2c6e9b", "#c0392b", "#d9a441"), strict=False):
        own = sorted((run.workers, run.seconds, ratio(run, runs)) for run in runs if run.delay == delay)
        name = f"servers answer after {1000 * delay:.0f} ms"
        left.plot([row[0] for row in own], [row[1] for row in own], "o-", color=colour, label=name)
        right.plot([row[0] for row in own], [row[2] for row in own], "o-", color=colour, label=name)
        for workers, seconds, faster in own:
            left.annotate(f"{seconds:.0f} s", (workers, seconds), (6, 6), textcoords="offset points", color=colour)
            right.annotate(f"{faster:.1f} x", (workers, faster), (6, -12), textcoords="offset points", color=colour)
    ticks = sorted({run.workers for run in runs})
    for axes in (left, right):
        axes.set(xlabel="Workers", xticks=ticks)
        axes.grid(color="#e4e4e4", linewidth=0.8)
        axes.legend(frameon=False)
    left.set(ylabel="Seconds until all blogs are crawled", ylim=(0, None))
    right.set(ylabel="Times as fast as one worker")
    figure.savefig(output, metadata={"Date": None})
    plt.close(figure)


def smallest(blogs: Sequence[Blog], count: int) -> list[Blog]:
    """The blogs whose pages link to the fewest addresses of their own, there or not; in the order of their names."""
    sized = sorted(blogs, key=lambda blog: (len(linked(blog)), blog.id))
    return sorted(sized[:count], key=lambda blog: blog.id)


def linked(blog: Blog) -> set[str]:
    """The addresses of a blog that its pages link to."""
    home = home_of(blog)
    host = urlsplit(home).netloc.removeprefix("www.")
    site = blog.folder / "site"
    found: set[str] = set()
    for file in site.rglob("*"):
        if file.suffix in PAGES and file.is_file():
            own = urljoin(home, file.relative_to(site).as_posix().removesuffix("index.html"))
            for link in LINK.findall(file.read_bytes()):
                parts = _parts(own, link)
                if parts is not None and parts.netloc.removeprefix("www.") == host:
                    found.add(parts.path + parts.query)
    return found


def _parts(page: str, link: bytes) -> SplitResult | None:
    try:
        return urlsplit(urljoin(page, link.decode("utf-8", "replace")))
    except ValueError:
        return None


def home_of(blog: Blog) -> str:
    """Where a blog of the corpus was."""
    info = json.loads((blog.folder / "blog.json").read_text("utf-8"))
    return str(info["origin"]).rstrip("/") + "/"


def _plan(words: str) -> tuple[float, list[int]]:
    delay, _, counts = words.partition(":")
    return float(delay), [int(word) for word in counts.split(",")]


def _floor(run: Run) -> str:
    asked = FLOORS.get((run.delay, run.workers))
    return f"{asked} x" if asked else ""


def _line(run: Run, runs: Sequence[Run]) -> str:
    return (
        f"{run.delay} s, {run.workers} workers: {run.seconds:.1f} s ({ratio(run, runs):.2f} x), "
        f"{run.requests} requests, {run.posts} posts, {run.jobs} slices, {run.failed} given up, {run.busy:.0%} busy"
    )


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_corpus_arguments(parser)
    parser.add_argument("--server", type=Path, default=SERVER, help="the corpus's server script")
    parser.add_argument("--delays", nargs="+", default=["0.05:1,2", "0.5:1,2,4,8"], metavar="SECONDS:WORKERS,...")
    parser.add_argument("--count", type=int, default=40, help="how many blogs")
    parser.add_argument("--max-pages", type=int, default=16, help="pages of each blog")
    parser.add_argument("--concurrency", type=int, default=1, help="requests under way at once to one blog")
    parser.add_argument("--plot", type=Path, help="where to draw time and speed by number of workers (SVG)")
    return parser.parse_args()


if __name__ == "__main__":
    main()
