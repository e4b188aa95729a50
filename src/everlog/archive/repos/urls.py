"""URL repository: the queue of each blog, and what became of its URLs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from typing import Any, Literal

from sqlalchemy import ColumnElement, Connection, Row, Select, and_, bindparam, case, func, not_, or_, select, true

from everlog.archive.db import schema
from everlog.archive.db.column_values import (
    moment_of,
    moment_or_none,
    stamp,
    stamp_now,
    stamp_or_none,
    storable,
    storable_or_none,
)
from everlog.archive.db.database import Database, RowStatement, in_pages, in_parts
from everlog.archive.models import FileRow, Problem
from everlog.archive.repos.figures import IS_HELD, IS_HELD_POST, IS_LEFT_OUT, IS_MISSING
from everlog.core.retry_policy import SERVER_ERRORS, TRY_AGAIN
from everlog.records import Lane, Link, Visit

_urls = schema.urls
# Failures for which the server, or the way to it, was at fault.
PASSING: ColumnElement[bool] = or_(
    _urls.c.status.is_(None), _urls.c.status.in_(sorted(TRY_AGAIN)), _urls.c.status >= SERVER_ERRORS,
)
_STATES = {"failed": "failed", "retry": "queued"}
_LANES = {"post": "post", "media": "media", "requisite": "requisite"}
# What pages show, and need to be shown: files, which are asked for again by a schedule of their own.
FILES: tuple[Lane, ...] = ("media", "requisite")
_IS_FILE = _urls.c.lane.in_(FILES)
_PAGES = frozenset({"listing", "page", "skip", "retry"})
# What a visit says anew about its URL.
_OF_A_VISIT = ("state", "outcome", "reason", "note", "status", "new_posts", "visited_at", "again_at")
_IDS = select(_urls.c.blog_id, _urls.c.key, _urls.c.id).where(
    _urls.c.key.in_(bindparam("keys", expanding=True)), _urls.c.blog_id.in_(bindparam("blogs", expanding=True)),
)
_LINK = ("blog_id", "key", "url", "lane", "rank", "state", "tries", "new_posts", "found_on", "queued_at")
_VISIT = (*_LINK, "outcome", "reason", "note", "status", "visited_at", "again_at")


def _new(database: Database) -> Any:
    return database.insert(_urls).on_conflict_do_nothing(index_elements=["key", "blog_id"])


def _found(database: Database) -> Any:
    """A new link; or one that was a requisite so far, and turns out to be a page, or media of an article."""
    found = database.insert(_urls)
    return found.on_conflict_do_update(
        index_elements=["key", "blog_id"],
        set_={
            "lane": found.excluded.lane, "state": "queued", "rank": found.excluded.rank, "outcome": None,
            "reason": None, "again_at": None,
        },
        where=and_(_urls.c.lane == "requisite", found.excluded.lane != "requisite"),
    )


def _visited(database: Database) -> Any:
    visited = database.insert(_urls)
    return visited.on_conflict_do_update(
        index_elements=["key", "blog_id"],
        set_={
            "lane": case((_urls.c.lane == "requisite", visited.excluded.lane), else_=_urls.c.lane),
            **{name: visited.excluded[name] for name in _OF_A_VISIT},
            # Tries that failed since the last good one: a page that was edited often is not one that fails often.
            "tries": case((visited.excluded.state == "done", 0), else_=_urls.c.tries + visited.excluded.tries),
        },
        # What was asked for as a requisite and turned out to be more meanwhile is asked for as that.
        where=or_(visited.excluded.lane != "requisite", _urls.c.lane == "requisite"),
    )


_FOUND, _READ_AGAIN, _VISITED = RowStatement(_LINK, _found), RowStatement(_VISIT, _new), RowStatement(_VISIT, _visited)


class UrlRepository:
    """The URLs of blogs: the queue, and what became of those that were visited."""

    def __init__(self, database: Database) -> None:
        self.database = database

    def enqueue(self, blog_id: int, links: Iterable[Link]) -> int:
        """Put new URLs into the queue; those known already are left alone. How many were new."""
        with self.database.writing() as connection:
            return self.add_links(connection, ((blog_id, link) for link in links))

    def add_links(self, connection: Connection, links: Iterable[tuple[int, Link]]) -> int:
        """Queue links of blogs, within a transaction of the caller's. How many were new."""
        now = stamp_now()
        rows = [
            {
                "blog_id": blog_id, "key": storable(link.key), "url": storable(link.url), "lane": link.lane,
                "rank": link.rank, "state": "queued", "tries": 0, "new_posts": 0,
                "found_on": storable_or_none(link.found_on), "queued_at": now,
            }
            for blog_id, link in links
        ]
        return _FOUND.run(connection, self.database, rows)

    def record_visits(self, connection: Connection, visits: Sequence[Visit]) -> dict[tuple[int, str], int]:
        """Write what visits say of their URLs, within a transaction of the caller's. Rows by blog and key."""
        now = stamp_now()
        # What is read again from the archive, or was captured by others, was not visited: its row stays as it is.
        asked: list[dict[str, Any]] = []
        read: list[dict[str, Any]] = []
        for visit in visits:
            is_visit = visit.foreign is None and (visit.exchanges or visit.post is None or visit.settles)
            (asked if is_visit else read).append(_visit_row(visit, now))
        _VISITED.run(connection, self.database, asked)
        _READ_AGAIN.run(connection, self.database, read)
        ids: dict[tuple[int, str], int] = {}
        for part in in_parts(sorted({(visit.blog_id, storable(visit.key)) for visit in visits})):
            values = {"keys": [key for _, key in part], "blogs": sorted({blog for blog, _ in part})}
            ids |= {(blog_id, key): number for blog_id, key, number in connection.execute(_IDS, values)}
        return ids

    def queued(
        self, blog_id: int, lane: Lane, *, limit: int, now: datetime, after_id: int = 0, put_off: bool = False,
    ) -> tuple[tuple[int, Link], ...]:
        """Waiting URLs with their row ids, in the order of rows, those whose `again_at` has passed.

        `put_off`: only those that were visited and wait for another page to be seen; else all but these.
        """
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
        with self.database.reading() as connection:
            return tuple(
                (row.id, Link(url=row.url, key=row.key, lane=row.lane, found_on=row.found_on, rank=row.rank))
                for row in connection.execute(statement)
            )

    def has_waiting(self, blog_id: int, *, lanes: Sequence[Lane], now: datetime) -> bool:
        """Whether any URL of a blog waits to be visited and may be asked for, or a medium is due for another try."""
        statement = select(_urls.c.id).where(
            _urls.c.blog_id == blog_id, _urls.c.lane.in_(lanes), or_(
                and_(_urls.c.state == "queued", or_(_urls.c.again_at.is_(None), _urls.c.again_at <= stamp(now))),
                and_(_urls.c.state == "failed", _IS_FILE, _urls.c.again_at <= stamp(now)),
            ),
        )
        with self.database.reading() as connection:
            return connection.execute(statement.limit(1)).first() is not None

    def known_keys(self, blog_id: int) -> Iterator[str]:
        """The canonical spellings of all URLs ever queued."""
        return (row.key for row in self._rows(select(_urls.c.id, _urls.c.key).where(_urls.c.blog_id == blog_id)))

    def requisites(self, blog_id: int) -> Iterator[str]:
        """The canonical spellings of all that pages were found to need, beside media."""
        statement = select(_urls.c.id, _urls.c.key).where(_urls.c.blog_id == blog_id, _urls.c.lane == "requisite")
        return (row.key for row in self._rows(statement))

    def rows_of(self, blog_id: int, keys: Iterable[str]) -> dict[str, FileRow]:
        """What is known of some addresses, by their keys; those that are not known are left out."""
        columns = (_urls.c.key, _urls.c.lane, _urls.c.state, _urls.c.outcome, _urls.c.status, _urls.c.visited_at)
        found: dict[str, FileRow] = {}
        with self.database.reading() as connection:
            for part in in_parts(sorted({storable(key) for key in keys})):
                rows = connection.execute(select(*columns).where(_urls.c.key.in_(part), _urls.c.blog_id == blog_id))
                found |= {row.key: FileRow(
                    lane=row.lane, state=row.state, outcome=row.outcome, status=row.status,
                    visited_at=moment_or_none(row.visited_at),
                ) for row in rows}
        return found

    def seen_pages(self, blog_id: int, *, limit: int) -> tuple[tuple[str, int], ...]:
        """The latest visited pages, in order of time, with how many new posts each brought: for the frontier."""
        statement = (
            select(_urls.c.url, _urls.c.new_posts)
            .where(_urls.c.blog_id == blog_id, _urls.c.state == "done", _urls.c.lane.in_(["page", "post"]))
            .order_by(_urls.c.visited_at.desc(), _urls.c.id.desc())
            .limit(limit)
        )
        with self.database.reading() as connection:
            return tuple((row.url, row.new_posts) for row in reversed(connection.execute(statement).all()))

    def requeue_failed(self, blog_id: int, *, now: datetime, most_tries: int | None = None) -> int:
        """Give URLs that failed for a passing reason another chance. How many.

        Posts and pages unless they had many; media whose `again_at` has passed, however often they were tried.
        """
        few = true() if most_tries is None else _urls.c.tries < most_tries
        has_schedule = and_(_IS_FILE, _urls.c.again_at.is_not(None))
        with self.database.writing() as connection:
            return connection.execute(
                _urls.update()
                .where(
                    _urls.c.blog_id == blog_id, _urls.c.state == "failed",
                    or_(and_(has_schedule, _urls.c.again_at <= stamp(now)), and_(not_(has_schedule), PASSING, few)),
                )
                .values(state="queued", again_at=None),
            ).rowcount

    def requeue(self, blog_id: int, keys: Sequence[str]) -> int:
        """Visit these URLs again; what they gave before stays until they give something new. How many."""
        with self.database.writing() as connection:
            return sum(
                connection.execute(
                    _urls.update()
                    .where(_urls.c.blog_id == blog_id, _urls.c.state != "queued", _urls.c.key.in_(part))
                    .values(state="queued", again_at=None),
                ).rowcount
                for part in in_parts([storable(key) for key in keys])
            )

    def state(self, blog_id: int, key: str) -> tuple[str, int] | None:
        """The state of a URL (queued, done or failed) and how often it was tried; None if it is not known."""
        statement = select(_urls.c.state, _urls.c.tries).where(_urls.c.blog_id == blog_id, _urls.c.key == storable(key))
        with self.database.reading() as connection:
            row = connection.execute(statement).one_or_none()
        return (row.state, row.tries) if row else None

    def count_failing(self, blog_id: int) -> int:
        """How many posts and pages are not held because their server, or the way to it, was at fault."""
        statement = select(func.count()).where(
            _urls.c.blog_id == blog_id, _urls.c.state == "failed", ~_IS_FILE, PASSING,
        )
        with self.database.reading() as connection:
            return connection.execute(statement).scalar_one()

    def waits_until(self, blog_id: int) -> datetime | None:
        """When the first of the posts and pages may be asked for whose server wanted to be left alone."""
        statement = select(func.min(_urls.c.again_at)).where(
            _urls.c.blog_id == blog_id, _urls.c.state == "queued", ~_IS_FILE,
            _urls.c.again_at.is_not(None),
        )
        with self.database.reading() as connection:
            moment = connection.execute(statement).scalar_one_or_none()
        return moment_of(moment) if moment else None

    def media_held_off(self, blog_id: int, *, now: datetime) -> tuple[int, datetime | None]:
        """How many pictures and files wait as their hosts wanted to be left alone, and for the first until when."""
        statement = select(func.count(), func.min(_urls.c.again_at)).where(
            _urls.c.blog_id == blog_id, _urls.c.state == "queued", _urls.c.lane == "media",
            _urls.c.again_at > stamp(now),
        )
        with self.database.reading() as connection:
            count, moment = connection.execute(statement).one()
        return count, moment_or_none(moment)

    def set_aside(self, blog_id: int, *, reason: str) -> int:
        """Pages that still wait are not going to be visited, for this reason. How many."""
        with self.database.writing() as connection:
            return connection.execute(
                _urls.update()
                .where(_urls.c.blog_id == blog_id, _urls.c.state == "queued", _urls.c.lane == "page")
                .values(state="done", outcome="skip", reason=reason),
            ).rowcount

    def fruitful_pages(self, blog_id: int) -> Iterator[str]:
        """The keys of lists, and of other pages that led to new posts when they were visited last."""
        statement = select(_urls.c.id, _urls.c.key).where(
            _urls.c.blog_id == blog_id, _urls.c.lane == "page", _urls.c.state == "done",
            or_(_urls.c.new_posts > 0, _urls.c.outcome.in_(["listing", "unchanged"])),
        )
        return (row.key for row in self._rows(statement))

    def problems(self, blog_id: int) -> Iterator[Problem]:
        """Addresses that are not held: they are missing, as the figures count them, or were left out for a reason."""
        statement = select(_urls, IS_MISSING.label("is_missing")).where(
            _urls.c.blog_id == blog_id, or_(IS_MISSING, IS_LEFT_OUT),
        )
        for row in self._rows(statement):
            yield Problem(
                url=row.url, lane=row.lane, outcome=row.outcome, reason=without_address(row.reason or "", row.url),
                tries=row.tries, is_missing=bool(row.is_missing),
                again_at=moment_or_none(row.again_at),
            )

    def skipped(self, blog_id: int) -> Iterator[tuple[str, str]]:
        """Addresses that were left out at their last visit, whatever is held of them, and why."""
        statement = select(_urls.c.id, _urls.c.url, _urls.c.reason).where(
            _urls.c.blog_id == blog_id, _urls.c.state == "done", _urls.c.outcome == "skip",
        )
        return ((row.url, row.reason or "") for row in self._rows(statement))

    def notes(
        self, blog_id: int, *, of: Literal["all", "held posts", "not held"] = "all",
    ) -> Iterator[tuple[str, str]]:
        """URLs of whose page something was noted when it was read, and what: why it may or may not be a post."""
        chosen = {"all": true(), "held posts": IS_HELD_POST, "not held": ~IS_HELD}[of]
        statement = select(_urls.c.id, _urls.c.url, _urls.c.note).where(
            _urls.c.blog_id == blog_id, _urls.c.note.is_not(None), chosen,
        )
        return ((row.url, row.note) for row in self._rows(statement))

    def _rows(self, statement: Select[Any]) -> Iterator[Row[Any]]:
        return in_pages(self.database, statement, _urls.c.id)


