"""An archive in a folder, and the order in which it writes.

    1. the WARC records of a batch are appended
    2. its media files are written: under another name, synced, renamed
    3. the WARC files are synced
    4. one transaction names all of it: captures, queue, posts, media, how long the WARC files are

What step 4 has not named was never acknowledged: the next crawl of the blog cuts it off. So a kill, or a
loss of power, at any point leaves an archive in which all that was acknowledged is there, once.
"""

from __future__ import annotations

import os
import threading
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Self

from everlog.archive import files as disk
from everlog.archive import media_files, schema, url_rows, warc_files
from everlog.archive.holdings import Stored
from everlog.archive.locks import Lock
from everlog.archive.media_files import MediaFiles
from everlog.archive.migrate import bring_up_to_date
from everlog.archive.points import nothing
from everlog.archive.sql_store import SqlStore
from everlog.archive.sqlite import SqliteDatabase
from everlog.archive.texts import storable
from everlog.archive.warc_files import ROTATE_BYTES, WarcFiles
from everlog.errors import DamagedArchive, DiskFull, EverlogError, UsageError
from everlog.warc import MADE, payload_digest, read_exchange

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from datetime import datetime
    from typing import BinaryIO

    from everlog.archive.holdings import Acknowledged, Capture, Held, Place
    from everlog.archive.migrate import Schema
    from everlog.records import Exchange, Purpose, Visit

DATABASE = "everlog.sqlite"
LOCKS = "locks"
# A crawl that stops here has room left to close its files, and the user's other programs have some too.
MIN_FREE_BYTES = 200_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Habits:
    """How an archive writes. `at` is called at each of `points.WRITE_POINTS`, for tests that crash there."""

    rotate_bytes: int = ROTATE_BYTES
    min_free_bytes: int = MIN_FREE_BYTES
    schema: Schema | None = None
    at: Callable[[str], None] = nothing


@dataclass(frozen=True, slots=True)
class _Files:
    """The files of a blog whose lock is held."""

    lock: Lock
    warc: WarcFiles
    media: MediaFiles


def open_archive(where: str | Path, *, create: bool = True, habits: Habits | None = None) -> Archive:
    """The archive in this folder, made if it is not there; one of an older version is upgraded."""
    if "://" in str(where):
        raise UsageError(f"{where} is not a folder", advice="name a folder: shared databases are not supported yet")
    folder = Path(where)
    if not create and not (folder / DATABASE).is_file():
        raise UsageError(f"there is no archive in {folder}", advice="name its folder with --archive, or crawl first")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise disk.explain(error, folder) from error
    for name in (LOCKS, warc_files.FOLDER, media_files.FOLDER):
        disk.real_folder(folder / name)
    habits = habits or Habits()
    database = SqliteDatabase(folder / DATABASE)
    try:
        bring_up_to_date(database, locks=folder / LOCKS, schema=habits.schema, at=habits.at)
    except BaseException:
        database.close()
        raise
    return Archive(folder, database, habits)


