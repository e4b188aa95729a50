"""When each blog's feed is asked again, and who is asking just now.

Watchers share the work by leases: a watcher claims what is due in one transaction, says from time to time that it is
still alive, and gives each blog back with the time of its next poll. What a watcher that died had claimed falls due
again when its lease ends.
"""

from __future__ import annotations

import json
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from sqlalchemy import bindparam, func, select

from everlog.archive.db import schema
from everlog.archive.db.column_values import moment_or_none, stamp, stamp_or_none, storable_or_none
from everlog.archive.models import Poll
from everlog.archive.repos.blogs import blog_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from sqlalchemy import ColumnElement, Row, Select

    from everlog.archive.db.database import Database
    from everlog.records import Blog

_polls, _blogs = schema.polls, schema.blogs
# A blog is watched from its first whole crawl on, until it is forgotten or gone.
WATCHED = (_blogs.c.forgotten_at.is_(None), _blogs.c.gone.is_(None), _blogs.c.state == "finished")

# What a poll says anew.
OF_A_POLL = ("due_at", "state", "etag", "last_modified", "digest")
# Whose lease has ended has nothing to say any more: another asked meanwhile.
_GIVE_BACK = _polls.update().where(
    _polls.c.blog_id == bindparam("the_blog"), _polls.c.lease == bindparam("owner"),
).values({
    **{name: bindparam(name) for name in OF_A_POLL},
    "lease": None, "lease_until": None, "job_id": None,
})


def not_polled(database: Database, *, limit: int) -> tuple[Blog, ...]:
    """Blogs that are to be watched and have no time for it: never had, or lost it when they were given up."""
    statement = (
        select(_blogs).join(_polls, _polls.c.blog_id == _blogs.c.id, isouter=True)
        .where(*WATCHED, _polls.c.due_at.is_(None)).order_by(_blogs.c.id).limit(limit)
    )
    with database.reading() as connection:
        return tuple(blog_of(row) for row in connection.execute(statement))


def add_polls(database: Database, polls: Sequence[Poll]) -> None:
    """Times for blogs that have none; those of others are left alone."""
    if not polls:
        return
    with database.writing() as connection:
        statement = database.insert(_polls)
        statement = statement.on_conflict_do_update(
            index_elements=["blog_id"], set_={name: statement.excluded[name] for name in OF_A_POLL},
            where=_polls.c.due_at.is_(None),
        )
        rows = [values_of(poll) | {"blog_id": poll.blog_id} for poll in polls]
        connection.execute(statement, sorted(rows, key=itemgetter("blog_id")))


def set_poll(database: Database, poll: Poll) -> None:
    """A new time for a blog, whoever is asking it; it stays in the job that it is in."""
    with database.writing() as connection:
        statement = database.insert(_polls)
        values = values_of(poll)
        connection.execute(
            statement.on_conflict_do_update(index_elements=["blog_id"], set_=values),
            values | {"blog_id": poll.blog_id},
        )


def claim_due(
    database: Database, owner: str, *, now: datetime, until: datetime, limit: int,
) -> tuple[tuple[Poll, Blog], ...]:
    """The blogs that are due and nobody else's, the longest due first; they are this owner's until then."""
    statement = (
        select(_polls, *(column.label(f"of_{column.name}") for column in _blogs.c))
        .join(_blogs, _blogs.c.id == _polls.c.blog_id)
        .where(_polls.c.due_at <= stamp(now), *free(now), *WATCHED).order_by(_polls.c.due_at).limit(limit)
    )
    with database.reading() as connection:
        # Most looks find nothing, and looking takes no lock.
        if connection.execute(statement.with_only_columns(_polls.c.blog_id).limit(1)).first() is None:
            return ()
    with database.writing() as connection:
        # What another claims at this moment is not waited for.
        rows = connection.execute(statement.with_for_update(of=_polls, skip_locked=True)).all()
        claimed = [row.blog_id for row in rows]
        connection.execute(
            _polls.update().where(_polls.c.blog_id.in_(claimed)).values(lease=owner, lease_until=stamp(until)),
        )
    return tuple((poll_of_row(row), blog_of(row, prefix="of_")) for row in rows)


