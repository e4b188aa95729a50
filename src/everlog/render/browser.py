"""The browser as the rest of the program sees it: pages go in, documents come out, whatever happens between."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Self

from everlog.core.retry_policy import RENDER_TRIES
from everlog.render.chromium import Chromium
from everlog.render.devtools_session import Lost, Refused
from everlog.render.render_options import Fetch, RenderFailed, RenderOptions
from everlog.render.response_cache import ResponseCache

if TYPE_CHECKING:
    from collections.abc import Coroutine, Sequence
    from types import TracebackType

    from everlog.comments.services import Service
    from everlog.records import Page, Rendered
    from everlog.render.tab import Tab


class Browser:
    """Renders pages, several at once, in Chromium. It starts with the first page and is replaced in good time.

        async with Browser(RenderOptions()) as browser:
            rendered = await browser.render(page, fetch=fetch)
    """

    def __init__(self, options: RenderOptions | None = None) -> None:
        self._options = options or RenderOptions()
        self._turns = asyncio.Semaphore(self._options.tabs)
        self._start: asyncio.Task[None] | None = None
        self._chromium: Chromium | None = None
        self._retired: set[Chromium] = set()
        self._chores: set[asyncio.Task[None]] = set()
        self._cache = ResponseCache()
        self._is_closed = False

    @property
    def is_starting(self) -> bool:
        """Whether Chromium is on its way."""
        return self._start is not None and not self._start.done()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._is_closed = True
        while self._chores or self._chromium is not None or self._retired:
            if self._chromium is not None:
                self._retire(self._chromium)
            for chromium in list(self._retired):
                self._end(chromium)
            await asyncio.gather(*self._chores, return_exceptions=True)

    async def render(
        self, page: Page, *, fetch: Fetch, services: Sequence[Service] = (), screenshot: bool = False
    ) -> Rendered:
        """What the browser makes of a page; all it asks for comes from `fetch`.

        Raises `RenderFailed` for a page that cannot be shown, also not in a new browser, and
        `NoBrowser` where there is none.
        """
        async with self._turns:
            for _ in range(RENDER_TRIES):
                try:
                    return await self._tried(page, fetch=fetch, services=services, screenshot=screenshot)
                except Lost as error:
                    reason = str(error)
        raise RenderFailed(page.url, f"the browser crashed twice on this page ({reason})")

    async def processes(self) -> tuple[tuple[str, int], ...]:
        """Kind ("browser", "renderer", ...) and number of each process of Chromium that runs now."""
        found: list[tuple[str, int]] = []
        for chromium in (self._chromium, *self._retired):
            if chromium is not None:
                with suppress(Lost):
                    found += await chromium.processes()
        return tuple(found)

    async def _tried(
        self, page: Page, *, fetch: Fetch, services: Sequence[Service], screenshot: bool
    ) -> Rendered:
        chromium = await self._running(page)
        try:
            return await self._render(chromium, page, fetch=fetch, services=services, screenshot=screenshot)
        except Lost:
            self._retire(chromium)
            raise
        finally:
            chromium.in_use -= 1
            self._end_if_unused(chromium)

    async def _render(
        self, chromium: Chromium, page: Page, *, fetch: Fetch, services: Sequence[Service], screenshot: bool
    ) -> Rendered:
        tab = await chromium.take(page.url)
        is_fine = False
        try:
            rendered = await tab.render(
                page, fetch=fetch, services=services, screenshot=screenshot, options=self._options, cache=self._cache
            )
            is_fine = True
            return rendered
        finally:
            await self._see_to(self._put_away(chromium, tab, is_fine=is_fine))

    async def _put_away(self, chromium: Chromium, tab: Tab, *, is_fine: bool) -> None:
        if is_fine:
            try:
                await chromium.give_back(tab)
            except (Lost, Refused):
                is_fine = False
        if not is_fine:
            await chromium.drop(tab)

    async def _running(self, page: Page) -> Chromium:
        """The browser of the day; its use is counted before anybody else can end it."""
        while not self._is_closed:
            if self._chromium is not None and self._chromium.is_spent:
                self._retire(self._chromium)
            if self._chromium is not None:
                self._chromium.pages_left -= 1
                self._chromium.in_use += 1
                return self._chromium
            if self._start is None or self._start.done():
                self._start = self._chore(self._begin())
            # Whoever waits for it may be cancelled; it starts for all.
            await asyncio.shield(self._start)
        raise RenderFailed(page.url, "the browser was closed")

    async def _begin(self) -> None:
        self._chromium = await Chromium.start(self._options)

    def _retire(self, chromium: Chromium) -> None:
        """Give it no more pages; those under way come to their end in it."""
        if self._chromium is chromium:
            self._chromium = None
            self._retired.add(chromium)
            self._end_if_unused(chromium)

    def _end_if_unused(self, chromium: Chromium) -> None:
        if chromium in self._retired and not chromium.in_use:
            self._end(chromium)

    def _end(self, chromium: Chromium) -> None:
        self._retired.discard(chromium)
        self._chore(chromium.close())

    async def _see_to(self, work: Coroutine[Any, Any, None]) -> None:
        """Do it to its end, also when the page was cancelled meanwhile."""
        await asyncio.shield(self._chore(work))

    def _chore(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        chore = asyncio.ensure_future(work)
        self._chores.add(chore)
        chore.add_done_callback(self._chores.discard)
        return chore
