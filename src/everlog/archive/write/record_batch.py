"""One batch of visits as rows: the transaction behind every acknowledgement."""

from __future__ import annotations

from operator import itemgetter
from typing import TYPE_CHECKING, Any

from sqlalchemy import bindparam, case, select

from everlog.archive.db import schema
from everlog.archive.db.column_values import stamp, stamp_now, stamp_or_none, storable, storable_or_none
from everlog.archive.repos import search_index as searching
from everlog.archive.repos.events import insert_events, last_of_text
from everlog.archive.repos.post_codec import write_post
from everlog.archive.repos.urls import insert_links, new_urls
from everlog.archive.write.crash_points import nothing
from everlog.archive.write.existing import capture_before, known_posts, latest_answer, url_ids
from everlog.archive.write.post_events import worth_telling
from everlog.archive.write.version_decider import acknowledged, rows_of
from everlog.core.urls import canonical
from everlog.records import Event

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sqlalchemy import Connection, Table

    from everlog.archive.db.database import Database
    from everlog.archive.models import Acknowledged, Stored, WarcFile
    from everlog.archive.repos.post_codec import Written
    from everlog.archive.write.version_decider import VersionDecider
    from everlog.records import Exchange, Post, Visit

    Pair = tuple[Visit, Sequence[Stored]]
    Rows = list[dict[str, Any]]

_STATES = {"failed": "failed", "retry": "queued"}
_LANES = {"post": "post", "media": "media"}
# What a visit says anew about its URL.
_OF_A_VISIT = ("state", "outcome", "reason", "note", "status", "new_posts", "visited_at", "again_at")
_POST_COLUMNS = tuple(schema.posts.c)