def _visit_row(visit: Visit, now: str) -> dict[str, Any]:
    state = "failed" if visit.is_unfinished else _STATES.get(visit.outcome, "done")
    if visit.foreign is not None:
        # A post that others captured is looked for on the web as well; of a picture or a feed one copy is enough.
        state = "queued" if visit.outcome == "post" else visit.foreign if visit.outcome in _PAGES else "done"
    return {
        "blog_id": visit.blog_id, "key": storable(visit.key), "url": storable(visit.url),
        "lane": visit.lane or _LANES.get(visit.outcome, "page"), "rank": 0.0,
        "state": state, "outcome": "page" if visit.foreign is not None and visit.outcome == "retry" else visit.outcome,
        "reason": storable_or_none(visit.reason), "note": storable_or_none(visit.note),
        # Of a post of which a page gave no answer, the good answer of another page is not the last word.
        "status": visit.exchanges[-1].status if visit.exchanges and not visit.is_unfinished else None,
        # A good visit is no failed try, also where the row is new: a link may be visited before it is stored.
        "tries": int(visit.tried and state != "done" and visit.foreign is None),
        "new_posts": visit.new_posts, "found_on": None, "queued_at": now, "visited_at": now,
        "again_at": stamp_or_none(visit.again_at),
    }


def without_address(reason: str, url: str) -> str:
    """Why an address is not held, without naming it again.

    >>> without_address("HTTP 404 Not Found at http://a.org/b", "http://a.org/b")
    'HTTP 404 Not Found'
    >>> without_address("timed out after 30 s: http://a.org/b", "http://a.org/b")
    'timed out after 30 s'
    """
    short = reason.removeprefix(url).removeprefix(":").removesuffix(url).rstrip(": ").strip()
    return short.removesuffix(" at").removesuffix(" for") or reason


