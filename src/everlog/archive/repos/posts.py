"""Post repository: posts and their versions on the way out, with all that is known about them now."""

from __future__ import annotations

import json
from collections import defaultdict
from dataclasses import replace
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, Row, Select, func, or_, select, true

from everlog.archive.db import schema
from everlog.archive.db.column_values import moment_of, moment_or_none, stamp, storable
from everlog.archive.db.database import Database, in_parts
from everlog.archive.models import LostPost, PostState, Version
from everlog.archive.post_codec import read_heading, read_record
from everlog.archive.repos.post_parts import IS_CURRENT, IS_POST, post_id_of, record_head, url_in
from everlog.core.moments import Moment, as_moment_or_none
from everlog.records import Media, Post

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from datetime import datetime

    from everlog.archive.projection.filters import PostFilter
    from everlog.archive.repos.post_rechecks import RecheckRepository

# 10,000 posts of 60 words stream with a peak of 0.7 MB this way; read at once they take 14.8 MB.
AT_ONCE = 100
# How the record of a post says that other methods read its article otherwise.
DISAGREES = '"disagrees": "'

_posts, _versions = schema.posts, schema.versions


class PostRepository:
    """The posts of all blogs, with their versions."""

    def __init__(self, database: Database) -> None:
        self.database = database

    @cached_property
    def rechecks(self) -> RecheckRepository:
        """When the page of each post is looked at again."""
        from everlog.archive.repos.post_rechecks import RecheckRepository  # noqa: PLC0415 - only who watches needs it

        return RecheckRepository(self.database)

    def __call__(
        self, *, blog_id: int | None = None, since: Moment | None = None, ids: Sequence[int] | None = None,
        chosen: PostFilter | None = None,
    ) -> Iterator[Post]:
        """Posts as they are now, in the order they were found; `since` is about `published`.

        They are read in parts, so that memory stays flat.
        """
        statement = _filtered(_chosen(_current(), blog_id, as_moment_or_none(since)), chosen)
        if ids is None:
            return self._in_order(statement)
        parts = [statement.where(_posts.c.id.in_(part)) for part in in_parts(sorted(set(ids)))]
        return chain.from_iterable(map(self._in_order, parts))

    def has_any_on(self, host: str) -> bool:
        """Whether a post of any blog is held under an address on a host; True where that cannot be told quickly."""
        # All that may stand behind a host, `#` to `?`.
        of_host = [(table.c.key >= host) & (table.c.key < host + "@") for table in (_posts, schema.aliases)]
        with self.database.reading() as connection:
            if connection.dialect.name != "sqlite":  # elsewhere a range of texts is one of some language's alphabet
                return True
            return any(connection.execute(select(true()).where(keys).limit(1)).first() is not None for keys in of_host)

    def headings(
        self, *, blog_id: int | None = None, since: Moment | None = None, chosen: PostFilter | None = None,
    ) -> Iterator[Post]:
        """The same posts in the same order, with their addresses, titles and dates alone."""
        records = select(_posts.c.id, _versions.c.record).join_from(_versions, _posts, IS_CURRENT)
        return self._headings(_filtered(_chosen(records, blog_id, as_moment_or_none(since)), chosen))

    def _headings(self, statement: Select[Any]) -> Iterator[Post]:
        after = 0
        while True:
            with self.database.reading() as connection:
                part = statement.where(_posts.c.id > after).order_by(_posts.c.id).limit(AT_ONCE)
                rows = connection.execute(part).all()
                aliases = _aliases(connection, {row.id for row in rows})
            if not rows:
                return
            yield from (read_heading(row.record, tuple(aliases[row.id])) for row in rows)
            after = rows[-1].id

    def find(self, url: str, *, as_read: bool = False) -> Post | None:
        """The post at this address or one of its aliases, in any spelling; `as_read`: its pictures still on the web."""
        with self.database.reading() as connection:
            post_id = post_id_of(connection, url)
            if post_id is None:
                return None
            rows = connection.execute(_current().where(_posts.c.id == post_id)).all()
            post = next(iter(_filled(connection, rows)))
            return replace(post, html=read_record(rows[0].record)[0].html) if as_read else post

    def versions(self, url: str) -> tuple[Post, ...]:
        """All versions of a post, the oldest first."""
        with self.database.reading() as connection:
            post_id = post_id_of(connection, url)
            if post_id is None:
                return ()
            statement = _select().where(_posts.c.id == post_id).order_by(_versions.c.version)
            return tuple(_filled(connection, connection.execute(statement).all()))

    def history(self, url: str, *, as_read: bool = False) -> tuple[Version, ...]:
        """All versions of a post with the times they were read, the oldest first; `as_read`: as for `find`."""
        with self.database.reading() as connection:
            post_id = post_id_of(connection, url)
            if post_id is None:
                return ()
            statement = _select().add_columns(_versions.c.read_at).where(_posts.c.id == post_id)
            rows = connection.execute(statement.order_by(_versions.c.version)).all()
            found: list[Version] = []
            for row, filled in zip(rows, _filled(connection, rows), strict=True):
                post = replace(filled, html=read_record(row.record)[0].html) if as_read else filled
                same_page = bool(found) and post.warc is not None and post.warc == found[-1].post.warc
                found.append(Version(post=post, read_at=moment_of(row.read_at), same_page=same_page))
            return tuple(found)

    def version_times(self, post_id: int) -> tuple[tuple[int, datetime], ...]:
        """The numbers of a post's versions and when each was read, the oldest first."""
        statement = select(_versions.c.version, _versions.c.read_at).where(_versions.c.post_id == post_id)
        with self.database.reading() as connection:
            rows = connection.execute(statement.order_by(_versions.c.version)).all()
        return tuple((row.version, moment_of(row.read_at)) for row in rows)

    def newest(self, blog_id: int, *, limit: int, dated: bool = False) -> tuple[str, ...]:
        """The keys of posts that are not gone, the newest first, those without a date last; `dated`: without these."""
        statement = select(_posts.c.key).where(_posts.c.blog_id == blog_id, _posts.c.gone.is_(None), IS_POST)
        if dated:
            statement = statement.where(_posts.c.published.is_not(None))
        # The first to be found are the first on the blog's lists: the newer ones.
        order = (_posts.c.published.desc().nulls_last(), _posts.c.id)
        with self.database.reading() as connection:
            return tuple(connection.scalars(statement.order_by(*order).limit(limit)))

    def newest_dates(self, blog_id: int, *, limit: int) -> tuple[datetime, ...]:
        """When the newest posts were published, the newest first."""
        published = _posts.c.published
        statement = select(published).where(_posts.c.blog_id == blog_id, published.is_not(None), IS_POST)
        with self.database.reading() as connection:
            return tuple(map(moment_of, connection.scalars(statement.order_by(published.desc()).limit(limit))))

    def key(self, blog_id: int, *keys: str) -> str | None:
        """The key of the post that is known under one of these, the first that is: as its own, or as an alias."""
        aliases = schema.aliases
        with self.database.reading() as connection:
            for key in map(storable, keys):
                own = select(_posts.c.key).where(_posts.c.key == key, _posts.c.blog_id == blog_id)
                other = (
                    select(_posts.c.key).join(aliases, aliases.c.post_id == _posts.c.id)
                    .where(aliases.c.key == key, aliases.c.blog_id == blog_id)
                )
                for statement in (own, other):
                    found: str | None = connection.scalar(statement)
                    if found is not None:
                        return found
        return None

    def state(self, blog_id: int, key: str) -> PostState | None:
        """Whether a post is still on the web, as far as is known; None if there is no such post."""
        statement = select(
            _posts.c.id, _posts.c.gone, _posts.c.gone_at, _posts.c.missing_since, _posts.c.missing_tries,
        ).where(_posts.c.key == storable(key), _posts.c.blog_id == blog_id)
        with self.database.reading() as connection:
            row = connection.execute(statement).first()
        return None if row is None else PostState(
            id=row.id, gone=row.gone, gone_at=moment_or_none(row.gone_at),
            missing_since=moment_or_none(row.missing_since), missing_tries=row.missing_tries or 0,
        )

    def count(self, blog_id: int) -> int:
        """How many posts are held of a blog."""
        with self.database.reading() as connection:
            return connection.execute(select(func.count()).where(_posts.c.blog_id == blog_id, IS_POST)).scalar_one()

    def pages(self, blog_id: int) -> frozenset[str]:
        """The keys of pages that are held beside the posts: they are few."""
        with self.database.reading() as connection:
            return frozenset(connection.scalars(select(_posts.c.key).where(_posts.c.blog_id == blog_id, ~IS_POST)))

    def _in_order(self, statement: Select[Any]) -> Iterator[Post]:
        after = 0
        while True:
            with self.database.reading() as connection:
                part = statement.where(_posts.c.id > after).order_by(_posts.c.id).limit(AT_ONCE)
                rows = connection.execute(part).all()
                found = list(_filled(connection, rows))
            if not rows:
                return
            yield from found
            after = rows[-1].post_id

    def lost(self, blog_id: int) -> Iterator[LostPost]:
        """The posts of a blog that are gone from the web, or were not there on the last looks."""
        statement = (
            select(_posts.c.key, _posts.c.gone, _posts.c.gone_at, _posts.c.missing_since, _posts.c.missing_tries,
                   record_head().label("head"))
            .join(_versions, IS_CURRENT)
            .where(_posts.c.blog_id == blog_id, _posts.c.gone.is_not(None) | _posts.c.missing_since.is_not(None))
            .order_by(_posts.c.id)
        )
        with self.database.reading() as connection:
            for row in connection.execute(statement):
                yield LostPost(
                    url=url_in(row.head, row.key) or row.key, reason=row.gone,
                    since=moment_or_none(row.gone_at if row.gone is not None else row.missing_since),
                    looks=row.missing_tries or 0,
                )

    def unsure(self, blog_id: int) -> Iterator[tuple[str, str]]:
        """The posts of a blog whose article other methods read otherwise, and what speaks against it."""
        # Inside a text every quotation mark is escaped: this is found nowhere but among the names of a record.
        is_unsure = _versions.c.record.contains(DISAGREES, autoescape=True)
        statement = (
            select(_posts.c.key, _versions.c.record)
            .join(_versions, IS_CURRENT)
            .where(_posts.c.blog_id == blog_id, is_unsure).order_by(_posts.c.id)
        )
        with self.database.reading() as connection:
            for row in connection.execute(statement):
                record = json.loads(row.record)
                reason = record["provenance"].get("text", {}).get("disagrees")
                if reason is not None:
                    yield record["url"], reason


