"""The documents of a tab: the page and the frames in it, and how scripts of ours run in them."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from everlog.render.devtools_session import Answer, DevToolsSession, Lost, Refused
from everlog.render.scripts import WORLD, script

if TYPE_CHECKING:
    from everlog.render.routing import Desk, Router

# A page whose scripts hold the processor for longer is interrupted.
STUCK_SECONDS = 15.0
_INTERRUPT_SECONDS = 5.0
_LEAST_SECONDS = 2.0
# Pages with comments have a handful; what has more is a page of advertisements, or a trap.
MAX_FRAMES = 100


class Stuck(Exception):
    """A page's own scripts did not pause, and were ended."""


@dataclass(slots=True, eq=False)
class Frame:
    """A document, and the world in it where our scripts live."""

    id: str
    parent: str | None
    url: str = "about:blank"
    world: int | None = None
    # In another process, and so out of reach: Chromium does this with a few addresses whatever it is told.
    is_remote: bool = False

    @property
    def is_error(self) -> bool:
        """Whether it shows the browser's own words about an address that could not be reached."""
        return self.url.startswith("chrome-error:")


class Frames:
    """All documents of a tab. Frames of other sites are in the same process, and so in the same tree."""

    def __init__(self, session: DevToolsSession, desk: Desk, router: Router) -> None:
        self._session = session
        self._desk = desk
        self._router = router
        # When the page's time is over; None: it is over, and all that is left is to write it down.
        self.until: float | None = None
        self._frames = {desk.main_frame: Frame(id=desk.main_frame, parent=None)}
        router.claim(desk.main_frame, desk)
        session.on("Page.frameAttached", self._attached)
        session.on("Page.frameNavigated", self._navigated)
        session.on("Page.frameDetached", self._detached)

    @property
    def main(self) -> Frame:
        return self._frames[self._desk.main_frame]

    def all(self) -> list[Frame]:
        """The page first, then its frames in the order they came."""
        return [frame for frame in self._frames.values() if not frame.is_remote and not frame.is_error][:MAX_FRAMES]

    async def run(self, frame: Frame, call: str, *arguments: Any, seconds: float = 0.0, name: str = "page") -> Any:
        """Call a function of ours in a frame. `seconds` is how long it may wait for something itself.

        Raises `Refused` where the frame is gone, `Stuck` where the page's scripts did not let it run.
        """
        expression = f"{call}({', '.join(json.dumps(argument) for argument in arguments)})"
        try:
            async with asyncio.timeout(self._patience() + seconds):
                try:
                    return await self._run(frame, expression, name)
                except Refused:
                    # The frame may have gone on to another document, where our scripts are not yet.
                    frame.world = None
                    return await self._run(frame, expression, name)
        except TimeoutError:
            await self._interrupt()
            raise Stuck from None

    def leave(self) -> None:
        """The page is about to become another one."""
        self.main.world = None

    async def mark(self, frame: Frame, parent: Frame, mark: str) -> None:
        """Leave a mark after the element a frame stands in."""
        owner = await self._session.send("DOM.getFrameOwner", frameId=frame.id)
        await self.run(parent, "everlogKeep.prepare", name="keep")
        found = await self._session.send(
            "DOM.resolveNode", backendNodeId=owner["backendNodeId"], executionContextId=parent.world
        )
        await self._session.send(
            "Runtime.callFunctionOn",
            functionDeclaration="function (url, mark) { everlogKeep.place(this, url, mark); }",
            objectId=found["object"]["objectId"],
            arguments=[{"value": frame.url}, {"value": mark}],
        )

    def _patience(self) -> float:
        if self.until is None:
            return STUCK_SECONDS
        left = self.until - asyncio.get_running_loop().time()
        return min(STUCK_SECONDS, max(left, _LEAST_SECONDS))

    async def _run(self, frame: Frame, expression: str, name: str) -> Any:
        if frame.world is None:
            world = await self._session.send("Page.createIsolatedWorld", frameId=frame.id, worldName=WORLD)
            frame.world = world["executionContextId"]
            expression = f"{script('page')}\n{expression}"
        if name != "page":
            expression = f"{script(name)}\n{expression}"
        answer = await self._session.send(
            "Runtime.evaluate", expression=expression, contextId=frame.world, awaitPromise=True, returnByValue=True
        )
        return _value(answer)

    async def _interrupt(self) -> None:
        try:
            async with asyncio.timeout(_INTERRUPT_SECONDS):
                await self._session.send("Runtime.terminateExecution")
        except (TimeoutError, Refused):
            raise Lost("scripts block the page") from None

    def _attached(self, event: Answer) -> None:
        frame = event["frameId"]
        self._frames[frame] = Frame(id=frame, parent=event["parentFrameId"])
        self._desk.frames.add(frame)
        self._router.claim(frame, self._desk)

    def _navigated(self, event: Answer) -> None:
        about = event["frame"]
        frame = self._frames.setdefault(about["id"], Frame(id=about["id"], parent=about.get("parentId")))
        frame.url = about["url"] + about.get("urlFragment", "")
        frame.world = None
        frame.is_remote = False
        # Chromium does not say that the frames of the document before it are gone.
        self._forget(self._inside(frame.id) - {frame.id})

    def _detached(self, event: Answer) -> None:
        frame = event["frameId"]
        if event.get("reason") != "swap":
            self._forget(self._inside(frame))
        elif frame in self._frames:
            self._frames[frame].is_remote = True

    def _inside(self, frame: str) -> set[str]:
        """A frame and all frames in it."""
        found = {frame}
        for other in self._frames.values():
            if other.parent in found:
                found.add(other.id)
        return found

    def _forget(self, frames: set[str]) -> None:
        gone = frames - {self._desk.main_frame}
        for frame in gone:
            self._frames.pop(frame, None)
        self._desk.frames -= gone
        self._router.release(gone)
        if self._desk.traffic is not None:
            self._desk.traffic.pending.left(gone)


def _value(answer: Answer) -> Any:
    details = answer.get("exceptionDetails")
    if details is not None:
        raise Refused(details.get("exception", {}).get("description") or details["text"])
    return answer["result"].get("value")
