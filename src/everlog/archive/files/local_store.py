"""Files in a folder of the archive's own, beside its database: one process at a time writes to a blog's."""

from __future__ import annotations

import os
import shutil
import uuid
from typing import TYPE_CHECKING, BinaryIO

from everlog.archive.files import durable as disk
from everlog.archive.files import media_files, warc_names
from everlog.archive.files.file_store import RECORD_BYTES, Writer
from everlog.archive.files.media_files import MediaFiles
from everlog.archive.files.warc_files import WarcFiles

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from everlog.archive.files.warc_names import CrawlInfo
    from everlog.archive.repos.warc_index import FileRows


class FolderStore:
    """A folder with `warc` and `media` in it."""

    is_shared = False

    def __init__(self, folder: Path, *, read_only: bool = False) -> None:
        self._folder = folder
        self.lost: set[str] = set()
        for name in (warc_names.FOLDER, media_files.FOLDER):
            (disk.not_linked if read_only else disk.real_folder)(folder / name)

    @property
    def where(self) -> str:
        return str(self._folder)

    @property
    def folder(self) -> Path:
        return self._folder

    @property
    def scratch(self) -> Path:
        return self._folder

    def open(self, name: str, *, ahead: int = RECORD_BYTES) -> BinaryIO:  # noqa: ARG002 - a disk is fast
        return (self._folder / name).open("rb")

    def size(self, name: str) -> int | None:
        path = self._folder / name
        return path.stat().st_size if not path.is_symlink() and path.is_file() else None

    def names(self, under: str) -> Iterator[str]:
        for place, folders, files in os.walk(self._folder / under):
            folders.sort()
            for name in sorted(files):
                if not name.startswith("."):
                    yield os.path.relpath(os.path.join(place, name), self._folder).replace(os.sep, "/")  # noqa: PTH118

    def put(self, name: str, source: BinaryIO) -> None:
        path = self._folder / name
        if path.parent != self._folder:
            disk.real_folder(path.parent)
        part = path.with_name(f".{uuid.uuid4().hex}-{path.name}.part")
        descriptor = disk.create(part)
        try:
            with os.fdopen(descriptor, "wb") as target:
                shutil.copyfileobj(source, target, 1 << 20)
                target.flush()
                os.fsync(target.fileno())
            part.replace(path)
        finally:
            part.unlink(missing_ok=True)
        disk.sync_folder(path.parent)

    def remove(self, name: str) -> None:
        (self._folder / name).unlink(missing_ok=True)

    def want_room(self) -> None:
        """A folder takes files; a disk that is full is told when they are written."""

    def writer(
        self, blog_id: int | None, rows: FileRows, *, info: CrawlInfo, rotate_bytes: int, at: Callable[[str], None],
    ) -> Writer:
        if blog_id is None:
            raise ValueError("in a folder of its own, the files of each blog are apart")
        warc = WarcFiles(self._folder, rows.owner(blog_id, info), rotate_bytes=rotate_bytes, at=at)
        media = MediaFiles(self._folder, blog_id, at=at)
        try:
            known = rows.of_blog(blog_id)
            # One that somebody has brought back is not lost any more.
            self.lost -= {file.name for file in known}
            self.lost |= warc.recover(known, rows.begun())
            media.recover()
        except BaseException:
            warc.close()
            raise
        return Writer(warc, media)

    def recover(self, rows: FileRows) -> None:
        """Whoever takes the lock of a blog clears up after the one before."""
