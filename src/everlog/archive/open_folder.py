"""Opening an archive that is a folder: to be written, or as one that cannot be."""

from __future__ import annotations

from pathlib import Path

from everlog.archive.backend import ArchiveOptions, Backend
from everlog.archive.db.migrate import bring_up_to_date
from everlog.archive.db.sqlite import SqliteDatabase
from everlog.archive.files.local_store import FolderStore
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

DATABASE = "everlog.sqlite"
LOCKS = "locks"


def open_folder(folder: Path, options: ArchiveOptions, *, create: bool, read_only: bool | None) -> Backend:
    """The parts of the archive in a folder; `archive.open_archive` says what the rest means."""
    file = folder / DATABASE
    if not has_archive(folder):
        if not create:
            raise UsageError(
                f"there is no archive in {folder}",
                advice=f"check the name; to make a new one: open_archive({str(folder)!r}, create=True)",
            )
        return _written(folder, options)
    want_readable(file)
    why = "it was opened to be read only" if read_only else why_not_writable(file)
    if why is not None and read_only is False:
        raise cannot_be_written(folder, why)
    if why is None and read_only is None:
        why = why_not_enough_room(folder)
    return _written(folder, options) if why is None else _read(folder, options, why)


def has_archive(folder: Path) -> bool:
    """Whether there is an archive in a folder."""
    try:
        return (folder / DATABASE).is_file()
    except OSError as error:
        raise file_error(error, folder) from error


def _written(folder: Path, options: ArchiveOptions) -> Backend:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise file_error(error, folder) from error
    locks = FileLocks(folder / LOCKS)
    file_store = FolderStore(folder)
    database = SqliteDatabase(folder / DATABASE)
    try:
        bring_up_to_date(database, locks=folder / LOCKS, schema=options.schema, at=options.at)
    except BaseException:
        database.close()
        raise
    return Backend(database=database, file_store=file_store, locks=locks, where=str(folder.absolute()))


def _read(folder: Path, options: ArchiveOptions, why: str) -> Backend:
    file_store = FolderStore(folder, read_only=True)
    database = open_database(folder / DATABASE, why=why, schema=options.schema, say=options.say)
    locks = ReadOnlyLocks(folder, why)
    return Backend(database=database, file_store=file_store, locks=locks, where=str(folder.absolute()))
