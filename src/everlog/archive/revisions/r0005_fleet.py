"""Jobs of a fleet, who does them, and whose turn it is at a host; WARC files that hold captures of several blogs."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

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
    _make_jobs()
    _make_grants()
    _make_workers()


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
