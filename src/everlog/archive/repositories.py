"""The repositories of an archive: one for each kind of thing that it holds, each with its own SQL.

They are made, and most of them loaded, when they are first asked for: who exports posts needs none of a fleet's.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection

    from everlog.archive.db.database import Database
    from everlog.archive.projection.hiding import HiddenRepository
    from everlog.archive.projection.listing import ListingRepository
    from everlog.archive.projection.overview import OverviewRepository
    from everlog.archive.repos.blogs import BlogRepository
    from everlog.archive.repos.captures import CaptureRepository
    from everlog.archive.repos.comments import CommentRepository
    from everlog.archive.repos.events import EventRepository
    from everlog.archive.repos.hosts import HostRepository
    from everlog.archive.repos.jobs import JobRepository
    from everlog.archive.repos.leases import LeaseRepository
    from everlog.archive.repos.mementos import MementoRepository
    from everlog.archive.repos.polls import PollRepository
    from everlog.archive.repos.posts import PostRepository
    from everlog.archive.repos.search import SearchRepository
    from everlog.archive.repos.urls import UrlRepository
    from everlog.archive.repos.workers import WorkerRepository


class Repositories:
    """What a database holds of an archive. `lost` are WARC files that were found to be gone."""

    def __init__(self, database: Database, lost: Collection[str] = ()) -> None:
        self._database = database
        self._lost = lost

    @cached_property
    def blogs(self) -> BlogRepository:
        """Blogs, their runs, templates and figures; called, all of them."""
        from everlog.archive.repos.blogs import BlogRepository  # noqa: PLC0415 - see above; as are all below

        return BlogRepository(self._database)

    @cached_property
    def urls(self) -> UrlRepository:
        """The queue of each blog, and what became of its URLs."""
        from everlog.archive.repos.urls import UrlRepository  # noqa: PLC0415

        return UrlRepository(self._database)

    @cached_property
    def captures(self) -> CaptureRepository:
        """Stored answers, and the WARC files they stand in."""
        from everlog.archive.repos.captures import CaptureRepository  # noqa: PLC0415

        return CaptureRepository(self._database, self._lost)

    @cached_property
    def mementos(self) -> MementoRepository:
        """Captures of an address at a time, whichever blog they are of: what replay shows."""
        from everlog.archive.repos.mementos import MementoRepository  # noqa: PLC0415

        return MementoRepository(self._database)

    @cached_property
    def posts(self) -> PostRepository:
        """Posts, their versions and rechecks; called, posts one by one."""
        from everlog.archive.repos.posts import PostRepository  # noqa: PLC0415

        return PostRepository(self._database)

    @cached_property
    def comments(self) -> CommentRepository:
        """Posts whose comments are not all held."""
        from everlog.archive.repos.comments import CommentRepository  # noqa: PLC0415

        return CommentRepository(self._database)

    @cached_property
    def events(self) -> EventRepository:
        """The event log; called, events one by one."""
        from everlog.archive.repos.events import EventRepository  # noqa: PLC0415

        return EventRepository(self._database)

    @cached_property
    def listing(self) -> ListingRepository:
        """Lists of posts: filtered, in pages, neighbours, posts that link here; called, a page of posts."""
        from everlog.archive.projection.listing import ListingRepository  # noqa: PLC0415

        return ListingRepository(self._database)

    @cached_property
    def overview(self) -> OverviewRepository:
        """What posts add up to: figures of blogs, posts per month and day, tags, authors, languages."""
        from everlog.archive.projection.overview import OverviewRepository  # noqa: PLC0415

        return OverviewRepository(self._database)

    @cached_property
    def hidden(self) -> HiddenRepository:
        """Blogs and posts that are kept and not shown."""
        from everlog.archive.projection.hiding import HiddenRepository  # noqa: PLC0415

        return HiddenRepository(self._database)

    @cached_property
    def search(self) -> SearchRepository:
        """Full-text search; called, the posts that fit a query."""
        from everlog.archive.repos.search import SearchRepository  # noqa: PLC0415

        return SearchRepository(self._database)

    @cached_property
    def polls(self) -> PollRepository:
        """When each blog's feed is asked again."""
        from everlog.archive.repos.polls import PollRepository  # noqa: PLC0415

        return PollRepository(self._database)

    @cached_property
    def hosts(self) -> HostRepository:
        """What was asked of each host, its rate limit and its backoff."""
        from everlog.archive.repos.hosts import HostRepository  # noqa: PLC0415

        return HostRepository(self._database)

    @cached_property
    def jobs(self) -> JobRepository:
        """What a fleet is to do."""
        from everlog.archive.repos.jobs import JobRepository  # noqa: PLC0415

        return JobRepository(self._database)

    @cached_property
    def leases(self) -> LeaseRepository:
        """Who does a job just now, and which hosts are theirs alone meanwhile."""
        from everlog.archive.repos.leases import LeaseRepository  # noqa: PLC0415

        return LeaseRepository(self._database)

    @cached_property
    def workers(self) -> WorkerRepository:
        """Who is in the fleet; called, all workers."""
        from everlog.archive.repos.workers import WorkerRepository  # noqa: PLC0415

        return WorkerRepository(self._database)
