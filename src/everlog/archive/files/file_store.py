"""Where the files of an archive stand: WARC files and media, named by paths relative to it.

    warc/everlog-a.blog.example-20240501120000-12-345.warc.gz      media/ab/ab34....jpg

A folder of the archive's own (`local_store.py`), a folder that many machines see (`shared_store.py`), or a store
behind an address (`remote_store.py`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, BinaryIO, Protocol

from everlog.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from collections.abc import Set as AbstractSet
    from pathlib import Path

    from everlog.archive.files.warc_names import CrawlInfo
    from everlog.archive.files.warc_writer import Appending
    from everlog.archive.repos.warc_index import FileRows
    from everlog.records import Exchange

# A page and what was asked with it are some 10 to 30 kB packed; the next capture often stands behind it.
RECORD_BYTES = 1 << 18
# For who reads a file from its beginning to its end.
WHOLE_FILE_BYTES = 1 << 23


class MediaWriter(Protocol):
    """Where media files are written."""

    def write(self, answers: Mapping[str, Exchange]) -> dict[str, str]:
        """Write the bodies of answers, by their SHA-256, so that each file is whole or not there. Their paths."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class Writer:
    """Writer of the files of blogs whose locks are held: what goes into WARC files is safe once they are synced."""

    warc: Appending
    media: MediaWriter


class FileStore(Protocol):
    """A place for files."""

    @property
    def where(self) -> str:
        """What the place is called in messages; never a password."""
        ...

    @property
    def folder(self) -> Path | None:
        """The folder it is, if it is one."""
        ...

    @property
    def scratch(self) -> Path | None:
        """A folder of this machine on the disk that files are written to; None: nobody has named one."""
        ...

    @property
    def is_shared(self) -> bool:
        """Whether others may be writing files here at the same time."""
        ...

    @property
    def lost(self) -> AbstractSet[str]:
        """WARC files that a writer of their blog did not find as long as they were; more may come to be known."""
        ...

    def open(self, name: str, *, ahead: int = RECORD_BYTES) -> BinaryIO:
        """A file to read from, at any place in it; so many bytes are fetched at once where fetching is slow.

        Raises FileNotFoundError.
        """
        ...

    def size(self, name: str) -> int | None:
        """How long a file is; None: it is not there."""
        ...

    def names(self, under: str) -> Iterator[str]:
        """All files whose paths begin with this folder, such as "warc"."""
        ...

    def put(self, name: str, source: BinaryIO) -> None:
        """Write a file so that it is whole or not there."""
        ...

    def remove(self, name: str) -> None:
        """Take away a file that nothing names."""
        ...

    def want_room(self) -> None:
        """Raise UsageError if nothing could be written here, whatever it is: better known before a crawl."""
        ...

    def writer(
        self, blog_id: int | None, rows: FileRows, *, info: CrawlInfo, rotate_bytes: int, at: Callable[[str], None],
    ) -> Writer:
        """Where the files of a blog go whose lock is held, or (None) those of several; their heads say `info`."""
        ...

    def recover(self, rows: FileRows) -> None:
        """Clear up what writers left that were killed; what was acknowledged is brought to where all can read it."""
        ...


class NoFileStore:
    """The files of an archive that nobody has named: what is in its database can be read all the same."""

    where = "no place"
    folder = None
    scratch = None
    is_shared = True
    lost: AbstractSet[str] = frozenset()

    def open(self, name: str, *, ahead: int = RECORD_BYTES) -> BinaryIO:  # noqa: ARG002 - as all file stores have it
        raise self._unnamed(name)

    def size(self, name: str) -> int | None:
        raise self._unnamed(name)

    def names(self, under: str) -> Iterator[str]:
        raise self._unnamed(under)

    def put(self, name: str, source: BinaryIO) -> None:  # noqa: ARG002
        raise self._unnamed(name)

    def remove(self, name: str) -> None:
        raise self._unnamed(name)

    def want_room(self) -> None:
        raise self._unnamed("what is fetched")

    def writer(
        self, blog_id: int | None, rows: FileRows, *, info: CrawlInfo, rotate_bytes: int,  # noqa: ARG002
        at: Callable[[str], None],  # noqa: ARG002
    ) -> Writer:
        raise self._unnamed("what is fetched")

    def recover(self, rows: FileRows) -> None:
        """Nothing is left where nothing is written."""

    def _unnamed(self, what: str) -> UsageError:
        return UsageError(
            f"this archive has no place for files yet, and {what} needs one",
            advice="pass --files: a folder that all machines share, or a URL such as s3://BUCKET/PATH",
        )
