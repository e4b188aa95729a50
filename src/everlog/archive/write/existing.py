"""What the database knows already about the visits of a batch."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any

from sqlalchemy import BindParameter, bindparam, func, or_, select

from everlog.archive.db import schema
from everlog.archive.db.column_values import stamp
from everlog.archive.db.database import in_parts
from everlog.archive.write.version_decider import KnownPost, VersionDecider, addresses, identity_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from sqlalchemy import Connection

    from everlog.archive.repos.post_codec import Written
    from everlog.archive.write.post_events import Company
    from everlog.records import Visit

# What a visit may come to that brings no post where one is held.
_OF_POSTS = frozenset({"failed", "unchanged", "listing", "page", "skip"})
# Posts that are looked at in one run are looked at within these hours.
ONE_RUN = timedelta(hours=6)
# Made once: with few visits in a batch, SQLAlchemy takes longer to build a statement than to run it.
_WANTED: BindParameter[str] = bindparam("wanted", expanding=True)
_URL_IDS = select(schema.urls.c.blog_id, schema.urls.c.key, schema.urls.c.id).where(
    schema.urls.c.key.in_(_WANTED), schema.urls.c.blog_id.in_(bindparam("blogs", expanding=True)),
)
# Pages that many blogs have to the letter ("not found", "hello world") are looked for among those of the batch only.
_OF_BLOGS = schema.posts.c.blog_id.in_(bindparam("blogs", expanding=True))
_POSTS_BY_KEY = select(schema.posts).where(schema.posts.c.key.in_(_WANTED), _OF_BLOGS)
_RECORDS = (
    select(schema.versions.c.post_id, schema.versions.c.record)
    .join(
        schema.posts,
        (schema.posts.c.id == schema.versions.c.post_id) & (schema.posts.c.version == schema.versions.c.version),
    )
    .where(schema.versions.c.post_id.in_(bindparam("wanted", expanding=True)))
)
_POSTS_BY_CONTENT = select(schema.posts).where(schema.posts.c.content.in_(_WANTED), _OF_BLOGS)


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
            table.c.status.between(200, 299) | ((table.c.status == 304) & table.c.original_id.is_not(None)),
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
    keeping = VersionDecider({}, {})
    for post in sorted(rows.values(), key=lambda post: post.id or 0):
        keeping.by_key[post.blog_id, post.key] = post
        if post.content:
            keeping.by_content.setdefault((post.blog_id, post.content), post)
    _add_records(connection, keeping, visits, written)
    keeping.company = company_of(connection, keeping)
    return keeping


def company_of(connection: Connection, keeping: VersionDecider) -> Company:
    """What tells deletions from a blog that is rebuilt: how many posts vanished when one did, how many are well."""
    asked: dict[tuple[int, str], tuple[int, int]] = {}

    def company(known: KnownPost, since: datetime) -> tuple[int, int]:
        # By the hour, so that posts which vanish one after the other ask one question.
        start = stamp(since.replace(minute=0, second=0, microsecond=0) - ONE_RUN)
        batch = [post for post in keeping.by_key.values() if post.blog_id == known.blog_id and post.id is not None]
        if (known.blog_id, start) not in asked:
            stored = _vanished(connection, known.blog_id, start, besides=[post.id for post in batch])
            asked[known.blog_id, start] = stored, _seen_well(connection, known.blog_id, start)
        vanished, seen = asked[known.blog_id, start]
        return vanished + sum(post is not known and (post.missing_since or "") >= start for post in batch), seen

    return company


def _vanished(connection: Connection, blog_id: int, start: str, *, besides: Sequence[int | None]) -> int:
    posts = schema.posts
    return connection.execute(
        select(func.count()).where(
            posts.c.blog_id == blog_id, posts.c.missing_since >= start, posts.c.id.not_in(besides),
        ),
    ).scalar_one()


def _seen_well(connection: Connection, blog_id: int, start: str) -> int:
    captures, urls = schema.captures, schema.urls
    held = select(schema.posts.c.key).where(schema.posts.c.blog_id == blog_id)
    return connection.execute(
        select(func.count(captures.c.url_id.distinct()))
        .join_from(captures, urls, urls.c.id == captures.c.url_id)
        .where(
            captures.c.blog_id == blog_id, captures.c.fetched_at >= start, captures.c.answer,
            urls.c.outcome.in_(["post", "unchanged"]), or_(urls.c.lane == "post", urls.c.key.in_(held)),
        ),
    ).scalar_one()


def _add_records(
    connection: Connection, keeping: VersionDecider, visits: Sequence[Visit], written: Mapping[int, Written],
) -> None:
    """The held versions of posts that were read otherwise this time."""
    differing: dict[int, KnownPost] = {}
    for position, post in written.items():
        visit = visits[position]
        known = keeping.by_key.get((visit.blog_id, identity_of(visit)))
        if known is not None and known.id is not None and known.digest != post.digest:
            differing[known.id] = known
    for part in in_parts(sorted(differing)):
        for post_id, record in connection.execute(_RECORDS, {"wanted": part}):
            differing[post_id].record = record
