"""What reading and learning cost, as multiples of parsing the same bytes with lxml.

    python benchmarks/speed.py                                   # everything, on the whole corpus
    python benchmarks/speed.py --blogs 6 --pages 4 --runs 3      # a first look
    python benchmarks/speed.py --only reading,learning           # parts: reading, learning, doubling, memory
    python benchmarks/speed.py --json > speed.json
    python benchmarks/speed.py --only reading,learning --most-reading 4.5 --most-learning 40   # fails above

reading   bytes -> Post with all fields, the parse included; pages whose article the first rule reads apart
          from those that need a fall-back; with and without the cleaned HTML for storage
peers     the text alone, on some of the same pages
learning  feed bytes and ten pages -> Template, the contest included, beside parsing those ten pages
doubling  the article of a page repeated until the page is nearly all article, then on
memory    peak of a process that learns the largest pages of the corpus

All ratios are of times in one process on the same pages: the best of some runs each, taken in turns,
garbage collector off.
"""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import dataclass, replace
from functools import partial
from statistics import median
from typing import TYPE_CHECKING, Any

import everlog
from blogs import add_corpus_arguments, chosen_blogs, learned, say, spread, training, unseen_pages
from doubling import measure_doubling
from everlog.errors import EverlogError
from memory import measure_memory
from stopwatch import best_times, plain_parse, summary
from tables import machine, markdown_table

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from everlog import Post, Template
    from everlog.evaluate.corpus import Blog

# The row that a gate looks at.
READING = "everlog: all pages"
PARTS = ("reading", "learning", "doubling", "memory")
FEED_ENTRIES = 10
Figures = dict[str, Any]
Times = dict[str, list[tuple[float, float]]]
"""Way of reading -> seconds of it and of the parse, for each page."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How much is measured."""

    pages: int
    peer_pages: int
    runs: int


# Reading ----------------------------------------------------------------------------------------


def measure_reading(blogs: Sequence[Blog], limits: Limits) -> Figures:
    """A row for each way of reading, and the pages that cost everlog most."""
    times: Times = {}
    slowest: list[Figures] = []
    for done, blog in enumerate(blogs, 1):
        say(f"reading {done}/{len(blogs)} {blog.id}")
        template = learned(blog)
        if template is None:
            continue
        pages = list(unseen_pages(blog, limits.pages))
        for url, page in pages:
            ratio = _read_page(template, url, page, limits, times)
            slowest.append({"url": url, "kilobytes": len(page) / 1000, "ratio": ratio or 0.0})
        for url, page in spread(pages, limits.peer_pages):
            _read_page_by_peers(url, page, limits, times)
    slowest.sort(key=lambda row: -row["ratio"])
    return {"rows": [_row(name, pairs) for name, pairs in times.items()], "slowest": slowest[:10]}


def _read_page(
    template: Template, url: str, page: bytes, limits: Limits, times: Times,
) -> float | None:
    """Times one page; the ratio, or None for a page that is skipped."""
    read = template.reader.read
    post = read(page, url, None, None, html=False, comments=False)
    if not isinstance(post, everlog.Post):
        return None
    parse, bare, commented, whole = best_times(
        limits.runs, partial(plain_parse, page), partial(read, page, url, None, None, html=False, comments=False),
        partial(read, page, url, None, None, html=False), partial(read, page, url, None, None, html=True),
    )
    times.setdefault("everlog with comments: all pages", []).append((commented, parse))
    for name in (*_kinds(template, post), "all pages"):
        times.setdefault(f"everlog: {name}", []).append((bare, parse))
        times.setdefault(f"everlog with comments and cleaned HTML: {name}", []).append((whole, parse))
    return bare / parse


def _kinds(template: Template, post: Post) -> list[str]:
    """Whether the article came from the first rule, and if so, whether every other field did too."""
    if post.provenance["text"].rule != template.designs[0].places[0].where:
        return ["article by a fall-back"]
    # Tags may be the union of several rules, the first one named first.
    others = all(
        found.method == rules[0].method and (found.rule or "").startswith(rules[0].where)
        for name, rules in template.fields.items() if (found := post.provenance.get(name)) is not None
    )
    rest = "every field by its first rule" if others else "some other field by a fall-back"
    return ["article by the first rule", rest]


