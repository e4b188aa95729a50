"""The shared database of many machines: PostgreSQL. All that only PostgreSQL has is here and in `pg_search.py`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Any

from sqlalchemy import URL, ColumnElement, Connection, Double, Engine, Table, create_engine, event, func, select
from sqlalchemy.dialects import postgresql
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, NoSuchModuleError

from everlog.archive.db.database import SharedReading, check_fence
from everlog.archive.db.postgres_search import PostgresIndex
from everlog.errors import ArchiveBusy, DamagedArchive, DiskFull, EverlogError, ServiceDown, TooSlow, UsageError
from everlog.extras import line_for_extra

# A worker writes on one connection and reads on another; more are opened when they are needed, and closed again.
KEPT_CONNECTIONS = 2
# How long a connection may take to come about, and how long a silent one is believed in: a crawl that waits longer
# than a lease lives (15 s) has lost it anyway.
CONNECT_SECONDS = 10
SILENT_SECONDS = 15
# A worker that vanishes in the middle of a transaction holds what it has locked for so long. Between two statements of
# ours there is no wait for anybody else, and no work of more than a moment; where there is (files of a copy, the search
# document of one very long post), the transaction says so (`without_hurry`). A machine with far too much to do stands
# still between two for 10 to 16 seconds (seen at load 24 on two processors): that ends no transaction. Who waits behind
# a worker that vanished waits for twice as long (`BUSY_SECONDS`).
IDLE_SECONDS = 30
# As in SQLite: who waits so long for a lock stands behind something that is not going to end by itself.
BUSY_SECONDS = 60

_SESSION = {
    "timezone": "UTC", "synchronous_commit": "on", "idle_in_transaction_session_timeout": f"{IDLE_SECONDS}s",
    "lock_timeout": f"{BUSY_SECONDS}s", "tcp_keepalives_idle": "10", "tcp_keepalives_interval": "5",
    "tcp_keepalives_count": "3",
}
_LINK = {
    "connect_timeout": CONNECT_SECONDS, "keepalives": 1, "keepalives_idle": 10, "keepalives_interval": 5,
    "keepalives_count": 3, "tcp_user_timeout": SILENT_SECONDS * 1_000, "application_name": "everlog",
}
# One number that all versions of this program know: who makes or changes the tables holds its lock.
_SCHEMA_LOCK = 0x45564C4F47

# What a server says to somebody it does not let in. Of a connection that does not come about libpq tells no code.
_NOT_LET_IN = (
    "does not exist", "authentication failed", "no pg_hba.conf entry", "no password supplied", "permission denied",
    "is not permitted to log in", "not currently accepting connections",
)
# What a driver says that found no server, and one that could not read its address; there is no SQLSTATE for them.
_NO_ANSWER = ("connection failed:", "failed to resolve host", "Name or service not known", "connection timeout expired")
_NO_ADDRESS = ("invalid connection option", "invalid port number", "invalid integer value")
_NOT_REACHED, _MISWRITTEN = "08001", "everlog"
# By the first characters of SQLSTATE, the most special first.
_EXPLAINED: tuple[tuple[tuple[str, ...], type[EverlogError], str, str], ...] = (
    (("53100",), DiskFull, "disk full at", "free some space there, then run the same command again"),
    (
        ("40", "55P03"), ArchiveBusy, "locked by another program:",
        "nothing was stored; wait a little, then run the same command again",
    ),
    (("57014",), TooSlow, "this took longer than readers wait at", "ask for less: more words, one blog, or one year"),
    (
        (_NOT_REACHED,), ServiceDown, "cannot reach",
        "check host and port in --archive and that the server is running, then run the same command again",
    ),
    (
        ("08", "53", "57P", "25P03"), ServiceDown, "connection lost to",
        "everything stored so far is safe; check the server, then run the same command again",
    ),
    (("28", "3D", "3F", "42501", "25006"), UsageError, "access denied by",
     "check the user, its password (PGPASSWORD, ~/.pgpass), its permissions and the name of the database"),
    ((_MISWRITTEN,), UsageError, "not a database URL:", "write postgresql://USER@HOST:5432/NAME"),
    (("XX", "58"), DamagedArchive, "the server reports damage in", "check the server's log; restore it from a backup"),
)


class PostgresDatabase:
    """A database on a server. Connections are shared between threads, each by one thread at a time.

    What became of a COMMIT whose answer never came is not known: it may have been stored. It is told as a failure, and
    whoever wrote asks the database again before writing on: the next crawl takes the queue and the posts from there,
    and what was stored is found under its own keys, once.
    """

    def __init__(self, url: str, *, connections: int = KEPT_CONNECTIONS) -> None:
        address = _address(url)
        self.fence: int | None = None
        self._shared = SharedReading()
        self.search_index = PostgresIndex()
        # A host that is named behind the question mark tells two servers apart, too.
        place = {name: value for name, value in address.query.items() if name in {"host", "port"}}
        self._where = URL.create(
            "postgresql", username=address.username, host=address.host, port=address.port, database=address.database,
            query=place,
        ).render_as_string()
        self.engine: Engine = _engine(address, connections)
        # A reading sees one state throughout, and is never refused because of what others write meanwhile.
        self._reader = self.engine.execution_options(isolation_level="REPEATABLE READ", postgresql_readonly=True)

    @property
    def where(self) -> str:
        return self._where

    def clock(self) -> ColumnElement[float]:
        return func.extract("epoch", func.clock_timestamp()).cast(Double)

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        if (shared := self._shared.connection) is not None:
            yield shared
            return
        with self._explained(), self._reader.connect() as connection:
            yield connection

    @contextmanager
    def snapshot(self, *, seconds: float | None = None) -> Iterator[None]:
        is_outermost = self._shared.connection is None
        with self._shared.shared(self.reading):
            if seconds is not None and is_outermost and self._shared.connection is not None:
                self._shared.connection.exec_driver_sql(f"set local statement_timeout = {max(1, int(seconds * 1_000))}")
            yield

    @contextmanager
    def writing(self, *, fenced: bool = True) -> Iterator[Connection]:
        with self._explained(), self.engine.begin() as connection:
            if fenced and self.fence is not None:
                check_fence(connection, self.fence)
            yield connection

    def changing(self) -> AbstractContextManager[Connection]:
        """A transaction that changes tables."""
        return self.writing()

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Nobody else makes or changes the tables meanwhile. The server frees the lock when its holder ends."""
        with self._explained(), self.engine.connect() as connection:
            holder = connection.execution_options(isolation_level="AUTOCOMMIT")
            holder.execute(select(func.pg_advisory_lock(_SCHEMA_LOCK)))
            try:
                yield
            finally:
                # Not given back to the pool: closing it frees the lock, whatever has happened to it.
                connection.detach()

    def without_hurry(self, connection: Connection) -> None:
        connection.exec_driver_sql("set local idle_in_transaction_session_timeout = 0")

    def insert(self, table: Table) -> postgresql.Insert:
        return postgresql.insert(table)

    def reserve(self, connection: Connection, table: Table, count: int) -> Sequence[int]:
        numbers = func.nextval(func.pg_get_serial_sequence(table.name, "id"))
        # Others take numbers meanwhile, so there may be gaps.
        found = connection.execute(select(numbers).select_from(func.generate_series(1, count)))
        return sorted(found.scalars())

    def to_index(self) -> PostgresDatabase:
        return self

    def complaints(self) -> Iterator[str]:
        """Its own consistency is the server's affair: it checks what it reads, and says so."""
        yield from ()

    def close(self) -> None:
        self.engine.dispose()

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except DBAPIError as error:
            raise _explain(error.orig, self._where) from error


