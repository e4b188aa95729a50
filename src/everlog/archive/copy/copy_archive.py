"""One archive into another: a folder or a shared database, either way, without loss.

    1. the archive is read in one state, so it may be crawled meanwhile
    2. the files that this state names are brought, as far as it names them; those that workers of a fleet have not
       uploaded yet come last, and are waited for as long as a slice may take (NotUploaded: they did not come)
    3. one transaction writes all rows
    4. the search index is made, in groups: in one transaction SQLite's would take 4 kB of memory for every post

Until step 3 ends the other archive is empty, and the same command goes on with the files that lack. It knows its own
by a word in the database it writes to: a place that has anything else in it is left as it is. From step 3 on the copy
is whole; a search index that lacks posts is completed by whoever searches first.
"""

from __future__ import annotations

import time
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from sqlalchemy import Connection, func, inspect, select, text
from sqlalchemy.exc import DataError, IntegrityError

from everlog.archive.archive import Archive, open_archive
from everlog.archive.copy import copied_files, copied_rows
from everlog.archive.copy.copied_rows import Unread
from everlog.archive.db import schema
from everlog.archive.db.migrate import revision_of
from everlog.archive.db.sqlite import SqliteDatabase
from everlog.archive.files import media_files, warc_names
from everlog.archive.files.durable import explained
from everlog.archive.files.file_store import NoFileStore
from everlog.archive.files.remote_files import RemoteFiles
from everlog.archive.open_folder import DATABASE, LOCKS
from everlog.archive.open_shared import MARK, SCHEMES, has_tables, place_of
from everlog.archive.repos import search_index as searching
from everlog.archive.repos.archive_state import COPYING, READ_COPYING
from everlog.errors import DamagedArchive, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from everlog.archive.db.postgres import PostgresDatabase

    # Called with what is being copied ("bytes", "rows", "posts"), how many of it are done, and of how many.
    Progress = Callable[[str, int, int], None]

_state = schema.archive_state
# Where databases before revision 7 have it.
_READ_OLD_MARK = text("select value from remembered where blog_id = 0 and name = 'copying'")


@dataclass(frozen=True, slots=True, kw_only=True)
class Copied:
    """What a copy holds: rows by table, files and their bytes; `jobs` of a fleet stay with the archive it works on.

    `missing` are files that rows name and that nobody could bring.
    """

    tables: Mapping[str, int] = field(default_factory=dict)
    files: int = 0
    files_kept: int = 0
    bytes: int = 0
    posts_indexed: int = 0
    jobs_left: int = 0
    missing: tuple[str, ...] = ()
    seconds: float = 0.0

    @property
    def rows(self) -> int:
        return sum(self.tables.values())


def open_target(where: str, *, files: str | None = None) -> Archive:
    """The new archive at a place that has nothing in it, or the beginning of a copy."""
    if "://" not in where:
        _want_empty_folder(Path(where))
    elif files is not None:
        _want_empty_files(files)
    else:
        _want_known_files(where)
    _want_this_version(where)
    target = open_archive(where, create=True, files=files)
    try:
        with target.backend.database.reading() as connection:
            _want_empty(connection, target)
        _want_file_store(target)
    except BaseException:
        target.close()
        raise
    return target


def copy_archive(
    source: Archive, target: Archive, progress: Progress | None = None, *, pause: Callable[[float], None] = time.sleep,
    without_missing: bool = False,
) -> Copied:
    """All that an archive holds into one that `open_target` gave. Interrupted at any point, it can be called again.

    Files that workers have not uploaded yet are waited for, some minutes at most; then the copy is given up, or with
    `without_missing` made without them.
    """
    tell, began = progress or _nobody, time.monotonic()
    name = _name(source)
    if name == _name(target):
        raise UsageError(f"{name} would be copied into itself", advice="pass another place with --to")
    with source.backend.database.reading() as reading:
        # A server ends transactions that are silent for seconds: this one waits for files, and the other for it.
        source.backend.database.without_hurry(reading)
        # The first statement: from here on the archive is seen as it is now.
        jobs = reading.scalar(select(func.count()).select_from(schema.jobs)) or 0
        _begin(target, name)
        count = _counter(tell, "bytes", copied_files.size_of_files(reading))
        with closing(copied_files.wanted_files(reading)) as wanted:
            moved = copied_files.copy_files(
                wanted, source.backend.file_store, target.backend.file_store, count, pause,
                without_missing=without_missing,
            )
        tables = _write_rows(reading, target, name, tell)
    count = _counter(tell, "posts", tables[schema.posts.name])
    indexed = target.search.index(lambda _: count(1))
    return Copied(
        tables=tables, files=moved.files, files_kept=moved.kept, bytes=moved.bytes, posts_indexed=indexed,
        jobs_left=jobs, missing=moved.missing, seconds=time.monotonic() - began,
    )


def _write_rows(reading: Connection, target: Archive, name: str, tell: Progress) -> dict[str, int]:
    total = copied_rows.count_rows(reading)
    try:
        with target.backend.database.writing() as connection:
            target.backend.database.without_hurry(connection)
            _alone(connection, target, name)
            tables = _copied_rows(reading, connection, _counter(tell, "rows", total), name)
            searching.reset(connection, target.backend.database)
            connection.execute(_state.delete().where(_state.c.name == COPYING))
    except Unread as unread:
        raise unread.error from unread
    return tables