class BatchRecorder:
    """Writes batches. Its statements are made once: SQLAlchemy takes longer to build than to run them.

    Two writers never write to one blog, but they may bring the same picture, and one may fill the search index while
    the other stores: rows that both may write are written in one order, so that they never wait in a circle.
    """

    def __init__(self, database: Database, *, at: Callable[[str], None] = nothing) -> None:
        self._database = database
        self._at = at
        self._new_urls = new_urls(database)
        visited = database.insert(schema.urls)
        self._visited = visited.on_conflict_do_update(
            index_elements=["key", "blog_id"],
            set_={
                **{name: visited.excluded[name] for name in _OF_A_VISIT},
                # Tries that failed since the last good one: a page that was edited often is not one that fails often.
                "tries": case(
                    (visited.excluded.state == "done", 0), else_=schema.urls.c.tries + visited.excluded.tries,
                ),
            },
        )
        files = schema.warc_files.c
        self._file_ids = select(files.name, files.id).where(files.name.in_(bindparam("names", expanding=True)))
        self._new_captures, self._new_posts = schema.captures.insert(), schema.posts.insert()
        self._new_versions = schema.versions.insert()
        self._warc_files = self._upsert(schema.warc_files, ["name"], ["length", "closed"])
        self._aliases = self._upsert(schema.aliases, ["key", "blog_id"], ["url", "post_id"])
        self._media = self._upsert(schema.media, ["key", "blog_id"], ["url", "sha256", "fetched_at"])
        # No index is named: of two writers that bring a file at the same moment, the later may hit on either of them.
        self._media_files = database.insert(schema.media_files).on_conflict_do_nothing()
        self._no_alias = schema.aliases.delete().where(
            schema.aliases.c.key == bindparam("the_key"), schema.aliases.c.blog_id == bindparam("the_blog"),
        )
        self._corrected = (
            schema.versions.update()
            .where(schema.versions.c.post_id == bindparam("the_post"))
            .where(schema.versions.c.version == bindparam("the_version"))
            .values(record=bindparam("the_record"))
        )
        self._refused = schema.captures.update().where(schema.captures.c.id == bindparam("the_id")).values(answer=False)
        self._touched = (
            schema.posts.update()
            .where(schema.posts.c.id == bindparam("the_id"))
            .values({column.name: bindparam(column.name) for column in _POST_COLUMNS if column.name != "id"})
        )

    def record(self, pairs: Sequence[Pair], files: Sequence[WarcFile]) -> tuple[Acknowledged, ...]:
        """All of it in one transaction."""
        written = {
            position: _written(visit, visit.post) for position, (visit, _) in enumerate(pairs) if visit.post is not None
        }
        with self._database.writing() as connection:
            self._at("transaction-open")
            file_ids = self._record_files(connection, files)
            numbers = self._record_urls(connection, [visit for visit, _ in pairs])
            answers = self._record_captures(connection, pairs, numbers, file_ids)
            self._at("transaction-half")
            outcome = self._record_posts(connection, [visit for visit, _ in pairs], written, answers)
            self._record_media(connection, pairs)
            insert_links(
                connection, self._new_urls, [(visit.blog_id, link) for visit, _ in pairs for link in visit.links]
            )
            self._at("transaction-full")
        return outcome

    def _upsert(self, table: Table, key: list[str], changed: list[str]) -> Any:
        statement = self._database.insert(table)
        return statement.on_conflict_do_update(
            index_elements=key, set_={name: statement.excluded[name] for name in changed},
        )

    def _record_files(self, connection: Connection, files: Sequence[WarcFile]) -> dict[str, int]:
        if not files:
            return {}
        rows = [
            {"name": file.name, "blog_id": file.blog_id, "length": file.length, "closed": file.closed}
            for file in files
        ]
        connection.execute(self._warc_files, rows)
        found = connection.execute(self._file_ids, {"names": [file.name for file in files]})
        return {name: number for name, number in found}  # noqa: C416 - rows are not pairs to the type checker

    def _record_urls(self, connection: Connection, visits: Sequence[Visit]) -> dict[tuple[int, str], int]:
        now = stamp_now()
        # What is read again from the archive was not visited: its row stays as it is.
        asked: Rows = []
        read: Rows = []
        for visit in visits:
            is_visit = visit.exchanges or visit.post is None or visit.settles
            (asked if is_visit else read).append(_url_row(visit, now))
        if asked:
            connection.execute(self._visited, asked)
        if read:
            connection.execute(self._new_urls, read)
        return url_ids(connection, {(visit.blog_id, storable(visit.key)) for visit in visits})

    def _record_captures(
        self, connection: Connection, pairs: Sequence[Pair], numbers: dict[tuple[int, str], int],
        file_ids: dict[str, int],
    ) -> list[int | None]:
        """The captures of all visits; for each visit the one that answered it."""
        count = sum(len(stored) for _, stored in pairs)
        ids = iter(self._database.reserve(connection, schema.captures, count) if count else ())
        rows: Rows = []
        answers: list[int | None] = []
        numbered: dict[int, int] = {}
        for visit, stored in pairs:
            url_id = numbers[visit.blog_id, storable(visit.key)]
            for exchange, held in zip(visit.exchanges, stored, strict=True):
                row = _capture_row(exchange, held)
                row |= {
                    "id": next(ids), "blog_id": visit.blog_id, "url_id": url_id, "warc_id": file_ids[held.place.file],
                    "answer": exchange is visit.exchanges[-1],
                }
                numbered[id(held)] = row["id"]
                if held.twin is not None:
                    row["original_id"] = numbered[id(held.twin)]
                rows.append(row)
            answers.append(rows[-1]["id"] if stored else latest_answer(connection, visit, url_id))
        if rows:
            connection.execute(self._new_captures, rows)
        return answers

    def _record_posts(
        self, connection: Connection, visits: Sequence[Visit], written: dict[int, Written],
        answers: Sequence[int | None],
    ) -> tuple[Acknowledged, ...]:
        keeping = known_posts(connection, visits, written)
        outcomes: list[Any] = []
        for position, visit in enumerate(visits):
            kept = keeping.keep(visit, written.get(position), answers[position])
            outcomes.append(None if kept is None else (*kept, kept[0].version))
        if keeping.made:
            for post, number in zip(
                keeping.made, self._database.reserve(connection, schema.posts, len(keeping.made)), strict=True,
            ):
                post.id = number
            connection.execute(self._new_posts, rows_of(keeping.made))
        again = sorted(rows_of(keeping.touched()), key=itemgetter("id"))
        touched = [{**row, "the_id": row.pop("id")} for row in again]
        if touched:
            connection.execute(self._touched, touched)
        self._record_versions(connection, keeping)
        self._record_readings(connection, keeping)
        self._record_events(connection, keeping)
        return tuple(acknowledged(visit, outcome) for visit, outcome in zip(visits, outcomes, strict=True))

    def _record_versions(self, connection: Connection, keeping: VersionDecider) -> None:
        versions: Rows = []
        for post, version, record, capture_id, at in keeping.versions:
            row = {"post_id": post.id, "version": version, "record": record, "capture_id": capture_id, "read_at": at}
            if capture_id is None and version > 1:
                row["capture_id"] = capture_before(connection, versions, post, version)
            versions.append(row)
        if versions:
            connection.execute(self._new_versions, versions)
            # Of two versions in one batch the last is the newest.
            latest = {post.id: (post, version, record) for post, version, record, *_ in keeping.versions}
            searching.index(connection, self._database, [
                searching.Latest(number, post.blog_id, version, record)
                for number, (post, version, record) in latest.items() if number is not None
            ])
        if keeping.no_aliases:
            connection.execute(self._no_alias, [{"the_key": key, "the_blog": blog} for blog, key in keeping.no_aliases])
        aliases = [
            {"blog_id": blog_id, "key": key, "url": url, "post_id": post.id}
            for (blog_id, key), (url, post) in keeping.aliases.items()
        ]
        if aliases:
            connection.execute(self._aliases, aliases)

    def _record_readings(self, connection: Connection, keeping: VersionDecider) -> None:
        """What readings brought that made no version."""
        if keeping.corrected:
            connection.execute(self._corrected, [
                {"the_post": post.id, "the_version": version, "the_record": record}
                for post, version, record in keeping.corrected.values()
            ])
        if keeping.refused:
            connection.execute(self._refused, [{"the_id": capture_id} for capture_id in keeping.refused])

    def _record_events(self, connection: Connection, keeping: VersionDecider) -> None:
        """What happened to posts."""
        asked = {each.post.id for each in keeping.events if each.after_emptied is not None and each.post.id is not None}
        last = last_of_text(connection, asked) if asked else {}
        insert_events(connection, self._database, [
            Event(
                blog_id=each.post.blog_id, post_id=each.post.id, kind=each.kind, at=each.at, reason=each.reason,
                detail=each.detail,
            )
            for each in worth_telling(keeping.events, last)
        ])

    def _record_media(self, connection: Connection, pairs: Sequence[Pair]) -> None:
        files: Rows = []
        tied: Rows = []
        for visit, stored in pairs:
            if not stored or stored[-1].media_path is None:
                continue
            answer, sha256 = visit.exchanges[-1], stored[-1].digest.removeprefix("sha256:")
            files.append({
                "sha256": sha256, "path": stored[-1].media_path, "bytes": answer.size,
                "type": storable_or_none(answer.header("content-type")),
            })
            tied.append({
                "blog_id": visit.blog_id, "key": storable(visit.key), "url": storable(visit.url), "sha256": sha256,
                "fetched_at": stamp(answer.fetched_at),
            })
        if files:
            connection.execute(self._media_files, sorted(files, key=itemgetter("sha256")))
            connection.execute(self._media, tied)


