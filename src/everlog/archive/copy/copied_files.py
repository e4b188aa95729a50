"""The files of one archive put into the place of another: those its rows name, as far as these say they go.

WARC files are cut to the length that the database knows; what is behind it was never acknowledged. Media files are
compared with their names, which are their hashes, while they are read. Each is whole at the other place or not there.
"""

from __future__ import annotations

import hashlib
import io
import re
import threading
import time
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from typing import Any, BinaryIO, cast

from sqlalchemy import Connection, func, select

from everlog.archive.db import schema
from everlog.archive.files.durable import explained
from everlog.archive.files.file_store import WHOLE_FILE_BYTES, FileStore
from everlog.archive.files.warc_files import lost
from everlog.archive.files.warc_names import parse_name
from everlog.errors import DamagedArchive, NotUploaded

# Files that are under way at once: one alone waits most of the time, for the disk to have it or for the network.
AT_ONCE = 8
ROWS_AT_ONCE = 500
PIECE_BYTES = 1 << 20
# A file in the spool folder of a worker is uploaded when its slice ends: `slice_seconds` are 300 at most. That of one
# that was killed comes when a worker is started with the same spool folder again, and may be waited for in vain.
LATE_SECONDS = 10.0
LATE_TRIES = 40
_MEDIA_NAME = re.compile(r"media/[0-9a-f]{2}/([0-9a-f]{64})\.[a-z0-9]{1,8}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """A file that the rows name: how much of it, and for media the hash of that."""

    name: str
    length: int
    sha256: str | None = None
    closed: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Moved:
    """What became of the files: how many and how large they are, how many were there already, which never came."""

    files: int
    bytes: int
    kept: int
    missing: tuple[str, ...] = ()


def size_of_files(connection: Connection) -> int:
    """The bytes of all files that the rows name."""
    lengths = (select(func.sum(schema.warc_files.c.length)), select(func.sum(schema.media_files.c.bytes)))
    return sum(int(connection.scalar(each) or 0) for each in lengths)


def wanted_files(connection: Connection) -> Generator[Wanted]:
    """The files that the rows name, in an order of no meaning."""
    warc, media = schema.warc_files.c, schema.media_files.c
    options = {"yield_per": ROWS_AT_ONCE}
    with connection.execute(select(warc.name, warc.length, warc.closed), execution_options=options) as rows:
        for name, length, closed in rows:
            if parse_name(name) is None:
                raise _misnamed(name)
            yield Wanted(name=name, length=length, closed=closed)
    with connection.execute(select(media.path, media.bytes, media.sha256), execution_options=options) as rows:
        for name, length, sha256 in rows:
            named = _MEDIA_NAME.fullmatch(name)
            if not named or named[1] != sha256:
                raise _misnamed(name)
            yield Wanted(name=name, length=length, sha256=sha256)


def copy_files(
    wanted: Iterable[Wanted], source: FileStore, target: FileStore, counted: Callable[[int], None],
    pause: Callable[[float], None] = time.sleep, *, without_missing: bool = False,
) -> Moved:
    """Bring files to another place, several at a time. One that is there already, and right, is not brought again.

    Those that stand in the spool folders of workers come last, and are asked for again until their slices have ended.
    With `without_missing` the others are enough: those of a worker whose disk is lost will never come.
    """
    copying = _Copying(source, target, counted)
    pending: set[Future[None]] = set()
    pool = ThreadPoolExecutor(AT_ONCE, thread_name_prefix="everlog-copy")
    try:
        for each in wanted:
            if len(pending) >= 2 * AT_ONCE:
                done, pending = wait(pending, return_when=FIRST_COMPLETED)
                for future in done:
                    future.result()
            pending.add(pool.submit(copying.bring, each))
        for future in pending:
            future.result()
        missing = _bring_late(copying, pause)
    except BaseException:
        copying.is_stopped = True
        raise
    finally:
        pool.shutdown(cancel_futures=True)
    if missing and not without_missing:
        raise copying.not_uploaded(missing[0])
    return Moved(
        files=copying.files, bytes=copying.bytes, kept=copying.kept, missing=tuple(each.name for each in missing),
    )


def _bring_late(copying: _Copying, pause: Callable[[float], None]) -> list[Wanted]:
    """Bring what was not uploaded yet when it was asked for first; what did not come."""
    late, copying.late = copying.late, []
    for left in reversed(range(LATE_TRIES)):
        for each in late:
            copying.bring(each)
        late, copying.late = copying.late, []
        if not late or not left:
            break
        pause(LATE_SECONDS)
    return late


class _Copying:
    """From where to where, and how far it has come; used by several threads."""

    def __init__(self, source: FileStore, target: FileStore, counted: Callable[[int], None]) -> None:
        self.files = self.bytes = self.kept = 0
        self.is_stopped = False
        self.late: list[Wanted] = []
        self._source = source
        self._target = target
        self._counted = counted
        self._counting = threading.Lock()

    def bring(self, wanted: Wanted) -> None:
        """Bring one file, unless it is there."""
        if kept := self._is_there(wanted):
            self._count(wanted.length)
        elif not self._copy(wanted):
            with self._counting:
                self.late.append(wanted)
            return
        with self._counting:
            self.files += 1
            self.kept += kept
            self.bytes += wanted.length

    def _is_there(self, wanted: Wanted) -> bool:
        with explained(self._target.where, wanted.name):
            size = self._target.size(wanted.name)
            if size is None:
                return False
            if size == wanted.length and self._has_hash(wanted):
                return True
            # Brought by a copy that was interrupted, of an archive that has grown since.
            self._target.remove(wanted.name)
        return False

    def _has_hash(self, wanted: Wanted) -> bool:
        if wanted.sha256 is None:
            return True
        with self._target.open(wanted.name, ahead=WHOLE_FILE_BYTES) as file:
            return hashlib.file_digest(cast("Any", file), "sha256").hexdigest() == wanted.sha256

    def _copy(self, wanted: Wanted) -> bool:
        """Bring a file; not, if its worker has not brought it to where all can read it."""
        try:
            opened = self._source.open(wanted.name, ahead=WHOLE_FILE_BYTES)
        except FileNotFoundError as error:
            if wanted.closed or self._source.folder is not None:
                raise lost(f"{self._source.where}/{wanted.name}") from error
            return False
        except OSError as error:
            raise _unreadable(f"{self._source.where}/{wanted.name}", error) from error
        where = f"{self._source.where}/{wanted.name}"
        with opened, _Checked(opened, wanted, where, self._count) as checked, explained(self._target.where):
            self._target.put(wanted.name, cast("BinaryIO", checked))
        return True

    def not_uploaded(self, wanted: Wanted) -> NotUploaded:
        return NotUploaded(
            f"{wanted.name} is not in {self._source.where} yet: it is in the spool folder of a worker",
            advice="run the same command again when the crawl of its blog has finished; if the worker was stopped, "
            "start one with the same spool folder; if that folder is lost, add --without-missing",
        )

    def _count(self, length: int) -> None:
        with self._counting:
            if self.is_stopped:
                raise InterruptedError("the copy was stopped")
            self._counted(length)


class _Checked(io.RawIOBase):
    """The beginning of a file, so much as is wanted; its end is only told if all of it was there, and right."""

    def __init__(self, file: BinaryIO, wanted: Wanted, where: str, counted: Callable[[int], None]) -> None:
        super().__init__()
        self._file = file
        self._wanted = wanted
        self._where = where
        self._counted = counted
        self._left = wanted.length
        self._hash = hashlib.sha256() if wanted.sha256 else None

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        try:
            data = self._file.read(min(len(buffer), self._left))
        except OSError as error:
            raise _unreadable(self._where, error) from error
        if not data and self._left:
            raise lost(self._where)
        if not data and self._hash and (self._hash.hexdigest() != self._wanted.sha256 or self._file.read(1)):
            raise DamagedArchive(
                f"{self._where} does not have the content that was stored",
                advice="restore it from a backup, or fetch it again:  everlog crawl BLOG",
            )
        if self._hash:
            self._hash.update(data)
        buffer[: len(data)] = data
        self._left -= len(data)
        self._counted(len(data))
        return len(data)


def _unreadable(where: str, error: OSError) -> DamagedArchive:
    return DamagedArchive(
        f"{where} cannot be read: {error.strerror or error}",
        advice="check the disk and the owner of the file, then run the same command again",
    )


def _misnamed(name: str) -> DamagedArchive:
    return DamagedArchive(
        f"{name!r} is not the name of a file in an archive", advice="run 'everlog verify' to see what else is wrong",
    )
