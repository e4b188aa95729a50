"""Archives that cannot be written: masters on read-only disks, folders of other users, disks that are full.

SQLite reads a database in WAL mode only with a shared index beside it (`-shm`), which it makes if it may. Where it
may not, there are three ways, and none of them changes anything in the folder:

    -wal and -shm are there     both are read as they are: somebody may be writing just now, and all of it is seen
    no -wal, or an empty one    the file is all there is: it is read as if nobody ever wrote to it (`immutable`), and
                                looked at before and after each transaction, in case somebody does
    a -wal without its -shm     the last changes of a killed writer: both files are copied to a temporary folder

An earlier schema is upgraded, and a search index that is not complete is completed, in a temporary copy of the
database as well. WARC and media files are read where they are.
"""

from __future__ import annotations

import errno
import os
import shlex
import shutil
import sqlite3
import tempfile
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NoReturn

from everlog.archive.db.migrate import Schema, bring_up_to_date, revision_of, want_known
from everlog.archive.db.sqlite import BUSY_SECONDS, SqliteDatabase
from everlog.archive.files import durable as disk
from everlog.archive.files.durable import nothing
from everlog.errors import ArchiveBusy, DiskFull, EverlogError, UsageError, file_error

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from sqlalchemy import Connection

# Reading in the usual way takes 32 KB for the -shm; a group of posts on its way into the search index some 10 MB of
# -wal. With less than this an archive is read as one that cannot be written: a full disk is no reason not to read.
ROOM_TO_READ_BYTES = 50_000_000
# `immutable` is for files that nobody changes; `readonly_shm` lets the -shm be as it is even where we could change it.
_WAYS = {"live": "mode=ro&readonly_shm=1", "still": "mode=ro&immutable=1"}
Way = Literal["live", "still", "copy"]
# When and how large: what changes with every checkpoint.
Stamp = tuple[int, int]


def why_not_writable(database: Path) -> str | None:
    """Why nobody can write to the archive of a database that is there; None: it can be written."""
    for path in (database.parent, *(_beside(database, name) for name in ("", "-wal", "-shm"))):
        how = os.W_OK | (os.X_OK if path == database.parent else 0)
        if path.exists() and not _may(path, how):
            is_mounted_so = os.statvfs(path).f_flag & os.ST_RDONLY
            return os.strerror(errno.EROFS if is_mounted_so else errno.EACCES).lower()
    return None


def why_not_enough_room(folder: Path) -> str | None:
    """Why an archive that could be written is read as one that cannot; None: there is room."""
    room = disk.room_left(folder)
    return f"only {room / 1e6:,.0f} MB are left on its disk" if room < ROOM_TO_READ_BYTES else None


def want_readable(database: Path) -> None:
    """Say whom to ask if the database of an archive may not even be read."""
    if not _may(database, os.R_OK):
        raise UsageError(
            f"{database} cannot be read: {os.strerror(errno.EACCES).lower()}",
            advice=f"see whose it is, and ask them or be them:  ls -l {shlex.quote(str(database.parent))}",
        )


def cannot_be_written(folder: Path, why: str) -> UsageError:
    """What is said to whoever wants to change an archive that cannot be."""
    name = folder.resolve().name or "archive"
    return UsageError(
        f"{folder} cannot be written: {why}",
        advice=f"copy it to where you can write, then use --archive {shlex.quote(name + '-copy')}:\n"
        f"  everlog copy --archive {shlex.quote(str(folder))} --to {shlex.quote(name + '-copy')}",
    )


def open_database(
    file: Path, *, why: str, schema: Schema | None = None, say: Callable[[str], None] = nothing,
) -> ReadOnlyDatabase:
    """The database of an archive, to be read. `say` hears of temporary copies, which take time and room."""
    schema = schema or Schema()
    database = ReadOnlyDatabase(file, why=why, say=say)
    try:
        found = _revision(database)
        if found != schema.head:
            want_known(database, found, schema)
            database.upgrade_copy(found, schema)
    except BaseException:
        database.close()
        raise
    return database


def _revision(database: ReadOnlyDatabase) -> str:
    found = revision_of(database)
    if found is None:
        raise UsageError(
            f"there is no archive in {database.file.parent}: its database is empty",
            advice="name another with --archive",
        )
    return found


