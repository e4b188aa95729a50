"""Walk along the pages of one list, one behind the other: what most sources have in common.

A source says where it stands (`place`, plain data), which address that is, and what an answer tells: `PageWalk` adds
what can go wrong on the way. A page that repeats what the one before it named ends the walk, as does a place that was
asked for before, or too many requests: none of these is a definite end. A walk that is made anew after every request
sees that too: its cursor holds how often it asked, and one place of those behind it (Brent's way of finding cycles).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol, Self

from everlog.core.retry_policy import SERVER_ERRORS, TRY_AGAIN
from everlog.history.source import NOTHING_TOLD, HistoryAnswer, HistoryRequest, Told


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """What an answer means for a walk: what it tells, and the place to go on at.

    Without a next place the walk is over; `is_end` then says that this is where the list ends. `is_put_off` ends it for
    now: a walk that is made from its cursor asks at the next place. `is_partial` says that not all of the list was
    told: it is what it was before, or claims to be longer. `notes` are kept with those that the walk has.
    """

    told: Told = NOTHING_TOLD
    next_place: Any = None
    is_end: bool = False
    is_put_off: bool = False
    is_partial: bool = False
    requests_left: int | None = None
    notes: Mapping[str, Any] = field(default_factory=dict)


def failed_step(answer: HistoryAnswer, place: Any, *, what: str = "the feed", wanted: str = "feed") -> Step:
    """What an answer means that tells nothing: to ask there again another time, or that the list is not to be had."""
    if answer.status in TRY_AGAIN or answer.status >= SERVER_ERRORS:
        problem = f"{what} answers with HTTP {answer.status} just now"
        return Step(told=Told(problem=problem), next_place=place, is_put_off=True)
    if not answer.status:
        return Step(told=Told(problem=f"{what} does not answer"))
    said = f"HTTP {answer.status}" if not answer.is_ok else f"something that is no {wanted}"
    return Step(told=Told(problem=f"{what} answers with {said}"))


class PageReader(Protocol):
    """A source's own part in a walk: pure functions of a place and an answer."""

    def request(self, place: Any) -> HistoryRequest:
        """What to ask for at a place."""
        ...

    def read(self, answer: HistoryAnswer, place: Any) -> Step:
        """What the answer at a place says."""
        ...


@dataclass(slots=True, kw_only=True)
class PageWalk:
    """A `HistoryWalk` from place to place.

    `notes` keep what `note` finds worth keeping of each answer, as plain data: when it is over, they are its mark.
    """

    reader: PageReader
    place: Any
    most_requests: int
    lists_all: bool = False
    is_exhaustive: bool = False
    requests_left: int | None = None
    notes: dict[str, Any] = field(default_factory=dict)
    note: Callable[[dict[str, Any], Told], None] | None = None
    _asked: int = 0
    _named_before: tuple[str, ...] = ()
    _places: set[str] = field(default_factory=set)
    _anchor: str | None = None
    is_put_off: bool = False

    @classmethod
    def of(
        cls, reader: PageReader, cursor: Mapping[str, Any] | None, *, place: Any, most_requests: int,
        lists_all: bool = False, note: Callable[[dict[str, Any], Told], None] | None = None,
    ) -> Self:
        """A walk from its first place, or from where an earlier one stood."""
        at = cursor if cursor is not None else {"place": place}
        return cls(
            reader=reader, place=at.get("place"), most_requests=most_requests, lists_all=lists_all, note=note,
            notes=dict(at.get("notes") or {}), is_exhaustive=bool(at.get("is_end")), _asked=int(at.get("asked") or 0),
            _anchor=at.get("anchor"),
        )

    @property
    def cursor(self) -> Mapping[str, Any]:
        return {
            "place": self.place, "notes": dict(self.notes), "asked": self._asked, "anchor": self._anchor,
            "is_end": self.is_exhaustive,
        }

    @property
    def mark(self) -> Mapping[str, Any] | None:
        return dict(self.notes) if self.is_exhaustive else None

    def next_request(self) -> HistoryRequest | None:
        """The request at the place where the walk stands."""
        if self.place is None or self.is_put_off or self._asked >= self.most_requests:
            return None
        return self.reader.request(self.place)

    def take(self, answer: HistoryAnswer) -> Told:
        """Read an answer and go on, unless it says what was said before."""
        self._asked += 1
        here = repr(self.place)
        step = self.reader.read(answer, self.place)
        named = tuple(post.id or post.url for post in step.told.posts) + tuple(
            each.comment.id or each.comment.text for each in step.told.comments
        )
        if here in self._places or here == self._anchor or (named and named == self._named_before):
            self.place, self.requests_left, self.lists_all = None, 0, False
            return NOTHING_TOLD
        self.notes.update(step.notes)
        if self.note is not None:
            self.note(self.notes, step.told)
        self.place, self.requests_left = step.next_place, step.requests_left if step.next_place is not None else 0
        self.is_put_off = step.is_put_off
        self.is_exhaustive = step.next_place is None and step.is_end
        is_cut_short = self.place is None and not self.is_exhaustive
        self.lists_all = self.lists_all and not (step.is_partial or is_cut_short)
        if not step.is_put_off:
            self._pass_by(here, named)
        return step.told

    def _pass_by(self, here: str, named: tuple[str, ...]) -> None:
        self._places.add(here)
        self._named_before = named or self._named_before
        if self._asked & (self._asked - 1) == 0:
            self._anchor = here
