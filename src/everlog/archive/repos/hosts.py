"""Host repository: what was asked of each host over all runs and waited for, and when each may be asked next.

Requests are added up in place, so that one more costs the same whether ten hosts are known or ten thousand. The rate
limit is one line per host for the whole fleet, by the database's clock.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from operator import itemgetter
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, func, select

from everlog.archive.db import schema
from everlog.archive.db.column_values import moment_of, moment_or_none, stamp, stamp_or_none, storable
from everlog.archive.db.database import Database, Greatest, in_parts
from everlog.archive.repos.archive_state import get_text, put_texts
from everlog.core.fetcher import HostStats, Waited

AT_ONCE = 500
# Signals with a date in them (`Expires: ...`) are new each time. So many of one reason are told apart, the latest;
# those before stay in the sums.
MOST_SIGNALS = 10
EARLIER = "(earlier signals)"
# Servers may say anything; an index of PostgreSQL takes 2,704 bytes for host, reason and signal together.
LONGEST = 200

_hosts, _waits, _turns = schema.hosts, schema.waits, schema.turns


class HostRepository:
    """What was asked of each host, its rate limit and its backoff."""

    def __init__(self, database: Database) -> None:
        self.database = database

    def add(self, stats: Sequence[HostStats], at: datetime) -> None:
        """Add what was asked of hosts in a session; `at` is for those that do not say when they were asked."""
        if not stats:
            return
        # Always in one order: two writers that add to the same hosts never wait for each other in a circle.
        ordered = sorted(stats, key=lambda each: each.host)
        statement = self.database.insert(_hosts)
        added = statement.excluded
        summed = {name: _hosts.c[name] + added[name] for name in ("requests", "bytes", "waited_seconds", "slowed")}
        asked_at = func.coalesce(added.asked_at, _hosts.c.asked_at)
        with self.database.writing() as connection:
            connection.execute(
                statement.on_conflict_do_update(
                    index_elements=["host"],
                    set_={**summed, "delay_seconds": added.delay_seconds, "asked_at": asked_at},
                ),
                [_host_values(each, at) for each in ordered],
            )
            _add_waits(connection, self.database, ((each.host, wait) for each in ordered for wait in each.waits))

    def note_waits(self, waits: Mapping[str, Sequence[Waited]]) -> None:
        """Waits that nobody stood in line for, by host: of feeds that are not asked for before their time."""
        if not waits:
            return
        # Changes nothing, and holds the host until all is written: of its waits two writers would lose some.
        known = self.database.insert(_hosts).on_conflict_do_update(
            index_elements=["host"], set_={"requests": _hosts.c.requests},
        )
        nothing = {"requests": 0, "bytes": 0, "waited_seconds": 0.0, "slowed": 0, "delay_seconds": 0.0}
        ordered = sorted(waits)
        with self.database.writing() as connection:
            connection.execute(known, [{"host": storable(host), **nothing} for host in ordered])
            _add_waits(connection, self.database, ((host, wait) for host in ordered for wait in waits[host]))

    def stats(self, host: str | None = None) -> Iterator[HostStats]:
        """The hosts by name, or the one, with their waits, those of the longest time first; read in parts."""
        after = ""
        while True:
            statement = select(_hosts).where(_hosts.c.host > after).order_by(_hosts.c.host).limit(AT_ONCE)
            if host is not None:
                statement = statement.where(_hosts.c.host == storable(host))
            with self.database.reading() as connection:
                rows = connection.execute(statement).all()
                waits = _waits_of(connection, [row.host for row in rows])
            if not rows:
                return
            yield from (_stats(row, waits.get(row.host, ())) for row in rows)
            after = rows[-1].host

    def cached(self, name: str) -> str | None:
        """What is kept of a host under a name: its robots.txt, a wait, the network it was first seen in."""
        return get_text(self.database, schema.host_cache, name)

    def cache(self, values: Mapping[str, str | None]) -> None:
        """Keep texts of hosts under names, all or none; None removes one."""
        with self.database.writing() as connection:
            put_texts(connection, self.database, schema.host_cache, values)

    def reserve(self, host: str, pace_seconds: float, *, longest_seconds: float | None = None) -> float:
        """Reserve the next request to a host under its rate limit; how many seconds from now. They are a pace apart.

        One that is further away than `longest_seconds` is not made.
        """
        clock = self.database.clock()
        following = Greatest(_turns.c.free, _turns.c.held, clock)
        statement = self.database.insert(_turns).values(host=host, free=clock + pace_seconds, held=0.0)
        statement = statement.on_conflict_do_update(
            index_elements=["host"], set_={"free": following + pace_seconds},
            where=None if longest_seconds is None else following - clock <= longest_seconds,
        )
        with self.database.writing(fenced=False) as connection:
            taken = statement.returning(_turns.c.free - pace_seconds - clock, *_need_not_last(connection))
            wait = connection.execute(taken).scalar()
            if wait is None:
                wait = connection.execute(select(following - clock).where(_turns.c.host == host)).scalar_one()
            return max(0.0, float(wait))

    def back_off(self, host: str, seconds: float) -> None:
        """Backoff: nobody asks a host for so long; a shorter wish never shortens a longer one."""
        until = self.database.clock() + seconds
        statement = self.database.insert(_turns).values(host=host, free=0.0, held=until)
        statement = statement.on_conflict_do_update(
            index_elements=["host"], set_={"held": Greatest(_turns.c.held, until)},
        )
        with self.database.writing(fenced=False) as connection:
            connection.execute(statement)

    def backoff_seconds(self, host: str) -> float:
        """Backoff of a host: how long nobody is to ask it from now on; 0 if it may be asked."""
        statement = select(_turns.c.held - self.database.clock()).where(_turns.c.host == host)
        with self.database.reading() as connection:
            return max(0.0, float(connection.execute(statement).scalar() or 0.0))

    def forget_rate_limits(self, *, older_seconds: float) -> int:
        """Forget the rate limits of hosts that nobody has asked for so long; how many."""
        before = self.database.clock() - older_seconds
        statement = _turns.delete().where(_turns.c.free < before, _turns.c.held < before)
        with self.database.writing(fenced=False) as connection:
            return connection.execute(statement).rowcount


def _add_waits(connection: Connection, database: Database, waits: Iterable[tuple[str, Waited]]) -> None:
    values = sorted((_wait_values(*each) for each in waits), key=itemgetter("host", "reason", "signal"))
    if not values:
        return
    statement = database.insert(_waits)
    added = statement.excluded
    connection.execute(
        statement.on_conflict_do_update(index_elements=["host", "reason", "signal"], set_={
            "times": _waits.c.times + added.times, "seconds": _waits.c.seconds + added.seconds,
            "last_at": added.last_at, "until": func.coalesce(added.until, _waits.c.until),
        }),
        values,
    )
    _fold(connection, sorted({each["host"] for each in values if each["signal"]}))


def _fold(connection: Connection, hosts: Sequence[str]) -> None:
    """Of reasons with many signals, put all but the latest into one row."""
    is_one = _waits.c.signal != EARLIER
    for part in in_parts(hosts):
        many = (
            select(_waits.c.host, _waits.c.reason).where(_waits.c.host.in_(part), is_one)
            .group_by(_waits.c.host, _waits.c.reason).having(func.count() > MOST_SIGNALS)
        )
        for host, reason in connection.execute(many).all():
            of_reason = (_waits.c.host == host) & (_waits.c.reason == reason)
            rows = connection.execute(select(_waits).where(of_reason).order_by(_waits.c.last_at.desc())).all()
            kept = [row.signal for row in rows if row.signal != EARLIER][:MOST_SIGNALS]
            folded = [row for row in rows if row.signal not in kept]
            connection.execute(_waits.delete().where(of_reason & _waits.c.signal.in_([row.signal for row in folded])))
            connection.execute(_waits.insert(), {
                "host": host, "reason": reason, "signal": EARLIER, "times": sum(row.times for row in folded),
                "seconds": sum(row.seconds for row in folded), "first_at": min(row.first_at for row in folded),
                "last_at": max(row.last_at for row in folded), "until": None,
            })


def _waits_of(connection: Connection, hosts: Sequence[str]) -> dict[str, list[Waited]]:
    found: dict[str, list[Waited]] = {}
    for part in in_parts(hosts):
        statement = select(_waits).where(_waits.c.host.in_(part))
        for row in connection.execute(statement.order_by(_waits.c.host, _waits.c.seconds.desc(), _waits.c.last_at)):
            found.setdefault(row.host, []).append(_waited(row))
    return found


def _host_values(each: HostStats, at: datetime) -> dict[str, Any]:
    asked_at = each.asked_at or (at if each.requests else None)
    return {
        "host": storable(each.host), "requests": each.requests, "bytes": each.bytes,
        "waited_seconds": each.waited_seconds, "slowed": each.slowed, "delay_seconds": each.delay_seconds,
        "asked_at": stamp_or_none(asked_at),
    }


def _wait_values(host: str, wait: Waited) -> dict[str, Any]:
    return {
        "host": storable(host), "reason": storable(wait.reason)[:LONGEST], "signal": storable(wait.signal)[:LONGEST],
        "times": wait.times,
        "seconds": wait.seconds, "first_at": stamp(wait.first_at), "last_at": stamp(wait.last_at),
        "until": stamp_or_none(wait.until),
    }


def _stats(row: Row[Any], waits: Sequence[Waited]) -> HostStats:
    return HostStats(
        host=row.host, requests=row.requests, bytes=row.bytes, waited_seconds=row.waited_seconds, slowed=row.slowed,
        delay_seconds=row.delay_seconds, asked_at=moment_or_none(row.asked_at), waits=tuple(waits),
    )


def _waited(row: Row[Any]) -> Waited:
    return Waited(
        reason=row.reason, signal=row.signal, times=row.times, seconds=row.seconds, first_at=moment_of(row.first_at),
        last_at=moment_of(row.last_at), until=moment_or_none(row.until),
    )


def _need_not_last(connection: Connection) -> tuple[ColumnElement[str], ...]:
    """What makes a transaction of PostgreSQL not wait for the disk, along the way.

    A reservation that is lost when the server crashes costs nobody a record; the wait would cost every request.
    """
    if connection.dialect.name != "postgresql":
        return ()
    return (func.set_config("synchronous_commit", "off", True),)  # noqa: FBT003 - PostgreSQL's own
