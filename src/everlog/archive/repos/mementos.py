"""Memento repository: the captures of an address at a time, whichever blog and whichever visit they are of.

An address is meant in any spelling (`core.urls.canonical`). Its own answers come first, a 304 being what it refers to;
then what its redirects led to; then redirects whose target was not stored with them; and error pages only if nothing
else is held. Of these the one that is nearest in time is taken. Captures that others made count at the time that they
were made. In public nothing is held of a hidden blog, nor under an address of a hidden post, whoever captured it.
"""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from heapq import nlargest
from typing import TYPE_CHECKING, Any

from rapidfuzz.distance import Indel
from sqlalchemy import (
    BindParameter,
    ColumnElement,
    CompoundSelect,
    Connection,
    Row,
    Select,
    Subquery,
    and_,
    bindparam,
    case,
    func,
    or_,
    select,
    true,
    union,
    union_all,
)

from everlog.archive.db import schema
from everlog.archive.db.column_values import moment_of, stamp, storable
from everlog.archive.db.database import Database, in_parts
from everlog.archive.files.warc_writer import MADE, Place
from everlog.archive.models import HeldAddress, Memento, Sighting, Surroundings, Way
from everlog.archive.projection.filters import is_public_blog
from everlog.archive.repos.captures import MOST_DRAWINGS
from everlog.core.urls import canonical, host_of, without_user

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from everlog.records import Purpose

WAYS: tuple[Way, ...] = ("own", "led", "redirect", "error")
# What a redirect leads to that people look at; what interfaces told of a post's page is not that page.
_LOOKED_AT = ("page", "media", "requisite", "feed")
# Feeds, sitemaps and robots.txt stand in the lane of pages, and are none.
_FOR_PROGRAMS = ("feed", "robots")
# Times in addresses are whole seconds.
ONE_SECOND = timedelta(seconds=1)
# Addresses of a blog among which near ones are looked for: so many are read in 30 ms or so.
MOST_NEIGHBOURS = 100_000
# Of them, so many of one folder are compared with the name that was asked for: 10 ms or so.
MOST_COMPARED = 5_000
# What ends the name of a file, and not that of a page.
_FILE = re.compile(r"\.(?!(?:[sx]?html?|php|aspx?|jsp|cgi|cfm|md)$)[a-z][a-z0-9]{1,4}$", re.IGNORECASE)

_urls, _captures, _files, _blogs = schema.urls, schema.captures, schema.warc_files, schema.blogs
_original, _own_files = _captures.alias("original"), _files.alias("own_files")
_IS_NO_PROGRAMS = _urls.c.outcome.is_(None) | _urls.c.outcome.not_in(_FOR_PROGRAMS)
_IS_FOR_PEOPLE = _urls.c.lane.in_(("post", "page")) & _IS_NO_PROGRAMS
_AT = func.coalesce(_captures.c.captured_at, _captures.c.fetched_at)
_IS_HELD = _captures.c.status.between(200, 299) | (
    (_captures.c.status == 304) & _captures.c.original_id.is_not(None)
)
_IS_REDIRECT = _captures.c.status.between(300, 399) & (_captures.c.status != 304)
_WAY = case((_IS_HELD, 0), (_IS_REDIRECT, 2), else_=3)
_WAY_OF_VISIT = case((_captures.c.key.is_not(None), 1), else_=_WAY)
# What was made of an answer is none, and "not modified" without what it refers to shows nothing.
_SHOWN = and_(
    _captures.c.purpose.not_in(MADE), or_(_captures.c.status != 304, _captures.c.original_id.is_not(None)),
)
_LED = _captures.c.answer & _IS_HELD & _captures.c.purpose.in_(_LOOKED_AT)
_LIGHT = (_captures.c.id, _captures.c.url, _captures.c.status, _captures.c.content_type, _AT.label("at"))


def _of_row() -> ColumnElement[bool]:
    """Captures that visits to a place in the queue brought, in a way that their index is used."""
    return and_(_captures.c.url_id == _urls.c.id, _captures.c.blog_id == _urls.c.blog_id)


def _may_be_shown(*, public: bool) -> ColumnElement[bool]:
    """Whether a capture may be shown: in public, none of a hidden blog, and no answer under a hidden post's address."""
    if not public:
        return true()
    is_elsewhere = _captures.c.key.is_(None) | _captures.c.key.not_in(_hidden_keys())
    return and_(is_public_blog(_captures.c.blog_id), is_elsewhere)


