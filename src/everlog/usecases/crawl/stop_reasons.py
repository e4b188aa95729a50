"""Why a crawl ends, or pauses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from everlog.usecases.crawl.report import Ending

# Why a crawl pauses that takes turns with others.
SLICE_OVER = "paused: its time slice is over, it continues in the next one"
# A crawl that ended so does not pause.
ENDED = frozenset({None, "complete", "incomplete"})


@dataclass(slots=True)
class Stop:
    """Why a crawl ends; the first reason given stays."""

    ending: Ending | None = None
    reason: str = ""

    def say(self, ending: Ending, reason: str) -> None:
        if self.ending is None:
            self.ending, self.reason = ending, reason
