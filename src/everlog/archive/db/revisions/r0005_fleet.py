"""Jobs of a fleet, who does them, and whose turn it is at a host; WARC files that hold captures of several blogs.

Keys that are longer than an index of PostgreSQL takes become as long as it takes them; bodies and posts are looked for
by content within their blog.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

import sqlalchemy as sa
from alembic import op

from everlog.core.urls import LONGEST_KEY_BYTES, bounded

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None

NUMBER = sa.BigInteger().with_variant(sa.Integer, "sqlite")


def upgrade() -> None:
    with op.batch_alter_table("warc_files") as files:
        files.alter_column("blog_id", existing_type=NUMBER, existing_nullable=False, nullable=True)
    op.add_column("polls", sa.Column("job_id", NUMBER))
    op.create_index("polls_of_job", "polls", ["job_id"])
    op.create_index(
        "polls_free", "polls", ["due_at", "blog_id"], postgresql_where=sa.text("job_id IS NULL"),
        sqlite_where=sa.text("job_id IS NULL"),
    )
    for name, table, column in (("captures_by_digest", "captures", "digest"), ("posts_by_content", "posts", "content")):
        op.drop_index(name, table)
        op.create_index(name, table, [column, "blog_id"])
    _bound_keys()
    _make_jobs()
    _make_grants()
    _make_workers()


def _bound_keys() -> None:
    connection = op.get_bind()
    _bound_in(connection, "blogs", of_blog="id")
    blogs: set[int] = set()
    for table in ("urls", "posts", "aliases", "media"):
        blogs |= _bound_in(connection, table)
    for blog_id in sorted(blogs):
        _bound_records(connection, blog_id)


def _bound_in(connection: sa.Connection, name: str, *, of_blog: str = "blog_id") -> set[int]:
    """Bound the keys of a table. The blogs that had such."""
    table = sa.table(name, sa.column("key"), sa.column(of_blog))
    # A character takes one to four bytes; which of these are too long is seen here.
    long = sa.select(table).where(sa.func.length(table.c.key) * 4 > LONGEST_KEY_BYTES)
    changed = [
        {"old": key, "new": bounded(key), "blog": blog_id}
        for key, blog_id in connection.execute(long) if bounded(key) != key
    ]
    if changed:
        statement = table.update().where(table.c.key == sa.bindparam("old"), table.c[of_blog] == sa.bindparam("blog"))
        connection.execute(statement.values(key=sa.bindparam("new")), changed)
    return {row["blog"] for row in changed}


def _bound_records(connection: sa.Connection, blog_id: int) -> None:
    """A version names its pictures by their addresses and keys."""
    posts = sa.table("posts", sa.column("id"), sa.column("blog_id"))
    versions = sa.table("versions", sa.column("post_id"), sa.column("version"), sa.column("record"))
    of_blog = connection.execute(sa.select(posts.c.id).where(posts.c.blog_id == blog_id)).scalars().all()
    # One post at a time: some are large.
    for post_id in of_blog:
        for version, record in connection.execute(
            sa.select(versions.c.version, versions.c.record).where(versions.c.post_id == post_id),
        ).all():
            found: dict[str, Any] = json.loads(record)
            media = _bounded_media(found["media"])
            if media != found["media"]:
                connection.execute(
                    versions.update().where(versions.c.post_id == post_id, versions.c.version == version)
                    .values(record=json.dumps(found | {"media": media}, ensure_ascii=False)),
                )


def _bounded_media(media: Iterable[tuple[str, str]]) -> list[list[str]]:
    return [[url, bounded(key)] for url, key in media]


def _text(name: str) -> sa.Column[str]:
    return sa.Column(name, sa.Text, nullable=False)


def _seconds(name: str) -> sa.Column[float]:
    return sa.Column(name, sa.Float, nullable=False)


def _count(name: str) -> sa.Column[int]:
    return sa.Column(name, sa.BigInteger, nullable=False)


def _make_jobs() -> None:
    op.create_table(
        "jobs", sa.Column("id", NUMBER, primary_key=True), _text("kind"), sa.Column("key", sa.Text, unique=True),
        sa.Column("url", sa.Text), sa.Column("host", sa.Text), sa.Column("blog_ids", sa.Text), _text("settings"),
        _text("queue"), sa.Column("needs_browser", sa.Boolean, nullable=False), _text("state"),
        sa.Column("tries", sa.Integer, nullable=False), sa.Column("slices", sa.Integer, nullable=False),
        _count("requests"), _count("posts"), sa.Column("reason", sa.Text), sa.Column("due_at", sa.Text),
        _text("added_at"), sa.Column("queued_at", sa.Float), sa.Column("fence", NUMBER),
    )
    op.create_index("jobs_by_state", "jobs", ["state", "queue", "queued_at"])
    op.create_index("jobs_by_host", "jobs", ["host", "state"])
    op.create_index("jobs_parked", "jobs", ["state", "due_at"])


def _make_grants() -> None:
    op.create_table(
        "grants", sa.Column("fence", NUMBER, primary_key=True),
        sa.Column("job_id", NUMBER, sa.ForeignKey("jobs.id")), _text("worker"), _seconds("begun"), _seconds("beat"),
        _count("requests"), sqlite_autoincrement=True,
    )
    op.create_index("grants_by_beat", "grants", ["beat"])
    op.create_index("grants_of_job", "grants", ["job_id"])
    op.create_table(
        "leases", sa.Column("host", sa.Text, primary_key=True),
        sa.Column("fence", NUMBER, sa.ForeignKey("grants.fence", ondelete="CASCADE"), nullable=False),
    )
    op.create_index("leases_of_grant", "leases", ["fence"])


def _make_workers() -> None:
    op.create_table("turns", sa.Column("host", sa.Text, primary_key=True), _seconds("free"), _seconds("held"))
    op.create_table(
        "workers", sa.Column("name", sa.Text, primary_key=True), sa.Column("processes", sa.Integer, nullable=False),
        sa.Column("has_browser", sa.Boolean, nullable=False), _text("started_at"), _seconds("beat"),
        sa.Column("draining", sa.Boolean, nullable=False), _count("slices"), _count("requests"), _count("posts"),
        _count("failures"), _seconds("busy_seconds"),
    )
