"""The `Store` in SQL: each method opens a transaction of its own and hands on to the module of its rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from everlog.archive.repos import (
    blogs as blog_rows,
)
from everlog.archive.repos import (
    captures as capture_rows,
)
from everlog.archive.repos import (
    events as event_rows,
)
from everlog.archive.repos import (
    figures as figure_rows,
)
from everlog.archive.repos import (
    host_ledger as ledger_rows,
)
from everlog.archive.repos import (
    overview as overview_rows,
)
from everlog.archive.repos import (
    polls as poll_rows,
)
from everlog.archive.repos import (
    post_rechecks as recheck_rows,
)
from everlog.archive.repos import (
    posts as post_rows,
)
from everlog.archive.repos import (
    search_hits as hits,
)
from everlog.archive.repos import (
    search_index as searching,
)
from everlog.archive.repos import (
    templates as template_rows,
)
from everlog.archive.repos import (
    urls as url_rows,
)
from everlog.archive.repos.fleet_sql import FleetSqlStore
from everlog.archive.repos.store import Store
from everlog.archive.write.crash_points import nothing
from everlog.archive.write.record_batch import BatchRecorder
from everlog.core.fetcher import Waited
from everlog.core.moments import as_moment_or_none

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from collections.abc import Set as AbstractSet
    from datetime import datetime, timedelta

    from everlog.archive.db.database import Database
    from everlog.archive.models import (
        Acknowledged,
        Capture,
        Counts,
        Figures,
        Held,
        Poll,
        PostState,
        Problem,
        Run,
        Stored,
        Version,
        WarcFile,
    )
    from everlog.archive.repos.overview import Lost, Outline
    from everlog.archive.repos.templates import FormerTemplate
    from everlog.core.fetcher import HostStats
    from everlog.core.moments import Moment
    from everlog.records import Blog, Event, Lane, Link, Post, Visit
    from everlog.search.hit import Hit


class SqlStore(FleetSqlStore, Store):
    """All state of a crawl; `Store` says what each method promises."""

    def __init__(self, database: Database, *, at: Callable[[str], None] = nothing) -> None:
        self.database = database
        # WARC files that were found to be lost: what stood in them is as good as never fetched.
        self.lost_files: AbstractSet[str] = frozenset()
        self._recorder = BatchRecorder(database, at=at)

    def add_blog(self, home: str, *, scope: str) -> Blog:
        return blog_rows.add_blog(self.database, home, scope=scope)

    def blogs(self, *, forgotten: bool = False) -> tuple[Blog, ...]:
        return blog_rows.all_blogs(self.database, forgotten=forgotten)

    def find_blog(self, url: str) -> Blog | None:
        return blog_rows.find_blog(self.database, url)

    def update_blog(self, blog_id: int, *, events: Sequence[Event] = (), **changes: str | datetime | None) -> Blog:
        return blog_rows.update_blog(self.database, blog_id, changes, events)

    def move_blog(self, blog_id: int, home: str, *, events: Sequence[Event] = ()) -> Blog:
        return blog_rows.move_blog(self.database, blog_id, home, events)

    def enqueue(self, blog_id: int, links: Iterable[Link]) -> int:
        with self.database.writing() as connection:
            return self._recorder.record_links(connection, ((blog_id, link) for link in links))

    def queued(
        self, blog_id: int, lane: Lane, *, limit: int, now: datetime, after_id: int = 0, put_off: bool = False,
    ) -> tuple[tuple[int, Link], ...]:
        return url_rows.queued(
            self.database, blog_id, lane, limit=limit, now=now, after_id=after_id, put_off=put_off,
        )

    def has_waiting(self, blog_id: int, *, lanes: Sequence[Lane], now: datetime) -> bool:
        return url_rows.has_waiting(self.database, blog_id, lanes=lanes, now=now)

    def known_keys(self, blog_id: int) -> Iterator[str]:
        return url_rows.known_keys(self.database, blog_id)

    def seen_pages(self, blog_id: int, *, limit: int) -> tuple[tuple[str, int], ...]:
        return url_rows.seen_pages(self.database, blog_id, limit=limit)

    def held_bodies(self, wanted: Sequence[tuple[int, str, str]]) -> Mapping[tuple[int, str, str], Held]:
        return capture_rows.held_bodies(self.database, wanted, lost=self.lost_files)

    def held_answer(self, blog_id: int, key: str) -> Held | None:
        return capture_rows.held_answer(self.database, blog_id, key, lost=self.lost_files)

    def record(
        self, visits: Sequence[tuple[Visit, Sequence[Stored]]], files: Sequence[WarcFile],
    ) -> tuple[Acknowledged, ...]:
        return self._recorder.record(visits, files)

    def warc_files(self, blog_id: int) -> tuple[WarcFile, ...]:
        return capture_rows.warc_files(self.database, blog_id)

    def media_paths(self, hashes: Sequence[str]) -> Mapping[str, str]:
        return capture_rows.media_paths(self.database, hashes)

    def requeue_failed(self, blog_id: int, *, now: datetime, most_tries: int | None = None) -> int:
        return url_rows.requeue_failed(self.database, blog_id, now=now, most_tries=most_tries)

    def requeue(self, blog_id: int, keys: Sequence[str]) -> int:
        return url_rows.requeue(self.database, blog_id, keys)

    def row_state(self, blog_id: int, key: str) -> tuple[str, int] | None:
        return url_rows.row_state(self.database, blog_id, key)

    def count_failing(self, blog_id: int) -> int:
        return url_rows.count_failing(self.database, blog_id)

    def waits_until(self, blog_id: int) -> datetime | None:
        return url_rows.waits_until(self.database, blog_id)

    def media_held_off(self, blog_id: int, *, now: datetime) -> tuple[int, datetime | None]:
        return url_rows.media_held_off(self.database, blog_id, now=now)

    def set_aside(self, blog_id: int, *, reason: str) -> int:
        return url_rows.set_aside(self.database, blog_id, reason=reason)

    def fruitful_pages(self, blog_id: int) -> Iterator[str]:
        return url_rows.fruitful_pages(self.database, blog_id)

    def capture_of(self, blog_id: int, url: str) -> Capture | None:
        return capture_rows.capture_of(self.database, blog_id, url, lost=self.lost_files)

    def captures_of(self, blog_id: int, url: str) -> tuple[Capture, ...]:
        return capture_rows.captures_of(self.database, blog_id, url, lost=self.lost_files)

    def rendering_of(self, blog_id: int, url: str) -> Capture | None:
        return capture_rows.rendering_of(self.database, blog_id, url, lost=self.lost_files)

    def captures(self, blog_id: int, *, purpose: str = "page") -> Iterator[Capture]:
        return capture_rows.all_captures(self.database, blog_id, purpose=purpose)

    def posts(
        self, *, blog_id: int | None = None, since: Moment | None = None, ids: Sequence[int] | None = None,
    ) -> Iterator[Post]:
        return post_rows.all_posts(self.database, blog_id=blog_id, since=as_moment_or_none(since), ids=ids)

    def headings(self, *, blog_id: int | None = None, since: Moment | None = None) -> Iterator[Post]:
        return post_rows.headings(self.database, blog_id=blog_id, since=as_moment_or_none(since))

    def find_post(self, url: str, *, as_read: bool = False) -> Post | None:
        return post_rows.find_post(self.database, url, as_read=as_read)

    def newest_posts(self, blog_id: int, *, limit: int, dated: bool = False) -> tuple[str, ...]:
        return post_rows.newest_posts(self.database, blog_id, limit=limit, dated=dated)

    def newest_dates(self, blog_id: int, *, limit: int) -> tuple[datetime, ...]:
        return post_rows.newest_dates(self.database, blog_id, limit=limit)

    def without_comments(self, blog_id: int, *, least_tries: int = 0, most_tries: int) -> tuple[str, ...]:
        return post_rows.without_comments(self.database, blog_id, least_tries=least_tries, most_tries=most_tries)

    def count_without_comments(self, blog_id: int, *, most_tries: int | None = None) -> int:
        return post_rows.count_without_comments(self.database, blog_id, most_tries=most_tries)

    def versions(self, url: str) -> tuple[Post, ...]:
        return post_rows.versions(self.database, url)

    def history(self, url: str, *, as_read: bool = False) -> tuple[Version, ...]:
        return post_rows.history(self.database, url, as_read=as_read)

    def search(self, query: str, *, limit: int = 20, offset: int = 0) -> tuple[Hit, ...]:
        self.index_posts()
        return hits.search(self.database, query, limit=limit, offset=offset)

    def count_found(self, query: str) -> int:
        self.index_posts()
        return hits.count(self.database, query)

    def index_posts(self, step: Callable[[str], None] = nothing) -> int:
        return 0 if searching.is_complete(self.database) else searching.fill(self.database, step)

    def count_not_indexed(self) -> int:
        return 0 if searching.is_complete(self.database) else searching.count_lacking(self.database)

    def forget_index(self) -> None:
        searching.forget_all(self.database)

    def change_template(
        self, blog_id: int, *, template: str, knowledge: str, at: datetime, reason: str, events: Sequence[Event] = (),
    ) -> Blog:
        return template_rows.change_template(
            self.database, blog_id, template=template, knowledge=knowledge, at=at, reason=reason, events=events,
        )

    def templates(self, blog_id: int) -> tuple[FormerTemplate, ...]:
        return template_rows.all_templates(self.database, blog_id)

    def template_at(self, blog_id: int, moment: datetime) -> FormerTemplate | None:
        return template_rows.template_at(self.database, blog_id, moment)

    def note_events(self, events: Sequence[Event]) -> None:
        event_rows.note_events(self.database, events)

    def events(
        self, *, blog_id: int | None = None, post_url: str | None = None, kinds: Sequence[str] | None = None,
        since: Moment | None = None, limit: int | None = None,
    ) -> Iterator[Event]:
        return event_rows.all_events(
            self.database, blog_id=blog_id, post_url=post_url, kinds=kinds, since=as_moment_or_none(since), limit=limit,
        )

    def plan_rechecks(self, blog_id: int, *, now: datetime, most: timedelta) -> None:
        recheck_rows.plan(self.database, blog_id, now=now, most=most)

    def take_rechecks(
        self, blog_id: int, *, now: datetime, most: timedelta, limit: int,
    ) -> tuple[tuple[str, str], ...]:
        return recheck_rows.take_due(self.database, blog_id, now=now, most=most, limit=limit)

    def make_due(self, blog_id: int, keys: Sequence[str], *, at: datetime) -> None:
        recheck_rows.make_due(self.database, blog_id, keys, at=at)

    def has_due_rechecks(self, blog_id: int, *, now: datetime) -> bool:
        return recheck_rows.has_due(self.database, blog_id, now=now)

    def post_state(self, blog_id: int, key: str) -> PostState | None:
        return post_rows.post_state(self.database, blog_id, key)

    def post_key(self, blog_id: int, *keys: str) -> str | None:
        return post_rows.post_key(self.database, blog_id, keys)

    def problems(self, blog_id: int) -> Iterator[Problem]:
        return url_rows.problems(self.database, blog_id)

    def notes(self, blog_id: int) -> Iterator[tuple[str, str]]:
        return url_rows.notes(self.database, blog_id)

    def counts(self, blog_id: int) -> Counts:
        return url_rows.counts(self.database, blog_id)

    def figures(self, blog_id: int) -> Figures:
        return figure_rows.figures(self.database, blog_id)

    def comments_missing(self, blog_id: int) -> int:
        return figure_rows.comments_missing(self.database, blog_id)

    def count_posts(self, blog_id: int) -> int:
        return url_rows.count_posts(self.database, blog_id)

    def not_polled(self, *, limit: int) -> tuple[Blog, ...]:
        return poll_rows.not_polled(self.database, limit=limit)

    def add_polls(self, polls: Sequence[Poll]) -> None:
        poll_rows.add_polls(self.database, polls)

    def set_poll(self, poll: Poll) -> None:
        poll_rows.set_poll(self.database, poll)

    def claim_due(
        self, owner: str, *, now: datetime, until: datetime, limit: int,
    ) -> tuple[tuple[Poll, Blog], ...]:
        return poll_rows.claim_due(self.database, owner, now=now, until=until, limit=limit)

    def renew_claims(self, owner: str, *, until: datetime) -> None:
        poll_rows.renew(self.database, owner, until=until)

    def give_back(self, owner: str, polls: Sequence[Poll] = ()) -> None:
        poll_rows.give_back(self.database, owner, polls)

    def poll_of(self, blog_id: int) -> Poll | None:
        return poll_rows.poll_of(self.database, blog_id)

    def next_due(self, *, now: datetime) -> datetime | None:
        return poll_rows.next_due(self.database, now=now)

    def count_due(self, *, now: datetime) -> int:
        return poll_rows.count_due(self.database, now=now)

    def count_watched(self) -> int:
        return poll_rows.count_watched(self.database)

    def add_to_ledger(self, ledger: Sequence[HostStats], at: datetime) -> None:
        ledger_rows.add_to_ledger(self.database, ledger, at)

    def note_wait(
        self, host: str, *, reason: str, at: datetime, signal: str = "", seconds: float = 0.0,
        until: datetime | None = None,
    ) -> None:
        wait = Waited(reason=reason, signal=signal, seconds=seconds, first_at=at, last_at=at, until=until)
        ledger_rows.note_waits(self.database, {host: (wait,)})

    def note_waits(self, waits: Mapping[str, Sequence[Waited]]) -> None:
        ledger_rows.note_waits(self.database, waits)

    def ledger(self, host: str | None = None) -> Iterator[HostStats]:
        return ledger_rows.ledger(self.database, host)

    def outlines(self) -> Iterator[Outline]:
        return overview_rows.outlines(self.database)

    def unsure_posts(self, blog_id: int) -> Iterator[tuple[str, str]]:
        return overview_rows.unsure_posts(self.database, blog_id)

    def lost_posts(self, blog_id: int) -> Iterator[Lost]:
        return overview_rows.lost_posts(self.database, blog_id)

    def begin_run(self, blog_id: int, kind: str) -> int:
        return blog_rows.begin_run(self.database, blog_id, kind)

    def end_run(self, run_id: int, *, reason: str, counts: Mapping[str, float]) -> None:
        blog_rows.end_run(self.database, run_id, reason=reason, counts=counts)

    def runs(self, blog_id: int) -> tuple[Run, ...]:
        return blog_rows.all_runs(self.database, blog_id)

    def remember(self, blog_id: int | None, name: str, value: str | None) -> None:
        blog_rows.remember(self.database, blog_id, {name: value})

    def remember_all(self, blog_id: int | None, values: Mapping[str, str | None]) -> None:
        blog_rows.remember(self.database, blog_id, values)

    def recall(self, blog_id: int | None, name: str) -> str | None:
        return blog_rows.recall(self.database, blog_id, name)
