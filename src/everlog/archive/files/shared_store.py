"""Files in a folder that many machines see: a local disk, or one of the network."""

from __future__ import annotations

import logging
from itertools import islice
from typing import TYPE_CHECKING

from everlog.archive.db.database import MOST_VALUES
from everlog.archive.files import durable as disk
from everlog.archive.files import media_files, warc_names
from everlog.archive.files.file_store import Writer
from everlog.archive.files.lease_files import LeaseFiles, OwnFiles
from everlog.archive.files.local_store import FolderStore
from everlog.archive.files.media_files import MediaFiles
from everlog.archive.files.warc_files import cut
from everlog.archive.repos.warc_index import FileRows, fence_of, is_before
from everlog.errors import DamagedArchive

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from everlog.archive.files.warc_names import CrawlInfo

log = logging.getLogger("everlog")

PARTS = ".parts"


class SharedFolderStore(FolderStore):
    """A folder with `warc` and `media` in it, in which several processes write side by side."""

    is_shared = True

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self._parts = disk.real_folder(folder / media_files.FOLDER / PARTS)
        self._own = OwnFiles()

    def writer(
        self, blog_id: int | None, rows: FileRows, *, info: CrawlInfo, rotate_bytes: int, at: Callable[[str], None],
    ) -> Writer:
        fence = needed_fence(rows)

        def finish(name: str) -> None:
            self._seal(name, rows)
            at("sealed")

        warc = LeaseFiles(
            self.folder, rows.owner(blog_id, info), fence=fence, own=self._own, finish=finish,
            rotate_bytes=rotate_bytes, at=at,
        )
        return Writer(warc, MediaFiles(self.folder, fence, parts=self._parts, at=at))

    def recover(self, rows: FileRows) -> None:
        """Close the files of leases that are gone, and remove those that nobody ever committed to.

        While a copy of another archive is made here, nothing is: its files are there before their rows.
        Looks at the names of all files: for a worker that starts, not for each slice.
        """
        found = (f"{warc_names.FOLDER}/{path.name}" for path in (self.folder / warc_names.FOLDER).glob("*.warc.gz"))
        dead = (name for name in found if fence_of(name) not in {None, rows.fence})
        while names := list(islice(dead, MOST_VALUES)):
            # Asked after the names were listed, and the rows after that: a lease that is gone by now adds nothing more,
            # and a copy that has ended by now has written its rows.
            if rows.is_being_copied_into():
                return
            live = rows.live(names)
            known = rows.find(names)
            for name in names:
                if name not in live and (name not in known or not known[name].closed):
                    self._seal_left(name, rows)
        for part in self._parts.glob(".*.part"):
            owner = part.name[1:].partition("-")[0]
            if not rows.live([f"warc/0-{'0' * 14}-{owner}.warc.gz"]) and owner != str(rows.fence):
                part.unlink(missing_ok=True)

    def _seal_left(self, name: str, rows: FileRows) -> None:
        try:
            self._seal(name, rows)
        except DamagedArchive as error:
            # Nobody is to wait for one that only a human can help.
            log.error("%s", error)  # noqa: TRY400 - what happened is told in the error's own words

    def _seal(self, name: str, rows: FileRows) -> None:
        known = rows.find([name]).get(name)
        path = self.folder / name
        if known is None:
            if not is_before(name, rows.begun()):
                path.unlink(missing_ok=True)
            return
        cut(path, known.length)
        rows.close(name)


def needed_fence(rows: FileRows) -> int:
    """The fencing number that the files of a shared archive are told apart by."""
    if rows.fence is None:
        raise ValueError("files of a shared archive are written under a lease: hold the lock of a blog")
    return rows.fence
