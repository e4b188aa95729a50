"""A story is a task run inside `with_http_client`, in a process of its own: a reactor starts only once."""

from __future__ import annotations

import asyncio
import base64
import heapq
import os
import pickle
import sys
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from everlog.core.fetcher import FetchPolicy
from everlog.fetch import Timekeeper, with_http_client

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

    from everlog.fetch import HttpClient

AGENT = "everlog/0.1 (+https://everlog.example/about)"


def policy(*typed: str, **other: Any) -> FetchPolicy:
    return FetchPolicy(**{"typed": typed, "user_agent": AGENT, "delay_seconds": 0.0, "obey_robots": False, **other})


class Leaps:
    """A clock that leaps over every wait: nobody sleeps, and all is in order."""

    def __init__(self) -> None:
        self.moment = datetime(2024, 5, 1, tzinfo=UTC)
        self._alarms: list[datetime] = []

    def keeper(self) -> Timekeeper:
        return Timekeeper(now=self.now, sleep=self.sleep)

    def now(self) -> datetime:
        return self.moment

    async def sleep(self, seconds: float) -> None:
        mine = self.moment + timedelta(seconds=seconds)
        heapq.heappush(self._alarms, mine)
        try:
            await asyncio.sleep(0)
            while self._alarms[0] < mine:
                await asyncio.sleep(0)
            self.moment = max(self.moment, mine)
        finally:
            self._alarms.remove(mine)
            heapq.heapify(self._alarms)


def told(
    file: str, *words: str, environment: Mapping[str, str] | None = None, anew: bool = False,
) -> dict[str, Any]:
    """Run a test module as a program that tells its story, and give what it told; `anew` without any import done."""
    # Here, as the programs that tell stories have this module too, and not what is above its folder.
    import launcher

    bare = {name: value for name, value in os.environ.items() if not name.lower().endswith("_proxy")}
    whole = {**bare, **(environment or {})}
    done = launcher.run([file, *words], env=whole, anew=anew)
    assert done.returncode == 0, done.stderr.decode()
    assert done.stderr == b"", f"what nobody asked to see was printed: {done.stderr.decode()}"
    found: dict[str, Any] = pickle.loads(base64.b64decode(done.stdout))  # noqa: S301 - our own child's words
    return found


def tell(story: Callable[[HttpClient], Awaitable[dict[str, Any]]], timekeeper: Timekeeper | None = None) -> None:
    sys.stdout.write(base64.b64encode(pickle.dumps(with_http_client(story, timekeeper=timekeeper))).decode())
