"""Archive: all that is kept of some blogs, in a folder or a PostgreSQL database.

It is read through its repositories (`repositories.py`) and written by `commit` (`write/batch_writer.py`).
"""

from __future__ import annotations

from functools import cached_property
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Self

from everlog.archive.backend import ArchiveOptions, Backend
from everlog.archive.files.warc_names import CrawlInfo
from everlog.archive.open_folder import DATABASE, open_folder
from everlog.archive.read_only import ReadOnlyDatabase
from everlog.archive.repositories import Repositories
from everlog.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from contextlib import AbstractContextManager

    from everlog.archive.archive_files import ArchiveFiles
    from everlog.archive.models import Counts, Problem, Version
    from everlog.archive.projection.filters import PostFilter
    from everlog.archive.write.record_batch import Acknowledged
    from everlog.archive.write.writer_pool import WriterPool
    from everlog.core.moments import Moment
    from everlog.records import Post, Visit

__all__ = ["DATABASE", "Archive", "ArchiveOptions", "open_archive"]

# Earlier names of what the repositories do, for programs that use them.
EARLIER_NAMES = {
    "find_post": "posts.find", "history": "posts.history", "count_found": "search.count",
    "index_posts": "search.index", "counts": "blogs.counts", "problems": "urls.problems", "exchange": "files.exchange",
    "open_body": "files.open_body", "open_file": "files.open", "folder": "files.folder", "together": "writers.together",
    "where": "backend.where",
}


def open_archive(
    where: str | Path, *, create: bool = False, read_only: bool | None = None, options: ArchiveOptions | None = None,
    files: str | Path | None = None, spool: str | Path | None = None,
) -> Archive:
    """The archive in a folder or a PostgreSQL database; one that is not there is made only with `create`.

    An archive of an earlier version is upgraded. A folder that cannot be written is read all the same, without changing
    anything in it; with `read_only` every folder is, and with `read_only=False` one that cannot be written is refused,
    as it is with `create`.

    `files` is where the WARC and media files of a PostgreSQL archive stand, `spool` a folder of this machine for those
    that are not uploaded yet; an archive remembers the first.
    """
    options = options or ArchiveOptions()
    if "://" in str(where):
        from everlog.archive.open_shared import open_shared  # noqa: PLC0415 - who has a folder needs nothing of it

        return Archive(open_shared(str(where), create=create, options=options, files=files, spool=spool), options)
    if files is not None:
        raise UsageError(
            f"{where} is a folder, which holds its own files",
            advice="leave out --files (in a copy, --to-files): only a postgresql:// archive keeps its files elsewhere",
        )
    if create and read_only:
        raise UsageError("an archive that is only read is not made", advice="leave out create or read_only")
    return Archive(open_folder(Path(where), options, create=create, read_only=False if create else read_only), options)


class Archive(Repositories):
    """All that is kept of some blogs. Reading needs nothing; to write, hold the lock of the blog."""

    def __init__(self, backend: Backend, options: ArchiveOptions) -> None:
        super().__init__(backend.database, backend.file_store.lost)
        self.backend = backend
        self._options = options

    @cached_property
    def writers(self) -> WriterPool:
        """Who writes to which files; there is none before somebody wants to write."""
        from everlog.archive.write.writer_pool import WriterPool  # noqa: PLC0415 - who reads does without it

        return WriterPool(self.backend, self._options)

    @cached_property
    def files(self) -> ArchiveFiles:
        """What stands in its WARC and media files: stored exchanges, bodies, files."""
        from everlog.archive.archive_files import ArchiveFiles  # noqa: PLC0415 - most posts are read without their pages

        return ArchiveFiles(self.backend.file_store, self.captures.files.find)

    @property
    def is_read_only(self) -> bool:
        """Whether it is read without anything in it being changed: what would change it is refused."""
        return isinstance(self.backend.database, ReadOnlyDatabase)

    def lock(self, blog_id: int, info: CrawlInfo | None = None) -> AbstractContextManager[None]:
        """The right to write to one blog, once what an earlier crash left is cleared away.

        `info` says how what is written was fetched; WARC files begin with it.
        """
        return self.writers.lock(blog_id, info or CrawlInfo())

    @cached_property
    def commit(self) -> Callable[[Sequence[Visit]], tuple[Acknowledged, ...]]:
        """Store visits, all or none. When this returns they survive a loss of power.

        After a failure that may have left bytes behind, nothing more is written: a second try would
        build on what the disk may not have. Who opens the archive next, or locks a blog of a shared one,
        begins anew.
        """
        from everlog.archive.write.batch_writer import Committer  # noqa: PLC0415 - who reads does without it

        return Committer(self, self.backend, self.writers, self._options).commit

    def versions(self, url: str) -> tuple[Post, ...]:
        """All versions of a post, the oldest first."""
        return self.posts.versions(url)

    def export(
        self, format_name: str, out: BinaryIO | Path | None = None, *, blog_id: int | None = None,
        since: Moment | None = None, chosen: PostFilter | None = None,
        on_post: Callable[[Post], None] = lambda _: None,
    ) -> int:
        """Write posts in one of `everlog.export.FORMATS`, streamed, to a stream, file or folder. How many.

        What is hidden is left out, unless `chosen` says otherwise. `on_post` hears of each post that is about to be
        written.
        """
        from everlog.archive.projection.filters import PostFilter  # noqa: PLC0415 - as below
        from everlog.export import FORMATS, write_posts  # noqa: PLC0415 - reading and crawling do without it

        chosen = chosen or PostFilter(public=True, kind=None)
        captures = None
        if format_name in FORMATS and FORMATS[format_name].captures is not None:
            captures = self.captures.index(self.files.open, blog_id=blog_id, public=chosen.public)
        media = self.backend.file_store.folder or self.files.open

        def announced() -> Iterator[Post]:
            for post in self.posts(blog_id=blog_id, since=since, chosen=chosen):
                on_post(post)
                yield post

        ahead = self.posts.headings(blog_id=blog_id, since=since, chosen=chosen)
        return write_posts(announced(), format_name, out, media=media, ahead=ahead, captures=captures)

    def close(self) -> None:
        try:
            self.backend.locks.close()
        finally:
            self.backend.database.close()

    if TYPE_CHECKING:

        def find_post(self, url: str, *, as_read: bool = False) -> Post | None: ...
        def history(self, url: str, *, as_read: bool = False) -> tuple[Version, ...]: ...
        def count_found(self, query: str) -> int: ...
        def index_posts(self, step: Callable[[str], None] = ...) -> int: ...
        def counts(self, blog_id: int) -> Counts: ...
        def problems(self, blog_id: int) -> Iterator[Problem]: ...
    else:

        def __getattr__(self, name: str) -> Any:
            if name not in EARLIER_NAMES:
                raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
            return attrgetter(EARLIER_NAMES[name])(self)

    def __repr__(self) -> str:
        database, files = self.backend.database, self.backend.file_store
        place = database.where if files.is_shared else files.where
        return f"<Archive {place}{', read-only' if self.is_read_only else ''}>"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
