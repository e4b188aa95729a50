"""Fetcher of imported files: their captures as a web of its own. Nothing else is asked."""

from __future__ import annotations

import hashlib
import tempfile
from contextlib import ExitStack
from dataclasses import replace
from typing import TYPE_CHECKING, BinaryIO

from everlog.core.urls import canonical
from everlog.importing.no_web import NoWeb, missing
from everlog.importing.open_files import Part, opened
from everlog.importing.warc_records import TooLarge, read_body
from everlog.records import Exchange, Failure, Fetched, Purpose, Spooled

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime
    from pathlib import Path

    from everlog.importing.import_index import ImportIndex, IndexedCapture

MOST_REDIRECTS = 10
# As fetched bodies are (`fetch.spooling`): most pictures are smaller.
SPOOL_FROM_BYTES = 1_000_000
# What a body that is decoded has no more.
_OF_THE_WIRE = frozenset({"content-encoding", "transfer-encoding", "content-length"})


class FileFetcher(NoWeb):
    """The captures of some files, the newest of each address; with a `moment`, the one nearest to it."""

    def __init__(
        self, index: ImportIndex, parts: Sequence[Part], *, now: datetime, scratch: Path,
        max_page_bytes: int, max_media_bytes: int, max_requisite_bytes: int,
    ) -> None:
        self.moment: datetime | None = None
        # Whether pages are shown as a browser made them, where one did.
        self.shows_made = False
        self.shown_made = 0
        self._index, self._parts, self._now, self._scratch = index, parts, now, scratch
        self._most = {"media": max_media_bytes, "requisite": max_requisite_bytes}
        self._most_page = max_page_bytes
        self._files: dict[int, BinaryIO] = {}
        self._stack = ExitStack()

    async def fetch(
        self, url: str, *, purpose: Purpose = "page", etag: str | None = None, last_modified: str | None = None,
    ) -> Fetched | Failure:
        """What the files hold of an address, redirects followed."""
        del etag, last_modified
        exchanges: list[Exchange] = []
        current = url
        for _ in range(MOST_REDIRECTS):
            capture = self._index.answer(canonical(current), self.moment)
            exchange = self.exchange(capture, purpose) if capture is not None else None
            if capture is None or exchange is None:
                return missing(url)
            exchanges.append(exchange)
            if 200 <= exchange.status < 300:
                return Fetched(url=url, exchanges=(*exchanges[:-1], self._as_shown(capture, exchange)))
            if capture.location is None or capture.location == canonical(current):
                break
            current = f"http://{capture.location}"
        return replace(missing(url), status=exchanges[-1].status, exchanges=tuple(exchanges))

    def page(self, capture: IndexedCapture) -> Fetched | None:
        """A capture as a page: with the redirects that lead to it, and what a browser made of it."""
        answer = self.exchange(capture, "page")
        if answer is None:
            return None
        key = canonical(capture.url)
        newest = self._index.answer(key)
        is_newest = newest is not None and (newest.part, newest.offset) == (capture.part, capture.offset)
        ways = self._index.redirects_to(key) if is_newest else []
        made = self._index.made(key, capture.at)
        before = [self.exchange(each, "page") for each in ways]
        drawn = self.exchange(made, "rendered") if made is not None else None
        return Fetched(url=capture.url, exchanges=(*filter(None, (*before, drawn)), answer))

    def exchange(self, capture: IndexedCapture, purpose: Purpose) -> Exchange | None:
        """What a capture holds; None if it cannot be read, is too large, or refers to what is not there."""
        holder = self._index.body_of(capture)
        if holder is None:
            return None
        most = self._most.get(purpose, self._most_page)
        read = read_body(self._file(holder.part), holder.offset, most)
        if read is None:
            return None
        headers, reason, pieces = read
        try:
            body, spooled = self._body(pieces, may_spool=purpose == "media")
        except TooLarge:
            return None
        kept = tuple((name, value) for name, value in headers if name.lower() not in _OF_THE_WIRE)
        return Exchange(
            url=capture.url, status=capture.status, reason=reason, headers=kept, body=body, spooled=spooled,
            fetched_at=self._now, purpose=purpose, origin="import", captured_at=capture.at,
            source_uri=self._parts[capture.part].name,
        )

    def close(self) -> None:
        self._stack.close()

    def _as_shown(self, capture: IndexedCapture, answer: Exchange) -> Exchange:
        made = self._index.made(canonical(capture.url), capture.at) if self.shows_made else None
        drawn = self.exchange(made, "rendered") if made is not None else None
        if drawn is None:
            return answer
        self.shown_made += 1
        return replace(answer, body=drawn.body, headers=drawn.headers)

    def _body(self, pieces: Iterable[bytes], *, may_spool: bool) -> tuple[bytes, Spooled | None]:
        held: list[bytes] = []
        size, file = 0, None
        digest = hashlib.sha256()
        try:
            for piece in pieces:
                size += len(piece)
                digest.update(piece)
                if file is None and may_spool and size > SPOOL_FROM_BYTES:
                    file = tempfile.TemporaryFile(dir=self._scratch)  # noqa: SIM115 - closed by who stores it
                    file.writelines(held)
                    held.clear()
                (file.write if file is not None else held.append)(piece)
        except TooLarge:
            if file is not None:
                file.close()
            raise
        if file is None:
            return b"".join(held), None
        file.flush()
        return b"", Spooled(file=file, size=size, sha256=digest.hexdigest())

    def _file(self, part: int) -> BinaryIO:
        if part not in self._files:
            self._files[part] = self._stack.enter_context(opened(self._parts[part]))
        return self._files[part]
