"""Rows for lists beside the versions, and what is hidden. The rows are filled when all steps are done."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None

NUMBER = sa.BigInteger().with_variant(sa.Integer, "sqlite")


def upgrade() -> None:
    op.add_column("blogs", sa.Column("hidden_at", sa.Text))
    op.create_table(
        "hidden_posts", _key("post_id", "posts.id"),
        sa.Column("blog_id", NUMBER, sa.ForeignKey("blogs.id"), nullable=False), _text("hidden_at"),
    )
    op.create_table(
        "post_summaries", _key("post_id", "posts.id"),
        sa.Column("blog_id", NUMBER, sa.ForeignKey("blogs.id"), nullable=False), _text("kind"), _text("published_at"),
        sa.Column("hidden", sa.Boolean, nullable=False), _text("url"), sa.Column("title", sa.Text), _text("authors"),
        _text("tags"), sa.Column("language", sa.Text), sa.Column("published", sa.Text), sa.Column("precision", sa.Text),
        *_numbers("words", "characters", "comments"), sa.Column("comments_state", sa.Text), *_numbers("versions"),
        sa.Column("gone", sa.Boolean, nullable=False), sa.Column("confidence", sa.Integer),
        sa.Column("picture", sa.Text), _text("excerpt"), _text("sites"), _text("changed_at"),
    )
    op.create_index("summaries_of_blog", "post_summaries", ["blog_id", "kind", "published_at", "post_id"])
    op.create_table(
        "post_terms", sa.Column("kind", sa.Text, primary_key=True), sa.Column("term", sa.Text, primary_key=True),
        sa.Column("blog_id", NUMBER, primary_key=True, autoincrement=False),
        sa.Column("published_at", sa.Text, primary_key=True),
        sa.Column("post_id", NUMBER, primary_key=True, autoincrement=False), sqlite_with_rowid=False,
    )
    op.create_table(
        "post_links", sa.Column("target", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("post_id", NUMBER, primary_key=True, autoincrement=False), sqlite_with_rowid=False,
    )
    op.create_index("links_of_post", "post_links", ["post_id"])
    op.create_table(
        "blog_terms", _key("blog_id", "blogs.id"), sa.Column("kind", sa.Text, primary_key=True),
        sa.Column("term", sa.Text, primary_key=True), _text("label"), *_numbers("posts", "hidden"),
    )
    op.create_index("terms_by_posts", "blog_terms", ["blog_id", "kind", "posts"])
    op.create_table(
        "blog_months", _key("blog_id", "blogs.id"), sa.Column("month", sa.Text, primary_key=True),
        *_numbers("posts", "hidden"),
    )
    op.create_table(
        "blog_figures", _key("blog_id", "blogs.id"),
        *_numbers("posts", "pages", "comments", "versions", "deleted", "comments_failed", "hidden", "rated"),
        sa.Column("confidence", sa.BigInteger, nullable=False), *_numbers("unsure"),
        sa.Column("first_published_at", sa.Text), sa.Column("last_published_at", sa.Text),
        sa.Column("changed_at", sa.Text),
    )
    op.execute("insert into archive_state (name, value) values ('projection', 'stale')")


def _key(name: str, parent: str) -> sa.Column[int]:
    return sa.Column(name, NUMBER, sa.ForeignKey(parent), primary_key=True, autoincrement=False)


def _text(name: str) -> sa.Column[str]:
    return sa.Column(name, sa.Text, nullable=False)


def _numbers(*names: str) -> list[sa.Column[int]]:
    return [sa.Column(name, sa.Integer, nullable=False) for name in names]
