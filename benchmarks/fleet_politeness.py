"""Whether a host is asked too often when many workers share it: several blogs on one host, one picture host for all.

    python benchmarks/fleet_politeness.py [--delay 0.5] [--workers 4]

The web is made up (`fleet_web.py`) and writes down when each request arrives. Ends with 1 if two requests to a host are
closer than the delay; `--tolerance` is for machines that may stand still between a request's turn and its arrival.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from fleet_ground import Fleet, load, requests_in, services
from fleet_web import homes, made_web

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from fleet_ground import Request

def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--delay", type=float, default=0.5, help="seconds between two requests to a host")
    parser.add_argument("--workers", type=int, default=4)
    parser.add_argument("--blogs", type=int, default=4, help="blogs with hosts of their own")
    parser.add_argument("--tenants", type=int, default=3, help="blogs on one host")
    parser.add_argument("--posts", type=int, default=12)
    parser.add_argument("--tolerance", type=float, default=0.0, help="seconds that may be missing")
    parser.add_argument("--json", action="store_true", help="print JSON, not text")
    arguments = parser.parse_args()
    found = measured(arguments)
    if arguments.json:
        print(json.dumps(found, indent=1))
    else:
        for name, value in found.items():
            print(f"{name}: {value}")
    sys.exit(bool(found["too close"]))


def measured(arguments: argparse.Namespace) -> dict[str, object]:
    """Crawl them all, and look at the times between requests to each host."""
    note = load()
    with services() as (postgres, redis), tempfile.TemporaryDirectory(prefix="everlog-polite-") as scratch:
        log = Path(scratch) / "log.tsv"
        fetcher = made_web(log, blogs=arguments.blogs, tenants=arguments.tenants, posts=arguments.posts, pictures=True)
        with fetcher as proxy, Fleet(
            archive=postgres.url(), broker=redis.url, folder=Path(scratch) / "fleet", proxy=proxy,
        ) as fleet:
            fleet.start(arguments.workers)
            fleet.ready()
            addresses = homes(blogs=arguments.blogs, tenants=arguments.tenants)
            fleet.enqueue(addresses, "--delay", str(arguments.delay))
            dead = fleet.wait().total()
            posts = len(fleet.posts())
        requests = requests_in(log)
    gaps = list(between(requests))
    nearer = sum(gap < arguments.delay for gap, _ in gaps)
    close = sorted(gap for gap, _ in gaps if gap < arguments.delay - arguments.tolerance)
    return {
        "machine": note, "requests": len(requests), "posts": posts, "given up": dead,
        "wanted posts": arguments.posts * len(addresses),
        "requests of shared hosts": {
            host: count for host, count in Counter(each.host for each in requests).items() if "blog-" not in host
        },
        "closest, seconds": round(min(gap for gap, _ in gaps), 4),
        "closer than the delay": nearer, "closer than the delay, % of requests": round(100 * nearer / len(gaps), 2),
        "tolerance, seconds": arguments.tolerance, "too close": [round(gap, 3) for gap in close],
    }


def between(requests: Iterable[Request]) -> Iterator[tuple[float, str]]:
    """The time between each request to a host and the one before it."""
    last: dict[str, float] = {}
    for request in sorted(requests, key=lambda each: each.at):
        if request.host in last:
            yield request.at - last[request.host], request.host
        last[request.host] = request.at


if __name__ == "__main__":
    main()
