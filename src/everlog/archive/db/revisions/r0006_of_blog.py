"""What belongs to a blog is found by its blog: addresses in their order, other addresses of posts, pictures.
And jobs whose time has come are found by the queue they go to.

In an archive of many blogs, or before a fleet with many jobs, each of these would be a look at the rows of all.
"""

from __future__ import annotations

from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_index("urls_of_blog", "urls", ["blog_id", "id"])
    op.create_index("aliases_of_blog", "aliases", ["blog_id"])
    op.create_index("media_of_blog", "media", ["blog_id"])
    op.drop_index("jobs_parked", "jobs")
    op.create_index("jobs_parked", "jobs", ["state", "queue", "due_at"])
