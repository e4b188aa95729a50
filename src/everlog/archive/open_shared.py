"""Opening an archive that many machines share: a PostgreSQL database, and files that stand elsewhere.

The database remembers where its files stand, never with a password, and a mark beside the files says whose they are: so
neither is mixed up with those of another archive.
"""

from __future__ import annotations

import io
import os
import uuid
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from sqlalchemy import inspect

from everlog.archive.backend import ArchiveOptions, Backend
from everlog.archive.db import schema
from everlog.archive.db.migrate import bring_up_to_date
from everlog.archive.files import durable as disk
from everlog.archive.files.file_store import FileStore, NoFileStore
from everlog.archive.files.remote_files import without_password
from everlog.archive.files.remote_store import RemoteStore
from everlog.archive.files.shared_store import SharedFolderStore
from everlog.archive.locks import LeaseLocks
from everlog.archive.repos.archive_state import FILES, FILES_ID, ArchiveState
from everlog.errors import UsageError

if TYPE_CHECKING:
    from everlog.archive.db.postgres import PostgresDatabase

SCHEMES = ("postgresql://", "postgres://")
MARK = "everlog.txt"


def open_shared(
    url: str, *, create: bool, options: ArchiveOptions, files: str | Path | None, spool: str | Path | None,
) -> Backend:
    """The parts of the archive in a database; its tables are made if they are not there."""
    if not url.startswith(SCHEMES):
        raise UsageError(
            f"{without_password(url)} is not an archive",
            advice="pass a folder, or a database as postgresql://USER@HOST/NAME",
        )
    from everlog.archive.db.postgres import PostgresDatabase  # noqa: PLC0415 - its driver is an extra

    database = PostgresDatabase(url, **({} if options.connections is None else {"connections": options.connections}))
    try:
        if not create:
            _want_tables(database)
        bring_up_to_date(database, schema=options.schema, at=options.at)
        file_store = _file_store(database, files, Path(spool).absolute() if spool is not None else None, options)
    except BaseException:
        database.close()
        raise
    return Backend(
        database=database, file_store=file_store, locks=LeaseLocks(database), where=url,
        files=str(files) if files is not None else None, spool=str(spool) if spool is not None else None,
    )


def place_of(files: str | Path) -> str:
    """How a place of files is remembered: a folder by its whole path, an address without a password.

    >>> place_of("s3://bucket/blogs/"), place_of("file:///srv/blogs"), place_of("sftp://ann:secret@a.example/blogs")
    ('s3://bucket/blogs', '/srv/blogs', 'sftp://ann@a.example/blogs')
    """
    text = str(files)
    if text.startswith("file://"):
        text = unquote(urlsplit(text).path)
    return without_password(text.rstrip("/")) if "://" in text else os.path.abspath(text)  # noqa: PTH100 - no links


def has_tables(database: PostgresDatabase) -> bool:
    """Whether there is an archive in a database."""
    with database.reading() as connection:
        return inspect(connection).has_table(schema.alembic_version.name)


def _want_tables(database: PostgresDatabase) -> None:
    if not has_tables(database):
        raise UsageError(
            f"there is no archive in {database.where}",
            advice="pass another one with --archive, or create it:  everlog crawl URL",
        )


def _file_store(
    database: PostgresDatabase, files: str | Path | None, spool: Path | None, options: ArchiveOptions,
) -> FileStore:
    state = ArchiveState(database)
    known = state.files
    if files is None:
        if known is None:
            return NoFileStore()
        files = known
    place = place_of(files)
    if known is not None and place != known:
        raise UsageError(
            f"the files of this archive are in {known}, not in {place}",
            advice="leave out --files; to keep them elsewhere, copy the archive:  everlog copy --to ANOTHER",
        )
    number = state.settle(FILES_ID, uuid.uuid4().hex) if known is None else state.files_id
    own_spool = spool / f"everlog-{number}" if spool is not None else None
    for folder in (Path(place) if known is None and "://" not in place else None, own_spool):
        if folder is not None:
            disk.make_folders(folder)
    file_store = _opened(str(files), place, own_spool, options)
    if known is None:
        _claim(file_store, str(number))
        if (settled := state.settle(FILES, place)) != place:
            raise UsageError(
                f"another process just set the files of this archive to {settled}",
                advice="pass the same place with --files, or leave it out",
            )
    elif file_store.folder is not None:
        _claim(file_store, str(number), new=False)
    return file_store


def _opened(files: str, place: str, spool: Path | None, options: ArchiveOptions) -> FileStore:
    if "://" in place:
        return RemoteStore(files, spool, patience=options.patience)
    if not Path(place).is_dir():
        raise _not_here(place)
    return SharedFolderStore(Path(place))


def _claim(file_store: FileStore, number: str, *, new: bool = True) -> None:
    """See whose files these are; those of nobody are taken, if the archive has none yet."""
    try:
        with file_store.open(MARK) as mark:
            owner = mark.read(1000).decode("utf-8", "replace").split()[-1:]
    except FileNotFoundError:
        if not new:
            raise _not_here(file_store.where) from None
        text = f"Files of an everlog archive: {number}\n"
        file_store.put(MARK, io.BytesIO(text.encode()))
        return
    if owner != [number]:
        raise UsageError(
            f"{file_store.where} holds the files of another archive",
            advice="pass an empty place with --files (in a copy, --to-files)",
        )


def _not_here(where: str) -> UsageError:
    return UsageError(
        f"{where} does not hold the files of this archive",
        advice="check that its disk is mounted, or pass the right place with --files",
    )
