"""The queue, what became of its URLs, and the captures they gave."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import and_, bindparam, func, not_, or_, select, true

from everlog.archive import schema
from everlog.archive.database import in_parts
from everlog.archive.holdings import Capture, Counts, Held, Place, Problem, WarcFile
from everlog.archive.texts import moment_of, stamp, storable
from everlog.records import Link
from everlog.urls import canonical
from everlog.warc import MADE

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import datetime

    from sqlalchemy import ColumnElement, Connection, Row, Select, Table

    from everlog.archive.database import Database
    from everlog.records import Lane

# Rows are read in parts of this size, so that a reader neither fills the memory nor holds a
# transaction open for as long as its caller takes.
AT_ONCE = 500
# Drawings of one page among which that of the current answer is looked for, the latest first.
MOST_DRAWINGS = 20
# Answers that ask for another try: too slow, too early, too often.
_PASSING = (408, 425, 429)

_urls, _captures = schema.urls, schema.captures
_original = _captures.alias("original")
# Failures for which the server, or the way to it, was at fault.
PASSING: ColumnElement[bool] = or_(_urls.c.status.is_(None), _urls.c.status.in_(_PASSING), _urls.c.status >= 500)
# An answer whose body is held: its own, or that of its original.
GOOD: ColumnElement[bool] = _captures.c.answer & (
    _captures.c.status.between(200, 299) | _captures.c.original_id.is_not(None)
)
_BODIES = select(_captures).where(
    _captures.c.digest.in_(bindparam("digests", expanding=True)),
    _captures.c.blog_id.in_(bindparam("blogs", expanding=True)), _captures.c.original_id.is_(None),
    _captures.c.purpose.not_in(MADE),
)


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
    """Whether any URL of a blog waits to be visited and may be asked for."""
    statement = select(_urls.c.id).where(
        _urls.c.blog_id == blog_id, _urls.c.state == "queued", _urls.c.lane.in_(lanes),
        or_(_urls.c.again_at.is_(None), _urls.c.again_at <= stamp(now)),
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


def requeue_failed(database: Database, blog_id: int, *, most_tries: int | None) -> int:
    """Another chance for URLs whose server, or the way to it, was at fault."""
    few = true() if most_tries is None else _urls.c.tries < most_tries
    with database.writing() as connection:
        return connection.execute(
            _urls.update()
            .where(_urls.c.blog_id == blog_id, _urls.c.state == "failed", PASSING, few)
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
    """URLs that are not held: they failed, or were left out for a reason."""
    statement = select(_urls).where(
        _urls.c.blog_id == blog_id, or_(_urls.c.state == "failed", _urls.c.outcome.in_(["skip", "retry"])),
    )
    for row in _rows(database, statement):
        yield Problem(url=row.url, lane=row.lane, outcome=row.outcome, reason=row.reason or "", tries=row.tries)


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


def warc_files(database: Database, blog_id: int) -> tuple[WarcFile, ...]:
    """The WARC files of a blog, the oldest first."""
    table = schema.warc_files
    with database.reading() as connection:
        return tuple(
            WarcFile(name=row.name, blog_id=row.blog_id, length=row.length, closed=row.closed)
            for row in connection.execute(select(table).where(table.c.blog_id == blog_id).order_by(table.c.id))
        )


def media_paths(database: Database, hashes: Sequence[str]) -> dict[str, str]:
    """Where the media files of these hashes are, those that are held."""
    table = schema.media_files
    found: dict[str, str] = {}
    with database.reading() as connection:
        for part in in_parts(sorted(set(hashes))):
            rows = connection.execute(select(table.c.sha256, table.c.path).where(table.c.sha256.in_(part)))
            found |= {sha256: path for sha256, path in rows}  # noqa: C416 - rows are not pairs to the type checker
    return found


def held_bodies(
    database: Database, wanted: Sequence[tuple[int, str, str]],
) -> dict[tuple[int, str, str], Held]:
    """Those of these (blog, URL, digest) whose body is stored already."""
    found: dict[tuple[int, str, str], Held] = {}
    with database.reading() as connection:
        for part in in_parts(sorted({(blog_id, digest) for blog_id, _, digest in wanted})):
            values = {"digests": [digest for _, digest in part], "blogs": sorted({blog_id for blog_id, _ in part})}
            for row in connection.execute(_BODIES, values):
                found[row.blog_id, row.url, row.digest] = _held(row)
    return found


def held_answer(database: Database, blog_id: int, key: str) -> Held | None:
    """The body that a URL had when it last answered: its own, or the one it turned out to have again."""
    statement = (
        select(
            _captures, func.coalesce(_original.c.id, _captures.c.id).label("body_id"),
            func.coalesce(_original.c.url, _captures.c.url).label("body_url"),
            func.coalesce(_original.c.fetched_at, _captures.c.fetched_at).label("body_at"),
        )
        .join(_urls, _urls.c.id == _captures.c.url_id)
        .join(_original, _original.c.id == _captures.c.original_id, isouter=True)
        .where(_urls.c.blog_id == blog_id, _urls.c.key == storable(key), _captures.c.blog_id == blog_id, GOOD)
        .order_by(_captures.c.id.desc())
        .limit(1)
    )
    with database.reading() as connection:
        row = connection.execute(statement).first()
    return None if row is None else Held(
        id=row.body_id, url=row.body_url, digest=row.digest, fetched_at=moment_of(row.body_at),
        content_type=row.content_type, etag=row.etag, last_modified=row.last_modified,
    )


def capture_of(database: Database, blog_id: int, url: str) -> Capture | None:
    """The latest good capture of a URL."""
    statement = (
        _captures_with_places()
        .join(_urls, _urls.c.id == _captures.c.url_id)
        .where(
            _urls.c.blog_id == blog_id, _urls.c.key == storable(canonical(url)), _captures.c.blog_id == blog_id, GOOD,
        )
        .order_by(_captures.c.id.desc())
        .limit(1)
    )
    with database.reading() as connection:
        row = connection.execute(statement).first()
    return None if row is None else _capture(row)


def rendering_of(database: Database, blog_id: int, url: str) -> Capture | None:
    """What the browser made of the answer that `capture_of` gives; None if it was not rendered."""
    current = capture_of(database, blog_id, url)
    if current is None:
        return None
    of_url = [_urls.c.blog_id == blog_id, _urls.c.key == storable(canonical(url)), _captures.c.blog_id == blog_id]
    places = _captures_with_places().join(_urls, _urls.c.id == _captures.c.url_id).where(*of_url)
    drawings = places.where(_captures.c.purpose == "rendered", _captures.c.id < current.id)
    with database.reading() as connection:
        # An answer that nothing is read from may have been drawn since.
        for made in connection.execute(drawings.order_by(_captures.c.id.desc()).limit(MOST_DRAWINGS)).all():
            # A visit's answer is stored behind what was made of it.
            answers = places.where(_captures.c.id > made.id, _captures.c.purpose == current.purpose)
            answer = connection.execute(answers.order_by(_captures.c.id).limit(1)).first()
            if answer is not None and answer.digest == current.digest:
                return _capture(made)
    return None


def all_captures(database: Database, blog_id: int, *, purpose: str) -> Iterator[Capture]:
    """The latest good capture of every URL, in the order the URLs were found."""
    after = 0
    while True:
        latest = (
            select(func.max(_captures.c.id))
            .where(_captures.c.blog_id == blog_id, _captures.c.url_id > after, _captures.c.purpose == purpose, GOOD)
            .group_by(_captures.c.url_id)
            .order_by(_captures.c.url_id)
            .limit(AT_ONCE)
        )
        with database.reading() as connection:
            ids = connection.scalars(latest).all()
            rows = connection.execute(
                _captures_with_places().where(_captures.c.id.in_(ids)).order_by(_captures.c.url_id),
            ).all()
        if not rows:
            return
        yield from (_capture(row) for row in rows)
        after = rows[-1].url_id


def _captures_with_places() -> Select[Any]:
    place, own = _original.c, _captures.c
    files = schema.warc_files
    return (
        select(
            _captures, files.c.name, func.coalesce(place.offset, own.offset).label("body_offset"),
            func.coalesce(place.length, own.length).label("body_length"),
        )
        .join(_original, place.id == own.original_id, isouter=True)
        .join(files, files.c.id == func.coalesce(place.warc_id, own.warc_id))
    )


def _capture(row: Row[Any]) -> Capture:
    return Capture(
        id=row.id, url=row.url, purpose=row.purpose, status=row.status, content_type=row.content_type, etag=row.etag,
        last_modified=row.last_modified, digest=row.digest, fetched_at=moment_of(row.fetched_at),
        place=Place(file=row.name, offset=row.body_offset, length=row.body_length),
    )


def _held(row: Row[Any]) -> Held:
    return Held(
        id=row.id, url=row.url, digest=row.digest, fetched_at=moment_of(row.fetched_at),
        content_type=row.content_type, etag=row.etag, last_modified=row.last_modified,
    )


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
