"""Where the requests of pages go: to `fetch`, and nowhere else.

Chromium stops each request of each frame and worker, first ones and redirected ones alike, before its
network sees it; and its network leads nowhere (chromium.py). Playwright's own routes are not used: they let
redirected requests through, answer preflights themselves and add CORS headers that no server sent.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import TYPE_CHECKING, Any

from everlog.records import BrowserRequest, Exchange, Failure, Page
from everlog.render.devtools_messages import (
    browser_request,
    dot,
    fulfilment,
    is_unwanted,
    main_document,
    passage,
    refusal,
)
from everlog.render.devtools_session import DevToolsSession, Lost, Refused
from everlog.render.pending import PendingRequests

if TYPE_CHECKING:
    from collections.abc import Iterable

    from everlog.render.devtools_messages import Reply
    from everlog.render.render_options import Fetch
    from everlog.render.response_cache import ResponseCache

SHARED = frozenset(("script", "stylesheet", "font"))
# A page that asks for more than this is not going to end by itself.
MAX_REQUESTS = 1_000
MAX_REDIRECTS = 20
# A frame's first request can be heard of before the frame itself.
UNKNOWN_FRAME_SECONDS = 3.0

Event = dict[str, Any]


class Router:
    """Hands the requests of one browser to the pages they belong to."""

    def __init__(self, session: DevToolsSession) -> None:
        self._session = session
        self._desks: dict[str, Desk] = {}
        self._waiting: dict[str, asyncio.Future[None]] = {}
        self._marks: dict[str, asyncio.Future[None]] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    async def open(self) -> None:
        self._session.on("Fetch.requestPaused", self._paused)
        self._session.on("Target.targetCreated", self._target)
        self._session.on("Target.targetDestroyed", self._target_gone)
        await self._session.send("Fetch.enable", patterns=[{"urlPattern": "*"}])
        await self._session.send("Target.setDiscoverTargets", discover=True)

    def claim(self, frame: str, desk: Desk) -> None:
        """From now on the requests of a frame are answered at this desk."""
        self._desks[frame] = desk
        waiting = self._waiting.pop(frame, None)
        if waiting is not None:
            waiting.set_result(None)

    def release(self, frames: Iterable[str]) -> None:
        for frame in frames:
            self._desks.pop(frame, None)

    def expect(self, mark: str) -> asyncio.Future[None]:
        """Done once an address that nobody but us knows was asked for."""
        arrived = self._marks[mark] = asyncio.get_running_loop().create_future()
        return arrived

    async def close(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _target(self, event: Event) -> None:
        # A worker of a worker asks in its own name.
        info = event["targetInfo"]
        desk = self._desks.get(info.get("parentFrameId") or "")
        if desk is not None:
            desk.hire(info["targetId"])
            self.claim(info["targetId"], desk)

    def _target_gone(self, event: Event) -> None:
        desk = self._desks.get(event["targetId"])
        if desk is not None and desk.dismiss(event["targetId"]):
            self.release([event["targetId"]])

    def _paused(self, event: Event) -> None:
        mark = self._marks.pop(event["request"]["url"], None)
        if mark is not None and not mark.done():
            mark.set_result(None)
        desk = self._desks.get(event.get("frameId") or "") if _is_awaited(event) else None
        # Counted here, and not in the task, so that no page seems to be at rest meanwhile.
        ticket = desk.traffic.begin(event) if desk is not None and desk.traffic is not None else None
        task = asyncio.ensure_future(self._serve(event, ticket))
        if ticket is not None:
            ticket.task = task
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _serve(self, event: Event, ticket: Ticket | None) -> None:
        try:
            if ticket is None and _is_awaited(event):
                ticket = await self._late(event)
            command, parameters = await ticket.answer() if ticket is not None else refusal("BlockedByClient")
            await self._send(event["requestId"], command, parameters)
        except (Lost, Refused):
            pass  # The page no longer waits for it.
        finally:
            if ticket is not None:
                ticket.end()

    async def _send(self, request: str, command: str, parameters: dict[str, Any]) -> None:
        try:
            await self._session.send(command, requestId=request, **parameters)
        except Refused:
            # An answer that Chromium does not take, such as one with a status that does not exist.
            await self._session.send("Fetch.failRequest", requestId=request, errorReason="Failed")

    async def _late(self, event: Event) -> Ticket | None:
        frame = event.get("frameId") or ""
        if frame not in self._desks:
            waiting = self._waiting.setdefault(frame, asyncio.get_running_loop().create_future())
            await asyncio.wait({waiting}, timeout=UNKNOWN_FRAME_SECONDS)
            self._waiting.pop(frame, None)
        desk = self._desks.get(frame)
        if desk is None or desk.traffic is None:
            return None
        ticket = desk.traffic.begin(event)
        ticket.task = asyncio.current_task()
        return ticket


class Desk:
    """Where the requests of one tab arrive: those of its page, of the page's frames and of their workers."""

    def __init__(self, main_frame: str) -> None:
        self.main_frame = main_frame
        self.frames = {main_frame}
        self.traffic: Traffic | None = None
        self._workers: set[str] = set()
        self._alone = asyncio.Event()
        self._alone.set()

    def hire(self, worker: str) -> None:
        self.frames.add(worker)
        self._workers.add(worker)
        self._alone.clear()

    def dismiss(self, worker: str) -> bool:
        """Whether it was a worker of this tab."""
        if worker not in self._workers:
            return False
        self._workers.remove(worker)
        self.frames.discard(worker)
        if not self._workers:
            self._alone.set()
        return True

    async def alone(self) -> None:
        """Wait until no worker is left."""
        await self._alone.wait()


