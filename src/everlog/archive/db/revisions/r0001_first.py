"""The first schema of an archive."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None

NUMBER = sa.BigInteger().with_variant(sa.Integer, "sqlite")


def upgrade() -> None:
    """All tables; one function a room of the schema."""
    _blogs_and_queue()
    _captures()
    _posts()
    _media()
    _runs()


def _blogs_and_queue() -> None:
    op.create_table(
        "blogs",
        sa.Column("id", NUMBER, primary_key=True),
        sa.Column("key", sa.Text, nullable=False, unique=True),
        sa.Column("home", sa.Text, nullable=False),
        sa.Column("title", sa.Text),
        sa.Column("feed_url", sa.Text),
        sa.Column("scope", sa.Text, nullable=False),
        sa.Column("state", sa.Text, nullable=False),
        sa.Column("template", sa.Text),
        sa.Column("knowledge", sa.Text),
        sa.Column("added_at", sa.Text, nullable=False),
        sa.Column("crawled_at", sa.Text),
        sa.Column("forgotten_at", sa.Text),
    )
    op.create_table(
        "urls",
        sa.Column("id", NUMBER, primary_key=True),
        sa.Column("blog_id", NUMBER, sa.ForeignKey("blogs.id"), nullable=False),
        sa.Column("key", sa.Text, nullable=False),
        sa.Column("url", sa.Text, nullable=False),
        sa.Column("lane", sa.Text, nullable=False),
        sa.Column("rank", sa.Float, nullable=False),
        sa.Column("state", sa.Text, nullable=False),
        sa.Column("outcome", sa.Text),
        sa.Column("reason", sa.Text),
        sa.Column("note", sa.Text),
        sa.Column("status", sa.Integer),
        sa.Column("tries", sa.Integer, nullable=False),
        sa.Column("new_posts", sa.Integer, nullable=False),
        sa.Column("found_on", sa.Text),
        sa.Column("queued_at", sa.Text, nullable=False),
        sa.Column("visited_at", sa.Text),
        sa.Column("again_at", sa.Text),
        sa.UniqueConstraint("key", "blog_id", name="one_url"),
    )
    op.create_index("urls_waiting", "urls", ["blog_id", "state", "lane", "id"])


def _captures() -> None:
    op.create_table(
        "warc_files",
        sa.Column("id", NUMBER, primary_key=True),
        sa.Column("blog_id", NUMBER, sa.ForeignKey("blogs.id"), nullable=False),
        sa.Column("name", sa.Text, nullable=False, unique=True),
        sa.Column("length", sa.BigInteger, nullable=False),
        sa.Column("closed", sa.Boolean, nullable=False),
    )
    op.create_table(
        "captures",
        sa.Column("id", NUMBER, primary_key=True),
        sa.Column("blog_id", NUMBER, sa.ForeignKey("blogs.id"), nullable=False),
        sa.Column("url_id", NUMBER, sa.ForeignKey("urls.id"), nullable=False),
        sa.Column("url", sa.Text, nullable=False),
        sa.Column("purpose", sa.Text, nullable=False),
        sa.Column("answer", sa.Boolean, nullable=False),
        sa.Column("status", sa.Integer, nullable=False),
        sa.Column("content_type", sa.Text),
        sa.Column("etag", sa.Text),
        sa.Column("last_modified", sa.Text),
        sa.Column("digest", sa.Text, nullable=False),
        sa.Column("bytes", sa.BigInteger, nullable=False),
        sa.Column("fetched_at", sa.Text, nullable=False),
        sa.Column("warc_id", NUMBER, sa.ForeignKey("warc_files.id"), nullable=False),
        sa.Column("offset", sa.BigInteger, nullable=False),
        sa.Column("length", sa.BigInteger, nullable=False),
        sa.Column("original_id", NUMBER, sa.ForeignKey("captures.id")),
        sa.UniqueConstraint("warc_id", "offset", name="one_capture"),
    )
    op.create_index("captures_of_url", "captures", ["blog_id", "url_id", "id"])
    op.create_index("captures_by_digest", "captures", ["digest"])


def _posts() -> None:
    op.create_table(
        "posts",
        sa.Column("id", NUMBER, primary_key=True),
        sa.Column("blog_id", NUMBER, sa.ForeignKey("blogs.id"), nullable=False),
        sa.Column("key", sa.Text, nullable=False),
        sa.Column("version", sa.Integer, nullable=False),
        sa.Column("digest", sa.Text, nullable=False),
        sa.Column("content", sa.Text),
        sa.Column("published", sa.Text),
        sa.Column("comments", sa.Integer, nullable=False),
        sa.Column("gone", sa.Text),
        sa.Column("found_at", sa.Text, nullable=False),
        sa.UniqueConstraint("key", "blog_id", name="one_post"),
    )
    op.create_index("posts_by_content", "posts", ["content"])
    op.create_index("posts_of_blog", "posts", ["blog_id", "id"])
    op.create_table(
        "versions",
        sa.Column("post_id", NUMBER, sa.ForeignKey("posts.id"), primary_key=True),
        sa.Column("version", sa.Integer, primary_key=True),
        sa.Column("record", sa.Text, nullable=False),
        sa.Column("capture_id", NUMBER, sa.ForeignKey("captures.id")),
        sa.Column("read_at", sa.Text, nullable=False),
    )
    op.create_table(
        "aliases",
        sa.Column("key", sa.Text, primary_key=True),
        sa.Column("blog_id", NUMBER, sa.ForeignKey("blogs.id"), primary_key=True),
        sa.Column("url", sa.Text, nullable=False),
        sa.Column("post_id", NUMBER, sa.ForeignKey("posts.id"), nullable=False),
    )
    op.create_index("aliases_of_post", "aliases", ["post_id"])


def _media() -> None:
    op.create_table(
        "media_files",
        sa.Column("sha256", sa.Text, primary_key=True),
        sa.Column("path", sa.Text, nullable=False, unique=True),
        sa.Column("type", sa.Text),
        sa.Column("bytes", sa.BigInteger, nullable=False),
    )
    op.create_table(
        "media",
        sa.Column("key", sa.Text, primary_key=True),
        sa.Column("blog_id", NUMBER, sa.ForeignKey("blogs.id"), primary_key=True),
        sa.Column("url", sa.Text, nullable=False),
        sa.Column("sha256", sa.Text, sa.ForeignKey("media_files.sha256"), nullable=False),
        sa.Column("fetched_at", sa.Text, nullable=False),
    )
    op.create_index("media_by_file", "media", ["sha256"])


def _runs() -> None:
    op.create_table(
        "runs",
        sa.Column("id", NUMBER, primary_key=True),
        sa.Column("blog_id", NUMBER, sa.ForeignKey("blogs.id"), nullable=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("started_at", sa.Text, nullable=False),
        sa.Column("ended_at", sa.Text),
        sa.Column("reason", sa.Text),
        sa.Column("counts", sa.Text),
    )
    op.create_index("runs_of_blog", "runs", ["blog_id", "id"])
    op.create_table(
        "remembered",
        sa.Column("blog_id", NUMBER, primary_key=True, autoincrement=False),
        sa.Column("name", sa.Text, primary_key=True),
        sa.Column("value", sa.Text, nullable=False),
    )
