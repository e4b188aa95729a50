"""Search repository: what is found in an archive, and what is shown of it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from sqlalchemy import BindParameter, Connection, bindparam, select

from everlog.archive.db import schema
from everlog.archive.db.column_values import moment_or_none
from everlog.archive.db.database import Database, in_parts
from everlog.archive.files.durable import nothing
from everlog.archive.repos.post_parts import IS_CURRENT
from everlog.archive.repos.search_index import count_lacking, fill, is_complete, reset
from everlog.search.hit import Hit, Where
from everlog.search.query import Query, Term, ask
from everlog.search.snippets import Seeker, Sought, blogs_meant

# Databases count in 64 bits.
_LARGEST = 2**63 - 1

_posts, _versions = schema.posts, schema.versions
_WANTED: BindParameter[int] = bindparam("wanted", expanding=True)
_SHOWN = (
    select(_posts.c.id, _versions.c.record, schema.blogs.c.home)
    .join_from(_posts, _versions, IS_CURRENT)
    .join(schema.blogs, schema.blogs.c.id == _posts.c.blog_id)
    .where(_posts.c.id.in_(_WANTED))
)


class SearchRepository:
    """Full-text search over the posts."""

    def __init__(self, database: Database) -> None:
        self.database = database

    def __call__(self, query: str, *, limit: int = 20, offset: int = 0) -> tuple[Hit, ...]:
        """The posts that fit a query best (`everlog.search.query` says what it may have); fills the index first."""
        self.index()
        asked = ask(query)
        limit, offset = (min(max(number, 0), _LARGEST) for number in (limit, offset))
        blogs = self._blogs_meant(asked)
        with self.database.reading() as connection:
            found = self.database.search_index.find(connection, asked, blogs, limit=limit, offset=offset)
            return tuple(_hits(connection, found, Seeker(asked)))

    def ranked(
        self, query: str, *, most: int | None = None, blog_id: int | None = None,
    ) -> tuple[tuple[int, float], ...]:
        """The numbers and scores of the posts that fit a query best, for who chooses among them before showing any.

        With `most`, for pages that readers wait for: of a query that nearly all posts fit, those that came last are
        ranked.
        """
        self.index()
        asked = ask(query)
        blogs = self._blogs_meant(asked)
        with self.database.reading() as connection:
            return tuple(self.database.search_index.find(
                connection, asked, blogs, limit=_LARGEST if most is None else most, offset=0, within=blog_id,
                hurried=most is not None,
            ))

    @property
    def most_ranked(self) -> int:
        """How many `ranked` gives at most, whatever it is asked for; fewer than these are all that there are."""
        return self.database.search_index.most_ranked

    def hits(self, query: str, found: Sequence[tuple[int, float]]) -> tuple[Hit, ...]:
        """What is shown of some of the posts that `ranked` found."""
        with self.database.reading() as connection:
            return tuple(_hits(connection, found, Seeker(ask(query))))

    def count(self, query: str) -> int:
        """How many posts fit a query."""
        self.index()
        asked = ask(query)
        blogs = self._blogs_meant(asked)
        with self.database.reading() as connection:
            return self.database.search_index.count(connection, asked, blogs)

    def index(self, step: Callable[[str], None] = nothing) -> int:
        """Bring posts into the search index that an older version stored; `step` is told of each. How many."""
        return 0 if is_complete(self.database) else fill(self.database.to_index(), step)

    def count_not_indexed(self) -> int:
        """How many posts `index` would bring in: none, but in an archive of an older version."""
        return 0 if is_complete(self.database) else count_lacking(self.database)

    def forget(self) -> None:
        """Empty the search index, so that the next search, or `index`, makes it anew from the posts."""
        with self.database.writing() as connection:
            reset(connection, self.database)

    def _blogs_meant(self, query: Query) -> Mapping[Term, Sequence[int]]:
        terms = {term for choice in (query.unwanted, *query.wanted) for term in choice if term.field == "blog"}
        if not terms:
            return {}
        table = schema.blogs
        with self.database.reading() as connection:
            rows = connection.execute(select(table.c.id, table.c.home, table.c.title).order_by(table.c.id))
            known = [(row.id, row.home, row.title or "") for row in rows]
        # Compared when the transaction is over: with very many blogs that takes longer than a server lets one stand
        # idle.
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
