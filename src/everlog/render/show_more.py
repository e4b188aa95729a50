"""Showing all there is: what waits to be seen is scrolled over, what waits to be clicked is clicked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from everlog.render.devtools_session import Refused
from everlog.render.show_more_words import AROUND, UNWANTED, WANTED

if TYPE_CHECKING:
    from collections.abc import Sequence

    from everlog.comments.services import Service
    from everlog.render.frames import Frame
    from everlog.render.settling import Scene

_SOON_SECONDS = 0.1
# At most so many controls are clicked before the page is looked at again.
_AT_ONCE = 50
_SCREENS, _SWEEPS = 60, 3
_SCREEN_SECONDS = 0.15
# Letters a page gains from its own clocks between two looks.
_NOISE_LETTERS = 20
_OWN_COMMENTS = "#comments, .comments, .comments-area, #comment-section, .comment-list, [id*=comment i]"


class Clicker:
    """Brings a page's comments to light, under a cap on clicks and on the scene's time and growth."""

    def __init__(self, scene: Scene, services: Sequence[Service], max_clicks: int) -> None:
        self._scene = scene
        self._services = services
        self._left = max_clicks
        self.clicks = 0

    async def show_all(self) -> bool:
        """Whether the page is at rest and shows all it has."""
        scene = self._scene
        await self._bring_into_view()
        await scene.ready(self._services)
        while not scene.is_over:
            before = self.clicks
            size = await self._click_through()
            if size is None or self.clicks == before:
                return size is not None
            await self._bring_into_view()
            if not _is_more(await scene.size(), size):
                return not scene.is_over
        return False

    async def _click_through(self) -> tuple[int, int] | None:
        """Click until nothing is left to click; the size of the page then, None if it was given up before."""
        scene = self._scene
        size, grew = await scene.size(), False
        while not scene.is_over:
            if not await self._press(again=grew):
                return size
            scene.pending.new_round()
            if self._left <= 0:
                await scene.settle()
                return None
            # What a click brings comes at once: only a click that seems to bring nothing is waited for longer.
            await scene.settle(_SOON_SECONDS)
            before, size = size, await scene.size()
            if not _is_more(size, before):
                await scene.settle()
                size = await scene.size()
            grew = _is_more(size, before)
        return None

    async def _press(self, *, again: bool) -> int:
        clicked = 0
        for service in self._services:
            for frame in self._scene.places(service) if service.more else ():
                clicked += await self._click(frame, "everlog.press", service.more, again=again)
        main = self._scene.frames.main
        return clicked + await self._click(main, "everlog.pressOwn", WANTED, UNWANTED, AROUND, again=again)

    async def _click(self, frame: Frame, call: str, *arguments: object, again: bool) -> int:
        clicked = await self._call(frame, call, min(self._left, _AT_ONCE), again, *arguments)
        self.clicks += clicked
        self._left -= clicked
        return clicked

    async def _call(self, frame: Frame, call: str, *arguments: object) -> int:
        try:
            return int(await self._scene.frames.run(frame, call, *arguments) or 0)
        except Refused:
            return 0

    async def _bring_into_view(self) -> None:
        """Scroll over the places where the comments are, and wait for what that wakes."""
        selectors = [selector for service in self._services for selector in _selectors(service)]
        size = await self._scene.size()
        for _ in range(_SWEEPS):
            frames = [frame for service in self._services if service.frame for frame in self._scene.places(service)]
            heights = {frame.url: await self._call(frame, "everlog.height") for frame in frames}
            if not await self._scroll(self._scene.frames.main, selectors or [_OWN_COMMENTS], heights):
                return
            await self._scene.settle(_SOON_SECONDS)
            before, size = size, await self._scene.size()
            # What has grown has pushed the rest out of view.
            if not _is_more(size, before):
                return

    async def _scroll(self, frame: Frame, selectors: list[str], heights: dict[str, int]) -> int:
        """How many screens were scrolled over."""
        longest = _SCREENS * _SCREEN_SECONDS
        try:
            return int(await self._scene.frames.run(
                frame, "everlog.sweep", selectors, heights, _SCREENS, seconds=longest
            ))
        except Refused:
            return 0


def _is_more(size: tuple[int, int], before: tuple[int, int]) -> bool:
    return size[0] > before[0] or size[1] > before[1] + _NOISE_LETTERS


def _selectors(service: Service) -> list[str]:
    return [
        *(f"#{name}" for name in sorted(service.ids)),
        *(f".{name}" for name in sorted(service.classes)),
        *sorted(service.tags),
    ]
