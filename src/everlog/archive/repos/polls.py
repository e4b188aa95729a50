"""Poll repository: when each blog's feed is asked again, and who is asking just now.

Watchers share the work by leases: a watcher claims what is due in one transaction, says from time to time that it is
still alive, and gives each blog back with the time of its next poll. What a watcher that died had claimed falls due
again when its lease ends.

In a fleet a feed is in one job at a time (`polls.job_id`). It leaves when it was asked, or when its job ends; one whose
host is busy goes on to a job that waits for that host.
"""

from __future__ import annotations

import json
from datetime import datetime, timedelta
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from sqlalchemy import ColumnElement, Connection, Row, Select, bindparam, func, select

from everlog.archive.db import schema
from everlog.archive.db.column_values import moment_or_none, stamp, stamp_or_none, storable_or_none
from everlog.archive.db.database import Database, in_parts
from everlog.archive.job_models import Job, NewJob
from everlog.archive.models import Poll
from everlog.archive.repos.blogs import blog_of
from everlog.archive.repos.job_rows import insert_jobs, written_out
from everlog.core.urls import host_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from everlog.records import Blog

_polls, _blogs, _grants = schema.polls, schema.blogs, schema.grants

# Feeds that are put into jobs in one transaction: their rows are locked for as long as that takes, some tenths of a
# second.
_AT_ONCE = 5_000
# A feed whose blog is not watched at the moment is looked at again after this long: it would stand in the way.
_UNWATCHED = timedelta(hours=1)
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
_ASKED = _polls.update().where(
    _polls.c.blog_id == bindparam("the_blog"),
    _polls.c.job_id == select(_grants.c.job_id).where(_grants.c.fence == bindparam("fence")).scalar_subquery(),
).values({**{name: bindparam(name) for name in OF_A_POLL}, "job_id": None})


