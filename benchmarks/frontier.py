"""How many requests it takes to have 90 % of a blog's posts, by the order in which pages are asked for.

    python benchmarks/frontier.py [--seeds N] [--json] [--plot docs/images/frontier.svg]

The hosts are generated (see generated_hosts.py): 1,000 posts that do not link to each other, beside a
forum of 5,000 pages, a wiki of 2,000 and a calendar without end. The crawler knows the ten addresses of
the feed and what these teach about the addresses of posts.
"""

from __future__ import annotations

import argparse
import json
import random
from collections import deque
from pathlib import Path
from statistics import mean
from typing import TYPE_CHECKING, Protocol

from blogs import say
from everlog.core.urls import canonical
from everlog.extract.classify import UrlPattern
from everlog.frontier import Frontier
from generated_hosts import HOME, LAYOUTS, POSTS, generate
from tables import markdown_table

if TYPE_CHECKING:
    from everlog.records import Lane
    from generated_hosts import Host

SHARE = 0.9
# Longer than any order needs that gets there at all.
MOST_REQUESTS = 20_000


class Order(Protocol):
    """What decides which address is next."""

    def add(self, url: str, key: str, lane: Lane) -> None: ...
    def next(self) -> tuple[str, str] | None: ...
    def learn(self, url: str, new_posts: int) -> None: ...


class Plain:
    """One queue, or one of posts before one of pages; `take` says which of those that wait is next."""

    def __init__(self, take: str, *, posts_first: bool = False, seed: int = 0) -> None:
        self._take = take
        self._posts_first = posts_first
        self._lanes: dict[str, deque[tuple[str, str]]] = {"post": deque(), "page": deque()}
        self._chance = random.Random(seed)  # noqa: S311 - an order, not a key

    def add(self, url: str, key: str, lane: Lane) -> None:
        self._lanes[lane if self._posts_first else "page"].append((key, url))

    def next(self) -> tuple[str, str] | None:
        lane = self._lanes["post"] or self._lanes["page"]
        if not lane:
            return None
        if self._take == "any":
            lane.rotate(self._chance.randrange(len(lane)))
        return lane.pop() if self._take == "last" else lane.popleft()

    def learn(self, url: str, new_posts: int) -> None:
        """Nothing is learned."""


def orders(seed: int) -> dict[str, Order]:
    """All orders that are compared."""
    return {
        "breadth first": Plain("first"),
        "depth first": Plain("last"),
        "random": Plain("any", seed=seed),
        "posts first, a plain queue": Plain("first", posts_first=True),
        "posts first, random": Plain("any", posts_first=True, seed=seed),
        "posts first, kNN": Frontier(),
    }


def crawl(host: Host, order: Order) -> list[int]:
    """The requests after which each further post was had."""
    pattern = UrlPattern.learn(host.feed, home=HOME)
    posts = set(map(canonical, host.posts))
    seen = {canonical(url) for url in (HOME, *host.feed)}
    order.add(HOME, canonical(HOME), "page")
    for url in host.feed:
        order.add(url, canonical(url), "post")
    had: list[int] = []
    requests = 0
    while len(had) < SHARE * len(posts) and requests < MOST_REQUESTS and (following := order.next()) is not None:
        key, url = following
        requests += 1
        if key in posts:
            had.append(requests)
        new = 0
        for link in host.links(url):
            other = canonical(link)
            if other not in seen:
                seen.add(other)
                is_post = pattern.matches_key(other)
                new += is_post
                order.add(link, other, "post" if is_post else "page")
        if key not in posts or new:
            order.learn(url, new)
    return had


def main() -> None:
    arguments = _arguments()
    runs: dict[tuple[str, int], dict[str, list[int]]] = {}
    for layout in LAYOUTS:
        for seed in range(arguments.seeds):
            host = generate(layout, seed)
            runs[layout.name, seed] = {name: crawl(host, order) for name, order in orders(seed).items()}
            say(f"  {layout.name}, seed {seed}: " + ", ".join(f"{name} {_needed(had)}" for name, had in
                                                             runs[layout.name, seed].items()))
    if arguments.json:
        print(json.dumps([{"layout": name, "seed": seed, **{order: _needed(had) for order, had in run.items()}}
                          for (name, seed), run in runs.items()], indent=1))
    else:
        _print(runs, arguments.seeds)
    if arguments.plot:
        _plot(runs, arguments.plot)


def _print(runs: dict[tuple[str, int], dict[str, list[int]]], seeds: int) -> None:
    names = list(next(iter(runs.values())))
    rows = [[layout.name, *(round(mean(_needed(runs[layout.name, seed][name]) for seed in range(seeds)))
                            for name in names)] for layout in LAYOUTS]
    print(f"Requests for 90 % of {POSTS:,} posts, mean over {seeds} seeds; the least is {int(SHARE * POSTS)}.\n")
    print(markdown_table(["layout", *names], rows))
    print()
    product = names[-1]
    for other in names[:-1]:
        ratios = [_needed(run[product]) / _needed(run[other]) for run in runs.values()]
        print(f"{product} over {other}: mean {mean(ratios):.2f}, worst {max(ratios):.2f} of {len(ratios)} hosts")


def _needed(had: list[int]) -> int:
    """The requests for the share of posts that counts; the limit where it was not reached."""
    return had[-1] if len(had) >= SHARE * POSTS else MOST_REQUESTS


def _plot(runs: dict[tuple[str, int], dict[str, list[int]]], file: Path) -> None:
    import matplotlib as mpl  # noqa: PLC0415 - only for the plot

    mpl.use("svg")
    mpl.rcParams["svg.hashsalt"] = "everlog"
    from matplotlib import pyplot as plt  # noqa: PLC0415

    figure, panels = plt.subplots(1, len(LAYOUTS), figsize=(15, 3.4), sharey=True, layout="constrained")
    for panel, layout in zip(panels, LAYOUTS, strict=True):
        for name, had in runs[layout.name, 0].items():
            panel.plot([0, *had], range(len(had) + 1), label=name, linewidth=2.2 if "kNN" in name else 1.1)
        panel.set(title=layout.name, xlabel="requests", xlim=(0, 12_000))
        panel.grid(alpha=0.3)
    panels[0].set_ylabel("posts")
    panels[-1].legend(fontsize=7, loc="lower right")
    figure.savefig(file, metadata={"Date": None})


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seeds", type=int, default=3, metavar="N", help="hosts of each layout")
    parser.add_argument("--json", action="store_true", help="print JSON, not Markdown")
    parser.add_argument("--plot", type=Path, metavar="FILE", help="draw posts over requests")
    return parser.parse_args()


if __name__ == "__main__":
    main()
