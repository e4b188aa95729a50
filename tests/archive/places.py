"""Where a test's archive is: in a folder with its database, or on a server with its files in a folder."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import psycopg

from everlog.archive import open_archive
from everlog.archive.db import schema
from everlog.archive.db.postgres_search import PostgresIndex

if TYPE_CHECKING:
    from pathlib import Path

    from everlog.archive.archive import Archive, ArchiveOptions

KINDS = ("sqlite", "postgresql")


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """An archive that can be opened again and again, by whichever process it was handed to."""

    folder: Path
    url: str | None = None

    def open(self, *, create: bool = True, options: ArchiveOptions | None = None) -> Archive:
        if self.url is None:
            return open_archive(self.folder, create=create, options=options)
        return open_archive(self.url, files=str(self.folder), create=create, options=options)

    @property
    def files(self) -> str | None:
        """Where its files are, if they are not beside its database."""
        return str(self.folder) if self.url is not None else None

    @property
    def is_shared(self) -> bool:
        """Whether its database is on a server."""
        return self.url is not None

    def rows(self, statement: str, *values: object) -> list[Any]:
        """What the database says behind the archive's back; values stand for question marks."""
        if self.url is None:
            with closing(sqlite3.connect(self.folder / "everlog.sqlite")) as database:
                return database.execute(statement, values).fetchall()
        with psycopg.connect(self.url) as connection:
            return connection.execute(statement.replace("?", "%s").encode(), values).fetchall()

    def change(self, *statements: str) -> int:
        """Change rows behind the archive's back, whatever other rows may say to it. How many were changed."""
        if self.url is None:
            with closing(sqlite3.connect(self.folder / "everlog.sqlite")) as database:
                database.execute("pragma foreign_keys = off")
                changed = sum(database.execute(statement).rowcount for statement in statements)
                database.commit()
                return changed
        with psycopg.connect(self.url) as connection:
            connection.execute("set session_replication_role = replica")
            return sum(connection.execute(statement.encode()).rowcount for statement in statements)

    def let_go(self) -> None:
        """What happens by itself when a process that was killed has been silent for long enough, at once."""
        if self.url is not None and self.rows("select to_regclass('grants')") != [(None,)]:
            self.change("update jobs set fence = null", "delete from leases", "delete from grants")

    def empty(self) -> None:
        """All rows away, as in an archive that was just made (on a server: a folder is made in no time)."""
        assert self.url is not None
        tables = [table.name for table in schema.metadata.sorted_tables if table is not schema.alembic_version]
        statements = [
            "set session_replication_role = replica", *(f"delete from {name}" for name in (*tables, "search")),  # noqa: S608 - our own
            f"insert into archive_state values ('search', '{PostgresIndex.kind}')",  # noqa: S608 - our own
        ]
        with psycopg.connect(self.url) as connection:
            connection.execute("; ".join(statements).encode())
            sequences = connection.execute("select sequencename from pg_sequences").fetchall()
            connection.execute("; ".join(f"alter sequence {name} restart" for (name,) in sequences).encode())
