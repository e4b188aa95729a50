"""What a fleet's work costs: the constants behind docs/internals/scale.md, each measured on real servers.

    python benchmarks/fleet_costs.py [FOLDER...] [--parts jobs polls pages turns] [--json]

jobs     jobs that find nothing (every address answers 404), one worker: from the last request of one to the first of
         the next, which is all that a job costs besides its requests; and the time it takes by the worker's own log
polls    feeds that have not changed, handed out by `everlog watch`, one worker: feeds a second; what a feed costs
pages    blogs of the corpus crawled by one worker from a server without delay: pages a second; what a page costs;
         how many bytes a post, a capture and a blog take in the database, and a page in WARC files
turns    places in the line before a host, from one connection and from eight

A cost is seconds of a processor: the workers' own, and PostgreSQL's with all its processes; bytes are those that
PostgreSQL wrote to its log (WAL), and those that its tables and indexes take.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path
from statistics import quantiles
from typing import TYPE_CHECKING, Any

from blogs import add_corpus_arguments, chosen_blogs, say
from everlog.archive import open_archive
from everlog.usecases.watch.poll_source import first_poll
from fleet_ground import SERVER, Fleet, Processor, corpus_web, load, requests_in, services
from fleet_scaling import home_of, smallest
from fleet_usage import Meter
from fleet_web import made_web
from tables import machine
from watch_speed import ETAG, LONG_AGO
from watch_speed import served as feeds_served

if TYPE_CHECKING:
    from collections.abc import Callable

    from services import Postgres, Redis

Figures = dict[str, float | str | dict[str, float]]
WARC = (".warc.gz", ".warc.gz.open")
# About what the templates of real blogs take, compressed by PostgreSQL as those are.
TEMPLATE_BYTES = 20_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where something is measured."""

    postgres: Postgres
    redis: Redis
    folder: Path
    arguments: argparse.Namespace

    def fleet(self, proxy: str) -> Fleet:
        self.redis.empty()
        folder = Path(tempfile.mkdtemp(dir=self.folder))
        return Fleet(archive=self.postgres.url(), broker=self.redis.url, folder=folder, proxy=proxy)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_corpus_arguments(parser)
    parser.add_argument("--parts", nargs="+", choices=tuple(PARTS), default=list(PARTS))
    parser.add_argument("--server", type=Path, default=SERVER, help="the corpus's server script")
    parser.add_argument("--jobs", type=int, default=120)
    parser.add_argument("--feeds", type=int, default=3_000)
    parser.add_argument("--count", type=int, default=40, help="blogs of the corpus")
    parser.add_argument("--max-pages", type=int, default=100, help="pages of each blog")
    parser.add_argument("--turns", type=int, default=4_000)
    arguments = parser.parse_args()
    found: dict[str, Figures] = {}
    with services() as (postgres, redis), tempfile.TemporaryDirectory(prefix="everlog-costs-") as folder:
        place = Place(postgres=postgres, redis=redis, folder=Path(folder), arguments=arguments)
        for part in arguments.parts:
            found[part] = {"machine": load()} | PARTS[part](place)
            say(f"{part}: {found[part]}")
    if arguments.json:
        print(json.dumps(found, indent=1))
        return
    print(machine())
    for part, figures in found.items():
        print(f"\n{part}")
        print("\n".join(f"  {name}: {_shown(value)}" for name, value in figures.items()))


def jobs(place: Place) -> Figures:
    """Jobs that find nothing."""
    log = place.folder / "jobs.tsv"
    count = place.arguments.jobs
    with made_web(log, blogs=1, posts=1) as proxy, place.fleet(proxy) as fleet:
        fleet.start()
        fleet.ready()
        meter = Meter(place.postgres, fleet)
        began = time.monotonic()
        fleet.enqueue([f"http://nothing-{number}.example/" for number in range(count)], "--delay", "0")
        # A job that found nothing is tried again some minutes later: it is parked.
        fleet.until(lambda: fleet.is_without("queued", "running"), seconds=900)
        seconds, used = time.monotonic() - began, meter.used()
        slices = [float(line["seconds"]) for line in fleet.lines() if "seconds" in line]
    asked: dict[str, list[float]] = {}
    for request in requests_in(log):
        asked.setdefault(request.host, []).append(request.at)
    spans = sorted((min(times), max(times)) for times in asked.values())
    between = [later[0] - earlier[1] for earlier, later in pairwise(spans)]
    return {
        "jobs": float(len(spans)), "jobs a second": len(spans) / seconds,
        "ms between two jobs, median": 1000 * _at(between, 50),
        "ms between two jobs, 95th percentile": 1000 * _at(between, 95),
        "ms of a slice by its log, median": 1000 * _at(slices, 50),
        "ms of requests in a job, median": 1000 * _at([last - first for first, last in spans], 50),
        **{name: value / len(spans) for name, value in used.items()},
    }


