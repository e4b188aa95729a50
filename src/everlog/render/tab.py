"""One tab of the browser: pages of one site are rendered in it, one after the other."""

from __future__ import annotations

import asyncio
import secrets
from contextlib import suppress
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from everlog.records import Page, Rendered
from everlog.render.devtools_session import Answer, DevToolsSession, Lost, Refused, or_lost
from everlog.render.frames import Frames, Stuck
from everlog.render.render_options import Fetch, RenderFailed, RenderOptions
from everlog.render.routing import Desk, Router, Traffic
from everlog.render.screenshot import pictured
from everlog.render.scripts import script
from everlog.render.serialize import written
from everlog.render.settling import Scene
from everlog.render.show_more import Clicker

if TYPE_CHECKING:
    from collections.abc import Sequence

    from playwright.async_api import Browser as Chrome
    from playwright.async_api import BrowserContext

    from everlog.comments.services import Service
    from everlog.render.response_cache import ResponseCache

# For writing the page down once its time is over.
FINISH_SECONDS = 60.0
# Of its time, for its first rest: a page that never rests shall still show its comments.
_FIRST_SHARE = 0.4
# How often a page whose scripts do not pause is interrupted before it is given up.
_INTERRUPTIONS = 3
# Chromium throws old documents away when it needs room. Over 200 pages a tab's process grew from 95 to 180 MB
# without this, and stayed below 110 MB with it.
_PAGES_BETWEEN_SWEEPS = 20
_NAVIGATE_SECONDS = 15.0
_STORES = "indexeddb,local_storage,cache_storage,file_systems,shared_storage,storage_buckets,websql"


