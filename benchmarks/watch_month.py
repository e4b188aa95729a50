"""A month of thousands of blogs, polled by everlog's schedule in-process: delays, requests, misses, memory.

    python benchmarks/watch_month.py [FOLDER] [--blogs 10000] [--days 30] [--seed 1] [--hasty SHARE]
                                     [--plot FILE.svg] [--markdown FILE] [--json]

The world is made by watch_making.py: real rhythms of the corpus, assumed headers, moves, deaths, refusals,
edits and deletions. Without a corpus the rhythms are made up, and the table says so. The schedule's constants
were chosen on one half of the corpus' blogs; the halves have columns of their own. Ends with 1 if a
promise is broken.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import fmean, median
from typing import TYPE_CHECKING

from blogs import DEFAULT_FOLDER, say
from tables import machine, markdown_table, percent
from watch_making import Shares, make_world
from watch_simulation import Fixed, Tally, at_fixed_intervals, simulate
from watch_sources import Source, corpus_sources, synthetic_sources

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from watch_world import World

# The noise paper's crawl frequencies.
INTERVALS = (1, 3, 11, 17, 24)
MOST_POLLS, LONGEST_MEDIAN_HOURS = 10.0, 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """How soon posts were found, by whatever schedule. Delays are hours, of blogs that post weekly or more."""

    name: str
    polls_per_day: float
    posts: int
    median_delay: float
    median_of_blogs: float
    mean_delay: float
    left_feed: float
    commented: float
    comments: float


def figures(name: str, world: World, found: Tally | Fixed, polls_per_day: float, chosen: set[int]) -> Figures:
    """The figures of the chosen blogs."""
    weekly = {at for at in chosen if world.blogs[at].posts_weekly(world.end_at)}
    delays: dict[int, list[float]] = {}
    for at, seconds in zip(found.blogs, found.delays, strict=True):
        if at in weekly:
            delays.setdefault(at, []).append(seconds / 3600)
    pooled = [hours for blog in delays.values() for hours in blog] or [0.0]
    own = [place for place, at in enumerate(found.blogs) if at in chosen]
    return Figures(
        name=name, polls_per_day=polls_per_day, posts=len(own), median_delay=median(pooled),
        median_of_blogs=median([median(blog) for blog in delays.values()] or [0.0]), mean_delay=fmean(pooled),
        left_feed=_mean(found.had_left[place] for place in own),
        commented=_mean(found.comments[place] > 0 for place in own),
        comments=_mean(found.comments[place] for place in own),
    )


def compared(world: World, tally: Tally, seed: int) -> list[Figures]:
    """everlog's schedule, then the fixed intervals."""
    everyone = set(range(len(world.blogs)))
    rows = [figures("everlog", world, tally, tally.polls / tally.watched_days, everyone)]
    return rows + [
        figures(f"every {hours} h", world, at_fixed_intervals(world, hours, seed), 24 / hours, everyone)
        for hours in INTERVALS
    ]


def broken(figures: Figures, tally: Tally) -> list[str]:
    """The promises that did not hold."""
    found = {
        f"{len(tally.missed)} posts were missed": bool(tally.missed),
        f"the median delay is {figures.median_delay:.2f} h": figures.median_delay > LONGEST_MEDIAN_HOURS,
        f"{figures.polls_per_day:.1f} polls per blog and day": figures.polls_per_day > MOST_POLLS,
        f"{tally.early} requests were too early": tally.early > 0,
        f"{tally.to_the_dead} requests went to dead blogs": tally.to_the_dead > 0,
    }
    return [text for text, is_broken in found.items() if is_broken]


def markdown(world: World, tally: Tally, rows: Sequence[Figures], halves: Sequence[Figures], seconds: str) -> str:
    """The tables of docs/internals/polling.md."""
    first = markdown_table(
        ["schedule", "polls per blog and day", "median delay, h", "median of blogs' medians, h", "mean delay, h",
         "had left the feed, %", "had comments, %", "comments per post"],
        [[row.name, f"{row.polls_per_day:.1f}", f"{row.median_delay:.2f}", f"{row.median_of_blogs:.2f}",
          f"{row.mean_delay:.2f}", percent(row.left_feed), percent(row.commented), f"{row.comments:.3f}"]
         for row in [*rows, *halves]],
    )
    memory = ", ".join(f"day {day}: {now:.0f} (peak {peak:.0f})" for day, (now, peak) in tally.memory.items())
    second = markdown_table(["counted over the whole month", "everlog"], [
        ["blogs", f"{len(world.blogs):,}"], ["posts that appeared", f"{rows[1].posts:,}"],
        ["posts found", f"{rows[0].posts:,}"],
        ["posts missed that were in a feed for two hours or more", str(len(tally.missed))],
        ["posts found by walking back, as they had left the feed", f"{sum(tally.had_left):,}"],
        ["polls", f"{tally.polls:,}"], ["of which unchanged", f"{tally.unchanged:,}"],
        ["unchanged ones answered 304, %", percent(tally.not_modified / max(1, tally.unchanged))],
        ["refused (429, 503)", f"{tally.refused:,}"], ["failed, and the home page asked as well", f"{tally.failed:,}"],
        ["requests earlier than allowed", str(tally.early)],
        ["blogs that died, and known to be dead at the end", f"{tally.dead}, {tally.known_dead}"],
        ["requests to blogs known to be dead", str(tally.to_the_dead)],
        ["requests to an address that had moved", str(tally.to_old_addresses)],
        ["memory, MB", memory], ["seconds for the simulation (of the processor)", seconds],
    ])
    return f"{first}\n\n{second}"


