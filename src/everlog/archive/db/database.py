"""What the statements of an archive need from the database they run on."""

from __future__ import annotations

import json
import threading
from contextlib import contextmanager
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from sqlalchemy import Boolean, ColumnElement, Connection, Row, Select, Table, Text, bindparam, select
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.functions import GenericFunction

from everlog.archive.db import schema
from everlog.errors import LeaseLost

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from contextlib import AbstractContextManager

    from sqlalchemy.sql.compiler import SQLCompiler

    from everlog.search.document import Document
    from everlog.search.query import Query, Term

T = TypeVar("T")

# Databases take some ten thousand values in one statement (SQLite 32,766); this keeps far away.
MOST_VALUES = 500
# A key share: whoever takes the lease away (a DELETE) waits until this transaction has ended, and its heartbeat (an
# UPDATE of `beat`, which is no key) does not. SQLite has one writer at a time and needs none.
_LEASED = (
    select(schema.grants.c.fence).where(schema.grants.c.fence == bindparam("fence"))
    .with_for_update(read=True, key_share=True)
)


class Database(Protocol):
    """A database of one kind: how a transaction begins, and what its SQL has that others spell otherwise."""

    # The fencing number that every write carries, if any (`check_fence`): one whose lease has ended is refused.
    fence: int | None

    @property
    def where(self) -> str:
        """What this database is called in messages; never a password."""
        ...

    @property
    def search_index(self) -> SearchIndex:
        """What this kind of database finds words with."""
        ...

    def clock(self) -> ColumnElement[float]:
        """The database's own time of day as an expression: seconds since 1970, moving on within a transaction."""
        ...

    def reading(self) -> AbstractContextManager[Connection]:
        """A transaction that sees one state of the database throughout and writes nothing."""
        ...

    def snapshot(self, *, seconds: float | None = None) -> AbstractContextManager[None]:
        """One reading for all that this thread reads meanwhile: a page that asks ten questions shows one state.

        What takes longer than `seconds` ends with `TooSlow`: all of it, or on a server one statement.
        """
        ...

    def writing(self, *, fenced: bool = True) -> AbstractContextManager[Connection]:
        """A transaction that writes: all of it is stored when the context ends, or nothing.

        Without `fenced` it does not ask whether the lease is still there: for what is said about leases themselves.
        """
        ...

    def without_hurry(self, connection: Connection) -> None:
        """From here on this transaction may be silent for long: what it does in between is slow, and waits for none."""
        ...

    def insert(self, table: Table) -> Any:
        """An INSERT that knows `on_conflict_do_nothing` and `on_conflict_do_update`."""
        ...

    def reserve(self, connection: Connection, table: Table, count: int) -> Sequence[int]:
        """Ids nobody else will use for new rows, in their order."""
        ...

    def to_index(self) -> Database:
        """Where a search index that is not complete is filled: here, or in a copy of what cannot be written."""
        ...

    def complaints(self) -> Iterator[str]:
        """What the database itself finds wrong with its file."""
        ...

    def close(self) -> None: ...


class SharedReading(threading.local):
    """The reading that all others of a thread take part in, if there is one."""

    connection: Connection | None = None

    @contextmanager
    def shared(self, reading: Callable[[], AbstractContextManager[Connection]]) -> Iterator[None]:
        """Share a reading until the context ends."""
        if self.connection is not None:
            yield
            return
        with reading() as connection:
            self.connection = connection
            try:
                yield
            finally:
                self.connection = None


class SearchIndex(Protocol):
    """Search documents of posts, findable by their pieces. All within transactions of the caller's."""

    @property
    def kind(self) -> str:
        """What kind of pieces it is of; one of another kind has to be made anew."""
        ...

    @property
    def most_ranked(self) -> int:
        """How many of the posts that fit are ranked for a reader who waits."""
        ...

    @property
    def needs_former(self) -> bool:
        """Whether a document has to be removed, as it was written, before another takes its place."""
        ...

    def make(self, connection: Connection) -> None: ...

    def drop(self, connection: Connection) -> None: ...

    def write(self, connection: Connection, documents: Sequence[Document]) -> None: ...

    def remove(self, connection: Connection, documents: Sequence[Document]) -> None:
        """Take out these documents, which are as they were when they were written."""
        ...

    def find(
        self, connection: Connection, query: Query, blogs: Mapping[Term, Sequence[int]], *, limit: int, offset: int,
        within: int | None = None, hurried: bool = False,
    ) -> list[tuple[int, float]]:
        """The posts that fit best, with their scores (more is better). `blogs` are those each `blog:` means.

        Only those `within` a blog, if one is named. `hurried`: where very many fit, as they do if a word is one that
        nearly all posts have, only those that came into the archive last are ranked.
        """
        ...

    def count(self, connection: Connection, query: Query, blogs: Mapping[Term, Sequence[int]]) -> int: ...

    def lost(self, connection: Connection) -> Sequence[int]:
        """Posts that were written (`indexed` has them) and are not there."""
        ...


