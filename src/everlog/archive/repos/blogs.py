"""Blogs, their runs, and the small texts kept for them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from sqlalchemy import select

from everlog.archive.db import schema
from everlog.archive.db.column_values import moment_of, moment_or_none, stamp, stamp_now, storable
from everlog.archive.models import Run
from everlog.archive.repos.events import insert_events
from everlog.core.urls import canonical
from everlog.records import Blog

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from sqlalchemy import Connection, Row

    from everlog.archive.db.database import Database
    from everlog.records import Event

CHANGEABLE = frozenset(
    {
        "title", "feed_url", "scope", "state", "template", "knowledge", "crawled_at", "forgotten_at", "gone", "gone_at",
    },
)

_AS_STORED = ("id", "home", "title", "feed_url", "scope", "state", "template", "knowledge", "gone")


def add_blog(database: Database, home: str, *, scope: str) -> Blog:
    """The blog at this home, made if it is new."""
    key = storable(canonical(home))
    with database.writing() as connection:
        connection.execute(
            database.insert(schema.blogs).on_conflict_do_nothing(index_elements=["key"]),
            {"key": key, "home": storable(home), "scope": scope, "state": "new", "added_at": stamp_now()},
        )
        return blog_of(connection.execute(select(schema.blogs).where(schema.blogs.c.key == key)).one())


def all_blogs(database: Database, *, forgotten: bool) -> tuple[Blog, ...]:
    """The blogs in the order they were added."""
    statement = select(schema.blogs).order_by(schema.blogs.c.id)
    if not forgotten:
        statement = statement.where(schema.blogs.c.forgotten_at.is_(None))
    with database.reading() as connection:
        return tuple(blog_of(row) for row in connection.execute(statement))


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
    return None if row is None else blog_of(row)


def update_blog(
    database: Database, blog_id: int, changes: Mapping[str, str | datetime | None], events: Sequence[Event] = (),
) -> Blog:
    """Change fields of a blog, and note in the ledger what that means."""
    if unknown := changes.keys() - CHANGEABLE:
        raise ValueError(f"a blog has no changeable {', '.join(sorted(unknown))}")
    values = {name: _storable(value) for name, value in changes.items()}
    with database.writing() as connection:
        if values:
            connection.execute(schema.blogs.update().where(schema.blogs.c.id == blog_id).values(values))
        insert_events(connection, database, events)
        return blog_of(connection.execute(select(schema.blogs).where(schema.blogs.c.id == blog_id)).one())


def move_blog(database: Database, blog_id: int, home: str, events: Sequence[Event] = ()) -> Blog:
    """A blog that has another home now; the one before is remembered. `ValueError` if another blog lives there."""
    with database.writing() as connection:
        # Held, so that of two moves at once none forgets the home the other has left.
        held = select(schema.blogs).where(schema.blogs.c.id == blog_id).with_for_update()
        row = connection.execute(held).one()
        key = storable(canonical(home))
        taken = connection.execute(select(schema.blogs.c.id).where(schema.blogs.c.key == key)).scalar()
        if taken not in {None, blog_id}:
            raise ValueError(f"{home} is another blog of this archive")
        former = [each for each in json.loads(row.former_homes or "[]") if canonical(each) != key]
        values = {"home": storable(home), "key": key, "former_homes": json.dumps([*former, row.home])}
        connection.execute(schema.blogs.update().where(schema.blogs.c.id == blog_id).values(values))
        insert_events(connection, database, events)
        return blog_of(connection.execute(select(schema.blogs).where(schema.blogs.c.id == blog_id)).one())


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


def remember(database: Database, blog_id: int | None, values: Mapping[str, str | None]) -> None:
    """Keep small texts under names; None removes one."""
    table, owner = schema.remembered, blog_id or 0
    kept = [
        {"blog_id": owner, "name": storable(name), "value": storable(value)}
        for name, value in sorted(values.items()) if value is not None
    ]
    removed = [storable(name) for name, value in values.items() if value is None]
    with database.writing() as connection:
        if removed:
            connection.execute(table.delete().where(table.c.blog_id == owner, table.c.name.in_(removed)))
        if kept:
            statement = database.insert(table)
            connection.execute(
                statement.on_conflict_do_update(
                    index_elements=["blog_id", "name"], set_={"value": statement.excluded.value},
                ),
                kept,
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


def blog_of(row: Row[Any], *, prefix: str = "") -> Blog:
    """The blog of a row, or of those columns of a wider row that begin with `prefix`."""
    found = {name.removeprefix(prefix): value for name, value in row._mapping.items() if name.startswith(prefix)}
    return Blog(
        **{name: found[name] for name in _AS_STORED}, added_at=moment_of(found["added_at"]),
        crawled_at=moment_or_none(found["crawled_at"]), forgotten_at=moment_or_none(found["forgotten_at"]),
        gone_at=moment_or_none(found["gone_at"]), former_homes=tuple(json.loads(found["former_homes"] or "[]")),
    )


def _run(row: Row[Any]) -> Run:
    return Run(
        id=row.id, kind=row.kind, started_at=moment_of(row.started_at), ended_at=moment_or_none(row.ended_at),
        reason=row.reason, counts=json.loads(row.counts or "{}"),
    )
