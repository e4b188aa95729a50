"""Batch: visits that are committed together, and the order in which they are written.

    1. the WARC records of a batch are appended
    2. its media files are written: under another name, synced, renamed
    3. the WARC files are synced
    4. one transaction names all of it: captures, queue, posts, media, how long the WARC files are

What step 4 has not named was never acknowledged: the next crawl of the blog, or whoever seals the file, cuts it
off. So a kill, or a loss of power, at any point leaves an archive in which all that was acknowledged is there, once.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from everlog.archive.db.column_values import storable
from everlog.archive.files.durable import explained, room_left
from everlog.archive.files.warc_writer import MADE, payload_digest
from everlog.archive.repos.captures import Held
from everlog.archive.write.record_batch import BatchRecorder
from everlog.errors import ArchiveBusy, DiskFull

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from everlog.archive.backend import ArchiveOptions, Backend
    from everlog.archive.files.file_store import Writer
    from everlog.archive.files.warc_writer import Place, WarcFile
    from everlog.archive.models import Acknowledged
    from everlog.archive.repos.captures import CaptureRepository
    from everlog.archive.repositories import Repositories
    from everlog.archive.write.writer_pool import WriterPool
    from everlog.records import Exchange, Visit

# In a shared database two writers may stand in each other's way, and one of them is sent away: it tries again.
BUSY_TRIES = 3
# Captures get their numbers in the transaction that names them.
NOT_NUMBERED = 0


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
        self._options = options

    def commit(self, visits: Sequence[Visit]) -> tuple[Acknowledged, ...]:
        with self._writers.one_batch:
            if self._writers.failure is not None:
                raise self._writers.failure
            if not visits:
                return ()
            batch = Batch(
                visits, {visit.blog_id: self._writer(visit.blog_id) for visit in visits}, self._captures,
                self._recorder, tries=self._tries, at=self._options.at,
            )
            self._want_room(sum(exchange.size for visit in visits for exchange in visit.exchanges))
            try:
                with explained(self._where):
                    return batch.write()
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
        if room - needed < self._options.min_free_bytes:
            raise DiskFull(
                f"only {room / 1e6:,.0f} MB free on the disk of {self._where}",
                advice="free some space, then run the same command again: it continues where it stopped",
            )


class Batch:
    """Visits on their way into the archive. `writers` are those of their blogs, `at` is called at crash points."""

    def __init__(
        self, visits: Sequence[Visit], writers: Mapping[int, Writer], captures: CaptureRepository,
        recorder: BatchRecorder, *, tries: int, at: Callable[[str], None],
    ) -> None:
        self._visits = visits
        self._of_blog = writers
        self._writers = list(dict.fromkeys(writers.values()))
        self._captures = captures
        self._recorder = recorder
        self._tries = tries
        self._at = at

    def write(self) -> tuple[Acknowledged, ...]:
        """Write all of it, in the order that is promised above. When this returns it survives a loss of power."""
        self._at("batch-begin")
        records = self._records()
        self._append(records)
        self._write_media([record for record in records if record.is_media])
        files = [file for writer in self._writers for file in writer.warc.sync()]
        acknowledged = self._record(records, files)
        self._at("committed")
        for record in records:
            record.exchange.let_go()
        return acknowledged

    def _records(self) -> list[WarcRecord]:
        """The records of all exchanges with their digests, and who holds their bodies already."""
        records = [
            WarcRecord(visit, exchange, _digest(exchange)) for visit in self._visits for exchange in visit.exchanges
        ]
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

    def _append(self, records: Sequence[WarcRecord]) -> None:
        for writer in self._writers:
            mine = [record for record in records if self._of_blog[record.visit.blog_id] is writer]
            if mine:
                places = writer.warc.append((record.exchange, record.digest, record.original) for record in mine)
                for record, place in zip(mine, places, strict=True):
                    record.place = place

    def _write_media(self, wanted: Sequence[WarcRecord]) -> None:
        """The files of media; each content once."""
        if not wanted:
            return
        paths = dict(self._captures.media_paths([record.sha256 for record in wanted]))
        for writer in self._writers:
            new: dict[str, Exchange] = {}
            for record in wanted:
                if record.sha256 not in paths and self._of_blog[record.visit.blog_id] is writer:
                    new.setdefault(record.sha256, record.exchange)
            if new:
                paths |= writer.media.write(new)
        for record in wanted:
            record.media_path = paths[record.sha256]

    def _record(self, records: Sequence[WarcRecord], files: Sequence[WarcFile]) -> tuple[Acknowledged, ...]:
        stored = iter(records)
        pairs = [(visit, [next(stored) for _ in visit.exchanges]) for visit in self._visits]
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
            id=NOT_NUMBERED, url=twin.exchange.url, digest=twin.digest, fetched_at=twin.exchange.fetched_at,
            content_type=None, etag=None, last_modified=None,
        )


def _digest(exchange: Exchange) -> str:
    return payload_digest(exchange.body) if exchange.spooled is None else f"sha256:{exchange.spooled.sha256}"
