"""The walk over a history source: its requests are made, in order and each once, and what they tell is gathered."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING

from everlog.records import Failure

if TYPE_CHECKING:
    from everlog.core.fetcher import Fetcher
    from everlog.history import BlogClues, HistoryPage, HistorySource
    from everlog.records import Fetched


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryWalk:
    """What a source told, answer by answer; `answers` are for the archive."""

    pages: tuple[HistoryPage, ...] = ()
    answers: tuple[Fetched, ...] = ()

    @property
    def addresses(self) -> list[str]:
        """The addresses of posts and pages that were named, each once, in their order."""
        return list(dict.fromkeys(post.url for page in self.pages for post in page.posts))


async def walk_history(source: HistorySource, clues: BlogClues, fetcher: Fetcher) -> HistoryWalk:
    """Ask a source for all it tells. An answer that cannot be had is left out; the walk goes on without it."""
    waiting = deque(source.first_requests(clues))
    asked: set[str] = set()
    pages: list[HistoryPage] = []
    answers: list[Fetched] = []
    while waiting and len(asked) < source.most_requests:
        request = waiting.popleft()
        if request.url in asked:
            continue
        asked.add(request.url)
        answer = await fetcher.fetch(request.url, purpose=request.purpose)
        if isinstance(answer, Failure):
            continue
        page = source.read(answer.answer.body, answer.answer.url)
        if page is None:
            continue
        answers.append(answer)
        pages.append(page)
        waiting += page.more
    return HistoryWalk(pages=tuple(pages), answers=tuple(answers))
