"""Turns a second that a fleet takes at hosts, by 1 and by 4 connections of processes of their own.

    python benchmarks/fleet_turns.py [--turns 2000]

A PostgreSQL of its own, syncing to disk. `hosts apart`: each connection takes turns at many hosts, as workers do;
`one host`: all at the same, where each waits for the row the others hold.
"""

from __future__ import annotations

import argparse
import time
from concurrent.futures import ProcessPoolExecutor

from everlog.archive.db import schema
from everlog.archive.db.postgres import PostgresDatabase
from everlog.archive.repos.hosts import HostRepository
from fleet_ground import servers


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--turns", type=int, default=2_000, help="by each connection")
    turns = parser.parse_args().turns
    with servers.postgres() as server:
        url = server.url()
        database = PostgresDatabase(url)
        with database.writing() as connection:
            schema.metadata.create_all(connection)
        database.close()
        for connections in (1, 4):
            for one_host in (False, True):
                with ProcessPoolExecutor(connections) as pool:
                    ended = list(pool.map(take, [url] * connections, range(connections), [turns] * connections,
                                          [one_host] * connections))
                # All begin within milliseconds of each other; the first to begin and the last to end count.
                seconds = max(end for _, end in ended) - min(begin for begin, _ in ended)
                where = "one host" if one_host else "hosts apart"
                print(f"{connections} connections, {where}: {connections * turns / seconds:,.0f} turns/s")


def take(url: str, number: int, turns: int, one_host: bool) -> tuple[float, float]:  # noqa: FBT001 - by a pool's map
    """Take turns as fast as they are given; when that began and ended."""
    database = PostgresDatabase(url)
    reserve = HostRepository(database).reserve
    try:
        reserve(f"first{number}.example", 0.001)
        begin = time.time()
        for turn in range(turns):
            host = "one.example" if one_host else f"host{number}-{turn % 200}.example"
            reserve(host, 0.001)
        return begin, time.time()
    finally:
        database.close()


if __name__ == "__main__":
    main()
