"""The blogs that the benchmarks run on, and what each may be learned from."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import everlog
from everlog.errors import EverlogError
from everlog.evaluate.corpus import find_blogs
from everlog.feeds import parse_feed

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Sequence

    from everlog import Template
    from everlog.evaluate.corpus import Blog, Truth

DEFAULT_FOLDER = Path("~/.cache/everlog-corpus")
T = TypeVar("T")


def add_corpus_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments that all benchmarks share."""
    parser.add_argument(
        "folders", nargs="*", type=Path, metavar="FOLDER",
        help=f"a corpus, or single blogs of it (default: $EVERLOG_CORPUS or {DEFAULT_FOLDER})",
    )
    parser.add_argument("--blogs", type=int, metavar="N", help="only N blogs, spread over the corpus")
    parser.add_argument("--json", action="store_true", help="print JSON, not Markdown")


def chosen_blogs(arguments: argparse.Namespace) -> list[Blog]:
    """The blogs that the arguments name; leaves with advice if there are none."""
    default = Path(os.environ.get("EVERLOG_CORPUS") or DEFAULT_FOLDER).expanduser()
    try:
        blogs = find_blogs(arguments.folders or [default])
    except EverlogError as error:
        sys.exit(f"{error}\n  to unpack the shared corpus: ../shared/corpus/unpack")
    return spread(blogs, arguments.blogs)


def spread(items: Sequence[T], count: int | None) -> list[T]:
    """At most `count` of the items, evenly spaced; the same ones every time."""
    if count is None or count >= len(items):
        return list(items)
    return [items[at * len(items) // count] for at in range(count)]


def training(blog: Blog, entries: int | None = None) -> tuple[bytes, dict[str, bytes]]:
    """The one feed a blog may be learned from, and the pages of its first entries."""
    feed = blog.feed()
    links = [entry.link for entry in parse_feed(feed, blog.feed_url).entries]
    pages = blog.linked_pages(links)
    return feed, dict(list(pages.items())[:entries])


def learned(blog: Blog) -> Template | None:
    """What everlog learns from the feed; None if it cannot."""
    try:
        return everlog.learn(*training(blog), feed_url=blog.feed_url)
    except EverlogError as error:
        say(f"  {blog.id} not learned: {error}")
        return None


def unseen_posts(blog: Blog, count: int | None = None) -> list[Truth]:
    """The posts that were not learned from."""
    return spread([row for row in blog.truth() if row.counts], count)


def unseen_pages(blog: Blog, count: int | None = None) -> Iterator[tuple[str, bytes]]:
    """URL and bytes of the posts that were not learned from."""
    for row in unseen_posts(blog, count):
        page = blog.truth_page(row)
        if page and page.strip():
            yield row.url, page


def say(text: str) -> None:
    """Progress, apart from the results."""
    print(text, file=sys.stderr, flush=True)
