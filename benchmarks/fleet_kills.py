"""What a fleet loses when its parts die: workers killed during a crawl, the queue emptied, the database restarted.

    python benchmarks/fleet_kills.py [FOLDER...] [--parts workers redis postgres]
        [--made N] [--count 40] [--workers 4] [--every 10] [--most N] [--delay 0.2] [--jobs 5000] [--json]

workers    One worker with all its processes is killed (SIGKILL) every so many seconds and replaced at once: the one
           that has been at its blog longest, and for a few seconds at least. The archive is compared with that of a
           crawl that nobody disturbed: the same posts, read the same; and `everlog verify`. Requests that were made
           again are counted in the server's log, less those that the other crawl repeats too.
redis      The broker is killed, and comes back empty, with so many jobs queued that no worker takes (they need a
           browser): how long until all are back.
postgres   The database is restarted in good order and by a crash in the middle of a crawl: workers wait and go on.

With `--made N` the blogs are made up; else those of the corpus whose pages link to the fewest addresses, crawled to
their end. Ends with 1 if anything was lost, doubled or not finished.
"""

from __future__ import annotations

import argparse
import base64
import json
import sys
import tempfile
import time
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from blogs import add_corpus_arguments, chosen_blogs, say
from everlog.archive.job_models import CRAWL, WITH_BROWSER
from everlog.fleet.job_queue import NAMES
from fleet_ground import SERVER, Fleet, corpus_web, load, repeated, requests_in, services
from fleet_scaling import home_of, smallest
from fleet_web import homes, made_web

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from fleet_ground import Request
    from services import Postgres, Redis

