"""Peak memory of learning, each blog in a process of its own.

    python benchmarks/memory.py served FOLDER/BLOG      # its feed as served
    python benchmarks/memory.py largest FOLDER/BLOG     # a feed of its ten largest posts

speed.py runs it for the blogs with the largest pages of the corpus.
"""

from __future__ import annotations

import argparse
import json
import re
import resource
import subprocess
import sys
from datetime import UTC, datetime, time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import everlog
from blogs import say, training
from everlog.evaluate.corpus import read_blog
from everlog.records import Entry
from rss import write_feed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from everlog.evaluate.corpus import Blog

FEED_ENTRIES = 10
BLOGS = 3
Figures = dict[str, Any]


def measure_memory(blogs: Sequence[Blog]) -> list[Figures]:
    """Peaks of fresh processes: the largest feeds' pages as served, and the largest posts of a blog."""
    by_feed = sorted(blogs, key=lambda blog: -sum(map(len, training(blog, FEED_ENTRIES)[1].values())))
    by_posts = sorted(blogs, key=lambda blog: -sum(size for size, _ in _largest_posts(blog)))
    runs = [("served", blog) for blog in by_feed[:BLOGS]]
    runs += [("largest", blog) for blog in by_posts[:BLOGS]]
    return [_in_process(which, blog) for which, blog in runs]


def _in_process(which: str, blog: Blog) -> Figures:
    say(f"memory {which} {blog.id}")
    done = subprocess.run(
        [sys.executable, __file__, which, str(blog.folder)],
        check=False, capture_output=True, text=True,
    )
    if done.returncode:
        return {"blog": blog.id, "which": which, "problem": done.stderr.strip().rpartition("\n")[2]}
    return {"blog": blog.id, "which": which, **json.loads(done.stdout)}


def memory_of(which: str, folder: Path) -> Figures:
    """Learns one blog in this process and looks at the peak; the baseline has all modules loaded."""
    everlog.learn  # noqa: B018 - loads the learner
    baseline = _peak_megabytes()
    blog = read_blog(folder)
    feed, pages = training(blog, FEED_ENTRIES) if which == "served" else _made_of_largest(blog)
    loaded = _peak_megabytes()
    template = everlog.learn(feed, pages, feed_url=blog.feed_url)
    learned = _peak_megabytes()
    for url, page in pages.items():
        template.read(page, url)
    return {
        "pages": len(pages), "kilobytes": sum(map(len, pages.values())) / 1000,
        "largest_kilobytes": max(map(len, pages.values())) / 1000, "baseline_mb": baseline,
        "loaded_mb": loaded, "learned_mb": learned, "read_mb": _peak_megabytes(),
    }


def _largest_posts(blog: Blog) -> list[tuple[int, str]]:
    """Bytes and URL of the ten largest pages of posts."""
    sizes = {row.url: file.stat().st_size for row in blog.truth()
             if row.text and (file := blog.file(row.url)) is not None}
    return sorted(((size, url) for url, size in sizes.items()), reverse=True)[:FEED_ENTRIES]


def _made_of_largest(blog: Blog) -> tuple[bytes, dict[str, bytes]]:
    """A feed as it would have been when the largest posts were the newest ones."""
    wanted = {url for _, url in _largest_posts(blog)}
    rows = [row for row in blog.truth() if row.url in wanted]
    entries = [
        Entry(
            link=row.url, title=row.title, content=row.text, authors=row.authors, tags=row.tags,
            published=datetime.combine(row.published, time(12), UTC) if row.published else None,
        )
        for row in rows
    ]
    pages = {row.url: page for row in rows if (page := blog.page(row.url))}
    return write_feed(entries), pages


def _peak_megabytes() -> float:
    """The high-water mark of this program.

    Linux hands `ru_maxrss` down to the programs a process starts: a child would report the peak of
    its parent. VmHWM begins anew with every program.
    """
    try:
        mark = re.search(r"VmHWM:\s*(\d+) kB", Path("/proc/self/status").read_text("utf-8"))
    except OSError:
        mark = None
    kilobytes = int(mark[1]) if mark else resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return kilobytes / 1024


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("which", choices=("served", "largest"))
    parser.add_argument("folder", type=Path)
    arguments = parser.parse_args()
    print(json.dumps(memory_of(arguments.which, arguments.folder)))


if __name__ == "__main__":
    main()
