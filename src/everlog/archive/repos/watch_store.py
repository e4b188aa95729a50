"""What a database must be able to do for blogs that are watched: times, templates, and both ledgers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from datetime import datetime, timedelta

    from everlog.archive.models import Poll, PostState
    from everlog.archive.repos.overview import Lost, Outline
    from everlog.archive.repos.templates import FormerTemplate
    from everlog.core.fetcher import HostStats, Waited
    from everlog.core.moments import Moment
    from everlog.records import Blog, Event


class WatchStore(Protocol):
    """How blogs go on after their first crawl: when they are asked again, what happened to them, who was asked."""

    def change_template(
        self, blog_id: int, *, template: str, knowledge: str, at: datetime, reason: str, events: Sequence[Event] = (),
    ) -> Blog:
        """Another template for a redesigned blog, and the word of it; the one before stays that of older pages."""
        ...

    def templates(self, blog_id: int) -> tuple[FormerTemplate, ...]:
        """The templates of a blog that are no longer in force, the oldest first."""
        ...

    def template_at(self, blog_id: int, moment: datetime) -> FormerTemplate | None:
        """The template that was in force at a moment; None: today's."""
        ...

    def note_events(self, events: Sequence[Event]) -> None:
        """Add to the ledger of what happened to blogs and posts; what a visit means is noted as it is stored."""
        ...

    def events(
        self, *, blog_id: int | None = None, post_url: str | None = None, kinds: Sequence[str] | None = None,
        since: Moment | None = None, limit: int | None = None,
    ) -> Iterator[Event]:
        """The ledger, streamed, the newest last; `limit` keeps the newest."""
        ...

    def plan_rechecks(self, blog_id: int, *, now: datetime, most: timedelta) -> None:
        """When the posts of a blog are looked at again: those never planned, and sooner if missing or just changed."""
        ...

    def take_rechecks(
        self, blog_id: int, *, now: datetime, most: timedelta, limit: int,
    ) -> tuple[tuple[str, str], ...]:
        """The keys and addresses of posts to look at now; each gets its next time."""
        ...

    def make_due(self, blog_id: int, keys: Sequence[str], *, at: datetime) -> None:
        """These posts are looked at no later than at this time."""
        ...

    def has_due_rechecks(self, blog_id: int, *, now: datetime) -> bool:
        """Whether `take_rechecks` would give any."""
        ...

    def post_state(self, blog_id: int, key: str) -> PostState | None:
        """Whether a post is still on the web, as far as is known; None if there is no such post."""
        ...

    def not_polled(self, *, limit: int) -> tuple[Blog, ...]:
        """Blogs that are to be watched (finished, not forgotten, not gone) and have no time for it yet."""
        ...

    def add_polls(self, polls: Sequence[Poll]) -> None:
        """Times for blogs that have none."""
        ...

    def set_poll(self, poll: Poll) -> None:
        """A new time for a blog, whoever is asking it."""
        ...

    def claim_due(
        self, owner: str, *, now: datetime, until: datetime, limit: int,
    ) -> tuple[tuple[Poll, Blog], ...]:
        """The blogs that are due and nobody else's, the longest due first; they are this owner's until then."""
        ...

    def renew_claims(self, owner: str, *, until: datetime) -> None:
        """The word that an owner is alive: what it has claimed stays its own until then."""
        ...

    def give_back(self, owner: str, polls: Sequence[Poll] = ()) -> None:
        """Claimed blogs with the times of their next polls; without any, all that the owner has, as they were."""
        ...

    def poll_of(self, blog_id: int) -> Poll | None:
        """When a blog is asked again; None before it was watched."""
        ...

    def next_due(self, *, now: datetime) -> datetime | None:
        """When the next blog falls due that nobody is asking now; None if none will."""
        ...

    def count_due(self, *, now: datetime) -> int:
        """How many blogs are due."""
        ...

    def count_watched(self) -> int:
        """How many blogs are watched at all."""
        ...

    def add_to_ledger(self, ledger: Sequence[HostStats], at: datetime) -> None:
        """Add what was asked of hosts, and waited for, to what is known of them; whoever took it adds it once."""
        ...

    def note_wait(
        self, host: str, *, reason: str, at: datetime, signal: str = "", seconds: float = 0.0,
        until: datetime | None = None,
    ) -> None:
        """One wait that nobody stood in line for: a feed that is not asked for before its time."""
        ...

    def note_waits(self, waits: Mapping[str, Sequence[Waited]]) -> None:
        """Many of these, by host, in one transaction."""
        ...

    def ledger(self, host: str | None = None) -> Iterator[HostStats]:
        """What was asked of each host over all runs, with the waits and their reasons; or of the one."""
        ...

    def outlines(self) -> Iterator[Outline]:
        """All blogs, each in one line, forgotten ones too."""
        ...

    def unsure_posts(self, blog_id: int) -> Iterator[tuple[str, str]]:
        """The posts of a blog whose article other methods read otherwise, and what speaks against it."""
        ...

    def lost_posts(self, blog_id: int) -> Iterator[Lost]:
        """The posts of a blog that are gone from the web, or were not there on the last looks."""
        ...
