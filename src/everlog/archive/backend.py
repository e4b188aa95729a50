"""What an archive is made of, and how it writes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from everlog.archive.files.durable import nothing
from everlog.archive.files.warc_writer import ROTATE_BYTES

if TYPE_CHECKING:
    from collections.abc import Callable

    from everlog.archive.db.database import Database
    from everlog.archive.db.migrate import Schema
    from everlog.archive.files.file_store import FileStore
    from everlog.archive.files.remote_files import Patience
    from everlog.archive.locks import Locks
    from everlog.archive.repos.archive_state import ArchiveState

# A crawl that stops here has room left to close its files, and the user's other programs have some too.
MIN_FREE_BYTES = 200_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class ArchiveOptions:
    """How an archive is opened and writes. `at` is called at each of `durable.WRITE_POINTS`, for tests that crash."""

    rotate_bytes: int = ROTATE_BYTES
    min_free_bytes: int = MIN_FREE_BYTES
    schema: Schema | None = None
    at: Callable[[str], None] = nothing
    # Hears, in a sentence for people, what takes time and room when an archive is opened.
    say: Callable[[str], None] = nothing
    # For a store of files that does not answer; None: as long as everlog has it by itself.
    patience: Patience | None = None
    # To a server, kept open for threads that read at the same time; None: as few as a worker needs.
    connections: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Backend:
    """Rows, files, and who may write; with what another process opens the same archive.

    `where` may have a password in it, and is not shown.
    """

    database: Database
    file_store: FileStore
    locks: Locks
    where: str = field(repr=False)
    files: str | None = field(default=None, repr=False)
    spool: str | None = None

    @property
    def state(self) -> ArchiveState:
        """What the archive says of itself as a whole."""
        from everlog.archive.repos.archive_state import ArchiveState  # noqa: PLC0415 - most do without it

        return ArchiveState(self.database)
