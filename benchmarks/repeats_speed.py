"""What comparing pages costs over a whole blog, beside parsing it, and how that grows with the blog.

    python benchmarks/repeats_speed.py                          # a made blog of 250, 500 and 1,000 pages
    python benchmarks/repeats_speed.py --corpus --blogs 20      # real pages, blog by blog

Seconds of processor time, the best of some runs, garbage collector off. *parse* is plain lxml on the bytes; *outline*
is laying the tree flat, which other steps of reading a page need too; *DiffPost* is what comparing adds: learning from
the first pages of the blog and cleaning all of them, fingerprints included.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import deque
from itertools import cycle, islice
from typing import TYPE_CHECKING, NamedTuple

from blogs import add_corpus_arguments, chosen_blogs, say, unseen_pages
from everlog.core.outline import Outline
from everlog.core.tree import parse
from everlog.errors import EverlogError
from everlog.extract.extractors.diffpost import RepeatCounts, clean_pages
from everlog.extract.extractors.diffpost.page_counts import MOST_PAGES
from made_blog import MadeBlog
from stopwatch import no_garbage_collection, plain_parse
from tables import machine, markdown_table

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

SIZES = (250, 500, 1000)
# More pages than are cleaned at a time.
HELD = 200


class Cost(NamedTuple):
    """Seconds for all pages of a blog."""

    parse: float
    outline: float
    diffpost: float
    stored: int
    """Letters of JSON in which what was learned is kept."""


def measure(pages: Sequence[bytes], runs: int) -> Cost:
    """The least cost of some runs over the same pages."""
    costs = [_run(pages) for _ in range(runs)]
    return Cost(*(min(values) for values in zip(*costs, strict=True)))


def _run(pages: Sequence[bytes]) -> Cost:
    """One run. Pages are taken and forgotten a few at a time, as in a crawl."""
    spent = {"parse": 0.0, "outline": 0.0}
    with no_garbage_collection():
        for page in pages:
            start = time.process_time()
            plain_parse(page)
            spent["parse"] += time.process_time() - start
        start, inside = time.process_time(), _Clock()
        repeats = RepeatCounts.learn(inside.outlines(pages[:MOST_PAGES]))
        for _ in clean_pages(inside.outlines(pages), repeats):
            pass
        whole = time.process_time() - start
    return Cost(
        spent["parse"], inside.laying * len(pages) / (len(pages) + len(pages[:MOST_PAGES])),
        whole - inside.laying - inside.parsing, len(json.dumps(repeats.compact().to_dict())),
    )


class _Clock:
    """Makes outlines, and knows how long making and forgetting them took."""

    def __init__(self) -> None:
        self.parsing = self.laying = 0.0
        self._held: deque[Outline] = deque()

    def outlines(self, pages: Sequence[bytes]) -> Iterator[Outline]:
        for page in pages:
            start = time.process_time()
            root = parse(page)
            parsed = time.process_time()
            self._held.append(Outline(root))
            # Held longer than anybody else does, so that their end falls here and not into the time of cleaning.
            if len(self._held) > HELD:
                self._held.popleft()
            self.parsing += parsed - start
            self.laying += time.process_time() - parsed
            yield self._held[-1]


def made_pages(count: int, kilobytes: int) -> list[bytes]:
    """The posts of a blog of one design."""
    blog = MadeBlog(posts=count, page_bytes=1000 * kilobytes)
    answers = (blog.answer(blog.path(number)) for number in range(1, count + 1))
    return [answer[1] for answer in answers if answer]


def _growth(title: str, pages: Sequence[bytes], runs: int) -> str:
    rows, before = [], None
    for size in SIZES:
        cost = measure(list(islice(cycle(pages), size)), runs)
        rows.append([
            size, *(f"{seconds:.3f}" for seconds in cost[:3]), *_ratios(cost),
            f"{cost.diffpost / before:.2f}" if before else None, cost.stored,
        ])
        before = cost.diffpost
    mean_size = sum(map(len, pages)) / len(pages) / 1000
    heads = ["pages", "parse (s)", "outline (s)", "DiffPost (s)", "DiffPost / parse", "with outline / parse",
             "twice the pages", "stored (letters)"]
    return f"{title}, {mean_size:.0f} kB a page\n\n{markdown_table(heads, rows)}"


def _ratios(cost: Cost) -> tuple[str, str]:
    return f"{cost.diffpost / cost.parse:.2f}", f"{(cost.diffpost + cost.outline) / cost.parse:.2f}"


def _corpus(arguments: argparse.Namespace) -> str:
    costs = []
    longest: list[bytes] = []
    for blog in chosen_blogs(arguments):
        pages = [page for _, page in unseen_pages(blog) if _is_readable(page)]
        longest = max(longest, pages, key=len)
        if len(pages) > 1:
            say(blog.id)
            costs.append(measure(pages[:50], arguments.runs))
    total = Cost(*(sum(values) for values in zip(*costs, strict=True)))
    ordered = sorted(cost.diffpost / cost.parse for cost in costs)
    rows = [[len(costs), *_ratios(total), f"{ordered[len(ordered) // 2]:.2f}", f"{ordered[-1]:.2f}"]]
    heads = ["blogs", "DiffPost / parse", "with outline / parse", "median of blogs", "worst blog"]
    title = f"The {len(longest)} pages of the blog with most of them, over and over"
    return (
        f"Real pages, at most 50 of a blog\n\n{markdown_table(heads, rows)}\n\n"
        f"{_growth(title, longest, arguments.runs)}"
    )


def _is_readable(page: bytes) -> bool:
    try:
        parse(page)
    except EverlogError:
        return False
    return True


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_corpus_arguments(parser)
    parser.add_argument("--corpus", action="store_true", help="real pages instead of made ones")
    parser.add_argument("--runs", type=int, default=3, help="the best of so many runs (default: 3)")
    parser.add_argument("--kilobytes", type=int, default=30, help="size of a made page (default: 30)")
    arguments = parser.parse_args()
    if arguments.corpus:
        table = _corpus(arguments)
    else:
        table = _growth("A made blog", made_pages(max(SIZES), arguments.kilobytes), arguments.runs)
    print(f"{machine()}\n\n{table}")


if __name__ == "__main__":
    main()
