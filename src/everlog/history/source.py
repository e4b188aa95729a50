"""A history source: which requests tell of a blog's past, and what their answers say.

A source is asked in three ways, all of them pure:

    entrance(clues)          is it there? where does it begin, and what shows that?
    walk(entrance, ...)      a `HistoryWalk` over all that it tells, which can be stopped and resumed at its cursor
    changes(entrance, mark)  a `HistoryWalk` over what is new since a walk ended; None where it cannot tell

Who has a fetcher drives a walk: `next_request`, then `take` with the answer, until there is no further request.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Protocol, runtime_checkable

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from everlog.core.tree import Element
    from everlog.records import Comment, Entry, Feed, Page, PostKind, Purpose

# What can be said of a list of posts that was walked to its end. A: the site counts its posts and lists all of them.
# B: it lists all, and its last page is told from a page that is missing. C: it may leave some out.
Grade = Literal["A", "B", "C"]


@dataclass(frozen=True, slots=True, kw_only=True)
class BlogClues:
    """What is known of a blog before its history is asked for: all that a source may be recognised by.

    `root` is the parsed front page, which nobody may change; `headers` are those of its answer.
    """

    home: str
    home_page: Page | None = None
    root: Element | None = None
    headers: tuple[tuple[str, str], ...] = ()
    robots: bytes = b""
    feed_url: str | None = None
    feed: Feed | None = None

    def header_values(self, name: str) -> tuple[str, ...]:
        """All values of a header of the front page."""
        return tuple(value for key, value in self.headers if key.lower() == name.lower())


@dataclass(frozen=True, slots=True, kw_only=True)
class Entrance:
    """Where a source begins (an address that its walk is made from), and in words what shows that it is there.

    `is_sure` is False for one that nothing but a guess speaks for: it is asked once, and not called missing.
    """

    url: str
    evidence: str
    is_sure: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryRequest:
    """One request of a source, what it is asked for as, and the condition that it changed, where there is one.

    `tells` is what its answer is about: comments can only be kept with posts that are held.
    """

    url: str
    purpose: Purpose = "api"
    tells: Literal["posts", "comments"] = "posts"
    etag: str | None = None
    last_modified: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryAnswer:
    """The answer to a request, whatever its status: what ends a walk is often a 400 or a 404.

    `url` is the address that answered, which after redirects is another than the one that was asked for.
    """

    url: str
    status: int
    body: bytes = b""
    headers: tuple[tuple[str, str], ...] = ()

    def header(self, name: str) -> str | None:
        """The first value of a header, whatever its case."""
        wanted = name.lower()
        return next((value for key, value in self.headers if key.lower() == wanted), None)

    @property
    def is_ok(self) -> bool:
        return 200 <= self.status < 300


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedPost:
    """A post, or a page, that a source names, with what it says of it.

    `id` is what the source calls it, whatever becomes of its address. `entry` holds title, authors, tags, dates,
    content and summary, as far as they are told; `is_whole` says that its content is the article and no excerpt.
    `changed` is when the source says that it changed last. `locked` is why its text cannot be had ("password", "paid",
    "members").
    """

    url: str
    id: str | None = None
    entry: Entry | None = None
    is_whole: bool = False
    changed: datetime | None = None
    kind: PostKind = "post"
    locked: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedComment:
    """A comment that a source names, with its post: by the source's id for it, or by addresses that may be its."""

    comment: Comment
    post_id: str | None = None
    post_urls: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """What one answer says.

    `total` and `comments_total` are how many the source says there are: a claim, not a count. `has_lost_pages` says
    that there are fewer pages, beside the posts, than were told. `problem` is why not all of the answer could be read,
    in words for people.
    """

    posts: tuple[ListedPost, ...] = ()
    comments: tuple[ListedComment, ...] = ()
    total: int | None = None
    comments_total: int | None = None
    has_lost_pages: bool = False
    problem: str | None = None


NOTHING_TOLD = Told()


class HistoryWalk(Protocol):
    """A walk over a source: which request comes next, and what the answers say.

    It does no I/O and knows no clock, so that the same answers give the same walk. Once `next_request` gives None it is
    over: `is_exhaustive` then says whether it came to a definite end (not to a failure, a repeated page or a limit).
    """

    @property
    def cursor(self) -> Mapping[str, Any]:
        """Where it stands after what was taken so far, as plain data for JSON: a walk made from it goes on there."""
        ...

    @property
    def is_exhaustive(self) -> bool: ...

    @property
    def lists_all(self) -> bool:
        """Whether the posts told by this walk are all there are: what is held and was not named is gone."""
        ...

    @property
    def mark(self) -> Mapping[str, Any] | None:
        """When it is over: what `changes` compares with the next time, as plain data for JSON."""
        ...

    @property
    def requests_left(self) -> int | None:
        """About how many requests are still to come, as far as the totals tell."""
        ...

    def next_request(self) -> HistoryRequest | None:
        """The next request; asked again without an answer in between, the same one."""
        ...

    def take(self, answer: HistoryAnswer) -> Told:
        """What the answer to the last request says."""
        ...


class HistorySource(Protocol):
    """One way into a blog's past. Nothing is fetched here, so that a file on the disk can be its test.

    `most_requests` ends the walk of a source that goes on without an end.
    """

    @property
    def name(self) -> str: ...

    @property
    def grade(self) -> Grade: ...

    @property
    def most_requests(self) -> int: ...

    def entrance(self, clues: BlogClues) -> Entrance | None:
        """Where to begin; None where the blog shows no sign of this source."""
        ...

    def walk(
        self, entrance: str, *, cursor: Mapping[str, Any] | None = None, wants_comments: bool = True,
    ) -> HistoryWalk:
        """A walk over all that the source tells, from its beginning or from where an earlier one stood."""
        ...

    def changes(
        self, entrance: str, mark: Mapping[str, Any], *, wants_comments: bool = True,
    ) -> HistoryWalk | None:
        """A walk over what is new or changed since a walk with this mark; None where the source cannot tell.

        Its first request alone should tell that nothing changed, where nothing did.
        """
        ...


@runtime_checkable
class ListingSource(HistorySource, Protocol):
    """A source that can list the addresses of all posts without their texts, to tell which are gone."""

    def listing(
        self, entrance: str, *, kind: PostKind = "post", mark: Mapping[str, Any] | None = None,
    ) -> HistoryWalk | None:
        """A walk over the addresses of all posts, or of all pages; its `lists_all` says whether it came to its end.

        `mark` is that of the last walk. None where it cannot list these.
        """
        ...