def polls(place: Place) -> Figures:
    """Feeds that have not changed: a first round that asks for robots.txt too, and one that does not."""
    count = place.arguments.feeds
    figures: Figures = {"feeds": float(count)}
    with feeds_served() as proxy, place.fleet(proxy) as fleet:
        fill(fleet, count)
        fleet.start()
        fleet.ready()
        for name in ("with robots.txt", "unchanged"):
            make_due(fleet)
            meter = Meter(place.postgres, fleet)
            began = time.monotonic()
            fleet.run("watch", "--once", "-q")
            handed = time.monotonic() - began
            fleet.wait(seconds=900)
            seconds, used = time.monotonic() - began, meter.used()
            asked = int(fleet.ask("select coalesce(sum(requests), 0) from workers")[0][0])
            figures |= {f"{name}, feeds a second": count / seconds, f"{name}, seconds to hand out": handed}
            figures |= {f"{name}, {what} a feed": value / count for what, value in used.items()}
            figures[f"{name}, polls so far"] = float(asked)
        figures["bytes of a poll's row"] = _bytes(fleet, "polls") / count
    return figures


def pages(place: Place) -> Figures:
    """Blogs of the corpus, crawled by one worker."""
    log = place.folder / "pages.tsv"
    blogs = smallest(chosen_blogs(place.arguments), place.arguments.count)
    with (
        corpus_web({blog.folder.parent for blog in blogs}, place.arguments.server, log) as proxy,
        place.fleet(proxy) as fleet,
    ):
        fleet.start()
        fleet.ready()
        meter, processor, began = Meter(place.postgres, fleet), Processor(), time.monotonic()
        most = str(place.arguments.max_pages)
        fleet.enqueue([home_of(blog) for blog in blogs], "--delay", "0", "--no-media", "--max-pages", most)
        fleet.wait()
        seconds, used, busy = time.monotonic() - began, meter.used(), processor.share()
        peak = meter.peak()
        fleet.stop()
        asked = len(requests_in(log))
        counts = {name: int(fleet.ask(f"select count(*) from {name}")[0][0]) for name in COUNTED}  # noqa: S608
        sizes = {row[0]: float(row[1]) for row in fleet.ask(SIZES)}
        warc = sum(file.stat().st_size for file in fleet.folder.rglob("*") if file.name.endswith(WARC))
    return {
        "requests": float(asked), "requests a second": asked / seconds, "processors busy": busy, **peak,
        **{f"{what} a request": value / asked for what, value in used.items()},
        **{name: float(count) for name, count in counts.items()},
        "bytes of the database": sum(sizes.values()), "bytes by table": sizes,
        "bytes of the database a post": sum(sizes.values()) / max(1, counts["posts"]),
        "bytes of the database a capture": sum(sizes.values()) / max(1, counts["captures"]),
        "bytes of WARC": float(warc), "bytes of WARC a capture": warc / max(1, counts["captures"]),
    }


def turns(place: Place) -> Figures:
    """Places in line, each for a host of its own."""
    with open_archive(place.postgres.url(), create=True, files=str(place.folder / "turns")) as archive:
        def take(number: int) -> None:
            archive.hosts.reserve(f"host-{number}.example", 1.0)

        figures: Figures = {}
        for threads in (1, 8):
            with ThreadPoolExecutor(threads) as pool:
                list(pool.map(take, range(threads)))
                began = time.monotonic()
                list(pool.map(take, range(place.arguments.turns)))
            figures[f"turns a second, {threads} at once"] = place.arguments.turns / (time.monotonic() - began)
        return figures


COUNTED = ("blogs", "urls", "captures", "posts", "versions")
SIZES = """
select c.relname, pg_total_relation_size(c.oid) from pg_class c join pg_namespace n on n.oid = c.relnamespace
where n.nspname = 'public' and c.relkind = 'r' and pg_total_relation_size(c.oid) > 200000 order by 2 desc
"""
PARTS: dict[str, Callable[[Place], Figures]] = {"jobs": jobs, "polls": polls, "pages": pages, "turns": turns}


def fill(fleet: Fleet, count: int) -> None:
    """Blogs as finished crawls leave them, as far as a poll looks at them."""
    say(f"making an archive of {count} blogs")
    template = json.dumps({"everlog_template": 1, "padding": os.urandom(TEMPLATE_BYTES // 4).hex()})
    with open_archive(fleet.archive, files=str(fleet.files)) as archive:
        for number in range(count):
            home = f"http://b{number}.example/"
            blog = archive.blogs.add(home, scope="path")
            blog = archive.blogs.update(
                blog.id, feed_url=f"{home}feed", state="finished", template=template, knowledge="{}",
            )
            archive.polls.add([replace(first_poll(blog, archive, LONG_AGO), etag=ETAG)])


def make_due(fleet: Fleet) -> None:
    """All feeds are due since a minute ago."""
    due = datetime.now(UTC) - timedelta(minutes=1)
    with open_archive(fleet.archive, files=str(fleet.files)) as archive:
        for blog in archive.blogs():
            poll = archive.polls.of(blog.id)
            assert poll is not None
            archive.polls.set(replace(poll, polling=replace(poll.polling, due_at=due, not_before=None), etag=ETAG))


def _bytes(fleet: Fleet, table: str) -> float:
    return float(fleet.ask("select pg_total_relation_size(%s::regclass)", table)[0][0])


def _at(values: list[float], percent: int) -> float:
    return quantiles(values, n=100, method="inclusive")[percent - 1] if len(values) > 1 else 0.0


def _shown(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name} {_shown(each)}" for name, each in value.items())
    return f"{value:,.4g}" if isinstance(value, float) and abs(value) < 1000 else f"{value:,.0f}" if isinstance(
        value, float) else str(value)


if __name__ == "__main__":
    main()