def _address(url: str) -> URL:
    """The address of a database as SQLAlchemy wants it; messages never repeat it, as it may have a password in it."""
    try:
        address = make_url(url)
        # Errors of a wrong port come when it is read.
        known = address.get_backend_name() in {"postgresql", "postgres"} and (address.port or 1) > 0
    except (ArgumentError, ValueError, NoSuchModuleError):
        known = False
    if not known or not address.database:
        raise UsageError(
            "this is not the URL of a PostgreSQL database", advice="write it as postgresql://USER@HOST:5432/DATABASE",
        )
    return address.set(drivername="postgresql+psycopg")


def _engine(address: URL, connections: int) -> Engine:
    options = " ".join(f"-c {name}={value}" for name, value in _SESSION.items())
    # What the user says in the address goes before.
    said = {name: value for name, value in _LINK.items() if name not in address.query}
    said["client_encoding"] = "utf8"
    said["options"] = " ".join([options, *_texts(address.query.get("options", ()))])
    address = address.difference_update_query(["options", "client_encoding"])
    try:
        engine = create_engine(
            address, connect_args=said, pool_size=connections, max_overflow=-1, pool_pre_ping=True,
            isolation_level="READ COMMITTED", hide_parameters=True,
        )
    except ModuleNotFoundError as error:
        raise UsageError(
            "PostgreSQL needs a driver that is not installed", advice=f"install it:  {line_for_extra('fleet')}",
        ) from error
    event.listen(engine, "connect", _prepared)
    return engine


def _texts(said: str | Sequence[str]) -> Sequence[str]:
    return [said] if isinstance(said, str) else said


def _prepared(connection: Any, _record: object) -> None:
    # Its words about tables that are there already, and the like, are nobody's concern.
    connection.add_notice_handler(_unheard)
    encoding = connection.info.parameter_status("server_encoding")
    if encoding != "UTF8":
        name = connection.info.dbname
        connection.close()
        raise UsageError(
            f"the database {name} is encoded in {encoding}, which lacks characters that blogs use",
            advice="create another one:  create database NAME encoding 'UTF8' template template0",
        )


def _unheard(_notice: object) -> None:
    """Of no interest."""


def _explain(error: Any, where: str) -> EverlogError:
    """What an error of PostgreSQL means to somebody who only knows an archive."""
    code = getattr(error, "sqlstate", None)
    said = " ".join(str(error).split())
    if code is None:
        from psycopg import OperationalError  # noqa: PLC0415 - it is loaded: it has raised

        refused = any(words in said for words in _NOT_LET_IN)
        code = "28000" if refused else "08000" if isinstance(error, OperationalError) else ""
        if code == "08000" and any(words in said for words in _NO_ANSWER):
            code = _NOT_REACHED
        elif any(words in said for words in _NO_ADDRESS):
            code = _MISWRITTEN
    for codes, kind, what, advice in _EXPLAINED:
        if code.startswith(codes):
            return kind(f"{what} {where}: {said}", advice=advice)
    return EverlogError(
        f"database error at {where}: {said}",
        advice="nothing was stored; run the same command again, and if it fails again, report this message",
    )
