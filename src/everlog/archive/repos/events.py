"""The ledger of what happened to blogs and their posts. Rows are added and never changed."""

from __future__ import annotations

import json
from contextlib import suppress
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from sqlalchemy import func, select

from everlog.archive.db import schema
from everlog.archive.db.column_values import moment_of, stamp, storable
from everlog.archive.repos.posts import post_id_of
from everlog.records import Event

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import datetime

    from sqlalchemy import ColumnElement, Connection, Row, Select

    from everlog.archive.db.database import Database

AT_ONCE = 500
# A version's record begins with the address of its post, and addresses are shorter than this.
_OPENING = '{"url": '
_HEAD = 4_000
# What happens to the text of a post, and not only to its page.
OF_TEXT = ("edited", "comments", "emptied", "back")

_events, _posts, _versions = schema.events, schema.posts, schema.versions


def note_events(database: Database, events: Sequence[Event]) -> None:
    """Add to the ledger, in one transaction."""
    if events:
        with database.writing() as connection:
            insert_events(connection, database, events)


def insert_events(connection: Connection, database: Database, events: Sequence[Event]) -> None:
    """Add to the ledger within a transaction of the caller's."""
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


def record_head() -> ColumnElement[str]:
    """So much of a version's record as holds the address of its post: articles are long."""
    return func.substr(_versions.c.record, 1, _HEAD)


def url_in(head: str | None, key: str | None) -> str | None:
    """The address of a post, from the beginning of its record; else the key, which is one without its scheme.

    >>> url_in('{"url": "https://a.example/x", "fetched": nu', "a.example/x"), url_in(None, "a.example/x")
    ('https://a.example/x', 'http://a.example/x')
    """
    if head is not None and head.startswith(_OPENING):
        with suppress(ValueError):
            return str(json.JSONDecoder().raw_decode(head, len(_OPENING))[0])
    return None if key is None else f"http://{key}"


def all_events(
    database: Database, *, blog_id: int | None, post_url: str | None, kinds: Sequence[str] | None,
    since: datetime | None, limit: int | None,
) -> Iterator[Event]:
    """The ledger, newest last; `limit` keeps the newest. Read in parts, so that memory stays flat."""
    statement = _select()
    if blog_id is not None:
        statement = statement.where(_events.c.blog_id == blog_id)
    if post_url is not None:
        with database.reading() as connection:
            statement = statement.where(_events.c.post_id == (post_id_of(connection, post_url) or 0))
    if kinds is not None:
        statement = statement.where(_events.c.kind.in_(list(kinds)))
    if since is not None:
        statement = statement.where(_events.c.at >= stamp(since))
    if limit is None:
        yield from _in_order(database, statement)
        return
    with database.reading() as connection:
        rows = connection.execute(statement.order_by(_events.c.id.desc()).limit(limit)).all()
    yield from (_event(row) for row in reversed(rows))


def _in_order(database: Database, statement: Select[Any]) -> Iterator[Event]:
    after = 0
    while True:
        with database.reading() as connection:
            part = statement.where(_events.c.id > after).order_by(_events.c.id).limit(AT_ONCE)
            rows = connection.execute(part).all()
        if not rows:
            return
        yield from (_event(row) for row in rows)
        after = rows[-1].id


def _select() -> Select[Any]:
    is_current = (_versions.c.post_id == _posts.c.id) & (_versions.c.version == _posts.c.version)
    return (
        select(_events, _posts.c.key, record_head().label("head"))
        .join_from(_events, _posts, _posts.c.id == _events.c.post_id, isouter=True)
        .join(_versions, is_current, isouter=True)
    )


def _event(row: Row[Any]) -> Event:
    return Event(
        id=row.id, blog_id=row.blog_id, kind=row.kind, at=moment_of(row.at), reason=row.reason, post_id=row.post_id,
        url=url_in(row.head, row.key), detail=MappingProxyType(json.loads(row.detail or "{}")),
    )
