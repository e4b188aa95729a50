"""The search index of an archive in SQLite: an FTS5 table beside the posts. All that only SQLite has is here.

The table keeps no text (`content=''`): the versions have it. A row is taken out by handing FTS5 the very
pieces that went in, which any SQLite can do; `contentless_delete` would need 3.43, and an archive made with
it could not be opened by an older one.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from sqlalchemy.exc import DBAPIError, OperationalError

from everlog.archive.db.column_values import stamp
from everlog.errors import DamagedArchive, UsageError
from everlog.search.tokenize import KIND, looked_up

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from sqlalchemy import Connection

    from everlog.search.document import Document
    from everlog.search.query import Query, Term

    Blogs = Mapping[Term, Sequence[int]]

# The text comes first: FTS5 writes no column's number for the first one, two bytes less for most pieces. Pieces
# come cut and folded, so the tokenizer has only to split them (it takes all beyond ASCII for letters).
MAKE = (
    "create virtual table search using fts5(text, title, comments, authors, tags, blog, content='', tokenize='ascii')"
)
# Pieces gather in memory up to this size before they are written. With the 1 MB that FTS5 has by itself, 20,000
# posts of 300 words in groups of 1,000 took 12.2 s of processor time, with this 8.1 s; 64 MB brought no more.
HASH_BYTES = 16_000_000
# In the order of columns. A title says what a post is about in a few words, names and tags too; comments are
# about other things as well. Round numbers in that order, not tuned on anything. The blog's piece is there to
# choose by, not to rank by.
WEIGHTS = "bm25(1.0, 5.0, 0.5, 2.0, 2.0, 0.0)"
# To rank 60,000 of 100,000 posts takes 94 ms of processor time, 10,000 take 18, 5,000 take 12 (a busy machine, the best
# of three): a word that so many have tells little about any of them.
MOST_RANKED = 5_000

# Words are looked for in all columns: no word is like a blog's piece.
_COLUMNS = {None: "", "title": "title : ", "author": "authors : ", "tag": "tags : ", "blog": "blog : "}
_WRITE = "insert into search (rowid, text, title, comments, authors, tags, blog) values (?, ?, ?, ?, ?, ?, ?)"
_REMOVE = (
    "insert into search (search, rowid, text, title, comments, authors, tags, blog) "
    "values ('delete', ?, ?, ?, ?, ?, ?, ?)"
)
# Said as a test of each row: as a list of ids SQLite would ask the index once for every one of them.
_DATED = "exists (select 1 from posts where posts.id = search.rowid and {})"


class Fts5Index:
    """What `database.SearchIndex` promises, by FTS5."""

    kind = KIND
    needs_former = True
    most_ranked = MOST_RANKED

    def make(self, connection: Connection) -> None:
        try:
            connection.exec_driver_sql(MAKE)
        except OperationalError as error:
            if "no such module" not in str(error):
                raise
            raise UsageError(
                "the SQLite of this Python has no full-text search (FTS5)",
                advice="use a Python whose SQLite includes FTS5",
            ) from error
        connection.exec_driver_sql("insert into search (search, rank) values ('hashsize', ?)", (HASH_BYTES,))

    def drop(self, connection: Connection) -> None:
        connection.exec_driver_sql("drop table if exists search")

    def write(self, connection: Connection, documents: Sequence[Document]) -> None:
        with _explained():
            connection.exec_driver_sql(_WRITE, [_row(document) for document in documents])

    def remove(self, connection: Connection, documents: Sequence[Document]) -> None:
        with _explained():
            connection.exec_driver_sql(_REMOVE, [_row(document) for document in documents])

    def find(
        self, connection: Connection, query: Query, blogs: Blogs, *, limit: int, offset: int,
        within: int | None = None, hurried: bool = False,
    ) -> list[tuple[int, float]]:
        """The posts that fit best, with their scores; the newest first where there is no better or worse."""
        where, values = _condition(query, blogs, within)
        if any(term.field != "blog" for choice in query.wanted for term in choice):
            if hurried and (edge := _edge(connection, where, values, self.most_ranked)) is not None:
                where += " and rowid > ?"
                values.append(edge)
            # Without a join: FTS5 sorts by itself, and looks at nothing else for what is not shown.
            statement = f"select rowid, -rank from search where {where} and rank match ? order by rank limit ? offset ?"  # noqa: S608 - our own texts
            values.append(WEIGHTS)
        else:
            source = "search join posts on posts.id = search.rowid" if query.wanted else "posts"
            statement = (
                f"select posts.id, 0.0 from {source} where {where} "  # noqa: S608 - our own texts
                "order by posts.published desc, posts.id desc limit ? offset ?"
            )
        with _explained():
            rows = connection.exec_driver_sql(statement, (*values, limit, offset))
            return [(post_id, score) for post_id, score in rows]

    def count(self, connection: Connection, query: Query, blogs: Blogs) -> int:
        """How many posts fit."""
        where, values = _condition(query, blogs)
        source = "search" if query.wanted else "posts"
        statement = f"select count(*) from {source} where {where}"  # noqa: S608 - our own texts
        with _explained():
            return int(connection.exec_driver_sql(statement, tuple(values)).scalar_one())

    def lost(self, connection: Connection) -> list[int]:
        """Posts that were written and are not there."""
        rows = connection.exec_driver_sql("select post_id from indexed except select id from search_docsize")
        return [post_id for (post_id,) in rows]


@contextmanager
def _explained() -> Iterator[None]:
    """A damaged index is not a damaged archive: the posts are there, and it can be made from them."""
    try:
        yield
    except DBAPIError as error:
        if not str(getattr(error.orig, "sqlite_errorname", "")).startswith("SQLITE_CORRUPT"):
            raise
        raise DamagedArchive(
            f"the search index is damaged: {error.orig}",
            advice="rebuild it:  everlog search --rebuild",
        ) from error


def _edge(connection: Connection, where: str, values: Sequence[Any], most: int) -> int | None:
    """The number of the post behind which no more are to be ranked than a reader waits for; None: there are fewer."""
    statement = f"select rowid from search where {where} order by rowid desc limit 1 offset ?"  # noqa: S608 - our own texts
    with _explained():
        found = connection.exec_driver_sql(statement, (*values, most)).scalar()
    return None if found is None else int(found)


def _row(document: Document) -> tuple[Any, ...]:
    blog = _blog_piece(document.blog_id)
    return document.post_id, document.text, document.title, document.comments, document.authors, document.tags, blog


def _condition(query: Query, blogs: Blogs, within: int | None = None) -> tuple[str, list[Any]]:
    """What rows of the index (or of the posts, if no word is wanted) have to fulfil, and its values."""
    values: list[Any] = []
    conditions: list[str] = []
    unwanted = " OR ".join(_expression(term, blogs) for term in query.unwanted)
    if query.wanted:
        wanted = " AND ".join(
            f"({' OR '.join(_expression(term, blogs) for term in choice)})" for choice in query.wanted
        )
        if within is not None:
            wanted += f" AND {_COLUMNS['blog']}{_quoted(_blog_piece(within))}"
        conditions.append("search match ?")
        values.append(f"({wanted}) NOT ({unwanted})" if unwanted else wanted)
    elif within is not None:
        conditions.append("blog_id = ?")
        values.append(within)
    if unwanted and not query.wanted:
        conditions.append("id not in (select rowid from search where search match ?)")
        values.append(unwanted)
    dates = {"published >= ?": query.since, "published < ?": query.until}
    wanted_dates = {text: stamp(moment) for text, moment in dates.items() if moment is not None}
    if wanted_dates:
        text = " and ".join(wanted_dates)
        conditions.append(_DATED.format(text) if query.wanted else text)
        values += wanted_dates.values()
    return " and ".join(conditions), values


def _expression(term: Term, blogs: Blogs) -> str:
    """A term in the language of FTS5. Pieces are letters and digits only, so nothing in them can be a command."""
    column = _COLUMNS[term.field]
    if term.field == "blog":
        # No blog has the number 0.
        ids = blogs[term] or (0,)
        return f"({' OR '.join(f'{column}{_quoted(_blog_piece(number))}' for number in ids)})"
    asked, beginning = looked_up(term.units)
    star = "*" if beginning or term.beginning else ""
    return f"{column}{_quoted(' '.join(asked))}{star}"


def _quoted(text: str) -> str:
    return '"' + text.replace('"', '""') + '"'


def _blog_piece(blog_id: int) -> str:
    # Begins with what is no letter anywhere: nobody's words are taken for it.
    return f"\ue000{blog_id}"
