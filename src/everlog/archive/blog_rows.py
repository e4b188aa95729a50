"""Blogs, their runs, and the small texts kept for them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from sqlalchemy import select

from everlog.archive import schema
from everlog.archive.store import Run
from everlog.archive.texts import moment_of, moment_or_none, stamp, stamp_now, storable
from everlog.records import Blog
from everlog.urls import canonical

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from sqlalchemy import Connection, Row

    from everlog.archive.database import Database

CHANGEABLE = frozenset(
    {"title", "feed_url", "scope", "state", "template", "knowledge", "crawled_at", "forgotten_at"},
)


def add_blog(database: Database, home: str, *, scope: str) -> Blog:
    """The blog at this home, made if it is new."""
    key = storable(canonical(home))
    with database.writing() as connection:
        connection.execute(
            database.insert(schema.blogs).on_conflict_do_nothing(index_elements=["key"]),
            {"key": key, "home": storable(home), "scope": scope, "state": "new", "added_at": stamp_now()},
        )
        return _blog(connection.execute(select(schema.blogs).where(schema.blogs.c.key == key)).one())


def all_blogs(database: Database, *, forgotten: bool) -> tuple[Blog, ...]:
    """The blogs in the order they were added."""
    statement = select(schema.blogs).order_by(schema.blogs.c.id)
    if not forgotten:
        statement = statement.where(schema.blogs.c.forgotten_at.is_(None))
    with database.reading() as connection:
        return tuple(_blog(row) for row in connection.execute(statement))


def find_blog(database: Database, url: str) -> Blog | None:
    """The blog whose home this is, or one that knows it as a post, another address of one, or a page."""
    key = storable(canonical(url))
    with database.reading() as connection:
        row = connection.execute(select(schema.blogs).where(schema.blogs.c.key == key)).first()
        for table in (schema.posts, schema.aliases, schema.urls):
            if row is None:
                row = connection.execute(
                    select(schema.blogs).join(table, table.c.blog_id == schema.blogs.c.id)
                    .where(table.c.key == key).order_by(schema.blogs.c.id).limit(1),
                ).first()
    return None if row is None else _blog(row)


def update_blog(database: Database, blog_id: int, changes: Mapping[str, str | datetime | None]) -> Blog:
    """Change fields of a blog."""
    if unknown := changes.keys() - CHANGEABLE:
        raise ValueError(f"a blog has no changeable {', '.join(sorted(unknown))}")
    values = {name: _storable(value) for name, value in changes.items()}
    with database.writing() as connection:
        if values:
            connection.execute(schema.blogs.update().where(schema.blogs.c.id == blog_id).values(values))
        return _blog(connection.execute(select(schema.blogs).where(schema.blogs.c.id == blog_id)).one())


def begin_run(database: Database, blog_id: int, kind: str) -> int:
    """A run that is under way."""
    with database.writing() as connection:
        number = database.reserve(connection, schema.runs, 1)[0]
        connection.execute(
            schema.runs.insert(), {"id": number, "blog_id": blog_id, "kind": kind, "started_at": stamp_now()},
        )
        return number


def end_run(database: Database, run_id: int, *, reason: str, counts: Mapping[str, float]) -> None:
    """A run that has ended, and why."""
    with database.writing() as connection:
        connection.execute(
            schema.runs.update().where(schema.runs.c.id == run_id),
            {"ended_at": stamp_now(), "reason": storable(reason), "counts": json.dumps(dict(counts))},
        )


def all_runs(database: Database, blog_id: int) -> tuple[Run, ...]:
    """The runs of a blog, the oldest first."""
    statement = select(schema.runs).where(schema.runs.c.blog_id == blog_id).order_by(schema.runs.c.id)
    with database.reading() as connection:
        return tuple(_run(row) for row in connection.execute(statement))


def remember(database: Database, blog_id: int | None, name: str, value: str | None) -> None:
    """Keep a small text under a name; None removes it."""
    table, row = schema.remembered, {"blog_id": blog_id or 0, "name": storable(name)}
    with database.writing() as connection:
        if value is None:
            connection.execute(
                table.delete().where(table.c.blog_id == row["blog_id"], table.c.name == row["name"]),
            )
            return
        statement = database.insert(table)
        connection.execute(
            statement.on_conflict_do_update(
                index_elements=["blog_id", "name"], set_={"value": statement.excluded.value},
            ),
            {**row, "value": storable(value)},
        )


def recall(database: Database, blog_id: int | None, name: str) -> str | None:
    """The text kept under a name."""
    table = schema.remembered
    with database.reading() as connection:
        return _one_text(
            connection, select(table.c.value).where(table.c.blog_id == (blog_id or 0), table.c.name == storable(name)),
        )


def _one_text(connection: Connection, statement: Any) -> str | None:
    found: str | None = connection.scalar(statement)
    return found


def _storable(value: str | datetime | None) -> str | None:
    if value is None:
        return None
    return storable(value) if isinstance(value, str) else stamp(value)


def _blog(row: Row[Any]) -> Blog:
    return Blog(
        id=row.id, home=row.home, title=row.title, feed_url=row.feed_url, scope=row.scope, state=row.state,
        template=row.template, knowledge=row.knowledge, added_at=moment_of(row.added_at),
        crawled_at=moment_or_none(row.crawled_at), forgotten_at=moment_or_none(row.forgotten_at),
    )


def _run(row: Row[Any]) -> Run:
    return Run(
        id=row.id, kind=row.kind, started_at=moment_of(row.started_at), ended_at=moment_or_none(row.ended_at),
        reason=row.reason, counts=json.loads(row.counts or "{}"),
    )
