"""The figures of blogs: what is held, what waits, what is missing. docs/internals/figures.md says the same in words.

Every figure on the screen and in every `--json` is counted here, so that one word never stands for two numbers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import ColumnElement, Connection, Select, and_, case, false, func, or_, select, true

from everlog.archive.db import schema
from everlog.archive.models import Counts
from everlog.archive.repos.post_parts import IS_POST
from everlog.records.figures import Figures

if TYPE_CHECKING:
    from collections.abc import Iterator


    Counted = Iterator[tuple[int, str, int]]

_blogs, _urls, _posts = schema.blogs, schema.urls, schema.posts
_media, _aliases, _versions, _figures = schema.media, schema.aliases, schema.versions, schema.blog_figures


def _is_in(table: Any, *which: ColumnElement[bool]) -> ColumnElement[bool]:
    """Whether the address of a row of the queue is one of this table's, of `which` rows of it."""
    return select(table.c.key).where(table.c.key == _urls.c.key, table.c.blog_id == _urls.c.blog_id, *which).exists()


_IS_MEDIUM = _urls.c.lane == "media"
_IS_REQUISITE = _urls.c.lane == "requisite"
_IS_FILE = _urls.c.lane.in_(["media", "requisite"])
# One that is looked at again, or was and could not be had then, is held all the same: its outcome stays. An address
# that we guess, as that of the icon of a host, may answer that there is nothing.
HOLDS_REQUISITE: ColumnElement[bool] = and_(
    _IS_REQUISITE, _urls.c.outcome == "requisite", _urls.c.state.in_(["done", "queued"]),
    func.coalesce(_urls.c.status, 200) < 400,
)
IS_HELD: ColumnElement[bool] = or_(_is_in(_posts), _is_in(_aliases))
# Without the pages that an interface told.
IS_HELD_POST: ColumnElement[bool] = or_(_is_in(_posts, IS_POST), _is_in(_aliases))
# A post that is held under an address is not missing there, whatever the last visit came to; but one of which a
# further page could not be had is, in part.
_HAS_FAILED = and_(
    _urls.c.state == "failed",
    case((_IS_MEDIUM, ~_is_in(_media)), (_IS_REQUISITE, true()), else_=or_(_urls.c.outcome == "post", ~IS_HELD)),
)
# A picture that may not be asked for, or is too large, is not held either; such a page was left out for a reason.
_WAS_REFUSED = and_(
    _IS_FILE, _urls.c.state == "done", _urls.c.outcome == "skip", or_(_IS_REQUISITE, ~_is_in(_media)),
)
IS_MISSING: ColumnElement[bool] = or_(_HAS_FAILED, _WAS_REFUSED)
IS_LEFT_OUT: ColumnElement[bool] = and_(~_IS_FILE, _urls.c.state == "done", _urls.c.outcome == "skip", ~IS_HELD)
# Posts that are held and looked at again do not wait to be held.
_IS_WAITING = and_(
    _urls.c.state == "queued",
    case((_urls.c.lane == "post", ~IS_HELD), (_IS_REQUISITE, ~func.coalesce(HOLDS_REQUISITE, false())), else_=true()),
)
_IS_OTHER_PAGE = and_(
    ~_IS_FILE, _urls.c.state != "failed", _urls.c.outcome.in_(["listing", "page", "post", "unchanged"]), ~IS_HELD,
)


def figures_of(connection: Connection, blog_id: int) -> Figures:
    """All figures of one blog."""
    of_it = _gathered(connection, blog_id).get(blog_id, {})
    told = _rows(connection, _posts, _posts.c.blog_id == blog_id, ~IS_POST)
    return Figures(**of_it, pages=told + _rows(connection, _urls, _urls.c.blog_id == blog_id, _IS_OTHER_PAGE))


def figures_of_all(connection: Connection) -> dict[int, Figures]:
    """The figures of all blogs, by their numbers; other pages are not counted, which would read all that is known."""
    return {blog: Figures(**named) for blog, named in _gathered(connection, None).items()}