class Tab:
    """A context of the browser with one page in it. What a page stored is gone before the next one comes."""

    def __init__(
        self, context: BrowserContext, session: DevToolsSession, frames: Frames, desk: Desk, router: Router,
    ) -> None:
        self.site: str | None = None
        self._pages = 0
        self.lost: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._context = context
        self._session = session
        self._frames = frames
        self._desk = desk
        self._router = router

    @classmethod
    async def open(cls, chrome: Chrome, router: Router, user_agent: str) -> Tab:
        """A fresh tab, which shares nothing with the others. Raises `Lost` when the browser is gone."""
        with or_lost():
            context = await chrome.new_context(no_viewport=True, accept_downloads=False, user_agent=user_agent)
            page = await context.new_page()
            session = DevToolsSession(await context.new_cdp_session(page))
        about = await session.send("Target.getTargetInfo")
        desk = Desk(about["targetInfo"]["targetId"])
        frames = Frames(session, desk, router)
        tab = cls(context, session, frames, desk, router)
        page.on("crash", lambda _: tab.lose("the tab crashed"))
        page.on("close", lambda _: tab.lose("the tab closed"))
        context.on("page", _close)
        session.on("Network.requestWillBeSent", tab.sent)
        session.on("Network.loadingFinished", tab.taken)
        session.on("Network.loadingFailed", tab.taken)
        # What was answered is not looked at again, so it need not be kept.
        await session.send("Network.enable", maxTotalBufferSize=0, maxResourceBufferSize=0)
        await session.send("Page.enable")
        await session.send("DOM.enable")
        await session.send("Page.addScriptToEvaluateOnNewDocument", source=script("guard"))
        return tab

    def sent(self, event: Answer) -> None:
        if self._desk.traffic is not None:
            self._desk.traffic.pending.sent(event)

    def taken(self, event: Answer) -> None:
        if self._desk.traffic is not None:
            self._desk.traffic.pending.taken(event)

    def lose(self, reason: str) -> None:
        if not self.lost.done():
            self.lost.set_exception(Lost(reason))
            self.lost.exception()

    async def render(
        self, page: Page, *,
        fetch: Fetch, services: Sequence[Service], screenshot: bool, options: RenderOptions, cache: ResponseCache,
    ) -> Rendered:
        """Show a page and write down what it became. Raises `Lost` when the tab does not live that long."""
        traffic = Traffic(
            page, main_frame=self._desk.main_frame, fetch=fetch, cache=cache, pictures=screenshot,
        )
        self._desk.traffic = traffic
        self.site = site_of(page.url)
        work = asyncio.ensure_future(self._render(traffic, services, screenshot=screenshot, options=options))
        try:
            endings: tuple[asyncio.Future[Any], ...] = (traffic.broken, work, self.lost)
            await asyncio.wait(
                endings,
                timeout=options.page_seconds + FINISH_SECONDS,
                return_when=asyncio.FIRST_COMPLETED,
            )
            for ending in endings:
                if ending.done():
                    ending.result()
            if not work.done():
                raise RenderFailed(page.url, "rendering timed out")
            return work.result()
        finally:
            work.cancel()
            self._desk.traffic = None
            traffic.close()
            await asyncio.gather(work, return_exceptions=True)

    async def clean(self) -> None:
        """Leave the last page, so that nothing of it runs, and forget what it stored."""
        calls = (self._frames.run(frame, "everlog.forget") for frame in self._frames.all())
        answers = await asyncio.gather(*calls, return_exceptions=True)
        if any(isinstance(answer, Stuck) for answer in answers):
            raise Lost("the page cannot be left (its scripts block the tab)")
        await self._leave()
        for origin in {answer for answer in answers if isinstance(answer, str) and answer != "null"}:
            await self._session.send("Storage.clearDataForOrigin", origin=origin, storageTypes=_STORES)
        await self._session.send("Network.clearBrowserCookies")
        self._pages += 1
        if self._pages % _PAGES_BETWEEN_SWEEPS == 0:
            await self._session.send("HeapProfiler.collectGarbage")

    async def _leave(self) -> None:
        """Go where there is nothing, and wait until all that the page asked for on its way out has come up to us.

        A page asks at its end, and its workers a little later; how long that takes to come here nobody says. So the
        empty page asks too, for what only we know, on both ways there are: what was asked before it comes before it.
        """
        await self._send("Page.navigate", url="about:blank")
        try:
            async with asyncio.timeout(_NAVIGATE_SECONDS):
                await self._desk.alone()
                marks = [f"https://{secrets.token_hex(16)}.invalid/" for _ in range(2)]
                arrived = [self._router.expect(mark) for mark in marks]
                asking = (
                    f"void fetch('{mark}', {{mode: 'no-cors', keepalive: {stays}}}).catch(() => 0)"
                    for mark, stays in zip(marks, ("false", "true"), strict=True)
                )
                await self._session.send("Runtime.evaluate", expression="; ".join(asking))
                await asyncio.gather(*arrived)
        except TimeoutError:
            raise Lost("the page cannot be left (its scripts block the tab)") from None

    async def close(self) -> None:
        self.lose("the tab closed")
        self._router.release(self._desk.frames)
        with or_lost():
            await self._context.close()

    async def _render(
        self, traffic: Traffic, services: Sequence[Service], *, screenshot: bool, options: RenderOptions
    ) -> Rendered:
        loop = asyncio.get_running_loop()
        began = loop.time()
        page = traffic.page
        await self._navigate(page.url)
        until = loop.time() + options.page_seconds
        scene = Scene(self._frames, traffic.pending, until=until, max_letters=options.max_bytes)
        clicker = Clicker(scene, services, options.max_clicks)
        self._frames.until = scene.until
        try:
            await scene.settle(longest_seconds=options.page_seconds * _FIRST_SHARE)
            settled = await clicker.show_all() and await scene.settle() and scene.is_whole
        except Stuck:
            settled = False
        self._frames.until = None
        rendered_at = datetime.now(UTC)
        body, is_cut = await self._written(page, options, settled=settled)
        picture = await pictured(self._session, scene) if screenshot else None
        return Rendered(
            url=page.url, body=body, screenshot=picture, settled=settled and not is_cut, clicks=clicker.clicks,
            requests=traffic.requests, seconds=loop.time() - began, rendered_at=rendered_at,
        )

    async def _navigate(self, url: str) -> None:
        if not url.startswith(("http://", "https://")):
            raise RenderFailed(url, "not an http or https address")
        self._frames.leave()
        try:
            answer = await self._send("Page.navigate", url=url)
        except Refused as error:
            raise RenderFailed(url, f"the browser rejected the address ({error})") from None
        if answer.get("errorText"):
            raise RenderFailed(url, f"the browser could not load it ({answer['errorText']})")

    async def _send(self, command: str, **parameters: Any) -> Answer:
        """Send what waits for the page, which may not let go."""
        try:
            async with asyncio.timeout(_NAVIGATE_SECONDS):
                return await self._session.send(command, **parameters)
        except TimeoutError:
            raise Lost("the page cannot be left (its scripts block the tab)") from None

    async def _written(self, page: Page, options: RenderOptions, *, settled: bool) -> tuple[bytes, bool]:
        for _ in range(_INTERRUPTIONS):
            try:
                return await written(self._frames, max_bytes=options.max_bytes, settled=settled)
            except Stuck:
                settled = False
            except Refused as error:
                raise RenderFailed(page.url, f"the rendered page cannot be read ({error})") from None
        raise RenderFailed(page.url, "scripts never stop running")


def site_of(url: str) -> str:
    """What two pages must share to be rendered in the same tab."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"


async def _close(popup: object) -> None:
    from playwright.async_api import Error, Page  # noqa: PLC0415 - an extra, and there when this runs

    if isinstance(popup, Page):
        with suppress(Error):
            await popup.close()
