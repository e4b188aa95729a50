"""What a page waits for: answers that are missing, and answers that it has been given and has not taken yet."""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from collections.abc import Collection
from typing import Any

from everlog.render.devtools_messages import is_unwanted

# A question asked this often between two clicks is a pulse, and nobody waits for its answer.
PULSE = 50

_TAKEN = frozenset(("document", "fetch", "font", "image", "script", "stylesheet", "xhr"))

Event = dict[str, Any]


class PendingRequests:
    """Counts a page's requests twice: as they come up to us, and as the page's own process tells of them.

    The second count begins before a request is on its way and ends when its answer was read to the end. It comes
    over the line on which that process answers us, so at each of its answers it is exact, however slow all are.
    Workers tell of nothing there, so the first is needed too.
    """

    def __init__(self, main_frame: str) -> None:
        self.stirs = 0
        self.stirred_at = 0.0
        self._main_frame = main_frame
        self._document: str | None = None
        self._missing: set[str] = set()
        # The frame of each request that the page has not seen the end of.
        self._untaken: dict[str, str] = {}
        self._forgone: set[str] = set()
        self._asked: Counter[str] = Counter()
        self._sent: Counter[str] = Counter()
        self._idle = asyncio.Event()
        self._stir()

    @property
    def is_idle(self) -> bool:
        return not self._missing and not self._untaken

    @property
    def is_answered(self) -> bool:
        """Whether no answer is missing; the page may have some to take still."""
        return not self._missing

    async def idle(self) -> None:
        """Wait until no answer is missing, and all were taken."""
        await self._idle.wait()

    def give_up(self) -> None:
        """Wait no longer for what is missing now; it may still come."""
        self._missing.clear()
        self._forgone.update(self._untaken)
        self._untaken.clear()
        self._idle.set()

    def new_round(self) -> None:
        """Something was clicked: it may ask again for what was asked before, and that takes a moment."""
        self._asked.clear()
        self._sent.clear()
        self._stir()

    def requested(self, event: Event) -> None:
        """A request came up to us."""
        place = _place(event["request"])
        self._asked[place] += 1
        if self._asked[place] > PULSE or is_unwanted(event):
            self._forgo(event.get("networkId", ""))
        else:
            self._missing.add(event["requestId"])
            self._stir()

    def answered(self, event: Event) -> None:
        """Its answer was given."""
        if event["requestId"] in self._missing:
            self._missing.remove(event["requestId"])
            self._stir()

    def sent(self, event: Event) -> None:
        """The page tells of a request."""
        request, kind, frame = event["requestId"], event.get("type", "").lower(), event.get("frameId", "")
        if request in self._forgone or kind not in _TAKEN or not event.get("loaderId"):
            return
        if kind == "document" and frame == self._main_frame:
            # Where else the page wants to go it does not get.
            self._document = self._document or request
            if request != self._document:
                return
        place = _place(event["request"])
        self._sent[place] += 1
        if self._sent[place] <= PULSE:
            self._untaken[request] = frame
            self._stir()

    def taken(self, event: Event) -> None:
        """The page tells of a request's end, good or bad."""
        if self._untaken.pop(event["requestId"], None) is not None:
            self._stir()

    def left(self, frames: Collection[str]) -> None:
        """Some frames are gone, and with them who would have told of the end of their requests."""
        for request in [request for request, frame in self._untaken.items() if frame in frames]:
            self._forgo(request)

    def _forgo(self, request: str) -> None:
        self._forgone.add(request)
        if self._untaken.pop(request, None) is not None:
            self._stir()

    def _stir(self) -> None:
        self.stirs += 1
        self.stirred_at = asyncio.get_running_loop().time()
        if self.is_idle:
            self._idle.set()
        else:
            self._idle.clear()


def _place(request: Event) -> str:
    return str(request["method"]) + re.sub(r"\d+", "", request["url"])
