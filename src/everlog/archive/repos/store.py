"""What an archive's database must be able to do; SQLite is the first to do it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from everlog.archive.repos.watch_store import WatchStore

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from datetime import datetime

    from everlog.archive.models import (
        Acknowledged,
        Capture,
        Counts,
        Figures,
        Held,
        Problem,
        Run,
        Stored,
        Version,
        WarcFile,
    )
    from everlog.core.moments import Moment
    from everlog.records import Blog, Event, Lane, Link, Post, Visit
    from everlog.search.hit import Hit


class Store(WatchStore, Protocol):
    """Blogs, queue, captures, posts, versions, media: all state of a crawl, and of the watch that comes after it."""

    def add_blog(self, home: str, *, scope: str) -> Blog:
        """The blog at this home, made if it is new (`home` is told apart by its canonical spelling)."""
        ...

    def blogs(self, *, forgotten: bool = False) -> tuple[Blog, ...]: ...

    def find_blog(self, url: str) -> Blog | None:
        """The blog whose home this is, in any spelling, or whose post or page it is."""
        ...

    def update_blog(self, blog_id: int, *, events: Sequence[Event] = (), **changes: str | datetime | None) -> Blog:
        """Change fields of a blog, and note events with it.

        The fields are title, feed_url, scope, state, template, knowledge, crawled_at, forgotten_at, gone, gone_at.
        """
        ...

    def move_blog(self, blog_id: int, home: str, *, events: Sequence[Event] = ()) -> Blog:
        """A blog that has another home now; the one before stays among its `former_homes`."""
        ...

    def enqueue(self, blog_id: int, links: Iterable[Link]) -> int:
        """Put new URLs into the queue; those known already are left alone. How many were new."""
        ...

    def queued(
        self, blog_id: int, lane: Lane, *, limit: int, now: datetime, after_id: int = 0, put_off: bool = False,
    ) -> tuple[tuple[int, Link], ...]:
        """Waiting URLs with their row ids, in the order of rows, those whose `again_at` has passed.

        `put_off`: only those that were visited and wait for another page to be seen; else all but these.
        """
        ...

    def has_waiting(self, blog_id: int, *, lanes: Sequence[Lane], now: datetime) -> bool:
        """Whether any URL of a blog waits in one of these lanes and may be asked for; or a medium that failed."""
        ...

    def known_keys(self, blog_id: int) -> Iterator[str]:
        """The canonical spellings of all URLs ever queued."""
        ...

    def seen_pages(self, blog_id: int, *, limit: int) -> tuple[tuple[str, int], ...]:
        """The latest visited pages, in order of time, with how many new posts each brought: for the frontier."""
        ...

    def held_bodies(self, wanted: Sequence[tuple[int, str, str]]) -> Mapping[tuple[int, str, str], Held]:
        """Those of these (blog, URL, digest) whose body is stored already."""
        ...

    def held_answer(self, blog_id: int, key: str) -> Held | None:
        """The latest stored body of a URL: what "not modified" is about."""
        ...

    def record(
        self, visits: Sequence[tuple[Visit, Sequence[Stored]]], files: Sequence[WarcFile],
    ) -> tuple[Acknowledged, ...]:
        """All of these visits, and how far the files that hold them reach now, in one transaction."""
        ...

    def warc_files(self, blog_id: int) -> tuple[WarcFile, ...]:
        """The WARC files of a blog, the oldest first."""
        ...

    def media_paths(self, hashes: Sequence[str]) -> Mapping[str, str]:
        """Where the media files of these hashes are, those that are held."""
        ...

    def requeue_failed(self, blog_id: int, *, now: datetime, most_tries: int | None = None) -> int:
        """Give URLs that failed for a passing reason another chance. How many.

        Posts and pages unless they had many; media whose `again_at` has passed, however often they were tried.
        """
        ...

    def requeue(self, blog_id: int, keys: Sequence[str]) -> int:
        """Visit these URLs again; what they gave before stays until they give something new. How many."""
        ...

    def row_state(self, blog_id: int, key: str) -> tuple[str, int] | None:
        """The state of a URL (queued, done or failed) and how often it was tried; None if it is not known."""
        ...

    def count_failing(self, blog_id: int) -> int:
        """How many posts and pages are not held because their server, or the way to it, was at fault."""
        ...

    def waits_until(self, blog_id: int) -> datetime | None:
        """When the first of the posts and pages may be asked for whose server wanted to be left alone."""
        ...

    def media_held_off(self, blog_id: int, *, now: datetime) -> tuple[int, datetime | None]:
        """How many pictures and files wait as their hosts wanted to be left alone, and for the first until when."""
        ...

    def set_aside(self, blog_id: int, *, reason: str) -> int:
        """Pages that still wait are not going to be visited, for this reason. How many."""
        ...

    def fruitful_pages(self, blog_id: int) -> Iterator[str]:
        """The keys of lists, and of other pages that led to new posts when they were visited last."""
        ...

    def capture_of(self, blog_id: int, url: str) -> Capture | None:
        """The latest good capture of a URL, for conditional requests."""
        ...

    def captures_of(self, blog_id: int, url: str) -> tuple[Capture, ...]:
        """The good captures of a URL, each body once, in the order in which they were last seen."""
        ...

    def rendering_of(self, blog_id: int, url: str) -> Capture | None:
        """What the browser made of the latest good capture of a URL; None if it was not rendered."""
        ...

    def captures(self, blog_id: int, *, purpose: str = "page") -> Iterator[Capture]:
        """The latest good capture of every URL."""
        ...

    def posts(
        self, *, blog_id: int | None = None, since: Moment | None = None, ids: Sequence[int] | None = None,
    ) -> Iterator[Post]:
        """Posts as they are now, streamed in the order they were found; `since` is about `published`."""
        ...

    def headings(self, *, blog_id: int | None = None, since: Moment | None = None) -> Iterator[Post]:
        """The same posts in the same order, with their addresses, titles and dates alone."""
        ...

    def find_post(self, url: str, *, as_read: bool = False) -> Post | None:
        """The post at this address or one of its aliases, in any spelling; `as_read`: pictures still on the web."""
        ...

    def newest_posts(self, blog_id: int, *, limit: int, dated: bool = False) -> tuple[str, ...]:
        """The keys of posts that are not gone, the newest first; `dated`: only those that say when."""
        ...

    def newest_dates(self, blog_id: int, *, limit: int) -> tuple[datetime, ...]:
        """When the newest posts were published, the newest first."""
        ...

    def without_comments(self, blog_id: int, *, least_tries: int = 0, most_tries: int) -> tuple[str, ...]:
        """The keys of posts whose comments were not wanted, or could not be had in so many tries (fewer than most)."""
        ...

    def count_without_comments(self, blog_id: int, *, most_tries: int | None = None) -> int:
        """How many posts are kept whose comments could not be had, given up (after so many tries) or not."""
        ...

    def versions(self, url: str) -> tuple[Post, ...]:
        """All versions of a post, the oldest first."""
        ...

    def history(self, url: str, *, as_read: bool = False) -> tuple[Version, ...]:
        """All versions of a post with the times they were read, the oldest first; `as_read`: as for `find_post`."""
        ...

    def search(self, query: str, *, limit: int = 20, offset: int = 0) -> tuple[Hit, ...]:
        """The posts that fit a query best (`everlog.search.query` says what it may have); fills the index first."""
        ...

    def count_found(self, query: str) -> int:
        """How many posts fit a query."""
        ...

    def index_posts(self, step: Callable[[str], None] = ...) -> int:
        """Bring posts into the search index that an older version stored; `step` is told of each. How many."""
        ...

    def count_not_indexed(self) -> int:
        """How many posts `index_posts` would bring in: none, but in an archive of an older version."""
        ...

    def forget_index(self) -> None:
        """Empty the search index, so that it is made anew from the posts."""
        ...

    def post_key(self, blog_id: int, *keys: str) -> str | None:
        """The key of the post that is known under one of these, the first that is: as its own, or as an alias."""
        ...

    def problems(self, blog_id: int) -> Iterator[Problem]: ...

    def notes(self, blog_id: int) -> Iterator[tuple[str, str]]:
        """URLs whose address and page disagreed about being a post, and how."""
        ...

    def counts(self, blog_id: int) -> Counts: ...

    def figures(self, blog_id: int) -> Figures: ...

    def comments_missing(self, blog_id: int) -> int: ...

    def count_posts(self, blog_id: int) -> int: ...

    def begin_run(self, blog_id: int, kind: str) -> int: ...

    def end_run(self, run_id: int, *, reason: str, counts: Mapping[str, float]) -> None: ...

    def runs(self, blog_id: int) -> tuple[Run, ...]: ...

    def remember(self, blog_id: int | None, name: str, value: str | None) -> None:
        """Keep a small text (robots.txt and when it was read, a host's wait) under a name; None removes it."""
        ...

    def remember_all(self, blog_id: int | None, values: Mapping[str, str | None]) -> None:
        """Keep several small texts in one transaction."""
        ...

    def recall(self, blog_id: int | None, name: str) -> str | None: ...
