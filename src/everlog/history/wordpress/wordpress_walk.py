"""Walk over the WordPress REST interface: posts, pages, comments, and at its end what changed meanwhile.

Beside posts and pages a blog may have types of its own, such as recipes: those that are published are walked as pages.

Lists are walked by `offset`, in an order that stays as it is, each request beginning with the last row of the one
before. A row that is deleted meanwhile moves all behind it up by one, and one of them would be missed: where there are
fewer than before, or the last row does not come again, the walk goes back until it does.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Literal

from everlog.core.retry_policy import SERVER_ERRORS, TRY_AGAIN
from everlog.history.answers import count_of, number_at, text_at
from everlog.history.source import NOTHING_TOLD, HistoryAnswer, HistoryRequest, Told
from everlog.history.wordpress.wordpress_changes import RestChanges, newest_request
from everlog.history.wordpress.wordpress_rows import (
    COMMENT_FIELDS,
    PER_PAGE,
    POST_FIELDS,
    SMALLER,
    TOO_MUCH,
    NamedRows,
    Row,
    listed_comment,
    listed_post,
    page_routes,
    request_for,
    rows_told,
)

Phase = Literal["newest", "posts", "types", "pages", "comments", "check", "over"]
_AFTER: Mapping[Phase, Phase] = {
    "newest": "posts", "posts": "types", "types": "pages", "pages": "comments", "comments": "check", "check": "over",
    "over": "over",
}
# How often the walk goes back in one list: each time something was deleted meanwhile.
MOST_STEPS_BACK = 20
_PAST_THE_END = 400


@dataclass(frozen=True, slots=True, kw_only=True)
class _Place:
    """Where a walk stands.

    `last` is the number of the row that was told last: all lists are in the order of these. (By their posts, comments
    would come in no certain order within one.)
    """

    phase: Phase = "newest"
    offset: int = 0
    last: int = 0
    per_page: int = PER_PAGE
    total: int | None = None
    steps_back: int = 0
    # The routes of pages that are still to be walked, the first the one that is.
    routes: tuple[str, ...] = ()

    def next_phase(self) -> _Place:
        if self.phase == "pages" and len(self.routes) > 1:
            return _Place(phase="pages", per_page=self.per_page, routes=self.routes[1:])
        return _Place(phase=_AFTER[self.phase], per_page=self.per_page)

    @property
    def route(self) -> str:
        """The list that is walked."""
        return self.routes[0] if self.phase == "pages" and self.routes else self.phase


@dataclass(slots=True, kw_only=True)
class RestWalk:
    """The walk over a whole blog."""

    root: str
    wants_comments: bool
    place: _Place = field(default_factory=_Place)
    # What was the newest when the walk began.
    start: dict[str, Any] = field(default_factory=dict)
    is_exhaustive: bool = False
    lists_all: bool = False
    # Whether the server wants to be left alone for now: a walk from the cursor asks for the same again.
    is_put_off: bool = False
    _cursor: Mapping[str, Any] = field(default_factory=dict)
    _named: NamedRows = field(default_factory=NamedRows)
    _check: RestChanges | None = None

    @classmethod
    def of(cls, root: str, cursor: Mapping[str, Any] | None, *, wants_comments: bool) -> RestWalk:
        """A walk from the beginning, or from a cursor."""
        walk = cls(root=root, wants_comments=wants_comments)
        if cursor:
            place = cursor["place"]
            walk.place = _Place(**{**place, "routes": tuple(place.get("routes") or ())})
            walk.start, walk._cursor = dict(cursor["start"]), cursor
            walk._named = NamedRows.resumed(cursor.get("names"), cursor.get("wanted"))
        return walk

    @property
    def cursor(self) -> Mapping[str, Any]:
        return self._cursor

    @property
    def mark(self) -> Mapping[str, Any] | None:
        return self._check.mark if self._check is not None and self.is_exhaustive else None

    @property
    def requests_left(self) -> int | None:
        """As many as the total of the list says that is walked."""
        total = self.start.get("total") if self.place.phase in {"newest", "posts"} else self.place.total
        if self.place.phase in {"check", "over"}:
            return 0
        if self.place.phase == "types":
            return 1
        return None if total is None else -(-max(0, total - self.place.offset) // (self.place.per_page - 1))

    def next_request(self) -> HistoryRequest | None:
        """The next request of the list that is walked."""
        place = self.place
        if self.is_put_off or place.phase == "over":
            return None
        if (wanted := self._named.request(self.root)) is not None:
            return wanted
        if place.phase == "newest":
            return newest_request(self.root, 1)
        if place.phase == "check":
            return self._checking().next_request()
        if place.phase == "types":
            return request_for(self.root, "types")
        fields = COMMENT_FIELDS if place.phase == "comments" else POST_FIELDS
        return request_for(
            self.root, place.route, per_page=place.per_page, offset=place.offset, orderby="id", order="asc",
            _fields=fields,
        )

    def take(self, answer: HistoryAnswer) -> Told:
        """Read the answer to the last request. The cursor goes on when all of a page is told."""
        told = self._take(answer)
        stands = self._cursor if self._named.is_waiting else {"start": dict(self.start), "place": asdict(self.place)}
        self._cursor = {**stands, "names": self._named.names.to_keep(), "wanted": self._named.wanted} if stands else {}
        return told

    def _take(self, answer: HistoryAnswer) -> Told:
        if self._named.is_waiting:
            self._named.take(answer)
            return self._tell_named()
        if self.place.phase == "check":
            return self._take_check(answer)
        if self.place.phase == "types":
            self.place = replace(self.place.next_phase(), routes=page_routes(answer))
            self.start["routes"] = {}
            return NOTHING_TOLD
        rows, problem = rows_told(answer)
        if problem is not None:
            return self._take_failure(answer, problem)
        total = count_of(answer.header("X-WP-Total"))
        if self.place.phase == "newest":
            self.start = {
                "modified": text_at(rows[0], "modified_gmt") if rows else "", "total": total,
                "ids": [number_at(row, "id") for row in rows], "comment": 0,
            }
            self.place = self.place.next_phase()
            return Told(total=total)
        return self._take_rows(rows, total)

    def _take_failure(self, answer: HistoryAnswer, problem: str) -> Told:
        place = self.place
        if place.phase != "newest" and answer.status in TOO_MUCH and place.per_page in SMALLER:
            self.place = replace(place, per_page=SMALLER[place.per_page])
            return NOTHING_TOLD
        if place.phase in {"pages", "comments"} and not place.offset:
            # A part of the interface is switched off; the posts were told.
            self._go_on()
            return Told(problem=f"comments: {problem}") if place.phase == "comments" else NOTHING_TOLD
        if answer.status == _PAST_THE_END and place.offset:
            self._go_on()
            return NOTHING_TOLD
        if place.phase != "newest" and (answer.status in TRY_AGAIN or answer.status >= SERVER_ERRORS):
            self.is_put_off = True
            return Told(problem=problem)
        self.place = _Place(phase="over")
        return Told(problem=problem)

    def _take_rows(self, rows: list[Row], total: int | None) -> Told:
        place = self.place
        numbers = [_number_of(row) for row in rows]
        if self._has_gap(numbers, total):
            back = max(0, place.offset - max(1, place.per_page // 4))
            self.place = replace(place, offset=back, total=total, steps_back=place.steps_back + 1)
            return NOTHING_TOLD
        new = [row for row in rows if _number_of(row) > place.last]
        if place.phase == "pages":
            self._note_route(rows, total)
        # One row comes again. A short page is not the end while there are said to be more: what strangers may not see
        # is left out of it.
        self.place = replace(
            place, offset=place.offset + place.per_page - 1, last=max((place.last, *numbers)), total=total,
        )
        is_end = len(rows) < place.per_page if total is None else self.place.offset + 1 >= total
        if is_end:
            self._go_on()
        if place.phase == "comments":
            told = (listed_comment(row, self.root) for row in new)
            self.start["comment"] = max((self.start.get("comment") or 0, *numbers))
            return Told(comments=tuple(each for each in told if each is not None), comments_total=total)
        self._named.wait(new, "page" if place.phase == "pages" else "post", total)
        return self._tell_named()

    def _note_route(self, rows: list[Row], total: int | None) -> None:
        """Note of a list of pages how many there are and when one changed last, for `changes`."""
        routes = self.start.setdefault("routes", {})
        before = routes.get(self.place.route) or {}
        stamps = (text_at(row, "modified_gmt") or "" for row in rows)
        if rows or before:
            routes[self.place.route] = {"total": total, "modified": max((before.get("modified") or "", *stamps))}

    def _has_gap(self, numbers: list[int], total: int | None) -> bool:
        """Whether rows were deleted before the last one that was told, so that those behind it may be missed."""
        place = self.place
        if not place.offset or place.steps_back >= MOST_STEPS_BACK:
            return False
        is_less = total is not None and place.total is not None and total < place.total
        return is_less or (bool(numbers) and min(numbers) > place.last)

    def _tell_named(self) -> Told:
        if self._named.is_waiting:
            return NOTHING_TOLD
        rows, kind, total = self._named.told()
        posts = (listed_post(row, self.root, self._named.names, kind) for row in rows)
        return Told(posts=tuple(post for post in posts if post is not None), total=total if kind == "post" else None)

    def _go_on(self) -> None:
        self.place = self.place.next_phase()
        if self.place.phase == "comments" and not self.wants_comments:
            self.place = self.place.next_phase()

    def _checking(self) -> RestChanges:
        if self._check is None:
            self._check = RestChanges.of(self.root, self.start, wants_comments=False, names=self._named.names)
        return self._check

    def _take_check(self, answer: HistoryAnswer) -> Told:
        told = self._checking().take(answer)
        if self._checking().next_request() is None:
            self.is_exhaustive = self._checking().is_exhaustive
            self.place = _Place(phase="over")
        return told


def _number_of(row: Row) -> int:
    return number_at(row, "id") or 0
