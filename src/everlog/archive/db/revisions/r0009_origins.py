"""Captures that others made, pages beside posts, and whether all of a blog is there."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("blogs", sa.Column("completeness", sa.Text))
    op.add_column("captures", sa.Column("origin", sa.Text))
    op.add_column("captures", sa.Column("captured_at", sa.Text))
    op.add_column("posts", sa.Column("kind", sa.Text, nullable=False, server_default="post"))
