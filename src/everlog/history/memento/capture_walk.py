"""Walk over the captures of a blog in a web archive: which list is asked for next, and what its answer says.

An archive may list a blog's captures in many answers. Each is read and done with before the next is asked for, so that
a walk holds one of them in memory, however long the list is. Where it stands is plain data: a walk that is killed goes
on at the same answer.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import Any

from everlog.core.urls import canonical
from everlog.history.memento.memento_lines import Listing, Memento, read_listing
from everlog.history.memento.web_archive import CaptureQuery, WebArchive
from everlog.history.source import HistoryAnswer, HistoryRequest

# An answer that breaks off is asked for once more: connections to large archives do break.
MOST_TRIES = 2
# The Wayback Machine's first captures are of May 1996.
FIRST_YEAR = 1996
# At 5,000 lines an answer these are half a million captures in answers that have nothing new to say.
MOST_ANSWERS = 2_000


@dataclass(slots=True, kw_only=True)
class CaptureWalk:
    """A walk over the lists of some queries, one behind the other.

    `problems` say why a list may not be all of it, in words for people.
    """

    archive: WebArchive
    queries: list[CaptureQuery]
    last_year: int
    at: int = 0
    resume_key: str | None = None
    answers: int = 0
    problems: list[str] = field(default_factory=list)
    _tries: int = 0
    _keys: set[str] = field(default_factory=set)
    # Captures of the last page that an answer names: those that the next answer has of it belong to them.
    _rest: tuple[Memento, ...] = ()

    @property
    def cursor(self) -> Mapping[str, Any]:
        """Where it stands, as plain data for JSON."""
        return {
            "queries": [[each.url, each.match, each.since, each.until] for each in self.queries[self.at:]],
            "resume_key": self.resume_key, "answers": self.answers, "problems": list(self.problems),
        }

    @classmethod
    def of(
        cls, archive: WebArchive, queries: Sequence[CaptureQuery], *, last_year: int,
        cursor: Mapping[str, Any] | None = None,
    ) -> CaptureWalk:
        """A walk from its beginning, or from where an earlier one stood."""
        if cursor is None:
            return cls(archive=archive, queries=list(queries), last_year=last_year)
        return cls(
            archive=archive, last_year=last_year, resume_key=cursor.get("resume_key"),
            queries=[
                CaptureQuery(url=url, match=match, since=since, until=until)
                for url, match, since, until in cursor.get("queries", ())
            ],
            answers=int(cursor.get("answers") or 0), problems=list(cursor.get("problems") or ()),
        )

    def next_request(self) -> HistoryRequest | None:
        """The next list to ask for; None when there is no further one."""
        if self.at >= len(self.queries):
            return None
        if self.answers >= MOST_ANSWERS:
            self._note(f"its list has more than {MOST_ANSWERS:,} pages")
            return None
        return HistoryRequest(url=self.archive.index_url(self.queries[self.at], self.resume_key))

    def take(self, answer: HistoryAnswer) -> tuple[Memento, ...]:
        """The captures that an answer adds, all of each page together; the walk goes on behind it."""
        self.answers += 1
        listing = read_listing(answer.body) if answer.is_ok else Listing()
        if not answer.is_ok and answer.status != 404:
            self._note(f"its list answers with HTTP {answer.status}")
        if answer.is_ok and not listing.is_whole:
            self._tries += 1
            if self._tries < MOST_TRIES:
                return ()
            self._note("its list breaks off")
        self._tries = 0
        self._add_further(listing)
        captures = (*self._rest, *listing.mementos)
        self._rest = ()
        if self._goes_on(listing):
            # What an answer ends with may go on in the next.
            last = canonical(captures[-1].url) if captures else None
            cut = len(captures)
            while cut and canonical(captures[cut - 1].url) == last:
                cut -= 1
            if cut:
                captures, self._rest = captures[:cut], captures[cut:]
        return captures

    def split(self, reason: str) -> None:
        """The last request had no answer, as it would be too large: ask for both halves of its years instead."""
        query = self.queries[self.at]
        first, last = int(query.since or FIRST_YEAR), int(query.until or self.last_year)
        if first >= last or not self.archive.lists_folders:
            self._note(f"its list for {first if first >= last else query.url} could not be had: {reason}")
            self._next_query()
            return
        middle = (first + last) // 2
        self.resume_key = None
        self.queries[self.at : self.at + 1] = [
            replace(query, since=str(first), until=str(middle)),
            replace(query, since=str(middle + 1), until=str(last)),
        ]

    def _goes_on(self, listing: Listing) -> bool:
        """Whether the same query has a further answer, which the walk stands at from here on."""
        key = listing.resume_key
        if key is None:
            self._next_query()
            return False
        if key in self._keys or not listing.mementos:
            # A key that was there before leads in a circle, one behind nothing leads nowhere.
            self._note("its list repeats itself")
            self._next_query()
            return False
        self._keys.add(key)
        self.resume_key = key
        return True

    def _next_query(self) -> None:
        self.at += 1
        self.resume_key = None
        self._keys.clear()

    def _add_further(self, listing: Listing) -> None:
        """TimeMaps that a TimeMap names: they are asked for as they are called, each once."""
        if self.archive.kind != "timemap":
            return
        known = {each.url for each in self.queries}
        for address in listing.further:
            below = address.removeprefix(self.archive.index)
            if below != address and below not in known and len(self.queries) < MOST_ANSWERS:
                self.queries.insert(self.at + 1, CaptureQuery(url=below))
                known.add(below)

    def _note(self, problem: str) -> None:
        if problem not in self.problems:
            self.problems.append(problem)


def by_page(captures: Sequence[Memento]) -> Iterator[tuple[str, tuple[Memento, ...]]]:
    """The captures of each page with its key: http and https, with www and without, are the same page."""
    for key, group in groupby(captures, key=lambda each: canonical(each.url)):
        yield key, tuple(group)
