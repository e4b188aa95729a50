"""Inventory repository: the posts that each source says a blog has, held or not; and the last verdict on them.

Of those that are not held only the exceptions are read: which members are held is asked of the database, and most are.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

from sqlalchemy import ColumnElement, Row, and_, func, or_, select, true

from everlog.archive.db import schema
from everlog.archive.db.column_values import moment_or_none, stamp_or_none, storable, storable_or_none
from everlog.archive.db.database import Database, in_parts
from everlog.archive.repos.events import insert_events
from everlog.archive.repos.post_parts import IS_CURRENT
from everlog.archive.repos.urls import without_address
from everlog.core.retry_policy import NOT_THERE

if TYPE_CHECKING:
    from everlog.records import Event

_listed, _urls, _posts, _aliases = schema.listed_posts, schema.urls, schema.posts, schema.aliases
_versions, _captures, _blogs = schema.versions, schema.captures, schema.blogs
# Members that are posts: certainly, by their address alone, or beyond the blog's scope.
POSTS = ("post", "address", "outside")
# A member that is a comment. Its key is no post's: that of its post, and its number behind `#`.
COMMENT = "comment"
# What is noted of the address of a post that an interface told, where that led to the page of another one, or answered
# with something else.
LEADS_TO_POST, SHOWS_ANOTHER = "redirects to another post", "shows nothing of its text"
# The question mark of a query that is a part of the path.
COPIED_QUERY = "%3F"
# Enough to see some that lie right below a folder.
MOST_IN_FOLDER = 1_000
# How the text of a record says that it was not read from the live web.
_ELSEWHERE = select(_captures.c.id).where(_captures.c.id == _versions.c.capture_id, _captures.c.origin.is_not(None))


@dataclass(frozen=True, slots=True, kw_only=True)
class InventoryPost:
    """A post that a source lists, under the key of its address; `native_id` is what the source calls it."""

    native_id: str
    key: str
    url: str
    kind: str = "post"
    changed_at: datetime | None = None
    locked: str | None = None
    # Lists of addresses do not tell who may read a post: what was told before stands.
    knows_lock: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class NotedComment:
    """A comment that a source lists, by its number, on the post of a key."""

    post_key: str
    number: str
    url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class UnheldPost:
    """An address at which no post is held: who lists it and as what, and what became of it in the queue.

    Without a `state` it was never in the queue. `source` is None for what only links led to. `gone` is why it is held
    to be deleted, where its text is held.
    """

    key: str
    url: str
    source: str | None = None
    kind: str = "post"
    locked: str | None = None
    listed_year: int | None = None
    state: str | None = None
    outcome: str | None = None
    reason: str | None = None
    status: int | None = None
    found_on: str | None = None
    gone: str | None = None


def _is_held(key: Any, blog_id: Any) -> ColumnElement[bool]:
    """Whether a post is held at an address, or knows it as another one of its own."""
    return or_(*(
        select(table.c.key).where(table.c.key == key, table.c.blog_id == blog_id).exists()
        for table in (_posts, _aliases)
    ))


def _by_key(listed: Any, source: str) -> ColumnElement[bool]:
    """Whether a row is a source's, said so that SQLite looks for it by its key, not among all rows of the source."""
    found: ColumnElement[bool] = listed.c.source.concat("") == source
    return found


def _are_comments(blog_id: int, source: str) -> tuple[ColumnElement[bool], ...]:
    """Which members of a source are comments."""
    return _listed.c.blog_id == blog_id, _listed.c.source == source, _listed.c.kind == COMMENT


def _is_page(key: Any, blog_id: Any) -> ColumnElement[bool]:
    """Whether some source lists an address as that of a page beside the posts."""
    pages = _listed.alias("pages")
    return select(pages.c.key).where(pages.c.blog_id == blog_id, pages.c.key == key, pages.c.kind == "page").exists()


# Whether a page of a post was captured, at its own address or at another one of its own.
_elsewhere = _urls.alias("elsewhere")
_HAS_PAGE = or_(
    select(_versions.c.post_id).where(
        _versions.c.post_id == _posts.c.id, _versions.c.capture_id.is_not(None),
    ).exists(),
    select(_elsewhere.c.key).where(
        _aliases.c.post_id == _posts.c.id, _elsewhere.c.blog_id == _posts.c.blog_id,
        _elsewhere.c.key == _aliases.c.key, _elsewhere.c.outcome == "post", _elsewhere.c.state == "done",
    ).exists(),
)
_OF_URL = (_urls.c.state, _urls.c.outcome, _urls.c.reason, _urls.c.status, _urls.c.found_on)
_IN_QUEUE = and_(_urls.c.blog_id == _listed.c.blog_id, _urls.c.key == _listed.c.key)


