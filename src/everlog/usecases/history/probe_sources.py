"""Probe of a blog's history sources: which are there, what they count, and how many requests they would need."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from everlog.history import SOURCES, BlogClues
from everlog.records import Failure
from everlog.usecases.discover.walk_history import ask, history_answer
from everlog.usecases.history.walk_sources import why_unused

if TYPE_CHECKING:
    from everlog.core.fetcher import Fetcher

# A source that counts its posts says so in its first answer, or in the second.
MOST_ASKED = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundSource:
    """A history source of a blog: what shows that it is there, and what its first answer says.

    `requests` are about how many would tell all of it; None: it does not say. `problem` is why it cannot be used.
    """

    name: str
    evidence: str
    total: int | None = None
    requests: int | None = None
    problem: str | None = None


async def probe_sources(clues: BlogClues, fetcher: Fetcher) -> tuple[FoundSource, ...]:
    """The sources that a blog shows signs of, up to the first that counts its posts."""
    found: list[FoundSource] = []
    for source in SOURCES:
        entrance = source.entrance(clues) if source.grade != "C" else None
        if entrance is None:
            continue
        walk = source.walk(entrance.url)
        total, problem, is_there, asked = None, None, False, 0
        while total is None and problem is None and asked < MOST_ASKED and (request := walk.next_request()) is not None:
            asked += 1
            answer = await ask(request, fetcher)
            if isinstance(answer, Failure) and not answer.exchanges:
                problem = why_unused(answer)
                break
            told = walk.take(history_answer(answer))
            total, problem = told.total, told.problem
            is_there = is_there or bool(told.posts) or total is not None
        if is_there or entrance.is_sure:
            left = walk.requests_left
            found.append(FoundSource(
                name=source.name, evidence=entrance.evidence, total=total, problem=problem if not is_there else None,
                requests=asked + left if left is not None else None,
            ))
        if is_there and source.grade == "A":
            break
    return tuple(found)
