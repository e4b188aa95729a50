"""Captures found by their own URLs, whichever visit brought them: what a redirect led to has a key of its own."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from everlog.core.urls import canonical

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None

# Some 300 bytes each.
AT_ONCE = 5_000

_captures = sa.table("captures", *(sa.column(name) for name in ("id", "url_id", "url", "key")))
_urls = sa.table("urls", sa.column("id"), sa.column("key"), sa.column("url"))


def upgrade() -> None:
    op.add_column("captures", sa.Column("key", sa.Text))
    connection = op.get_bind()
    # An address that is spelled as its row has it has the key of its row.
    others = (
        sa.select(_captures.c.id, _captures.c.url, _urls.c.key)
        .join(_urls, _urls.c.id == _captures.c.url_id).where(_captures.c.url != _urls.c.url)
        .order_by(_captures.c.id).limit(AT_ONCE)
    )
    changed = sa.update(_captures).where(_captures.c.id == sa.bindparam("the_id")).values(key=sa.bindparam("the_key"))
    after = 0
    while rows := connection.execute(others.where(_captures.c.id > after)).all():
        keys = [{"the_id": number, "the_key": canonical(url)} for number, url, visited in rows
                if canonical(url) != visited]
        if keys:
            connection.execute(changed, keys)
        after = rows[-1].id
    op.execute("CREATE INDEX captures_by_key ON captures (key) WHERE key IS NOT NULL")
