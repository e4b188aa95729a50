"""The papers' own experiments on a corpus, as plain tables: name -> rows, a row being column -> value.

Each table stands under the name by which the command line and the page on accuracy show it.
"""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from everlog.evaluate.corpus import Blog

Rows = list[dict[str, Any]]
Tables = dict[str, Rows]

# How often an experiment goes over all blogs, where that is not once.
ROUNDS = {"noise": 2}
# Long ones, which the command line shows only when it is asked for more.
DETAILS = frozenset({"each site", "by kind of query"})


def peers_tables(blogs: Sequence[Blog], *, jobs: int = 1, done: Callable[[str], None] = lambda _: None) -> Tables:
    """Extractors without a feed beside each other: the means over blogs, and each site."""
    from everlog.evaluate.peers import measure_peers, site_rows, total_rows  # noqa: PLC0415 - loads lxml

    sites = measure_peers(blogs, jobs=jobs, done=done)
    return {"extractors without a feed": total_rows(sites), "each site": site_rows(sites)}


def retrieval_tables(blogs: Sequence[Blog], *, jobs: int = 1, done: Callable[[str], None] = lambda _: None) -> Tables:
    """Search on pages, on cleaned pages and on everlog's articles, by kind of query, and what differs."""
    from everlog.evaluate.retrieval import measure_retrieval  # noqa: PLC0415 - loads lxml

    asked = measure_retrieval(blogs, jobs=jobs, done=done)
    return {
        "retrieval": [row for one in asked for row in one.rows()],
        "by kind of query": [row for one in asked for row in one.rows_by_kind()],
        "differences": [row for one in asked for row in one.differences()],
    }


def noise_tables(blogs: Sequence[Blog], *, jobs: int = 1, done: Callable[[str], None] = lambda _: None) -> Tables:
    """What DiffPost leaves of noise and strips of content, and the sweep of the anchor-text test."""
    from everlog.evaluate.noise import anchor_sweep, noise_table  # noqa: PLC0415 - loads lxml

    return {
        "noise": noise_table(blogs, jobs=jobs, done=done),
        "anchor-text ratio": anchor_sweep(blogs, jobs=jobs, done=done),
    }


def telling_tables(blogs: Sequence[Blog], *, jobs: int = 1, done: Callable[[str], None] = lambda _: None) -> Tables:
    """Posts told from other pages, with the feed and without, on blogs whose pages are labelled."""
    from everlog.evaluate.telling import telling_rows  # noqa: PLC0415 - loads lxml

    return {"posts told from other pages": telling_rows(blogs, jobs=jobs, done=done)}


def render_rows(rows: Rows) -> str:
    """A table for the terminal.

    >>> print(render_rows([{"tool": "a", "P": 0.5}, {"tool": "long", "P": None}]))
    tool      P
    a     0.500
    long      -
    """
    heads = list(dict.fromkeys(name for row in rows for name in row))
    cells = [heads, *([_shown(row.get(head)) for head in heads] for row in rows)]
    is_text = [any(isinstance(row.get(head), str) for row in rows) for head in heads]
    widths = [max(map(_width, column)) for column in zip(*cells, strict=True)]
    return "\n".join(
        "  ".join(map(_padded, line, widths, is_text)).rstrip() for line in cells
    )


def _shown(value: Any) -> str:
    if value is None:
        return "-"
    if isinstance(value, float):
        # Of a probability that is nearly none, the size is what matters.
        return f"{value:.3f}" if value == 0 or abs(value) >= 0.0005 else f"{value:.0e}"
    return str(value)


def _padded(cell: str, width: int, is_text: bool) -> str:  # noqa: FBT001 - one of three columns of arguments
    blank = " " * (width - _width(cell))
    return cell + blank if is_text else blank + cell


def _width(text: str) -> int:
    """Columns on a terminal: wide characters take two."""
    return sum(2 if unicodedata.east_asian_width(character) in "WF" else 1 for character in text)