def _read_page_by_peers(url: str, page: bytes, limits: Limits, times: Times) -> None:
    from peers import PEERS  # noqa: PLC0415 - memory and learning are measured without them

    tasks: list[Callable[[], object]] = [partial(tool.try_text, page, url) for tool in PEERS]
    parse, *seconds = best_times(limits.runs, partial(plain_parse, page), *tasks)
    for tool, spent in zip(PEERS, seconds, strict=True):
        times.setdefault(f"{tool.label}, text only", []).append((spent, parse))


def _row(name: str, pairs: Sequence[tuple[float, float]]) -> Figures:
    ratios = [spent / parse for spent, parse in pairs]
    totals = (sum(spent for spent, _ in pairs), sum(parse for _, parse in pairs))
    return {"name": name, "median_ms": 1000 * median(spent for spent, _ in pairs), **summary(ratios, totals)}


# Learning ---------------------------------------------------------------------------------------


def measure_learning(blogs: Sequence[Blog], limits: Limits) -> Figures:
    """The ratio for each blog, and its summary."""
    per_blog: list[Figures] = []
    for done, blog in enumerate(blogs, 1):
        feed, pages = training(blog, FEED_ENTRIES)
        say(f"learning {done}/{len(blogs)} {blog.id}")
        if done == 1:
            first = _learn_seconds(blog, feed, pages, 1)  # loads date names and word lists
        times = _learn_seconds(blog, feed, pages, limits.runs)
        if times is not None:
            learn, parse = times
            per_blog.append({
                "blog": blog.id, "pages": len(pages), "kilobytes": sum(map(len, pages.values())) / 1000,
                "learn_ms": 1000 * learn, "parse_ms": 1000 * parse, "ratio": learn / parse,
            })
    rows = [(row["learn_ms"], row["parse_ms"]) for row in per_blog]
    totals = (sum(learn for learn, _ in rows), sum(parse for _, parse in rows))
    return {
        **summary([row["ratio"] for row in per_blog], totals),
        "median_ms": median(row["learn_ms"] for row in per_blog),
        "first_ms": 1000 * first[0] if first else None,
        "blogs": sorted(per_blog, key=lambda row: -row["ratio"]),
    }


def _learn_seconds(
    blog: Blog, feed: bytes, pages: dict[str, bytes], runs: int,
) -> tuple[float, float] | None:
    """Seconds for learning and for parsing the pages; None for a blog that cannot be learned."""
    try:
        learn, parse = best_times(
            runs, partial(everlog.learn, feed, pages, feed_url=blog.feed_url), partial(_parse_all, pages),
        )
    except EverlogError:
        return None
    return learn, parse


def _parse_all(pages: dict[str, bytes]) -> None:
    for page in pages.values():
        plain_parse(page)


# Command line -----------------------------------------------------------------------------------


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_corpus_arguments(parser)
    parser.add_argument("--pages", type=int, default=10, help="posts read of each blog (default: 10)")
    parser.add_argument("--peer-pages", type=int, default=1, help="of these read by the peers (default: 1)")
    parser.add_argument("--runs", type=int, default=5, help="the best of so many runs (default: 5)")
    parser.add_argument("--only", default=",".join(PARTS), help=f"parts, of {','.join(PARTS)}")
    parser.add_argument("--most-reading", type=float, metavar="RATIO", help="fail if the median page costs more")
    parser.add_argument("--most-learning", type=float, metavar="RATIO", help="fail if the median blog costs more")
    arguments = parser.parse_args()
    parts = arguments.only.split(",")
    if not set(parts) <= set(PARTS):
        parser.error(f"--only takes {', '.join(PARTS)}")
    figures = _measure(chosen_blogs(arguments), parts, arguments)
    print(json.dumps(figures, ensure_ascii=False, indent=1) if arguments.json else _markdown(figures))
    slow = _too_slow(figures, arguments)
    if slow:
        sys.exit("\n".join(slow))


def _too_slow(figures: Figures, arguments: argparse.Namespace) -> list[str]:
    """What costs more than it may, in words."""
    lines = []
    if arguments.most_reading is not None:
        row = next(row for row in figures["reading"]["rows"] if row["name"] == READING)
        if row["median"] > arguments.most_reading:
            lines.append(f"reading costs {row['median']:.2f} parses, more than {arguments.most_reading}")
    if arguments.most_learning is not None and figures["learning"]["median"] > arguments.most_learning:
        median_ratio = figures["learning"]["median"]
        lines.append(f"learning costs {median_ratio:.2f} parses, more than {arguments.most_learning}")
    return lines


