"""Writer pool: who writes to which files at the moment, one writer per locked blog, or one for many blogs together."""

from __future__ import annotations

import threading
from contextlib import ExitStack, contextmanager, suppress
from typing import TYPE_CHECKING

from everlog.archive.files.durable import explained
from everlog.archive.repos.warc_index import FileRows
from everlog.errors import DamagedArchive, EverlogError, ServiceDown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from everlog.archive.backend import ArchiveOptions, Backend
    from everlog.archive.files.file_store import Writer
    from everlog.archive.files.warc_names import CrawlInfo


class WriterPool:
    """The writers of the blogs that are locked, by blog: `blogs`."""

    def __init__(self, parts: Backend, options: ArchiveOptions) -> None:
        self.rows = FileRows(parts.database)
        self.one_batch = threading.Lock()
        # After this nothing more is written by these writers: nobody knows what has become of their last words.
        self.failure: EverlogError | None = None
        # Whether it was the disk, or the folder, that failed: then it does so for every blog.
        self.disk_failed = False
        self._file_store = parts.file_store
        self._locks = parts.locks
        self._options = options
        self.blogs: dict[int, Writer] = {}
        # Of many blogs together, one for each way that they are crawled.
        self._common: dict[CrawlInfo, Writer] = {}
        self._common_fence: int | None = None
        self._is_together = False

    @contextmanager
    def lock(self, blog_id: int, info: CrawlInfo) -> Iterator[None]:
        with self._locks.hold(blog_id):
            if not self.blogs:
                self._begin()
            writer = self.blogs[blog_id] = self._writer(blog_id, info)
            try:
                yield
            except BaseException:
                del self.blogs[blog_id]
                self._let_go(writer, quietly=True)
                raise
            del self.blogs[blog_id]
            self._let_go(writer)

    @contextmanager
    def together(self) -> Iterator[None]:
        if not self._file_store.is_shared or self._is_together:
            yield
            return
        self._is_together = True
        try:
            yield
        except BaseException:
            self._end_together(quietly=True)
            raise
        self._end_together()

    def recover(self) -> None:
        with self.explained():
            self._file_store.recover(self.rows)

    @contextmanager
    def explained(self) -> Iterator[None]:
        """What goes wrong with the files that are written, in the words of an archive."""
        try:
            with explained(self._file_store.where):
                yield
        except EverlogError as error:
            self._look_at(error)
            raise

    def fail(self, error: BaseException) -> None:
        """Note that a commit failed: a second try would build on what the disk may not have."""
        self._look_at(error)
        self.failure = error if isinstance(error, EverlogError) else DamagedArchive(
            f"writing to the archive was interrupted: {error!r}",
            advice="run the same command again: it cleans up first",
        )

    def _look_at(self, error: BaseException) -> None:
        self.disk_failed |= isinstance(error, EverlogError) and not isinstance(error, ServiceDown) and isinstance(
            error.__cause__, OSError,
        )

    def _begin(self) -> None:
        """Nothing is being written: what is left of earlier writers can be looked after."""
        if not self._file_store.is_shared:
            return
        if self._common and self._common_fence != self.rows.fence:
            # Its files are those of a lease that is gone: whoever clears up would take what is added for never stored.
            self._let_go_of_common()
        if self._common:
            return
        self.failure = None
        # In a folder that all see, what is left over is in nobody's way, and looking for it takes long.
        if self._file_store.folder is None:
            self.recover()

    def _writer(self, blog_id: int, info: CrawlInfo) -> Writer:
        if info in self._common:
            return self._common[info]
        with self.explained():
            writer = self._file_store.writer(
                None if self._is_together else blog_id, self.rows, info=info,
                rotate_bytes=self._options.rotate_bytes, at=self._options.at,
            )
        if self._is_together:
            self._common[info], self._common_fence = writer, self.rows.fence
        return writer

    def _let_go(self, writer: Writer, *, quietly: bool = False) -> None:
        if writer in self._common.values():
            return
        if self.failure is not None:
            writer.warc.abandon()
            return
        # What was committed is safe where it is: an error that is under way says more than one of the upload.
        with suppress(*((EverlogError,) if quietly else ())), self.explained():
            writer.warc.close()

    def _end_together(self, *, quietly: bool = False) -> None:
        self._is_together = False
        self._let_go_of_common(quietly=quietly)

    def _let_go_of_common(self, *, quietly: bool = False) -> None:
        writers, self._common = self._common, {}
        # Each of them, also when the files of another could not be brought.
        with ExitStack() as stack:
            for writer in writers.values():
                stack.callback(self._let_go, writer, quietly=quietly)
