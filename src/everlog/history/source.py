"""A history source: which requests tell of a blog's past, and what their answers say."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from datetime import datetime

    from everlog.comments.comment_feeds import SiteComment
    from everlog.records import Page, Purpose


@dataclass(frozen=True, slots=True, kw_only=True)
class BlogClues:
    """What is known of a blog before its history is asked for: all that a source may be recognised by."""

    home: str
    home_page: Page | None = None
    robots: bytes = b""
    feed_url: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryRequest:
    """One request of a source, and what it is asked for as."""

    url: str
    purpose: Purpose


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedPost:
    """An address that a source names; `changed` is the day it says that the page changed."""

    url: str
    changed: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryPage:
    """What one answer of a source says: posts, comments, and the requests that go on from it.

    `total` is how many posts the source says there are; None: it does not say. `problem` is why not all of the answer
    could be read.
    """

    posts: tuple[ListedPost, ...] = ()
    comments: tuple[SiteComment, ...] = ()
    more: tuple[HistoryRequest, ...] = ()
    total: int | None = None
    problem: str | None = None


class HistorySource(Protocol):
    """One way into a blog's past. Nothing is fetched here, so that a file on the disk can be its test.

    `most_requests` ends the walk of a source that goes on without an end.
    """

    @property
    def name(self) -> str: ...

    @property
    def most_requests(self) -> int: ...

    def first_requests(self, clues: BlogClues) -> tuple[HistoryRequest, ...]:
        """What to ask for first; nothing where the blog shows no sign of this source."""
        ...

    def read(self, body: bytes, url: str) -> HistoryPage | None:
        """What the answer from `url` says; None: it is none of this source."""
        ...
