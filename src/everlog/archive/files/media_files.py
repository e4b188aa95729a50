"""Pictures, sounds and files: one file per content, named by its hash."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from everlog.archive.files import durable as disk
from everlog.archive.files.durable import nothing

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from everlog.records import Exchange

FOLDER = "media"
_HASH = re.compile(r"[0-9a-f]{64}")


def media_name(sha256: str, *, content_type: str | None, url: str) -> str:
    """The path of the file that holds this content."""
    from everlog.markup.media import extension  # noqa: PLC0415 - loads the parser; blogs without media do not need it

    if not _HASH.fullmatch(sha256):
        raise ValueError(f"{sha256!r} is not a hash")
    return f"{FOLDER}/{sha256[:2]}/{sha256}.{extension(content_type, url)}"


class MediaFiles:
    """The media files below a folder. `owner` tells half-written files of one who writes from those of another.

    They are beside those that are whole, or in a folder of their own.
    """

    def __init__(
        self, base: Path, owner: int, *, parts: Path | None = None, at: Callable[[str], None] = nothing,
    ) -> None:
        self._base = base
        self._owner = owner
        self._parts = parts
        self._at = at
        # Folders that another process may have made a moment ago: their names are synced by whoever needs them to last.
        self._synced: set[Path] = set()

    def recover(self) -> None:
        """Remove the half-written files that a crash of the same owner left."""
        for part in (self._base / FOLDER).glob(f"*/.{self._owner}-*.part"):
            part.unlink()

    def write(self, answers: Mapping[str, Exchange]) -> dict[str, str]:
        """Write the bodies of answers, by their SHA-256, so that each file is whole or not there. Their paths.

        A file of this content that no database row names yet is written again: nobody knows whether
        its bytes had reached the disk.
        """
        return {sha256: self._write(sha256, answer) for sha256, answer in answers.items()}

    def _write(self, sha256: str, answer: Exchange) -> str:
        wanted = self._base / media_name(sha256, content_type=answer.header("content-type"), url=answer.url)
        folder = wanted.parent
        disk.real_folder(folder)
        whole = next(folder.glob(f"{sha256}.*"), wanted)
        part = (self._parts or folder) / f".{self._owner}-{sha256}.part"
        part.unlink(missing_ok=True)
        descriptor = disk.create(part)
        try:
            for piece in answer.chunks():
                half = len(piece) // 2
                disk.write_all(descriptor, memoryview(piece)[:half])
                self._at("media-temp")
                disk.write_all(descriptor, memoryview(piece)[half:])
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        part.replace(whole)
        self._at("media-renamed")
        disk.sync_folder(folder)
        if folder not in self._synced:
            disk.sync_folder(folder.parent)
            self._synced.add(folder)
        return f"{FOLDER}/{folder.name}/{whole.name}"
