"""Answers that many pages want: a theme's scripts and styles are asked for once."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable

from everlog.records import Exchange, Failure

# The scripts and styles of a blog's pages are a few megabytes; the rest of the room is for other blogs beside it.
ROOM_BYTES = 64_000_000
# A dead host keeps nobody waiting twice in a minute, and a passing trouble is forgotten after one.
FAILURE_SECONDS = 60.0
# What an answer costs beside its body.
_OVERHEAD_BYTES = 2_000


class ResponseCache:
    """A bounded memory of answers; what was not wanted for longest goes first."""

    def __init__(self, room_bytes: int = ROOM_BYTES) -> None:
        self._room = room_bytes
        self._kept: OrderedDict[object, tuple[Exchange | Failure, float]] = OrderedDict()
        self._under_way: dict[object, asyncio.Future[None]] = {}
        self._bytes = 0

    async def get(self, key: object, bring: Callable[[], Awaitable[Exchange | Failure]]) -> Exchange | Failure:
        """The answer kept under a key, else the one that is brought; nobody asks while somebody asks already."""
        while (kept := self._look(key)) is None:
            asking = self._under_way.get(key)
            if asking is None:
                return await self._bring(key, bring)
            await asyncio.wait({asking})
        return kept

    async def _bring(self, key: object, bring: Callable[[], Awaitable[Exchange | Failure]]) -> Exchange | Failure:
        done = self._under_way[key] = asyncio.get_running_loop().create_future()
        try:
            answer = await bring()
            self._keep(key, answer)
            return answer
        finally:
            del self._under_way[key]
            done.set_result(None)

    def _look(self, key: object) -> Exchange | Failure | None:
        found = self._kept.get(key)
        if found is None:
            return None
        answer, until = found
        if until < asyncio.get_running_loop().time():
            self._drop(key)
            return None
        self._kept.move_to_end(key)
        return answer

    def _keep(self, key: object, answer: Exchange | Failure) -> None:
        lasts = _lasts_seconds(answer)
        if not lasts or _bytes(answer) > self._room // 4:
            return
        self._kept[key] = answer, asyncio.get_running_loop().time() + lasts
        self._bytes += _bytes(answer)
        while self._bytes > self._room:
            self._drop(next(iter(self._kept)))

    def _drop(self, key: object) -> None:
        answer, _ = self._kept.pop(key)
        self._bytes -= _bytes(answer)


def _bytes(answer: Exchange | Failure) -> int:
    return _OVERHEAD_BYTES + (len(answer.body) if isinstance(answer, Exchange) else 0)


def _lasts_seconds(answer: Exchange | Failure) -> float:
    """For how long an answer may be given again."""
    if isinstance(answer, Failure):
        return 0.0 if answer.trouble == "rate-limited" else FAILURE_SECONDS
    if "no-store" in (answer.header("cache-control") or ""):
        return 0.0
    if answer.status == 429 or answer.status >= 500:
        return 0.0
    return float("inf")
