"""Feeds a second that one watch polls from the embedded archive, and its memory.

    python benchmarks/watch_speed.py [--blogs 3000] [--rounds 4]

A proxy on loopback, in a process of its own, plays as many hosts as there are blogs: each has a robots.txt and a feed
with an ETag that has not changed. In the first round every robots.txt is asked for as well; in the others, which begin
in a new process, the archive knows it. `changed` is a round in which every feed answers in full, with the same
entries. Beside it, in the same run, the same requests by the same downloader without any archive.
"""

from __future__ import annotations

import argparse
import asyncio
import cProfile
import json
import os
import pstats
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from blogs import say
from everlog.archive import open_archive
from everlog.core.fetcher import FetchPolicy
from everlog.feeds import parse_feed
from everlog.fetch import with_http_client
from everlog.settings import make_settings
from everlog.usecases.learn.learned_blog import entry_marks
from everlog.usecases.runner import run_watch
from everlog.usecases.watch.poll_source import first_poll
from everlog.usecases.watch.watch_loop import AT_ONCE, WatchTally

if TYPE_CHECKING:
    from collections.abc import Iterator

# What the issue of keeping blogs current asks of one process.
FLOOR = 50.0
ETAG = '"as-before"'
LONG_AGO = datetime(2024, 1, 1, tzinfo=UTC)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--blogs", type=int, default=3_000)
    parser.add_argument("--rounds", type=int, default=4)
    parser.add_argument("--profile", type=int, metavar="N", help="the N costliest functions of a round as well")
    parser.add_argument("--part", choices=("serve", "watch", "bare"), help=argparse.SUPPRESS)
    parser.add_argument("--archive", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.part == "serve":
        asyncio.run(serve())
    elif arguments.part:
        print(json.dumps(PARTS[arguments.part](arguments)))
    else:
        measure(arguments)


def measure(arguments: argparse.Namespace) -> None:
    """All rounds, one process each, and a table of them."""
    with tempfile.TemporaryDirectory() as folder, served() as proxy:
        say(f"making an archive of {arguments.blogs} blogs")
        make_archive(Path(folder), arguments.blogs)
        rows = []
        for number in range(arguments.rounds):
            is_last = number == arguments.rounds - 1
            name = "robots.txt too" if number == 0 else "changed" if is_last else "unchanged"
            make_due(Path(folder), forget_etags=is_last and number > 0)
            say(f"round {number + 1}: {name}")
            rows.append((name, run("watch", arguments, folder, proxy)))
        rows.append(("bare requests", run("bare", arguments, folder, proxy)))
    print("| round | feeds | seconds | feeds/s | peak MB |\n|---|---|---|---|---|")
    for name, row in rows:
        rate = row["polls"] / row["seconds"]
        print(f"| {name} | {row['polls']} | {row['seconds']:.1f} | {rate:.0f} | {row['megabytes']:.0f} |")
    slowest = min(row["polls"] / row["seconds"] for name, row in rows if name != "bare requests")
    print(f"\nslowest round: {slowest:.0f} feeds/s (floor {FLOOR:.0f})")


def run(part: str, arguments: argparse.Namespace, folder: str, proxy: str) -> dict[str, Any]:
    words = [sys.executable, __file__, "--part", part, "--archive", folder, "--blogs", str(arguments.blogs)]
    if arguments.profile:
        words += ["--profile", str(arguments.profile)]
    kept = {name: value for name, value in os.environ.items() if not name.lower().endswith("_proxy")}
    done = subprocess.run(words, env=kept | {"http_proxy": proxy}, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(done.stderr)
    sys.stderr.write(done.stderr)
    return dict(json.loads(done.stdout))


def make_archive(folder: Path, blogs: int) -> None:
    """Blogs as finished crawls leave them, as far as a poll looks at them."""

    with open_archive(folder, create=True) as archive:
        template = json.dumps({"everlog_template": 1, "padding": "x" * 60_000})
        for number in range(blogs):
            home = f"http://b{number}.example/"
            blog = archive.blogs.add(home, scope="path")
            blog = archive.blogs.update(
                blog.id, feed_url=f"{home}feed", state="finished", template=template, knowledge="{}",
            )
            marks = _marks(home)
            archive.blogs.change_state(blog.id, lambda state, marks=marks: replace(state, entries=marks))
            archive.polls.add([replace(first_poll(blog, archive, LONG_AGO), etag=ETAG)])


def make_due(folder: Path, *, forget_etags: bool) -> None:

    with open_archive(folder) as archive:
        for blog in archive.blogs():
            poll = archive.polls.of(blog.id)
            polling = replace(poll.polling, due_at=LONG_AGO + timedelta(seconds=blog.id), not_before=None)
            etag, digest = (None, None) if forget_etags else (ETAG, poll.digest)
            archive.polls.set(replace(poll, polling=polling, etag=etag, digest=digest))


def watch_round(arguments: argparse.Namespace) -> dict[str, Any]:

    tally = WatchTally()
    with open_archive(arguments.archive) as archive:
        began = time.monotonic()
        _profiled(arguments, lambda: run_watch(archive, make_settings({"delay": 0}), once=True, tally=tally))
        seconds = time.monotonic() - began
    if tally.polls != arguments.blogs or tally.kinds["unchanged"] != arguments.blogs:
        raise SystemExit(f"{tally.polls} polls: {dict(tally.kinds)}")
    return {"polls": tally.polls, "seconds": seconds, "megabytes": _peak()}


def bare_round(arguments: argparse.Namespace) -> dict[str, Any]:
    """The same requests, as many at once, and nothing else."""

    async def ask_all(fetcher: Any) -> float:
        turn = asyncio.Semaphore(AT_ONCE)

        async def ask(number: int) -> None:
            home = f"http://b{number}.example/"
            policy = FetchPolicy(typed=(home,), user_agent="everlog", obey_robots=False, delay_seconds=0.0)
            async with turn:
                await fetcher.session(policy).fetch(f"{home}feed", purpose="feed", etag=ETAG)

        began = time.monotonic()
        await asyncio.gather(*map(ask, range(arguments.blogs)))
        return time.monotonic() - began

    seconds = with_http_client(ask_all)
    return {"polls": arguments.blogs, "seconds": seconds, "megabytes": _peak()}


PARTS = {"watch": watch_round, "bare": bare_round}


def _profiled(arguments: argparse.Namespace, task: Any) -> None:
    if not arguments.profile:
        task()
        return
    with cProfile.Profile() as profile:
        task()
    pstats.Stats(profile, stream=sys.stderr).sort_stats("tottime").print_stats(arguments.profile)


def _peak() -> float:
    # `ru_maxrss` would be that of whoever started this program, if it was larger.
    status = Path("/proc/self/status").read_text("ascii")
    return int(next(line.split()[1] for line in status.splitlines() if line.startswith("VmHWM"))) / 1024


def _entries(home: str) -> list[tuple[str, str]]:
    return [(f"{home}2024/post-{number}", f"Post {number}") for number in range(10)]


def _feed(home: str) -> bytes:
    items = "".join(
        f"<item><title>{title}</title><link>{link}</link><description>{'word ' * 300}</description></item>"
        for link, title in _entries(home)
    )
    return f"<rss version='2.0'><channel><title>A</title><link>{home}</link>{items}</channel></rss>".encode()


def _marks(home: str) -> dict[str, str]:

    return entry_marks(parse_feed(_feed(home), f"{home}feed"))


@contextmanager
def served() -> Iterator[str]:
    """The proxy that plays all hosts, until the block ends."""
    server = subprocess.Popen(
        [sys.executable, __file__, "--part", "serve"], stdout=subprocess.PIPE, text=True,
    )
    try:
        assert server.stdout is not None
        yield server.stdout.readline().strip()
    finally:
        server.kill()
        server.wait()


async def serve() -> None:
    server = await asyncio.start_server(_answer, "127.0.0.1", 0)
    print(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}", flush=True)
    async with server:
        await server.serve_forever()


async def _answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while True:
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
            url = head.split(" ", 2)[1]
            writer.write(_reply(url, head.lower()))
            await writer.drain()
    except (asyncio.IncompleteReadError, ConnectionError):
        writer.close()


def _reply(url: str, head: str) -> bytes:
    if url.endswith("/robots.txt"):
        return b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"
    if ETAG in head:
        return f"HTTP/1.1 304 Not Modified\r\nETag: {ETAG}\r\n\r\n".encode()
    body = _feed(url.removesuffix("feed"))
    lines = ("HTTP/1.1 200 OK", f"ETag: {ETAG}", "Content-Type: application/rss+xml", f"Content-Length: {len(body)}")
    return "\r\n".join((*lines, "", "")).encode() + body


if __name__ == "__main__":
    main()