def _measure(blogs: Sequence[Blog], parts: Sequence[str], arguments: argparse.Namespace) -> Figures:
    limits = Limits(pages=arguments.pages, peer_pages=arguments.peer_pages, runs=arguments.runs)
    # Ten pages at a time are long enough for steady times.
    learning = replace(limits, runs=max(2, limits.runs // 2))
    figures: Figures = {"machine": machine(), "blogs": len(blogs)}
    # Learning first: the first of all shows what a fresh process pays.
    if "learning" in parts:
        figures["learning"] = measure_learning(blogs, learning)
    if "reading" in parts:
        figures["reading"] = measure_reading(blogs, limits)
    if "doubling" in parts:
        figures["doubling"] = measure_doubling(spread(blogs, 12), learning.runs)
    if "memory" in parts:
        figures["memory"] = measure_memory(blogs)
    return figures


def _markdown(figures: Figures) -> str:
    parts = [f"Measured on {figures['blogs']} blogs; {figures['machine']}."]
    if "reading" in figures:
        rows = [[row["name"], row["count"], *map(_times, _ratios(row)), f"{row['median_ms']:.2f}"]
                for row in sorted(figures["reading"]["rows"], key=_order)]
        heads = ["reading a post", "pages", "median", "of totals", "95th percentile", "worst", "median ms"]
        slowest = [[row["url"], f"{row['kilobytes']:.0f}", _times(row["ratio"])]
                   for row in figures["reading"]["slowest"][:5]]
        parts += ["Times the lxml parse of the same bytes, which is included:", markdown_table(heads, rows),
                  markdown_table(["slowest for everlog", "kB", "ratio"], slowest)]
    if "learning" in figures:
        parts.append(_learning_markdown(figures["learning"]))
    if "doubling" in figures:
        rows = [[row["name"], row["count"], _times(row["median"]), _times(row["worst"])]
                for row in figures["doubling"]]
        parts.append(markdown_table(["cost of twice the size", "measured", "median", "worst"], rows))
    if "memory" in figures:
        parts.append(_memory_markdown(figures["memory"]))
    return "\n\n".join(parts)


def _learning_markdown(learning: Figures) -> str:
    heads = ["learning", "blogs", "median", "of totals", "95th percentile", "worst", "median ms", "first ms"]
    first = learning["first_ms"]
    row = ["a ten-entry feed", learning["count"], *map(_times, _ratios(learning)),
           f"{learning['median_ms']:.0f}", None if first is None else f"{first:.0f}"]
    slowest = [[row["blog"], row["pages"], f"{row['kilobytes']:.0f}", f"{row['parse_ms']:.1f}",
                f"{row['learn_ms']:.0f}", _times(row["ratio"])]
               for row in learning["blogs"][:5]]
    return "\n\n".join([
        "Times the lxml parse of the feed's pages; the first of a process pays for loading:",
        markdown_table(heads, [row]),
        markdown_table(["slowest blogs", "pages", "kB", "parse ms", "learn ms", "ratio"], slowest),
    ])


def _memory_markdown(rows: Sequence[Figures]) -> str:
    names = {"served": "feed as served", "largest": "the blog's ten largest posts"}
    shown = [[names[row["which"]], row["pages"], f"{row['kilobytes']:.0f}", f"{row['largest_kilobytes']:.0f}",
              f"{row['baseline_mb']:.0f}", f"{row['loaded_mb']:.0f}", f"{row['learned_mb']:.0f}",
              f"{row['read_mb']:.0f}"] for row in rows if "problem" not in row]
    failed = [f"- {row['blog']} ({row['which']}): {row['problem']}" for row in rows if "problem" in row]
    heads = ["peak memory, MB", "pages", "kB", "largest kB", "modules", "pages loaded", "learned", "read"]
    return "\n\n".join([markdown_table(heads, shown), *failed])


def _order(row: Figures) -> tuple[bool, bool, str]:
    """everlog as the target counts it, then with HTML, then the peers."""
    return "everlog" not in row["name"], "HTML" in row["name"], row["name"]


def _ratios(row: Figures) -> list[float | None]:
    return [row[name] for name in ("median", "of_totals", "p95", "worst")]


def _times(ratio: float | None) -> str | None:
    return None if ratio is None else f"{ratio:.2f} x"


if __name__ == "__main__":
    main()