def _select() -> Select[Any]:
    captures, files = schema.captures, schema.warc_files
    original = captures.alias("original")
    return (
        select(
            _versions.c.post_id, _versions.c.version, _versions.c.record, _posts.c.gone, _posts.c.blog_id,
            schema.blogs.c.home, files.c.name.label("warc"),
            func.coalesce(original.c.offset, captures.c.offset).label("offset"),
        )
        .join_from(_versions, _posts, _posts.c.id == _versions.c.post_id)
        .join(schema.blogs, schema.blogs.c.id == _posts.c.blog_id)
        .join(captures, captures.c.id == _versions.c.capture_id, isouter=True)
        .join(original, original.c.id == captures.c.original_id, isouter=True)
        .join(files, files.c.id == func.coalesce(original.c.warc_id, captures.c.warc_id), isouter=True)
    )


def _chosen(statement: Select[Any], blog_id: int | None, since: datetime | None) -> Select[Any]:
    if blog_id is not None:
        statement = statement.where(_posts.c.blog_id == blog_id)
    return statement if since is None else statement.where(_posts.c.published >= stamp(since))


def _filtered(statement: Select[Any], chosen: PostFilter | None) -> Select[Any]:
    """Those of the posts that a filter lets through, by their rows for lists."""
    if chosen is None:
        return statement
    listed = schema.post_summaries
    return statement.join(listed, listed.c.post_id == _posts.c.id).where(chosen.all_conditions)


