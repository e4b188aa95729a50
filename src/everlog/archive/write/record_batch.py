"""Rows of a batch: the one transaction behind every acknowledgement, from its first statement to its last."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from operator import attrgetter, itemgetter
from typing import TYPE_CHECKING, Any

from sqlalchemy import BindParameter, Connection, bindparam, func, select

from everlog.archive.db import schema
from everlog.archive.db.column_values import stamp, storable, storable_or_none
from everlog.archive.db.database import Database, RowStatement, in_parts, upsert
from everlog.archive.files.durable import nothing
from everlog.archive.post_codec import Written, write_post
from everlog.archive.projection.project_posts import project_batch
from everlog.archive.repos import search_index as searching
from everlog.archive.repos.events import OF_TEXT, insert_events, last_of_text
from everlog.archive.repos.posts import count_seen_well, count_vanished
from everlog.archive.write.version_decider import TOLD, KnownPost, VersionDecider, addresses, identity_of
from everlog.core.urls import canonical
from everlog.records import Event, Post, Visit

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from everlog.archive.files.warc_writer import WarcFile
    from everlog.archive.repositories import Repositories
    from everlog.archive.write.batch_writer import WarcRecord
    from everlog.archive.write.version_decider import Company, Kept, PostEvent

    Pair = tuple[Visit, Sequence[WarcRecord]]
    Rows = list[dict[str, Any]]

# What a visit may come to that brings no post where one is held.
_OF_POSTS = frozenset({"failed", "unchanged", "listing", "page", "skip"})
# Posts that are looked at in one run are looked at within these hours.
ONE_RUN = timedelta(hours=6)

_posts, _versions = schema.posts, schema.versions
_POST_COLUMNS = tuple(column.name for column in _posts.c)
_post_values = attrgetter(*_POST_COLUMNS)
_KEY = ["key", "blog_id"]
# Statements are made once: with few visits in a batch, SQLAlchemy takes longer to build one than to run it.
_WANTED: BindParameter[Any] = bindparam("wanted", expanding=True)
# Pages that many blogs have to the letter ("not found", "hello world") are looked for among those of the batch only.
_OF_BLOGS = _posts.c.blog_id.in_(bindparam("blogs", expanding=True))
_POSTS_BY_KEY = select(_posts).where(_posts.c.key.in_(_WANTED), _OF_BLOGS)
_POSTS_BY_CONTENT = select(_posts).where(_posts.c.content.in_(_WANTED), _OF_BLOGS)
_RECORDS = (
    select(_versions.c.post_id, _versions.c.record)
    .join(_posts, (_posts.c.id == _versions.c.post_id) & (_posts.c.version == _versions.c.version))
    .where(_versions.c.post_id.in_(_WANTED))
)
_ALL_RECORDS = select(
    _versions.c.post_id, _versions.c.version, _versions.c.record, _versions.c.capture_id,
).where(_versions.c.post_id.in_(_WANTED))
_FILE_IDS = select(schema.warc_files.c.name, schema.warc_files.c.id).where(schema.warc_files.c.name.in_(_WANTED))
_NEW_POSTS = RowStatement(_POST_COLUMNS, lambda _: _posts.insert())
_TOUCHED = RowStatement((*_POST_COLUMNS, "the_id"), lambda _: (
    _posts.update().where(_posts.c.id == bindparam("the_id"))
    .values({name: bindparam(name) for name in _POST_COLUMNS if name != "id"})
))
_NEW_VERSIONS = RowStatement(_versions.c.keys(), lambda _: _versions.insert())
_CORRECTED = RowStatement(("the_post", "the_version", "the_record"), lambda _: (
    _versions.update()
    .where(_versions.c.post_id == bindparam("the_post"), _versions.c.version == bindparam("the_version"))
    .values(record=bindparam("the_record"))
))
_REFUSED = RowStatement(("the_id",), lambda _: (
    schema.captures.update().where(schema.captures.c.id == bindparam("the_id")).values(answer=False)
))
_NO_ALIAS = RowStatement(("the_key", "the_blog"), lambda _: schema.aliases.delete().where(
    schema.aliases.c.key == bindparam("the_key"), schema.aliases.c.blog_id == bindparam("the_blog"),
))
_ALIASES = RowStatement(
    schema.aliases.c.keys(), lambda database: upsert(database, schema.aliases, _KEY, ["url", "post_id"]),
)
_COMPLETED = RowStatement(("the_post", "the_version", "the_record", "the_capture"), lambda _: (
    _versions.update()
    .where(_versions.c.post_id == bindparam("the_post"), _versions.c.version == bindparam("the_version"))
    .values(record=bindparam("the_record"), capture_id=func.coalesce(bindparam("the_capture"), _versions.c.capture_id))
))
_WARC_FILES = RowStatement(
    ("name", "blog_id", "length", "closed"),
    lambda database: upsert(database, schema.warc_files, ["name"], ["length", "closed"]),
)
# No index is named: of two writers that bring a file at the same moment, the later may hit on either of them.
_MEDIA_FILES = RowStatement(
    schema.media_files.c.keys(), lambda database: database.insert(schema.media_files).on_conflict_do_nothing(),
)
_MEDIA = RowStatement(
    schema.media.c.keys(), lambda database: upsert(database, schema.media, _KEY, ["url", "sha256", "fetched_at"]),
)
# What others captured takes no picture's place.
_FOREIGN_MEDIA = RowStatement(
    schema.media.c.keys(), lambda database: database.insert(schema.media).on_conflict_do_nothing(index_elements=_KEY),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Acknowledged:
    """The word that a visit is safe: it survives a crash from here on."""

    visit: Visit
    post_id: int | None = None
    kept: Kept | None = None
    version: int | None = None


class BatchRecorder:
    """Writer of the rows of batches.

    Two writers never write to one blog, but they may bring the same picture, and one may fill the search index while
    the other stores: rows that both may write are written in one order, so that they never wait in a circle.
    """

    def __init__(self, database: Database, repositories: Repositories, *, at: Callable[[str], None] = nothing) -> None:
        self._database = database
        self._urls, self._captures = repositories.urls, repositories.captures
        self._at = at

    def record(self, pairs: Sequence[Pair], files: Sequence[WarcFile]) -> tuple[Acknowledged, ...]:
        """Write all of it in one transaction: visits with the records of their exchanges, and the files of these."""
        visits = [visit for visit, _ in pairs]
        written = {place: _written(visit, visit.post) for place, visit in enumerate(visits) if visit.post is not None}
        with self._database.writing() as connection:
            self._at("transaction-open")
            file_ids = self._record_files(connection, files)
            url_ids = self._urls.record_visits(connection, visits)
            answers = self._captures.record(connection, pairs, url_ids, file_ids)
            self._at("transaction-half")
            acknowledged = self._record_posts(connection, visits, written, answers)
            self._record_media(connection, pairs)
            self._urls.add_links(connection, [(visit.blog_id, link) for visit in visits for link in visit.links])
            self._at("transaction-full")
        return acknowledged

    def _record_files(self, connection: Connection, files: Sequence[WarcFile]) -> dict[str, int]:
        if not files:
            return {}
        rows = [
            {"name": file.name, "blog_id": file.blog_id, "length": file.length, "closed": file.closed}
            for file in files
        ]
        _WARC_FILES.run(connection, self._database, rows)
        found = connection.execute(_FILE_IDS, {"wanted": [file.name for file in files]})
        return {name: number for name, number in found}  # noqa: C416 - rows are not pairs to the type checker

    def _record_posts(
        self, connection: Connection, visits: Sequence[Visit], written: dict[int, Written],
        answers: Sequence[int | None],
    ) -> tuple[Acknowledged, ...]:
        decider = known_posts(connection, visits, written)
        outcomes: list[Any] = []
        for position, visit in enumerate(visits):
            kept = decider.keep(visit, written.get(position), answers[position])
            outcomes.append(None if kept is None else (*kept, kept[0].version))
        if decider.made:
            for post, number in zip(
                decider.made, self._database.reserve(connection, schema.posts, len(decider.made)), strict=True,
            ):
                post.id = number
            _NEW_POSTS.run(connection, self._database, map(_post_row, decider.made))
        touched = sorted((_post_row(post) for post in decider.touched()), key=itemgetter("id"))
        _TOUCHED.run(connection, self._database, ({**row, "the_id": row["id"]} for row in touched))
        self._record_versions(connection, decider)
        self._record_readings(connection, decider)
        project_batch(connection, self._database, decider)
        if decider.events:
            self._record_events(connection, decider.events)
        return tuple(
            Acknowledged(visit=visit) if kept is None
            else Acknowledged(visit=visit, post_id=kept[0].id, kept=kept[1], version=kept[2])
            for visit, kept in zip(visits, outcomes, strict=True)
        )

    def _record_versions(self, connection: Connection, decider: VersionDecider) -> None:
        versions: Rows = []
        for post, version, written, capture_id, at in decider.versions:
            row = {
                "post_id": post.id, "version": version, "record": written.record, "capture_id": capture_id,
                "read_at": at,
            }
            if capture_id == TOLD:
                row["capture_id"] = None
            elif capture_id is None and version > 1:
                row["capture_id"] = _capture_before(connection, versions, post, version)
            versions.append(row)
        if versions:
            _NEW_VERSIONS.run(connection, self._database, versions)
        self._index(connection, decider)
        if decider.completed:
            _COMPLETED.run(connection, self._database, [
                {
                    "the_post": post.id, "the_version": version, "the_record": written.record,
                    "the_capture": capture_id or None,
                }
                for post, version, written, capture_id in decider.completed.values()
            ])
        _NO_ALIAS.run(
            connection, self._database, ({"the_key": key, "the_blog": blog} for blog, key in decider.no_aliases),
        )
        _ALIASES.run(connection, self._database, (
            {"blog_id": blog_id, "key": key, "url": url, "post_id": post.id}
            for (blog_id, key), (url, post) in decider.aliases.items()
        ))

    def _index(self, connection: Connection, decider: VersionDecider) -> None:
        """What is stored can be found; before what completes a version takes its place, which is read for that."""
        # Of two versions in one batch the last is the newest.
        latest = {
            post.id: searching.Latest(post.id, post.blog_id, version, written.record, written.post)
            for post, version, written, *_ in decider.versions if post.id is not None and version > 0
        }
        for post, version, written, _ in decider.completed.values():
            if post.id is not None:
                latest[post.id] = searching.Latest(
                    post.id, post.blog_id, version, written.record, written.post, is_again=post.id not in latest,
                )
        if latest:
            searching.index(connection, self._database, list(latest.values()))

    def _record_readings(self, connection: Connection, decider: VersionDecider) -> None:
        """What readings brought that made no version."""
        _CORRECTED.run(connection, self._database, (
            {"the_post": post.id, "the_version": version, "the_record": record}
            for post, version, record in decider.corrected.values()
        ))
        _REFUSED.run(connection, self._database, ({"the_id": capture_id} for capture_id in decider.refused))

    def _record_events(self, connection: Connection, events: Sequence[PostEvent]) -> None:
        """What happened to posts, if it says something new."""
        asked = {each.post.id for each in events if each.after_emptied is not None and each.post.id is not None}
        last = last_of_text(connection, asked) if asked else {}
        new: list[Event] = []
        for each in events:
            post = each.post
            if each.after_emptied in {None, last.get(post.id) == "emptied"}:
                if each.kind in OF_TEXT:
                    last[post.id] = each.kind
                new.append(Event(
                    blog_id=post.blog_id, post_id=post.id, kind=each.kind, at=each.at, reason=each.reason,
                    detail=each.detail,
                ))
        insert_events(connection, self._database, new)

    def _record_media(self, connection: Connection, pairs: Sequence[Pair]) -> None:
        files: Rows = []
        tied: Rows = []
        foreign: Rows = []
        for visit, records in pairs:
            if not records or records[-1].media_path is None:
                continue
            answer, sha256 = records[-1].exchange, records[-1].sha256
            files.append({
                "sha256": sha256, "path": records[-1].media_path, "bytes": answer.size,
                "type": storable_or_none(answer.header("content-type")),
            })
            (tied if visit.foreign is None else foreign).append({
                "blog_id": visit.blog_id, "key": storable(visit.key), "url": storable(visit.url), "sha256": sha256,
                "fetched_at": stamp(answer.fetched_at),
            })
        _MEDIA_FILES.run(connection, self._database, sorted(files, key=itemgetter("sha256")))
        _MEDIA.run(connection, self._database, tied)
        _FOREIGN_MEDIA.run(connection, self._database, foreign)


def _written(visit: Visit, post: Post) -> Written:
    keys = {link.url: link.key for link in visit.links}
    return write_post(post, {item.url: keys.get(item.url) or canonical(item.url) for item in post.media})


def _post_row(post: KnownPost) -> dict[str, Any]:
    return dict(zip(_POST_COLUMNS, _post_values(post), strict=True))


def _capture_before(
    connection: Connection, new: Sequence[Mapping[str, Any]], post: KnownPost, version: int,
) -> int | None:
    """The capture of the version before: a post read again may be known under another address than its page."""
    before = {"post_id": post.id, "version": version - 1}
    for row in new:
        if before.items() <= row.items():
            return row["capture_id"]  # type: ignore[no-any-return]
    found: int | None = connection.scalar(
        select(_versions.c.capture_id).where(_versions.c.post_id == post.id, _versions.c.version == version - 1),
    )
    return found


def known_posts(connection: Connection, visits: Sequence[Visit], written: Mapping[int, Written]) -> VersionDecider:
    """The stored posts that a batch may be about: by identity, by any address, by content."""
    keys: set[str] = set()
    for visit in visits:
        if visit.post is not None:
            keys |= {identity_of(visit), *(key for key, _ in addresses(visit))}
        elif visit.outcome in _OF_POSTS or visit.post_key is not None:
            keys.add(identity_of(visit))
    contents = {post.content for post in written.values() if post.content}
    blogs = sorted({visit.blog_id for visit in visits})
    rows: dict[int, KnownPost] = {}
    for statement, wanted in ((_POSTS_BY_KEY, keys), (_POSTS_BY_CONTENT, contents)):
        for part in in_parts(sorted(wanted)):
            found = connection.execute(statement, {"wanted": part, "blogs": blogs})
            rows |= {row.id: KnownPost(**row._mapping) for row in found if row.id not in rows}
    decider = VersionDecider({}, {})
    for post in sorted(rows.values(), key=lambda post: post.id or 0):
        decider.by_key[post.blog_id, post.key] = post
        if post.content:
            decider.by_content.setdefault((post.blog_id, post.content), post)
    _add_records(connection, decider, visits, written)
    # The posts alone: if it held the decider too, every batch would stay until the garbage collector comes.
    decider.company = _company_of(connection, decider.by_key)
    return decider


def _add_records(
    connection: Connection, decider: VersionDecider, visits: Sequence[Visit], written: Mapping[int, Written],
) -> None:
    """The held versions of posts that were read otherwise this time."""
    differing: dict[int, KnownPost] = {}
    for position, post in written.items():
        visit = visits[position]
        known = decider.by_key.get((visit.blog_id, identity_of(visit)))
        if known is not None and known.id is not None and known.digest != post.digest:
            differing[known.id] = known
    for part in in_parts(sorted(differing)):
        for post_id, record in connection.execute(_RECORDS, {"wanted": part}):
            differing[post_id].record = record
    if any(visit.foreign is not None for visit in visits):
        _add_all_records(connection, decider)


def _add_all_records(connection: Connection, decider: VersionDecider) -> None:
    """All versions of the posts at hand, for captures of others that may be one of them."""
    posts = {post.id: post for post in decider.by_key.values() if post.id is not None}
    for part in in_parts(sorted(posts)):
        for post_id, version, record, capture_id in connection.execute(_ALL_RECORDS, {"wanted": part}):
            posts[post_id].records[version] = record
            posts[post_id].has_page = posts[post_id].has_page or capture_id is not None


def _company_of(connection: Connection, by_key: Mapping[tuple[int, str], KnownPost]) -> Company:
    """What tells deletions from a blog that is rebuilt: how many posts vanished when one did, how many are well."""
    asked: dict[tuple[int, str], tuple[int, int]] = {}

    def company(known: KnownPost, since: datetime) -> tuple[int, int]:
        # By the hour, so that posts which vanish one after the other ask one question.
        start = stamp(since.replace(minute=0, second=0, microsecond=0) - ONE_RUN)
        batch = [post for post in by_key.values() if post.blog_id == known.blog_id and post.id is not None]
        if (known.blog_id, start) not in asked:
            stored = count_vanished(connection, known.blog_id, start, besides=[post.id for post in batch])
            asked[known.blog_id, start] = stored, count_seen_well(connection, known.blog_id, start)
        vanished, seen = asked[known.blog_id, start]
        return vanished + sum(post is not known and (post.missing_since or "") >= start for post in batch), seen

    return company
