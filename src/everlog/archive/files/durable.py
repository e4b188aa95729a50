"""Durable folders and files, which stay what they are through a loss of power; and the points of a crash on purpose."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from everlog.errors import UsageError, file_error

# Crash points: moments of writing at which tests kill the program. In the order a batch, a rotation, a recovery and an
# upgrade pass them.
WRITE_POINTS = (
    "batch-begin", "rotated", "warc-created", "warc-half-record", "warc-appended", "media-temp", "media-renamed",
    "warc-synced", "transaction-open", "transaction-half", "transaction-full", "committed",
    "cut-begin", "cut-done",
    "schema-open", "migration-begin", "migration-backed-up", "migration-open", "migration-half", "migration-done",
)
# What a shared archive passes besides, when a file is full or a slice ends.
SEAL_POINTS = ("sealed", "uploaded", "noted-closed")


def nothing(_point: str) -> None:
    """What happens at a crash point outside of tests."""


@contextmanager
def explained(where: str, name: str = "") -> Iterator[None]:
    """What goes wrong with files, in the words of an archive."""
    try:
        yield
    except OSError as error:
        raise file_error(error, f"{where}/{name}" if name else where) from error


def real_folder(folder: Path) -> Path:
    """The folder, made if it is not there; never one that a link leads out of the archive."""
    try:
        try:
            folder.mkdir()
        except FileExistsError:
            if not folder.is_dir():
                raise
        else:
            sync_folder(folder.parent)
    except OSError as error:
        raise file_error(error, folder) from error
    return not_linked(folder)


def not_linked(folder: Path) -> Path:
    """The folder, if it is there or not; never one that a link leads out of the archive."""
    if folder.is_symlink():
        raise UsageError(
            f"{folder} is a symbolic link; an archive keeps everything in its own folder",
            advice="replace it with a real folder; to keep an archive on another disk, move the whole archive",
        )
    return folder


def make_folders(folder: Path) -> None:
    """A folder and those it is in, as far as they are not there; their names survive a loss of power too."""
    try:
        new = [each for each in (folder, *folder.parents) if not each.exists()]
        folder.mkdir(parents=True, exist_ok=True)
        for each in new:
            sync_folder(each.parent)
    except OSError as error:
        raise file_error(error, folder) from error


def create(file: Path) -> int:
    """A descriptor of a new file; one that exists, or a link, is refused."""
    return os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o644)


def write_all(descriptor: int, data: bytes | memoryview) -> None:
    """Write to the last byte: one call may take only a part of a large piece."""
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]


def sync_folder(folder: Path) -> None:
    """Make the names in a folder survive a loss of power, as fsync does for the bytes of a file."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def room_left(folder: Path) -> int:
    """Free bytes on the disk of a folder."""
    try:
        room = os.statvfs(folder)
    except OSError as error:
        raise file_error(error, folder) from error
    return room.f_bavail * room.f_frsize
