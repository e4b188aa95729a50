"""How fast an archive is copied: a folder into PostgreSQL, and that into a folder again.

    python benchmarks/copy_speed.py [--posts 10000]

The posts are made up: about 300 words each with the page they were read from in a WARC file, every fifth has been
edited, every third has comments, each shows a picture of its own of about 20 kB; and for each post two more addresses
are known. *Files* are brought and synced, *rows* are read, sent, written and their indexes made, *posts
indexed* is what the search index takes. The server is one of our own that does wait for the
disk. Times are the clock's: on a machine that is busy with other things look at that of the processor too (this
program's share; the server's comes on top).
"""

from __future__ import annotations

import argparse
import random
import resource
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from everlog.archive import open_archive
from everlog.archive.copy.copy_archive import copy_archive, open_target
from everlog.archive.verify import verify
from everlog.core.urls import canonical
from everlog.records import Comment, Exchange, Link, Media, Post, Visit
from fleet_ground import servers

if TYPE_CHECKING:
    from collections.abc import Iterator

    from everlog.archive import Archive
    from everlog.archive.copy.copy_archive import Copied

HOME = "http://a.example/"
START = datetime(2024, 5, 1, tzinfo=UTC)
CHANCE = random.Random(7)  # noqa: S311 - not a secret
WORDS = ["".join(CHANCE.choices("abcdefghijklmnoprstuvw", k=CHANCE.randrange(3, 11))) for _ in range(20_000)]
GROUP = 64


def main() -> None:
    """Make an archive, copy it there and back, print a table."""
    options = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    options.add_argument("--posts", type=int, default=10_000)
    posts = options.parse_args().posts
    with tempfile.TemporaryDirectory(prefix="everlog-copy-") as folder, servers.postgres() as server:
        place = Path(folder)
        # In a process of its own, so that its memory is not taken for the copy's.
        with ProcessPoolExecutor(1) as other:
            other.submit(make, place / "made", posts).result()
        print(f"{posts:,} posts\n\n| | rows | rows/s | files | MB | MB/s | posts indexed/s | whole | processor |")
        print("|---|---:|---:|---:|---:|---:|---:|---:|---:|")
        url = server.url()
        with open_archive(place / "made", create=True) as made, open_target(url, files=str(place / "files")) as shared:
            show("folder to PostgreSQL", *timed(made, shared))
            with open_target(str(place / "back")) as back:
                show("PostgreSQL to folder", *timed(shared, back))
                peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3
                wrong = sum(1 for archive in (shared, back) for _ in verify(archive))
        print(f"\n{wrong} findings of `verify` in both copies; the process that copied took {peak:,.0f} MB at most")


def timed(source: Archive, target: Archive) -> tuple[Copied, dict[str, float]]:
    """Copy, and look at the clock when something else begins."""
    began: dict[str, float] = {}
    used = time.process_time()

    def tell(what: str, _done: int, _total: int) -> None:
        began.setdefault(what, time.monotonic())

    copied = copy_archive(source, target, tell)
    began["end"] = time.monotonic()
    moments = list(began.values())
    seconds = {name: then - now for name, now, then in zip(began, moments, moments[1:], strict=False)}
    return copied, seconds | {"processor": time.process_time() - used}


def show(title: str, copied: Copied, seconds: dict[str, float]) -> None:
    print(
        f"| {title} | {copied.rows:,} | {copied.rows / seconds['rows']:,.0f} | {copied.files:,} "
        f"| {copied.bytes / 1e6:,.0f} | {copied.bytes / 1e6 / seconds['bytes']:,.1f} "
        f"| {copied.posts_indexed / seconds['posts']:,.0f} | {copied.seconds:,.1f} s | {seconds['processor']:,.1f} s |",
        flush=True,
    )


def make(folder: Path, posts: int) -> None:
    with open_archive(folder, create=True) as archive:
        fill(archive, posts)


def fill(archive: Archive, posts: int) -> None:
    """Store posts as a crawl does."""
    blog = archive.blogs.add(HOME, scope="path")
    with archive.lock(blog.id):
        group: list[Visit] = []
        for visit in visits(blog.id, posts):
            group.append(visit)
            if len(group) == GROUP:
                archive.commit(group)
                group.clear()
        archive.commit(group)


def visits(blog_id: int, posts: int) -> Iterator[Visit]:
    for number in range(posts):
        url = f"{HOME}2024/{number}-{WORDS[number % len(WORDS)]}"
        text = " ".join(CHANCE.choices(WORDS, k=300))
        comments = tuple(
            Comment(id=str(each), author=WORDS[each], text=" ".join(CHANCE.choices(WORDS, k=30)), source="page")
            for each in range(10 if number % 3 == 0 else 0)
        )
        post = Post(
            url=url, title=" ".join(CHANCE.choices(WORDS, k=6)), text=text, html=f"<p>{text}</p>", comments=comments,
            published=START - timedelta(hours=number), media=(Media(url=f"{url}.png"),),
        )
        links = tuple(_link(f"{HOME}page/{number}/{each}") for each in range(2))
        yield _visit(blog_id, url, text.encode(), outcome="post", post=post, links=links)
        yield _visit(blog_id, f"{url}.png", CHANCE.randbytes(20_000), outcome="media")
        if number % 5 == 0:
            edited = replace(post, text=f"{text} edited", html=f"<p>{text} edited</p>")
            yield _visit(blog_id, url, edited.text.encode(), outcome="post", post=edited)


def _link(url: str) -> Link:
    return Link(url=url, key=canonical(url), lane="page")


def _visit(blog_id: int, url: str, body: bytes, **rest: Any) -> Visit:
    is_media = rest["outcome"] == "media"
    answer = Exchange(
        url=url, status=200, reason="OK", headers=(("Content-Type", "image/png" if is_media else "text/html"),),
        body=body, request_headers=(("User-Agent", "test"),), fetched_at=START, purpose="media" if is_media else "page",
    )
    return Visit(blog_id=blog_id, url=url, key=canonical(url), exchanges=(answer,), **rest)


if __name__ == "__main__":
    main()