def _may_be_named(*, public: bool) -> ColumnElement[bool]:
    """The same of a place in the queue."""
    if not public:
        return true()
    return and_(is_public_blog(_urls.c.blog_id), _urls.c.key.not_in(_hidden_keys()))


def _hidden_keys() -> CompoundSelect[Any]:
    posts, aliases, hidden = schema.posts, schema.aliases, schema.hidden_posts
    return union(
        select(posts.c.key).join(hidden, hidden.c.post_id == posts.c.id),
        select(aliases.c.key).join(hidden, hidden.c.post_id == aliases.c.post_id),
    )


def _found(*, public: bool) -> Subquery:
    """All captures of addresses, each with the `wanted` key, and the way in which it is that address."""
    keys: BindParameter[Any] = bindparam("keys", expanding=True)
    by_row = (
        select(_urls.c.key.label("wanted"), *_LIGHT, _WAY_OF_VISIT.label("way"))
        .join(_captures, _of_row())
        .where(
            _urls.c.key.in_(keys), _SHOWN, or_(_captures.c.key.is_(None), _LED), _may_be_shown(public=public),
            _may_be_named(public=public),
        )
    )
    by_key = select(_captures.c.key.label("wanted"), *_LIGHT, _WAY.label("way")).where(
        _captures.c.key.in_(keys), _SHOWN, _may_be_shown(public=public),
    )
    return union_all(by_row, by_key).subquery()


def _nearest(*, public: bool) -> Select[Any]:
    """Of each key, for each way, the last capture until a time and the first one behind it."""
    found = _found(public=public)
    is_later = case((found.c.at > bindparam("moment"), 1), else_=0)
    sided = select(found, is_later.label("is_later")).subquery()
    sides = [sided.c.wanted, sided.c.way, sided.c.is_later]
    ranked = select(
        sided,
        func.row_number().over(partition_by=sides, order_by=[sided.c.at.desc(), sided.c.id.desc()]).label("from_end"),
        func.row_number().over(partition_by=sides, order_by=[sided.c.at, sided.c.id]).label("from_start"),
    ).subquery()
    return select(ranked).where(or_(
        and_(ranked.c.is_later == 0, ranked.c.from_end == 1), and_(ranked.c.is_later == 1, ranked.c.from_start == 1),
    ))


def _moments(*, public: bool) -> Select[Any]:
    found = _found(public=public)
    best = select(func.min(_found(public=public).c.way)).scalar_subquery()
    return select(found).where(found.c.way == best).order_by(found.c.at, found.c.id)


def _surroundings(*, public: bool) -> Select[Any, Any, Any, Any, Any, Any]:
    found = _found(public=public)
    at = found.c.at
    return select(
        func.count(), func.min(at), func.max(at), func.max(case((at < bindparam("second"), at))),
        func.min(case((at >= bindparam("behind"), at))), func.count(case((at < bindparam("second"), 1))),
    ).where(found.c.way == bindparam("way"))


def _whole() -> Select[Any]:
    place, own = _original.c, _captures.c
    return (
        select(
            _captures, _AT.label("at"), _files.c.name, _own_files.c.name.label("own_name"),
            func.coalesce(place.offset, own.offset).label("body_offset"),
            func.coalesce(place.length, own.length).label("body_length"),
            func.coalesce(place.bytes, own.bytes).label("body_bytes"),
        )
        .join(_original, place.id == own.original_id, isouter=True)
        .join(_files, _files.c.id == func.coalesce(place.warc_id, own.warc_id))
        .join(_own_files, _own_files.c.id == own.warc_id)
    )


# Made once: SQLAlchemy takes longer to build one than the database to answer it.
NEAREST, _MOMENTS, _SURROUNDINGS, _WHOLE = (
    _nearest(public=False), _moments(public=False), _surroundings(public=False), _whole(),
)
_PUBLIC = _nearest(public=True), _moments(public=True), _surroundings(public=True)
_BY_ID = _WHOLE.where(_captures.c.id == bindparam("the_id"))


