"""Who may write: one crawl per blog.

In an archive of one folder the kernel frees a lock when its holder ends, however it ends; in one that many machines
share, a lease of the database runs out (`lease_holder.py`).
"""

from __future__ import annotations

import fcntl
import os
import socket
from contextlib import AbstractContextManager, contextmanager
from functools import cached_property
from typing import TYPE_CHECKING, Protocol

from sqlalchemy import select

from everlog.archive.db import schema
from everlog.archive.files import durable as disk
from everlog.errors import ArchiveBusy, file_error

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from everlog.archive.db.database import Database
    from everlog.archive.lease_holder import LeaseHolder


class Locks(Protocol):
    """The locks of blogs."""

    def hold(self, blog_id: int) -> AbstractContextManager[None]:
        """The right to write to one blog; raises ArchiveBusy if somebody else has it."""
        ...

    def close(self) -> None:
        """Give back whatever is still held."""
        ...


class FileLocks:
    """Locks of a folder's own."""

    def __init__(self, folder: Path) -> None:
        self._folder = disk.not_linked(folder)

    @contextmanager
    def hold(self, blog_id: int) -> Iterator[None]:
        try:
            # Made by who writes first: an archive that is only read stays as it is.
            held = Lock(disk.real_folder(self._folder) / f"{blog_id}.lock")
        except OSError as error:
            raise file_error(error, self._folder) from error
        try:
            yield
        finally:
            held.release()

    def close(self) -> None:
        """The kernel does that."""


class LeaseLocks:
    """Leases of the hosts that blogs are on, in the database."""

    def __init__(self, database: Database, worker: str | None = None) -> None:
        self._database = database
        self._worker = worker or f"{socket.gethostname()}:{os.getpid()}"

    @cached_property
    def lease_holder(self) -> LeaseHolder:
        """What this process holds, from when it first writes."""
        from everlog.archive.lease_holder import LeaseHolder  # noqa: PLC0415 - who reads does without it
        from everlog.archive.repos.leases import LeaseRepository  # noqa: PLC0415

        return LeaseHolder(LeaseRepository(self._database), self._worker)

    @contextmanager
    def hold(self, blog_id: int) -> Iterator[None]:
        from everlog.core.urls import host_of  # noqa: PLC0415 - as above

        with self._database.reading() as connection:
            home = connection.scalar(select(schema.blogs.c.home).where(schema.blogs.c.id == blog_id))
        with self.lease_holder.of_blog(blog_id, host_of(home or "")):
            yield

    def close(self) -> None:
        if "lease_holder" in self.__dict__:
            self.lease_holder.close()


class Lock:
    """A lock that is held until it is let go."""

    def __init__(self, file: Path) -> None:
        """Take the lock at once, or say who has it."""
        self._descriptor = _open(file)
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            holder = os.read(self._descriptor, 20).decode("ascii", "replace").strip() or "unknown"
            os.close(self._descriptor)
            raise ArchiveBusy(
                f"a crawl of this blog is running (pid {holder})", advice="wait for it to finish, or stop it",
            ) from None
        os.ftruncate(self._descriptor, 0)
        disk.write_all(self._descriptor, f"{os.getpid()}\n".encode())

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
