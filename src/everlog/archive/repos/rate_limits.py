"""When each host may be asked next, by whomever: one line per host for the whole fleet, by the database's clock."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import func, select
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.functions import GenericFunction

from everlog.archive.db import schema

if TYPE_CHECKING:
    from sqlalchemy import ColumnElement, Connection
    from sqlalchemy.sql.compiler import SQLCompiler

    from everlog.archive.db.database import Database

_turns = schema.turns


class Greatest(GenericFunction[Any]):
    """The largest of some values; SQLite has another name for it."""

    name = "greatest"
    inherit_cache = True


@compiles(Greatest, "sqlite")
def _for_sqlite(element: Greatest, compiler: SQLCompiler, **options: Any) -> str:
    return f"max{compiler.process(element.clause_expr, **options)}"


def reserve_turn(database: Database, host: str, pace_seconds: float, *, longest_seconds: float | None = None) -> float:
    """Take the next turn at a host; how many seconds from now it is. One that is too far away is left to others."""
    clock = database.clock()
    following = Greatest(_turns.c.free, _turns.c.held, clock)
    statement = database.insert(_turns).values(host=host, free=clock + pace_seconds, held=0.0)
    statement = statement.on_conflict_do_update(
        index_elements=["host"], set_={"free": following + pace_seconds},
        where=None if longest_seconds is None else following - clock <= longest_seconds,
    )
    with database.writing(fenced=False) as connection:
        taken = statement.returning(_turns.c.free - pace_seconds - clock, *_need_not_last(connection))
        wait = connection.execute(taken).scalar()
        if wait is None:
            wait = connection.execute(select(following - clock).where(_turns.c.host == host)).scalar_one()
        return max(0.0, float(wait))


def hold_host(database: Database, host: str, seconds: float) -> None:
    """Nobody gets a turn at a host for so long; a shorter wish never shortens a longer one."""
    until = database.clock() + seconds
    statement = database.insert(_turns).values(host=host, free=0.0, held=until)
    statement = statement.on_conflict_do_update(
        index_elements=["host"], set_={"held": Greatest(_turns.c.held, until)},
    )
    with database.writing(fenced=False) as connection:
        connection.execute(statement)


def held_seconds(database: Database, host: str) -> float:
    """How long nobody is to ask a host from now on."""
    statement = select(_turns.c.held - database.clock()).where(_turns.c.host == host)
    with database.reading() as connection:
        return max(0.0, float(connection.execute(statement).scalar() or 0.0))


def forget_turns(database: Database, *, older_seconds: float) -> int:
    """Forget the lines of hosts that nobody has asked for so long; how many."""
    before = database.clock() - older_seconds
    statement = _turns.delete().where(_turns.c.free < before, _turns.c.held < before)
    with database.writing(fenced=False) as connection:
        return connection.execute(statement).rowcount


def _need_not_last(connection: Connection) -> tuple[ColumnElement[str], ...]:
    """What makes a transaction of PostgreSQL not wait for the disk, along the way.

    A turn that is lost when the server crashes costs nobody a record; the wait would cost every request.
    """
    if connection.dialect.name != "postgresql":
        return ()
    return (func.set_config("synchronous_commit", "off", True),)  # noqa: FBT003 - PostgreSQL's own
