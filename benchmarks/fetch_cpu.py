"""Processor time of one request: from `Session.fetch` through throttle, Scrapy, handler and guard, and back.

    python benchmarks/fetch_cpu.py [--requests 2000] [--rounds 3]
    python benchmarks/fetch_cpu.py --against ANOTHER_CHECKOUT    # takes turns with the code in there

Pages of a made blog (`made_blog.py`, in a process of its own) are fetched sixteen at a time with no delay, and nothing
is done with them. Every round is a fresh process; the first fifty requests do not count.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

from made_blog import served

if TYPE_CHECKING:
    from everlog.fetch import HttpClient

CONCURRENCY = 16
WARM_UP = 50


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--requests", type=int, default=2_000)
    parser.add_argument("--kilobytes", type=float, default=30.0, help="about the size of a page")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--against", type=Path, help="a checkout to compare with")
    parser.add_argument("--only", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.only:
        print(cpu_ms_per_request(arguments.only, json.load(sys.stdin)))
        return
    checkouts = [Path(__file__).parents[1], *filter(None, [arguments.against])]
    found: dict[Path, list[float]] = {checkout: [] for checkout in checkouts}
    with served(arguments.requests, page_bytes=int(arguments.kilobytes * 1000)) as blog:
        urls = [blog.url(number) for number in range(1, arguments.requests + 1)]
        for number in range(arguments.rounds):
            for checkout in checkouts[:: 1 if number % 2 else -1]:
                found[checkout].append(in_process(checkout, blog.home, urls))
    print("| code | CPU ms a request, median | rounds |")
    print("|---|---:|---|")
    for checkout, figures in found.items():
        print(f"| {checkout} | {median(figures):.3f} | {', '.join(f'{each:.3f}' for each in figures)} |")


def in_process(checkout: Path, home: str, urls: list[str]) -> float:
    done = subprocess.run(
        [sys.executable, __file__, "--only", home], input=json.dumps(urls), stdout=subprocess.PIPE, text=True,
        check=True, env={**os.environ, "PYTHONPATH": str(checkout.resolve() / "src")},
    )
    return float(done.stdout)


def cpu_ms_per_request(home: str, urls: list[str]) -> float:
    """Fetch all of them; imports are done before, and so is whatever is done once."""
    import protego  # noqa: F401, PLC0415 - imported when it is needed first, else

    import everlog.fetch.scrapy_downloader  # noqa: F401, PLC0415
    from everlog.core.fetcher import FetchPolicy  # noqa: PLC0415
    from everlog.fetch import with_http_client  # noqa: PLC0415

    async def fetch_all(client: HttpClient) -> float:
        session = client.session(FetchPolicy(
            typed=(home,), user_agent="everlog-benchmark/1", delay_seconds=0.0, concurrency=CONCURRENCY,
        ))

        async def work(waiting: list[str]) -> None:
            while waiting:
                found = await session.fetch(waiting.pop())
                assert found.exchanges[-1].status == 200

        async def fetch(some: list[str]) -> None:
            await asyncio.gather(*(work(some) for _ in range(CONCURRENCY)))

        await fetch(urls[:WARM_UP])
        began = time.process_time()
        await fetch(urls[WARM_UP:])
        return time.process_time() - began

    return 1000 * with_http_client(fetch_all) / (len(urls) - WARM_UP)


if __name__ == "__main__":
    main()