MOST_REPEATED = 0.05
MOST_SECONDS_BACK = 60.0
DEAD = "select url, reason from jobs where state = 'dead' order by id"
# Who has been at a blog for three seconds: nobody comes to an end who is always killed at the beginning.
BUSY = "select worker from grants where begun < extract(epoch from clock_timestamp()) - 3 order by begun"
# How long the queue is away before it comes back empty.
AWAY_SECONDS = 5.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Crawl:
    """What a crawl of all blogs left."""

    seconds: float
    posts: dict[str, str] = field(repr=False)
    requests: list[Request] = field(repr=False)
    dead: list[str]
    findings: str
    disturbed: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What came of a disturbance; `wrong` is what should not be."""

    part: str
    wrong: tuple[str, ...]
    figures: dict[str, float]


def main() -> None:
    arguments = _arguments()
    note = load()
    outcomes: list[Outcome] = []
    with services() as (postgres, redis), tempfile.TemporaryDirectory(prefix="everlog-kills-") as scratch:
        ground = Ground(postgres, redis, Path(scratch), arguments)
        for part in arguments.parts:
            outcomes += PARTS[part](ground)
            say(f"{outcomes[-1]}")
    if arguments.json:
        print(json.dumps([asdict(outcome) for outcome in outcomes], indent=1))
    else:
        print(note)
        for outcome in outcomes:
            print(f"\n{outcome.part}: " + "; ".join(outcome.wrong or ("nothing lost, nothing doubled, all finished",)))
            print("\n".join(f"  {name}: {value:g}" for name, value in outcome.figures.items()))
    sys.exit(any(outcome.wrong for outcome in outcomes))


class Ground:
    """Where crawls are disturbed: two servers, a web, and blogs."""

    def __init__(self, postgres: Postgres, redis: Redis, scratch: Path, arguments: argparse.Namespace) -> None:
        self.postgres, self.redis, self.arguments = postgres, redis, arguments
        self._scratch = scratch
        self._made = 0
        self._undisturbed: Crawl | None = None

    @property
    def undisturbed(self) -> Crawl:
        if self._undisturbed is None:
            self._undisturbed = self.crawl(lambda fleet: fleet.wait().total() * 0)
            say(f"undisturbed: {self._undisturbed}, {len(self._undisturbed.posts)} posts")
        return self._undisturbed

    def crawl(self, disturb: Callable[[Fleet], int]) -> Crawl:
        """One crawl of all blogs, disturbed until it has ended; how often is what `disturb` gives."""
        with self.fleet() as (fleet, addresses, log):
            fleet.start(self.arguments.workers)
            fleet.ready()
            began = time.monotonic()
            fleet.enqueue(addresses, "--delay", "0", "--no-media")
            disturbed = disturb(fleet)
            fleet.wait()
            seconds = time.monotonic() - began
            fleet.stop()
            return Crawl(
                seconds=seconds, posts=fleet.posts(), requests=requests_in(log),
                dead=[f"{url}: {reason}" for url, reason in fleet.ask(DEAD)],
                findings=fleet.verify(), disturbed=disturbed,
            )

    @contextmanager
    def fleet(self) -> Iterator[tuple[Fleet, list[str], Path]]:
        """A fleet without workers yet, on an empty archive; the blogs, and the log of their server."""
        self._made += 1
        folder = self._scratch / str(self._made)
        folder.mkdir()
        self.redis.empty()
        archive, log = self.postgres.url(), folder / "log.tsv"
        with (
            self._fetcher(log) as (proxy, addresses),
            Fleet(archive=archive, broker=self.redis.url, folder=folder, proxy=proxy) as fleet,
        ):
            yield fleet, addresses, log

    @contextmanager
    def _fetcher(self, log: Path) -> Iterator[tuple[str, list[str]]]:
        arguments = self.arguments
        if arguments.made:
            with made_web(log, blogs=arguments.made, posts=arguments.posts, delay=arguments.delay) as proxy:
                yield proxy, homes(blogs=arguments.made)
            return
        blogs = smallest(chosen_blogs(arguments), arguments.count)
        with corpus_web({blog.folder.parent for blog in blogs}, arguments.server, log, delay=arguments.delay) as proxy:
            yield proxy, [home_of(blog) for blog in blogs]


def kill_workers(ground: Ground) -> list[Outcome]:
    """Kill the worker that has been at its blog longest, again and again."""

    def disturb(fleet: Fleet) -> int:
        kills, last, most = 0, time.monotonic(), ground.arguments.most

        def is_over() -> bool:
            nonlocal kills, last
            if time.monotonic() - last >= ground.arguments.every:
                busy = [name for (name,) in fleet.ask(BUSY) if name in fleet.workers]
                if busy and (most is None or kills < most):
                    last = time.monotonic()
                    fleet.kill(busy[0])
                    fleet.start(1)
                    kills += 1
            jobs = fleet.jobs()
            return not (jobs["queued"] or jobs["running"] or jobs["parked"])

        fleet.until(is_over, seconds=3_600)
        return kills

    whole = ground.undisturbed
    return [compared("workers", whole, ground.crawl(disturb))]


def compared(part: str, whole: Crawl, crawl: Crawl) -> Outcome:
    """A crawl that was disturbed beside one that was not."""
    lost, more = whole.posts.keys() - crawl.posts.keys(), crawl.posts.keys() - whole.posts.keys()
    other = {key for key in whole.posts.keys() & crawl.posts.keys() if whole.posts[key] != crawl.posts[key]}
    again = repeated(crawl.requests) - repeated(whole.requests)
    share = again.total() / len(whole.requests)
    wrong = {
        f"{len(lost)} posts lost: {sorted(lost)[:3]}": bool(lost),
        f"{len(more)} posts more: {sorted(more)[:3]}": bool(more),
        f"{len(other)} posts read otherwise: {sorted(other)[:3]}": bool(other),
        f"verify: {crawl.findings}": bool(crawl.findings),
        f"{len(crawl.dead)} blogs given up, {len(whole.dead)} without kills: {crawl.dead[:3]}":
            len(crawl.dead) > len(whole.dead),
        f"{share:.1%} of requests repeated": share > MOST_REPEATED,
    }
    figures = {
        "disturbed": crawl.disturbed, "posts": len(crawl.posts), "seconds": round(crawl.seconds, 1),
        "seconds undisturbed": round(whole.seconds, 1), "requests": len(crawl.requests),
        "requests undisturbed": len(whole.requests), "repeated requests": again.total(),
        "repeated, % of requests": round(100 * share, 2),
    }
    return Outcome(part=part, wrong=tuple(text for text, is_so in wrong.items() if is_so), figures=figures)


def empty_queue(ground: Ground) -> list[Outcome]:
    """Kill the broker with jobs queued, and start it empty."""
    with ground.fleet() as (fleet, _, _):
        count = ground.arguments.jobs
        # Somebody must look after the fleet; these jobs are not for it.
        fleet.start(1)
        fleet.ready()
        began = time.monotonic()
        fleet.enqueue([f"http://made-{number}.example/" for number in range(count)], "--browser")
        enqueued = time.monotonic() - began
        fleet.until(lambda: len(messages(ground.redis)) >= count, seconds=60)
        ground.redis.kill()
        killed = time.monotonic()
        time.sleep(AWAY_SECONDS)
        ground.redis.start()
        back = fleet.until(lambda: len(set(messages(ground.redis))) >= count, seconds=120)
        found = messages(ground.redis)
        wanted = {row[0] for row in fleet.ask("select id from jobs where state = 'queued'")}
        wrong = {
            f"{len(wanted - set(found))} jobs lost": not wanted <= set(found) or len(wanted) != count,
            f"{back:.0f} s until all were back": back > MOST_SECONDS_BACK,
        }
        figures = {
            "jobs": count, "seconds to enqueue them": round(enqueued, 1),
            "seconds from the broker's return": round(back, 1),
            "seconds from its death": round(time.monotonic() - killed, 1),
            "messages twice": len(found) - len(set(found)),
        }
        return [Outcome(part="redis", wrong=tuple(text for text, is_so in wrong.items() if is_so), figures=figures)]


def messages(redis: Redis) -> list[int]:
    """The jobs that are in the broker's queue."""
    from redis import Redis as Client  # noqa: PLC0415 - the server's class has the same name

    with Client.from_url(redis.url) as client:
        rows = client.lrange(NAMES[CRAWL + WITH_BROWSER], 0, -1)
    return [json.loads(base64.b64decode(json.loads(row)["body"]))[0][0] for row in rows]


