"""When a page has come to rest: no answer is missing, and nothing in it changes any more."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from everlog.render.devtools_session import Refused
from everlog.render.frames import Frame, Frames, Stuck

if TYPE_CHECKING:
    from collections.abc import Sequence

    from everlog.comments.services import Service
    from everlog.render.pending import PendingRequests

QUIET_SECONDS = 0.2
# Nothing was asked, nothing was answered: what is missing now will be missing for long.
STALLED_SECONDS = 15.0
# An answer that a page had for so long is one it does not want to read to the end.
UNTAKEN_SECONDS = 5.0
# A service that is not there when the page has been at rest for so long does not come.
READY_SECONDS = 3.0
# How long a page that does not come to rest is waited for each time before it is looked at as it is.
RESTLESS_SECONDS = 5.0
MAX_ELEMENTS = 500_000
_LOOK_SECONDS = 1.0


class Scene:
    """A page on its way to rest, and until when it may be."""

    def __init__(self, frames: Frames, pending: PendingRequests, *, until: float, max_letters: int) -> None:
        self.frames = frames
        self.pending = pending
        self.until = until
        self.max_letters = max_letters
        self.is_overgrown = False
        # Whether all that the page wanted to do was done: no answer was given up, no script was ended.
        self.is_whole = True
        # For how long, by the page's own clock, it has been quiet after the last of what it waited for.
        self._quiet_seconds = 0.0
        self._stirs = pending.stirs

    @property
    def seconds_left(self) -> float:
        return self.until - asyncio.get_running_loop().time()

    @property
    def is_over(self) -> bool:
        return self.is_overgrown or self.seconds_left <= 0

    async def settle(self, quiet_seconds: float = QUIET_SECONDS, *, longest_seconds: float = RESTLESS_SECONDS) -> bool:
        """Wait for the page to come to rest; whether it is. Changes are waited for so long, answers while they come."""
        loop = asyncio.get_running_loop()
        missing = restless = 0.0
        try:
            while not self.is_over and restless < longest_seconds and await self._idle():
                began, stirs = loop.time(), self.pending.stirs
                missing = await self._still_missing(quiet_seconds, missing)
                if missing <= 0 and self.pending.is_idle and self.pending.stirs == stirs:
                    return True
                restless += loop.time() - began
        except Stuck:
            self.is_whole = False
        return False

    async def ready(self, services: Sequence[Service]) -> bool:
        """Wait until each service has answered, or shows that it will not."""
        for service in services:
            waited, stirs = 0.0, self.pending.stirs
            while not await self._has_answered(service):
                if self.pending.stirs != stirs:
                    waited, stirs = 0.0, self.pending.stirs
                if self.is_over or waited > (READY_SECONDS if self.pending.is_answered else STALLED_SECONDS):
                    return False
                await self._waited(0, 0, 1000 * QUIET_SECONDS)
                waited += QUIET_SECONDS
        return True

    async def size(self) -> tuple[int, int]:
        """The elements and letters of all documents."""
        sizes = await self._each("everlog.size", frames=self.frames.all())
        elements, letters = sum(size[0] for size in sizes), sum(size[1] for size in sizes)
        if elements > MAX_ELEMENTS or letters > self.max_letters:
            self.is_overgrown = True
        return elements, letters

    def places(self, service: Service) -> list[Frame]:
        """The documents a service's comments can stand in."""
        if service.frame is None:
            return [self.frames.main]
        return [frame for frame in self.frames.all() if service.frame.search(frame.url)]

    async def _idle(self) -> bool:
        """Wait for the answers that are missing; those that will not come are given up."""
        loop = asyncio.get_running_loop()
        while not self.pending.is_idle and not self.is_over:
            is_answered = self.pending.is_answered
            given_up_at = self.pending.stirred_at + (UNTAKEN_SECONDS if is_answered else STALLED_SECONDS)
            if loop.time() >= given_up_at:
                self.pending.give_up()
                self.is_whole = self.is_whole and is_answered
            with suppress(TimeoutError):
                async with asyncio.timeout_at(min(given_up_at, loop.time() + _LOOK_SECONDS, self.until)):
                    await self.pending.idle()
        return self.pending.is_idle

    async def _still_missing(self, quiet_seconds: float, wait_seconds: float) -> float:
        """Wait for the page to be quiet, for a second at most; how many seconds of quiet it needs still."""
        if self._stirs != self.pending.stirs:
            self._stirs, self._quiet_seconds = self.pending.stirs, 0.0
        quiet = 1000 * quiet_seconds
        least_seconds = max(quiet_seconds - self._quiet_seconds, wait_seconds, 0.0)
        longest = 1000 * max(min(_LOOK_SECONDS, self.seconds_left), least_seconds)
        since = await self._waited(quiet, longest, 1000 * least_seconds)
        if since is None:
            return quiet_seconds
        self._quiet_seconds += least_seconds
        # All documents share one thread. Those in a box without scripts have no clock to wait with.
        others = self.frames.all()[1:]
        answers = await self._each("everlog.since", frames=others) if others else []
        if len(answers) < len(others):
            return quiet_seconds
        if since < quiet:
            await self.size()
        return float(quiet - min([since, *answers])) / 1000

    async def _waited(self, quiet: float, longest: float, least: float) -> float | None:
        try:
            waited = await self.frames.run(
                self.frames.main, "everlog.rest", quiet, longest, least, seconds=_LOOK_SECONDS
            )
        except Refused:
            return None
        return float(waited)

    async def _has_answered(self, service: Service) -> bool:
        for frame in self.places(service):
            try:
                if await self.frames.run(frame, "everlog.answered", service.ready, service.loading, service.trouble):
                    return True
            except Refused:
                continue
        return False

    async def _each(self, call: str, *, frames: Sequence[Frame]) -> list[Any]:
        """What a function of ours gives in each of some frames, but for those that are gone."""
        answers = await asyncio.gather(*(self.frames.run(frame, call) for frame in frames), return_exceptions=True)
        for answer in answers:
            if isinstance(answer, BaseException) and not isinstance(answer, Refused):
                raise answer
        return [answer for answer in answers if not isinstance(answer, BaseException)]
