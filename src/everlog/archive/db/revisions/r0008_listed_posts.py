"""Inventories: the posts that each history source says a blog has."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None

NUMBER = sa.BigInteger().with_variant(sa.Integer, "sqlite")


def upgrade() -> None:
    op.create_table(
        "listed_posts",
        sa.Column("blog_id", NUMBER, sa.ForeignKey("blogs.id"), primary_key=True, autoincrement=False),
        sa.Column("source", sa.Text, primary_key=True), sa.Column("native_id", sa.Text, primary_key=True),
        sa.Column("key", sa.Text, nullable=False), sa.Column("url", sa.Text, nullable=False),
        sa.Column("kind", sa.Text, nullable=False), sa.Column("changed_at", sa.Text), sa.Column("locked", sa.Text),
    )
    op.create_index("listed_posts_by_key", "listed_posts", ["blog_id", "key"])
