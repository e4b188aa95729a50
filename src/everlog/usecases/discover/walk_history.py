"""The walk over a history source: its requests are made, one behind the other, and what they tell is gathered."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from everlog.history import HistoryAnswer, HistoryRequest, HistoryWalk, Told
from everlog.records import Failure, Fetched

if TYPE_CHECKING:
    from everlog.core.fetcher import Fetcher
    from everlog.feeds.sitemaps import Sitemap


@dataclass(frozen=True, slots=True, kw_only=True)
class WalkedHistory:
    """What a source told, answer by answer; `answers` are those that told something, for the archive."""

    told: tuple[Told, ...] = ()
    answers: tuple[Fetched, ...] = ()

    @property
    def addresses(self) -> list[str]:
        """The addresses of posts and pages that were named, each once, in their order."""
        return list(dict.fromkeys(post.url for told in self.told for post in told.posts))


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadMap:
    """A map of a site as it was answered, and what it lists: read once, for all who want to know."""

    answer: Fetched
    sitemap: Sitemap


async def walk_history(walk: HistoryWalk, fetcher: Fetcher) -> WalkedHistory:
    """Make the requests of a walk until it has no further one."""
    gathered: list[Told] = []
    answers: list[Fetched] = []
    while (request := walk.next_request()) is not None:
        answer = await ask(request, fetcher)
        told = walk.take(history_answer(answer))
        gathered.append(told)
        if not isinstance(answer, Failure) and (told.posts or told.problem is None):
            answers.append(answer)
    return WalkedHistory(told=tuple(gathered), answers=tuple(answers))


async def ask(request: HistoryRequest, fetcher: Fetcher) -> Fetched | Failure:
    """The answer to a request of a walk."""
    return await fetcher.fetch(
        request.url, purpose=request.purpose, etag=request.etag, last_modified=request.last_modified,
    )


def history_answer(answer: Fetched | Failure) -> HistoryAnswer:
    """What a walk is told of an answer: that of a failure too, where there was one; else its status is 0."""
    if isinstance(answer, Failure) and not answer.exchanges:
        return HistoryAnswer(url=answer.url, status=answer.status or 0)
    last = answer.exchanges[-1]
    return HistoryAnswer(url=last.url, status=last.status, body=last.body, headers=last.headers)

