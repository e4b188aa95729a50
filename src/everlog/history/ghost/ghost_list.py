"""One list of Ghost's content interface, walked to its end.

It is asked for in the order of ids, from behind the last id that was told: whatever is published or deleted meanwhile,
nothing is passed over. Where an interface takes no filter or no order, it is walked by the numbers of its pages.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from everlog.history.ghost.ghost_rows import BY_ID, PER_PAGE, WHOLE, Kind, Row, Rows, id_of, request_for, rows_told
from everlog.history.overlap import turn_page

if TYPE_CHECKING:
    from collections.abc import Mapping

    from everlog.history.source import HistoryAnswer, HistoryRequest

# A server that cannot put a page together is asked for less at once.
_SMALLER = {1_000: PER_PAGE, PER_PAGE: 25, 25: 10}
_TOO_MUCH = frozenset({0, 500, 502, 503, 504})
_REFUSED = frozenset({400, 422})
REFUSES = "the interface takes no filters"


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a list stands: behind which id or, where these cannot be asked for, at which page."""

    kind: Kind = "posts"
    last: str = ""
    limit: int = PER_PAGE
    page: int = 0
    # What the pages before said, for `turn_page`.
    kept: Mapping[str, Any] = field(default_factory=dict)


@dataclass(slots=True, kw_only=True)
class PostList:
    """One list, walked to its end. `since` is a filter that all requests have."""

    place: Place = field(default_factory=Place)
    fields: Mapping[str, str] = field(default_factory=lambda: WHOLE)
    since: str = ""
    is_over: bool = False
    total: int | None = None

    def request(self, root: str, key: str) -> HistoryRequest:
        place = self.place
        wanted: dict[str, str | int] = {"limit": place.limit, **self.fields}
        if place.page:
            return request_for(root, key, place.kind, **wanted, page=place.page)
        filters = [*([self.since] if self.since else []), *([f"id:>'{place.last}'"] if place.last else [])]
        return request_for(
            root, key, place.kind, **wanted, order=BY_ID, **({"filter": "+".join(filters)} if filters else {}),
        )

    def take(self, answer: HistoryAnswer) -> tuple[tuple[Row, ...], str | None]:
        """The rows that are new, and why there are no more."""
        told = rows_told(answer, self.place.kind)
        if told.problem is not None:
            return self._take_failure(answer, told.problem)
        if self.place.page:
            return self._take_page(told)
        ids = [id_of(row) for row in told.rows]
        if ids != sorted(ids) or (ids and ids[0] <= self.place.last):
            # No order, or no filter: what is behind the last id cannot be asked for.
            return self._by_pages()
        rows = tuple(told.rows)
        if not self.place.last:
            self.total = told.total
        self.is_over = not rows or (told.total is not None and told.total <= len(rows))
        self.place = replace(self.place, last=ids[-1] if ids else self.place.last)
        return rows, None

    def _take_failure(self, answer: HistoryAnswer, problem: str) -> tuple[tuple[Row, ...], str | None]:
        place = self.place
        if answer.status in _TOO_MUCH and place.limit in _SMALLER:
            self.place = replace(place, limit=_SMALLER[place.limit])
            return (), None
        if answer.status in _REFUSED and not place.page:
            return self._by_pages()
        return (), problem

    def _by_pages(self) -> tuple[tuple[Row, ...], str | None]:
        if self.since:
            return (), REFUSES
        self.place = Place(kind=self.place.kind, limit=self.place.limit, page=1, kept={"kind": "first"})
        return (), None

    def _take_page(self, told: Rows) -> tuple[tuple[Row, ...], str | None]:
        place = self.place
        turn = turn_page(place.kept, [id_of(row) for row in told.rows])
        self.total = told.total if told.total is not None else self.total
        rows = tuple(told.rows[number] for number in turn.fresh)
        if turn.is_over:
            self.is_over = turn.problem is None
            return rows, turn.problem
        is_last = not told.rows or (told.total is not None and place.page * place.limit >= told.total)
        kind = "check" if is_last else "page"
        self.place = replace(place, page=1 if is_last else place.page + 1, kept={**turn.kept, "kind": kind})
        return rows, None
