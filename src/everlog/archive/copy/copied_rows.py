"""The rows of one archive put into another, whatever databases the two are in: streamed, under the same numbers.

Not all tables are part of an archive. What a fleet is doing just now stays where it is done; the revision, and which
posts are in the search index, are each database's own.
"""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING, Any

from sqlalchemy import ColumnElement, Connection, Select, Table, func, literal, null, select
from sqlalchemy.exc import DBAPIError

from everlog.archive.db import schema
from everlog.archive.db.column_values import storable
from everlog.archive.repos.archive_state import OF_ITS_PLACE

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator, Sequence


    Counted = Callable[[int], None]
    Parts = Iterator[list[tuple[Any, ...]]]

LEFT_OUT = frozenset({"alembic_version", "indexed", "jobs", "grants", "leases", "turns", "workers"})
# In the order in which each names only rows of those before it, or earlier rows of its own.
TABLES = tuple(table for table in schema.metadata.sorted_tables if table.name not in LEFT_OUT)

# Rows that are in memory at once. Records with all their comments, templates and what is known of a blog may be
# large, a megabyte each and more; the others are addresses and numbers.
AT_ONCE = 1_000
LARGE_AT_ONCE = 50
_LARGE = frozenset({"blogs", "versions", "templates", "blog_states", "polls", "runs", "events"})


class Unread(Exception):
    """The database that is copied from failed, and not the one that is written: `error` is for the first to explain."""

    def __init__(self, error: DBAPIError) -> None:
        super().__init__(str(error))
        self.error = error


def count_rows(connection: Connection) -> int:
    """How many rows there are to copy."""
    counts = (select(func.count()).select_from(wanted(table).order_by(None).subquery()) for table in TABLES)
    return sum(connection.scalar(count) or 0 for count in counts)


def holds_anything(connection: Connection) -> bool:
    """Whether an archive is more than its empty tables."""
    kinds = (*(wanted(table) for table in TABLES), select(schema.jobs.c.id))
    return any(connection.execute(kind.limit(1)).first() is not None for kind in kinds)


def copy_rows(source: Connection, target: Connection, counted: Counted) -> dict[str, int]:
    """All rows of an archive into the empty tables of another, in transactions that are open. How many, by table."""
    put = _put_by_copy if target.dialect.name == "postgresql" else _put_by_insert
    copied = {}
    for table in TABLES:
        with closing(_parts(source, table)) as parts:
            copied[table.name] = put(target, table, parts, counted)
    if target.dialect.name == "postgresql":
        _number_on(target)
    return copied


def wanted(table: Table) -> Select[Any]:
    """The rows of a table that belong to the archive, as they are in any place."""
    others: dict[str, ColumnElement[Any]] = {}
    if table is schema.polls:
        # Who is asking a feed at the moment, asks it for the archive it works on.
        others = {"lease": null(), "lease_until": null(), "job_id": null()}
    elif table is schema.warc_files:
        # A copy is whole; nobody appends to it who is not its only writer.
        others = {"closed": literal(value=True)}
    statement = select(*(others[column.name].label(column.name) if column.name in others else column
                         for column in table.columns)).select_from(table)
    if table is schema.archive_state:
        statement = statement.where(table.c.name.not_in(OF_ITS_PLACE))
    # A capture refers to an earlier one.
    return statement.order_by(table.c.id) if "id" in table.columns else statement


def _parts(source: Connection, table: Table) -> Generator[list[tuple[Any, ...]]]:
    at_once = LARGE_AT_ONCE if table.name in _LARGE else AT_ONCE
    try:
        with source.execute(wanted(table), execution_options={"yield_per": at_once}) as found:
            for part in found.partitions():
                yield [tuple(row) for row in part]
    except DBAPIError as error:
        raise Unread(error) from error


def _put_by_insert(target: Connection, table: Table, parts: Parts, counted: Counted) -> int:
    """By statements of many rows each."""
    statement = str(table.insert().compile(dialect=target.dialect))
    done = 0
    for part in parts:
        target.exec_driver_sql(statement, part)
        counted(len(part))
        done += len(part)
    return done


def _put_by_copy(target: Connection, table: Table, parts: Parts, counted: Counted) -> int:
    """By COPY, which PostgreSQL reads several times as fast as statements."""
    import psycopg  # noqa: PLC0415 - it is loaded: it is the driver of this connection

    quote = target.dialect.identifier_preparer.quote
    columns = ", ".join(quote(column.name) for column in table.columns)
    driver: Any = target.connection.driver_connection
    done = 0
    try:
        with driver.cursor() as cursor, cursor.copy(f"copy {quote(table.name)} ({columns}) from stdin") as copy:
            for part in parts:
                for row in part:
                    copy.write_row(_storable(row))
                counted(len(part))
                done += len(part)
    except psycopg.Error as error:
        # As if SQLAlchemy had been asked, so that the database explains it.
        raise DBAPIError.instance(f"copy {table.name}", None, error, psycopg.Error) from error
    return done


def _storable(row: Sequence[Any]) -> list[Any]:
    return [storable(value) if isinstance(value, str) else value for value in row]


def _number_on(target: Connection) -> None:
    """New rows are numbered behind those that are there; and the server looks at what it has, to plan queries."""
    for table in TABLES:
        if "id" in table.columns:
            numbers = func.pg_get_serial_sequence(table.name, "id")
            largest = func.max(table.c.id)
            target.execute(select(func.setval(numbers, largest)).having(largest.is_not(None)))
    target.exec_driver_sql(f"analyze {', '.join(table.name for table in TABLES)}")
