"""Feeds a second that a scheduler hands out of a million due ones, and whether it reads more than it picks.

    python benchmarks/fleet_schedule.py [--feeds 1000000] [--broker redis://... | own]

A PostgreSQL of its own (Debian's settings, syncing to disk) gets as many blogs with a due feed each, on hosts of their
own. Without a broker only rows are written; with one, the jobs are sent as well. The plan of the pick is shown before
anything is in a job, and again when half of the feeds are: what was picked before must not be stepped over each time.
"""

from __future__ import annotations

import argparse
import time
from contextlib import ExitStack
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from sqlalchemy import text

from blogs import say
from everlog.archive.db import schema
from everlog.archive.db.postgres import PostgresDatabase
from everlog.archive.repos import polls
from everlog.archive.repositories import Repositories
from fleet_ground import servers

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from everlog.archive.job_models import Job

# What one scheduler has to do, in feeds a second.
FLOOR = 2_000.0
NOW = datetime(2024, 5, 1, 12, tzinfo=UTC)
# As `fleet.scheduler` has them.
BATCH, AT_ONCE = 100, 5_000
# The templates of blogs are some thousand characters; these only have to make rows as wide as rows get.
FILL = (
    (
        "INSERT INTO blogs (id, key, home, feed_url, scope, state, template, added_at)"
        " SELECT n, 'blog' || n || '.example', 'https://blog' || n || '.example/',"
        " 'https://blog' || n || '.example/feed', 'host', 'finished', repeat(md5(CAST(n AS text)), 12),"
        " '2024-01-01T00:00:00.000000Z' FROM generate_series(1, :feeds) n"
    ),
    (
        "INSERT INTO polls (blog_id, due_at, state) SELECT n,"
        " to_char(timestamp '2024-04-01' + (CAST(n AS bigint) * 7919 % 2000000) * interval '1 second',"
        " 'YYYY-MM-DD\"T\"HH24:MI:SS.US\"Z\"'), '{\"version\": 1, \"why\": \"made\"}'"
        " FROM generate_series(1, :feeds) n"
    ),
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--feeds", type=int, default=1_000_000)
    parser.add_argument("--broker", help="send the jobs to this Redis as well; 'own' starts one")
    arguments = parser.parse_args()
    with ExitStack() as stack:
        server = stack.enter_context(servers.postgres())
        broker = stack.enter_context(servers.redis()).url if arguments.broker == "own" else arguments.broker
        database = PostgresDatabase(server.url())
        stack.callback(database.close)
        fill(database, arguments.feeds)
        say(f"before anything is in a job:\n{plan(database)}")
        rate = measure(Repositories(database), database, arguments.feeds, sender(broker, stack))
    where = "jobs written and sent" if broker else "jobs written"
    print(f"{rate:,.0f} feeds/s of {arguments.feeds:,} due, {where} (floor {FLOOR:,.0f})")
    assert rate >= FLOOR


def fill(database: PostgresDatabase, feeds: int) -> None:
    """Blogs that are watched, each with a feed that is due."""
    began = time.perf_counter()
    with database.writing() as connection:
        schema.metadata.create_all(connection)
        for statement in FILL:
            connection.execute(text(statement), {"feeds": feeds})
    with database.writing() as connection:
        connection.execute(text("ANALYZE"))
    say(f"{feeds:,} blogs made in {time.perf_counter() - began:.0f} s")


def measure(
    store: Repositories, database: PostgresDatabase, feeds: int, send: Callable[[Sequence[Job]], object],
) -> float:
    """Feeds a second until none is left; also of each tenth, as what was done before may be in the way."""
    taken, shown, began = 0, 0, time.perf_counter()
    stood, parts = 0.0, time.perf_counter()
    while jobs := store.polls.schedule(now=NOW, batch=BATCH, most=AT_ONCE):
        send(jobs)
        taken += sum(len(job.blog_ids) for job in jobs)
        if taken - shown >= feeds // 10:
            now = time.perf_counter()
            say(f"{taken:>9,} feeds, the last {taken - shown:,} at {(taken - shown) / (now - parts):,.0f} a second")
            if taken - shown <= taken - feeds // 2 < feeds // 10 + AT_ONCE and taken < feeds:
                say(f"with {taken:,} feeds in jobs:\n{plan(database)}")
                stood += time.perf_counter() - now
            shown, parts = taken, time.perf_counter()
    assert taken == feeds
    return taken / (time.perf_counter() - began - stood)


def plan(database: PostgresDatabase) -> str:
    """How the pick is done, with what it really cost; nothing is changed by it."""
    with database.writing() as connection:
        statement = polls.due_feeds(NOW, AT_ONCE).compile(connection, compile_kwargs={"literal_binds": True})
        lines = connection.execute(text(f"EXPLAIN (ANALYZE, BUFFERS) {statement}")).scalars().all()
    shown = "\n".join(f"    {line}" for line in lines)
    assert "polls_free" in shown, shown
    assert "Seq Scan" not in shown, shown
    return shown


def sender(broker: str | None, stack: ExitStack) -> Callable[[Sequence[Job]], object]:
    """What sends jobs to the queue; nothing without a broker."""
    if broker is None:
        return lambda _: None
    from everlog.fleet.job_queue import make_job_queue  # noqa: PLC0415 - needs Celery

    job_queue = make_job_queue(broker)
    stack.callback(job_queue.close)
    return job_queue.send


if __name__ == "__main__":
    main()
