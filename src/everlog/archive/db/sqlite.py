"""The embedded database: one file, many readers, one writer at a time."""

from __future__ import annotations

import shlex
import sqlite3
import time
from collections import Counter
from contextlib import contextmanager
from functools import cached_property
from typing import TYPE_CHECKING, Any

from sqlalchemy import ColumnElement, Connection, Table, create_engine, event, func
from sqlalchemy.dialects import sqlite
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import QueuePool

from everlog.archive.db.database import SharedReading, check_fence
from everlog.errors import ArchiveBusy, DamagedArchive, DiskFull, EverlogError, TooSlow, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from everlog.archive.db.sqlite_search import Fts5Index

# Of threads that read at the same time, such as those of the web server. More are opened when they are needed, and
# closed again: each one takes 0.4 ms to open, and the statements that it knows are lost.
KEPT_CONNECTIONS = 8
# How long one writer waits for another. A batch is written in well under a second; a crawl that
# waits this long stands behind something that is not going to end by itself.
BUSY_SECONDS = 60.0

# Of SQLite, between two looks at the clock: 6 ms of counting. Each look waits for other threads of Python.
STEPS_BETWEEN_LOOKS = 500_000


class SqliteDatabase:
    """A database file. Connections are shared between threads, each by one thread at a time."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self.fence: int | None = None
        self._shared = SharedReading()
        self.engine = create_engine(
            "sqlite://", creator=self._connect, poolclass=QueuePool, pool_size=KEPT_CONNECTIONS, max_overflow=-1,
        )
        self._writer = self.engine.execution_options(writes=True)
        event.listen(self.engine, "begin", _begin)

    @property
    def where(self) -> str:
        return str(self.file)

    @cached_property
    def search_index(self) -> Fts5Index:
        from everlog.archive.db.sqlite_search import Fts5Index  # noqa: PLC0415 - who does not search needs none of it

        return Fts5Index()

    def clock(self) -> ColumnElement[float]:
        # Whole milliseconds: SQLite has no finer time, and keeps one moment throughout a statement.
        return (func.julianday("now") - 2440587.5) * 86400.0

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        if (shared := self._shared.connection) is not None:
            yield shared
            return
        with self._explained(), self.engine.connect() as connection:
            yield connection

    @contextmanager
    def snapshot(self, *, seconds: float | None = None) -> Iterator[None]:
        is_outermost = self._shared.connection is None
        with self._shared.shared(self.reading):
            if seconds is None or not is_outermost or self._shared.connection is None:
                yield
                return
            driver: Any = self._shared.connection.connection.driver_connection
            until = time.monotonic() + seconds
            driver.set_progress_handler(lambda: time.monotonic() > until, STEPS_BETWEEN_LOOKS)
            try:
                yield
            finally:
                driver.set_progress_handler(None, 0)

    @contextmanager
    def writing(self, *, fenced: bool = True) -> Iterator[Connection]:
        with self._explained(), self._writer.begin() as connection:
            if fenced and self.fence is not None:
                check_fence(connection, self.fence)
            yield connection

    @contextmanager
    def changing(self) -> Iterator[Connection]:
        """A transaction that changes tables. One that others refer to may be put in the place of another meanwhile."""
        with self._explained(), self._writer.connect() as connection:
            # Within a transaction SQLite would not hear it.
            driver: Any = connection.connection.driver_connection
            driver.execute("PRAGMA foreign_keys = OFF")
            try:
                with connection.begin():
                    before = _dangling(connection)
                    yield connection
                    if more := _dangling(connection) - before:
                        (table, parent), _ = more.most_common(1)[0]
                        raise DamagedArchive(
                            f"{self.file} cannot be upgraded: rows of {table} refer to missing rows of {parent}",
                            advice="nothing was changed; run 'everlog verify' with the version that wrote it",
                        )
            finally:
                driver.execute("PRAGMA foreign_keys = ON")

    def without_hurry(self, connection: Connection) -> None:
        """Nobody hurries us here."""

    def insert(self, table: Table) -> sqlite.Insert:
        return sqlite.insert(table)

    def reserve(self, connection: Connection, table: Table, count: int) -> range:
        # A writing transaction is the only one, so nobody takes these meanwhile.
        last = connection.exec_driver_sql(f"select max(id) from {table.name}").scalar() or 0  # noqa: S608 - our own name
        return range(last + 1, last + 1 + count)

    def to_index(self) -> SqliteDatabase:
        return self

    def complaints(self) -> Iterator[str]:
        with self.reading() as connection:
            for (text,) in connection.exec_driver_sql("PRAGMA integrity_check(20)"):
                if text != "ok":
                    yield str(text)
            for table, _row, parent, _ in connection.exec_driver_sql("PRAGMA foreign_key_check"):
                yield f"a row of {table} refers to a missing row of {parent}"

    def back_up(self, copy: Path) -> None:
        """A copy of the whole database, as it is in one moment."""
        with self._explained(), self.engine.connect() as connection:
            source = connection.connection.driver_connection
            target = sqlite3.connect(copy)
            try:
                source.backup(target)  # type: ignore[union-attr]
            finally:
                target.close()

    def close(self) -> None:
        self.engine.dispose()

    def _connect(self) -> sqlite3.Connection:
        # Without isolation_level the driver begins nothing by itself: `_begin` does.
        connection = sqlite3.connect(
            self.file, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False, cached_statements=256,
        )
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            # An acknowledged batch survives the loss of power, not only of the process.
            connection.execute("PRAGMA synchronous = FULL")
            connection.execute("PRAGMA foreign_keys = ON")
        except sqlite3.Error:
            connection.close()
            raise
        return connection

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except (DBAPIError, sqlite3.Error) as error:
            known = _explain(error.orig if isinstance(error, DBAPIError) else error, self.file)
            if known is None:
                raise
            raise known from error


def _begin(connection: Connection) -> None:
    writes = connection.get_execution_options().get("writes")
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


def _dangling(connection: Connection) -> Counter[tuple[str, str]]:
    """How many rows of which table name rows of which other that are not there."""
    found = connection.exec_driver_sql("PRAGMA foreign_key_check")
    return Counter((str(table), str(parent)) for table, _row, parent, _ in found)


def _explain(error: Any, file: Path) -> EverlogError | None:  # noqa: PLR0911 - one for each kind of error
    """What an error of SQLite means to somebody who only knows an archive."""
    name = getattr(error, "sqlite_errorname", None) or ""
    # Before anything is written, what is shared between programs needs its file.
    if name.startswith(("SQLITE_FULL", "SQLITE_IOERR_SHMSIZE")):
        return DiskFull(f"disk full: {file}", advice="free some space, then run the same command again")
    if name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
        return ArchiveBusy(
            f"{file} is locked by another program", advice="wait for it to finish, then run the same command again",
        )
    if name.startswith("SQLITE_INTERRUPT"):
        return TooSlow("this took longer than readers wait", advice="ask for less: more words, one blog, or one year")
    if name.startswith(("SQLITE_CANTOPEN", "SQLITE_READONLY", "SQLITE_PERM", "SQLITE_AUTH")):
        return UsageError(
            f"{file} cannot be opened: {error}",
            advice=f"check the owner and permissions of the folder:  ls -ld {shlex.quote(str(file.parent))}",
        )
    if name.startswith("SQLITE_IOERR"):
        return DamagedArchive(
            f"{file} could not be read or written: {error}",
            advice="check the disk; 'everlog verify' checks that everything stored is safe",
        )
    if name.startswith(("SQLITE_CORRUPT", "SQLITE_NOTADB")):
        return DamagedArchive(f"{file} is a damaged database: {error}", advice="restore it from a backup")
    return None
