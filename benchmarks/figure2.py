"""Figure 2 of the BlogForever paper: the time spent on a blog's posts, added up.

    python benchmarks/figure2.py --output docs/images/figure2.svg            # the corpus's blog with most posts
    python benchmarks/figure2.py FOLDER/BLOG --output figure2.png --runs 3 --posts 30

As in the paper: the mean of ten runs, garbage collector off, loading pages and storing results not
counted. everlog parses the feed and learns the blog before its first post, so its curve begins high
and is flat from there. The dashed line stands at the number of the feed's entries: the first post's
time includes work on so many pages, so it is the fair point to compare the time per post. The posts
of the feed come first, then older ones. everlog reads all fields of a post, the others the text alone.
"""

from __future__ import annotations

import argparse
import json
import time
from functools import partial
from itertools import accumulate
from pathlib import Path
from statistics import fmean, stdev
from typing import TYPE_CHECKING

import matplotlib as mpl
from matplotlib import pyplot as plt

import everlog
from blogs import add_corpus_arguments, chosen_blogs, say, training
from everlog.feeds import parse_feed
from peers import peer
from stopwatch import no_garbage_collection
from tables import machine, markdown_table

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from everlog.evaluate.corpus import Blog

    Posts = Sequence[tuple[str, bytes]]

# As in the paper, and trafilatura, which did not exist then.
RIVALS = ("goose3", "readability-lxml", "trafilatura", "boilerpy3")
EVERLOG = "everlog"
# Told apart by readers who see few colours (Okabe and Ito), and by their dashes in print.
LINES = {
    EVERLOG: ("#d55e00", "-"), "goose3": ("#0072b2", "-"), "readability-lxml": ("#009e73", (0, (6, 2))),
    "trafilatura": ("#cc79a7", (0, (4, 1.5, 1, 1.5))), "boilerpy3": ("#555555", (0, (1.5, 1.5))),
}


def measure(blog: Blog, posts: Posts, runs: int) -> dict[str, list[list[float]]]:
    """Tool -> for each run the seconds spent after each post."""
    feed, pages = training(blog)
    tools: dict[str, Callable[[], list[float]]] = {
        EVERLOG: partial(_everlog_run, blog.feed_url, feed, pages, posts),
    }
    for name in RIVALS:
        tools[name] = partial(_peer_run, name, posts)
    curves: dict[str, list[list[float]]] = {name: [] for name in tools}
    say("a first run of each, not counted: it loads word lists")
    _everlog_run(blog.feed_url, feed, pages, posts[:1])
    for name in RIVALS:
        _peer_run(name, posts[:1])
    for run in range(1, runs + 1):
        say(f"run {run}/{runs}")
        for name, tool in tools.items():
            with no_garbage_collection():
                curves[name].append(list(accumulate(tool())))
    return curves


def _everlog_run(feed_url: str, feed: bytes, pages: Mapping[str, bytes], posts: Posts) -> list[float]:
    seconds = []
    start = time.perf_counter()
    reader = everlog.learn(feed, pages, feed_url=feed_url).reader
    for url, page in posts:
        reader.read(page, url, None, None, html=False)
        now = time.perf_counter()
        seconds.append(now - start)
        start = now
    return seconds


def _peer_run(name: str, posts: Posts) -> list[float]:
    text = peer(name).try_text
    seconds = []
    start = time.perf_counter()
    for url, page in posts:
        text(page, url)
        now = time.perf_counter()
        seconds.append(now - start)
        start = now
    return seconds


def blog_posts(blog: Blog, count: int) -> list[tuple[str, bytes]]:
    """The posts of the feed, then the others, as far as the corpus has their pages."""
    rows = sorted(blog.truth(), key=lambda row: not row.in_feed)
    pages = ((row.url, blog.truth_page(row)) for row in rows)
    return [(url, page) for url, page in pages if page and page.strip()][:count]


