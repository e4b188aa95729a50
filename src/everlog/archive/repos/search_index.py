"""The search index and the archive: kept current with the posts, and made anew (`search.py` asks it).

The newest version of each post is in the index; it is written in the transaction that stores the version,
so what was acknowledged is found. `indexed` says which version is in. Archives from before there was an
index, or with one of other pieces, are filled in groups: each is safe by itself, and the next call goes on.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from sqlalchemy import BindParameter, Connection, bindparam, func, or_, select

from everlog.archive.db import schema
from everlog.archive.db.database import Database, RowStatement, in_parts, upsert
from everlog.archive.repos.archive_state import SEARCH, put_texts
from everlog.search.document import Document, document_of, document_of_post

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from everlog.records import Post

    # Called with the address of each post that went into the index.
    Progress = Callable[[str], None]

# A group is safe by itself. It holds the writer's lock for about a second: a crawl beside it hardly waits. Of long
# posts fewer are a group.
GROUP = 1_000
GROUP_CHARACTERS = 5_000_000
# As many records are in memory at once; with all their comments some are large.
AT_ONCE = 20
# Documents are made while a transaction is open, and a server ends one that is silent for seconds: so it hears of us
# after each of these. 240,000 characters took 0.07 s (words) to 0.2 s (Japanese).
PORTION_CHARACTERS = 250_000
# Behind the kind of pieces the index is of, in the state of the archive: posts may still lack.
_FILLING = " filling"

_posts, _versions, _indexed = schema.posts, schema.versions, schema.indexed
_state_table = schema.archive_state
_WANTED: BindParameter[int] = bindparam("wanted", expanding=True)
_OLD = (
    select(_versions.c.post_id, _posts.c.blog_id, _versions.c.record)
    .join(_indexed, (_indexed.c.post_id == _versions.c.post_id) & (_indexed.c.version == _versions.c.version))
    .join(_posts, _posts.c.id == _versions.c.post_id)
    .where(_versions.c.post_id.in_(_WANTED))
)
_LACKING = or_(_indexed.c.version.is_(None), _indexed.c.version != _posts.c.version)
_NEXT = (
    select(_posts.c.id, _posts.c.blog_id, _posts.c.version, _versions.c.record, _posts.c.key)
    .join_from(_posts, _versions, (_versions.c.post_id == _posts.c.id) & (_versions.c.version == _posts.c.version))
    .outerjoin(_indexed, _indexed.c.post_id == _posts.c.id)
    .where(_LACKING, _posts.c.id > bindparam("after")).order_by(_posts.c.id).limit(bindparam("most"))
)
# Whoever stores a newer version meanwhile waits until this one is in the index, or is seen here.
_NEXT_HELD = _NEXT.with_for_update(read=True, of=_posts)
_NOTED = RowStatement(["post_id", "version"], lambda database: upsert(database, _indexed, ["post_id"], ["version"]))
_READ_STATE = select(_state_table.c.value).where(_state_table.c.name == SEARCH)


class Latest(NamedTuple):
    """The newest version of a post, on its way into the index; with the post itself, who has it at hand."""

    post_id: int
    blog_id: int
    version: int
    record: str
    post: Post | None = None
    # Whether what is in the index of this version is to be taken out.
    is_again: bool = False

    @property
    def document(self) -> Document:
        """What of it is searched. To take a post apart again that has just been put together takes 0.06 ms."""
        if self.post is None:
            return document_of(self.post_id, self.blog_id, self.record)
        return document_of_post(self.post_id, self.blog_id, self.post)


def begin(connection: Connection, database: Database) -> None:
    """The empty index of a new archive."""
    database.search_index.make(connection)
    _note(connection, database, database.search_index.kind)


def index(connection: Connection, database: Database, latest: Sequence[Latest]) -> None:
    """Put versions into the index, in the place of those before; in the transaction that is open."""
    state = _state(connection)
    if _is_newer(state, database):
        _leave_to_newer(connection, database)
        return
    _reset_if_other(connection, database, state)
    # A first version has none before it: most of a crawl's posts.
    needs_former = database.search_index.needs_former
    again = [each.post_id for each in latest if needs_former and (each.version > 1 or each.is_again)]
    for part in in_parts(again):
        before = [document_of(*row) for row in connection.execute(_OLD, {"wanted": part})]
        if before:
            database.search_index.remove(connection, before)
    for portion in _portions(sorted(latest)):
        if sum(len(each.record) for each in portion) > PORTION_CHARACTERS:
            database.without_hurry(connection)
        database.search_index.write(connection, [each.document for each in portion])
    _NOTED.run(connection, database, ({"post_id": each.post_id, "version": each.version} for each in sorted(latest)))


def is_complete(database: Database) -> bool:
    """Whether all posts are in the index, or a newer program has to bring them there."""
    with database.reading() as connection:
        state = _state(connection)
        return state == database.search_index.kind or _is_newer(state, database)


def count_lacking(database: Database) -> int:
    """How many posts are not in the index, or not in their newest version."""
    statement = select(func.count()).select_from(_posts.outerjoin(_indexed, _indexed.c.post_id == _posts.c.id))
    with database.reading() as connection:
        if _is_other(_state(connection), database):
            return connection.execute(select(func.count()).select_from(_posts)).scalar_one()
        return connection.execute(statement.where(_LACKING)).scalar_one()


def lacking(database: Database) -> Iterator[str]:
    """The keys of posts that should be in the index, and are not. One that is being filled lacks none."""
    with database.reading() as connection:
        if _state(connection) != database.search_index.kind:
            return
    statement = select(_posts.c.key).outerjoin_from(_posts, _indexed, _indexed.c.post_id == _posts.c.id)
    with database.reading() as connection:
        yield from connection.execute(statement.where(_LACKING).order_by(_posts.c.id)).scalars()
        for part in in_parts(database.search_index.lost(connection)):
            yield from connection.execute(select(_posts.c.key).where(_posts.c.id.in_(part))).scalars()


def fill(database: Database, step: Progress) -> int:
    """Bring all posts into the index that are not in it. How many were not."""
    after = done = 0
    while True:
        with database.writing() as connection:
            state = _state(connection)
            if _is_newer(state, database):
                return done
            if _reset_if_other(connection, database, state):
                # Its lock is let go first: who stores a post, and wants it next, is waited for below.
                continue
            keys, last = _fill_group(connection, database, after)
        if not keys and not after:
            if _is_filled(database):
                return done
            continue
        # Somebody may have emptied the index between two groups: nothing lacks if nothing does from the start.
        after = last if keys else 0
        for key in keys:
            step(key)
        done += len(keys)


def _fill_group(connection: Connection, database: Database, after: int) -> tuple[list[str], int]:
    """Bring the next posts into the index: their keys, and the number of the last."""
    keys: list[str] = []
    size = 0
    while len(keys) < GROUP and size < GROUP_CHARACTERS and (
        rows := connection.execute(_NEXT_HELD, {"after": after, "most": AT_ONCE}).all()
    ):
        index(connection, database, [Latest(*row[:4]) for row in rows])
        keys += (row.key for row in rows)
        size += sum(len(row.record) for row in rows)
        after = rows[-1].id
    return keys, after


def _is_filled(database: Database) -> bool:
    """Say that nothing lacks, if that is so."""
    with database.writing() as connection:
        # An older program that stores a post takes this lock too, so none of its posts is overlooked.
        state = connection.scalar(_READ_STATE.with_for_update()) or ""
        if _is_newer(state, database):
            return True
        if _is_other(state, database) or connection.execute(_NEXT, {"after": 0, "most": 1}).first() is not None:
            return False
        _note(connection, database, database.search_index.kind)
    return True


def _portions(latest: Sequence[Latest]) -> Iterator[list[Latest]]:
    """In their order, so many at a time as documents are made of in no time; a longer one by itself."""
    portion: list[Latest] = []
    size = 0
    for each in latest:
        if portion and size + len(each.record) > PORTION_CHARACTERS:
            yield portion
            portion, size = [], 0
        portion.append(each)
        size += len(each.record)
    if portion:
        yield portion


def _state(connection: Connection) -> str:
    # Every batch reads it and none writes it: no writer waits for another here.
    return connection.scalar(_READ_STATE) or ""


def _note(connection: Connection, database: Database, state: str) -> None:
    put_texts(connection, database, _state_table, {SEARCH: state})


def _is_other(state: str, database: Database) -> bool:
    """Whether the index is of pieces that this program would not cut so: it could not take them out again."""
    return state.removesuffix(_FILLING) != database.search_index.kind and not _is_newer(state, database)


def _is_newer(state: str, database: Database) -> bool:
    """Whether the index is of pieces as only later programs cut them. If each made it anew, it would never be whole."""
    return _cut(state) > _cut(database.search_index.kind)


def _cut(state: str) -> int:
    """Which way of cutting a state or kind names; 0: none.

    >>> _cut("2/15.0.0"), _cut("2 filling"), _cut("")
    (2, 2, 0)
    """
    number = state.removesuffix(_FILLING).partition("/")[0]
    return int(number) if number.isdecimal() else 0


def _leave_to_newer(connection: Connection, database: Database) -> None:
    """The posts of this transaction are brought into the index by whoever can cut them as all others are cut."""
    state = connection.scalar(_READ_STATE.with_for_update()) or ""
    if not state.endswith(_FILLING):
        _note(connection, database, state + _FILLING)


def _reset_if_other(connection: Connection, database: Database, state: str) -> bool:
    # Once more with a lock: of several that find it so at once, one makes it anew.
    if _is_other(state, database) and _is_other(
        connection.scalar(_READ_STATE.with_for_update()) or "", database,
    ):
        reset(connection, database)
        return True
    return False


def reset(connection: Connection, database: Database) -> None:
    """An empty index that the next search, or `fill`, makes anew; in the transaction that is open."""
    database.search_index.drop(connection)
    database.search_index.make(connection)
    connection.execute(_indexed.delete())
    _note(connection, database, f"{database.search_index.kind}{_FILLING}")
