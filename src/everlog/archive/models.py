"""What an archive tells of what it holds: one frozen class per thing, none of which knows how it is stored."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import date, datetime

    from everlog.archive.files.warc_writer import Place
    from everlog.records import Lane, Origin, Post
    from everlog.records.figures import Figures
    from everlog.schedule.poll_schedule import Polling


@dataclass(frozen=True, slots=True, kw_only=True)
class Version:
    """One version of a post and when it was read; `same_page`: from the page of the version before, by other rules."""

    post: Post
    read_at: datetime
    same_page: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Capture:
    """A stored answer. `place` is where its body stands: for one whose body was held already, at its original.

    Then `own_place` is where its own record stands, which has its headers.
    """

    id: int
    url: str
    purpose: str
    status: int
    content_type: str | None
    etag: str | None
    last_modified: str | None
    digest: str
    fetched_at: datetime
    place: Place
    own_place: Place | None = None
    # Who made it and, if that was not everlog, when.
    origin: Origin = "live"
    captured_at: datetime | None = None


# How an address came to a capture: its own answer, what a redirect of its led to, a redirect whose target was not
# stored with it, an error page.
Way = Literal["own", "led", "redirect", "error"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sighting:
    """That an address is held, as of a time: the capture that is nearest to what was asked for."""

    id: int
    url: str
    at: datetime
    way: Way
    status: int
    content_type: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Memento(Sighting):
    """A capture of an address at a time, with where its body stands.

    `own_place` is where its record stands, which has its headers: that of one whose body was held already is another.
    """

    blog_id: int
    url_id: int
    purpose: str
    digest: str
    size: int
    place: Place
    own_place: Place


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """When an address was captured besides one moment: first, before that, after it, last, and how often in all.

    `position` counts from the first, which is 1.
    """

    first: datetime
    previous: datetime | None
    next: datetime | None
    last: datetime
    count: int
    position: int


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldAddress:
    """An address of a blog that is held: what it answered last, how often it was captured, and since when.

    `id` is that of its place in the queue: lists are in this order.
    """

    id: int
    url: str
    lane: str
    at: datetime
    first: datetime
    count: int
    content_type: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PostState:
    """Whether a post is still on the web: since when its page is missing, on how many looks, when that was believed."""

    id: int
    gone: str | None = None
    gone_at: datetime | None = None
    missing_since: datetime | None = None
    missing_tries: int = 0

    @property
    def is_missing(self) -> bool:
        return self.gone is not None or self.missing_since is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class FileRow:
    """What the queue knows of an address that a page names: where it waits or waited, and what became of it."""

    lane: Lane
    state: str
    outcome: str | None
    status: int | None
    visited_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """A URL that is not held, and why: it could not be had (`is_missing`), or was left out."""

    url: str
    lane: Lane
    outcome: str
    reason: str
    tries: int
    is_missing: bool
    # Before this time it is not asked for again; None where no time was set, or it is not asked for at all.
    again_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """What is held of a blog, and what still waits."""

    posts: int
    versions: int
    pages: int
    media: int
    comments: int
    aliases: int
    queued: Mapping[str, int]
    outcomes: Mapping[str, int]
    notes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class BlogOutline:
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
    # The last verdict in short: answers for posts and comments, how many are missing, excused and in part, and when.
    completeness: Mapping[str, Any] | None = None
    is_hidden: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class LostPost:
    """A post whose page is gone (`reason`), or was not there on the last looks (`looks`, no reason yet)."""

    url: str
    reason: str | None
    since: datetime | None
    looks: int


@dataclass(frozen=True, slots=True, kw_only=True)
class FormerTemplate:
    """How a blog was read before a redesign: pages fetched from `learned_at` (None: unknown) until `retired_at`."""

    template: str
    knowledge: str
    learned_at: datetime | None
    retired_at: datetime
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One crawl or update of a blog: when, how it ended and what it brought (counts by name)."""

    id: int
    kind: str
    started_at: datetime
    ended_at: datetime | None
    reason: str | None
    counts: Mapping[str, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class DayOfAnswers:
    """What was answered on a day: how many answers of each status are stored, and the bytes of their bodies."""

    day: date
    statuses: Mapping[int, int]
    bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Poll:
    """When a blog's feed is asked again, and what the last answer was, so that only another is sent."""

    blog_id: int
    polling: Polling
    etag: str | None = None
    last_modified: str | None = None
    digest: str | None = None