class MementoRepository:
    """The captures of addresses, over all blogs, by time; `public`: of all that is not hidden."""

    def __init__(self, database: Database, *, public: bool = False) -> None:
        self.database, self._public = database, public
        self._nearest, self._moments, self._surroundings = _PUBLIC if public else (NEAREST, _MOMENTS, _SURROUNDINGS)

    def nearest(self, url: str, at: datetime) -> Memento | None:
        """The capture of an address that is nearest to a time; None if it is not held."""
        found = self.nearest_many([url], at).get(url)
        return None if found is None else self._whole(found)

    def nearest_many(self, urls: Collection[str], at: datetime) -> Mapping[str, Sighting]:
        """The capture nearest to a time of each of these addresses that is held; all are looked up at once."""
        keys = {url: storable(canonical(url)) for url in urls}
        best: dict[str, tuple[tuple[int, timedelta, datetime], Row[Any]]] = {}
        with self.database.reading() as connection:
            for part in in_parts(sorted(set(keys.values()))):
                for row in connection.execute(self._nearest, {"keys": part, "moment": stamp(at)}):
                    moment = moment_of(row.at)
                    order = row.way, abs(moment - at), moment
                    if row.wanted not in best or order < best[row.wanted][0]:
                        best[row.wanted] = order, row
        sightings = {key: _sighting(row) for key, (_, row) in best.items()}
        return {url: sightings[key] for url, key in keys.items() if key in sightings}

    def moments(self, url: str) -> tuple[Sighting, ...]:
        """All captures of an address, the oldest first: its own answers, or what there is in their place."""
        with self.database.reading() as connection:
            return tuple(map(_sighting, connection.execute(self._moments, {"keys": [storable(canonical(url))]})))

    def surroundings(self, url: str, sighting: Sighting) -> Surroundings:
        """When an address was captured besides one capture of it."""
        second = sighting.at.replace(microsecond=0)
        asked = {
            "keys": [storable(canonical(url))], "way": WAYS.index(sighting.way), "second": stamp(second),
            "behind": stamp(second + ONE_SECOND),
        }
        with self.database.reading() as connection:
            count, first, last, before, after, passed = connection.execute(self._surroundings, asked).one()
        return Surroundings(
            count=count, position=passed + 1, first=moment_of(first), last=moment_of(last),
            previous=None if before is None else moment_of(before), next=None if after is None else moment_of(after),
        )

    def drawing(self, memento: Memento) -> Memento | None:
        """What a browser made of a page's answer; None if it was not rendered."""
        return self._made(memento, "rendered")

    def picture(self, memento: Memento) -> Memento | None:
        """The screenshot of a page, as its answer was rendered; None if none was kept."""
        return self._made(memento, "screenshot") if memento.purpose == "page" else None

    def _made(self, memento: Memento, purpose: Purpose) -> Memento | None:
        of_url = _WHOLE.where(
            _captures.c.blog_id == memento.blog_id, _captures.c.url_id == memento.url_id,
        )
        drawings = of_url.where(_captures.c.purpose == purpose, _captures.c.id < memento.id)
        with self.database.reading() as connection:
            for made in connection.execute(drawings.order_by(_captures.c.id.desc()).limit(MOST_DRAWINGS)).all():
                # A visit's answer is stored behind what was made of it.
                answers = of_url.where(_captures.c.id > made.id, _captures.c.purpose == memento.purpose)
                answer = connection.execute(answers.order_by(_captures.c.id).limit(1)).first()
                if answer is not None and answer.digest == memento.digest:
                    return _memento(made, memento)
        return None

    def held_addresses(
        self, blog_id: int, *, lanes: Sequence[str] = (), text: str = "", after: int = 0, limit: int = 50,
    ) -> tuple[HeldAddress, ...]:
        """Addresses of a blog that are held, in the order they were found: of some lanes, with a text in them."""
        statement = (
            self._listed(blog_id, lanes, text).add_columns(_urls.c.id).where(_urls.c.id > after)
        )
        with self.database.reading() as connection:
            ids = connection.scalars(statement.order_by(_urls.c.id).limit(limit)).all()
            return self._summaries(connection, ids)

    def count_addresses(self, blog_id: int, *, lanes: Sequence[str] = (), text: str = "") -> int:
        """How many addresses `held_addresses` lists in all."""
        with self.database.reading() as connection:
            return int(connection.scalar(self._listed(blog_id, lanes, text).add_columns(func.count())) or 0)

    def near(self, url: str, *, limit: int = 8) -> tuple[HeldAddress, ...]:
        """Held addresses that somebody may have meant who asked for one that is not.

        Of the blogs on its host: those of the same name, those in the same folder, the most alike first, and those that
        were found last. Files and what programs ask for are only offered to who asks for a file.
        """
        key = storable(canonical(url)).partition("?")[0]
        host, (folder, slash, name) = host_of(url), key.rpartition("/")
        if not host:
            return ()
        of_host = or_(_blogs.c.key == host, _blogs.c.key.startswith(host + "/", autoescape=True))
        with self.database.reading() as connection:
            blogs = connection.scalars(select(_blogs.c.id).where(of_host).limit(limit)).all()
            if not blogs:
                return ()
            is_meant = true() if slash and _FILE.search(name) else _IS_FOR_PEOPLE
            recent = (
                select(_urls.c.id, _urls.c.key)
                .where(_urls.c.blog_id.in_(blogs), is_meant, self._is_captured())
                .order_by(_urls.c.id.desc())
            )
            some = recent.limit(MOST_NEIGHBOURS).subquery()
            ids: list[int] = []
            if slash:
                same = select(some.c.id).where(some.c.key.endswith("/" + name, autoescape=True)).limit(limit)
                beside = select(some.c.id, some.c.key).where(some.c.key.startswith(folder + "/", autoescape=True))
                ids += connection.scalars(same).all()
                ids += _most_alike(connection.execute(beside.limit(MOST_COMPARED)).all(), name, limit)
            ids += connection.scalars(select(recent.limit(limit).subquery().c.id)).all()
            return self._summaries(connection, list(dict.fromkeys(ids))[:limit])

    def _is_captured(self) -> ColumnElement[bool]:
        shown = _may_be_shown(public=self._public)
        return _may_be_named(public=self._public) & (
            select(_captures.c.id)
            .where(_of_row(), _SHOWN, _IS_HELD, or_(_captures.c.key.is_(None), _LED), shown).correlate(_urls).exists()
        )

    def _listed(self, blog_id: int, lanes: Sequence[str], text: str) -> Select[Any]:
        statement = select().select_from(_urls).where(_urls.c.blog_id == blog_id, self._is_captured())
        if lanes:
            statement = statement.where(_urls.c.lane.in_(lanes), _IS_NO_PROGRAMS)
        for word in storable(text).lower().split():
            statement = statement.where(func.lower(_urls.c.url).contains(word, autoescape=True))
        return statement

    def _whole(self, sighting: Sighting) -> Memento:
        with self.database.reading() as connection:
            row = connection.execute(_BY_ID, {"the_id": sighting.id}).one()
        return _memento(row, sighting)

    def _summaries(self, connection: Connection, ids: Sequence[int]) -> tuple[HeldAddress, ...]:
        """These places in the queue with their good captures: a few statements for all."""
        if not ids:
            return ()
        good = and_(_SHOWN, _IS_HELD, or_(_captures.c.key.is_(None), _LED), _may_be_shown(public=self._public))
        of_urls = (
            select(
                _urls.c.id, _urls.c.lane, func.count().label("times"), func.min(_AT).label("first"),
                func.max(_AT).label("last"),
            )
            .join(_captures, _of_row()).where(_urls.c.id.in_(ids), good).group_by(_urls.c.id, _urls.c.lane).subquery()
        )
        latest = (
            select(of_urls, _captures.c.url, _captures.c.content_type)
            .join(_urls, _urls.c.id == of_urls.c.id).join(_captures, _of_row())
            .where(of_urls.c.last == _AT, good)
        )
        rows = {row.id: row for row in connection.execute(latest)}
        return tuple(
            HeldAddress(
                id=row.id, url=without_user(row.url), lane=row.lane, count=row.times, first=moment_of(row.first),
                at=moment_of(row.last), content_type=row.content_type,
            )
            for row in (rows[number] for number in ids if number in rows)
        )


def _most_alike(rows: Sequence[Row[Any, Any]], name: str, limit: int) -> list[int]:
    """The addresses whose last part is most like a name; of those that are alike, the one that was found last."""
    alike = ((Indel.normalized_similarity(key.rpartition("/")[2], name), number) for number, key in rows)
    return [number for _, number in nlargest(limit, alike)]


def _sighting(row: Row[Any]) -> Sighting:
    return Sighting(
        id=row.id, url=without_user(row.url), at=moment_of(row.at), way=WAYS[row.way], status=row.status,
        content_type=row.content_type,
    )


def _memento(row: Row[Any], sighting: Sighting) -> Memento:
    return Memento(
        id=row.id, url=without_user(row.url), at=moment_of(row.at), way=sighting.way, status=row.status,
        content_type=row.content_type, blog_id=row.blog_id, url_id=row.url_id, purpose=row.purpose, digest=row.digest,
        size=row.body_bytes, place=Place(file=row.name, offset=row.body_offset, length=row.body_length),
        own_place=Place(file=row.own_name, offset=row.offset, length=row.length),
    )