class PollRepository:
    """The polls of blogs that are watched."""

    def __init__(self, database: Database) -> None:
        self.database = database

    def not_planned(self, *, limit: int) -> tuple[Blog, ...]:
        """Blogs that are to be watched and have no time for it: never had, or lost it when they were given up."""
        statement = (
            select(_blogs).join(_polls, _polls.c.blog_id == _blogs.c.id, isouter=True)
            .where(*WATCHED, _polls.c.due_at.is_(None)).order_by(_blogs.c.id).limit(limit)
        )
        with self.database.reading() as connection:
            return tuple(blog_of(row) for row in connection.execute(statement))

    def add(self, polls: Sequence[Poll]) -> None:
        """Times for blogs that have none; those of others are left alone."""
        if not polls:
            return
        with self.database.writing() as connection:
            statement = self.database.insert(_polls)
            statement = statement.on_conflict_do_update(
                index_elements=["blog_id"], set_={name: statement.excluded[name] for name in OF_A_POLL},
                where=_polls.c.due_at.is_(None),
            )
            rows = [values_of(poll) | {"blog_id": poll.blog_id} for poll in polls]
            connection.execute(statement, sorted(rows, key=itemgetter("blog_id")))

    def set(self, poll: Poll) -> None:
        """A new time for a blog, whoever is asking it; it stays in the job that it is in."""
        with self.database.writing() as connection:
            statement = self.database.insert(_polls)
            values = values_of(poll)
            connection.execute(
                statement.on_conflict_do_update(index_elements=["blog_id"], set_=values),
                values | {"blog_id": poll.blog_id},
            )

    def claim(self, owner: str, *, now: datetime, until: datetime, limit: int) -> tuple[tuple[Poll, Blog], ...]:
        """The blogs that are due and nobody else's, the longest due first; they are this owner's until then."""
        statement = (
            select(_polls, *(column.label(f"of_{column.name}") for column in _blogs.c))
            .join(_blogs, _blogs.c.id == _polls.c.blog_id)
            .where(_polls.c.due_at <= stamp(now), *free(now), *WATCHED).order_by(_polls.c.due_at).limit(limit)
        )
        with self.database.reading() as connection:
            # Most looks find nothing, and looking takes no lock.
            if connection.execute(statement.with_only_columns(_polls.c.blog_id).limit(1)).first() is None:
                return ()
        with self.database.writing() as connection:
            # What another claims at this moment is not waited for.
            rows = connection.execute(statement.with_for_update(of=_polls, skip_locked=True)).all()
            claimed = [row.blog_id for row in rows]
            connection.execute(
                _polls.update().where(_polls.c.blog_id.in_(claimed)).values(lease=owner, lease_until=stamp(until)),
            )
        return tuple((poll_of_row(row), blog_of(row, prefix="of_")) for row in rows)

    def renew(self, owner: str, *, until: datetime) -> None:
        """The word that an owner is alive: what it has claimed stays its own until then."""
        with self.database.writing() as connection:
            connection.execute(_polls.update().where(_of_owner(owner)).values(lease_until=stamp(until)))

    def release(self, owner: str, polls: Sequence[Poll] = ()) -> None:
        """Claimed blogs with the times of their next polls; without any, all that the owner has, as they were."""
        with self.database.writing() as connection:
            if polls:
                rows = [values_of(poll) | {"the_blog": poll.blog_id, "owner": owner} for poll in polls]
                connection.execute(_GIVE_BACK, sorted(rows, key=itemgetter("the_blog")))
            else:
                connection.execute(_polls.update().where(_of_owner(owner)).values(lease=None, lease_until=None))

    def of(self, blog_id: int) -> Poll | None:
        """When a blog is asked again; None before it was watched."""
        with self.database.reading() as connection:
            row = connection.execute(select(_polls).where(_polls.c.blog_id == blog_id)).first()
        return None if row is None else poll_of_row(row)

    def next_due(self, *, now: datetime) -> datetime | None:
        """When the next blog falls due that nobody is asking now; None if none will."""
        statement = (
            select(_polls.c.due_at).join(_blogs, _blogs.c.id == _polls.c.blog_id)
            .where(_polls.c.due_at.is_not(None), *free(now), *WATCHED).order_by(_polls.c.due_at).limit(1)
        )
        with self.database.reading() as connection:
            return moment_or_none(connection.scalar(statement))

    def count_due(self, *, now: datetime) -> int:
        """How many blogs are due."""
        with self.database.reading() as connection:
            return connection.scalar(count_due(now)) or 0

    def count_watched(self) -> int:
        """How many blogs are watched at all."""
        with self.database.reading() as connection:
            return connection.scalar(_count_watched()) or 0

    def schedule(self, *, now: datetime, batch: int, most: int) -> tuple[Job, ...]:
        """Jobs for up to `most` due feeds, `batch` feeds each, the longest due first; a feed is in one at a time."""
        jobs: list[Job] = []
        left = most
        while left > 0:
            with self.database.writing(fenced=False) as connection:
                picked = connection.execute(due_feeds(now, min(left, _AT_ONCE))).scalars().all()
                feeds = _watched(connection, picked)
                idle = set(picked) - {blog_id for _, blog_id in feeds}
                put_off(connection, sorted(idle), stamp(now + _UNWATCHED))
                if feeds:
                    groups = _batches(sorted(feeds), batch)
                    polls = [NewJob(kind="poll", blog_ids=ids) for ids in groups]
                    jobs += [job for _, job in insert_jobs(connection, self.database, polls)]
            left -= len(feeds)
            if not picked:
                break
        return tuple(jobs)

    def of_job(self, fence: int) -> tuple[tuple[Poll, Blog], ...]:
        """The feeds of a leased job that are still in it and watched: due when they were put in, not asked since."""
        statement = (
            select(_polls, *(column.label(f"of_{column.name}") for column in _blogs.c))
            .join(_blogs, _blogs.c.id == _polls.c.blog_id).join(_grants, _grants.c.job_id == _polls.c.job_id)
            .where(_grants.c.fence == fence, *WATCHED).order_by(_polls.c.due_at)
        )
        with self.database.reading() as connection:
            return tuple((poll_of_row(row), blog_of(row, prefix="of_")) for row in connection.execute(statement))

    def end(self, fence: int, polls: Sequence[Poll]) -> None:
        """Feeds of a leased job that were asked, with their next times; they leave the job."""
        if polls:
            with self.database.writing() as connection:
                connection.execute(
                    _ASKED, [values_of(poll) | {"the_blog": poll.blog_id, "fence": fence} for poll in polls],
                )


