"""Client of a web archive: its requests, as many as are allowed, until somebody stops it.

    ArchiveClient    asks: which interface it has, what it lists, what it captured
    Halt             why it asks no more, for now
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from everlog.core.politeness import utc_time
from everlog.core.retry_policy import PASSING
from everlog.core.urls import canonical
from everlog.errors import UsageError
from everlog.history.memento.capture_choice import pages_of
from everlog.history.memento.capture_walk import CaptureWalk
from everlog.history.memento.memento_answer import original_of
from everlog.history.memento.web_archive import CaptureQuery, WebArchive, is_index, possible_archives
from everlog.records import Exchange, Failure, Fetched
from everlog.usecases.discover.walk_history import history_answer

if TYPE_CHECKING:
    from datetime import datetime

    from everlog.core.fetcher import Fetcher
    from everlog.history.memento.memento_lines import Memento
    from everlog.records import Purpose
    from everlog.usecases.crawl.crawl_context import CrawlRun
    from everlog.usecases.crawl.report import Ending

# How often in a row an archive may say that it is asked too much, or nothing at all: the throttle waits in between, at
# least 5, 10 and 20 seconds. The Internet Archive shuts out for an hour who goes on asking for a minute.
MOST_REFUSALS = 3
# What is too large to be listed in one answer, or takes too long, is asked for by years.
TOO_MUCH = frozenset({"too-large", "timeout", "truncated"})


class Halt(Exception):
    """No more is asked for in this run, and why: what was taken is stored, and the next run goes on."""

    def __init__(self, ending: Ending, reason: str) -> None:
        super().__init__(reason)
        self.ending: Ending = ending
        self.reason = reason


@dataclass(slots=True, kw_only=True)
class ArchiveClient:
    """A web archive as one run asks it. `name` is its host, for people."""

    given: str
    fetcher: Fetcher
    run: CrawlRun
    archive: WebArchive = field(init=False)
    requests: int = 0
    _refusals: int = 0
    _deadline: datetime | None = None
    _stopped: asyncio.Event = field(default_factory=asyncio.Event)

    def __post_init__(self) -> None:
        limit = self.run.settings.max_time
        left = None if limit is None else max(0.0, limit - self.run.tally.seconds)
        self._deadline = None if left is None else self.run.now() + timedelta(seconds=left)

    @property
    def name(self) -> str:
        return urlsplit(self.given).netloc

    def interrupt(self) -> None:
        """Ask for nothing more; what is under way is not waited for."""
        self._stopped.set()

    wind_down = interrupt

    async def recognise(self, home: str) -> WebArchive:
        """Find out which interface the archive has, by asking it for the blog's home; UsageError if none."""
        said: list[str] = []
        for each in possible_archives(self.given):
            # A CDX interface tells by a line what it is.
            url = each.index_url(CaptureQuery(url=home), limit=1)
            answer = await self.ask(url, "api")
            if is_index(each, history_answer(answer)):
                self.archive = each
                return each
            what = "something else"
            if isinstance(answer, Failure):
                what = f"HTTP {answer.status}" if answer.status is not None else answer.reason
            said.append(f"\n  requested {url.partition('?')[0]}: {what}")
        raise UsageError(
            f"{self.given} is not a web archive with CDX or TimeMaps{''.join(said)}",
            advice="pass the address of a Wayback Machine or of a collection of pywb, as in\n"
                   "  --from-wayback https://web.archive.org   or   --from-wayback http://localhost:8080/COLLECTION",
        )

    async def listed(self, walk: CaptureWalk) -> tuple[Memento, ...] | None:
        """The next captures of a walk; None at its end."""
        while (request := walk.next_request()) is not None:
            answer = await self.ask(request.url, request.purpose)
            if isinstance(answer, Failure) and answer.trouble in TOO_MUCH:
                walk.split(answer.reason)
                continue
            captures = walk.take(history_answer(answer))
            if captures:
                return captures
        return None

    async def captures_of(self, url: str) -> tuple[Memento, ...]:
        """All captures of one address."""
        walk = CaptureWalk.of(self.archive, [CaptureQuery(url=url)], last_year=self.run.now().year)
        found: list[Memento] = []
        while (captures := await self.listed(walk)) is not None:
            found += captures
        return tuple(each for each in found if canonical(each.url) == canonical(url))

    async def capture(self, memento: Memento, *, purpose: Purpose = "page") -> Exchange | str:
        """A capture as the blog's server answered then; or why it cannot be had."""
        raw = self.archive.raw_url(memento.stamp, memento.url)
        address = self.archive.with_raw(memento.address) if memento.address is not None else raw
        answer = await self.ask(address, purpose)
        return answer.reason if isinstance(answer, Failure) else original_of(answer, memento.url, stamp=memento.stamp)

    async def nearest(self, url: str, moment: datetime, *, purpose: Purpose = "page") -> Exchange | str:
        """The capture of an address that is nearest to a moment, in one request where the archive can do that."""
        if self.archive.kind != "timemap":
            answer = await self.ask(self.archive.raw_url(f"{moment:%Y%m%d%H%M%S}", url), purpose)
            return answer.reason if isinstance(answer, Failure) else original_of(answer, url)
        captures = await self.captures_of(url)
        if not captures:
            return "the archive has no capture of it"
        return await self.capture(min(captures, key=lambda each: abs(each.captured_at - moment)), purpose=purpose)

    async def newest_good(self, url: str, *, purpose: Purpose) -> Exchange | str:
        """The newest capture of an address that was a good answer."""
        captures = [each for each in await self.captures_of(url) if each.status in {200, None}]
        if purpose == "page":
            captures = list(pages_of(captures))
        if not captures:
            return "the archive has no capture of it"
        return await self.capture(max(captures, key=lambda each: each.stamp), purpose=purpose)

    async def ask(self, url: str, purpose: Purpose) -> Fetched | Failure:
        """One request, again where the archive wants patience; Halt where it wants more of it than there is."""
        while True:
            self._heed_limits()
            self.requests += 1
            self.run.tally.requests += 1
            answer = await self._unless_stopped(url, purpose)
            if not isinstance(answer, Failure) or not _is_refusal(answer):
                self._refusals = 0
                return answer
            self._refusals += 1
            if self._refusals >= MOST_REFUSALS or _is_unsent(answer):
                raise Halt("blocked", self._why(answer))

    def _heed_limits(self) -> None:
        settings = self.run.settings
        if self._stopped.is_set() or self.run.stop.interrupted:
            raise Halt("interrupted", "interrupted; run the same command to continue")
        if self.requests >= settings.wayback_requests:
            raise Halt("limit", f"stopped after {self.requests:,} requests to {self.name} (wayback_requests)")
        if self._deadline is not None and self.run.now() >= self._deadline:
            raise Halt("limit", f"stopped at the time limit of {settings.max_time:g} seconds")

    async def _unless_stopped(self, url: str, purpose: Purpose) -> Fetched | Failure:
        asked: asyncio.Future[Any] = asyncio.ensure_future(self.fetcher.fetch(url, purpose=purpose))
        stopped: asyncio.Future[Any] = asyncio.ensure_future(self._stopped.wait())
        try:
            await asyncio.wait({asked, stopped}, return_when=asyncio.FIRST_COMPLETED)
            if asked.done():
                answer: Fetched | Failure = asked.result()
                return answer
            raise Halt("interrupted", "interrupted; run the same command to continue")
        finally:
            for task in (asked, stopped):
                task.cancel()
            await asyncio.gather(asked, stopped, return_exceptions=True)

    def _why(self, failure: Failure) -> str:
        if failure.trouble == "rate-limited":
            until = f", retry after {utc_time(failure.until, self.run.now())}" if failure.until is not None else ""
            return f"{self.name} asked us to wait{until}"
        return f"{self.name} is not reachable: {failure.reason}"


def _is_refusal(failure: Failure) -> bool:
    """Whether the archive, or the way to it, has no answer just now, for this address or any other."""
    return failure.trouble == "rate-limited" or (failure.trouble in PASSING and failure.trouble not in TOO_MUCH)


def _is_unsent(failure: Failure) -> bool:
    """Whether nothing was asked, as the archive wants to be left alone for longer than anybody waits."""
    return failure.trouble == "rate-limited" and failure.status is None
