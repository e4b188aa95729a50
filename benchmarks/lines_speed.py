"""What the statistical extractor costs, as multiples of parsing the same bytes with lxml.

    python benchmarks/lines_speed.py                          # the whole corpus, some posts of each blog
    python benchmarks/lines_speed.py --blogs 10 --pages 2     # a first look

Processor time of one thread, the best of some runs each, taken in turns. "extractor" is what comes on top of a
parsed page: the outline and the lines; "with the parse" begins at the bytes.
"""

from __future__ import annotations

import argparse
import json
import time
from functools import partial
from typing import TYPE_CHECKING, Any

from blogs import add_corpus_arguments, chosen_blogs, say, unseen_pages
from everlog.core.outline import Outline
from everlog.core.tree import parse
from everlog.extract.extractors.line_classifier import extract
from stopwatch import no_garbage_collection, plain_parse, summary
from tables import machine, markdown_table

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from everlog.core.tree import Element
    from everlog.evaluate.corpus import Blog

WAYS = ("outline alone", "extractor", "with the parse")


def measure(blogs: Sequence[Blog], pages: int, runs: int) -> dict[str, Any]:
    """Ratios of each way over all pages."""
    times: dict[str, list[tuple[float, float]]] = {way: [] for way in WAYS}
    for done, blog in enumerate(blogs, 1):
        say(f"{done}/{len(blogs)} {blog.id}")
        for _, page in unseen_pages(blog, pages):
            root = parse(page)
            plain, *spent = best_times(
                runs, partial(plain_parse, page), partial(Outline, root), partial(_extract, root),
                partial(_read, page),
            )
            for way, seconds in zip(WAYS, spent, strict=True):
                times[way].append((seconds, plain))
    rows = []
    for way, pairs in times.items():
        totals = (sum(spent for spent, _ in pairs), sum(plain for _, plain in pairs))
        rows.append({"way": way, **summary([spent / plain for spent, plain in pairs], totals)})
    return {"machine": machine(), "rows": rows}


def best_times(runs: int, *tasks: Callable[[], object]) -> list[float]:
    """The least processor seconds of each task, the tasks taking turns; the first round only warms up."""
    best = [float("inf")] * len(tasks)
    with no_garbage_collection():
        for turn in range(runs + 1):
            for place, task in enumerate(tasks):
                start = time.thread_time()
                task()
                spent = time.thread_time() - start
                if turn:
                    best[place] = min(best[place], spent)
    return best


def _extract(root: Element) -> object:
    return extract(Outline(root))


def _read(page: bytes) -> object:
    return extract(Outline(parse(page)))


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_corpus_arguments(parser)
    parser.add_argument("--pages", type=int, default=4, help="posts of each blog (default: 4)")
    parser.add_argument("--runs", type=int, default=5, help="the best of so many runs (default: 5)")
    arguments = parser.parse_args()
    figures = measure(chosen_blogs(arguments), arguments.pages, arguments.runs)
    if arguments.json:
        print(json.dumps(figures, indent=1))
        return
    rows = [[row["way"], row["count"], *(f"{row[name]:.2f} x" for name in ("median", "of_totals", "p95", "worst"))]
            for row in figures["rows"]]
    print(figures["machine"] + "\n")
    print(markdown_table(["times the lxml parse", "pages", "median", "of totals", "95th percentile", "worst"], rows))


if __name__ == "__main__":
    main()
