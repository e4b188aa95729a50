"""A running Chromium: how it is started, what it may not do, and its tabs."""

from __future__ import annotations

import asyncio
import os
import signal
from contextlib import suppress
from typing import TYPE_CHECKING

from everlog.errors import NoBrowser
from everlog.render.devtools_session import DevToolsSession, Lost, or_lost
from everlog.render.find_chromium import find_chromium, how_to_get_a_browser, not_started
from everlog.render.routing import Router
from everlog.render.scratch import Scratch
from everlog.render.tab import Tab, site_of

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from playwright.async_api import Browser as Chrome
    from playwright.async_api import Playwright

    from everlog.render.render_options import RenderOptions

START_SECONDS = 60.0
CLOSE_SECONDS = 10.0

_FEATURES_OFF = (
    # Frames of other sites stay in the page's process: a third of the processes, and all documents in one tree.
    "IsolateOrigins", "site-per-process", "IsolateSandboxedIframes",
    # As in Playwright's own list, which ours takes the place of.
    "AvoidCorsURLLoaderRestartOnRedirect", "AvoidUnnecessaryBeforeUnloadCheckSync", "DestroyProfileOnBrowserClose",
    "HttpsFirstBalancedModeAutoEnable", "HttpsUpgrades", "LensOverlay", "MediaRouter", "NetworkTimeServiceQuerying",
    "OptimizationHints", "PaintHolding", "PreconnectToSearch", "ThirdPartyStoragePartitioning", "Translate",
    # Pages opened before anybody asked for them, and parts of the window nobody sees.
    "Prerender2", "SpeculationRulesPrefetchFuture", "WebUIOmniboxAimPopup", "WebUIOmniboxPopup",
    "WebUIOmniboxFullPopup",
)
ARGUMENTS = (
    # There is no way out: no name has an address, not even a number, and the only proxy is not there.
    "--host-resolver-rules=MAP * ~NOTFOUND",
    "--proxy-server=http://127.0.0.1:9",
    "--proxy-bypass-list=<-loopback>",
    "--disable-quic",
    # The first is the browser's name for it, the second the headless shell's.
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--dns-prefetch-disable",
    "--no-pings",
    "--disable-domain-reliability",
    "--disable-site-isolation-trials",
    f"--disable-features={','.join(_FEATURES_OFF)}",
    "--disable-gpu",
    "--disable-notifications",
    "--force-prefers-reduced-motion",
    "--hide-scrollbars",
    "--mute-audio",
    "--lang=en-US",
    "--window-size=1280,1024",
    # A page that wants more crashes its tab, not the machine.
    "--js-flags=--max-old-space-size=1024",
)


class Chromium:
    """One browser from its start to its end. It is done with when `pages_left` is used up, or when it crashed."""

    def __init__(self, playwright: Playwright, chrome: Chrome, scratch: Scratch, options: RenderOptions) -> None:
        self.pages_left = options.recycle_pages
        self.in_use = 0
        self._playwright = playwright
        self._chrome = chrome
        self._scratch = scratch
        self._options = options
        self._tabs: set[Tab] = set()
        self._idle: list[Tab] = []
        self._user_agent = ""

    @classmethod
    async def start(cls, options: RenderOptions) -> Chromium:
        """Start the browser that is found on this machine. Raises `Lost` when it ends at once."""
        scratch = Scratch()
        playwright = None
        try:
            with scratch.temporary_files():
                playwright = await _playwright()
            chrome = await _launched(playwright, options, scratch)
            chromium = cls(playwright, chrome, scratch, options)
            await chromium._open()
        except BaseException:
            if playwright is not None:
                await _ended(playwright.stop)
            await scratch.remove()
            raise
        return chromium

    @property
    def is_spent(self) -> bool:
        return self.pages_left <= 0 or not self._chrome.is_connected()

    async def processes(self) -> tuple[tuple[str, int], ...]:
        """What it runs in: kind and number of each process."""
        answer = await self._session.send("SystemInfo.getProcessInfo")
        return tuple((process["type"], process["id"]) for process in answer["processInfo"])

    async def take(self, url: str) -> Tab:
        """A tab for a page: one that showed a page of the same site, else a fresh one."""
        site = site_of(url)
        for tab in self._idle:
            if tab.site == site:
                self._idle.remove(tab)
                return tab
        if len(self._tabs) >= self._options.tabs and self._idle:
            await self.drop(self._idle.pop(0))
        tab = await Tab.open(self._chrome, self._router, self._user_agent)
        self._tabs.add(tab)
        return tab

    async def give_back(self, tab: Tab) -> None:
        await tab.clean()
        self._idle.append(tab)

    async def drop(self, tab: Tab) -> None:
        self._tabs.discard(tab)
        try:
            async with asyncio.timeout(CLOSE_SECONDS):
                await tab.close()
        except (Lost, TimeoutError):
            self.pages_left = 0

    async def close(self) -> None:
        """End all of its processes."""
        self._lose("the browser is closing")
        await self._router.close()
        for ending in (self._chrome.close, self._playwright.stop):
            await _ended(ending)
        # Most often it is gone by now; its other processes end with it.
        with suppress(ProcessLookupError):
            os.kill(self._pid, signal.SIGKILL)
        await self._scratch.remove()

    async def _open(self) -> None:
        self._chrome.on("disconnected", lambda _: self._lose("the browser exited"))
        with or_lost():
            self._session = DevToolsSession(await self._chrome.new_browser_cdp_session())
        self._router = Router(self._session)
        await self._router.open()
        self._pid = next(pid for kind, pid in await self.processes() if kind == "browser")
        version = await self._session.send("Browser.getVersion")
        # What some pages refuse to show to a browser without a window.
        self._user_agent = version["userAgent"].replace("HeadlessChrome", "Chrome")

    def _lose(self, reason: str) -> None:
        for tab in self._tabs:
            tab.lose(reason)


async def _ended(ending: Callable[[], Awaitable[None]]) -> None:
    """End it, if it has not ended by itself."""
    with suppress(Lost, TimeoutError), or_lost():
        async with asyncio.timeout(CLOSE_SECONDS):
            await ending()


async def _playwright() -> Playwright:
    try:
        from playwright.async_api import async_playwright  # noqa: PLC0415 - an extra
    except ImportError:
        raise NoBrowser("Playwright is not installed", advice=how_to_get_a_browser()) from None
    return await async_playwright().start()


async def _launched(playwright: Playwright, options: RenderOptions, scratch: Scratch) -> Chrome:
    from playwright.async_api import Error  # noqa: PLC0415 - an extra, and there when this runs

    executable = find_chromium(options.executable, playwright.chromium.executable_path)
    try:
        return await playwright.chromium.launch(
            executable_path=executable,
            args=list(ARGUMENTS),
            # Chromium refuses to start as root with its sandbox.
            chromium_sandbox=os.geteuid() != 0,
            handle_sigint=False,
            handle_sigterm=False,
            handle_sighup=False,
            timeout=1000 * START_SECONDS,
            env={**scratch.environment(), "TZ": "UTC"},
        )
    except Error as error:
        raise not_started(executable, error.message) from None
