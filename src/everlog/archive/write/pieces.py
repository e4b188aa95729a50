"""The exchanges of a batch on their way to the files: each body is written once, whoever brought it before."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from everlog.archive.db.column_values import storable
from everlog.archive.files.warc import MADE, payload_digest
from everlog.archive.models import Held, Stored

if TYPE_CHECKING:
    from collections.abc import Sequence

    from everlog.archive.models import Place
    from everlog.archive.repos.captures import CaptureRepository
    from everlog.records import Exchange, Visit

# Captures get their numbers in the transaction that names them.
NOT_NUMBERED = 0


@dataclass(slots=True)
class Piece:
    """One exchange of a batch. `twin` is another of the batch that brings the same body, and came before."""

    visit: Visit
    exchange: Exchange
    digest: str
    original: Held | None = None
    twin: Piece | None = None
    place: Place | None = None
    media_path: str | None = None
    stored: Stored | None = None

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

    def repeat(self, twin: Piece) -> None:
        """Refer to the body of another piece."""
        self.twin = twin
        self.original = Held(
            id=NOT_NUMBERED, url=twin.exchange.url, digest=twin.digest, fetched_at=twin.exchange.fetched_at,
            content_type=None, etag=None, last_modified=None,
        )

    def store(self) -> None:
        """Note where it stands, now that it is written."""
        assert self.place is not None  # noqa: S101 - for the type checker
        self.stored = Stored(
            place=self.place, digest=self.digest, original=self.original,
            twin=self.twin.stored if self.twin is not None else None, media_path=self.media_path,
        )


def pieces_of(visits: Sequence[Visit], captures: CaptureRepository) -> list[Piece]:
    """The exchanges of a batch with their digests, and who holds their bodies already."""
    pieces = [Piece(visit, exchange, _digest(exchange)) for visit in visits for exchange in visit.exchanges]
    answers = [piece for piece in pieces if piece.exchange.purpose not in MADE]
    bodies = captures.held_bodies([piece.key for piece in answers if piece.exchange.size])
    anywhere = {(blog_id, digest): held for (blog_id, _, digest), held in bodies.items()}
    first: dict[tuple[int, str], Piece] = {}
    for piece in answers:
        if piece.exchange.size:
            same = piece.visit.blog_id, piece.digest
            # That of its own address first: it tells more to who reads the record.
            piece.original = bodies.get(piece.key) or anywhere.get(same)
            if piece.original is None and first.setdefault(same, piece) is not piece:
                piece.repeat(first[same])
        elif piece.exchange.status == 304:
            piece.original = captures.held_answer(piece.visit.blog_id, piece.visit.key)
            piece.digest = piece.original.digest if piece.original else piece.digest
    return pieces


def _digest(exchange: Exchange) -> str:
    return payload_digest(exchange.body) if exchange.spooled is None else f"sha256:{exchange.spooled.sha256}"