class InventoryRepository:
    """What sources list, by blog and source, and what of it is not held."""

    def __init__(self, database: Database) -> None:
        self.database = database

    def add(self, blog_id: int, source: str, posts: Iterable[InventoryPost]) -> None:
        """Note posts that a source lists; one that it listed before is as it is listed now."""
        rows = {
            post.native_id: (post.knows_lock, {
                "blog_id": blog_id, "source": storable(source), "native_id": storable(post.native_id),
                "key": storable(post.key), "url": storable(post.url), "kind": post.kind,
                "changed_at": stamp_or_none(post.changed_at), "locked": storable_or_none(post.locked),
            })
            for post in posts
        }
        new = self.database.insert(_listed)
        for knows_lock in (True, False):
            changed = ("key", "url", "kind", "changed_at", *(("locked",) if knows_lock else ()))
            statement = new.on_conflict_do_update(
                index_elements=["blog_id", "source", "native_id"], set_={name: new.excluded[name] for name in changed},
            )
            if chosen := [row for knows, row in rows.values() if knows == knows_lock]:
                with self.database.writing() as connection:
                    connection.execute(statement, chosen)

    def add_comments(self, blog_id: int, source: str, comments: Iterable[NotedComment]) -> None:
        """Note comments that a source lists, on posts by their keys."""
        self.add(blog_id, source, (
            InventoryPost(
                native_id=f"{COMMENT} {each.number}", key=f"{each.post_key}#{each.number}", url=each.url, kind=COMMENT,
            )
            for each in comments
        ))

    def count_comments(self, blog_id: int, source: str) -> int:
        """How many comments a source lists."""
        return self.count(blog_id, source, kind=COMMENT)

    def comments_by_post(self, blog_id: int, source: str) -> dict[str, int]:
        """How many comments a source lists, by the keys of their posts."""
        with self.database.reading() as connection:
            find = func.instr if connection.dialect.name == "sqlite" else func.strpos
            post = func.substr(_listed.c.key, 1, find(_listed.c.key, "#") - 1).label("post")
            # By its name, as in `held_by_year`.
            statement = select(post, func.count()).where(*_are_comments(blog_id, source)).group_by("post")
            return {row[0]: row[1] for row in connection.execute(statement)}

    def comments_of(self, blog_id: int, source: str) -> set[str]:
        """The numbers of all comments that a source lists."""
        rows = self._all(select(_listed.c.native_id).where(*_are_comments(blog_id, source)))
        return {row.native_id.removeprefix(f"{COMMENT} ") for row in rows}

    def remove(self, blog_id: int, source: str, native_ids: Collection[str]) -> None:
        """Note that a source does not list these any more."""
        with self.database.writing() as connection:
            for part in in_parts(sorted(map(storable, native_ids))):
                connection.execute(_listed.delete().where(
                    _listed.c.blog_id == blog_id, _listed.c.source == source, _listed.c.native_id.in_(part),
                ))

    def clear(self, blog_id: int, source: str) -> None:
        """Forget what a source lists: it is asked for all of it again."""
        if not self.count(blog_id, source, kind=None):
            return
        with self.database.writing() as connection:
            connection.execute(_listed.delete().where(_listed.c.blog_id == blog_id, _listed.c.source == source))

    def of(self, blog_id: int, source: str, *, kind: str | None = "post") -> tuple[InventoryPost, ...]:
        """All posts that a source lists, or all pages; None: both."""
        statement = select(_listed).where(_listed.c.blog_id == blog_id, _listed.c.source == source)
        statement = statement.where(_listed.c.kind == kind if kind is not None else _listed.c.kind != COMMENT)
        with self.database.reading() as connection:
            return tuple(
                InventoryPost(
                    native_id=row.native_id, key=row.key, url=row.url, kind=row.kind,
                    changed_at=moment_or_none(row.changed_at), locked=row.locked,
                )
                for row in connection.execute(statement.order_by(_listed.c.key))
            )

    def count(self, blog_id: int, source: str, *, kind: str | None = "post") -> int:
        """How many posts a source lists; of all kinds for None."""
        statement = select(func.count()).where(_listed.c.blog_id == blog_id, _listed.c.source == source)
        if kind is not None:
            statement = statement.where(_listed.c.kind == kind)
        with self.database.reading() as connection:
            return connection.execute(statement).scalar_one()

    def awaits_pages(self, blog_id: int, source: str) -> bool:
        """Whether posts that a source lists are not held yet, and their pages wait to be fetched."""
        waiting = select(_urls.c.key).where(
            _urls.c.blog_id == blog_id, _urls.c.key == _listed.c.key, _urls.c.state == "queued",
        )
        held = [
            select(table.c.key).where(table.c.blog_id == blog_id, table.c.key == _listed.c.key).exists()
            for table in (schema.posts, schema.aliases)
        ]
        statement = select(_listed.c.key).where(
            _listed.c.blog_id == blog_id, _listed.c.source == source, _listed.c.locked.is_(None), waiting.exists(),
            *(~each for each in held),
        )
        with self.database.reading() as connection:
            return connection.execute(statement.limit(1)).first() is not None

    def keys_of(self, blog_id: int, source: str, native_ids: Collection[str]) -> dict[str, str]:
        """The keys of posts by what the source calls them, of those that it lists."""
        found: dict[str, str] = {}
        columns = select(_listed.c.native_id, _listed.c.key)
        with self.database.reading() as connection:
            for part in in_parts(sorted(map(storable, native_ids))):
                rows = connection.execute(columns.where(
                    _listed.c.blog_id == blog_id, _listed.c.source == source, _listed.c.native_id.in_(part),
                ))
                found |= {row.native_id: row.key for row in rows}
        return found

    def names_of(self, blog_id: int, key: str) -> tuple[tuple[str, str], ...]:
        """What sources call the post at an address: the source, and its name for it."""
        statement = select(_listed.c.source, _listed.c.native_id).where(
            _listed.c.blog_id == blog_id, _listed.c.key == storable(key),
        ).order_by(_listed.c.source, _listed.c.native_id)
        return tuple((row.source, row.native_id) for row in self._all(statement))

    def counts(self, blog_id: int) -> dict[str, int]:
        """How many posts each source lists, each address once."""
        statement = select(_listed.c.source, func.count(_listed.c.key.distinct())).where(
            _listed.c.blog_id == blog_id, _listed.c.kind.in_(POSTS),
        ).group_by(_listed.c.source)
        return {row[0]: row[1] for row in self._all(statement)}

    def unheld(self, blog_id: int) -> list[UnheldPost]:
        """The posts that sources list and that are not held."""
        statement = (
            select(_listed.c.key, _listed.c.url, _listed.c.source, _listed.c.kind, _listed.c.locked,
                   _listed.c.changed_at, *_OF_URL)
            .join_from(_listed, _urls, _IN_QUEUE, isouter=True)
            .where(
                _listed.c.blog_id == blog_id, _listed.c.kind.in_(POSTS), ~_is_page(_listed.c.key, _listed.c.blog_id),
                ~_is_held(_listed.c.key, _listed.c.blog_id),
            )
        )
        return [_unheld(row) for row in self._all(statement)]

    def unheld_links(self, blog_id: int) -> list[UnheldPost]:
        """Addresses like a post's that links led to: that wait, could not be had, or were left out.

        What only a page calls its original is none: canonical links are wrong often enough.
        """
        is_open = and_(or_(_urls.c.state != "done", _urls.c.outcome == "skip"), _urls.c.rank >= 0)
        statement = select(_urls.c.key, _urls.c.url, *_OF_URL).where(
            _urls.c.blog_id == blog_id, _urls.c.lane == "post", is_open, ~_is_held(_urls.c.key, _urls.c.blog_id),
            ~_is_page(_urls.c.key, _urls.c.blog_id),
        )
        return [_unheld(row) for row in self._all(statement)]

    def dead_pages(self, blog_id: int) -> list[UnheldPost]:
        """Addresses unlike a post's that links led to, and that are not there."""
        statement = select(_urls.c.key, _urls.c.url, *_OF_URL).where(
            _urls.c.blog_id == blog_id, _urls.c.lane == "page", _urls.c.state == "failed",
            _urls.c.status.in_(NOT_THERE), _urls.c.found_on.is_not(None), _urls.c.rank >= 0,
            ~_is_held(_urls.c.key, _urls.c.blog_id), ~_is_page(_urls.c.key, _urls.c.blog_id),
        )
        return [_unheld(row) for row in self._all(statement)]

    def folders_of_posts(self, blog_id: int, folders: Collection[str], *, least: int) -> set[str]:
        """Those of some folders, as they begin keys, that at least so many posts are held right below."""
        found: set[str] = set()
        for folder in folders:
            start = storable(folder) + "/"
            below = _posts.c.key.startswith(start, autoescape=True)
            statement = select(_posts.c.key).where(_posts.c.blog_id == blog_id, _posts.c.kind == "post", below)
            keys = (row.key for row in self._all(statement.limit(MOST_IN_FOLDER)))
            if sum(key.rpartition("/")[0] == folder for key in keys) >= least:
                found.add(folder)
        return found

    def held_copies(self, blog_id: int) -> list[str]:
        """The keys of posts that are held at addresses with a query in their path."""
        statement = select(_posts.c.key).where(
            _posts.c.blog_id == blog_id, _posts.c.kind == "post", _posts.c.key.contains(COPIED_QUERY, autoescape=True),
        )
        return [row.key for row in self._all(statement.limit(MOST_IN_FOLDER))]

    def listing_pages(self, blog_id: int, keys: Collection[str]) -> set[str]:
        """Those of some addresses whose pages are lists of posts."""
        found: set[str] = set()
        for part in in_parts(sorted(map(storable, keys))):
            statement = select(_urls.c.key).where(
                _urls.c.blog_id == blog_id, _urls.c.key.in_(part), _urls.c.outcome == "listing",
            )
            found.update(row.key for row in self._all(statement))
        return found

    def unheld_of(self, blog_id: int, keys: Collection[str]) -> dict[str, UnheldPost]:
        """Those of some addresses at which no post is held, by their keys, as far as they are in the queue."""
        found: dict[str, UnheldPost] = {}
        for part in in_parts(sorted(map(storable, keys))):
            statement = select(_urls.c.key, _urls.c.url, *_OF_URL).where(
                _urls.c.blog_id == blog_id, _urls.c.key.in_(part), ~_is_held(_urls.c.key, _urls.c.blog_id),
            )
            found |= {row.key: _unheld(row) for row in self._all(statement)}
        return found

    def held_of(self, blog_id: int, keys: Collection[str]) -> set[str]:
        """Those of some addresses at which a post is held."""
        found: set[str] = set()
        for part in in_parts(sorted(map(storable, keys))):
            for table in (_posts, _aliases):
                statement = select(table.c.key).where(table.c.blog_id == blog_id, table.c.key.in_(part))
                found.update(row.key for row in self._all(statement))
        return found

    def in_part(self, blog_id: int, keys: Collection[str] | None = None) -> list[UnheldPost]:
        """Posts that are held in part: as an interface told them, without their page, or without a further page.

        That their page waits to be asked for does not make them whole: a limit may have ended the crawl before.
        One row for each source that lists them. A page counts that another address of the post has. One whose own
        address answers with something else, such as the front page or another post, has none. A post that is gone is
        held whole if its page was had before; that a page which nobody ever had is not there does not make it held.
        `keys` are posts that are asked for alone.
        """
        failed, waits = _urls.c.state == "failed", and_(_urls.c.state == "queued", _urls.c.lane == "post")
        is_other = and_(_urls.c.state == "done", _urls.c.lane == "post")
        is_no_page = or_(_urls.c.outcome != "post", _urls.c.reason.in_((LEADS_TO_POST, SHOWS_ANOTHER)))
        is_cut = and_(_urls.c.outcome == "post", _posts.c.gone.is_(None))
        parts = in_parts(sorted(map(storable, keys))) if keys is not None else ()
        among = [_urls.c.key.in_(part) for part in parts] if keys is not None else [true()]
        return [
            post for some in among for post in (
                *self._of_posts(blog_id, some, failed, or_(is_cut, ~_HAS_PAGE)),
                *self._of_posts(blog_id, some, waits, ~_HAS_PAGE),
                *self._of_posts(blog_id, some, is_other, is_no_page, ~_HAS_PAGE),
            )
        ]

    def _of_posts(self, blog_id: int, *where: ColumnElement[bool]) -> list[UnheldPost]:
        statement = (
            select(_posts.c.key, _urls.c.url, _listed.c.source, _posts.c.gone, *_OF_URL)
            .join_from(_urls, _posts, and_(_posts.c.key == _urls.c.key, _posts.c.blog_id == _urls.c.blog_id))
            .join(_listed, and_(_listed.c.key == _urls.c.key, _listed.c.blog_id == _urls.c.blog_id), isouter=True)
            .where(_urls.c.blog_id == blog_id, *where, _posts.c.kind == "post")
        )
        return [_unheld(row) for row in self._all(statement)]

    def doubled(self, blog_id: int, source: str) -> list[UnheldPost]:
        """Posts that a source lists and that are held only as another address of a post that it lists as well."""
        other = _listed.alias("other")
        is_own = select(_posts.c.key).where(_posts.c.key == _listed.c.key, _posts.c.blog_id == blog_id).exists()
        held = _posts.alias("held")
        statement = (
            select(_listed.c.key, _listed.c.url, _listed.c.source, held.c.key.label("held"), *_OF_URL)
            .join_from(_listed, _aliases, and_(_aliases.c.key == _listed.c.key, _aliases.c.blog_id == blog_id))
            .join(held, held.c.id == _aliases.c.post_id)
            .join(_urls, _IN_QUEUE, isouter=True)
            .join(other, and_(
                other.c.blog_id == blog_id, _by_key(other, source), other.c.key == held.c.key, other.c.kind == "post",
            ))
            .where(_listed.c.blog_id == blog_id, _listed.c.source == source, _listed.c.kind == "post", ~is_own)
        )
        rows = self._all(statement)
        return [replace(_unheld(row), reason=row.held) for row in rows]

    def unlisted(self, blog_id: int, source: str) -> tuple[int, str | None]:
        """How many posts of the live web are held that a source does not list, and one of them."""
        listed = select(_listed.c.key).where(_listed.c.blog_id == blog_id, _by_key(_listed, source))
        is_listed = or_(
            listed.where(_listed.c.key == _posts.c.key).exists(),
            listed.join(_aliases, _aliases.c.key == _listed.c.key).where(_aliases.c.post_id == _posts.c.id).exists(),
        )
        is_live = and_(
            _posts.c.blog_id == blog_id, _posts.c.kind == "post", _posts.c.gone.is_(None),
            _posts.c.missing_since.is_(None), ~_ELSEWHERE.exists(),
        )
        columns = (func.count().label("count"), func.min(_posts.c.key).label("key"))
        statement = select(*columns).join_from(_posts, _versions, IS_CURRENT).where(is_live, ~is_listed)
        row = self._all(statement)[0]
        return row[0], f"http://{row.key}" if row.key is not None else None

    def held_by_year(self, blog_id: int) -> dict[int | None, int]:
        """How many posts are held of each year; None: of those that do not say when they were published."""
        year = func.substr(_posts.c.published, 1, 4).label("year")
        of_blog = (_posts.c.blog_id == blog_id, _posts.c.kind == "post")
        # By its name: PostgreSQL does not know that two expressions with values of their own are the same.
        statement = select(year, func.count()).where(*of_blog).group_by("year")
        return {int(row[0]) if row[0] is not None else None: row[1] for row in self._all(statement)}

    def last_verdict(self, blog_id: int) -> dict[str, Any] | None:
        """The last verdict on a blog in short; None: there was none."""
        rows = self._all(select(_blogs.c.completeness).where(_blogs.c.id == blog_id))
        said = rows[0][0] if rows else None
        return json.loads(said) if said is not None else None

    def keep_verdict(self, blog_id: int, short: dict[str, Any], *, events: Sequence[Event] = ()) -> None:
        """Keep a verdict in short, and note with it what changed."""
        with self.database.writing() as connection:
            connection.execute(_blogs.update().where(_blogs.c.id == blog_id).values(completeness=json.dumps(short)))
            insert_events(connection, self.database, events)

    def _all(self, statement: Any) -> Sequence[Any]:
        with self.database.reading() as connection:
            rows: Sequence[Any] = connection.execute(statement).all()
            return rows


def _unheld(row: Row[Any]) -> UnheldPost:
    named = row._mapping
    changed_at = named.get("changed_at")
    return UnheldPost(
        key=row.key, url=row.url, source=named.get("source"), kind=named.get("kind") or "post",
        locked=named.get("locked"), listed_year=int(changed_at[:4]) if changed_at else None, state=row.state,
        outcome=row.outcome, status=row.status, found_on=row.found_on, gone=named.get("gone"),
        reason=without_address(row.reason, row.url) if row.reason is not None else None,
    )
