"""Posts on the way out: a version's record, with all that is known about it now."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from sqlalchemy import func, select, true

from everlog.archive.db import schema
from everlog.archive.db.column_values import moment_of, moment_or_none, stamp, storable
from everlog.archive.db.database import in_parts
from everlog.archive.models import PostState, Version
from everlog.archive.repos.post_codec import read_heading, read_record
from everlog.core.urls import canonical
from everlog.records import Media

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from datetime import datetime

    from sqlalchemy import Connection, Row, Select

    from everlog.archive.db.database import Database
    from everlog.records import Post

# 10,000 posts of 60 words stream with a peak of 0.7 MB this way; read at once they take 14.8 MB.
AT_ONCE = 100

_posts, _versions = schema.posts, schema.versions


def all_posts(
    database: Database, *, blog_id: int | None, since: datetime | None, ids: Sequence[int] | None,
) -> Iterator[Post]:
    """Posts as they are now, in the order they were found; read in parts, so that memory stays flat."""
    statement = _chosen(_current(), blog_id, since)
    if ids is None:
        yield from _in_order(database, statement)
        return
    for part in in_parts(sorted(set(ids))):
        yield from _in_order(database, statement.where(_posts.c.id.in_(part)))


def headings(database: Database, *, blog_id: int | None, since: datetime | None) -> Iterator[Post]:
    """The posts that `all_posts` gives, in its order, with their addresses, titles and dates alone."""
    statement = _chosen(
        select(_posts.c.id, _versions.c.record).join_from(_versions, _posts, _posts.c.id == _versions.c.post_id)
        .where(_versions.c.version == _posts.c.version), blog_id, since,
    )
    after = 0
    while True:
        with database.reading() as connection:
            part = statement.where(_posts.c.id > after).order_by(_posts.c.id).limit(AT_ONCE)
            rows = connection.execute(part).all()
            aliases = _aliases(connection, {row.id for row in rows})
        if not rows:
            return
        yield from (read_heading(row.record, tuple(aliases[row.id])) for row in rows)
        after = rows[-1].id


def find_post(database: Database, url: str, *, as_read: bool = False) -> Post | None:
    """The post at this address or one of its aliases, in any spelling; `as_read`: its pictures still on the web."""
    with database.reading() as connection:
        post_id = post_id_of(connection, url)
        if post_id is None:
            return None
        rows = connection.execute(_current().where(_posts.c.id == post_id)).all()
        post = next(iter(_filled(connection, rows)))
        return replace(post, html=read_record(rows[0].record)[0].html) if as_read else post


def versions(database: Database, url: str) -> tuple[Post, ...]:
    """All versions of a post, the oldest first."""
    with database.reading() as connection:
        post_id = post_id_of(connection, url)
        if post_id is None:
            return ()
        statement = _select().where(_posts.c.id == post_id).order_by(_versions.c.version)
        return tuple(_filled(connection, connection.execute(statement).all()))


def history(database: Database, url: str, *, as_read: bool = False) -> tuple[Version, ...]:
    """All versions of a post with the times they were read, the oldest first; `as_read`: pictures still on the web."""
    with database.reading() as connection:
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


def newest_posts(database: Database, blog_id: int, *, limit: int, dated: bool) -> tuple[str, ...]:
    """The keys of posts that are not gone, the newest first; those that do not say when come last, or not at all."""
    statement = select(_posts.c.key).where(_posts.c.blog_id == blog_id, _posts.c.gone.is_(None))
    if dated:
        statement = statement.where(_posts.c.published.is_not(None))
    # The first to be found are the first on the blog's lists: the newer ones.
    order = (_posts.c.published.desc().nulls_last(), _posts.c.id)
    with database.reading() as connection:
        return tuple(connection.scalars(statement.order_by(*order).limit(limit)))


def newest_dates(database: Database, blog_id: int, *, limit: int) -> tuple[datetime, ...]:
    """When the newest posts were published, the newest first."""
    published = _posts.c.published
    statement = select(published).where(_posts.c.blog_id == blog_id, published.is_not(None))
    with database.reading() as connection:
        return tuple(map(moment_of, connection.scalars(statement.order_by(published.desc()).limit(limit))))


def without_comments(database: Database, blog_id: int, *, least_tries: int, most_tries: int) -> tuple[str, ...]:
    """The keys of posts whose comments were not wanted, or could not be had in so many tries."""
    state, tries = _posts.c.comments_state, _posts.c.comment_tries
    statement = select(_posts.c.key).where(
        _posts.c.blog_id == blog_id,
        (state == "off") | ((state == "failed") & (tries >= least_tries) & (tries < most_tries)),
    )
    with database.reading() as connection:
        return tuple(connection.scalars(statement.order_by(_posts.c.id)))


def count_without_comments(database: Database, blog_id: int, *, most_tries: int | None) -> int:
    """How many posts are kept whose comments could not be had, given up (after so many tries) or not."""
    few = true() if most_tries is None else _posts.c.comment_tries < most_tries
    statement = select(func.count()).where(_posts.c.blog_id == blog_id, _posts.c.comments_state == "failed", few)
    with database.reading() as connection:
        return connection.execute(statement).scalar_one()


def post_key(database: Database, blog_id: int, keys: Sequence[str]) -> str | None:
    """The key of the post of a blog that is known under one of these keys, the first that is."""
    aliases = schema.aliases
    with database.reading() as connection:
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


def post_state(database: Database, blog_id: int, key: str) -> PostState | None:
    """Whether a post is still on the web, as far as is known."""
    statement = select(
        _posts.c.id, _posts.c.gone, _posts.c.gone_at, _posts.c.missing_since, _posts.c.missing_tries,
    ).where(_posts.c.key == storable(key), _posts.c.blog_id == blog_id)
    with database.reading() as connection:
        row = connection.execute(statement).first()
    return None if row is None else PostState(
        id=row.id, gone=row.gone, gone_at=moment_or_none(row.gone_at),
        missing_since=moment_or_none(row.missing_since), missing_tries=row.missing_tries or 0,
    )


def _in_order(database: Database, statement: Select[Any]) -> Iterator[Post]:
    after = 0
    while True:
        with database.reading() as connection:
            part = statement.where(_posts.c.id > after).order_by(_posts.c.id).limit(AT_ONCE)
            rows = connection.execute(part).all()
            found = list(_filled(connection, rows))
        if not rows:
            return
        yield from found
        after = rows[-1].post_id


def post_id_of(connection: Connection, url: str) -> int | None:
    """The row of the post at this address or one of its aliases."""
    key = storable(canonical(url))
    for table, number in ((_posts, _posts.c.id), (schema.aliases, schema.aliases.c.post_id)):
        found: int | None = connection.scalar(select(number).where(table.c.key == key).order_by(number).limit(1))
        if found is not None:
            return found
    return None


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
