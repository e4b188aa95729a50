"""Opening an archive that is a folder: to be written, or as one that cannot be."""

from __future__ import annotations

from typing import TYPE_CHECKING

from everlog.archive.backend import Parts
from everlog.archive.db.migrate import bring_up_to_date
from everlog.archive.db.sqlite import SqliteDatabase
from everlog.archive.files.local_store import FolderShelf
from everlog.archive.locks import FileLocks
from everlog.archive.read_only import (
    ReadOnlyLocks,
    cannot_be_written,
    open_database,
    want_readable,
    why_not_enough_room,
    why_not_writable,
)
from everlog.errors import UsageError, file_error

if TYPE_CHECKING:
    from pathlib import Path

    from everlog.archive.backend import Habits

DATABASE = "everlog.sqlite"
LOCKS = "locks"


def open_folder(folder: Path, habits: Habits, *, create: bool, read_only: bool | None) -> Parts:
    """The parts of the archive in a folder; `archive.open_archive` says what the rest means."""
    file = folder / DATABASE
    if not has_archive(folder):
        if not create:
            raise UsageError(
                f"there is no archive in {folder}",
                advice=f"check the name; to make a new one: open_archive({str(folder)!r}, create=True)",
            )
        return _written(folder, habits)
    want_readable(file)
    why = "it was opened to be read only" if read_only else why_not_writable(file)
    if why is not None and read_only is False:
        raise cannot_be_written(folder, why)
    if why is None and read_only is None:
        why = why_not_enough_room(folder)
    return _written(folder, habits) if why is None else _read(folder, habits, why)


def has_archive(folder: Path) -> bool:
    """Whether there is an archive in a folder."""
    try:
        return (folder / DATABASE).is_file()
    except OSError as error:
        raise file_error(error, folder) from error


def _written(folder: Path, habits: Habits) -> Parts:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise file_error(error, folder) from error
    locks = FileLocks(folder / LOCKS)
    shelf = FolderShelf(folder)
    database = SqliteDatabase(folder / DATABASE)
    try:
        bring_up_to_date(database, locks=folder / LOCKS, schema=habits.schema, at=habits.at)
    except BaseException:
        database.close()
        raise
    return Parts(database=database, shelf=shelf, locks=locks, where=str(folder.absolute()))


def _read(folder: Path, habits: Habits, why: str) -> Parts:
    shelf = FolderShelf(folder, read_only=True)
    database = open_database(folder / DATABASE, why=why, schema=habits.schema, say=habits.say)
    locks = ReadOnlyLocks(folder, why)
    return Parts(database=database, shelf=shelf, locks=locks, where=str(folder.absolute()))
