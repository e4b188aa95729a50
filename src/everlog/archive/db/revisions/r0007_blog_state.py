"""Small texts under names become what they are: the state of a blog, addresses of blogs, what is known of hosts.

What a blog had under nineteen names is one document; what repeats on its pages, which is large, stands beside it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from itertools import groupby
from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None

NUMBER = sa.BigInteger().with_variant(sa.Integer, "sqlite")
# Some texts take 100 kB.
AT_ONCE = 100
HOME = "home:"
OF_HOSTS = ("robots ", "wait ", "strain ", "typed ", "first network ")
# Those whose texts are the fields of the document as they are.
AS_THEY_ARE = {
    "entries": "entries", "maps": "sitemaps", "fronts": "front_pages", "walk": "walk", "looked": "update",
    "comments feed": "comment_feed", "failing": "failing", "places": "places", "estimate": "estimate",
    "allow": "allow", "left out": "left_out", "comments missing": "comments_missing", "redesign tried": "relearned_for",
}

_remembered = sa.table("remembered", sa.column("blog_id"), sa.column("name"), sa.column("value"))


def upgrade() -> None:
    states = op.create_table(
        "blog_states", sa.Column("blog_id", NUMBER, sa.ForeignKey("blogs.id"), primary_key=True, autoincrement=False),
        sa.Column("state", sa.Text, nullable=False), sa.Column("repeats", sa.Text),
    )
    addresses = op.create_table(
        "blog_addresses", sa.Column("key", sa.Text, primary_key=True), sa.Column("home", sa.Text, nullable=False),
    )
    hosts, archive = (
        op.create_table(name, sa.Column("name", sa.Text, primary_key=True), sa.Column("value", sa.Text, nullable=False))
        for name in ("host_cache", "archive_state")
    )
    connection = op.get_bind()
    known = set(connection.execute(sa.text("select id from blogs")).scalars())
    rows: dict[sa.Table, list[dict[str, Any]]] = {states: [], addresses: [], hosts: [], archive: []}
    for blog_id, texts in _by_blog(connection):
        if blog_id in known:
            rows[states].append({"blog_id": blog_id, **_state(texts)})
        for name, value in texts.items() if blog_id == 0 else ():
            if name.startswith(HOME):
                rows[addresses].append({"key": name.removeprefix(HOME), "home": value})
            else:
                rows[hosts if name.startswith(OF_HOSTS) else archive].append({"name": name, "value": value})
        for table, waiting in rows.items():
            if len(waiting) >= AT_ONCE:
                op.bulk_insert(table, waiting)
                waiting.clear()
    for table, waiting in rows.items():
        if waiting:
            op.bulk_insert(table, waiting)
    op.drop_table("remembered")


def _by_blog(connection: sa.Connection) -> Iterator[tuple[int, dict[str, str]]]:
    """What is remembered of each blog: a part of the blogs at a time, since some texts are large."""
    blogs = sa.select(_remembered.c.blog_id).distinct().order_by(_remembered.c.blog_id)
    ids = connection.execute(blogs).scalars().all()
    for start in range(0, len(ids), AT_ONCE):
        part = _remembered.c.blog_id.in_(ids[start : start + AT_ONCE])
        found = connection.execute(sa.select(_remembered).where(part).order_by(_remembered.c.blog_id)).all()
        for blog_id, rows in groupby(found, key=lambda row: row.blog_id):
            yield blog_id, {row.name: row.value for row in rows}


def _state(texts: dict[str, str]) -> dict[str, str | None]:
    state: dict[str, Any] = {"version": 1}
    for name, key in AS_THEY_ARE.items():
        # What is damaged is learned anew.
        with suppress(ValueError):
            if (said := json.loads(texts.get(name, "null"))) is not None:
                state[key] = said
    if "left alone" in texts:
        state["left_alone"] = True
    if "start" in texts:
        state["start_page"] = texts["start"]
    if "progress" in texts:
        state["progress"] = dict(zip(("latest", "visited", "brought"), json.loads(texts["progress"]), strict=True))
    if "traits" in texts:
        said = json.loads(texts["traits"])
        fingerprint = json.loads(said["traits"])
        state["fingerprint"] = {"fingerprint": fingerprint, "capture": said["capture"], "has_feed": said["feed"]}
    if "split posts" in texts:
        state["split_posts"] = json.loads(texts["split posts"]) or []
        state["tells_split_posts"] = texts["split posts"] != "null"
    return {"state": json.dumps(state), "repeats": texts.get("repeats")}
