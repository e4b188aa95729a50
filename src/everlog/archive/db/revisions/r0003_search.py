"""A search index of the posts' newest versions; posts that are there already are brought in by the first search."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

NUMBER = sa.BigInteger().with_variant(sa.Integer, "sqlite")


def upgrade() -> None:
    op.create_table(
        "indexed",
        sa.Column("post_id", NUMBER, sa.ForeignKey("posts.id"), primary_key=True, autoincrement=False),
        sa.Column("version", sa.Integer, nullable=False),
    )
    if op.get_bind().dialect.name == "sqlite":
        op.execute(
            "create virtual table search using fts5(text, title, comments, authors, tags, blog, content='', "
            "tokenize='ascii')",
        )
        op.execute("insert into search (search, rank) values ('hashsize', 16000000)")
    else:
        op.execute(
            "create table search (post_id bigint primary key, blog_id bigint not null, words tsvector not null)",
        )
        op.execute("create index search_words on search using gin (words)")
        op.execute("create index search_of_blog on search (blog_id)")
    op.execute("insert into remembered (blog_id, name, value) values (0, 'search', '1 filling')")
