"""Files behind an address, such as those of an object store, which takes whole files only.

WARC files grow in a spool folder: a folder of this machine's own disk. They are synced there before the database names
them, and uploaded when they are sealed; the database says that a file is closed only when it has arrived. What a worker
that was killed leaves in its spool is brought by whoever writes with that spool next. Media go there at once.
"""

from __future__ import annotations

import logging
import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from everlog.archive.files import warc_names
from everlog.archive.files.durable import nothing
from everlog.archive.files.file_store import RECORD_BYTES, Writer
from everlog.archive.files.lease_files import OwnFiles, SpoolFiles, left_behind, warc_folder
from everlog.archive.files.media_files import media_name
from everlog.archive.files.remote_files import Patience, RemoteFiles
from everlog.archive.files.shared_store import needed_fence
from everlog.archive.files.warc_files import cut
from everlog.archive.repos.warc_index import FileRows, fence_of, is_before
from everlog.errors import DamagedArchive, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from collections.abc import Set as AbstractSet

    from everlog.archive.files.warc_names import CrawlInfo
    from everlog.records import Exchange

log = logging.getLogger("everlog")


class RemoteStore:
    """Files below an address; `spool` is this archive's own part of the spool folder, None: nothing can be written."""

    is_shared = True
    # Many write here, each to files of their own: none of them looks for those of others.
    lost: AbstractSet[str] = frozenset()
    folder = None

    def __init__(self, url: str, spool: Path | None = None, *, patience: Patience | None = None) -> None:
        self._files = RemoteFiles(url, patience=patience)
        self._spool = spool
        self._own = OwnFiles()

    @property
    def where(self) -> str:
        return self._files.where

    @property
    def scratch(self) -> Path | None:
        return self._spool

    def open(self, name: str, *, ahead: int = RECORD_BYTES) -> BinaryIO:
        if self._spool is not None:
            try:
                return (self._spool / name).open("rb")
            except FileNotFoundError:
                pass
        return self._files.open(name, ahead=ahead)

    def size(self, name: str) -> int | None:
        if self._spool is not None:
            try:
                return (self._spool / name).stat().st_size
            except FileNotFoundError:
                pass
        return self._files.size(name)

    def names(self, under: str) -> Iterator[str]:
        return self._files.names(under)

    def put(self, name: str, source: BinaryIO) -> None:
        with tempfile.NamedTemporaryFile(prefix="everlog-", dir=self._spool) as whole:
            while piece := source.read(1 << 20):
                whole.write(piece)
            whole.flush()
            self._files.upload(Path(whole.name), name, again=True)

    def remove(self, name: str) -> None:
        self._files.remove(name)

    def want_room(self) -> None:
        self._needed_spool()

    def writer(
        self, blog_id: int | None, rows: FileRows, *, info: CrawlInfo, rotate_bytes: int, at: Callable[[str], None],
    ) -> Writer:
        spool = self._needed_spool()

        def finish(name: str) -> None:
            self._bring(name, rows, at)

        warc = SpoolFiles(
            spool, rows.owner(blog_id, info), fence=needed_fence(rows), own=self._own, finish=finish,
            rotate_bytes=rotate_bytes, at=at,
        )
        return Writer(warc, _RemoteMedia(self._files))

    def recover(self, rows: FileRows) -> None:
        """Upload what is left in the spool, as far as it was committed; what never was is removed.

        Files that somebody writes, or whose lease stands, are left alone.
        """
        if self._spool is None:
            return
        names = [f"{warc_names.FOLDER}/{path.name}" for path in sorted(self._warc_paths())]
        live = rows.live(names) if names else frozenset()
        for name in names:
            is_doubtful = name in self._own.doubtful and fence_of(name) == rows.fence
            descriptor = left_behind(self._spool / name) if name not in live and not is_doubtful else None
            if descriptor is None:
                continue
            try:
                self._bring(name, rows, again=True)
            except DamagedArchive as error:
                # The others are not to wait for one that only a human can help.
                log.error("%s", error)  # noqa: TRY400 - what happened is told in the error's own words
            finally:
                os.close(descriptor)

    def _bring(
        self, name: str, rows: FileRows, at: Callable[[str], None] = nothing, *, again: bool = False,
    ) -> None:
        """Cut a file to what was committed, upload it, note that it is there, and only then let go of it here."""
        path = self._needed_spool() / name
        known = rows.find([name]).get(name)
        if known is None and is_before(name, rows.begun()):
            return
        if known is not None and not known.closed:
            cut(path, known.length)
            at("sealed")
            self._files.upload(path, name, again=again)
            at("uploaded")
            rows.close(name)
            at("noted-closed")
        path.unlink(missing_ok=True)

    def _warc_paths(self) -> Iterable[Path]:
        return (self._needed_spool() / warc_names.FOLDER).glob("*.warc.gz")

    def _needed_spool(self) -> Path:
        if self._spool is None:
            raise UsageError(
                f"{self.where} only takes whole files, so WARC files need a local folder to grow in",
                advice="pass a folder on this machine's own disk with --spool",
            )
        warc_folder(self._spool)
        return self._spool


class _RemoteMedia:
    """Media of a lease, which are uploaded at once."""

    def __init__(self, files: RemoteFiles) -> None:
        self._files = files

    def write(self, answers: Mapping[str, Exchange]) -> dict[str, str]:
        names: dict[str, str] = {}
        bodies: dict[str, bytes] = {}
        for sha256, answer in answers.items():
            name = names[sha256] = media_name(sha256, content_type=answer.header("content-type"), url=answer.url)
            if answer.spooled is None:
                bodies[name] = answer.body
            else:
                # It has no name of its own, so that it is gone with this process, however that ends.
                self._files.upload(Path(f"/dev/fd/{answer.spooled.file.fileno()}"), name, again=True)
        # All of a batch side by side: one after the other, each would wait for an answer.
        if bodies:
            self._files.write(bodies)
        return names
