"""The search index and the archive: kept current with the posts, made anew, asked.

The newest version of each post is in the index; it is written in the transaction that stores the version,
so what was acknowledged is found. `indexed` says which version is in. Archives from before there was an
index, or with one of other pieces, are filled in groups: each is safe by itself, and the next call goes on.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

from sqlalchemy import BindParameter, bindparam, func, or_, select

from everlog.archive import schema
from everlog.archive.database import in_parts
from everlog.archive.texts import moment_or_none
from everlog.search.asking import ask
from everlog.search.cards import card_of
from everlog.search.hit import Hit
from everlog.search.snippets import Seeker, blogs_meant

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from sqlalchemy import Connection

    from everlog.archive.database import Database
    from everlog.search.asking import Query, Term
    from everlog.search.hit import Where
    from everlog.search.snippets import Sought

    # Called with the address of each post that went into the index.
    Progress = Callable[[str], None]

# A group is safe by itself. It holds the writer's lock for about a second: a crawl beside it hardly waits.
GROUP = 1_000
# As many records are in memory at once; with all their comments some are large.
AT_ONCE = 100
# In the table `remembered`: the kind of pieces the index is of, and whether posts may still lack.
STATE = "search"
_FILLING = " filling"
# Databases count in 64 bits.
_LARGEST = 2**63 - 1

_posts, _versions, _indexed = schema.posts, schema.versions, schema.indexed
_remembered = schema.remembered
_WANTED: BindParameter[int] = bindparam("wanted", expanding=True)
_OLD = (
    select(_versions.c.post_id, _posts.c.blog_id, _versions.c.record)
    .join(_indexed, (_indexed.c.post_id == _versions.c.post_id) & (_indexed.c.version == _versions.c.version))
    .join(_posts, _posts.c.id == _versions.c.post_id)
    .where(_versions.c.post_id.in_(_WANTED))
)
_SHOWN = (
    select(_posts.c.id, _versions.c.record, schema.blogs.c.home)
    .join_from(_posts, _versions, (_versions.c.post_id == _posts.c.id) & (_versions.c.version == _posts.c.version))
    .join(schema.blogs, schema.blogs.c.id == _posts.c.blog_id)
    .where(_posts.c.id.in_(_WANTED))
)
_LACKING = or_(_indexed.c.version.is_(None), _indexed.c.version != _posts.c.version)
_NEXT = (
    select(_posts.c.id, _posts.c.blog_id, _posts.c.version, _versions.c.record, _posts.c.key)
    .join_from(_posts, _versions, (_versions.c.post_id == _posts.c.id) & (_versions.c.version == _posts.c.version))
    .outerjoin(_indexed, _indexed.c.post_id == _posts.c.id)
    .where(_LACKING, _posts.c.id > bindparam("after")).order_by(_posts.c.id).limit(bindparam("most"))
    # Whoever stores a newer version meanwhile waits until this one is in the index, or is seen here.
    .with_for_update(read=True, of=_posts)
)
_READ_STATE = select(_remembered.c.value).where(_remembered.c.blog_id == 0, _remembered.c.name == STATE)


class Latest(NamedTuple):
    """The newest version of a post, on its way into the index."""

    post_id: int
    blog_id: int
    version: int
    record: str


def begin(connection: Connection, database: Database) -> None:
    """The empty index of a new archive."""
    database.search_index.make(connection)
    _note(connection, database, database.search_index.kind)


def index(connection: Connection, database: Database, latest: Sequence[Latest]) -> None:
    """Put versions into the index, in the place of those before; in the transaction that is open."""
    _reset_if_other(connection, database)
    # A first version has none before it: most of a crawl's posts.
    again = [each.post_id for each in latest if each.version > 1] if database.search_index.needs_former else []
    for part in in_parts(again):
        before = [card_of(*row) for row in connection.execute(_OLD, {"wanted": part})]
        if before:
            database.search_index.remove(connection, before)
    cards = [card_of(each.post_id, each.blog_id, each.record) for each in latest]
    database.search_index.write(connection, cards)
    upsert = database.insert(_indexed)
    connection.execute(
        upsert.on_conflict_do_update(index_elements=["post_id"], set_={"version": upsert.excluded.version}),
        [{"post_id": each.post_id, "version": each.version} for each in sorted(latest)],
    )


def is_complete(database: Database) -> bool:
    """Whether all posts are in the index."""
    with database.reading() as connection:
        return _state(connection) == database.search_index.kind


def count_lacking(database: Database) -> int:
    """How many posts are not in the index, or not in their newest version."""
    statement = select(func.count()).select_from(_posts.outerjoin(_indexed, _indexed.c.post_id == _posts.c.id))
    with database.reading() as connection:
        if _is_other(_state(connection), database):
            return connection.execute(select(func.count()).select_from(_posts)).scalar_one()
        return connection.execute(statement.where(_LACKING)).scalar_one()


def lacking(database: Database) -> Iterator[str]:
    """The keys of posts that should be in the index, and are not. One that is being filled lacks none."""
    if not is_complete(database):
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
        keys: list[str] = []
        with database.writing() as connection:
            _reset_if_other(connection, database)
            while len(keys) < GROUP and (rows := connection.execute(_NEXT, {"after": after, "most": AT_ONCE}).all()):
                index(connection, database, [Latest(*row[:4]) for row in rows])
                keys += (row.key for row in rows)
                after = rows[-1].id
            if not keys and not after:
                _note(connection, database, database.search_index.kind)
                return done
            if not keys:
                # Somebody may have emptied the index between two groups: nothing lacks if nothing does from the start.
                after = 0
        for key in keys:
            step(key)
        done += len(keys)


def forget_all(database: Database) -> None:
    """Empty the index; the next search, or `fill`, makes it anew from the posts."""
    with database.writing() as connection:
        reset(connection, database)


def search(database: Database, text: str, *, limit: int, offset: int) -> tuple[Hit, ...]:
    """The posts that fit a query best."""
    query = ask(text)
    limit, offset = (min(max(number, 0), _LARGEST) for number in (limit, offset))
    with database.reading() as connection:
        found = database.search_index.find(
            connection, query, _blogs_meant(connection, query), limit=limit, offset=offset,
        )
        return tuple(_hits(connection, found, Seeker(query)))


def count(database: Database, text: str) -> int:
    """How many posts fit a query."""
    query = ask(text)
    with database.reading() as connection:
        return database.search_index.count(connection, query, _blogs_meant(connection, query))


def _state(connection: Connection) -> str:
    # Every batch reads it and none writes it: no writer waits for another here.
    return connection.scalar(_READ_STATE) or ""


def _note(connection: Connection, database: Database, state: str) -> None:
    statement = database.insert(_remembered)
    connection.execute(
        statement.on_conflict_do_update(index_elements=["blog_id", "name"], set_={"value": statement.excluded.value}),
        {"blog_id": 0, "name": STATE, "value": state},
    )


def _is_other(state: str, database: Database) -> bool:
    """Whether the index is of pieces that this program would not cut so: it could not take them out again."""
    return state.removesuffix(_FILLING) != database.search_index.kind


def _reset_if_other(connection: Connection, database: Database) -> None:
    # Once more with a lock: of several that find it so at once, one makes it anew.
    if _is_other(_state(connection), database) and _is_other(
        connection.scalar(_READ_STATE.with_for_update()) or "", database,
    ):
        reset(connection, database)


def reset(connection: Connection, database: Database) -> None:
    """An empty index that the next search, or `fill`, makes anew; in the transaction that is open."""
    database.search_index.drop(connection)
    database.search_index.make(connection)
    connection.execute(_indexed.delete())
    _note(connection, database, f"{database.search_index.kind}{_FILLING}")


def _blogs_meant(connection: Connection, query: Query) -> Mapping[Term, Sequence[int]]:
    terms = {term for choice in (query.unwanted, *query.wanted) for term in choice if term.field == "blog"}
    if not terms:
        return {}
    table = schema.blogs
    rows = connection.execute(select(table.c.id, table.c.home, table.c.title).order_by(table.c.id))
    known = [(row.id, row.home, row.title or "") for row in rows]
    return {term: blogs_meant(term, known) for term in terms}


def _hits(connection: Connection, found: Sequence[tuple[int, float]], seeker: Seeker) -> Iterator[Hit]:
    for part in in_parts(found):
        shown = connection.execute(_SHOWN, {"wanted": [number for number, _ in part]})
        records = {number: (record, home) for number, record, home in shown}
        for number, score in part:
            if number in records:
                yield _hit(*records[number], score, seeker)


def _hit(record: str, home: str, score: float, seeker: Seeker) -> Hit:
    found: dict[str, Any] = json.loads(record)
    title = seeker.seek(found["title"] or "")
    where, shown, comment = _part(found, title, seeker)
    return Hit(
        url=found["url"], blog=home, title=found["title"], authors=tuple(found["authors"]),
        published=moment_or_none(found["published"]), score=score, where=where, marked_title=title.marked(),
        snippet=shown.snippet(), comment_id=comment.get("id"), comment_author=comment.get("author"),
    )


def _part(found: Mapping[str, Any], title: Sought, seeker: Seeker) -> tuple[Where, Sought, Mapping[str, Any]]:
    """The part of a post that has most of what was looked for, the text to show of it, and which comment it is."""
    text = seeker.seek(found["text"])
    most = max(title.terms, text.terms)
    if most < seeker.size:
        for comment in found["comments"]:
            said = seeker.seek(comment["text"])
            by = seeker.seek(comment["author"] or "")
            if said.terms + by.terms > most:
                return "comment", said, comment
    return "title" if title.terms > text.terms else "text", text, {}
