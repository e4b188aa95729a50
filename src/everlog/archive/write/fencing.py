"""The fence around what is written: who was given a grant writes only for as long as it is theirs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import bindparam, select

from everlog.archive.db import schema
from everlog.errors import LeaseLost

if TYPE_CHECKING:
    from sqlalchemy import Connection

# A key share: whoever takes the grant away (a DELETE) waits until this transaction has ended, and whoever says that
# the grant is in use (an UPDATE of `beat`, which is no key) does not. SQLite has one writer at a time and needs none.
_GRANTED = (
    select(schema.grants.c.fence).where(schema.grants.c.fence == bindparam("fence"))
    .with_for_update(read=True, key_share=True)
)


def check(connection: Connection, fence: int) -> None:
    """At the beginning of a write: refuse it if the grant is gone. It stays until the write has ended."""
    if connection.execute(_GRANTED, {"fence": fence}).first() is None:
        raise LeaseLost(
            "lease lost: another worker has taken over this blog, because this one sent no heartbeat for too long",
            advice="nothing is lost, and nothing needs to be done; if it happens often, look at the worker's network",
        )
