"""When feeds are asked again, what happened to blogs and posts, how a blog was read before, the ledger of waits.

The old ledger, one text of all hosts, becomes rows.
"""

from __future__ import annotations

import json

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

NUMBER = sa.BigInteger().with_variant(sa.Integer, "sqlite")


def upgrade() -> None:
    for name in ("gone", "gone_at", "former_homes"):
        op.add_column("blogs", sa.Column(name, sa.Text))
    op.add_column("posts", sa.Column("gone_at", sa.Text))
    op.add_column("posts", sa.Column("missing_since", sa.Text))
    op.add_column("posts", sa.Column("missing_tries", sa.Integer))
    _make_polls()
    _make_histories()
    _make_ledger()


def _blog() -> sa.Column[int]:
    return sa.Column("blog_id", NUMBER, sa.ForeignKey("blogs.id"), nullable=False)


def _make_polls() -> None:
    op.create_table(
        "polls", sa.Column("blog_id", NUMBER, sa.ForeignKey("blogs.id"), primary_key=True, autoincrement=False),
        sa.Column("due_at", sa.Text), sa.Column("state", sa.Text, nullable=False), sa.Column("etag", sa.Text),
        sa.Column("last_modified", sa.Text), sa.Column("digest", sa.Text), sa.Column("lease", sa.Text),
        sa.Column("lease_until", sa.Text),
    )
    op.create_index("polls_due", "polls", ["due_at"])
    op.create_table(
        "rechecks", sa.Column("post_id", NUMBER, sa.ForeignKey("posts.id"), primary_key=True, autoincrement=False),
        _blog(), sa.Column("due_at", sa.Text, nullable=False),
    )
    op.create_index("rechecks_due", "rechecks", ["blog_id", "due_at"])


def _make_histories() -> None:
    op.create_table(
        "templates", sa.Column("id", NUMBER, primary_key=True), _blog(),
        sa.Column("template", sa.Text, nullable=False), sa.Column("knowledge", sa.Text, nullable=False),
        sa.Column("learned_at", sa.Text), sa.Column("retired_at", sa.Text, nullable=False),
        sa.Column("reason", sa.Text, nullable=False),
    )
    op.create_index("templates_of_blog", "templates", ["blog_id", "retired_at"])
    op.create_table(
        "events", sa.Column("id", NUMBER, primary_key=True), _blog(),
        sa.Column("post_id", NUMBER, sa.ForeignKey("posts.id")), sa.Column("kind", sa.Text, nullable=False),
        sa.Column("at", sa.Text, nullable=False), sa.Column("reason", sa.Text, nullable=False),
        sa.Column("detail", sa.Text),
    )
    op.create_index("events_of_blog", "events", ["blog_id", "id"])
    op.create_index("events_of_post", "events", ["post_id", "id"])


def _make_ledger() -> None:
    hosts = op.create_table(
        "hosts", sa.Column("host", sa.Text, primary_key=True), sa.Column("requests", sa.BigInteger, nullable=False),
        sa.Column("bytes", sa.BigInteger, nullable=False), sa.Column("waited_seconds", sa.Float, nullable=False),
        sa.Column("slowed", sa.BigInteger, nullable=False), sa.Column("delay_seconds", sa.Float, nullable=False),
        sa.Column("asked_at", sa.Text),
    )
    op.create_table(
        "waits", sa.Column("host", sa.Text, primary_key=True), sa.Column("reason", sa.Text, primary_key=True),
        sa.Column("signal", sa.Text, primary_key=True), sa.Column("times", sa.BigInteger, nullable=False),
        sa.Column("seconds", sa.Float, nullable=False), sa.Column("first_at", sa.Text, nullable=False),
        sa.Column("last_at", sa.Text, nullable=False), sa.Column("until", sa.Text),
    )
    kept = op.get_bind().exec_driver_sql("select value from remembered where blog_id = 0 and name = 'ledger'").scalar()
    rows = [{"host": host, **figures} for host, figures in json.loads(kept or "{}").items()]
    if rows:
        op.bulk_insert(hosts, rows)
    op.execute("delete from remembered where blog_id = 0 and name = 'ledger'")
