"""Captures that others made, beside our own: which of them is what an address is known to answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import ColumnElement, Connection, case, func, select

from everlog.archive.db import schema
from everlog.archive.db.column_values import stamp
from everlog.archive.db.database import in_parts

if TYPE_CHECKING:
    from collections.abc import Iterable

    from everlog.records import Exchange

# Behind every moment as it is stored.
NEWER_THAN_ALL = "~"

_captures = schema.captures
# How many of some captures are of our own.
_LIVE = func.sum(case((_captures.c.origin.is_(None), 1), else_=0))


def newest_answers(connection: Connection, url_ids: Iterable[int], good: ColumnElement[bool]) -> dict[int, str]:
    """When the answer that is held of each of these addresses was captured; one of our own counts as the newest."""
    newest: dict[int, str] = {}
    for part in in_parts(sorted(set(url_ids))):
        statement = (
            select(_captures.c.url_id, _LIVE, func.max(_captures.c.captured_at))
            .where(_captures.c.url_id.in_(part), good).group_by(_captures.c.url_id)
        )
        for url_id, live, captured_at in connection.execute(statement):
            newest[url_id] = NEWER_THAN_ALL if live else captured_at
    return newest


def is_newest(exchange: Exchange, url_id: int, newest: dict[int, str]) -> bool:
    """Whether a capture of others is what its address is known to answer: none of our own is, nor a newer one."""
    at = stamp(exchange.seen_at)
    if not 200 <= exchange.status < 300 or at <= newest.get(url_id, ""):
        return False
    newest[url_id] = at
    return True
