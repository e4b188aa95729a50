"""Batch writer: visits are gathered by a thread of its own, and committed together in one order.

    1. the WARC records of a batch are appended
    2. its media files are written: under another name, synced, renamed
    3. the WARC files are synced
    4. one transaction names all of it: captures, queue, posts, media, how long the WARC files are

What step 4 has not named was never acknowledged: the next crawl of the blog, or whoever seals the file, cuts it
off. So a kill, or a loss of power, at any point leaves an archive in which all that was acknowledged is there, once.
Syncs are shared by a batch, the promise to each visit is not.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from everlog.archive.db.column_values import storable
from everlog.archive.files.durable import explained, room_left
from everlog.archive.files.warc_writer import MADE, Place, WarcFile, payload_digest
from everlog.archive.repos.captures import Held
from everlog.archive.write.record_batch import Acknowledged, BatchRecorder
from everlog.errors import ArchiveBusy, DiskFull

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from everlog.archive.archive import Archive
    from everlog.archive.backend import ArchiveOptions, Backend
    from everlog.archive.files.file_store import Writer
    from everlog.archive.repositories import Repositories
    from everlog.archive.write.writer_pool import WriterPool
    from everlog.records import Exchange, Visit

    Waiting = tuple[Visit, int, "Future[Acknowledged]"]

# A group waits for one sync of the WARC file and one of the database together. While those run, what
# the crawl brings gathers; these are only upper ends, for the memory's sake.
# A crawl on the loopback brings 140 a second: 500 posts cost 0.99 ms each in groups of 64, 0.90 in groups of 256.
MOST_VISITS = 256
# A group is not begun sooner than this after the one before, unless somebody waits for it: its statements cost the
# same for three visits as for thirty, some 3 ms. At 22 pages a second this thread took 1.3 ms of processor time a page
# with 0.5 s, and 1.1 ms with 1 s. A crawl that asks once a second does not notice.
GATHER_SECONDS = 1.0
MOST_BYTES = 32_000_000
# What may wait behind the group that is being written.
QUEUE_BYTES = 64_000_000
# Bodies on the disk count like those in memory: they take room there, too.
# A visit without a body still takes room for its links.
_LEAST_BYTES = 1_000
# In a shared database two writers may stand in each other's way, and one of them is sent away: it tries again.
BUSY_TRIES = 3
# Captures get their numbers in the transaction that names them.
NOT_NUMBERED = 0


class BatchWriter:
    """Takes visits from any thread, and acknowledges each once it is safe."""

    def __init__(self, archive: Archive, *, queue_bytes: int = QUEUE_BYTES) -> None:
        self._commit = archive.commit
        self._queue_bytes = queue_bytes
        self._waiting: deque[Waiting] = deque()
        self._bytes = 0
        self._changed = threading.Condition()
        self._closing = False
        self._is_urgent = False
        self._failure: BaseException | None = None
        self._thread = threading.Thread(target=self._run, name="everlog-writer", daemon=True)
        self._thread.start()

    def submit(self, visit: Visit) -> Future[Acknowledged]:
        """The promise to store a visit. Waits while too much waits already."""
        size = _size(visit)
        future: Future[Acknowledged] = Future()
        # A visit that is under way cannot be called back, so nobody may cancel its future.
        future.set_running_or_notify_cancel()
        with self._changed:
            self._changed.wait_for(self._has_room)
            if self._failure is not None:
                raise self._failure
            if self._closing:
                raise ValueError("the writer is closed")
            self._waiting.append((visit, size, future))
            self._bytes += size
            # The thread sleeps on while more may gather: waking it costs more than to take a visit in.
            if len(self._waiting) == 1 or self._is_wanted():
                self._changed.notify_all()
        return future

    def hurry(self) -> None:
        """Store what waits at once: somebody can do nothing before that."""
        with self._changed:
            self._is_urgent = bool(self._waiting)
            self._changed.notify_all()

    @property
    def full(self) -> bool:
        """Whether `submit` would wait now."""
        with self._changed:
            return not self._has_room()

    def close(self) -> None:
        """Store all that waits, then end."""
        with self._changed:
            self._closing = True
            self._changed.notify_all()
        self._thread.join()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _has_room(self) -> bool:
        return self._bytes < self._queue_bytes or self._closing or self._failure is not None

    def _run(self) -> None:
        due = 0.0
        while group := self._next_group(due):
            due = time.monotonic() + GATHER_SECONDS
            try:
                acknowledged = self._commit([visit for visit, _, _ in group])
            except BaseException as error:  # noqa: BLE001 - whoever waits for the futures must hear of anything
                self._fail(group, error)
                return
            for (_, _, future), word in zip(group, acknowledged, strict=True):
                future.set_result(word)

    def _next_group(self, due: float) -> list[Waiting]:
        """What has gathered until it is due, up to a size; empty when there is nothing more to come."""
        with self._changed:
            self._changed.wait_for(lambda: self._waiting or self._closing)
            self._changed.wait_for(self._is_wanted, max(0.0, due - time.monotonic()))
            self._is_urgent = False
            group: list[Waiting] = []
            size = 0
            while self._waiting and len(group) < MOST_VISITS:
                if group and size + self._waiting[0][1] > MOST_BYTES:
                    break
                group.append(self._waiting.popleft())
                size += group[-1][1]
            self._bytes -= size
            self._changed.notify_all()
            return group

    def _is_wanted(self) -> bool:
        is_much = len(self._waiting) >= MOST_VISITS or self._bytes >= MOST_BYTES or not self._has_room()
        return is_much or self._is_urgent or self._closing

    def _fail(self, group: Sequence[Waiting], error: BaseException) -> None:
        with self._changed:
            self._failure = error
            left = [*group, *self._waiting]
            self._waiting.clear()
            self._bytes = 0
            self._changed.notify_all()
        for _, _, future in left:
            future.set_exception(error)


class Committer:
    """Commits of an archive: one batch at a time, and none after a failure that may have left bytes behind."""

    def __init__(
        self, repositories: Repositories, backend: Backend, writers: WriterPool, options: ArchiveOptions,
    ) -> None:
        self._captures = repositories.captures
        self._recorder = BatchRecorder(backend.database, repositories, at=options.at)
        self._where, self._folder = backend.file_store.where, backend.file_store.scratch
        self._tries = BUSY_TRIES if backend.file_store.is_shared else 1
        self._writers = writers
        self._min_free_bytes = options.min_free_bytes
        self._at = options.at

    def commit(self, visits: Sequence[Visit]) -> tuple[Acknowledged, ...]:
        """Store visits, all or none."""
        with self._writers.one_batch:
            if self._writers.failure is not None:
                raise self._writers.failure
            if not visits:
                return ()
            of_blog = {visit.blog_id: self._writer(visit.blog_id) for visit in visits}
            self._want_room(sum(exchange.size for visit in visits for exchange in visit.exchanges))
            try:
                with explained(self._where):
                    return self._write(visits, of_blog)
            except BaseException as error:
                self._writers.fail(error)
                raise

    def _writer(self, blog_id: int) -> Writer:
        if blog_id not in self._writers.blogs:
            raise ValueError(f"hold the lock of blog {blog_id} to write to it")
        return self._writers.blogs[blog_id]

    def _want_room(self, needed: int) -> None:
        if self._folder is None:
            return
        room = room_left(self._folder)
        if room - needed < self._min_free_bytes:
            raise DiskFull(
                f"only {room / 1e6:,.0f} MB free on the disk of {self._where}",
                advice="free some space, then run the same command again: it continues where it stopped",
            )

    def _write(self, visits: Sequence[Visit], of_blog: Mapping[int, Writer]) -> tuple[Acknowledged, ...]:
        """Write all of it, in the order that is promised above. When this returns it survives a loss of power."""
        self._at("batch-begin")
        records = self._records(visits)
        writers = list(dict.fromkeys(of_blog.values()))
        for writer in writers:
            mine = [record for record in records if of_blog[record.visit.blog_id] is writer]
            if mine:
                places = writer.warc.append((record.exchange, record.digest, record.original) for record in mine)
                for record, place in zip(mine, places, strict=True):
                    record.place = place
        self._write_media([record for record in records if record.is_media], of_blog)
        files = [file for writer in writers for file in writer.warc.sync()]
        acknowledged = self._record(visits, records, files)
        self._at("committed")
        for record in records:
            record.exchange.let_go()
        return acknowledged

    def _records(self, visits: Sequence[Visit]) -> list[WarcRecord]:
        """The records of all exchanges with their digests, and who holds their bodies already."""
        records = [WarcRecord(visit, exchange, _digest(exchange)) for visit in visits for exchange in visit.exchanges]
        answers = [record for record in records if record.exchange.purpose not in MADE]
        bodies = self._captures.held_bodies([record.key for record in answers if record.exchange.size])
        anywhere = {(blog_id, digest): held for (blog_id, _, digest), held in bodies.items()}
        first: dict[tuple[int, str], WarcRecord] = {}
        for record in answers:
            if record.exchange.size:
                same = record.visit.blog_id, record.digest
                # That of its own address first: it tells more to who reads the record.
                record.original = bodies.get(record.key) or anywhere.get(same)
                if record.original is None and first.setdefault(same, record) is not record:
                    record.repeat(first[same])
            elif record.exchange.status == 304:
                record.original = self._captures.held_answer(record.visit.blog_id, record.visit.key)
                record.digest = record.original.digest if record.original else record.digest
        return records

    def _write_media(self, wanted: Sequence[WarcRecord], of_blog: Mapping[int, Writer]) -> None:
        """The files of media; each content once."""
        if not wanted:
            return
        paths = dict(self._captures.media_paths([record.sha256 for record in wanted]))
        for writer in dict.fromkeys(of_blog.values()):
            new: dict[str, Exchange] = {}
            for record in wanted:
                if record.sha256 not in paths and of_blog[record.visit.blog_id] is writer:
                    new.setdefault(record.sha256, record.exchange)
            if new:
                paths |= writer.media.write(new)
        for record in wanted:
            record.media_path = paths[record.sha256]

    def _record(
        self, visits: Sequence[Visit], records: Sequence[WarcRecord], files: Sequence[WarcFile],
    ) -> tuple[Acknowledged, ...]:
        stored = iter(records)
        pairs = [(visit, [next(stored) for _ in visit.exchanges]) for visit in visits]
        for _ in range(self._tries - 1):
            with suppress(ArchiveBusy):
                return self._recorder.record(pairs, files)
        return self._recorder.record(pairs, files)


@dataclass(slots=True)
class WarcRecord:
    """WARC record of one exchange of a batch. Each body is written once, whoever brought it before.

    `original` is the capture that holds its body already. `twin` is set where that is another record of the same
    batch, which came before and has no number yet. `place` is where it stands once it is written.
    """

    visit: Visit
    exchange: Exchange
    digest: str
    original: Held | None = None
    twin: WarcRecord | None = None
    place: Place | None = None
    media_path: str | None = None
    capture_id: int = NOT_NUMBERED

    @property
    def key(self) -> tuple[int, str, str]:
        return self.visit.blog_id, storable(self.exchange.url), self.digest

    @property
    def sha256(self) -> str:
        return self.digest.removeprefix("sha256:")

    @property
    def is_media(self) -> bool:
        answers = self.exchange is self.visit.exchanges[-1] and 200 <= self.exchange.status < 300
        return answers and self.visit.outcome == "media" and bool(self.exchange.size)

    def repeat(self, twin: WarcRecord) -> None:
        """Refer to the body of another record."""
        self.twin = twin
        self.original = Held(
            id=NOT_NUMBERED, url=twin.exchange.url, digest=twin.digest, fetched_at=twin.exchange.seen_at,
            content_type=None, etag=None, last_modified=None,
        )


def _digest(exchange: Exchange) -> str:
    return payload_digest(exchange.body) if exchange.spooled is None else f"sha256:{exchange.spooled.sha256}"


def _size(visit: Visit) -> int:
    return _LEAST_BYTES + sum(exchange.size for exchange in visit.exchanges)
