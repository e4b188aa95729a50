"""Scrapy starts for one task and stops with it, whatever the task comes to."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import sys
import threading
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from servers import Server, reply
from stories import policy, told

from everlog.errors import UsageError
from everlog.fetch import with_http_client
from everlog.fetch.allowlist import Allowlist
from everlog.fetch.request import LateForSlot, http_request
from everlog.fetch.throttle import awake_and_asleep

if TYPE_CHECKING:
    from collections.abc import Iterator

    from everlog.fetch import HttpClient


def returning() -> dict[str, Any]:
    before = sorted(name for name in ("scrapy", "twisted", "protego") if name in sys.modules)

    async def task(_: HttpClient) -> int:
        await asyncio.sleep(0)
        return 42

    result = with_http_client(task)
    handlers = len(logging.getLogger().handlers)
    try:
        again: Any = with_http_client(task)
    except UsageError as error:
        again = str(error)
    handler = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    return {"imported early": before, "result": result, "handlers": handlers, "again": again, "signals": handler}


def raising() -> dict[str, Any]:
    async def task(_: HttpClient) -> None:
        raise KeyError("what the task raised")

    try:
        with_http_client(task)
    except KeyError as error:
        return {"raised": error.args}
    return {}


def cancelled() -> dict[str, Any]:
    """Cancelled by a signal, in the middle of an answer that never ends."""
    found: dict[str, Any] = {}
    arrived, hung_up = threading.Event(), threading.Event()

    def endless(_: object) -> Iterator[bytes]:
        yield b"HTTP/1.1 200 OK\r\n\r\nand then"
        arrived.set()
        try:
            while True:
                yield b"nothing " * 8000
        finally:
            hung_up.set()

    async def task(fetcher: HttpClient) -> None:
        mine = asyncio.current_task()
        assert mine is not None
        asyncio.get_running_loop().add_signal_handler(signal.SIGINT, mine.cancel)
        threading.Thread(target=lambda: (arrived.wait(300), os.kill(os.getpid(), signal.SIGINT))).start()
        try:
            await fetcher.session(
                policy(server.url(), max_page_bytes=10**12, timeout_seconds=600.0),
            ).fetch(server.url())
        finally:
            # The web is still open: it is the request that ended, not the process.
            found["hung up"] = await asyncio.to_thread(hung_up.wait, 20)

    with Server({"*": endless}) as server:
        try:
            with_http_client(task)
        except asyncio.CancelledError:
            found["ended"] = True
    return found


def late() -> dict[str, Any]:
    """A request whose turn has gone by while it was on its way to the socket, and one that is in time."""
    found: dict[str, Any] = {}

    async def task(fetcher: HttpClient) -> None:
        own = policy(server.url())
        permit = Allowlist(own, None).permit(server.url())
        ask = http_request(server.url("/page"), "page", own, conditions=(), private=True, permit=permit)
        try:
            await fetcher.download(replace(ask, leave_by=awake_and_asleep() - 1.0))
        except LateForSlot:
            found["late"] = True
        found["asked before"] = len(server.seen)
        answer = await fetcher.download(replace(ask, leave_by=awake_and_asleep() + 60.0))
        found["status"], found["asked"] = answer.exchange.status, len(server.seen)

    with Server({"*": reply(200)}) as server:
        with_http_client(task)
    return found


@pytest.mark.parametrize(
    ("scene", "expected"),
    [
        ("returning", {
            "imported early": [], "result": 42, "handlers": 0, "signals": True,
            "again": "the web can be opened only once in a process\n  do all of it within one with_http_client call",
        }),
        ("raising", {"raised": ("what the task raised",)}),
        ("cancelled", {"hung up": True, "ended": True}),
        ("late", {"late": True, "asked before": 0, "status": 200, "asked": 1}),
    ],
)
def test_the_web_closes_with_the_task(scene: str, expected: dict[str, Any]) -> None:
    # What is imported early can be seen only where nothing was imported before.
    assert told(__file__, scene, anew=scene == "returning") == expected


if __name__ == "__main__":
    import base64
    import pickle

    scenes = {"returning": returning, "raising": raising, "cancelled": cancelled, "late": late}
    sys.stdout.write(base64.b64encode(pickle.dumps(scenes[sys.argv[1]]())).decode())
