"""A worker that loses the network in the middle of a slice, and comes back.

    python benchmarks/fleet_partition.py [--rounds 3] [--delay 0.5] [--json]

One worker reaches PostgreSQL and Redis through relays (`fleet_relay.py`) that stop forwarding while it crawls; nothing
is refused or closed, as with a cable that was pulled. Another worker reaches both. The grant of the first must be
taken away, the second must go on with the blog; then the relays forward again, and whatever the first still writes
must be refused. At the end the archive is compared with what the blog holds. The blog's server must not have been
asked twice within the delay, by whichever worker. Ends with 1 if any of this is not so.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

from blogs import say
from fleet_ground import Fleet, closest, load, repeated, requests_in, services
from fleet_relay import relay, through
from fleet_web import homes, made_web

if TYPE_CHECKING:
    from services import Postgres, Redis

# After this many requests the first worker has learned the blog, and is in the middle of its pages.
REQUESTS_BEFORE = 20
DEAD = "select url, reason from jobs where state = 'dead'"
LEASES = "select g.worker, g.fence from grants g join leases l on l.fence = g.fence"
# What a worker says whose slice ended because its writes were refused.
REFUSED = "another worker has taken over this blog"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--delay", type=float, default=0.5, help="seconds between two requests to the blog")
    parser.add_argument("--posts", type=int, default=60)
    parser.add_argument("--tolerance", type=float, default=0.0, help="seconds that may be missing")
    parser.add_argument("--json", action="store_true", help="print JSON, not text")
    arguments = parser.parse_args()
    note = load()
    found = []
    with services() as (postgres, redis):
        for number in range(arguments.rounds):
            found.append(cut_off(postgres, redis, arguments))
            say(f"round {number + 1}: {found[-1]}")
    if arguments.json:
        print(json.dumps(found, indent=1))
    else:
        print(note)
        for row in found:
            print("; ".join(f"{name}: {value}" for name, value in row.items()))
    sys.exit(any(row["wrong"] for row in found))


def cut_off(postgres: Postgres, redis: Redis, arguments: argparse.Namespace) -> dict[str, Any]:
    """One partition of one worker."""
    redis.empty()
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="everlog-partition-")))
        log = folder / "log.tsv"
        proxy = stack.enter_context(made_web(log, blogs=1, posts=arguments.posts))
        to_database = stack.enter_context(relay(postgres.port))
        to_queue = stack.enter_context(relay(redis.port))
        fleet = stack.enter_context(Fleet(archive=postgres.url(), broker=redis.url, folder=folder, proxy=proxy))
        [first] = fleet.start(
            archive=through(fleet.archive, to_database.port), broker=through(fleet.broker, to_queue.port),
        )
        fleet.ready()
        fleet.enqueue(homes(blogs=1), "--delay", str(arguments.delay), "--no-media")
        fleet.until(lambda: len(requests_in(log)) >= REQUESTS_BEFORE, seconds=120)
        to_database.cut()
        to_queue.cut()
        cut_at = time.time()
        # Only now: the first might have come to the end of its blog before this one is ready. It is long before the
        # grant runs out.
        [second] = fleet.start()
        fleet.until(lambda: second in {row[0] for row in fleet.ask(LEASES)}, seconds=120)
        taken_over = time.time() - cut_at
        fleet.until(lambda: requests_in(log)[-1].at > cut_at + taken_over, seconds=60)
        to_database.mend()
        to_queue.mend()
        refused = fleet.until(lambda: is_refused(fleet, first), seconds=120)
        left = fleet.wait(seconds=600)
        fleet.stop()
        gap = min(closest(requests_in(log)).values())
        again = repeated(requests_in(log)).total()
        posts, findings = len(fleet.posts()), fleet.verify()
        wrong = {
            f"{posts} of {arguments.posts} posts": posts != arguments.posts, f"verify: {findings}": bool(findings),
            f"{left.total()} jobs given up: {fleet.ask(DEAD)}": bool(left),
            f"two requests {gap:.3f} s apart": gap < arguments.delay - arguments.tolerance,
        }
        return {
            "seconds until another went on": round(taken_over, 1), "seconds until the late one knew": round(refused, 1),
            "posts": posts, "requests": len(requests_in(log)), "repeated": again, "closest, seconds": round(gap, 3),
            "wrong": [text for text, is_so in wrong.items() if is_so],
        }


def is_refused(fleet: Fleet, worker: str) -> bool:
    """Whether what a worker wrote was refused (LeaseLost)."""
    return any(REFUSED in str(line.get("message")) for line in fleet.lines(worker))


if __name__ == "__main__":
    main()
