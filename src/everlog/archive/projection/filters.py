"""Filters of lists: what a list of posts is chosen by, as conditions that indexes answer."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from sqlalchemy import ColumnElement, and_, func, select, true

from everlog.archive.db import schema
from everlog.archive.db.column_values import stamp
from everlog.archive.projection.terms import language_term, term_of
from everlog.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator

_summaries, _terms = schema.post_summaries, schema.post_terms
# Under a name of its own: who asks may have joined the blogs already.
_its_blog = schema.blogs.alias("its_blog")
_MONTH = re.compile(r"(\d{4})(?:-(\d{2})(?:-(\d{2}))?)?", re.ASCII)
# No clock is further from UTC than this, so a day of any calendar lies within it.
_FAR_CLOCK = timedelta(hours=26)
LAST_YEAR = "9999"
_BEHIND_ALL = "9999-12-31T24"


@dataclass(frozen=True, slots=True, kw_only=True)
class PostFilter:
    """What a list of posts is chosen by; all of it holds. `public` leaves out what is hidden.

    `month` is one of the blog's calendar (`2024-05`), a day of it (`2024-05-31`), a year (`2024`), or empty for posts
    without a date.
    `since` and `until` are about `published`; the latter does not belong to it any more. `kind` None: pages as well.
    """

    blog_id: int | None = None
    month: str | None = None
    tag: str | None = None
    author: str | None = None
    language: str | None = None
    site: str | None = None
    since: datetime | None = None
    until: datetime | None = None
    public: bool = False
    kind: str | None = "post"

    @property
    def terms(self) -> list[tuple[str, str]]:
        """The terms that a post must have, as they are compared."""
        said = (
            ("tag", self.tag and term_of(self.tag)), ("author", self.author and term_of(self.author)),
            ("site", self.site), ("language", self.language and language_term(self.language)),
        )
        return [(kind, term) for kind, term in said if term]

    @property
    def conditions(self) -> ColumnElement[bool]:
        """All but the first of the terms, about rows of `post_summaries`."""
        return and_(true(), *self._conditions(), *map(_has_term, self.terms[1:]))

    @property
    def all_conditions(self) -> ColumnElement[bool]:
        """All, for who reads the posts in another order than lists have."""
        return and_(true(), *self._conditions(), *map(_has_term, self.terms))

    def _conditions(self) -> Iterator[ColumnElement[bool]]:
        if self.kind is not None:
            yield _summaries.c.kind == self.kind
        if self.since is not None:
            yield _summaries.c.published_at >= stamp(self.since)
        if self.until is not None:
            yield (_summaries.c.published_at < stamp(self.until)) & (_summaries.c.published_at > "")
        if self.blog_id is not None:
            yield _summaries.c.blog_id == self.blog_id
        if self.public:
            yield is_public()
        if self.month is not None:
            yield from _of_month(self.month)


def _has_term(said: tuple[str, str]) -> ColumnElement[bool]:
    """Whether the post of a row of `post_summaries` has a term. Its place in the table is known: one look each."""
    kind, term = said
    other = _terms.alias()
    return select(other.c.post_id).where(
        other.c.kind == kind, other.c.term == term, other.c.blog_id == _summaries.c.blog_id,
        other.c.published_at == _summaries.c.published_at, other.c.post_id == _summaries.c.post_id,
    ).exists()


def is_public() -> ColumnElement[bool]:
    """Whether a row of `post_summaries` may be shown to anybody."""
    return ~_summaries.c.hidden & is_public_blog(_summaries.c.blog_id)


def is_public_blog(blog_id: Any) -> ColumnElement[bool]:
    """Whether the blog with this number may be shown to anybody."""
    return ~select(_its_blog.c.id).where(_its_blog.c.id == blog_id, _its_blog.c.hidden_at.is_not(None)).exists()


def _of_month(month: str) -> Iterator[ColumnElement[bool]]:
    """In a month or a year, or on a day, of the blog's own calendar, found by the index that sorts by the moment."""
    if not month:
        yield _summaries.c.published_at == ""
        return
    yield _summaries.c.published_at.between(*_edges(month))
    yield func.substr(_summaries.c.published, 1, len(month)) == month


def _edges(month: str) -> tuple[str, str]:
    """Stamps between which all of a month, a day or a year lies, wherever the blog is; and some time around it.

    >>> _edges("2024-02-29")
    ('2024-02-27T22:00:00.000000Z', '2024-03-02T02:00:00.000000Z')
    """
    try:
        year, number, day = _MONTH.fullmatch(month).groups()  # type: ignore[union-attr]
        first = datetime(int(year), int(number or 1), int(day or 1), tzinfo=UTC)
    except (AttributeError, ValueError):
        raise UsageError(f"{month} is not a month", advice="write 2024-05, 2024-05-31 for a day, or 2024") from None
    # The calendar has an end on both sides.
    before = stamp(first - _FAR_CLOCK) if first.year > 1 else "0"
    span = timedelta(days=1 if day else 31 if number else 366) + _FAR_CLOCK
    behind = stamp(first + span) if year != LAST_YEAR else _BEHIND_ALL
    return before, behind
