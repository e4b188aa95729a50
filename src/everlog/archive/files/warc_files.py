"""WARC files of one blog in an archive's own folder: what they are called, and how they are cut back after a crash."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from datetime import datetime
from itertools import count
from pathlib import Path

from everlog.archive.files import durable as disk
from everlog.archive.files.durable import nothing
from everlog.archive.files.warc_names import FOLDER, SUFFIX, Owner, parse_name
from everlog.archive.files.warc_reader import read_info
from everlog.archive.files.warc_writer import ROTATE_BYTES, Appending, OpenFile, WarcFile, info_block
from everlog.archive.repos.warc_index import is_before
from everlog.errors import DamagedArchive


class WarcFiles(Appending):
    """The files of one blog in an archive of its own folder; whoever holds this must hold the blog's lock."""

    def __init__(
        self, base: Path, owner: Owner, *, rotate_bytes: int = ROTATE_BYTES, at: Callable[[str], None] = nothing,
    ) -> None:
        super().__init__(base, owner, rotate_bytes=rotate_bytes, at=at)
        self._lost: set[str] = set()

    def recover(self, known: Iterable[WarcFile], begun: datetime | None) -> set[str]:
        """Cut off what a crash left behind the committed records, and go on in the last file that begins as ours do.

        What a file's first record says holds for all that follow: with another version, operator or robots policy a new
        file is begun.

        Files that no row names are removed, unless they are older than the archive's database, which was `begun` then.

        Files that are not there, or lack some of what was committed, are left as they are and named: whoever has a copy
        may bring it back at any time, and the blog goes on in another file until then.
        """
        lengths = {file.name: file for file in known}
        self._at("cut-begin")
        for path in self._paths():
            file = lengths.pop(f"{FOLDER}/{path.name}", None)
            if file is None:
                if not is_before(f"{FOLDER}/{path.name}", begun):
                    path.unlink()
                continue
            if path.lstat().st_size < file.length:
                self._lost.add(file.name)
                continue
            cut(path, file.length)
            if file.closed:
                continue
            if file.length < self._rotate_bytes and _begins_with(path, info_block(self._owner.fields)):
                self._go_on(path, file)
            else:
                self._closed.append(replace(file, closed=True))
        disk.sync_folder(self._folder)
        self._at("cut-done")
        self._lost |= lengths.keys()
        return self._lost

    def _rotate(self) -> None:
        assert self._open is not None  # noqa: S101 - for the type checker
        self._closed.append(self._known(self._open, closed=True))
        self.close()

    def _names(self, now: datetime) -> Iterator[str]:
        names = (f"{self._owner.stem(now)}-{serial:04d}{SUFFIX}" for serial in count(1))
        # The name of one that is lost is kept free for it.
        return (name for name in names if f"{FOLDER}/{name}" not in self._lost)

    def _paths(self) -> list[Path]:
        """The blog's files, the oldest first, whichever way they are called."""
        named = ((parse_name(f"{FOLDER}/{path.name}"), path) for path in self._folder.glob(f"*{SUFFIX}"))
        own = [(name.begun, name.number, path) for name, path in named if name and name.blog_id == self._owner.blog_id]
        return [path for _, _, path in sorted(own)]

    def _go_on(self, path: Path, file: WarcFile) -> None:
        self.close()
        descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC)
        self._open = OpenFile(name=file.name, descriptor=descriptor, length=file.length, new=False)


def _begins_with(path: Path, block: bytes) -> bool:
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    with os.fdopen(descriptor, "rb") as file:
        return read_info(file) == block


def cut(path: Path, length: int) -> None:
    """Cut off what was never acknowledged; a file that lacks what was is refused."""
    size = path.lstat().st_size
    if size < length:
        raise lost(path)
    if size > length:
        descriptor = os.open(path, os.O_WRONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
        try:
            os.ftruncate(descriptor, length)
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def lost(path: Path | str) -> DamagedArchive:
    return DamagedArchive(
        f"{path} is missing or truncated",
        advice="restore it from a backup; 'everlog verify' shows what else is missing",
    )
