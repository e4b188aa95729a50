"""Bodies as they come in: small ones in memory, large ones in a file without a name."""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Callable
from io import BytesIO
from typing import BinaryIO

from everlog.records import Spooled

# Most pictures of blogs are smaller: they take no file, and a dozen of them under way take no more memory than a page.
SPOOL_FROM_BYTES = 1_000_000


class SpooledBody:
    """Stands for the buffer in which Scrapy gathers a body.

    The file has no name, so that it is gone with the process that wrote it, however that ends. It is in a folder of the
    archive: the folder for temporary files may be in memory itself, or on a disk that is small.
    """

    def __init__(self, folder: str, *, on_error: Callable[[OSError], None]) -> None:
        self._folder = folder
        self._on_error = on_error
        self._memory = BytesIO()
        self._file: BinaryIO | None = None
        self._size = 0
        self._digest = hashlib.sha256()
        self._is_wanted = True

    def write(self, data: bytes) -> None:
        if not self._is_wanted:
            return
        self._size += len(data)
        self._digest.update(data)
        try:
            if self._file is None and self._size > SPOOL_FROM_BYTES:
                self._file = tempfile.TemporaryFile(dir=self._folder)  # noqa: SIM115 - closed by who holds it last
                self._file.write(self._memory.getvalue())
                self._memory = BytesIO()
            (self._file or self._memory).write(data)
        except OSError as error:
            self._on_error(error)

    def truncate(self, _size: int) -> None:
        """The body is not wanted any more."""
        self._is_wanted = False
        self._memory = BytesIO()
        if self._file is not None:
            self._file.close()

    def getvalue(self) -> bytes:
        """What is in memory."""
        return self._memory.getvalue()

    def spooled(self) -> Spooled | None:
        """What is on the disk, when all has come; None: it is in memory. `OSError` if the disk did not take it all."""
        if self._file is None:
            return None
        self._file.flush()
        return Spooled(file=self._file, size=self._size, sha256=self._digest.hexdigest())
