"""Listing repository: posts in lists, as the web interface and exports choose them. Bodies of posts are in `posts`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import BindParameter, Select, bindparam, func, select, tuple_

from everlog.archive.db import schema
from everlog.archive.db.column_values import storable
from everlog.archive.db.database import in_parts, one_of
from everlog.archive.files.durable import nothing
from everlog.archive.projection.filters import PostFilter, is_public
from everlog.archive.projection.post_content import link_number
from everlog.archive.projection.rebuild import rebuild
from everlog.archive.projection.summaries import PostSummary, SummaryPage, page_of, summaries_joined, summary_of
from everlog.archive.repos.post_parts import post_id_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sqlalchemy import ColumnElement, Connection

    from everlog.archive.db.database import Database
    from everlog.archive.projection.summaries import Cursor

# Lists say "more than" from here on.
MOST_COUNTED = 10_000

_summaries, _terms, _links = schema.post_summaries, schema.post_terms, schema.post_links
_posts, _aliases = schema.posts, schema.aliases


def _shown(statement: Select[Any], *, public: bool) -> Select[Any]:
    condition: ColumnElement[bool] = is_public()
    return statement.where(condition) if public else statement


_WANTED: BindParameter[int] = bindparam("wanted", expanding=True)
_SOME = {
    public: _shown(summaries_joined().where(_summaries.c.post_id.in_(_WANTED)), public=public)
    for public in (False, True)
}


class ListingRepository:
    """Lists of posts."""

    def __init__(self, database: Database) -> None:
        self.database = database

    def __call__(
        self, chosen: PostFilter, *, after: Cursor | None = None, oldest_first: bool = False, limit: int = 50,
    ) -> SummaryPage:
        """A page of posts by date, the newest first, those without a date last; `after` is where the last one ended."""
        statement, place = _chosen(chosen, summaries_joined)
        if after is not None:
            here = tuple_(after.published_at, after.post_id)
            statement = statement.where(tuple_(*place) > here if oldest_first else tuple_(*place) < here)
        order = place if oldest_first else [column.desc() for column in place]
        with self.database.reading() as connection:
            return page_of(connection.execute(statement.order_by(*order).limit(limit + 1)).all(), limit)

    def count(self, chosen: PostFilter, *, most: int = MOST_COUNTED) -> int:
        """How many posts a list has, counted up to so many."""
        statement, _ = _chosen(chosen, lambda *froms: select(_summaries.c.post_id).select_from(*froms or [_summaries]))
        with self.database.reading() as connection:
            return connection.execute(
                select(func.count()).select_from(statement.limit(most).subquery()),
            ).scalar_one()

    def find(self, url: str, *, public: bool = False) -> PostSummary | None:
        """The post at this address or one of its aliases, in any spelling."""
        with self.database.reading() as connection:
            number = post_id_of(connection, url)
        return None if number is None else self.summaries([number], public=public).get(number)

    def summaries(self, posts: Sequence[int], *, public: bool = False) -> dict[int, PostSummary]:
        """The summaries of these posts, by their numbers."""
        found: dict[int, PostSummary] = {}
        with self.database.reading() as connection:
            for part in in_parts(posts):
                rows = connection.execute(_SOME[public], {"wanted": part})
                found |= {row.post_id: summary_of(row) for row in rows}
        return found

    def among(self, posts: Sequence[int], chosen: PostFilter) -> tuple[int, ...]:
        """Those of some posts that a filter lets through, in their order."""
        statement = select(_summaries.c.post_id).where(one_of(_summaries.c.post_id, posts), chosen.all_conditions)
        with self.database.reading() as connection:
            kept = set(connection.scalars(statement))
        return tuple(number for number in posts if number in kept)

    def neighbours(self, post: PostSummary, *, public: bool = False) -> tuple[PostSummary | None, PostSummary | None]:
        """The posts of the blog that were published before and after one."""
        chosen = PostFilter(blog_id=post.blog_id, public=public)
        before, after = (
            self(chosen, after=post.cursor, oldest_first=is_later, limit=1).posts for is_later in (False, True)
        )
        return (before[0] if before else None), (after[0] if after else None)

    def backlinks(self, post_id: int, *, public: bool = False, limit: int = 50) -> tuple[PostSummary, ...]:
        """The posts of all blogs that link to one, under whichever of its addresses; the newest first."""
        with self.database.reading() as connection:
            targets = sorted(map(link_number, _keys(connection, post_id)))
            linking = select(_links.c.post_id).where(_links.c.target.in_(targets), _links.c.post_id != post_id)
            statement = _shown(summaries_joined().where(_summaries.c.post_id.in_(linking)), public=public)
            order = (_summaries.c.published_at.desc(), _summaries.c.post_id.desc())
            return tuple(map(summary_of, connection.execute(statement.order_by(*order).limit(limit))))

    def newest(
        self, *, blog_id: int | None = None, public: bool = False, limit: int = 50,
    ) -> tuple[PostSummary, ...]:
        """The posts that came into the archive last, the newest first."""
        statement = _shown(summaries_joined().where(_summaries.c.kind == "post"), public=public)
        if blog_id is not None:
            # By the index of the posts of a blog in the order they were found.
            found = select(_posts.c.id).where(_posts.c.blog_id == blog_id, _posts.c.kind == "post")
            if public:
                found = found.where(~select(schema.hidden_posts).where(
                    schema.hidden_posts.c.post_id == _posts.c.id,
                ).exists())
            statement = statement.where(_summaries.c.post_id.in_(found.order_by(_posts.c.id.desc()).limit(limit)))
        with self.database.reading() as connection:
            rows = connection.execute(statement.order_by(_summaries.c.post_id.desc()).limit(limit))
            return tuple(map(summary_of, rows))

    def rebuild(self, step: Callable[[str], None] = nothing) -> int:
        """Make all rows for lists anew from the versions; `step` is told of each post. How many there are."""
        return rebuild(self.database, step)


def _chosen(chosen: PostFilter, make: Callable[..., Select[Any]]) -> tuple[Select[Any], list[Any]]:
    """The posts of a list, and the columns it is sorted by, in an order that an index has."""
    if not chosen.terms:
        return make().where(chosen.conditions), [_summaries.c.published_at, _summaries.c.post_id]
    kind, term = chosen.terms[0]
    statement = make(_terms.join(_summaries, _summaries.c.post_id == _terms.c.post_id)).where(
        _terms.c.kind == kind, _terms.c.term == term, chosen.conditions,
    )
    if chosen.blog_id is not None:
        statement = statement.where(_terms.c.blog_id == chosen.blog_id)
    return statement, [_terms.c.published_at, _terms.c.post_id]


def _keys(connection: Connection, post_id: int) -> set[str]:
    """All keys under which a post is known."""
    own = connection.scalars(select(_posts.c.key).where(_posts.c.id == post_id))
    others = connection.scalars(select(_aliases.c.key).where(_aliases.c.post_id == post_id))
    return {storable(key) for key in (*own, *others)}
