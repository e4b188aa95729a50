"""WARC files of an archive that many processes share: each is one lease's alone, and nobody else ever appends to it.

A file is begun with the first record, and sealed when the slice ends or it is full: cut to what the database knows,
and handed on. So the bytes of a worker that was killed, or lost its lease, harm nobody: readers go by the offsets of
captures.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path

from everlog.archive.files import durable as disk
from everlog.archive.files import warc_names
from everlog.archive.files.warc_names import SUFFIX, Owner
from everlog.archive.files.warc_writer import Appending


class OwnFiles:
    """What a process knows of the files it made itself."""

    def __init__(self) -> None:
        # Files of which a write failed: until the lease is gone, it may yet turn out that it was stored.
        self.doubtful: set[str] = set()
        self._fence = 0
        self._last = 0

    def next_serial(self, fence: int) -> int:
        """The number of a lease's next file: one that has left the spool must never give its name to another."""
        self._last = self._last + 1 if fence == self._fence else 1
        self._fence = fence
        return self._last


class LeaseFiles(Appending):
    """The WARC files of one lease. `finish` is told the name of each that nothing more is appended to."""

    def __init__(
        self, base: Path, owner: Owner, *, fence: int, own: OwnFiles, finish: Callable[[str], None],
        rotate_bytes: int, at: Callable[[str], None],
    ) -> None:
        super().__init__(base, owner, rotate_bytes=rotate_bytes, at=at)
        self._fence = fence
        self._own = own
        self._finish = finish

    def close(self) -> None:
        if self._open is None:
            return
        try:
            self._finish(self._open.name)
        finally:
            super().close()

    def abandon(self) -> None:
        if self._open is not None:
            self._own.doubtful.add(self._open.name)
        super().abandon()

    def _rotate(self) -> None:
        self.close()

    def _names(self, now: datetime) -> Iterator[str]:
        while True:
            serial = self._own.next_serial(self._fence)
            ending = f"-{serial}" if serial > 1 else ""
            yield f"{self._owner.stem(now)}-{self._fence}{ending}{SUFFIX}"


class SpoolFiles(LeaseFiles):
    """Files in a folder of one machine: locked while they are open, so that others see that they are being written."""

    def _make(self, path: Path) -> int:
        while True:
            descriptor = disk.create(path)
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            # Between the two steps somebody may have taken it for one that was left behind, and removed it.
            if is_same(descriptor, path):
                return descriptor
            os.close(descriptor)


def is_same(descriptor: int, path: Path) -> bool:
    """Whether the file that is open is the one of that name."""
    try:
        return os.path.samestat(os.fstat(descriptor), path.lstat())
    except FileNotFoundError:
        return False


def left_behind(path: Path) -> int | None:
    """A descriptor of a file that nobody is writing, locked; None if somebody is, or it is gone."""
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC)
    except FileNotFoundError:
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        return None
    if is_same(descriptor, path):
        return descriptor
    os.close(descriptor)
    return None


def warc_folder(base: Path) -> Path:
    """The folder of WARC files below another, made if it is not there."""
    disk.real_folder(base)
    return disk.real_folder(base / warc_names.FOLDER)