def draw(curves: Mapping[str, list[list[float]]], entries: int, title: str, output: Path) -> None:
    """The figure, in the format that the name of the file asks for."""
    mpl.rcParams.update({"font.size": 11, "axes.spines.top": False, "axes.spines.right": False,
                         "svg.hashsalt": "figure2"})
    figure, (whole, start) = plt.subplots(
        1, 2, figsize=(11, 4.8), width_ratios=(1.8, 1), layout="constrained",
    )
    means = {name: [fmean(values) for values in zip(*runs, strict=True)] for name, runs in curves.items()}
    own = means[EVERLOG]
    for axes in (whole, start):
        _plot(axes, means)
        axes.axvline(entries, color="#888888", linestyle="--", linewidth=1.1, zorder=1)
    whole.set(xlim=(0, len(own)), ylim=(0, 1.04 * max(seconds[-1] for seconds in means.values())),
              ylabel="Cumulated running time (seconds)")
    whole.annotate(f"{entries} entries in the feed", (entries, whole.get_ylim()[1]), (6, -2),
                   textcoords="offset points", color="#555555", fontsize=10, va="top")
    whole.legend(loc="upper left", bbox_to_anchor=(entries / len(own) + 0.005, 0.955), frameon=False,
                 handlelength=3.2, labelspacing=0.35)
    whole.set_title(title, fontsize=12, loc="left")
    last = _payback(means, entries)
    start.set(xlim=(0, last), ylim=(0, 2 * own[last - 1]))
    start.set_title(f"The first {last} posts", fontsize=12, loc="left")
    figure.savefig(output, dpi=160, metadata={"Date": None} if output.suffix == ".svg" else None)
    plt.close(figure)


def _plot(axes: plt.Axes, means: Mapping[str, list[float]]) -> None:
    """One line per tool, the slowest first, as they lie above each other."""
    for name, seconds in sorted(means.items(), key=lambda item: -item[1][-1]):
        colour, dashes = LINES[name]
        own = name == EVERLOG
        axes.plot(
            range(1, len(seconds) + 1), seconds, color=colour, linestyle=dashes, zorder=3 if own else 2,
            linewidth=2.8 if own else 1.9, label=f"{name} ({seconds[-1]:.2f} s)",
        )
    axes.set_xlabel("Processed blog posts")
    axes.grid(axis="y", color="#e4e4e4", linewidth=0.8)
    axes.set_axisbelow(True)


def _payback(means: Mapping[str, list[float]], entries: int) -> int:
    """The number of posts after which everlog has passed the others, and a few more."""
    own = means[EVERLOG]
    passed = [next((at for at, (ours, theirs) in enumerate(zip(own, other, strict=True), 1) if ours < theirs),
                   len(own)) for name, other in means.items() if name != EVERLOG]
    return min(len(own), max(entries, *passed) + 3)


def _markdown(curves: Mapping[str, list[list[float]]], entries: int) -> str:
    rows = []
    count = len(next(iter(curves.values()))[0])
    for name, runs in curves.items():
        ends = [run[-1] for run in runs]
        places = (0, min(entries, count) - 1, -1)
        rows.append([
            name, *(f"{1000 * fmean(run[at] for run in runs):.1f}" for at in places),
            f"{1000 * stdev(ends):.1f}" if len(ends) > 1 else None,
            f"{1000 * fmean(run[-1] - run[0] for run in runs) / max(1, count - 1):.2f}",
        ])
    heads = ["ms after", "1 post", f"{entries} posts", f"{count} posts", "deviation", "per further post"]
    return markdown_table(heads, rows)


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_corpus_arguments(parser)
    parser.add_argument("--output", type=Path, default=Path("figure2.svg"), help=".svg, .png or .pdf")
    parser.add_argument("--runs", type=int, default=10, help="the mean of so many runs (default: 10)")
    parser.add_argument("--posts", type=int, default=60, help="at most so many posts (default: 60)")
    arguments = parser.parse_args()
    blog = max(chosen_blogs(arguments), key=lambda blog: sum(1 for _ in blog.truth()))
    posts = blog_posts(blog, arguments.posts)
    entries = len(parse_feed(blog.feed(), blog.feed_url).entries)
    say(f"{blog.id}: {len(posts)} posts, {sum(len(page) for _, page in posts) / 1000:.0f} kB")
    curves = measure(blog, posts, arguments.runs)
    title = f"{len(posts)} posts of one blog, mean of {arguments.runs} runs"
    draw(curves, entries, title, arguments.output)
    if arguments.json:
        print(json.dumps({"machine": machine(), "entries": entries, "curves": curves}))
    else:
        print(f"{title}; {machine()}\n\n{_markdown(curves, entries)}\n\n{arguments.output} written")


if __name__ == "__main__":
    main()