def counts_of(connection: Connection, blog_id: int) -> Counts:
    """What is held of a blog, and what still waits."""
    of_blog = _urls.c.blog_id == blog_id
    held = connection.execute(
        select(_count(IS_POST), func.sum(_posts.c.comments)).where(_posts.c.blog_id == blog_id),
    ).one()
    stored = connection.execute(
        select(func.count()).select_from(_versions.join(_posts)).where(_posts.c.blog_id == blog_id),
    ).scalar_one()
    return Counts(
        posts=held[0] or 0, versions=stored, comments=held[1] or 0,
        pages=_rows(
            connection, _urls, of_blog, _urls.c.state == "done", _urls.c.lane.in_(["page", "post"]),
            func.coalesce(_urls.c.outcome, "") != "feed",
        ),
        media=_rows(connection, _media, _media.c.blog_id == blog_id),
        aliases=_rows(connection, _aliases, _aliases.c.blog_id == blog_id),
        queued=_rows_by(connection, _urls.c.lane, of_blog, _urls.c.state == "queued"),
        outcomes=_rows_by(connection, _urls.c.outcome, of_blog, _urls.c.outcome.is_not(None)),
        notes=_rows(connection, _urls, of_blog, _urls.c.note.is_not(None)),
    )


def _rows(connection: Connection, table: Any, *where: ColumnElement[bool]) -> int:
    return connection.execute(select(func.count()).select_from(table).where(*where)).scalar_one()


def _rows_by(connection: Connection, column: Any, *where: ColumnElement[bool]) -> dict[str, int]:
    rows = connection.execute(select(column, func.count()).where(*where).group_by(column).order_by(column))
    return {name: count for name, count in rows}  # noqa: C416 - rows are not pairs to the type checker


def _gathered(connection: Connection, blog_id: int | None) -> dict[int, dict[str, int]]:
    gathered: dict[int, dict[str, int]] = {}
    for blog, name, count in (*_held(connection, blog_id), *_not_held(connection, blog_id)):
        of_it = gathered.setdefault(blog, {})
        of_it[name] = of_it.get(name, 0) + count
    return gathered


def _held(connection: Connection, blog_id: int | None) -> Counted:
    # Kept with the posts: to count them takes longer than all else, the more the more there are.
    names = ("posts", "comments", "deleted", "comments_failed", "hidden")
    kept = select(_figures.c.blog_id, *(_figures.c[name] for name in names))
    for row in connection.execute(kept if blog_id is None else kept.where(_figures.c.blog_id == blog_id)):
        for name, count in zip(names, row[1:], strict=True):
            yield row[0], name, count
    for name, table in (("media", _media), ("aliases", _aliases)):
        for blog, count in connection.execute(_of(table, blog_id, func.count())):
            yield blog, name, count
    for blog, count in connection.execute(_of_queue(blog_id, func.count()).where(HOLDS_REQUISITE)):
        yield blog, "requisites", count


def _not_held(connection: Connection, blog_id: int | None) -> Counted:
    counts = (_count(_urls.c.lane == "post"), _count(_urls.c.lane == "page"), _count(_IS_MEDIUM), _count(_IS_REQUISITE))
    statement = _of_queue(blog_id, *counts)
    missing = ("missing_posts", "missing_pages", "media_missing", "requisites_missing")
    waiting = ("waiting_posts", "waiting_pages", "waiting_media", "waiting_requisites")
    for names, where in ((missing, _HAS_FAILED), (missing, _WAS_REFUSED), (waiting, _IS_WAITING)):
        for row in connection.execute(statement.where(where)):
            for name, count in zip(names, row[1:], strict=True):
                yield row[0], name, count


def _of_queue(blog_id: int | None, *columns: Any) -> Select[Any]:
    """Some columns of the queue for one blog, or for each of them."""
    # By blog and state, as the index has them: an archive knows many more addresses than fail or wait.
    joined = _blogs.join(_urls, _urls.c.blog_id == _blogs.c.id)
    statement = select(_urls.c.blog_id, *columns).select_from(joined).group_by(_urls.c.blog_id)
    return statement if blog_id is None else statement.where(_blogs.c.id == blog_id)


def _of(table: Any, blog_id: int | None, *columns: Any) -> Select[Any]:
    """Some columns of a table for one blog, or for each of them."""
    if blog_id is not None:
        return select(table.c.blog_id, *columns).where(table.c.blog_id == blog_id).group_by(table.c.blog_id)
    # The sum stands in for the column, so that SQLite reads the table in its own order: by the index of blogs, half
    # a million posts of ten thousand blogs take 1.3 s, in the order they were written 0.75 s.
    blog = (table.c.blog_id + 0).label("blog")
    return select(blog, *columns).group_by(blog)


def _count(where: ColumnElement[bool]) -> ColumnElement[int]:
    """How many rows of a group are so."""
    return func.sum(case((where, 1), else_=0))
