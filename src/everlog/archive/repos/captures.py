"""Capture repository: the answers that URLs gave, and the files they stand in."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, Any, BinaryIO

from sqlalchemy import ColumnElement, Connection, Row, Select, bindparam, func, select

from everlog.archive.db import schema
from everlog.archive.db.column_values import (
    moment_of,
    moment_or_none,
    stamp,
    stamp_or_none,
    storable,
    storable_or_none,
)
from everlog.archive.db.database import MOST_VALUES, Database, RowStatement, in_parts
from everlog.archive.files.warc_writer import MADE, Original, Place, payload_digest
from everlog.archive.models import Capture, DayOfAnswers
from everlog.archive.repos.warc_index import FileRows
from everlog.archive.write.foreign_captures import is_newest, newest_answers
from everlog.core.urls import canonical

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
    from datetime import datetime

    from everlog.archive.capture_index import CaptureIndex
    from everlog.archive.write.batch_writer import WarcRecord
    from everlog.records import Exchange, Visit

# Drawings of one page among which that of the current answer is looked for, the latest first.
MOST_DRAWINGS = 20

_urls, _captures, _files = schema.urls, schema.captures, schema.warc_files
_original, _own_files = _captures.alias("original"), _files.alias("own_files")
_BODY_FILE = func.coalesce(_original.c.warc_id, _captures.c.warc_id)
# An answer whose body is held: its own, or that of its original. Error pages have originals too.
GOOD: ColumnElement[bool] = _captures.c.answer & (
    _captures.c.status.between(200, 299) | ((_captures.c.status == 304) & _captures.c.original_id.is_not(None))
)
_BODIES = select(_captures).where(
    _captures.c.digest.in_(bindparam("digests", expanding=True)),
    _captures.c.blog_id.in_(bindparam("blogs", expanding=True)), _captures.c.original_id.is_(None),
    _captures.c.purpose.not_in(MADE),
)
_NEW = RowStatement(_captures.c.keys(), lambda _: _captures.insert())
_LATEST_GOOD = (
    select(_captures.c.id)
    .where(_captures.c.blog_id == bindparam("blog"), _captures.c.url_id == bindparam("url"), GOOD)
    .order_by(_captures.c.id.desc()).limit(1)
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Held(Original):
    """A capture whose record has the body of its URL: what a body that did not change refers to."""

    id: int
    content_type: str | None
    etag: str | None
    last_modified: str | None


class CaptureRepository:
    """The captures of URLs, and the WARC `files` they stand in.

    What stands in a file that is found to be lost is as good as never fetched.
    """

    def __init__(self, database: Database, lost: Collection[str] = ()) -> None:
        self.database = database
        self.files = FileRows(database)
        self._lost = lost

    def index(
        self, open_file: Callable[[str], BinaryIO], *, blog_id: int | None = None, public: bool = False,
    ) -> CaptureIndex:
        """All captures, or those of a blog, as other programs look them up; `public`: but for what is hidden."""
        from everlog.archive.capture_index import CaptureIndex  # noqa: PLC0415 - few commands ask for it

        homes = select(schema.blogs.c.home).order_by(schema.blogs.c.id)
        if blog_id is not None:
            homes = homes.where(schema.blogs.c.id == blog_id)
        with self.database.reading() as connection:
            found = list(connection.scalars(homes.limit(2)))
        title = found[0] if len(found) == 1 else "An archive of blogs"
        return CaptureIndex(self.database, open_file, blog_id=blog_id, title=title, public=public)

    def media_paths(self, hashes: Sequence[str]) -> Mapping[str, str]:
        """Where the media files of these hashes are, those that are held."""
        table = schema.media_files
        found: dict[str, str] = {}
        with self.database.reading() as connection:
            for part in in_parts(sorted(set(hashes))):
                rows = connection.execute(select(table.c.sha256, table.c.path).where(table.c.sha256.in_(part)))
                found |= {sha256: path for sha256, path in rows}  # noqa: C416 - rows are not pairs to the type checker
        return found

    def held_bodies(self, wanted: Sequence[tuple[int, str, str]]) -> Mapping[tuple[int, str, str], Held]:
        """Those of these (blog, URL, digest) whose body is stored already, in none of the files that are lost.

        Where it came from another address of the blog, under that address.
        """
        found: dict[tuple[int, str, str], Held] = {}
        bodies = _BODIES
        if self._lost:
            bodies = bodies.join(_files, _files.c.id == _captures.c.warc_id).where(_files.c.name.not_in(self._lost))
        with self.database.reading() as connection:
            for part in in_parts(sorted({(blog_id, digest) for blog_id, _, digest in wanted})):
                values = {"digests": [digest for _, digest in part], "blogs": sorted({blog_id for blog_id, _ in part})}
                for row in connection.execute(bodies, values):
                    found[row.blog_id, row.url, row.digest] = _held(row)
        return found

    def held_answer(self, blog_id: int, key: str) -> Held | None:
        """The body that a URL had when it last answered: its own, or the one it turned out to have again.

        It is what "not modified" is about. Answers whose bodies stand in lost files are as good as none.
        """
        statement = (
            select(
                _captures, func.coalesce(_original.c.id, _captures.c.id).label("body_id"),
                func.coalesce(_original.c.url, _captures.c.url).label("body_url"),
                func.coalesce(
                    _original.c.captured_at, _original.c.fetched_at, _captures.c.captured_at, _captures.c.fetched_at,
                ).label("body_at"),
            )
            .join(_urls, _urls.c.id == _captures.c.url_id)
            .join(_original, _original.c.id == _captures.c.original_id, isouter=True)
            .join(_files, _files.c.id == _BODY_FILE)
            .where(
                _urls.c.blog_id == blog_id, _urls.c.key == storable(key), _captures.c.blog_id == blog_id, GOOD,
                *self._not_lost(),
            )
            .order_by(_captures.c.id.desc())
            .limit(1)
        )
        with self.database.reading() as connection:
            row = connection.execute(statement).first()
        return None if row is None else Held(
            id=row.body_id, url=row.body_url, digest=row.digest, fetched_at=moment_of(row.body_at),
            content_type=row.content_type, etag=row.etag, last_modified=row.last_modified,
        )

    def record(
        self, connection: Connection, pairs: Sequence[tuple[Visit, Sequence[WarcRecord]]],
        url_ids: Mapping[tuple[int, str], int], file_ids: Mapping[str, int],
    ) -> list[int | None]:
        """Write the captures of visits, within a transaction of the caller's, and number their records.

        For each visit the capture that answered it, or that its post was read from again.
        """
        count = sum(len(records) for _, records in pairs)
        foreign = [url_ids[visit.blog_id, storable(visit.key)] for visit, _ in pairs if visit.foreign is not None]
        newest = newest_answers(connection, foreign, GOOD) if foreign else {}
        ids = iter(self.database.reserve(connection, schema.captures, count) if count else ())
        rows: list[dict[str, Any]] = []
        answers: list[int | None] = []
        for visit, records in pairs:
            url_id = url_ids[visit.blog_id, storable(visit.key)]
            for record in records:
                record.capture_id = next(ids)
                rows.append(_capture_row(record, visit.key, url_id, file_ids))
            if visit.foreign is not None and records:
                rows[-1]["answer"] = is_newest(records[-1].exchange, url_id, newest)
            if records:
                answers.append(records[-1].capture_id)
            else:
                is_read = visit.post is not None
                answers.append(self._latest_answer(connection, visit.blog_id, url_id) if is_read else None)
        _NEW.run(connection, self.database, rows)
        return answers

    def is_held(self, blog_id: int, exchange: Exchange) -> bool:
        """Whether a blog holds this very capture, whoever brought it: one body of one address at one moment."""
        digest = payload_digest(exchange.body) if exchange.spooled is None else f"sha256:{exchange.spooled.sha256}"
        statement = select(_captures.c.id).where(
            _captures.c.digest == digest, _captures.c.blog_id == blog_id, _captures.c.url == storable(exchange.url),
            func.coalesce(_captures.c.captured_at, _captures.c.fetched_at) == stamp(exchange.seen_at),
        )
        with self.database.reading() as connection:
            return connection.execute(statement.limit(1)).first() is not None

    def find(self, blog_id: int, url: str) -> Capture | None:
        """The latest good capture of a URL whose body is not in a lost file: what conditional requests are about."""
        statement = self._good(blog_id, url).limit(1)
        with self.database.reading() as connection:
            row = connection.execute(statement).first()
        return None if row is None else _capture(row)

    def held_of(self, blog_id: int, keys: Sequence[str]) -> frozenset[str]:
        """Those of these addresses, by their keys, that a good answer is held of."""
        found: set[str] = set()
        with self.database.reading() as connection:
            for part in in_parts([storable(key) for key in keys]):
                found.update(connection.scalars(
                    select(_urls.c.key).distinct().join(_captures, _captures.c.url_id == _urls.c.id)
                    .where(_urls.c.key.in_(part), _urls.c.blog_id == blog_id, _captures.c.blog_id == blog_id, GOOD),
                ))
        return frozenset(found)

    def count_shown(self) -> int:
        """How many addresses of pages and requisites there are of which an answer is held."""
        statement = select(func.count(_captures.c.url_id.distinct())).where(
            _captures.c.purpose.in_(["page", "requisite"]), GOOD,
        )
        with self.database.reading() as connection:
            return connection.execute(statement).scalar_one()

    def answers_by_day(self, blog_id: int) -> tuple[DayOfAnswers, ...]:
        """What everlog itself was answered, by day (UTC) and status, the latest first; only what is stored."""
        day = func.substr(_captures.c.fetched_at, 1, 10)
        statement = (
            select(day, _captures.c.status, func.count(), func.sum(_captures.c.bytes))
            .where(_captures.c.blog_id == blog_id, _captures.c.origin.is_(None), _captures.c.purpose.not_in(MADE))
            .group_by(day, _captures.c.status).order_by(day.desc(), _captures.c.status)
        )
        found: dict[str, list[Any]] = {}
        with self.database.reading() as connection:
            for row in connection.execute(statement):
                found.setdefault(row[0], []).append(row)
        return tuple(
            DayOfAnswers(
                day=date.fromisoformat(each), statuses={status: count for _, status, count, _ in rows},
                bytes=sum(int(size or 0) for _, _, _, size in rows),
            ) for each, rows in found.items()
        )

    def foreign_moments(self, blog_id: int, key: str) -> frozenset[datetime]:
        """When others captured a URL, of the captures that are held."""
        statement = select(_captures.c.captured_at).join(_urls, _urls.c.id == _captures.c.url_id).where(
            _urls.c.blog_id == blog_id, _urls.c.key == storable(key), _captures.c.captured_at.is_not(None),
        )
        with self.database.reading() as connection:
            return frozenset(map(moment_of, connection.scalars(statement)))

    def bodies(self, blog_id: int, url: str) -> tuple[Capture, ...]:
        """The good captures of a URL, each body once, in the order in which they were last seen."""
        statement = self._good(blog_id, url)
        with self.database.reading() as connection:
            rows = connection.execute(statement).all()
        latest: dict[str, Capture] = {}
        for row in rows:
            latest.setdefault(row.digest, _capture(row))
        return tuple(reversed(latest.values()))

    def rendering(self, blog_id: int, url: str) -> Capture | None:
        """What the browser made of the answer that `find` gives; None if it was not rendered."""
        current = self.find(blog_id, url)
        if current is None:
            return None
        places = self._of_url(blog_id, url)
        drawings = places.where(_captures.c.purpose == "rendered", _captures.c.id < current.id)
        with self.database.reading() as connection:
            # An answer that nothing is read from may have been drawn since.
            for made in connection.execute(drawings.order_by(_captures.c.id.desc()).limit(MOST_DRAWINGS)).all():
                # A visit's answer is stored behind what was made of it.
                answers = places.where(_captures.c.id > made.id, _captures.c.purpose == current.purpose)
                answer = connection.execute(answers.order_by(_captures.c.id).limit(1)).first()
                if answer is not None and answer.digest == current.digest:
                    return _capture(made)
        return None

    def __call__(self, blog_id: int, *, purpose: str = "page") -> Iterator[Capture]:
        """The latest good capture of every URL, in the order the URLs were found."""
        after = 0
        while True:
            latest = (
                select(func.max(_captures.c.id))
                .where(_captures.c.blog_id == blog_id, _captures.c.url_id > after, _captures.c.purpose == purpose, GOOD)
                .group_by(_captures.c.url_id)
                .order_by(_captures.c.url_id)
                .limit(MOST_VALUES)
            )
            with self.database.reading() as connection:
                ids = connection.scalars(latest).all()
                rows = connection.execute(
                    _captures_with_places().where(_captures.c.id.in_(ids)).order_by(_captures.c.url_id),
                ).all()
            if not rows:
                return
            yield from (_capture(row) for row in rows)
            after = rows[-1].url_id

    def _latest_answer(self, connection: Connection, blog_id: int, url_id: int) -> int | None:
        found: int | None = connection.scalar(_LATEST_GOOD, {"blog": blog_id, "url": url_id})
        return found

    def _of_url(self, blog_id: int, url: str) -> Select[Any]:
        return _captures_with_places().join(_urls, _urls.c.id == _captures.c.url_id).where(
            _urls.c.blog_id == blog_id, _urls.c.key == storable(canonical(url)), _captures.c.blog_id == blog_id,
            *self._not_lost(),
        )

    def _good(self, blog_id: int, url: str) -> Select[Any]:
        """The good captures of a URL, the latest first."""
        return self._of_url(blog_id, url).where(GOOD).order_by(_captures.c.id.desc())

    def _not_lost(self) -> list[ColumnElement[bool]]:
        return [_files.c.name.not_in(self._lost)] if self._lost else []


def _captures_with_places() -> Select[Any]:
    place, own = _original.c, _captures.c
    return (
        select(
            _captures, _files.c.name, func.coalesce(place.offset, own.offset).label("body_offset"),
            func.coalesce(place.length, own.length).label("body_length"), _own_files.c.name.label("own_name"),
        )
        .join(_original, place.id == own.original_id, isouter=True)
        .join(_files, _files.c.id == _BODY_FILE)
        .join(_own_files, _own_files.c.id == own.warc_id)
    )


def _capture(row: Row[Any]) -> Capture:
    return Capture(
        id=row.id, url=row.url, purpose=row.purpose, status=row.status, content_type=row.content_type, etag=row.etag,
        last_modified=row.last_modified, digest=row.digest, fetched_at=moment_of(row.fetched_at),
        place=Place(file=row.name, offset=row.body_offset, length=row.body_length),
        own_place=Place(file=row.own_name, offset=row.offset, length=row.length) if row.original_id else None,
        origin=row.origin or "live", captured_at=moment_or_none(row.captured_at),
    )


def _held(row: Row[Any]) -> Held:
    return Held(
        id=row.id, url=row.url, digest=row.digest, fetched_at=moment_of(row.captured_at or row.fetched_at),
        content_type=row.content_type, etag=row.etag, last_modified=row.last_modified,
    )


def _capture_row(record: WarcRecord, visited: str, url_id: int, file_ids: Mapping[str, int]) -> dict[str, Any]:
    assert record.place is not None  # noqa: S101 - for the type checker
    exchange, original = record.exchange, record.original
    key = canonical(exchange.url)
    # An answer "not modified" may leave out what it has said before.
    before = original if exchange.status == 304 else None
    is_live = exchange.origin == "live"
    return {
        "id": record.capture_id, "blog_id": record.visit.blog_id, "url_id": url_id,
        "url": storable(exchange.url), "purpose": exchange.purpose, "status": exchange.status,
        "content_type": _header(exchange, "content-type") or (before.content_type if before else None),
        # What others were answered is no condition for our own requests.
        "etag": _header(exchange, "etag") or (before.etag if before else None) if is_live else None,
        "last_modified": (
            _header(exchange, "last-modified") or (before.last_modified if before else None) if is_live else None
        ),
        "digest": record.digest, "bytes": exchange.size, "fetched_at": stamp(exchange.fetched_at),
        "warc_id": file_ids[record.place.file], "offset": record.place.offset, "length": record.place.length,
        "original_id": record.twin.capture_id if record.twin else original.id if original else None,
        "answer": exchange is record.visit.exchanges[-1],
        "origin": None if exchange.origin == "live" else exchange.origin,
        "captured_at": stamp_or_none(exchange.captured_at), "key": None if key == visited else storable(key),
    }


def _header(exchange: Exchange, name: str) -> str | None:
    return storable_or_none(exchange.header(name))
