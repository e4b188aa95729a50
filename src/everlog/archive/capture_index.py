"""Index of captures: where the records of an archive, or of one of its blogs, stand in which files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, BinaryIO

from sqlalchemy import Select, select, union

from everlog.archive.db import schema
from everlog.archive.db.column_values import moment_of
from everlog.archive.db.database import in_pages
from everlog.archive.files.warc_names import own_version
from everlog.archive.files.warc_writer import MADE
from everlog.archive.projection.filters import is_public_blog
from everlog.export.cdxj import IndexedCapture, IndexedFile

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from everlog.archive.db.database import Database

# It says that a page did not change, and shows nothing: the capture that it speaks of is there.
NOT_MODIFIED = 304


class CaptureIndex:
    """The captures of an archive as other programs look them up; of one blog, or of all.

    What a browser made of a page is in the files and has no line in the index: the page itself has.
    """

    def __init__(
        self, database: Database, open_file: Callable[[str], BinaryIO], *, blog_id: int | None, title: str,
        public: bool = False,
    ) -> None:
        self._database, self._blog_id, self._public = database, blog_id, public
        self.open_file, self.title = open_file, title
        self.software = f"everlog {own_version()}"

    def captures(self) -> Iterator[IndexedCapture]:
        """All captures that show something, in the order in which they were stored."""
        table, files = schema.captures, schema.warc_files
        statement = (
            select(table, files.c.name.label("file")).join(files, files.c.id == table.c.warc_id)
            .where(table.c.purpose.not_in(MADE), table.c.status != NOT_MODIFIED)
        )
        if self._blog_id is not None:
            statement = statement.where(table.c.blog_id == self._blog_id)
        if self._public:
            statement = statement.where(is_public_blog(table.c.blog_id), table.c.url_id.not_in(_hidden_addresses()))
        for row in in_pages(self._database, statement, table.c.id):
            yield IndexedCapture(
                url=row.url, captured_at=moment_of(row.captured_at or row.fetched_at), status=row.status,
                mime=row.content_type, digest=row.digest, file=row.file, offset=row.offset, length=row.length,
                is_revisit=row.original_id is not None,
            )

    def files(self) -> Iterator[IndexedFile]:
        """The files that hold them, up to what was acknowledged."""
        table, captures = schema.warc_files, schema.captures
        statement = select(table)
        if self._blog_id is not None:
            own = select(captures.c.warc_id).where(captures.c.blog_id == self._blog_id)
            statement = statement.where((table.c.blog_id == self._blog_id) | table.c.id.in_(own))
        in_part = set[int | None]()
        if self._public:
            statement = statement.where(table.c.blog_id.is_(None) | is_public_blog(table.c.blog_id))
            with self._database.reading() as connection:
                in_part.update(connection.scalars(select(schema.hidden_posts.c.blog_id).distinct()), [None])
        for row in in_pages(self._database, statement, table.c.id):
            is_mixed = row.blog_id in in_part or (self._blog_id is not None and row.blog_id != self._blog_id)
            yield IndexedFile(name=row.name, length=row.length, is_mixed=is_mixed)


def _hidden_addresses() -> Select[Any]:
    """The rows of the queue that are addresses of hidden posts."""
    posts, aliases, urls, hidden = schema.posts, schema.aliases, schema.urls, schema.hidden_posts
    of_posts = union(
        select(posts.c.key, posts.c.blog_id).join(hidden, hidden.c.post_id == posts.c.id),
        select(aliases.c.key, aliases.c.blog_id).join(hidden, hidden.c.post_id == aliases.c.post_id),
    ).subquery()
    return select(urls.c.id).join(of_posts, (of_posts.c.key == urls.c.key) & (of_posts.c.blog_id == urls.c.blog_id))
