"""Pages a second of one large blog when others read what one downloads: with 0, 1, 2 ... readers, alternately.

    python benchmarks/fleet_reading.py [--posts 600] [--rounds 3] [--readers 0 1 2]

All crawl the same made blog (`made_blog.py`, in a process of its own) with no delay into a new PostgreSQL database
each, from a fresh process whose imports are done before the clock starts; PostgreSQL and Redis are those of
tests/services.py. The table tells what one page costs the process that crawls: `read` is parsing, judging and
extracting, `store` the writer's thread, `rest` downloading, the queue, and (with readers) sending and hearing. Where
`read` is gone and the pages a second are not more, the machine has no core left for the readers.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

from blogs import say
from fleet_ground import servers
from made_blog import served

if TYPE_CHECKING:
    from collections.abc import Callable

CONCURRENCY = 16
# How long readers may take to start.
READY_SECONDS = 60
Figures = dict[str, Any]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--posts", type=int, default=600)
    parser.add_argument("--kilobytes", type=float, default=30.0, help="about the size of a page")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--readers", type=int, nargs="+", default=[0, 1, 2], metavar="N")
    parser.add_argument("--json", action="store_true", help="print JSON, not Markdown")
    parser.add_argument("--only", type=json.loads, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.only:
        print(json.dumps(crawl(**arguments.only)))
        return
    with (
        servers.postgres() as postgres, servers.redis() as redis,
        served(arguments.posts, page_bytes=int(arguments.kilobytes * 1000)) as blog,
    ):
        rounds = []
        for number in range(arguments.rounds):
            counts = arguments.readers[:: 1 if number % 2 == 0 else -1]
            rounds.append({count: one_crawl(blog.home, count, postgres, redis) for count in counts})
    report(rounds, as_json=arguments.json)


def one_crawl(home: str, count: int, postgres: servers.Postgres, redis: servers.Redis) -> Figures:
    """One crawl into a new database, beside so many readers."""
    from fleet.a_reader import readers  # noqa: PLC0415 - of the tests: `fleet_ground` says where they are

    with tempfile.TemporaryDirectory(prefix="everlog-reading-") as folder, ExitStack() as stack:
        archive, files = postgres.url(), Path(folder) / "files"
        redis.empty()
        if count:
            stack.enter_context(readers(archive, files, redis.url, processes=count))
        wanted = {"home": home, "archive": archive, "files": str(files), "broker": redis.url, "count": count}
        done = subprocess.run(
            [sys.executable, __file__, "--only", json.dumps(wanted)], stdout=subprocess.PIPE, text=True, check=True,
        )
    figures: Figures = json.loads(done.stdout)
    say(f"{count} readers: {_line(figures)}")
    return figures


def crawl(home: str, archive: str, files: str, broker: str, count: int) -> Figures:
    """The crawl itself, once the readers are there."""
    import everlog.fetch.scrapy_downloader  # noqa: F401, PLC0415 - is imported when the crawl begins, else
    from everlog.archive import open_archive  # noqa: PLC0415 - in the process that crawls
    from everlog.errors import EverlogError  # noqa: PLC0415
    from everlog.fleet.asking import SharedReader  # noqa: PLC0415
    from everlog.fleet.processes import warm_up  # noqa: PLC0415
    from everlog.settings import make_settings  # noqa: PLC0415
    from everlog.usecases.runner import Job, run_jobs  # noqa: PLC0415

    warm_up()
    settings = make_settings({"delay": 0, "concurrency": CONCURRENCY, "media": False})
    spent = _watched()
    with ExitStack() as stack:
        opened = stack.enter_context(open_archive(archive, create=True, files=Path(files)))
        reader = None
        if count:
            reader = SharedReader(broker)
            stack.callback(reader.close)
            until = time.monotonic() + READY_SECONDS
            while not reader.finds_readers():
                if time.monotonic() > until:
                    sys.exit(f"no reader came within {READY_SECONDS} seconds: see {Path(files).parent / 'readers.log'}")
                time.sleep(0.1)
            reader.open()
        began, used = time.perf_counter(), time.process_time()
        [ended] = run_jobs([Job(url=home, typed=True, reader=reader)], opened, settings)
        seconds, cpu_seconds = time.perf_counter() - began, time.process_time() - used
    if isinstance(ended, EverlogError):
        raise ended
    pages = ended.tally.visited
    return {
        "pages": pages, "posts": ended.held, "pages_per_second": pages / seconds, "load": os.getloadavg()[0],
        "read_elsewhere": reader.answered if reader is not None else 0,
        "read_ms": 1000 * spent["read"] / pages, "store_ms": 1000 * spent["store"] / pages,
        "rest_ms": 1000 * (cpu_seconds - spent["read"] - spent["store"]) / pages,
    }


def _watched() -> dict[str, float]:
    """Seconds of processor time that this process spends on reading and storing from now on."""
    from everlog.archive.archive import Archive  # noqa: PLC0415 - in the process that crawls
    from everlog.usecases.page import pipeline as steps  # noqa: PLC0415

    spent = {"read": 0.0, "store": 0.0}

    def timed(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*given: Any, **named: Any) -> Any:
            began = time.thread_time()
            try:
                return function(*given, **named)
            finally:
                spent[name] += time.thread_time() - began

        return call

    steps.look = timed("read", steps.look)
    Archive.commit = timed("store", Archive.commit)  # type: ignore[method-assign]
    return spent


def report(rounds: list[dict[int, Figures]], *, as_json: bool) -> None:
    """Medians of the rounds, and how much faster readers make it."""
    if as_json:
        print(json.dumps(rounds, indent=1))
        return
    print(f"{os.cpu_count()} cores; load before and during the runs: "
          f"{min(run['load'] for each in rounds for run in each.values()):.1f} to "
          f"{max(run['load'] for each in rounds for run in each.values()):.1f}\n")
    print("| readers | pages | read elsewhere | pages a second | times | read ms | store ms | rest ms |")
    print("|---:|---:|---:|---:|---:|---:|---:|---:|")
    for count in sorted(rounds[0]):
        runs = [each[count] for each in rounds]
        names = ("pages", "read_elsewhere", "pages_per_second", "read_ms", "store_ms", "rest_ms")
        pages, elsewhere, speed, read, store, rest = (median(run[name] for run in runs) for name in names)
        first = min(rounds[0])
        times = median(each[count]["pages_per_second"] / each[first]["pages_per_second"] for each in rounds)
        print(f"| {count} | {pages:.0f} | {elsewhere:.0f} | {speed:.0f} | {times:.2f} | {read:.1f} | {store:.1f} "
              f"| {rest:.1f} |")


def _line(figures: Figures) -> str:
    return (
        f"{figures['pages']} pages, {figures['pages_per_second']:.0f} a second, {figures['read_elsewhere']} read "
        f"elsewhere, read {figures['read_ms']:.1f} + store {figures['store_ms']:.1f} + rest {figures['rest_ms']:.1f} ms"
    )


if __name__ == "__main__":
    main()
