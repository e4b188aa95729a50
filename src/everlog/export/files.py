"""Files and folders that an export writes: whole or not there, and never through a planted link."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from everlog.errors import DiskFull, UsageError


@contextmanager
def into_file(file: Path) -> Iterator[BinaryIO]:
    """A stream into a file that takes the place of an older one when all is written."""
    with _explained(file):
        if file.exists() and not file.is_file():
            if file.is_dir():
                raise UsageError(f"{file} is a folder", advice="name a file in it: -o FOLDER/posts.csv")
            # A pipe or a device: it has no older content, and must not be replaced.
            with file.open("wb") as stream:
                yield stream
            return
        part = file.with_name(f".{file.name[:100]}.part")
        part.unlink(missing_ok=True)
        try:
            with part.open("xb") as stream:
                yield stream
            part.replace(file)
        finally:
            part.unlink(missing_ok=True)


@contextmanager
def into_folder(folder: Path) -> Iterator[Path]:
    """A folder that is there."""
    with _explained(folder):
        if folder.exists() and not folder.is_dir():
            raise UsageError(f"{folder} is a file, and this format needs a folder", advice="name a folder: -o FOLDER")
        folder.mkdir(parents=True, exist_ok=True)
        yield folder


@contextmanager
def _explained(place: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        if error.errno in {errno.ENOSPC, errno.EDQUOT}:
            raise DiskFull(
                f"disk full: {place}", advice="free some space, or export to another disk with -o",
            ) from error
        reason = (error.strerror or str(error)).lower()
        raise UsageError(f"cannot write {place}: {reason}", advice="choose another place with -o") from error
