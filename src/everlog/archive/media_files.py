"""Pictures, sounds and files: one file per content, named by its hash."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from everlog.archive import files as disk
from everlog.archive.points import nothing

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

FOLDER = "media"
_HASH = re.compile(r"[0-9a-f]{64}")


class MediaFiles:
    """The files of one blog's media; whoever holds this must hold the blog's lock."""

    def __init__(self, archive: Path, blog_id: int, *, at: Callable[[str], None] = nothing) -> None:
        self._folder = archive / FOLDER
        self._blog_id = blog_id
        self._at = at

    def recover(self) -> None:
        """Remove the half-written files a crash of this blog's crawl left."""
        for part in self._folder.glob(f"*/.{self._blog_id}-*.part"):
            part.unlink()

    def write(self, sha256: str, body: bytes, *, content_type: str | None, url: str) -> str:
        """Write a file so that it is whole or not there. Its path in the archive.

        A file of this content that no database row names yet is written again: nobody knows whether
        its bytes had reached the disk.
        """
        from everlog.media import extension  # noqa: PLC0415 - loads the parser; blogs without media do not need it

        if not _HASH.fullmatch(sha256):
            raise ValueError(f"{sha256!r} is not a hash")
        folder = self._folder / sha256[:2]
        new_folder = not folder.exists()
        disk.real_folder(folder)
        name = next((path.name for path in folder.glob(f"{sha256}.*")), f"{sha256}.{extension(content_type, url)}")
        part = folder / f".{self._blog_id}-{sha256}.part"
        part.unlink(missing_ok=True)
        descriptor = disk.create(part)
        try:
            half = len(body) // 2
            disk.write_all(descriptor, memoryview(body)[:half])
            self._at("media-temp")
            disk.write_all(descriptor, memoryview(body)[half:])
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        part.replace(folder / name)
        self._at("media-renamed")
        disk.sync_folder(folder)
        if new_folder:
            disk.sync_folder(self._folder)
        return f"{FOLDER}/{sha256[:2]}/{name}"
