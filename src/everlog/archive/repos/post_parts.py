"""Post parts: the rows and files that belong to a post, declared once; and how the row of a post is found.

    versions      what was read, each from a capture
    aliases       other addresses of the post
    rechecks      when its page is looked at again
    events        what happened to it
    indexed       its version in the search index, and its document there
    post_summaries, post_terms, post_links    what lists show of it (`archive/projection`)
    hidden_posts  whether it is hidden
    captures      the answers of its addresses, each at a place in a WARC file
    media         the pictures and files that its versions name; other posts may name them as well
"""

from __future__ import annotations

import json
from collections.abc import Collection
from contextlib import suppress

from sqlalchemy import ColumnElement, Connection, bindparam, func, or_, select

from everlog.archive.db import schema
from everlog.archive.db.column_values import storable
from everlog.archive.db.database import in_parts
from everlog.archive.files.warc_writer import Place
from everlog.archive.models import PostBelongings
from everlog.archive.post_codec import read_record
from everlog.core.urls import canonical

# A version's record begins with the address of its post, and addresses are shorter than this.
_OPENING = '{"url": '
_HEAD = 4_000

_posts, _versions = schema.posts, schema.versions
# Tables whose rows name the post they belong to in `post_id`, and what a row of each is called. A table that is new
# here is verified, and found by whoever has to know all that belongs to a post.
PARTS = {
    schema.versions: "a version", schema.aliases: "an alias", schema.rechecks: "a recheck", schema.events: "an event",
    schema.indexed: "an entry of the search index", schema.post_summaries: "a line for lists",
    schema.post_terms: "a tag, author or language", schema.post_links: "a link",
    schema.hidden_posts: "a mark that it is hidden",
}
# The version of a post that is in force.
# Pages beside the posts ("about") are kept like them, and counted apart.
IS_POST: ColumnElement[bool] = _posts.c.kind == "post"
IS_CURRENT: ColumnElement[bool] = (_versions.c.post_id == _posts.c.id) & (_versions.c.version == _posts.c.version)
# Asked for every page of a crawl, mostly in vain: one statement, made once.
_ID_OF_KEY = select(func.coalesce(
    select(func.min(_posts.c.id)).where(_posts.c.key == bindparam("key")).scalar_subquery(),
    select(func.min(schema.aliases.c.post_id)).where(schema.aliases.c.key == bindparam("key")).scalar_subquery(),
))


def post_id_of(connection: Connection, url: str) -> int | None:
    """The row of the post at this address or one of its aliases."""
    found: int | None = connection.execute(_ID_OF_KEY, {"key": storable(canonical(url))}).scalar()
    return found


def record_head() -> ColumnElement[str]:
    """So much of a version's record as holds the address of its post: articles are long."""
    return func.substr(_versions.c.record, 1, _HEAD)


def url_in(head: str | None, key: str | None) -> str | None:
    """The address of a post, from the beginning of its record; else the key, which is one without its scheme.

    >>> url_in('{"url": "https://a.example/x", "fetched": nu', "a.example/x"), url_in(None, "a.example/x")
    ('https://a.example/x', 'http://a.example/x')
    """
    if head is not None and head.startswith(_OPENING):
        with suppress(ValueError):
            return str(json.JSONDecoder().raw_decode(head, len(_OPENING))[0])
    return None if key is None else f"http://{key}"


def belongings_of(connection: Connection, post_id: int) -> PostBelongings | None:
    """All that belongs to a post; None if there is no such post."""
    post = connection.execute(select(_posts).where(_posts.c.id == post_id)).first()
    if post is None:
        return None
    rows = {
        table: connection.execute(select(table).where(table.c.post_id == post_id).order_by(*table.primary_key)).all()
        for table in PARTS
    }
    keys = {post.key, *(row.key for row in rows[schema.aliases])}
    read_from = {row.capture_id for row in rows[schema.versions]} - {None}
    named = {key for row in rows[schema.versions] for _, key in read_record(row.record)[1]}
    captures = _captures(connection, post.blog_id, keys, read_from)
    return PostBelongings(
        id=post_id, blog_id=post.blog_id, key=post.key,
        versions=tuple(row.version for row in rows[schema.versions]),
        aliases=tuple(row.url for row in rows[schema.aliases]),
        events=tuple(row.id for row in rows[schema.events]),
        indexed=next((row.version for row in rows[schema.indexed]), None),
        has_recheck=bool(rows[schema.rechecks]),
        captures=captures, copies=_copies(connection, set(captures)),
        media=_media_paths(connection, post.blog_id, named),
    )


def _captures(
    connection: Connection, blog_id: int, keys: Collection[str], read_from: Collection[int],
) -> dict[int, Place]:
    captures, urls, files = schema.captures, schema.urls, schema.warc_files
    statement = (
        select(captures.c.id, files.c.name, captures.c.offset, captures.c.length)
        .join(urls, urls.c.id == captures.c.url_id).join(files, files.c.id == captures.c.warc_id)
        .where(captures.c.blog_id == blog_id, or_(urls.c.key.in_(keys), captures.c.id.in_(read_from)))
        .order_by(captures.c.id)
    )
    return {
        row.id: Place(file=row.name, offset=row.offset, length=row.length) for row in connection.execute(statement)
    }


def _copies(connection: Connection, captures: Collection[int]) -> tuple[int, ...]:
    """The captures of other addresses whose body stands in one of these."""
    table, found = schema.captures, set[int]()
    for part in in_parts(sorted(captures)):
        found.update(connection.scalars(select(table.c.id).where(table.c.original_id.in_(part))))
    return tuple(sorted(found.difference(captures)))


def _media_paths(connection: Connection, blog_id: int, keys: Collection[str]) -> tuple[str, ...]:
    tied, files, found = schema.media, schema.media_files, set[str]()
    for part in in_parts(sorted(keys)):
        found.update(connection.scalars(
            select(files.c.path).join(tied, tied.c.sha256 == files.c.sha256)
            .where(tied.c.blog_id == blog_id, tied.c.key.in_(part)),
        ))
    return tuple(sorted(found))
