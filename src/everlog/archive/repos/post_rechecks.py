"""Recheck repository: when the pages of posts are looked at again, although no feed speaks of them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Connection, bindparam, func, select

from everlog.archive.db import schema
from everlog.archive.db.column_values import moment_of, stamp, storable
from everlog.archive.db.database import Database, in_parts
from everlog.archive.repos.post_parts import IS_CURRENT, record_head, url_in
from everlog.schedule.liveness import Missing, next_look_at_missing
from everlog.schedule.rechecks import FIRST, first_rechecks, next_recheck

_posts, _rechecks, _events, _versions = schema.posts, schema.rechecks, schema.events, schema.versions
# After these a post is likely to change again soon.
_CHANGES = ("edited", "comments", "back")
_SET_DUE = (
    _rechecks.update().where(_rechecks.c.post_id == bindparam("the_post")).values(due_at=bindparam("the_moment"))
)


class RecheckRepository:
    """When the page of each post is looked at again."""

    def __init__(self, database: Database) -> None:
        self.database = database

    def plan(self, blog_id: int, *, now: datetime, most: timedelta) -> None:
        """When the posts of a blog are looked at again: those never planned, and sooner if missing or just changed."""
        with self.database.writing() as connection:
            _plan_new(connection, self.database, blog_id, now, most)
            _plan_sooner(connection, blog_id, now)

    def take(self, blog_id: int, *, now: datetime, most: timedelta, limit: int) -> tuple[tuple[str, str], ...]:
        """The keys and addresses of posts to look at now, the longest due first; each gets its next time."""
        due = (
            select(_posts.c.id, _posts.c.key, _posts.c.found_at, record_head().label("head"))
            .join_from(_rechecks, _posts, _posts.c.id == _rechecks.c.post_id)
            .join(_versions, IS_CURRENT)
            .where(_rechecks.c.blog_id == blog_id, _rechecks.c.due_at <= stamp(now))
            .order_by(_rechecks.c.due_at, _posts.c.id)
            .limit(limit)
            .with_for_update(of=_rechecks, skip_locked=True)
        )
        if not self.has_due(blog_id, now=now):
            return ()
        with self.database.writing() as connection:
            rows = connection.execute(due).all()
            if not rows:
                return ()
            changed = _changed(connection, [row.id for row in rows])
            connection.execute(_SET_DUE, [
                {
                    "the_post": row.id,
                    "the_moment": stamp(next_recheck(
                        moment_of(max(row.found_at, changed.get(row.id, ""))), now, most, number=row.id,
                    )),
                }
                for row in sorted(rows, key=lambda row: int(row.id))
            ])
        return tuple((row.key, url_in(row.head, row.key) or "") for row in rows)

    def has_due(self, blog_id: int, *, now: datetime) -> bool:
        """Whether any post of a blog is to be looked at now."""
        statement = select(_rechecks.c.post_id).where(_rechecks.c.blog_id == blog_id, _rechecks.c.due_at <= stamp(now))
        with self.database.reading() as connection:
            return connection.execute(statement.limit(1)).first() is not None

    def make_due(self, blog_id: int, keys: Sequence[str], *, at: datetime) -> None:
        """These posts are looked at no later than at this time."""
        with self.database.writing() as connection:
            for part in in_parts([storable(key) for key in keys]):
                ids = select(_posts.c.id).where(_posts.c.blog_id == blog_id, _posts.c.key.in_(part))
                connection.execute(
                    _rechecks.update()
                    .where(_rechecks.c.post_id.in_(ids), _rechecks.c.due_at > stamp(at)).values(due_at=stamp(at)),
                )


def _plan_new(
    connection: Connection, database: Database, blog_id: int, now: datetime, most: timedelta,
) -> None:
    unplanned = (
        select(_posts.c.id, _posts.c.found_at)
        .join(_rechecks, _rechecks.c.post_id == _posts.c.id, isouter=True)
        .where(_posts.c.blog_id == blog_id, _rechecks.c.post_id.is_(None))
        .order_by(_posts.c.published.desc().nulls_last(), _posts.c.id)
    )
    rows = connection.execute(unplanned).all()
    if not rows:
        return
    found = moment_of(max(row.found_at for row in rows))
    times = first_rechecks(found, now, most, len(rows))
    # Who plans the same blog at the same moment comes to the same times.
    connection.execute(database.insert(_rechecks).on_conflict_do_nothing(index_elements=["post_id"]), [
        {"post_id": row.id, "blog_id": blog_id, "due_at": stamp(moment)}
        for row, moment in zip(rows, times, strict=True)
    ])


def _plan_sooner(connection: Connection, blog_id: int, now: datetime) -> None:
    sooner: defaultdict[int, list[str]] = defaultdict(list)
    missing = select(_posts).where(
        _posts.c.blog_id == blog_id, _posts.c.missing_since.is_not(None), _posts.c.gone.is_(None),
    )
    for row in connection.execute(missing):
        known = Missing(since=moment_of(row.missing_since), looks=row.missing_tries or 1)
        moment = next_look_at_missing(known)
        if moment is not None:
            sooner[row.id].append(stamp(moment))
    latest = (
        select(_events.c.post_id, func.max(_events.c.at).label("at"))
        .where(_events.c.blog_id == blog_id, _events.c.kind.in_(_CHANGES), _events.c.at >= stamp(now - FIRST))
        .group_by(_events.c.post_id)
    )
    for row in connection.execute(latest):
        sooner[row.post_id].append(stamp(moment_of(row.at) + FIRST))
    planned: dict[int, str] = {}
    for part in in_parts(sorted(sooner)):
        rows = connection.execute(select(_rechecks).where(_rechecks.c.post_id.in_(part)))
        planned |= {row.post_id: row.due_at for row in rows}
    values: list[dict[str, Any]] = [
        {"the_post": post_id, "the_moment": min(times)}
        for post_id, times in sorted(sooner.items()) if post_id in planned and min(times) < planned[post_id]
    ]
    if values:
        connection.execute(_SET_DUE, values)


def _changed(connection: Connection, post_ids: Sequence[int]) -> dict[int, str]:
    """When each of these posts changed last, those that did."""
    statement = (
        select(_events.c.post_id, func.max(_events.c.at).label("at"))
        .where(_events.c.post_id.in_(post_ids), _events.c.kind.in_(_CHANGES))
        .group_by(_events.c.post_id)
    )
    return {row.post_id: row.at for row in connection.execute(statement)}
