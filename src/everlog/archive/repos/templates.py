"""How blogs were read before they were redesigned: the old template of each, and from when to when it was in force."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlalchemy import select

from everlog.archive.db import schema
from everlog.archive.db.column_values import moment_of, moment_or_none, stamp, stamp_or_none, storable
from everlog.archive.repos.blogs import blog_of
from everlog.archive.repos.events import insert_events

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from sqlalchemy import Row

    from everlog.archive.db.database import Database
    from everlog.records import Blog, Event

_templates, _blogs = schema.templates, schema.blogs


@dataclass(frozen=True, slots=True, kw_only=True)
class FormerTemplate:
    """How a blog was read before a redesign: pages fetched from `learned_at` (None: unknown) until `retired_at`."""

    template: str
    knowledge: str
    learned_at: datetime | None
    retired_at: datetime
    reason: str


def change_template(
    database: Database, blog_id: int, *, template: str, knowledge: str, at: datetime, reason: str,
    events: Sequence[Event] = (),
) -> Blog:
    """Another template for a blog; the one before is kept as that of all that was fetched before `at`."""
    with database.writing() as connection:
        row = connection.execute(select(_blogs).where(_blogs.c.id == blog_id).with_for_update()).one()
        if row.template is not None and row.knowledge is not None:
            number = database.reserve(connection, _templates, 1)[0]
            connection.execute(_templates.insert(), {
                "id": number, "blog_id": blog_id, "template": row.template, "knowledge": row.knowledge,
                "learned_at": stamp_or_none(learned_at(row.knowledge)), "retired_at": stamp(at),
                "reason": storable(reason),
            })
        values = {"template": storable(template), "knowledge": storable(knowledge)}
        connection.execute(_blogs.update().where(_blogs.c.id == blog_id).values(values))
        insert_events(connection, database, events)
        return blog_of(connection.execute(select(_blogs).where(_blogs.c.id == blog_id)).one())


def all_templates(database: Database, blog_id: int) -> tuple[FormerTemplate, ...]:
    """The templates that are no longer in force, the oldest first."""
    statement = (
        select(_templates).where(_templates.c.blog_id == blog_id).order_by(_templates.c.retired_at, _templates.c.id)
    )
    with database.reading() as connection:
        return tuple(_former(row) for row in connection.execute(statement))


def template_at(database: Database, blog_id: int, moment: datetime) -> FormerTemplate | None:
    """The template that was in force at a moment; None: today's."""
    return next((each for each in all_templates(database, blog_id) if moment < each.retired_at), None)


def learned_at(knowledge: str) -> datetime | None:
    """Since when what is known of a blog is in force; None in archives of before that was written down."""
    said = json.loads(knowledge).get("learned_at")
    return None if said is None else moment_of(said)


def _former(row: Row[Any]) -> FormerTemplate:
    return FormerTemplate(
        template=row.template, knowledge=row.knowledge, learned_at=moment_or_none(row.learned_at),
        retired_at=moment_of(row.retired_at), reason=row.reason,
    )
