"""Crawls real blogs whose comments are known, and scores the comments that the archives hold.

    benchmarks/crawl_comments.py [FOLDER...] [--server SERVE.PY] [--blogs N]

Blogs with posts outside the feed of which all comments are known. The crawl may ask for all that the blog
serves, comment feeds included: this is what a user gets. `everlog evaluate` withholds each post's own comment
feed and measures what is read from its page alone.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

from blogs import add_corpus_arguments, chosen_blogs
from crawl_corpus import SERVER, served
from everlog.archive import open_archive
from everlog.evaluate.scoring import mean, score_post
from tables import markdown_table

if TYPE_CHECKING:
    from everlog.evaluate.corpus import Blog, Truth

FIELDS = ("com_r", "com_p", "com_author", "com_date")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_corpus_arguments(parser)
    parser.add_argument("--server", type=Path, default=SERVER, help="the corpus's server script")
    arguments = parser.parse_args()
    chosen = [blog for blog in chosen_blogs(arguments) if commented(blog)]
    with tempfile.TemporaryDirectory() as scratch, ThreadPoolExecutor(2) as pool:
        where = Path(scratch)
        with served({blog.folder.parent for blog in chosen}, arguments.server, where / "log.tsv") as proxy:
            results = list(pool.map(lambda blog: crawled(blog, proxy, where), chosen))
    if arguments.json:
        print(json.dumps(results, indent=1))
        return
    total = {name: mean(result[name] for result in results) for name in FIELDS}
    rows = [[row["blog"], row["posts"], *(_shown(row[name]) for name in FIELDS)] for row in results]
    rows.append(["mean", sum(row["posts"] for row in results), *(_shown(total[name]) for name in FIELDS)])
    print(markdown_table(["blog", "posts", *FIELDS], rows))


def commented(blog: Blog) -> list[Truth]:
    """The posts whose comments count."""
    return [truth for truth in blog.truth() if truth.counts and truth.comments and truth.comments_complete]


def crawled(blog: Blog, proxy: str, where: Path) -> dict[str, str | int | float | None]:
    """One blog, crawled by the command line of everlog, and its comments scored."""
    archive = where / blog.id
    command = [
        sys.executable, "-m", "everlog", "crawl", blog.origin.rstrip("/") + "/", "--archive", str(archive),
        "--delay", "0", "--no-media", "-q",
    ]
    environment = {**os.environ, "http_proxy": proxy, "no_proxy": ""}
    subprocess.run(command, env=environment, capture_output=True, check=False)
    with open_archive(archive, create=True) as opened:
        posts = {blog.key(url): post for post in opened.posts() for url in (post.url, *post.aliases)}
    wanted = commented(blog)
    scores = [
        score_post(truth, next((posts[key] for key in blog.keys(truth) if key in posts), None)) for truth in wanted
    ]
    means = {name: mean(score.get(name) for score in scores) for name in FIELDS}
    return {"blog": blog.id, "posts": len(wanted), **means}


def _shown(value: float | None) -> str:
    return "-" if value is None else f"{100 * value:.1f}"


if __name__ == "__main__":
    main()