def _current() -> Select[Any]:
    return _select().where(_versions.c.version == _posts.c.version)


def _filled(connection: Connection, rows: Sequence[Row[Any]]) -> Iterator[Post]:
    """The posts of these rows with their aliases and files."""
    aliases = _aliases(connection, {row.post_id for row in rows})
    read = [(row, *read_record(row.record)) for row in rows]
    files = _files(connection, {(row.blog_id, key) for row, _, media in read for _, key in media})
    for row, post, media in read:
        held = tuple(_media(url, files.get((row.blog_id, key))) for url, key in media)
        yield replace(
            post, blog=row.home, aliases=tuple(aliases[row.post_id]), media=held, html=_rewritten(post.html, held),
            version=row.version, gone=row.gone, warc=None if row.warc is None else (row.warc, row.offset),
        )


def _aliases(connection: Connection, post_ids: Iterable[int]) -> dict[int, list[str]]:
    found: dict[int, list[str]] = defaultdict(list)
    table = schema.aliases
    for part in in_parts(sorted(post_ids)):
        for post_id, url in connection.execute(select(table.c.post_id, table.c.url).where(table.c.post_id.in_(part))):
            found[post_id].append(url)
    # Sorted here: each database has an order of letters of its own.
    for urls in found.values():
        urls.sort()
    return found


