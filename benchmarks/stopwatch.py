"""Times that can be compared: the same process, the same bytes, turn by turn, garbage collector off."""

from __future__ import annotations

import gc
import time
from contextlib import contextmanager
from statistics import median
from typing import TYPE_CHECKING

from lxml import etree

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

# Plain lxml, the parser made once: the least that any reader of the page has to pay.
_PARSER = etree.HTMLParser(encoding="utf-8")


def plain_parse(page: bytes) -> None:
    """The measure of all ratios."""
    etree.fromstring(page, _PARSER)


def best_times(runs: int, *tasks: Callable[[], object]) -> list[float]:
    """The least seconds that each task took, the tasks taking turns.

    What another process does at the same time can only make a task slower, never faster; turns
    make sure that a slow moment of the machine hits all tasks alike.
    """
    best = [float("inf")] * len(tasks)
    with no_garbage_collection():
        for _ in range(runs):
            for place, task in enumerate(tasks):
                start = time.perf_counter()
                task()
                best[place] = min(best[place], time.perf_counter() - start)
    return best


@contextmanager
def no_garbage_collection() -> Iterator[None]:
    """Collects once, then not until the end."""
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def summary(ratios: Sequence[float], totals: tuple[float, float]) -> dict[str, float | int | None]:
    """How ratios are reported: their median, the ratio of the sums, the 95th percentile, the worst."""
    if not ratios:
        return {"count": 0, "median": None, "of_totals": None, "p95": None, "worst": None}
    ordered = sorted(ratios)
    return {
        "count": len(ordered),
        "median": median(ordered),
        "of_totals": totals[0] / totals[1],
        "p95": ordered[min(len(ordered) - 1, int(0.95 * len(ordered)))],
        "worst": ordered[-1],
    }
