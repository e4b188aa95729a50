"""Comment repository: posts whose comments are not all held.

Comments themselves are part of the versions of their posts.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from sqlalchemy import ColumnElement, Row, Select, and_, func, select, true

from everlog.archive.db import schema
from everlog.archive.db.column_values import storable
from everlog.archive.post_codec import read_comments
from everlog.archive.repos.post_parts import IS_CURRENT, record_head, url_in

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from everlog.archive.db.database import Database
    from everlog.records import Comment

# How a record says how many comments the site counts; no text of it can, since every quotation mark in one is escaped.
_CLAIMED = '"comment_count_claimed": '
_DIGITS = 12
# Records of so many posts are read at once.
AT_ONCE = 100

_posts, _versions = schema.posts, schema.versions


@dataclass(frozen=True, slots=True, kw_only=True)
class LackingComments:
    """A post that lacks comments, how many are held, and how many the site counts."""

    url: str
    state: Literal["failed", "partial", "off"]
    held: int
    claimed: int | None


class CommentRepository:
    """What the posts of a blog lack in comments."""

    def __init__(self, database: Database) -> None:
        self.database = database

    def lacking(self, blog_id: int, *, least_tries: int = 0, most_tries: int) -> tuple[str, ...]:
        """The keys of posts whose comments were not wanted, or could not be had in so many tries (fewer than most)."""
        state, tries = _posts.c.comments_state, _posts.c.comment_tries
        statement = select(_posts.c.key).where(
            _posts.c.blog_id == blog_id,
            (state == "off") | ((state == "failed") & (tries >= least_tries) & (tries < most_tries)),
        )
        with self.database.reading() as connection:
            return tuple(connection.scalars(statement.order_by(_posts.c.id)))

    def count(self, blog_id: int) -> int:
        """How many comments are kept, in the current versions of posts."""
        statement = select(func.coalesce(func.sum(_posts.c.comments), 0)).where(_posts.c.blog_id == blog_id)
        with self.database.reading() as connection:
            return int(connection.execute(statement).scalar_one())

    def by_post(self, blog_id: int) -> dict[str, int]:
        """How many comments are kept, by the keys of posts that have some."""
        statement = select(_posts.c.key, _posts.c.comments).where(_posts.c.blog_id == blog_id, _posts.c.comments > 0)
        with self.database.reading() as connection:
            return {row.key: row.comments for row in connection.execute(statement)}

    def of_posts(self, blog_id: int, keys: Collection[str]) -> Iterator[tuple[str, str, tuple[Comment, ...]]]:
        """The comments of posts on the web, by their keys: key, address, comments. Read in parts, as posts are."""
        statement = select(_posts.c.key, _versions.c.record).join_from(_posts, _versions, IS_CURRENT)
        wanted = sorted(map(storable, keys))
        for start in range(0, len(wanted), AT_ONCE):
            part = statement.where(
                _posts.c.blog_id == blog_id, _posts.c.key.in_(wanted[start : start + AT_ONCE]), _posts.c.gone.is_(None),
            )
            with self.database.reading() as connection:
                rows = connection.execute(part.order_by(_posts.c.key)).all()
            yield from ((row.key, *read_comments(row.record)) for row in rows)

    def count_failed(self, blog_id: int, *, most_tries: int | None = None) -> int:
        """How many posts are kept whose comments could not be had, given up (after so many tries) or not."""
        few = true() if most_tries is None else _posts.c.comment_tries < most_tries
        statement = select(func.count()).where(_posts.c.blog_id == blog_id, _posts.c.comments_state == "failed", few)
        with self.database.reading() as connection:
            return connection.execute(statement).scalar_one()

    def count_missing(self, blog_id: int) -> int:
        """How many comments the site counts on posts that are held, beyond those that are kept."""
        columns = (_posts.c.comments,)
        rows = self._with_claims(blog_id, columns, _posts.c.comments_state.not_in(["complete", "off"]))
        return sum(max(_number_before_comma(row.claimed) - row.comments, 0) for row in rows)

    def gaps(self, blog_id: int) -> tuple[LackingComments, ...]:
        """The posts on the web whose comments failed, are fewer than the site counts, or were not asked for."""
        columns = (_posts.c.key, _posts.c.comments, _posts.c.comments_state, record_head().label("head"))
        lacking = and_(_posts.c.comments_state.in_(["failed", "partial", "off"]), _posts.c.gone.is_(None))
        return tuple(
            LackingComments(
                url=url_in(row.head, row.key) or row.key, state=row.comments_state, held=row.comments,
                claimed=_number_before_comma(row.claimed) or None,
            )
            for row in self._with_claims(blog_id, columns, lacking)
        )

    def _with_claims(self, blog_id: int, columns: Any, where: ColumnElement[bool]) -> Sequence[Row[Any]]:
        """Columns of posts, and behind them the piece of their record with the number that the site states."""
        with self.database.reading() as connection:
            find = func.instr if connection.dialect.name == "sqlite" else func.strpos
            claimed = func.substr(
                _versions.c.record, find(_versions.c.record, _CLAIMED) + len(_CLAIMED), _DIGITS,
            ).label("claimed")
            statement: Select[Any] = select(*columns, claimed).join(_versions, IS_CURRENT)
            return connection.execute(statement.where(_posts.c.blog_id == blog_id, where).order_by(_posts.c.id)).all()


def _number_before_comma(text: str) -> int:
    """The number that a piece of a record begins with; 0 if it is null there.

    >>> _number_before_comma('12, "url": '), _number_before_comma('null, "url"')
    (12, 0)
    """
    number = text.partition(",")[0].rstrip("}")
    return int(number) if number.isdecimal() else 0
