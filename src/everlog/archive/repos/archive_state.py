"""Archive state: what an archive says of itself as a whole, and of its place. A few texts under names.

    projection            that an upgrade has to fill the tables for lists (`projection/rebuild.py`)
    search                the kind of pieces its search index is of (`search_index.py`)
    files, files_id       where the files of a shared archive stand, and by what they know it (`open_shared.py`)
    copying               of which archive a copy is being made into this one
    contact told, demo    what the command line has said, and where the demo serves its blog
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import Connection, Table, select

from everlog.archive.db import schema
from everlog.archive.db.column_values import storable

if TYPE_CHECKING:
    from collections.abc import Mapping

    from everlog.archive.db.database import Database

SEARCH, FILES, FILES_ID, COPYING, PROJECTION = "search", "files", "files_id", "copying", "projection"
# What the place of an archive says of itself, and no copy of it is told.
OF_ITS_PLACE = (FILES, FILES_ID, SEARCH, COPYING)
_CONTACT_TOLD, _DEMO = "contact told", "demo"

_state = schema.archive_state
READ_COPYING = select(_state.c.value).where(_state.c.name == COPYING)


class ArchiveState:
    """The state of an archive as a whole."""

    def __init__(self, database: Database) -> None:
        self.database = database

    @property
    def copied_from(self) -> str | None:
        """The archive of which a copy is being made into this one: its files come before their rows."""
        return get_text(self.database, _state, COPYING)

    def begin_copy(self, source: str) -> None:
        """Say of which archive this is going to be a copy."""
        self._put(COPYING, source)

    @property
    def files(self) -> str | None:
        """Where the files of a shared archive stand."""
        return get_text(self.database, _state, FILES)

    @property
    def files_id(self) -> str | None:
        """By what the files of a shared archive know it."""
        return get_text(self.database, _state, FILES_ID)

    def settle(self, name: str, value: str) -> str:
        """What stands under a name: this, if it is the first; else what was there."""
        with self.database.writing() as connection:
            statement = self.database.insert(_state).on_conflict_do_nothing(index_elements=["name"])
            connection.execute(statement, {"name": name, "value": value})
            found = connection.scalar(select(_state.c.value).where(_state.c.name == name))
        return str(found)

    def tell_contact(self) -> bool:
        """Note that users were told how to set a contact; whether they had been."""
        is_told = get_text(self.database, _state, _CONTACT_TOLD) is not None
        if not is_told:
            self._put(_CONTACT_TOLD, "yes")
        return is_told

    @property
    def demo_home(self) -> str | None:
        """Where the demo serves its blog."""
        return get_text(self.database, _state, _DEMO)

    @demo_home.setter
    def demo_home(self, url: str) -> None:
        self._put(_DEMO, url)

    def _put(self, name: str, value: str) -> None:
        with self.database.writing() as connection:
            put_texts(connection, self.database, _state, {name: value})


def get_text(database: Database, table: Table, name: str) -> str | None:
    """The text that stands under a name."""
    with database.reading() as connection:
        found: str | None = connection.scalar(select(table.c.value).where(table.c.name == storable(name)))
    return found


def put_texts(connection: Connection, database: Database, table: Table, values: Mapping[str, str | None]) -> None:
    """Put texts under names, in the place of others; None removes one."""
    removed = [storable(name) for name, value in values.items() if value is None]
    kept = [
        {"name": storable(name), "value": storable(value)}
        for name, value in sorted(values.items()) if value is not None
    ]
    if removed:
        connection.execute(table.delete().where(table.c.name.in_(removed)))
    if kept:
        statement = database.insert(table)
        connection.execute(
            statement.on_conflict_do_update(index_elements=["name"], set_={"value": statement.excluded.value}), kept,
        )
