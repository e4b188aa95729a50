"""Summary of a post: a line of a list, with the place in the list from which the next page goes on."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, Self

from sqlalchemy import Select, select

from everlog.archive.db import schema
from everlog.archive.db.column_values import moment_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import Row

    from everlog.records.post import CommentsState, PostKind

_summaries, _media, _files = schema.post_summaries, schema.media, schema.media_files


@dataclass(frozen=True, slots=True, kw_only=True)
class Cursor:
    """The place of a post in a list by date: a page of the list begins behind it."""

    published_at: str
    post_id: int

    def __str__(self) -> str:
        return f"{self.published_at}_{self.post_id}"

    @classmethod
    def parse(cls, text: str) -> Self | None:
        """The place that a link names; None for what is no place.

        >>> str(Cursor.parse("2024-05-01T00:00:00.000000Z_7")), Cursor.parse("x")
        ('2024-05-01T00:00:00.000000Z_7', None)
        """
        stamp, _, number = text.rpartition("_")
        if not (number.isascii() and number.isdecimal() and len(number) < 19) or len(stamp) > 40:
            return None
        return cls(published_at=stamp, post_id=int(number))


@dataclass(frozen=True, slots=True, kw_only=True)
class PostSummary:
    """A post as lists show it."""

    id: int
    blog_id: int
    kind: PostKind
    url: str
    title: str | None
    authors: tuple[str, ...]
    tags: tuple[str, ...]
    language: str | None
    # With the offset that the blog states; `precision` as in `Provenance`.
    published: datetime | None
    precision: str | None
    words: int
    characters: int
    comments: int
    comments_state: CommentsState | None
    versions: int
    gone: bool
    # As `records.confidence` defines it.
    confidence: float | None
    excerpt: str
    # Where the first picture is kept, below the archive's folder; None if there is none, or it is not held.
    picture: str | None
    hidden: bool
    changed_at: datetime
    cursor: Cursor


@dataclass(frozen=True, slots=True, kw_only=True)
class SummaryPage:
    """A page of a list, and where the next one begins; None: it is the last."""

    posts: tuple[PostSummary, ...]
    following: Cursor | None = None


def summaries_joined(*froms: Any) -> Select[Any]:
    """All columns of summaries with the paths of their pictures; of the tables `froms`, which have them joined."""
    return (
        select(_summaries, _files.c.path.label("path")).select_from(*(froms or (_summaries,)))
        .outerjoin(_media, (_media.c.key == _summaries.c.picture) & (_media.c.blog_id == _summaries.c.blog_id))
        .outerjoin(_files, _files.c.sha256 == _media.c.sha256)
    )


def page_of(rows: Sequence[Row[Any]], limit: int) -> SummaryPage:
    """A page of at most so many, of rows among which there may be one more."""
    posts = tuple(map(summary_of, rows[:limit]))
    return SummaryPage(posts=posts, following=posts[-1].cursor if posts and len(rows) > limit else None)


def summary_of(row: Row[Any]) -> PostSummary:
    """The summary of a row of `summaries_joined`."""
    return PostSummary(
        id=row.post_id, blog_id=row.blog_id, kind=row.kind, url=row.url,
        # A title of blanks is none: nobody could see its link.
        title=row.title if row.title and not row.title.isspace() else None,
        authors=tuple(json.loads(row.authors)), tags=tuple(json.loads(row.tags)), language=row.language,
        published=datetime.fromisoformat(row.published) if row.published is not None else None,
        precision=row.precision, words=row.words, characters=row.characters, comments=row.comments,
        comments_state=row.comments_state, versions=row.versions, gone=row.gone,
        confidence=row.confidence / 1000 if row.confidence is not None else None, excerpt=row.excerpt,
        picture=row.path, hidden=row.hidden, changed_at=moment_of(row.changed_at),
        cursor=Cursor(published_at=row.published_at, post_id=row.post_id),
    )
