"""WARC files that grow: appended to, made safe, cut back to what the database knows."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import count
from typing import TYPE_CHECKING

from everlog.archive.files import durable as disk
from everlog.archive.files.durable import nothing
from everlog.archive.files.warc import Original, exchange_records, info_block, info_record, read_info
from everlog.archive.files.warc_names import SUFFIX, parse_name
from everlog.archive.models import Place, WarcFile
from everlog.archive.repos.warc_index import is_before
from everlog.errors import DamagedArchive

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

    from everlog.archive.files.warc_names import Owner
    from everlog.archive.models import Held
    from everlog.records import Exchange

FOLDER = "warc"
# What replay tools and copies handle well; the size other archivers use.
ROTATE_BYTES = 1_000_000_000


@dataclass(slots=True)
class OpenFile:
    """The file that is being appended to."""

    name: str
    descriptor: int
    length: int
    new: bool


class Appending(ABC):
    """One WARC file at a time, below a folder; how they are named, and what becomes of full ones, others say."""

    def __init__(
        self, base: Path, owner: Owner, *, rotate_bytes: int = ROTATE_BYTES, at: Callable[[str], None] = nothing,
    ) -> None:
        self._base = base
        self._folder = base / FOLDER
        self._owner = owner
        self._rotate_bytes = rotate_bytes
        self._at = at
        self._open: OpenFile | None = None

    def append(self, exchanges: Iterable[tuple[Exchange, str, Held | None]]) -> list[Place]:
        """Write the records of exchanges (with their digests and originals), not yet safe. Where the answers stand."""
        if self._open is not None and self._open.length >= self._rotate_bytes:
            self._rotate()
            self._at("rotated")
        current = self._open or self._create()
        places = []
        for exchange, digest, held in exchanges:
            original = Original(url=held.url, fetched_at=held.fetched_at, digest=held.digest) if held else None
            records = exchange_records(exchange, digest=digest, original=original)
            length = 0
            for piece in records.pieces:
                half = len(piece) // 2
                disk.write_all(current.descriptor, memoryview(piece)[:half])
                self._at("warc-half-record")
                disk.write_all(current.descriptor, memoryview(piece)[half:])
                length += len(piece)
            places.append(Place(file=current.name, offset=current.length, length=length))
            disk.write_all(current.descriptor, records.request)
            current.length += length + len(records.request)
        self._at("warc-appended")
        return places

    def sync(self) -> list[WarcFile]:
        """Make all that was appended survive a loss of power. The files and lengths to commit with it."""
        changed = []
        if self._open is not None:
            os.fsync(self._open.descriptor)
            if self._open.new:
                disk.sync_folder(self._folder)
                self._open.new = False
            changed = [self._known(self._open, closed=False)]
        self._at("warc-synced")
        return changed

    def close(self) -> None:
        if self._open is not None:
            os.close(self._open.descriptor)
            self._open = None

    def abandon(self) -> None:
        """End without a look at what was committed."""
        Appending.close(self)

    @abstractmethod
    def _rotate(self) -> None:
        """A file is full: let it go."""

    @abstractmethod
    def _names(self, now: datetime) -> Iterator[str]:
        """Names for a file that is begun now; the first that is not taken will be its own."""

    def _make(self, path: Path) -> int:
        """A descriptor of a new file; one that exists is refused."""
        return disk.create(path)

    def _create(self) -> OpenFile:
        now = datetime.now(UTC)
        for name in self._names(now):
            try:
                descriptor = self._make(self._folder / name)
            except FileExistsError:
                continue
            break
        self._open = OpenFile(name=f"{FOLDER}/{name}", descriptor=descriptor, length=0, new=True)
        self._at("warc-created")
        head = info_record(name, self._owner.fields, made_at=now)
        disk.write_all(descriptor, head)
        self._open.length = len(head)
        return self._open

    def _known(self, file: OpenFile, *, closed: bool) -> WarcFile:
        return WarcFile(name=file.name, blog_id=self._owner.blog_id, length=file.length, closed=closed)


class WarcFiles(Appending):
    """The files of one blog in an archive of its own folder; whoever holds this must hold the blog's lock."""

    def __init__(
        self, base: Path, owner: Owner, *, rotate_bytes: int = ROTATE_BYTES, at: Callable[[str], None] = nothing,
    ) -> None:
        super().__init__(base, owner, rotate_bytes=rotate_bytes, at=at)
        self._closed: list[WarcFile] = []
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

    def sync(self) -> list[WarcFile]:
        changed = [*self._closed, *super().sync()]
        self._closed = []
        return changed

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