def restart_database(ground: Ground) -> list[Outcome]:
    """Restart PostgreSQL twice during a crawl, when a fifth and when a half of it is done."""
    whole = ground.undisturbed

    def disturb(fleet: Fleet) -> int:
        for share, mode in ((0.2, "fast"), (0.5, "immediate")):
            fleet.until(partial(_has, fleet, int(share * len(whole.posts))), seconds=900)
            ground.postgres.restart(mode)
        return 2

    return [compared("postgres", whole, ground.crawl(disturb))]


def _has(fleet: Fleet, posts: int) -> bool:
    return len(fleet.posts()) >= posts


PARTS: dict[str, Callable[[Ground], Sequence[Outcome]]] = {
    "workers": kill_workers, "redis": empty_queue, "postgres": restart_database,
}


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_corpus_arguments(parser)
    parser.add_argument("--server", type=Path, default=SERVER, help="the corpus's server script")
    parser.add_argument("--parts", nargs="+", choices=tuple(PARTS), default=list(PARTS))
    parser.add_argument("--made", type=int, default=0, metavar="N", help="N made blogs instead of the corpus")
    parser.add_argument("--posts", type=int, default=60, help="posts of a made blog")
    parser.add_argument("--count", type=int, default=40, help="blogs of the corpus")
    parser.add_argument("--workers", type=int, default=4)
    parser.add_argument("--most", type=int, metavar="N", help="no more than N kills")
    parser.add_argument("--every", type=float, default=10.0, help="seconds between two kills")
    parser.add_argument("--delay", type=float, default=0.2, help="seconds before the server answers")
    parser.add_argument("--jobs", type=int, default=5_000, help="how many are queued when the broker dies")
    return parser.parse_args()


if __name__ == "__main__":
    main()
