"""Import index: which captures some WARC files hold, by address and time, in a temporary database.

Files may be larger than any memory: only where each capture stands is kept, and that on the disk.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from everlog.core.urls import canonical, host_of
from everlog.importing.warc_records import Kind, Record

if TYPE_CHECKING:
    from pathlib import Path

_COLUMNS = "part, offset, kind, url, at, status, type, digest, location, refers_to, refers_at"
# What may be a page of a blog; what says nothing of itself may be one.
_IS_PAGE = (
    "kind != 'made' and status between 200 and 299 "
    "and (type is null or type in ('text/html', 'application/xhtml+xml'))"
)
_IS_FEED = (
    "kind != 'made' and status between 200 and 299 and (type like '%rss%' or type like '%atom%' "
    "or type in ('text/xml', 'application/xml', 'application/feed+json'))"
)
# Redirects that are kept beside a page as other addresses of it.
MOST_REDIRECTS = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexedCapture(Record):
    """A capture, and the number of the file that it stands in."""

    part: int


class ImportIndex:
    """The captures of all files of an import."""

    def __init__(self, folder: Path) -> None:
        self._database = sqlite3.connect(folder / "captures.db")
        self._database.executescript(
            "pragma journal_mode=off; pragma synchronous=off;"
            "create table captures (id integer primary key, key text, host text, part int, offset int, kind text,"
            " url text, at text, status int, type text, digest text, location text, refers_to text, refers_at text);"
        )

    def add(self, part: int, records: Iterable[Record]) -> int:
        """Take in the captures of a file. How many."""
        rows = (
            (canonical(each.url), host_of(each.url), part, each.offset, each.kind, each.url, _text(each.at),
             each.status, each.type, each.digest, canonical(each.location) if each.location else None, each.refers_to,
             _text(each.refers_at) if each.refers_at else None)
            for each in records
        )
        return self._database.executemany(
            f"insert into captures (key, host, {_COLUMNS}) values ({', '.join('?' * 13)})", rows,  # noqa: S608 - our own
        ).rowcount

    def drop(self, part: int) -> None:
        """Forget the captures of a file."""
        self._database.execute("delete from captures where part = ?", (part,))

    def finish(self) -> None:
        """All is in: from here on it is asked."""
        self._database.executescript(
            "create index by_key on captures (key, at); create index by_digest on captures (digest);"
            "create index by_location on captures (location) where location is not null;"
        )
        self._database.commit()

    def close(self) -> None:
        self._database.close()

    def pages(self) -> Iterator[IndexedCapture]:
        """All that may be pages, those of one address in a row."""
        return self._select(f"where {_IS_PAGE} order by key, at, id")

    def feeds(self) -> Iterator[IndexedCapture]:
        """All that may be feeds, each address once, the shortest addresses first."""
        return self._select(f"where {_IS_FEED} group by key having at = max(at) order by length(url), url")

    def hosts(self) -> list[tuple[str, int]]:
        """The hosts that have pages, and how many, the most first."""
        statement = f"select host, count(distinct key) from captures where {_IS_PAGE} group by host order by 2 desc, 1"  # noqa: S608 - our own
        return [(host, count) for host, count in self._database.execute(statement)]

    def shortest(self, host: str, limit: int) -> list[IndexedCapture]:
        """The pages of a host with the shortest addresses, each address once."""
        where = f"where host = ? and {_IS_PAGE} group by key having at = max(at) order by length(key), key limit ?"
        return list(self._select(where, host, limit))

    def answer(self, key: str, moment: datetime | None = None) -> IndexedCapture | None:
        """The capture of an address nearest to a moment, else the newest: an answer, else a redirect, else an error."""
        rank = "case when status between 200 and 299 then 0 when location is not null then 1 else 2 end"
        if moment is None:
            found = self._select(f"where key = ? and kind != 'made' order by {rank}, at desc, id limit 1", key)
        else:
            distance = "abs(julianday(at) - julianday(?))"
            order = f"order by {rank}, {distance}, at desc, id limit 1"
            found = self._select(f"where key = ? and kind != 'made' {order}", key, _text(moment))
        return next(found, None)

    def made(self, key: str, moment: datetime) -> IndexedCapture | None:
        """What a browser made of the page that was captured at about this moment."""
        where = "where key = ? and kind = 'made' and type = 'text/html' and abs(julianday(at) - julianday(?)) < 0.04"
        found = self._select(f"{where} order by abs(julianday(at) - julianday(?)), id limit 1",
                             key, _text(moment), _text(moment))
        return next(found, None)

    def redirects_to(self, key: str) -> list[IndexedCapture]:
        """Redirects from other addresses to this one, the newest of each address."""
        where = "where location = ? and key != ? and kind != 'made' group by key having at = max(at)"
        return list(self._select(f"{where} order by key limit {MOST_REDIRECTS}", key, key))

    def body_of(self, capture: IndexedCapture) -> IndexedCapture | None:
        """The capture that holds the body of one that was seen again."""
        if capture.kind != "again" or capture.location is not None:
            return capture
        answers = "kind = 'answer' and status between 200 and 299"
        if capture.refers_to is not None and capture.refers_at is not None:
            found = next(self._select(
                f"where key = ? and at = ? and {answers} limit 1", capture.refers_to, _text(capture.refers_at),
            ), None)
            if found is not None:
                return found
        if capture.digest is not None:
            found = next(self._select(f"where digest = ? and {answers} order by id limit 1", capture.digest), None)
            if found is not None or capture.refers_to is not None:
                return found
        own = f"where key = ? and at <= ? and {answers} order by at desc limit 1"
        return next(self._select(own, canonical(capture.url), _text(capture.at)), None)

    def _select(self, rest: str, *values: object) -> Iterator[IndexedCapture]:
        for row in self._database.execute(f"select {_COLUMNS} from captures {rest}", values):  # noqa: S608 - our own
            part, offset, kind, url, at, status, type_, digest, location, refers_to, refers_at = row
            known: Kind = kind
            yield IndexedCapture(
                part=part, offset=offset, kind=known, url=url, at=datetime.fromisoformat(at), status=status,
                type=type_, digest=digest, location=location, refers_to=refers_to,
                refers_at=datetime.fromisoformat(refers_at) if refers_at else None,
            )


def _text(moment: datetime) -> str:
    return moment.isoformat(timespec="microseconds")
