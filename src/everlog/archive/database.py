"""What the statements of an archive need from the database they run on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from contextlib import AbstractContextManager

    from sqlalchemy import Connection, Table

T = TypeVar("T")

# Databases take some ten thousand values in one statement (SQLite 32,766); this keeps far away.
MOST_VALUES = 500


class Database(Protocol):
    """A database of one kind: how a transaction begins, and what its SQL has that others spell otherwise."""

    def reading(self) -> AbstractContextManager[Connection]:
        """A transaction that sees one state of the database throughout and writes nothing."""
        ...

    def writing(self) -> AbstractContextManager[Connection]:
        """A transaction that writes: all of it is stored when the context ends, or nothing."""
        ...

    def insert(self, table: Table) -> Any:
        """An INSERT that knows `on_conflict_do_nothing` and `on_conflict_do_update`."""
        ...

    def reserve(self, connection: Connection, table: Table, count: int) -> range:
        """Ids nobody else will use for new rows."""
        ...

    def complaints(self) -> Iterator[str]:
        """What the database itself finds wrong with its file."""
        ...

    def close(self) -> None: ...


def in_parts(values: Sequence[T]) -> Iterator[Sequence[T]]:
    """The values in parts that fit into one statement."""
    for start in range(0, len(values), MOST_VALUES):
        yield values[start : start + MOST_VALUES]
