"""The queue, and what became of its URLs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import and_, func, not_, or_, select, true

from everlog.archive.db import schema
from everlog.archive.db.column_values import moment_of, moment_or_none, stamp, storable
from everlog.archive.db.database import in_parts
from everlog.archive.models import Counts, Problem
from everlog.archive.repos.figures import IS_LEFT_OUT, IS_MISSING
from everlog.records import Link

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import datetime

    from sqlalchemy import ColumnElement, Connection, Row, Select, Table

    from everlog.archive.db.database import Database
    from everlog.records import Lane

# Rows are read in parts of this size, so that a reader neither fills the memory nor holds a
# transaction open for as long as its caller takes.
AT_ONCE = 500
# Answers that ask for another try: too slow, too early, too often.
_PASSING = (408, 425, 429)

_urls = schema.urls
# Failures for which the server, or the way to it, was at fault.
PASSING: ColumnElement[bool] = or_(_urls.c.status.is_(None), _urls.c.status.in_(_PASSING), _urls.c.status >= 500)


def queued(
    database: Database, blog_id: int, lane: Lane, *, limit: int, now: datetime, after_id: int, put_off: bool = False,
) -> tuple[tuple[int, Link], ...]:
    """Waiting URLs in the order of rows: those that were not put off for others, or only those that were."""
    # A server that wanted to be left alone says when its time comes; only what waits for another page has none.
    waits_for_others = and_(func.coalesce(_urls.c.outcome, "") == "retry", _urls.c.again_at.is_(None))
    statement = (
        select(_urls)
        .where(
            _urls.c.blog_id == blog_id, _urls.c.state == "queued", _urls.c.lane == lane, _urls.c.id > after_id,
            or_(_urls.c.again_at.is_(None), _urls.c.again_at <= stamp(now)),
            waits_for_others if put_off else not_(waits_for_others),
        )
        .order_by(_urls.c.id)
        .limit(limit)
    )
    with database.reading() as connection:
        return tuple(
            (row.id, Link(url=row.url, key=row.key, lane=row.lane, found_on=row.found_on, rank=row.rank))
            for row in connection.execute(statement)
        )


def has_waiting(database: Database, blog_id: int, *, lanes: Sequence[Lane], now: datetime) -> bool:
    """Whether any URL of a blog waits to be visited and may be asked for, or a medium is due for another try."""
    statement = select(_urls.c.id).where(
        _urls.c.blog_id == blog_id, _urls.c.lane.in_(lanes), or_(
            and_(_urls.c.state == "queued", or_(_urls.c.again_at.is_(None), _urls.c.again_at <= stamp(now))),
            and_(_urls.c.state == "failed", _urls.c.lane == "media", _urls.c.again_at <= stamp(now)),
        ),
    )
    with database.reading() as connection:
        return connection.execute(statement.limit(1)).first() is not None


def known_keys(database: Database, blog_id: int) -> Iterator[str]:
    """The canonical spellings of all URLs ever queued."""
    return (row.key for row in _rows(database, select(_urls.c.id, _urls.c.key).where(_urls.c.blog_id == blog_id)))


def seen_pages(database: Database, blog_id: int, *, limit: int) -> tuple[tuple[str, int], ...]:
    """The latest visited pages, in order of time."""
    statement = (
        select(_urls.c.url, _urls.c.new_posts)
        .where(_urls.c.blog_id == blog_id, _urls.c.state == "done", _urls.c.lane.in_(["page", "post"]))
        .order_by(_urls.c.visited_at.desc(), _urls.c.id.desc())
        .limit(limit)
    )
    with database.reading() as connection:
        return tuple((row.url, row.new_posts) for row in reversed(connection.execute(statement).all()))


def requeue_failed(database: Database, blog_id: int, *, now: datetime, most_tries: int | None) -> int:
    """Another chance for URLs whose server, or the way to it, was at fault: pages a few times, media when due."""
    few = true() if most_tries is None else _urls.c.tries < most_tries
    has_schedule = and_(_urls.c.lane == "media", _urls.c.again_at.is_not(None))
    with database.writing() as connection:
        return connection.execute(
            _urls.update()
            .where(
                _urls.c.blog_id == blog_id, _urls.c.state == "failed",
                or_(and_(has_schedule, _urls.c.again_at <= stamp(now)), and_(not_(has_schedule), PASSING, few)),
            )
            .values(state="queued", again_at=None),
        ).rowcount


def requeue(database: Database, blog_id: int, keys: Sequence[str]) -> int:
    """Visit these URLs again; what they gave before stays until they give something new."""
    with database.writing() as connection:
        return sum(
            connection.execute(
                _urls.update()
                .where(_urls.c.blog_id == blog_id, _urls.c.state != "queued", _urls.c.key.in_(part))
                .values(state="queued", again_at=None),
            ).rowcount
            for part in in_parts([storable(key) for key in keys])
        )


def row_state(database: Database, blog_id: int, key: str) -> tuple[str, int] | None:
    """The state of a URL (queued, done or failed) and how often it was tried; None if it is not known."""
    statement = select(_urls.c.state, _urls.c.tries).where(_urls.c.blog_id == blog_id, _urls.c.key == storable(key))
    with database.reading() as connection:
        row = connection.execute(statement).one_or_none()
    return (row.state, row.tries) if row else None


def count_failing(database: Database, blog_id: int) -> int:
    """How many posts and pages are not held because their server, or the way to it, was at fault."""
    with database.reading() as connection:
        return _count(
            connection, _urls, _urls.c.blog_id == blog_id, _urls.c.state == "failed", _urls.c.lane != "media", PASSING,
        )


def waits_until(database: Database, blog_id: int) -> datetime | None:
    """When the first of the posts and pages may be asked for whose server wanted to be left alone."""
    statement = select(func.min(_urls.c.again_at)).where(
        _urls.c.blog_id == blog_id, _urls.c.state == "queued", _urls.c.lane != "media", _urls.c.again_at.is_not(None),
    )
    with database.reading() as connection:
        moment = connection.execute(statement).scalar_one_or_none()
    return moment_of(moment) if moment else None


def media_held_off(database: Database, blog_id: int, *, now: datetime) -> tuple[int, datetime | None]:
    """How many pictures and files wait because their hosts wanted to be left alone, and for the first until when."""
    statement = select(func.count(), func.min(_urls.c.again_at)).where(
        _urls.c.blog_id == blog_id, _urls.c.state == "queued", _urls.c.lane == "media", _urls.c.again_at > stamp(now),
    )
    with database.reading() as connection:
        count, moment = connection.execute(statement).one()
    return count, moment_or_none(moment)


def set_aside(database: Database, blog_id: int, *, reason: str) -> int:
    """Pages that still wait are not going to be visited."""
    with database.writing() as connection:
        return connection.execute(
            _urls.update()
            .where(_urls.c.blog_id == blog_id, _urls.c.state == "queued", _urls.c.lane == "page")
            .values(state="done", outcome="skip", reason=reason),
        ).rowcount


def fruitful_pages(database: Database, blog_id: int) -> Iterator[str]:
    """The keys of lists, and of other pages that led to new posts when they were visited last."""
    statement = select(_urls.c.id, _urls.c.key).where(
        _urls.c.blog_id == blog_id, _urls.c.lane == "page", _urls.c.state == "done",
        or_(_urls.c.new_posts > 0, _urls.c.outcome.in_(["listing", "unchanged"])),
    )
    return (row.key for row in _rows(database, statement))


def problems(database: Database, blog_id: int) -> Iterator[Problem]:
    """Addresses that are not held: they are missing, as the figures count them, or were left out for a reason."""
    statement = select(_urls, IS_MISSING.label("is_missing")).where(
        _urls.c.blog_id == blog_id, or_(IS_MISSING, IS_LEFT_OUT),
    )
    for row in _rows(database, statement):
        yield Problem(
            url=row.url, lane=row.lane, outcome=row.outcome, reason=_without_address(row.reason or "", row.url),
            tries=row.tries, is_missing=bool(row.is_missing),
            again_at=moment_or_none(row.again_at),
        )


def _without_address(reason: str, url: str) -> str:
    """Why an address is not held, without naming it again.

    >>> _without_address("HTTP 404 Not Found at http://a.org/b", "http://a.org/b")
    'HTTP 404 Not Found'
    >>> _without_address("timed out after 30 s: http://a.org/b", "http://a.org/b")
    'timed out after 30 s'
    """
    short = reason.removeprefix(url).removeprefix(":").removesuffix(url).rstrip(": ").strip()
    return short.removesuffix(" at").removesuffix(" for") or reason


def notes(database: Database, blog_id: int) -> Iterator[tuple[str, str]]:
    """URLs with a note, and the note."""
    statement = select(_urls.c.id, _urls.c.url, _urls.c.note).where(
        _urls.c.blog_id == blog_id, _urls.c.note.is_not(None),
    )
    return ((row.url, row.note) for row in _rows(database, statement))


def counts(database: Database, blog_id: int) -> Counts:
    """What is held of a blog, and what still waits."""
    posts, versions, aliases, media = schema.posts, schema.versions, schema.aliases, schema.media
    of_blog = _urls.c.blog_id == blog_id
    with database.reading() as connection:
        held = connection.execute(
            select(func.count(), func.sum(posts.c.comments)).where(posts.c.blog_id == blog_id),
        ).one()
        stored = connection.execute(
            select(func.count()).select_from(versions.join(posts)).where(posts.c.blog_id == blog_id),
        ).scalar_one()
        return Counts(
            posts=held[0], versions=stored, comments=held[1] or 0,
            pages=_count(
                connection, _urls, of_blog, _urls.c.state == "done", _urls.c.lane.in_(["page", "post"]),
                func.coalesce(_urls.c.outcome, "") != "feed",
            ),
            media=_count(connection, media, media.c.blog_id == blog_id),
            aliases=_count(connection, aliases, aliases.c.blog_id == blog_id),
            queued=_tally(connection, _urls.c.lane, of_blog, _urls.c.state == "queued"),
            outcomes=_tally(connection, _urls.c.outcome, of_blog, _urls.c.outcome.is_not(None)),
            notes=_count(connection, _urls, of_blog, _urls.c.note.is_not(None)),
        )


def count_posts(database: Database, blog_id: int) -> int:
    """How many posts are held of a blog."""
    with database.reading() as connection:
        return _count(connection, schema.posts, schema.posts.c.blog_id == blog_id)


def row_count(database: Database, *tables: Table) -> int:
    """How many rows these tables have together."""
    with database.reading() as connection:
        return sum(_count(connection, table) for table in tables)


def _count(connection: Connection, table: Any, *where: ColumnElement[bool]) -> int:
    return connection.execute(select(func.count()).select_from(table).where(*where)).scalar_one()


def _tally(connection: Connection, column: Any, *where: ColumnElement[bool]) -> dict[str, int]:
    rows = connection.execute(select(column, func.count()).where(*where).group_by(column).order_by(column))
    return {name: count for name, count in rows}  # noqa: C416 - rows are not pairs to the type checker


def _rows(database: Database, statement: Select[Any]) -> Iterator[Row[Any]]:
    """Rows of URLs in the order of their ids, a part at a time."""
    after = 0
    while True:
        with database.reading() as connection:
            rows = connection.execute(statement.where(_urls.c.id > after).order_by(_urls.c.id).limit(AT_ONCE)).all()
        if not rows:
            return
        yield from rows
        after = rows[-1].id