def renew(database: Database, owner: str, *, until: datetime) -> None:
    """The word that an owner is alive: what it has claimed stays its own until then."""
    with database.writing() as connection:
        connection.execute(_polls.update().where(_of_owner(owner)).values(lease_until=stamp(until)))


def give_back(database: Database, owner: str, polls: Sequence[Poll] = ()) -> None:
    """Claimed blogs with the times of their next polls; without any, all that the owner has, as they were."""
    with database.writing() as connection:
        if polls:
            rows = [values_of(poll) | {"the_blog": poll.blog_id, "owner": owner} for poll in polls]
            connection.execute(_GIVE_BACK, sorted(rows, key=itemgetter("the_blog")))
        else:
            connection.execute(_polls.update().where(_of_owner(owner)).values(lease=None, lease_until=None))


def _of_owner(owner: str) -> ColumnElement[bool]:
    # Taken in one order by whoever takes several, so that nobody waits for another in a circle.
    mine = select(_polls.c.blog_id).where(_polls.c.lease == owner).order_by(_polls.c.blog_id).with_for_update()
    return _polls.c.blog_id.in_(mine)


def poll_of(database: Database, blog_id: int) -> Poll | None:
    """When a blog is asked again; None before it was watched."""
    with database.reading() as connection:
        row = connection.execute(select(_polls).where(_polls.c.blog_id == blog_id)).first()
    return None if row is None else poll_of_row(row)


def next_due(database: Database, *, now: datetime) -> datetime | None:
    """When the next blog falls due that nobody is asking now; None if none will."""
    statement = (
        select(_polls.c.due_at).join(_blogs, _blogs.c.id == _polls.c.blog_id)
        .where(_polls.c.due_at.is_not(None), *free(now), *WATCHED).order_by(_polls.c.due_at).limit(1)
    )
    with database.reading() as connection:
        return moment_or_none(connection.scalar(statement))


def count_due(database: Database, *, now: datetime) -> int:
    """How many blogs are due."""
    with database.reading() as connection:
        return connection.scalar(_count_watched().where(_polls.c.due_at <= stamp(now))) or 0


def count_watched(database: Database) -> int:
    """How many blogs are watched at all."""
    with database.reading() as connection:
        return connection.scalar(_count_watched()) or 0


def _count_watched() -> Select[int]:
    return select(func.count()).select_from(_polls.join(_blogs, _blogs.c.id == _polls.c.blog_id)).where(
        *WATCHED, _polls.c.due_at.is_not(None),
    )


def free(now: datetime) -> tuple[ColumnElement[bool], ColumnElement[bool]]:
    """Which polls are nobody's: in no job of a fleet, and claimed by no watcher that still lives."""
    return _polls.c.job_id.is_(None), _polls.c.lease_until.is_(None) | (_polls.c.lease_until <= stamp(now))


def values_of(poll: Poll) -> dict[str, Any]:
    """What a poll says, as its row has it."""
    return {
        "due_at": stamp_or_none(poll.polling.due_at), "state": json.dumps(poll.polling.to_dict(), ensure_ascii=False),
        "etag": storable_or_none(poll.etag), "last_modified": storable_or_none(poll.last_modified),
        "digest": poll.digest,
    }


def poll_of_row(row: Row[Any]) -> Poll:
    """A poll as its row tells it."""
    from everlog.schedule.poll_schedule import Polling  # noqa: PLC0415 - only who watches needs it

    return Poll(
        blog_id=row.blog_id, polling=Polling.from_dict(json.loads(row.state)), etag=row.etag,
        last_modified=row.last_modified, digest=row.digest,
    )