def _copied_rows(
    reading: Connection, connection: Connection, counted: Callable[[int], None], name: str,
) -> dict[str, int]:
    try:
        return copied_rows.copy_rows(reading, connection, counted)
    except (IntegrityError, DataError) as error:
        raise DamagedArchive(
            f"the rows of {name} are inconsistent: {error.orig}",
            advice="none of them were copied; run 'everlog verify' on that archive to see what is wrong",
        ) from error


def _begin(target: Archive, name: str) -> None:
    """Say in the database whose copy this is going to be; what an interrupted one left half-written goes."""
    mark = target.backend.state.copied_from
    if mark is None:
        target.backend.state.begin_copy(name)
        return
    if mark != name:
        raise _other_copy(target, mark)
    if target.backend.file_store.folder is not None:
        for pattern in (f"{warc_names.FOLDER}/.*.part", f"{media_files.FOLDER}/*/.*.part"):
            for part in target.backend.file_store.folder.glob(pattern):
                part.unlink(missing_ok=True)


def _alone(connection: Connection, target: Archive, name: str) -> None:
    """Once more, in the transaction that writes: nobody has put anything there meanwhile, and nobody can now."""
    if connection.dialect.name == "postgresql":
        connection.exec_driver_sql(f"lock table {schema.blogs.name}, {schema.jobs.name} in share row exclusive mode")
    _want_empty(connection, target)
    if connection.scalar(READ_COPYING) != name:
        raise _in_use(target.backend.database.where)


def _want_empty(connection: Connection, target: Archive) -> None:
    if copied_rows.holds_anything(connection):
        raise _in_use(target.backend.database.where)
    if connection.scalar(READ_COPYING) is None and any(
        True for folder in (warc_names.FOLDER, media_files.FOLDER) for _ in _names(target, folder)
    ):
        raise _in_use(target.backend.file_store.where)


def _want_known_files(url: str) -> None:
    """A database without tables says nothing of its files either: it is left as it is."""
    if not url.startswith(SCHEMES):
        return
    from everlog.archive.db.postgres import PostgresDatabase  # noqa: PLC0415 - its driver is an extra

    database = PostgresDatabase(url)
    try:
        if not has_tables(database):
            raise _no_files(database.where)
    finally:
        database.close()


def _want_this_version(where: str) -> None:
    """Tables of an older version are an archive of somebody's, and are not upgraded only to be refused."""
    database: SqliteDatabase | PostgresDatabase
    if where.startswith(SCHEMES):
        from everlog.archive.db.postgres import PostgresDatabase  # noqa: PLC0415 - its driver is an extra

        database = PostgresDatabase(where)
    elif Path(where, DATABASE).is_file():
        database = SqliteDatabase(Path(where, DATABASE))
    else:
        return
    try:
        if revision_of(database) in {None, schema.HEAD}:
            return
        with database.reading() as connection:
            is_new = inspect(connection).has_table(_state.name)
            # The beginning of a copy is empty but for its files, and goes on with today's tables.
            if connection.scalar(READ_COPYING if is_new else _READ_OLD_MARK) is None:
                raise _in_use(database.where)
    finally:
        database.close()


def _want_file_store(target: Archive) -> None:
    if isinstance(target.backend.file_store, NoFileStore):
        raise _no_files(target.backend.database.where)


def _names(target: Archive, folder: str) -> Iterator[str]:
    return iter(()) if isinstance(target.backend.file_store, NoFileStore) else target.backend.file_store.names(folder)


def _want_empty_folder(folder: Path) -> None:
    """A folder of something else is not made an archive."""
    ours = {warc_names.FOLDER, media_files.FOLDER, LOCKS}
    try:
        found = [path.name for path in folder.iterdir()]
    except OSError:
        # Not there, or not to be used: whoever opens it finds out.
        return
    if any(name not in ours and not name.startswith(DATABASE) for name in found):
        raise _in_use(str(folder))


def _want_empty_files(files: str) -> None:
    """Files of nobody known, which an archive that takes this place would have to live with."""
    place = place_of(files)
    if "://" in place:
        store = RemoteFiles(files)
        if store.size(MARK) is None and any(True for _ in store.names("")):
            raise _in_use(place)
        return
    with explained(place):
        if Path(place).is_dir() and not Path(place, MARK).exists() and any(Path(place).iterdir()):
            raise _in_use(place)


def _name(archive: Archive) -> str:
    """By what an archive is known again, wherever the command is given."""
    database = archive.backend.database
    return str(database.file.resolve().parent) if isinstance(database, SqliteDatabase) else database.where


def _counter(tell: Progress, what: str, total: int) -> Callable[[int], None]:
    done = 0

    def count(more: int) -> None:
        nonlocal done
        done += more
        tell(what, done, total)

    tell(what, 0, total)
    return count


def _nobody(_what: str, _done: int, _total: int) -> None:
    """Nobody listens."""


def _no_files(where: str) -> UsageError:
    return UsageError(
        f"no place given for the files of {where}",
        advice="pass an empty one with --to-files: a folder, or a URL such as s3://BUCKET/PATH",
    )


def _in_use(where: str) -> UsageError:
    return UsageError(
        f"{where} is not empty; a copy needs an empty place",
        advice="pass a new folder or an empty database with --to (and --to-files); nothing was changed",
    )


def _other_copy(target: Archive, of: str) -> UsageError:
    return UsageError(
        f"{target.backend.database.where} holds an unfinished copy of {of}",
        advice="finish that copy first, or pass a new folder or an empty database with --to",
    )
