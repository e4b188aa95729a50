"""Bringing a database to the schema this code knows: made new, upgraded, or refused."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from sqlalchemy import Connection, inspect, select

from everlog.archive.db.schema import HEAD, alembic_version, archive_state, metadata
from everlog.archive.db.sqlite import SqliteDatabase
from everlog.archive.files.durable import nothing, real_folder, sync_folder
from everlog.archive.locks import hold
from everlog.errors import DamagedArchive, NewerArchive

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager

    from alembic.script import ScriptDirectory

    from everlog.archive.db.postgres import PostgresDatabase

    AnyDatabase = SqliteDatabase | PostgresDatabase

SCRIPTS = Path(__file__).parent / "revisions"


@dataclass(frozen=True, slots=True, kw_only=True)
class Schema:
    """The revision a program wants, and the folders of scripts that lead there."""

    head: str = HEAD
    scripts: tuple[Path, ...] = (SCRIPTS,)


def bring_up_to_date(
    database: AnyDatabase, *, locks: Path | None = None, schema: Schema | None = None,
    at: Callable[[str], None] = nothing, keep_former: bool = True,
) -> None:
    """Make the tables of a new database, upgrade those of an old one, refuse a newer one.

    Before an upgrade a database file is copied (`locks` is the folder in which programs wait for each other), unless it
    is a copy itself and its former state needs no keeping; one on a server is not: a dump of it is up to whoever runs
    the server.
    """
    schema = schema or Schema()
    if revision_of(database) == schema.head:
        return
    # One program at a time; who waited finds it done.
    with _alone(database, locks):
        found = revision_of(database)
        if found is None:
            _make(database, schema, at)
        elif found != schema.head:
            _upgrade(database, found, schema, at, keep_former=keep_former)


def _alone(database: AnyDatabase, locks: Path | None) -> AbstractContextManager[None]:
    if isinstance(database, SqliteDatabase):
        return hold((real_folder(locks) if locks is not None else database.file.parent) / "schema.lock")
    return database.alone()


def revision_of(database: AnyDatabase) -> str | None:
    """The revision a database is at; None for one without tables."""
    with database.reading() as connection:
        tables = inspect(connection).get_table_names()
        if not tables:
            return None
        found = connection.scalar(select(alembic_version)) if alembic_version.name in tables else None
    if found is None:
        raise DamagedArchive(
            f"{database.where} is a database, but not an everlog archive", advice="pass another one with --archive",
        )
    return str(found)


def _make(database: AnyDatabase, schema: Schema, at: Callable[[str], None]) -> None:
    if schema.head != HEAD:
        raise ValueError("new archives are made from the tables of schema.py, which are at HEAD")
    from everlog.archive.repos import search_index as searching  # noqa: PLC0415 - one that is there needs none of it

    with database.writing() as connection:
        metadata.create_all(connection)
        searching.begin(connection, database)
        at("schema-open")
        connection.execute(alembic_version.insert(), {"version_num": HEAD})


def want_known(database: AnyDatabase, found: str, schema: Schema) -> ScriptDirectory:
    """The scripts that lead from a revision to the one that is wanted; a revision they do not know is a newer one."""
    scripts = _scripts(schema)
    if found not in {script.revision for script in scripts.walk_revisions()}:
        raise NewerArchive(
            f"{database.where} was written by a newer version of everlog (its schema is {found}, this one knows "
            f"{schema.head})",
            advice="upgrade everlog, then run the same command again",
        )
    return scripts


def _upgrade(
    database: AnyDatabase, found: str, schema: Schema, at: Callable[[str], None], *, keep_former: bool,
) -> None:
    scripts = want_known(database, found, schema)
    at("migration-begin")
    if isinstance(database, SqliteDatabase) and keep_former:
        _back_up(database, found)
    at("migration-backed-up")
    with database.changing() as connection:
        at("migration-open")
        _run_scripts(connection, scripts, schema, at)
        if inspect(connection).has_table(archive_state.name):
            # What posts say in lists: told by today's code, when the tables are today's.
            from everlog.archive.projection.rebuild import fill_if_stale  # noqa: PLC0415 - only an upgrade needs it

            fill_if_stale(connection, database)
    at("migration-done")


def _scripts(schema: Schema) -> ScriptDirectory:
    from alembic.script import ScriptDirectory  # noqa: PLC0415 - 0.2 s that only an upgrade needs

    return ScriptDirectory(str(SCRIPTS), version_locations=[str(folder) for folder in schema.scripts])


def _back_up(database: SqliteDatabase, found: str) -> None:
    """The database as it was, beside it; a half copy of an earlier try is written again."""
    copy = database.file.with_name(f"{database.file.name}.before-upgrade-from-{found}")
    part = copy.with_name(copy.name + ".part")
    part.unlink(missing_ok=True)
    database.back_up(part)
    with part.open("rb") as written:
        os.fsync(written.fileno())
    part.replace(copy)
    sync_folder(copy.parent)


def _run_scripts(
    connection: Connection, scripts: ScriptDirectory, schema: Schema, at: Callable[[str], None],
) -> None:
    """All steps in the transaction that is open: a crash leaves the old schema, never a half of the new."""
    from alembic.operations import Operations  # noqa: PLC0415 - as above
    from alembic.runtime.migration import MigrationContext  # noqa: PLC0415

    def steps(revision: object, _context: object) -> object:
        # As alembic.command does, which would want a configuration file.
        return scripts._upgrade_revs(schema.head, revision)  # type: ignore[arg-type]

    context = MigrationContext.configure(
        connection=connection,
        opts={"fn": steps, "transactional_ddl": True, "on_version_apply": [lambda **_: at("migration-half")]},
    )
    with Operations.context(context):
        context.run_migrations()