class Traffic:
    """What one page asks for while it is rendered."""

    def __init__(self, page: Page, *, main_frame: str, fetch: Fetch, cache: ResponseCache, pictures: bool) -> None:
        self.page = page
        self.requests = 0
        self._asked = 0
        self._hops: Counter[str] = Counter()
        self.pending = PendingRequests(main_frame)
        # Set when `fetch` itself breaks: the page's render ends with it.
        self.broken: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._main_frame = main_frame
        self._fetch = fetch
        self._cache = cache
        self._pictures = pictures
        self._is_given = False
        self._tickets: set[Ticket] = set()

    def close(self) -> None:
        """Nobody waits for answers any more."""
        for ticket in self._tickets:
            if ticket.task is not None:
                ticket.task.cancel()
        if self.broken.done():
            self.broken.exception()

    def begin(self, event: Event) -> Ticket:
        ticket = Ticket(self, event)
        self._tickets.add(ticket)
        self.pending.requested(event)
        return ticket

    def end(self, ticket: Ticket) -> None:
        self._tickets.discard(ticket)
        self.pending.answered(ticket.event)

    async def answer(self, event: Event) -> Reply:
        request = browser_request(event)
        if not request.url.startswith(("http://", "https://")):
            return passage() if request.url.startswith(("data:", "blob:")) else refusal("AccessDenied")
        if request.kind == "document" and event["frameId"] == self._main_frame:
            return self._main_document()
        if is_unwanted(event):
            return refusal("BlockedByClient")
        if not self._pictures and request.kind in {"image", "font"}:
            return dot(request) if request.kind == "image" else refusal("BlockedByClient")
        if self._asked >= MAX_REQUESTS or self._is_loop(event):
            return refusal("BlockedByClient")
        self._asked += 1
        answer = await self._brought(request)
        self.requests += 1
        return fulfilment(answer, is_document=request.kind == "document")

    def _is_loop(self, event: Event) -> bool:
        # Chromium's network ends loops, and is not asked.
        if "redirectedRequestId" not in event:
            return False
        self._hops[event.get("networkId", "")] += 1
        return self._hops[event.get("networkId", "")] > MAX_REDIRECTS

    def _main_document(self) -> Reply:
        if self._is_given:
            # With this reason the page stays what it is; with any other an error page takes its place.
            return refusal("Aborted")
        self._is_given = True
        return main_document(self.page)

    async def _brought(self, request: BrowserRequest) -> Exchange | Failure:
        try:
            if request.method == "GET" and request.kind in SHARED:
                origin = next((value for name, value in request.headers if name.lower() == "origin"), None)
                # What one blog's crawl may ask for, such as an address typed by the user, is not for the others.
                return await self._cache.get((self._fetch, request.url, origin), lambda: _awaited(self._fetch, request))
            return await _awaited(self._fetch, request)
        except Exception as error:  # noqa: BLE001 - whatever it is, it is raised where the page was to be rendered
            if not self.broken.done():
                self.broken.set_exception(error)
            return Failure(url=request.url, trouble="protocol", reason=str(error))


class Ticket:
    """One request of a page, from its coming up to its answer."""

    def __init__(self, traffic: Traffic, event: Event) -> None:
        self.event = event
        self.task: asyncio.Task[Any] | None = None
        self._traffic = traffic

    async def answer(self) -> Reply:
        return await self._traffic.answer(self.event)

    def end(self) -> None:
        self._traffic.end(self)


def _is_awaited(event: Event) -> bool:
    """Whether a document waits for the answer. What one asks for while it is left is in no document's log."""
    return "networkId" in event


async def _awaited(fetch: Fetch, request: BrowserRequest) -> Exchange | Failure:
    answer = await fetch(request)
    if isinstance(answer, Failure) and answer.trouble == "connection" and request.method in {"GET", "HEAD"}:
        # A server may close a connection just as it is used again. Chromium's network would ask anew, and is not asked.
        return await fetch(request)
    return answer