def _written(visit: Visit, post: Post) -> Written:
    keys = {link.url: link.key for link in visit.links}
    return write_post(post, {item.url: keys.get(item.url) or canonical(item.url) for item in post.media})


def _url_row(visit: Visit, now: str) -> dict[str, Any]:
    state = "failed" if visit.is_unfinished else _STATES.get(visit.outcome, "done")
    return {
        "blog_id": visit.blog_id, "key": storable(visit.key), "url": storable(visit.url),
        "lane": visit.lane or _LANES.get(visit.outcome, "page"), "rank": 0.0,
        "state": state, "outcome": visit.outcome,
        "reason": storable_or_none(visit.reason), "note": storable_or_none(visit.note),
        # Of a post of which a page gave no answer, the good answer of another page is not the last word.
        "status": visit.exchanges[-1].status if visit.exchanges and not visit.is_unfinished else None,
        # A good visit is no failed try, also where the row is new: a link may be visited before it is stored.
        "tries": int(visit.tried and state != "done"),
        "new_posts": visit.new_posts, "found_on": None, "queued_at": now, "visited_at": now,
        "again_at": stamp_or_none(visit.again_at),
    }


def _capture_row(exchange: Exchange, held: Stored) -> dict[str, Any]:
    # An answer "not modified" may leave out what it has said before.
    before = held.original if exchange.status == 304 else None
    return {
        "url": storable(exchange.url), "purpose": exchange.purpose, "status": exchange.status,
        "content_type": _header(exchange, "content-type") or (before.content_type if before else None),
        "etag": _header(exchange, "etag") or (before.etag if before else None),
        "last_modified": _header(exchange, "last-modified") or (before.last_modified if before else None),
        "digest": held.digest, "bytes": exchange.size, "fetched_at": stamp(exchange.fetched_at),
        "offset": held.place.offset, "length": held.place.length,
        "original_id": held.original.id if held.original else None,
    }


def _header(exchange: Exchange, name: str) -> str | None:
    return storable_or_none(exchange.header(name))
