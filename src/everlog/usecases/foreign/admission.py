"""Admission of captures that others made: each is stored once, however often it is brought."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from hashlib import blake2b
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from everlog.archive import Archive
    from everlog.records import Exchange, ForeignRow, Visit


@dataclass(slots=True, kw_only=True)
class Admission:
    """Who is let in while captures of others are taken, and what becomes of addresses that were not known (`row`)."""

    archive: Archive
    blog_id: int
    row: ForeignRow
    # Those of this run, which may not be stored yet.
    _taken: set[bytes] = field(default_factory=set)

    def is_new(self, exchange: Exchange) -> bool:
        """Whether this very capture is neither held nor on its way."""
        return _mark(exchange) not in self._taken and not self.archive.captures.is_held(self.blog_id, exchange)

    def admitted(self, visit: Visit) -> Visit | None:
        """A visit as one that others made; None if what it brings is there already."""
        if visit.exchanges:
            answer = visit.exchanges[-1]
            if not self.is_new(answer):
                answer.let_go()
                return None
            self._taken.add(_mark(answer))
        return replace(visit, foreign=self.row)


def _mark(exchange: Exchange) -> bytes:
    """Eight bytes for a capture: its address, its moment and its body."""
    body = blake2b(digest_size=16)
    for chunk in exchange.chunks():
        body.update(chunk)
    said = f"{exchange.url}\0{exchange.seen_at.isoformat()}\0".encode("utf-8", "replace")
    return blake2b(said + body.digest(), digest_size=8).digest()
