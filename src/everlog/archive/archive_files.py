"""Files of an archive: what stands in its WARC records and its media folder."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, BinaryIO

from everlog.archive.files.durable import explained
from everlog.archive.files.file_store import RECORD_BYTES
from everlog.archive.files.warc_files import lost
from everlog.archive.files.warc_reader import read_exchange
from everlog.archive.files.warc_writer import target_uri
from everlog.errors import DamagedArchive, NotUploaded, file_error

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping
    from pathlib import Path

    from everlog.archive.files.file_store import FileStore
    from everlog.archive.files.warc_bodies import WarcBody
    from everlog.archive.files.warc_writer import Place, WarcFile
    from everlog.archive.models import Capture
    from everlog.records import Exchange, Purpose


class ArchiveFiles:
    """Stored exchanges, bodies and files, to be read. `find` tells what the database knows of files by their names."""

    def __init__(self, store: FileStore, find: Callable[[Collection[str]], Mapping[str, WarcFile]]) -> None:
        self._store = store
        self._find = find

    @property
    def folder(self) -> Path | None:
        """The folder that they are in, if they are in one."""
        return self._store.folder

    def exchange(self, capture: Capture, *, purpose: Purpose = "page") -> Exchange:
        """The stored exchange, read from its WARC record."""
        with explained(self._store.where, capture.place.file):
            try:
                file = self.open(capture.place.file)
            except FileNotFoundError as error:
                raise lost(f"{self._store.where}/{capture.place.file}") from error
            with file:
                answer = _as_captured(read_exchange(file, capture.place.offset, purpose=purpose), capture)
        if capture.own_place is None or answer.url == target_uri(capture.url):
            return answer
        # The body came from another address first; the rest is its own.
        try:
            own = self.exchange(replace(capture, place=capture.own_place, own_place=None), purpose=purpose)
        except (DamagedArchive, NotUploaded):
            kind = (("Content-Type", capture.content_type),) if capture.content_type else ()
            return replace(answer, url=capture.url, status=capture.status, headers=kind, fetched_at=capture.fetched_at)
        return replace(own, body=answer.body)

    def open_body(self, place: Place) -> WarcBody:
        """The body of a stored answer, to be read in pieces, and its headers. Who opens it closes it."""
        from everlog.archive.files.warc_bodies import WarcBody  # noqa: PLC0415 - for who shows pages

        with explained(self._store.where, place.file):
            try:
                file = self.open(place.file)
            except FileNotFoundError as error:
                raise lost(f"{self._store.where}/{place.file}") from error
            try:
                return WarcBody(file, place.offset)
            except BaseException:
                file.close()
                raise

    def open(self, name: str, *, ahead: int = RECORD_BYTES) -> BinaryIO:
        """A WARC or media file to read from."""
        files = self._store
        try:
            return files.open(name, ahead=ahead)
        except PermissionError as error:
            raise file_error(error, f"{files.where}/{name}") from error
        except FileNotFoundError:
            if files.folder is not None:
                raise
            known = self._find([name]).get(name)
        if known is not None and not known.closed:
            raise NotUploaded(
                f"{name} is not in {files.where} yet: it is in the spool folder of the worker that wrote it",
                advice="it is uploaded when it is full or its crawl ends; if the worker was stopped, start it again",
            )
        raise lost(f"{files.where}/{name}")


def _as_captured(answer: Exchange, capture: Capture) -> Exchange:
    """A stored exchange with who made its capture and when; its body may be that of another, which others made."""
    if capture.origin == "live" and answer.source_uri is None:
        return answer
    return replace(
        answer, origin=capture.origin, captured_at=capture.captured_at, fetched_at=capture.fetched_at,
        source_uri=answer.source_uri if capture.origin != "live" else None,
    )
