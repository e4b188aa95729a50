"""Rows of a post that several repositories look for: its number, and its address."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import TYPE_CHECKING

from sqlalchemy import bindparam, func, select

from everlog.archive.db import schema
from everlog.archive.db.column_values import storable
from everlog.core.urls import canonical

if TYPE_CHECKING:
    from sqlalchemy import ColumnElement, Connection

# A version's record begins with the address of its post, and addresses are shorter than this.
_OPENING = '{"url": '
_HEAD = 4_000

_posts, _versions = schema.posts, schema.versions
# The version of a post that is in force.
IS_CURRENT: ColumnElement[bool] = (_versions.c.post_id == _posts.c.id) & (_versions.c.version == _posts.c.version)
# Asked for every page of a crawl, mostly in vain: one statement, made once.
_ID_OF_KEY = select(func.coalesce(
    select(func.min(_posts.c.id)).where(_posts.c.key == bindparam("key")).scalar_subquery(),
    select(func.min(schema.aliases.c.post_id)).where(schema.aliases.c.key == bindparam("key")).scalar_subquery(),
))


def post_id_of(connection: Connection, url: str) -> int | None:
    """The row of the post at this address or one of its aliases."""
    found: int | None = connection.execute(_ID_OF_KEY, {"key": storable(canonical(url))}).scalar()
    return found


def record_head() -> ColumnElement[str]:
    """So much of a version's record as holds the address of its post: articles are long."""
    return func.substr(_versions.c.record, 1, _HEAD)


def url_in(head: str | None, key: str | None) -> str | None:
    """The address of a post, from the beginning of its record; else the key, which is one without its scheme.

    >>> url_in('{"url": "https://a.example/x", "fetched": nu', "a.example/x"), url_in(None, "a.example/x")
    ('https://a.example/x', 'http://a.example/x')
    """
    if head is not None and head.startswith(_OPENING):
        with suppress(ValueError):
            return str(json.JSONDecoder().raw_decode(head, len(_OPENING))[0])
    return None if key is None else f"http://{key}"
