"""Inventory repository: the posts that each history source says a blog has, held or not."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import func, select

from everlog.archive.db import schema
from everlog.archive.db.column_values import moment_or_none, stamp_or_none, storable, storable_or_none
from everlog.archive.db.database import Database, in_parts

_listed, _urls = schema.listed_posts, schema.urls


@dataclass(frozen=True, slots=True, kw_only=True)
class InventoryPost:
    """A post that a source lists, under the key of its address; `native_id` is what the source calls it."""

    native_id: str
    key: str
    url: str
    kind: str = "post"
    changed_at: datetime | None = None
    locked: str | None = None


class InventoryRepository:
    """What history sources list, by blog and source."""

    def __init__(self, database: Database) -> None:
        self.database = database

    def add(self, blog_id: int, source: str, posts: Iterable[InventoryPost]) -> None:
        """Note posts that a source lists; one that it listed before is as it is listed now."""
        rows = {
            post.native_id: {
                "blog_id": blog_id, "source": storable(source), "native_id": storable(post.native_id),
                "key": storable(post.key), "url": storable(post.url), "kind": post.kind,
                "changed_at": stamp_or_none(post.changed_at), "locked": storable_or_none(post.locked),
            }
            for post in posts
        }
        if not rows:
            return
        new = self.database.insert(_listed)
        changed = ("key", "url", "kind", "changed_at", "locked")
        statement = new.on_conflict_do_update(
            index_elements=["blog_id", "source", "native_id"], set_={name: new.excluded[name] for name in changed},
        )
        with self.database.writing() as connection:
            connection.execute(statement, list(rows.values()))

    def remove(self, blog_id: int, source: str, native_ids: Collection[str]) -> None:
        """Note that a source does not list these any more."""
        with self.database.writing() as connection:
            for part in in_parts(sorted(map(storable, native_ids))):
                connection.execute(_listed.delete().where(
                    _listed.c.blog_id == blog_id, _listed.c.source == source, _listed.c.native_id.in_(part),
                ))

    def of(self, blog_id: int, source: str, *, kind: str | None = "post") -> tuple[InventoryPost, ...]:
        """All posts that a source lists, or all pages; None: both."""
        statement = select(_listed).where(_listed.c.blog_id == blog_id, _listed.c.source == source)
        if kind is not None:
            statement = statement.where(_listed.c.kind == kind)
        with self.database.reading() as connection:
            return tuple(
                InventoryPost(
                    native_id=row.native_id, key=row.key, url=row.url, kind=row.kind,
                    changed_at=moment_or_none(row.changed_at), locked=row.locked,
                )
                for row in connection.execute(statement.order_by(_listed.c.key))
            )

    def count(self, blog_id: int, source: str, *, kind: str = "post") -> int:
        """How many posts a source lists."""
        statement = select(func.count()).where(
            _listed.c.blog_id == blog_id, _listed.c.source == source, _listed.c.kind == kind,
        )
        with self.database.reading() as connection:
            return connection.execute(statement).scalar_one()

    def awaits_pages(self, blog_id: int, source: str) -> bool:
        """Whether posts that a source lists are not held yet, and their pages wait to be fetched."""
        waiting = select(_urls.c.key).where(
            _urls.c.blog_id == blog_id, _urls.c.key == _listed.c.key, _urls.c.state == "queued",
        )
        held = [
            select(table.c.key).where(table.c.blog_id == blog_id, table.c.key == _listed.c.key).exists()
            for table in (schema.posts, schema.aliases)
        ]
        statement = select(_listed.c.key).where(
            _listed.c.blog_id == blog_id, _listed.c.source == source, _listed.c.locked.is_(None), waiting.exists(),
            *(~each for each in held),
        )
        with self.database.reading() as connection:
            return connection.execute(statement.limit(1)).first() is not None

    def keys_of(self, blog_id: int, source: str, native_ids: Collection[str]) -> dict[str, str]:
        """The keys of posts by what the source calls them, of those that it lists."""
        found: dict[str, str] = {}
        columns = select(_listed.c.native_id, _listed.c.key)
        with self.database.reading() as connection:
            for part in in_parts(sorted(map(storable, native_ids))):
                rows = connection.execute(columns.where(
                    _listed.c.blog_id == blog_id, _listed.c.source == source, _listed.c.native_id.in_(part),
                ))
                found |= {row.native_id: row.key for row in rows}
        return found
