"""Feeds in the jobs of a fleet: which are due, in which job each is, and what became of it.

A feed is in one job at a time (`polls.job_id`). It leaves when it was asked, or when its job ends; one whose host is
busy goes on to a job that waits for that host.
"""

from __future__ import annotations

from datetime import timedelta
from itertools import groupby
from typing import TYPE_CHECKING, Any

from sqlalchemy import bindparam, select

from everlog.archive.db import schema
from everlog.archive.db.column_values import stamp
from everlog.archive.db.database import in_parts
from everlog.archive.job_models import NewJob
from everlog.archive.repos.blogs import blog_of
from everlog.archive.repos.jobs import insert_jobs, written_out
from everlog.archive.repos.polls import OF_A_POLL, WATCHED, free, poll_of_row, values_of
from everlog.core.urls import host_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from datetime import datetime

    from sqlalchemy import Connection, Select

    from everlog.archive.db.database import Database
    from everlog.archive.job_models import Job
    from everlog.archive.models import Poll
    from everlog.records import Blog

_polls, _blogs, _grants = schema.polls, schema.blogs, schema.grants

# Feeds that are put into jobs in one transaction: their rows are locked for as long as that takes, some tenths of a
# second.
_AT_ONCE = 5_000
# A feed whose blog is not watched at the moment is looked at again after this long: it would stand in the way.
_UNWATCHED = timedelta(hours=1)

_ASKED = _polls.update().where(
    _polls.c.blog_id == bindparam("the_blog"),
    _polls.c.job_id == select(_grants.c.job_id).where(_grants.c.fence == bindparam("fence")).scalar_subquery(),
).values({**{name: bindparam(name) for name in OF_A_POLL}, "job_id": None})


def schedule_polls(database: Database, *, now: datetime, batch: int, most: int) -> tuple[Job, ...]:
    """Jobs for up to `most` due feeds, the longest due first, those of one host in one job where they fit."""
    jobs: list[Job] = []
    left = most
    while left > 0:
        with database.writing(fenced=False) as connection:
            picked = connection.execute(due_feeds(now, min(left, _AT_ONCE))).scalars().all()
            feeds = _watched(connection, picked)
            idle = set(picked) - {blog_id for _, blog_id in feeds}
            put_off(connection, sorted(idle), stamp(now + _UNWATCHED))
            if feeds:
                groups = _batches(sorted(feeds), batch)
                polls = [NewJob(kind="poll", blog_ids=ids) for ids in groups]
                jobs += [job for _, job in insert_jobs(connection, database, polls)]
        left -= len(feeds)
        if not picked:
            break
    return tuple(jobs)


def due_feeds(now: datetime, limit: int) -> Select[Any]:
    """The blogs whose feeds have been due longest and are nobody's, in the order of an index; who picks has them."""
    return (
        select(_polls.c.blog_id).where(_polls.c.due_at <= stamp(now), *free(now))
        .order_by(_polls.c.due_at, _polls.c.blog_id).limit(limit).with_for_update(skip_locked=True)
    )


def job_polls(database: Database, fence: int) -> tuple[tuple[Poll, Blog], ...]:
    """The feeds of a granted job that are still in it and watched: due when they were put in, and not asked since."""
    statement = (
        select(_polls, *(column.label(f"of_{column.name}") for column in _blogs.c))
        .join(_blogs, _blogs.c.id == _polls.c.blog_id).join(_grants, _grants.c.job_id == _polls.c.job_id)
        .where(_grants.c.fence == fence, *WATCHED).order_by(_polls.c.due_at)
    )
    with database.reading() as connection:
        return tuple((poll_of_row(row), blog_of(row, prefix="of_")) for row in connection.execute(statement))


def end_polls(database: Database, fence: int, polls: Sequence[Poll]) -> None:
    """Feeds of a granted job that were asked, with their next times; they leave the job."""
    if polls:
        with database.writing() as connection:
            connection.execute(
                _ASKED, [values_of(poll) | {"the_blog": poll.blog_id, "fence": fence} for poll in polls],
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