class Archive(SqlStore):
    """All that is kept of some blogs. Reading needs nothing; to write, hold the lock of the blog."""

    def __init__(self, folder: Path, database: SqliteDatabase, habits: Habits) -> None:
        super().__init__(database, at=habits.at)
        self.folder = folder
        self._habits = habits
        self._blogs: dict[int, _Files] = {}
        self._one_batch = threading.Lock()
        self._failure: EverlogError | None = None

    @contextmanager
    def lock(self, blog_id: int) -> Iterator[None]:
        """The right to write to one blog, once what an earlier crash left is cleared away."""
        try:
            held = Lock(self.folder / LOCKS / f"{blog_id}.lock")
        except OSError as error:
            raise disk.explain(error, self.folder / LOCKS) from error
        warc = WarcFiles(self.folder, blog_id, rotate_bytes=self._habits.rotate_bytes, at=self._habits.at)
        media = MediaFiles(self.folder, blog_id, at=self._habits.at)
        try:
            try:
                warc.recover(self.warc_files(blog_id))
                media.recover()
            except OSError as error:
                raise disk.explain(error, self.folder) from error
            self._blogs[blog_id] = _Files(held, warc, media)
            yield
        finally:
            self._blogs.pop(blog_id, None)
            warc.close()
            held.release()

    def commit(self, visits: Sequence[Visit]) -> tuple[Acknowledged, ...]:
        """Store visits, all or none. When this returns they survive a loss of power.

        After a failure that may have left bytes behind, nothing more is written: a second try would
        build on what the disk may not have. The next opening clears it away.
        """
        with self._one_batch:
            if self._failure is not None:
                raise self._failure
            if not visits:
                return ()
            blogs = {visit.blog_id: self._files_of(visit.blog_id) for visit in visits}
            self._want_room(sum(len(exchange.body) for visit in visits for exchange in visit.exchanges))
            try:
                return self._write(visits, blogs)
            except EverlogError as error:
                self._failure = error
                raise
            except OSError as error:
                self._failure = disk.explain(error, self.folder)
                raise self._failure from error
            except BaseException as error:
                self._failure = DamagedArchive(
                    f"storing was broken off: {error!r}", advice="give the same command again: it clears up first",
                )
                raise

    def room_left(self) -> int:
        """Free bytes on the disk of this archive."""
        try:
            room = os.statvfs(self.folder)
        except OSError as error:
            raise disk.explain(error, self.folder) from error
        return room.f_bavail * room.f_frsize

    def size(self) -> int:
        """How many things there are to verify: captures, media files, posts."""
        return url_rows.row_count(self.database, schema.captures, schema.media_files, schema.posts)

    def exchange(self, capture: Capture, *, purpose: Purpose = "page") -> Exchange:
        """The stored exchange, read from its WARC record."""
        try:
            with (self.folder / capture.place.file).open("rb") as file:
                return read_exchange(file, capture.place.offset, purpose=purpose)
        except OSError as error:
            raise disk.explain(error, self.folder / capture.place.file) from error

    def export(
        self, format_name: str, out: BinaryIO | Path | None = None, *, blog_id: int | None = None,
        since: datetime | None = None,
    ) -> int:
        """Write posts in one of `everlog.export.FORMATS`, streamed, to a stream, file or folder. How many."""
        from everlog.export import write_posts  # noqa: PLC0415 - reading and crawling do without it

        return write_posts(self.posts(blog_id=blog_id, since=since), format_name, out, media_root=self.folder)

    def close(self) -> None:
        self.database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _want_room(self, needed: int) -> None:
        room = self.room_left()
        if room - needed < self._habits.min_free_bytes:
            raise DiskFull(
                f"only {room / 1e6:,.0f} MB are left on the disk of {self.folder}",
                advice="free some room, then give the same command again: it goes on where it stopped",
            )

    def _write(self, visits: Sequence[Visit], blogs: Mapping[int, _Files]) -> tuple[Acknowledged, ...]:
        at = self._habits.at
        at("batch-begin")
        pieces = self._pieces(visits)
        for blog_id, opened in blogs.items():
            mine = [piece for piece in pieces if piece.visit.blog_id == blog_id]
            if mine:
                places = opened.warc.append((piece.exchange, piece.digest, piece.original) for piece in mine)
                for piece, place in zip(mine, places, strict=True):
                    piece.place = place
        self._write_media(blogs, pieces)
        files = [file for opened in blogs.values() for file in opened.warc.sync()]
        stored = iter([piece.stored() for piece in pieces])
        acknowledged = self.record([(visit, [next(stored) for _ in visit.exchanges]) for visit in visits], files)
        at("committed")
        return acknowledged

    def _files_of(self, blog_id: int) -> _Files:
        if blog_id not in self._blogs:
            raise ValueError(f"hold the lock of blog {blog_id} to write to it")
        return self._blogs[blog_id]

    def _pieces(self, visits: Sequence[Visit]) -> list[_Piece]:
        """The exchanges of a batch with their digests, and who holds their bodies already."""
        pieces = [
            _Piece(visit, exchange, payload_digest(exchange.body)) for visit in visits for exchange in visit.exchanges
        ]
        answers = [piece for piece in pieces if piece.exchange.purpose not in MADE]
        bodies = self.held_bodies([piece.key for piece in answers if piece.exchange.body])
        for piece in answers:
            if piece.exchange.body:
                piece.original = bodies.get(piece.key)
            elif piece.exchange.status == 304:
                piece.original = self.held_answer(piece.visit.blog_id, piece.visit.key)
                piece.digest = piece.original.digest if piece.original else piece.digest
        return pieces

    def _write_media(self, blogs: Mapping[int, _Files], pieces: Sequence[_Piece]) -> None:
        """The files of the media in a batch; each content once."""
        wanted = [piece for piece in pieces if piece.is_media]
        held = dict(self.media_paths([piece.sha256 for piece in wanted])) if wanted else {}
        for piece in wanted:
            if piece.sha256 not in held:
                held[piece.sha256] = blogs[piece.visit.blog_id].media.write(
                    piece.sha256, piece.exchange.body, content_type=piece.exchange.header("content-type"),
                    url=piece.exchange.url,
                )
            piece.media_path = held[piece.sha256]


@dataclass(slots=True)
class _Piece:
    """One exchange of a batch on its way to the files."""

    visit: Visit
    exchange: Exchange
    digest: str
    original: Held | None = None
    place: Place | None = None
    media_path: str | None = None

    @property
    def key(self) -> tuple[int, str, str]:
        return self.visit.blog_id, storable(self.exchange.url), self.digest

    @property
    def sha256(self) -> str:
        return self.digest.removeprefix("sha256:")

    @property
    def is_media(self) -> bool:
        answers = self.exchange is self.visit.exchanges[-1] and 200 <= self.exchange.status < 300
        return answers and self.visit.outcome == "media" and bool(self.exchange.body)

    def stored(self) -> Stored:
        assert self.place is not None  # noqa: S101 - for the type checker
        return Stored(place=self.place, digest=self.digest, original=self.original, media_path=self.media_path)