def draw(rows: Sequence[Figures], output: Path) -> None:
    """Delay against requests, and what the delay costs."""
    import matplotlib as mpl  # noqa: PLC0415 - the simulation itself does without it

    mpl.use("Agg")
    from matplotlib import pyplot as plt  # noqa: PLC0415

    mpl.rcParams.update({"font.size": 11, "axes.spines.top": False, "axes.spines.right": False,
                         "svg.hashsalt": "watching", "svg.fonttype": "none"})
    figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4.6), width_ratios=(1.25, 1), layout="constrained")
    own, fixed = rows[0], rows[1:]
    left.plot([row.polls_per_day for row in fixed], [row.median_delay for row in fixed], "o-", color="#888888")
    left.plot([own.polls_per_day], [own.median_delay], "o", color="#c0392b", markersize=10)
    for row in rows:
        left.annotate(row.name, (row.polls_per_day, row.median_delay), (8, 5), textcoords="offset points",
                      color="#c0392b" if row is own else "#555555")
    left.set(xscale="log", yscale="log", xlabel="Polls per blog and day", xlim=(0.8, 50),
             ylabel="Median delay of a new post (hours)")
    for axis, ticks in ((left.xaxis, (1, 2, 5, 10, 24)), (left.yaxis, (0.5, 1, 2, 5, 10))):
        axis.set_ticks(ticks, [f"{tick:g}" for tick in ticks])
        axis.set_minor_locator(mpl.ticker.NullLocator())
    left.grid(color="#e4e4e4", linewidth=0.8)
    places = range(len(rows))
    right.barh([place - 0.2 for place in places], [100 * row.left_feed for row in rows], 0.38, color="#2c6e9b",
               label="had left the feed")
    right.barh([place + 0.2 for place in places], [100 * row.commented for row in rows], 0.38, color="#d9a441",
               label="had comments on the page")
    right.set(yticks=list(places), yticklabels=[row.name for row in rows], xlabel="% of posts, when they were found")
    right.invert_yaxis()
    right.legend(frameon=False, loc="lower right", bbox_to_anchor=(1.0, 1.0), ncols=2, borderaxespad=0)
    figure.savefig(output, metadata={"Date": None} if output.suffix == ".svg" else None)
    plt.close(figure)


def rhythms(folder: Path | None) -> tuple[list[Source], str]:
    """What is drawn from, and its name. A machine without a corpus makes rhythms up."""
    place = (folder or Path(os.environ.get("EVERLOG_CORPUS") or DEFAULT_FOLDER)).expanduser()
    sources = corpus_sources(place)
    if sources:
        return sources, f"rhythms of {len(sources)} real blogs"
    return synthetic_sources(), "made-up rhythms (no corpus was found)"


def main() -> int:
    """Command line."""
    arguments = _arguments()
    sources, kind = rhythms(arguments.folder)
    say(f"making {arguments.blogs:,} blogs: {kind}")
    world = make_world(sources, blogs=arguments.blogs, days=arguments.days, seed=arguments.seed,
                       shares=Shares(hasty_posts=arguments.hasty))
    start, busy = time.perf_counter(), time.process_time()
    tally = simulate(world, say=say)
    seconds, own_seconds = time.perf_counter() - start, time.process_time() - busy
    rows = compared(world, tally, arguments.seed)
    halves = _halves(world, tally, sources)
    tables = markdown(world, tally, rows, halves, f"{seconds:.0f} ({own_seconds:.0f})")
    text = f"{kind}, seed {arguments.seed}; {machine()}\n\n{tables}"
    print(_json(tally, [*rows, *halves], seconds) if arguments.json else text)
    if arguments.markdown:
        arguments.markdown.write_text(text + "\n", "utf-8")
    if arguments.plot:
        draw(rows, arguments.plot)
    wrong = broken(rows[0], tally)
    for line in [*(f"missed: {miss}" for miss in tally.missed[:10]), *(f"broken promise: {text}" for text in wrong)]:
        say(line)
    return 1 if wrong else 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path, help="a corpus (default: $EVERLOG_CORPUS or the usual place)")
    parser.add_argument("--blogs", type=int, default=10_000)
    parser.add_argument("--days", type=float, default=30)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--hasty", type=float, default=0.0, help="share of posts withdrawn within a day")
    parser.add_argument("--plot", type=Path, help="where to draw delay against requests")
    parser.add_argument("--markdown", type=Path, help="write the tables there as well")
    parser.add_argument("--json", action="store_true", help="print JSON, not Markdown")
    return parser.parse_args()


def _json(tally: Tally, rows: Sequence[Figures], seconds: float) -> str:
    return json.dumps({
        "rows": [asdict(row) for row in rows], "missed": tally.missed, "early": tally.early,
        "to_the_dead": tally.to_the_dead, "seconds": seconds, "memory": tally.memory,
    })


def _halves(world: World, tally: Tally, sources: Sequence[Source]) -> list[Figures]:
    half_of = {source.name: source.half for source in sources}
    names = ("everlog, the blogs its constants were chosen on", "everlog, the other blogs")
    found = []
    for half, name in enumerate(names):
        chosen = {at for at, blog in enumerate(world.blogs) if half_of[blog.source] == half}
        share = sum(tally.polls_of[at] for at in chosen) / max(1e-9, sum(tally.days_of[at] for at in chosen))
        found.append(figures(name, world, tally, share, chosen))
    return found


def _mean(values: Iterable[float]) -> float:
    found = list(values)
    return fmean(found) if found else 0.0


if __name__ == "__main__":
    sys.exit(main())
