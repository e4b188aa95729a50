"""Who may write: one crawl per blog. The kernel frees a lock when its holder ends, however it ends."""

from __future__ import annotations

import fcntl
import os
from contextlib import contextmanager
from typing import TYPE_CHECKING

from everlog.archive.files import write_all
from everlog.errors import ArchiveBusy

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


class Lock:
    """A lock that is held until it is let go."""

    def __init__(self, file: Path) -> None:
        """Take the lock at once, or say who has it."""
        self._descriptor = _open(file)
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            holder = os.read(self._descriptor, 20).decode("ascii", "replace").strip() or "not known"
            os.close(self._descriptor)
            raise ArchiveBusy(
                f"a crawl of this blog is running (pid {holder})", advice="wait for it or stop it",
            ) from None
        os.ftruncate(self._descriptor, 0)
        write_all(self._descriptor, f"{os.getpid()}\n".encode())

    def release(self) -> None:
        os.close(self._descriptor)


@contextmanager
def hold(file: Path) -> Iterator[None]:
    """Wait for a lock, and hold it for as long as the context lasts."""
    descriptor = _open(file)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _open(file: Path) -> int:
    return os.open(file, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o644)
