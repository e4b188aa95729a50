"""The `Store` in SQL: each method opens a transaction of its own and hands on to the module of its rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from everlog.archive import blog_rows, post_rows, searching, url_rows
from everlog.archive.points import nothing
from everlog.archive.recording import Recorder

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from datetime import datetime

    from everlog.archive.database import Database
    from everlog.archive.store import Acknowledged, Capture, Counts, Held, Problem, Run, Stored, WarcFile
    from everlog.records import Blog, Lane, Link, Post, Visit
    from everlog.search.hit import Hit


class SqlStore:
    """All state of a crawl; see `store.Store` for what each method promises."""

    def __init__(self, database: Database, *, at: Callable[[str], None] = nothing) -> None:
        self.database = database
        self._recorder = Recorder(database, at=at)

    def add_blog(self, home: str, *, scope: str) -> Blog:
        return blog_rows.add_blog(self.database, home, scope=scope)

    def blogs(self, *, forgotten: bool = False) -> tuple[Blog, ...]:
        return blog_rows.all_blogs(self.database, forgotten=forgotten)

    def find_blog(self, url: str) -> Blog | None:
        return blog_rows.find_blog(self.database, url)

    def update_blog(self, blog_id: int, **changes: str | datetime | None) -> Blog:
        return blog_rows.update_blog(self.database, blog_id, changes)

    def enqueue(self, blog_id: int, links: Iterable[Link]) -> int:
        with self.database.writing() as connection:
            return self._recorder.record_links(connection, ((blog_id, link) for link in links))

    def queued(
        self, blog_id: int, lane: Lane, *, limit: int, now: datetime, after_id: int = 0,
    ) -> tuple[tuple[int, Link], ...]:
        return url_rows.queued(self.database, blog_id, lane, limit=limit, now=now, after_id=after_id)

    def known_keys(self, blog_id: int) -> Iterator[str]:
        return url_rows.known_keys(self.database, blog_id)

    def seen_pages(self, blog_id: int, *, limit: int) -> tuple[tuple[str, int], ...]:
        return url_rows.seen_pages(self.database, blog_id, limit=limit)

    def held_bodies(self, wanted: Sequence[tuple[int, str, str]]) -> Mapping[tuple[int, str, str], Held]:
        return url_rows.held_bodies(self.database, wanted)

    def held_answer(self, blog_id: int, key: str) -> Held | None:
        return url_rows.held_answer(self.database, blog_id, key)

    def record(
        self, visits: Sequence[tuple[Visit, Sequence[Stored]]], files: Sequence[WarcFile],
    ) -> tuple[Acknowledged, ...]:
        return self._recorder.record(visits, files)

    def warc_files(self, blog_id: int) -> tuple[WarcFile, ...]:
        return url_rows.warc_files(self.database, blog_id)

    def media_paths(self, hashes: Sequence[str]) -> Mapping[str, str]:
        return url_rows.media_paths(self.database, hashes)

    def requeue_failed(self, blog_id: int, *, most_tries: int | None = None) -> int:
        return url_rows.requeue_failed(self.database, blog_id, most_tries=most_tries)

    def requeue(self, blog_id: int, keys: Sequence[str]) -> int:
        return url_rows.requeue(self.database, blog_id, keys)

    def row_state(self, blog_id: int, key: str) -> tuple[str, int] | None:
        return url_rows.row_state(self.database, blog_id, key)

    def count_failing(self, blog_id: int) -> int:
        return url_rows.count_failing(self.database, blog_id)

    def waits_until(self, blog_id: int) -> datetime | None:
        return url_rows.waits_until(self.database, blog_id)

    def set_aside(self, blog_id: int, *, reason: str) -> int:
        return url_rows.set_aside(self.database, blog_id, reason=reason)

    def fruitful_pages(self, blog_id: int) -> Iterator[str]:
        return url_rows.fruitful_pages(self.database, blog_id)

    def capture_of(self, blog_id: int, url: str) -> Capture | None:
        return url_rows.capture_of(self.database, blog_id, url)

    def rendering_of(self, blog_id: int, url: str) -> Capture | None:
        return url_rows.rendering_of(self.database, blog_id, url)

    def captures(self, blog_id: int, *, purpose: str = "page") -> Iterator[Capture]:
        return url_rows.all_captures(self.database, blog_id, purpose=purpose)

    def posts(
        self, *, blog_id: int | None = None, since: datetime | None = None, ids: Sequence[int] | None = None,
    ) -> Iterator[Post]:
        return post_rows.all_posts(self.database, blog_id=blog_id, since=since, ids=ids)

    def find_post(self, url: str, *, as_read: bool = False) -> Post | None:
        return post_rows.find_post(self.database, url, as_read=as_read)

    def newest_posts(self, blog_id: int, *, limit: int, dated: bool = False) -> tuple[str, ...]:
        return post_rows.newest_posts(self.database, blog_id, limit=limit, dated=dated)

    def without_comments(self, blog_id: int, *, least_tries: int = 0, most_tries: int) -> tuple[str, ...]:
        return post_rows.without_comments(self.database, blog_id, least_tries=least_tries, most_tries=most_tries)

    def count_without_comments(self, blog_id: int, *, most_tries: int | None = None) -> int:
        return post_rows.count_without_comments(self.database, blog_id, most_tries=most_tries)

    def versions(self, url: str) -> tuple[Post, ...]:
        return post_rows.versions(self.database, url)

    def search(self, query: str, *, limit: int = 20, offset: int = 0) -> tuple[Hit, ...]:
        self.index_posts()
        return searching.search(self.database, query, limit=limit, offset=offset)

    def count_found(self, query: str) -> int:
        self.index_posts()
        return searching.count(self.database, query)

    def index_posts(self, step: Callable[[str], None] = nothing) -> int:
        return 0 if searching.is_complete(self.database) else searching.fill(self.database, step)

    def count_not_indexed(self) -> int:
        return 0 if searching.is_complete(self.database) else searching.count_lacking(self.database)

    def forget_index(self) -> None:
        searching.forget_all(self.database)

    def problems(self, blog_id: int) -> Iterator[Problem]:
        return url_rows.problems(self.database, blog_id)

    def notes(self, blog_id: int) -> Iterator[tuple[str, str]]:
        return url_rows.notes(self.database, blog_id)

    def counts(self, blog_id: int) -> Counts:
        return url_rows.counts(self.database, blog_id)

    def begin_run(self, blog_id: int, kind: str) -> int:
        return blog_rows.begin_run(self.database, blog_id, kind)

    def end_run(self, run_id: int, *, reason: str, counts: Mapping[str, float]) -> None:
        blog_rows.end_run(self.database, run_id, reason=reason, counts=counts)

    def runs(self, blog_id: int) -> tuple[Run, ...]:
        return blog_rows.all_runs(self.database, blog_id)

    def remember(self, blog_id: int | None, name: str, value: str | None) -> None:
        blog_rows.remember(self.database, blog_id, name, value)

    def recall(self, blog_id: int | None, name: str) -> str | None:
        return blog_rows.recall(self.database, blog_id, name)