class RowStatement:
    """Statement that is run for many rows, which go to the driver as they are: texts, numbers and None.

    Its SQL is made once for each kind of database. SQLAlchemy would look after the values of every row: the
    rows of 31 visits took 2.6 ms, and take 1.3 ms so.
    """

    def __init__(self, columns: Iterable[str], make: Callable[[Database], Any]) -> None:
        self._columns, self._make = tuple(columns), make
        self._known: dict[str, tuple[str, Callable[[Mapping[str, Any]], Any]]] = {}

    def run(self, connection: Connection, database: Database, rows: Iterable[Mapping[str, Any]]) -> int:
        """Run it for these rows, by the names of their values. How many rows there are that it changed."""
        kind = connection.dialect.name
        if kind not in self._known:
            self._known[kind] = self._compiled(connection, database)
        text, values = self._known[kind]
        sent = [values(row) for row in rows]
        return connection.exec_driver_sql(text, sent, {"preserve_rowcount": True}).rowcount if sent else 0

    def _compiled(self, connection: Connection, database: Database) -> tuple[str, Callable[[Mapping[str, Any]], Any]]:
        made = self._make(database).compile(dialect=connection.dialect, column_keys=self._columns)
        # What the statement itself says.
        own = {name: value for name, value in made.params.items() if name not in self._columns}
        if not made.positional:
            return str(made), lambda row: {**row, **own}
        if len(made.positiontup) == 1:
            [name] = made.positiontup
            return str(made), lambda row: ({**row, **own}[name],)
        in_order = itemgetter(*made.positiontup)
        return str(made), (lambda row: in_order({**row, **own})) if own else in_order


def upsert(database: Database, table: Table, key: Sequence[str], changed: Iterable[str]) -> Any:
    """An INSERT of rows that may be there, told apart by their `key`; of these some columns are changed."""
    statement = database.insert(table)
    return statement.on_conflict_do_update(
        index_elements=key, set_={name: statement.excluded[name] for name in changed},
    )


def check_fence(connection: Connection, fence: int) -> None:
    """Fence at the beginning of a write: refuse it if its lease is gone. The lease stays until the write has ended."""
    if connection.execute(_LEASED, {"fence": fence}).first() is None:
        raise LeaseLost(
            "lease lost: another worker has taken over this blog, because this one sent no heartbeat for too long",
            advice="nothing is lost, and nothing needs to be done; if it happens often, look at the worker's network",
        )


class Greatest(GenericFunction[Any]):
    """The largest of some values; SQLite has another name for it."""

    name = "greatest"
    inherit_cache = True


class ObjectOf(GenericFunction[str]):
    """The text of a JSON object of names and values of all rows of a group, in no order."""

    name = "json_object_agg"
    type = Text()
    inherit_cache = True


@compiles(ObjectOf, "sqlite")
def _object_for_sqlite(element: ObjectOf, compiler: SQLCompiler, **options: Any) -> str:
    return f"json_group_object{compiler.process(element.clause_expr, **options)}"


class NumbersIn(GenericFunction[Any]):
    """The numbers of a JSON list, for `in`: thousands of them are one value, where a list of values has a limit."""

    name = "numbers_in"
    inherit_cache = True


@compiles(NumbersIn)
def _numbers(element: NumbersIn, compiler: SQLCompiler, **options: Any) -> str:
    listed = compiler.process(element.clause_expr, **options)
    return f"(select cast(value as bigint) from json_array_elements_text(cast({listed} as json)))"  # noqa: S608 - a value


@compiles(NumbersIn, "sqlite")
def _numbers_for_sqlite(element: NumbersIn, compiler: SQLCompiler, **options: Any) -> str:
    return f"(select value from json_each{compiler.process(element.clause_expr, **options)})"  # noqa: S608 - a value


def one_of(column: ColumnElement[int], numbers: Sequence[int]) -> ColumnElement[bool]:
    """Whether a column is one of some thousand numbers."""
    return column.op("in", is_comparison=True, return_type=Boolean())(NumbersIn(json.dumps(list(numbers))))


@compiles(Greatest, "sqlite")
def _for_sqlite(element: Greatest, compiler: SQLCompiler, **options: Any) -> str:
    return f"max{compiler.process(element.clause_expr, **options)}"


def in_pages(
    database: Database, statement: Select[Any], by: ColumnElement[Any], size: int = MOST_VALUES,
) -> Iterator[Row[Any]]:
    """The rows of a statement, in the order of a column that tells them apart and that it selects.

    Each page is a transaction: a reader neither fills the memory nor holds one for as long as its caller takes.
    """
    part = statement
    while True:
        with database.reading() as connection:
            rows = connection.execute(part.order_by(by).limit(size)).all()
        yield from rows
        if len(rows) < size:
            return
        part = statement.where(by > rows[-1]._mapping[by])


def in_parts(values: Sequence[T]) -> Iterator[Sequence[T]]:
    """The values in parts that fit into one statement."""
    for start in range(0, len(values), MOST_VALUES):
        yield values[start : start + MOST_VALUES]
