"""What the database knows of WARC files: how long they are, which are whole, and whose they are."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from datetime import datetime

from sqlalchemy import func, select

from everlog.archive.db import schema
from everlog.archive.db.column_values import moment_or_none
from everlog.archive.db.database import Database, in_parts
from everlog.archive.files.warc_names import CrawlInfo, Owner, owner_of, parse_name
from everlog.archive.files.warc_writer import WarcFile
from everlog.archive.repos.archive_state import ArchiveState


def fence_of(name: str) -> int | None:
    """The fencing number in the name of a shared archive's WARC file.

    >>> fence_of("warc/everlog-a.example-20240501120000-12-345-2.warc.gz")
    345
    >>> fence_of("warc/12-20240501120000-345.warc.gz"), fence_of("warc/0-20240501120000-345-2.warc.gz")
    (345, 345)
    >>> fence_of("warc/notes.txt") is None
    True
    """
    named = parse_name(name)
    return named.number if named is not None else None


def is_before(name: str, begun: datetime | None) -> bool:
    """Whether a WARC file was begun before a moment, as its name says; `begun` None: before whatever comes.

    >>> from datetime import datetime
    >>> is_before("warc/12-20240501120000-345.warc.gz", datetime(2024, 5, 1, 12, 0, 1))
    True
    """
    named = parse_name(name)
    return named is not None and (begun is None or named.begun < f"{begun:%Y%m%d%H%M%S}")


class FileRows:
    """The rows of WARC files."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @property
    def fence(self) -> int | None:
        """The fencing number this process writes under."""
        return self._database.fence

    def of_blog(self, blog_id: int) -> tuple[WarcFile, ...]:
        """The files of a blog, the oldest first."""
        table = schema.warc_files
        with self._database.reading() as connection:
            found = connection.execute(select(table).where(table.c.blog_id == blog_id).order_by(table.c.id))
            return tuple(_file(row) for row in found)

    def owner(self, blog_id: int | None, info: CrawlInfo) -> Owner:
        """Whose files those of a blog are, or (None) of several, and what their heads are to say."""
        table = schema.blogs
        with self._database.reading() as connection:
            home: str | None = connection.scalar(select(table.c.home).where(table.c.id == blog_id))
        return owner_of(blog_id, home, info)

    def begun(self) -> datetime | None:
        """When the first blog was added; None: there is none.

        A file that no row names is what a killed crawl left, and can be removed; but not one that is older than this:
        it is of a database that is gone, and holds what was acknowledged there.
        """
        with self._database.reading() as connection:
            first: str | None = connection.scalar(select(func.min(schema.blogs.c.added_at)))
        return moment_or_none(first)

    def find(self, names: Collection[str]) -> dict[str, WarcFile]:
        """Those of these files that are known, by name."""
        table = schema.warc_files
        found: dict[str, WarcFile] = {}
        with self._database.reading() as connection:
            for part in in_parts(sorted(names)):
                rows = connection.execute(select(table).where(table.c.name.in_(part)))
                found |= {row.name: _file(row) for row in rows}
        return found

    def close(self, name: str) -> None:
        """Note that a file is whole, where all can read it."""
        table = schema.warc_files
        # Whoever lost the lease may still say it: what the file has up to its length was written under it.
        with self._database.writing(fenced=False) as connection:
            connection.execute(table.update().where(table.c.name == name).values(closed=True))

    def live(self, names: Iterable[str]) -> frozenset[str]:
        """Those of these files whose lease stands: somebody else may still write to them.

        A lease that is gone stays gone, and takes no row with it that was being written: what the database says of
        the other files is final.
        """
        fences = {name: fence for name in names if (fence := fence_of(name)) is not None and fence != self.fence}
        table = schema.grants
        leased: set[int] = set()
        with self._database.reading() as connection:
            for part in in_parts(sorted(set(fences.values()))):
                leased.update(connection.scalars(select(table.c.fence).where(table.c.fence.in_(part))))
        return frozenset(name for name, fence in fences.items() if fence in leased)

    def is_being_copied_into(self) -> bool:
        """Whether files come here whose rows are written last, all at once: what no row names may be one of them."""
        return ArchiveState(self._database).copied_from is not None


def _file(row: object) -> WarcFile:
    return WarcFile(name=row.name, blog_id=row.blog_id, length=row.length, closed=row.closed)  # type: ignore[attr-defined]
