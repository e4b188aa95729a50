"""Bodies of WARC records, read in pieces: a film is shown without being held in memory."""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING, Any, BinaryIO, Self

from everlog.archive.files.warc_reader import damaged
from everlog.archive.files.warc_writer import MADE

if TYPE_CHECKING:
    from collections.abc import Iterator

# So much is unpacked at once.
PIECE_BYTES = 1 << 18


class WarcBody:
    """The body of the answer that stands at an offset of a WARC file, and the headers it came with.

    Closing it closes the file. A `revisit` has headers only: its original has the body.
    """

    def __init__(self, file: BinaryIO, offset: int) -> None:
        from warcio.archiveiterator import ArchiveIterator  # noqa: PLC0415 - not before somebody reads again
        from warcio.exceptions import ArchiveLoadFailed  # noqa: PLC0415

        self._file, self._offset = file, offset
        try:
            file.seek(offset)
            record: Any = next(ArchiveIterator(file), None)
        except (ArchiveLoadFailed, zlib.error, EOFError, ValueError, IndexError) as error:
            raise damaged(file, offset) from error
        known = {"response", "revisit", *MADE.values()}
        if record is None or record.rec_type not in known:
            raise damaged(file, offset)
        self.headers: tuple[tuple[str, str], ...] = (
            tuple(record.http_headers.headers) if record.http_headers is not None else ()
        )
        self._stream = record.raw_stream

    def header(self, name: str) -> str | None:
        """The first value of a header, whatever its case."""
        return next((value for key, value in self.headers if key.lower() == name.lower()), None)

    def pieces(self, start: int = 0, length: int | None = None) -> Iterator[bytes]:
        """The body from a place on, so many bytes of it: what stands before is unpacked and passed over.

        With a length, a record that has fewer is damaged.
        """
        passed, left = 0, length
        while left is None or left > 0:
            piece = self._read()
            if not piece:
                if left:
                    raise damaged(self._file, self._offset)
                return
            kept = piece[max(0, start - passed):]
            passed += len(piece)
            if left is not None:
                kept = kept[:left]
                left -= len(kept)
            if kept:
                yield kept

    def whole(self) -> bytes:
        """All of the body."""
        return b"".join(self.pieces())

    def close(self) -> None:
        self._file.close()

    def _read(self) -> bytes:
        try:
            return bytes(self._stream.read(PIECE_BYTES))
        except (zlib.error, EOFError, ValueError) as error:
            raise damaged(self._file, self._offset) from error

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
