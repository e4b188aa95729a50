"""All blogs at a glance: a few statements for all of them, since an archive may hold ten thousand."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlalchemy import select

from everlog.archive.db import schema
from everlog.archive.db.column_values import moment_or_none
from everlog.archive.models import Figures
from everlog.archive.repos.events import record_head, url_in
from everlog.archive.repos.figures import figures_of_all

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from sqlalchemy import Row, Select

    from everlog.archive.db.database import Database

# How the record of such a post says so.
DISAGREES = '"disagrees": "'
_blogs, _posts, _polls = schema.blogs, schema.posts, schema.polls


@dataclass(frozen=True, slots=True, kw_only=True)
class Outline:
    """A blog in one line: what is held of it, what became of it, and when its feed is asked again, and why then.

    Nobody asks a blog that is forgotten or gone; `gone` is why.
    """

    id: int
    home: str
    title: str | None
    state: str
    crawled_at: datetime | None
    forgotten_at: datetime | None
    gone: str | None
    gone_at: datetime | None
    figures: Figures
    due_at: datetime | None
    why: str | None
    signal: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Lost:
    """A post whose page is gone (`reason`), or was not there on the last looks (`looks`, no reason yet)."""

    url: str
    reason: str | None
    since: datetime | None
    looks: int


def outlines(database: Database) -> Iterator[Outline]:
    """All blogs in the order they were added, forgotten ones too."""
    # Not whole rows: what was learned about a blog takes tens of kilobytes.
    names = ("id", "home", "title", "state", "crawled_at", "forgotten_at", "gone", "gone_at")
    statement: Select[Any] = (
        select(*(_blogs.c[name] for name in names), _polls.c.due_at, _polls.c.state.label("polling"))
        .join(_polls, _polls.c.blog_id == _blogs.c.id, isouter=True).order_by(_blogs.c.id)
    )
    with database.reading() as connection:
        figures = figures_of_all(connection)
        for row in connection.execute(statement):
            yield _outline(row, figures.get(row.id, Figures()))


def lost_posts(database: Database, blog_id: int) -> Iterator[Lost]:
    """The posts of a blog that are gone, and those that may be, in the order they were found."""
    statement = (
        select(_posts.c.key, _posts.c.gone, _posts.c.gone_at, _posts.c.missing_since, _posts.c.missing_tries,
               record_head().label("head"))
        .join(schema.versions, (schema.versions.c.post_id == _posts.c.id)
              & (schema.versions.c.version == _posts.c.version))
        .where(_posts.c.blog_id == blog_id, _posts.c.gone.is_not(None) | _posts.c.missing_since.is_not(None))
        .order_by(_posts.c.id)
    )
    with database.reading() as connection:
        for row in connection.execute(statement):
            yield Lost(
                url=url_in(row.head, row.key) or row.key, reason=row.gone,
                since=moment_or_none(row.gone_at if row.gone is not None else row.missing_since),
                looks=row.missing_tries or 0,
            )


def unsure_posts(database: Database, blog_id: int) -> Iterator[tuple[str, str]]:
    """The posts of a blog whose article other methods read otherwise, and what speaks against it."""
    # Inside a text every quotation mark is escaped: this is found nowhere but among the names of a record.
    is_unsure = schema.versions.c.record.contains(DISAGREES, autoescape=True)
    statement = (
        select(_posts.c.key, schema.versions.c.record)
        .join(schema.versions, (schema.versions.c.post_id == _posts.c.id)
              & (schema.versions.c.version == _posts.c.version))
        .where(_posts.c.blog_id == blog_id, is_unsure).order_by(_posts.c.id)
    )
    with database.reading() as connection:
        for row in connection.execute(statement):
            record = json.loads(row.record)
            reason = record["provenance"].get("text", {}).get("disagrees")
            if reason is not None:
                yield record["url"], reason


def _outline(row: Row[Any], figures: Figures) -> Outline:
    is_watched = row.forgotten_at is None and row.gone is None
    polling = json.loads(row.polling) if row.polling and is_watched else {}
    return Outline(
        id=row.id, home=row.home, title=row.title, state=row.state, crawled_at=moment_or_none(row.crawled_at),
        forgotten_at=moment_or_none(row.forgotten_at), gone=row.gone, gone_at=moment_or_none(row.gone_at),
        figures=figures, due_at=moment_or_none(row.due_at) if is_watched else None, why=polling.get("why"),
        signal=polling.get("signal"),
    )
