"""Event repository: the event log of blogs and their posts. Rows are added and never changed."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from types import MappingProxyType
from typing import Any

from sqlalchemy import Connection, Row, Select, select

from everlog.archive.db import schema
from everlog.archive.db.column_values import moment_of, stamp, storable
from everlog.archive.db.database import Database, in_pages
from everlog.archive.repos.post_parts import IS_CURRENT, post_id_of, record_head, url_in
from everlog.core.moments import Moment, as_moment_or_none
from everlog.records import Event

# What happens to the text of a post, and not only to its page.
OF_TEXT = ("edited", "comments", "emptied", "back")

_events, _posts, _versions = schema.events, schema.posts, schema.versions
_ALL = (
    select(_events, _posts.c.key, record_head().label("head"))
    .join_from(_events, _posts, _posts.c.id == _events.c.post_id, isouter=True)
    .join(_versions, IS_CURRENT, isouter=True)
)


class EventRepository:
    """The event log: what happened to blogs and posts."""

    def __init__(self, database: Database) -> None:
        self.database = database

    def add(self, events: Sequence[Event]) -> None:
        """Add events to the log; what a visit means for its post is added as it is stored."""
        if events:
            with self.database.writing() as connection:
                insert_events(connection, self.database, events)

    def __call__(
        self, *, blog_id: int | None = None, post_url: str | None = None, kinds: Sequence[str] | None = None,
        since: Moment | None = None, before: int | None = None, limit: int | None = None,
    ) -> Iterator[Event]:
        """The event log, newest last; `limit` keeps the newest. Read in parts, so that memory stays flat.

        `before` is the number of an event: only what was noticed earlier.
        """
        statement = _ALL
        if blog_id is not None:
            statement = statement.where(_events.c.blog_id == blog_id)
        if post_url is not None:
            with self.database.reading() as connection:
                statement = statement.where(_events.c.post_id == (post_id_of(connection, post_url) or 0))
        if kinds is not None:
            statement = statement.where(_events.c.kind.in_(list(kinds)))
        since = as_moment_or_none(since)
        if since is not None:
            statement = statement.where(_events.c.at >= stamp(since))
        if before is not None:
            statement = statement.where(_events.c.id < before)
        if limit is None:
            return self._in_order(statement)
        with self.database.reading() as connection:
            rows = connection.execute(statement.order_by(_events.c.id.desc()).limit(limit)).all()
        return (_event(row) for row in reversed(rows))

    def _in_order(self, statement: Select[Any]) -> Iterator[Event]:
        return (_event(row) for row in in_pages(self.database, statement, _events.c.id))


def insert_events(connection: Connection, database: Database, events: Sequence[Event]) -> None:
    """Add events to the log, within a transaction of the caller's."""
    if not events:
        return
    numbers = database.reserve(connection, _events, len(events))
    connection.execute(_events.insert(), [
        {
            "id": number, "blog_id": event.blog_id, "post_id": event.post_id, "kind": event.kind,
            "at": stamp(event.at), "reason": storable(event.reason),
            "detail": storable(json.dumps(dict(event.detail), ensure_ascii=False)) if event.detail else None,
        }
        for number, event in zip(numbers, events, strict=True)
    ])


def last_of_text(connection: Connection, post_ids: set[int]) -> dict[int | None, str]:
    """The last thing that happened to the text of each of these posts."""
    statement = (
        select(_events.c.post_id, _events.c.kind)
        .where(_events.c.post_id.in_(post_ids), _events.c.kind.in_(OF_TEXT))
        .order_by(_events.c.id)
    )
    return {post_id: kind for post_id, kind in connection.execute(statement)}  # noqa: C416 - rows are not pairs


def _event(row: Row[Any]) -> Event:
    return Event(
        id=row.id, blog_id=row.blog_id, kind=row.kind, at=moment_of(row.at), reason=row.reason, post_id=row.post_id,
        url=url_in(row.head, row.key), detail=MappingProxyType(json.loads(row.detail or "{}")),
    )
