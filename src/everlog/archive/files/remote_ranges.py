"""A file behind an address, read as one here is."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any


class Ranges(io.RawIOBase):
    """A remote file; each read of it is tried as often as other requests."""

    def __init__(self, file: Any, tried: Callable[[Callable[[], Any]], Any]) -> None:
        super().__init__()
        self._file = file
        self._tried = tried
        self.name = str(getattr(file, "path", "a remote file"))

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self._tried(lambda: self._file.read(len(buffer)))
        buffer[: len(data)] = data
        return len(data)

    def seek(self, offset: int, whence: int = 0) -> int:
        return int(self._file.seek(offset, whence))

    def tell(self) -> int:
        return int(self._file.tell())

    def close(self) -> None:
        if not self.closed:
            self._file.close()
        super().close()