def _files(connection: Connection, wanted: set[tuple[int, str]]) -> dict[tuple[int, str], Row[Any]]:
    tied, files = schema.media, schema.media_files
    found: dict[tuple[int, str], Row[Any]] = {}
    for part in in_parts(sorted(wanted)):
        statement = select(tied.c.blog_id, tied.c.key, files).join(files, files.c.sha256 == tied.c.sha256).where(
            # A picture that many blogs show has a row for each.
            tied.c.key.in_([key for _, key in part]), tied.c.blog_id.in_(sorted({blog_id for blog_id, _ in part})),
        )
        found |= {(row.blog_id, row.key): row for row in connection.execute(statement)}
    return found


def _media(url: str, file: Row[Any] | None) -> Media:
    if file is None:
        return Media(url=url)
    return Media(url=url, path=file.path, sha256=file.sha256, type=file.type, bytes=file.bytes)


def _rewritten(html: str, held: Iterable[Media]) -> str:
    """The article with the addresses of what is kept pointing into the archive."""
    paths = {item.url: item.path for item in held if item.path is not None}
    if not paths:
        return html
    from everlog.markup.media import rewrite  # noqa: PLC0415 - parses; posts without media do not need it

    return rewrite(html, paths)


def count_vanished(connection: Connection, blog_id: int, start: str, *, besides: Sequence[int | None]) -> int:
    """How many posts of a blog, besides some, are missing since a time or later."""
    return connection.execute(
        select(func.count()).where(
            _posts.c.blog_id == blog_id, _posts.c.missing_since >= start, _posts.c.id.not_in(besides),
        ),
    ).scalar_one()


def count_seen_well(connection: Connection, blog_id: int, start: str) -> int:
    """How many posts of a blog answered well since a time."""
    captures, urls = schema.captures, schema.urls
    held = select(_posts.c.key).where(_posts.c.blog_id == blog_id)
    return connection.execute(
        select(func.count(captures.c.url_id.distinct()))
        .join_from(captures, urls, urls.c.id == captures.c.url_id)
        .where(
            captures.c.blog_id == blog_id, captures.c.fetched_at >= start, captures.c.answer,
            urls.c.outcome.in_(["post", "unchanged"]), or_(urls.c.lane == "post", urls.c.key.in_(held)),
        ),
    ).scalar_one()
