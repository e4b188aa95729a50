"""What the database knows already about the visits of a batch."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import BindParameter, bindparam, select

from everlog.archive import schema
from everlog.archive.database import in_parts
from everlog.archive.keeping import Keeping, KnownPost, addresses, identity_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sqlalchemy import Connection

    from everlog.archive.post_record import Written
    from everlog.records import Visit

# Made once: with few visits in a batch, SQLAlchemy takes longer to build a statement than to run it.
_WANTED: BindParameter[str] = bindparam("wanted", expanding=True)
_URL_IDS = select(schema.urls.c.blog_id, schema.urls.c.key, schema.urls.c.id).where(
    schema.urls.c.key.in_(_WANTED), schema.urls.c.blog_id.in_(bindparam("blogs", expanding=True)),
)
_POSTS_BY_KEY = select(schema.posts).where(schema.posts.c.key.in_(_WANTED))
_POSTS_BY_CONTENT = select(schema.posts).where(schema.posts.c.content.in_(_WANTED))


def url_ids(connection: Connection, keys: set[tuple[int, str]]) -> dict[tuple[int, str], int]:
    """The rows of URLs, by blog and canonical spelling."""
    found: dict[tuple[int, str], int] = {}
    for part in in_parts(sorted(keys)):
        values = {"wanted": [key for _, key in part], "blogs": sorted({blog for blog, _ in part})}
        rows = connection.execute(_URL_IDS, values)
        found.update({(blog_id, key): number for blog_id, key, number in rows})
    return found


def latest_answer(connection: Connection, visit: Visit, url_id: int) -> int | None:
    """The capture a post was read from again."""
    if visit.post is None:
        return None
    table = schema.captures
    found: int | None = connection.scalar(
        select(table.c.id)
        .where(
            table.c.blog_id == visit.blog_id, table.c.url_id == url_id, table.c.answer,
            table.c.status.between(200, 299) | table.c.original_id.is_not(None),
        )
        .order_by(table.c.id.desc())
        .limit(1),
    )
    return found


def capture_before(
    connection: Connection, new: Sequence[Mapping[str, Any]], post: KnownPost, version: int,
) -> int | None:
    """The capture of the version before: a post read again may be known under another address than its page."""
    before = {"post_id": post.id, "version": version - 1}
    for row in new:
        if before.items() <= row.items():
            return row["capture_id"]  # type: ignore[no-any-return]
    table = schema.versions
    found: int | None = connection.scalar(
        select(table.c.capture_id).where(table.c.post_id == post.id, table.c.version == version - 1),
    )
    return found


def known_posts(connection: Connection, visits: Sequence[Visit], written: Mapping[int, Written]) -> Keeping:
    """The stored posts that a batch may be about: by identity, by any address, by content."""
    keys: set[str] = set()
    for visit in visits:
        if visit.post is not None:
            keys |= {identity_of(visit), *(key for key, _ in addresses(visit))}
        elif visit.outcome == "failed" or visit.post_key is not None:
            keys.add(identity_of(visit))
    contents = {post.content for post in written.values() if post.content}
    rows: dict[int, KnownPost] = {}
    for statement, wanted in ((_POSTS_BY_KEY, keys), (_POSTS_BY_CONTENT, contents)):
        for part in in_parts(sorted(wanted)):
            found = connection.execute(statement, {"wanted": part})
            rows |= {row.id: KnownPost(**row._mapping) for row in found if row.id not in rows}
    keeping = Keeping({}, {})
    for post in sorted(rows.values(), key=lambda post: post.id or 0):
        keeping.by_key[post.blog_id, post.key] = post
        if post.content:
            keeping.by_content.setdefault((post.blog_id, post.content), post)
    return keeping
