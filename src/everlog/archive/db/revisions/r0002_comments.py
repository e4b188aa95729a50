"""Whether a post's comments could be had, and how often that was tried: updates ask again for those that failed."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("posts", sa.Column("comments_state", sa.Text))
    op.add_column("posts", sa.Column("comment_tries", sa.Integer))
    op.create_index("posts_by_comments", "posts", ["blog_id", "comments_state"])
