"""Time and memory of a page's comments as their number grows: flat, and nested as deep as a page can be parsed.

    python benchmarks/comments_speed.py [--runs N] [--json FILE]

The page is what a WordPress theme writes. Beside each reader stands the time that parsing the page takes.
Peak memory is that of a process of its own, over what the parsed page alone takes.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from everlog.comments.known_engines import read_known
from everlog.comments.repeated import read_repeated
from everlog.core.tree import Element, parse
from stopwatch import no_garbage_collection
from tables import machine, markdown_table

if TYPE_CHECKING:
    from collections.abc import Callable

URL = "http://example.org/a-post/"
FETCHED = datetime(2024, 5, 1, tzinfo=UTC)
# libxml2 parses no deeper than 2,048 elements; a comment nested in another takes two.
DEEPEST = 1_000
SIZES = (100, 1_000, 5_000, 20_000)
# Small, so that 20,000 of them make no page larger than everlog reads at all (8 MB).
COMMENT = (
    '<li class="comment depth-{depth}" id="comment-{n}"><div class="comment-body"><div class="comment-author">'
    '<b class="fn"><a href="http://a{n}.org/">Reader {n}</a></b>:</div>'
    '<a class="comment-date" href="#comment-{n}">March {day}, 2019 at {hour}:31 am</a>'
    '<div class="comment-content"><p>{n} on <em>rain</em>.</p><p>More.</p></div>'
    '<a class="comment-reply-link">Reply</a></div>'
)
READERS: dict[str, Callable[[Element], Any]] = {
    "known markup": lambda root: read_known(root, URL, fetched_at=FETCHED),
    "repeated structure": lambda root: read_repeated(root, URL, None, fetched_at=FETCHED),
}


def page(comments: int, *, nested: bool) -> bytes:
    """A page of so many comments, side by side or each the answer to the one before it, as deep as can be."""
    pieces = ["<html lang=en><body><article><p>A post.</p></article><section id=comments>"]
    pieces.append(f"<h2>{comments} Comments</h2><ol class=comment-list>")
    depth = 0
    for n in range(1, comments + 1):
        if nested and 0 < depth < DEEPEST:
            pieces.append('<ol class="children">')
        elif nested and depth:
            pieces.append("</li></ol>" * (depth - 1) + "</li>")
            depth = 0
        depth += 1
        pieces.append(COMMENT.format(n=n, depth=depth if nested else 1, day=n % 28 + 1, hour=n % 11 + 1))
        if not nested:
            pieces.append("</li>")
    if nested:
        pieces.append("</li></ol>" * (depth - 1) + "</li>")
    return "".join((*pieces, "</ol></section></body></html>")).encode()


def measure(name: str, comments: int, *, nested: bool, runs: int) -> dict[str, Any]:
    """The least processor time of some runs, and the peak memory of one in a process of its own."""
    body = page(comments, nested=nested)
    root = parse(body)
    thread = READERS[name](root)
    found = thread.comments if thread is not None else ()
    whole = sum(bool(c.author and c.published and c.text and c.id) for c in found)
    parsing, reading = _seconds(runs, lambda: parse(body)), _seconds(runs, lambda: READERS[name](root))
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        kilobytes = pool.apply(_memory, (name, comments, nested))
    return {
        "page": f"{comments:,} {'nested' if nested else 'flat'}, {name}", "whole": whole,
        "parse_ms": 1000 * parsing, "read_ms": 1000 * reading, "parses": reading / parsing,
        "read_us_each": 1e6 * reading / comments, "peak_kb_each": kilobytes / comments,
    }


def _seconds(runs: int, task: Callable[[], object]) -> float:
    # Processor time: that of the wall is another's where others use the machine.
    best = float("inf")
    with no_garbage_collection():
        for _ in range(runs):
            start = time.process_time()
            task()
            best = min(best, time.process_time() - start)
    return best


def _memory(name: str, comments: int, nested: bool) -> float:  # noqa: FBT001 - the arguments of a process
    READERS[name](parse(page(20, nested=nested)))
    root = parse(page(comments, nested=nested))
    # Linux forgets the peak so far, which making the page has set.
    Path("/proc/self/clear_refs").write_text("5", "ascii")
    before = _status("VmRSS")
    READERS[name](root)
    return _status("VmHWM") - before


def _status(name: str) -> float:
    lines = Path("/proc/self/status").read_text("ascii").splitlines()
    return next(float(line.split()[1]) for line in lines if line.startswith(name))


def main() -> None:
    """Measures all sizes and prints one row for each."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--json", type=argparse.FileType("w"), help="write the figures there as well")
    chosen = parser.parse_args()
    rows = [
        measure(name, size, nested=nested, runs=chosen.runs)
        for name in READERS for nested in (False, True) for size in SIZES
    ]
    heads = ("page", "read whole", "lxml parse, ms", "reading, ms", "in parses", "µs a comment", "peak kB a comment")
    cells = ([row["page"], row["whole"], *(round(float(value), 1) for value in list(row.values())[2:])] for row in rows)
    print(markdown_table(heads, cells), machine(), sep="\n\n")
    if chosen.json:
        json.dump(rows, chosen.json, indent=1)


if __name__ == "__main__":
    main()