class ReadOnlyDatabase(SqliteDatabase):
    """A database file that stays as it is, with all that lies beside it."""

    def __init__(self, file: Path, *, why: str, say: Callable[[str], None] = nothing) -> None:
        super().__init__(file)
        self._why = why
        self._say = say
        self._scratch: tempfile.TemporaryDirectory[str] | None = None
        self._copy: SqliteDatabase | None = None
        self._way: Way = "live"
        self._stamp: Stamp | None = None
        self._choose()

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        if (shared := self._shared.connection) is not None:
            yield shared
            return
        if self._copy is None and self._way == "still" and self._has_moved():
            # Somebody has begun to write: from now on what they write is seen, like everywhere else.
            self.engine.dispose()
            self._choose()
        if self._copy is not None:
            with self._copy.reading() as connection:
                yield connection
            return
        try:
            with super().reading() as connection:
                yield connection
        except EverlogError as error:
            self._want_unchanged(error)
            raise
        self._want_unchanged()

    def writing(self, *, fenced: bool = True) -> NoReturn:  # noqa: ARG002 - nobody writes
        self._refuse()

    def changing(self) -> NoReturn:
        self._refuse()

    def upgrade_copy(self, found: str, schema: Schema) -> None:
        """Read a copy from now on, of the schema that this program knows."""
        copy = self._copied(f"its database has the earlier schema {found} and is upgraded")
        bring_up_to_date(copy, schema=schema, keep_former=False)

    def to_index(self) -> SqliteDatabase:
        return self._copied("its search index is not complete, and is completed")

    def close(self) -> None:
        super().close()
        if self._copy is not None:
            self._copy.close()
        if self._scratch is not None:
            self._scratch.cleanup()

    def _choose(self) -> None:
        """The way to read what is there now."""
        has_log = bool(_size(self.file, "-wal"))
        # A journal is of a database that somebody took out of WAL mode: without it the file is half-written.
        left = "-journal" if _size(self.file, "-journal") else "-wal"
        if left == "-journal" or (has_log and _size(self.file, "-shm") is None):
            self._way = "copy"
            self._copied(f"a writer was killed, and what it left in {self.file.name}{left} is read")
        elif has_log or (_size(self.file, "-wal") is not None and _size(self.file, "-shm") is not None):
            self._way = "live"
        else:
            self._way = "still"
            self._stamp = _stamp(self.file)

    def _copied(self, purpose: str) -> SqliteDatabase:
        """A copy of the database in a temporary folder, made when it is needed first. It is read from then on."""
        if self._copy is None:
            size = sum(_size(self.file, name) or 0 for name in ("", "-wal", "-journal"))
            self._say(
                f"{self.file.parent} cannot be written ({self._why}): {purpose} in a temporary copy of the database, "
                f"{max(size / 1e6, 0.1):,.1f} MB in {tempfile.gettempdir()}; the folder stays as it is",
            )
            self._scratch = tempfile.TemporaryDirectory(prefix="everlog-")
            copy = Path(self._scratch.name, self.file.name)
            try:
                with _room_for(size, copy.parent):
                    self._copy_to(copy)
            except BaseException:
                self._scratch.cleanup()
                raise
            self._copy = SqliteDatabase(copy)
            self.engine.dispose()
        return self._copy

    def _copy_to(self, copy: Path) -> None:
        if self._way == "copy":
            # Nobody has them open: there would be a -shm.
            for name in ("", "-wal", "-journal"):
                if _size(self.file, name):
                    shutil.copyfile(_beside(self.file, name), _beside(copy, name))
            return
        self.back_up(copy)
        self._want_unchanged()

    def _connect(self) -> sqlite3.Connection:
        uri = f"{self.file.absolute().as_uri()}?{_WAYS[self._way]}"
        # As in the usual way (`SqliteDatabase`), but for what is asked of writers.
        return sqlite3.connect(
            uri, uri=True, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False, cached_statements=256,
        )

    def _has_moved(self) -> bool:
        return bool(_size(self.file, "-wal")) or _stamp(self.file) != self._stamp

    def _want_unchanged(self, error: EverlogError | None = None) -> None:
        """What was read as if nobody wrote to it is right only if nobody did."""
        if self._copy is None and self._way == "still" and _stamp(self.file) != self._stamp:
            raise ArchiveBusy(
                f"{self.file} was changed by another program while it was read",
                advice="run the same command again",
            ) from error

    def _refuse(self) -> NoReturn:
        raise cannot_be_written(self.file.parent, self._why)


class ReadOnlyLocks:
    """The locks of an archive that cannot be written: nobody gets one."""

    def __init__(self, folder: Path, why: str) -> None:
        self._folder = folder
        self._why = why

    def hold(self, blog_id: int) -> AbstractContextManager[None]:  # noqa: ARG002 - none of them
        raise cannot_be_written(self._folder, self._why)

    def close(self) -> None:
        """Nothing is held."""


@contextmanager
def _room_for(size: int, folder: Path) -> Iterator[None]:
    """What is said when a temporary copy does not fit."""
    full = DiskFull(
        f"disk full: no space for a temporary copy of the database, {size / 1e6:,.1f} MB, in {folder.parent}",
        advice="set TMPDIR to a folder with free space and run the same command again:"
        "  export TMPDIR=/a/folder/with/space",
    )
    if disk.room_left(folder) < size:
        raise full
    try:
        yield
    except OSError as error:
        raise file_error(error, folder) from error
    except DiskFull as error:
        raise full from error


def _may(path: Path, how: int) -> bool:
    # By the rights that opening goes by: a program may have laid down some of its user's.
    return os.access(path, how, effective_ids=os.access in os.supports_effective_ids)


def _beside(database: Path, ending: str) -> Path:
    # Where a link leads to: that is where SQLite looks for them.
    real = database.resolve()
    return real.with_name(real.name + ending)


def _size(database: Path, ending: str) -> int | None:
    """How large a file beside the database is; None: it is not there."""
    try:
        return _beside(database, ending).stat().st_size
    except FileNotFoundError:
        return None


def _stamp(file: Path) -> Stamp:
    about = file.stat()
    return about.st_mtime_ns, about.st_size