def _of_owner(owner: str) -> ColumnElement[bool]:
    # Taken in one order by whoever takes several, so that nobody waits for another in a circle.
    mine = select(_polls.c.blog_id).where(_polls.c.lease == owner).order_by(_polls.c.blog_id).with_for_update()
    return _polls.c.blog_id.in_(mine)


def count_due(now: datetime) -> Select[int]:
    """How many blogs are due."""
    return _count_watched().where(_polls.c.due_at <= stamp(now))


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


def due_feeds(now: datetime, limit: int) -> Select[Any]:
    """The blogs whose feeds have been due longest and are nobody's, in the order of an index; who picks has them."""
    return (
        select(_polls.c.blog_id).where(_polls.c.due_at <= stamp(now), *free(now))
        .order_by(_polls.c.due_at, _polls.c.blog_id).limit(limit).with_for_update(skip_locked=True)
    )


def hosts_of_job(connection: Connection, job_id: int) -> dict[str, list[int]]:
    """The blogs whose feeds are in a job, by the host that is asked for the feed."""
    statement = (
        select(_polls.c.blog_id, _blogs.c.home, _blogs.c.feed_url)
        .join(_blogs, _blogs.c.id == _polls.c.blog_id).where(_polls.c.job_id == job_id, *WATCHED)
    )
    hosts: dict[str, list[int]] = {}
    for row in connection.execute(statement):
        hosts.setdefault(_host(row), []).append(row.blog_id)
    return hosts


def put_off(connection: Connection, blog_ids: Sequence[int], due_at: str) -> None:
    """Feeds that leave their job, if they are in one, and fall due at another time."""
    for part in in_parts(blog_ids):
        connection.execute(_polls.update().where(_polls.c.blog_id.in_(part)).values(job_id=None, due_at=due_at))


def let_go_some(connection: Connection, blog_ids: Sequence[int]) -> None:
    """Feeds that leave their job, due as they were."""
    for part in in_parts(blog_ids):
        connection.execute(_polls.update().where(_polls.c.blog_id.in_(part)).values(job_id=None))


def let_go(connection: Connection, job_id: int, *, due_at: str | None = None) -> None:
    """All feeds that are still in a job leave it; they are due as they were, or at another time."""
    values = {"job_id": None} if due_at is None else {"job_id": None, "due_at": due_at}
    connection.execute(_polls.update().where(_polls.c.job_id == job_id).values(values))


def _watched(connection: Connection, blog_ids: Sequence[int]) -> list[tuple[str, int]]:
    """Of the picked blogs those that are watched, with their hosts.

    Asked for by their numbers, in parts: joined to the pick, a planner reads all blogs as soon as that looks cheaper.
    """
    feeds = []
    for part in in_parts(blog_ids):
        which = _blogs.c.id.in_(written_out(part))
        statement = select(_blogs.c.id, _blogs.c.home, _blogs.c.feed_url).where(which, *WATCHED)
        feeds += [(_host(row), row.id) for row in connection.execute(statement)]
    return feeds


def _host(row: Any) -> str:
    return host_of(row.feed_url or row.home)


def _batches(feeds: Iterable[tuple[str, int]], most: int) -> Iterator[tuple[int, ...]]:
    """Blogs in batches; those of one host are in one, unless they are too many for it.

    >>> list(_batches([("a", 1), ("a", 2), ("b", 3), ("b", 4), ("c", 5)], 3))
    [(1, 2), (3, 4, 5)]
    >>> list(_batches([("a", 1), ("b", 2), ("b", 3), ("b", 4)], 2))
    [(1,), (2, 3), (4,)]
    """
    batch: list[int] = []
    for _, group in groupby(feeds, key=lambda feed: feed[0]):
        blogs = [blog_id for _, blog_id in group]
        if batch and len(batch) + len(blogs) > most:
            yield tuple(batch)
            batch = []
        batch += blogs
        while len(batch) > most:
            yield tuple(batch[:most])
            batch = batch[most:]
    if batch:
        yield tuple(batch)
