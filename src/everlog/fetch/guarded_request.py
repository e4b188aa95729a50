"""One request on its way through the guard: what it brings, what it learns, and when it is given up."""

from __future__ import annotations

import asyncio
from contextlib import contextmanager
from typing import TYPE_CHECKING

from everlog.fetch.request import LEAST_MEDIA_RATE, LateForSlot, Permit

if TYPE_CHECKING:
    from collections.abc import Iterator

    from everlog.fetch.http1 import Head
    from everlog.fetch.proxies import Proxy
    from everlog.fetch.spooling import SpooledBody
    from everlog.records import Spooled


class BlockedAddress(Exception):
    """A connection that was not made, and the address it would have reached."""

    def __init__(self, address: str, why: str) -> None:
        super().__init__(f"blocked address {address} ({why})")


class ProxyUnreachable(Exception):
    """No connection to the proxy that a request was to go through."""


class GuardedRequest:
    """What one request brings to the guard, and what it learns on its way."""

    __slots__ = (
        "blocked", "body", "disk_error", "head", "is_given_up", "is_whole", "late", "leave_by", "permit", "proxy",
        "received_bytes", "scratch", "slow_seconds", "spooled", "too_slow", "under_way", "wire_bytes",
    )

    def __init__(
        self, *, permit: Permit, leave_by: float | None = None, scratch: str | None = None,
        slow_seconds: float | None = None,
    ) -> None:
        self.permit = permit
        self.scratch = scratch
        self.slow_seconds = slow_seconds
        self.too_slow = False
        self.head: Head | None = None
        self.received_bytes = 0
        self.body: SpooledBody | None = None
        self.spooled: Spooled | None = None
        self.disk_error: OSError | None = None
        self.leave_by = leave_by
        self.late: LateForSlot | None = None
        self.blocked: BlockedAddress | None = None
        self.proxy: Proxy | None = None
        self.wire_bytes = 0
        self.is_whole = False
        # The time limit of the request, while it is under way, and whether that was brought forward.
        self.under_way: asyncio.Timeout | None = None
        self.is_given_up = False

    def abort(self) -> None:
        """Hang up, if there is a connection."""
        if self.under_way is not None and not self.under_way.expired():
            self.is_given_up = True
            self.under_way.reschedule(asyncio.get_running_loop().time())

    def give_up(self) -> None:
        """The answer comes too slowly."""
        self.too_slow = True
        self.abort()

    def take_body(self, in_memory: bytes) -> None:
        """All of the body has come."""
        try:
            self.spooled = self.body.spooled() if self.body is not None else None
        except OSError as error:
            self.disk_error = error
            raise
        self.wire_bytes = len(in_memory) if self.spooled is None else self.spooled.size
        self.is_whole = True

    def drop_body(self) -> None:
        """Nobody wants what has come of the body."""
        if self.body is not None:
            self.body.truncate(0)

    def fail_to_spool(self, error: OSError) -> None:
        """The disk takes no more of the body: nobody need send the rest."""
        self.disk_error = error
        self.abort()


@contextmanager
def hurried(passage: GuardedRequest, slow_seconds: float) -> Iterator[None]:
    """Meanwhile, hang up on an answer that takes longer than `slow_seconds` and what its bytes have earned."""
    loop = asyncio.get_running_loop()
    began = loop.time()
    alarm: asyncio.TimerHandle

    def look() -> None:
        nonlocal alarm
        over = began + slow_seconds + passage.received_bytes / LEAST_MEDIA_RATE
        if loop.time() >= over:
            passage.give_up()
        else:
            alarm = loop.call_at(over, look)

    alarm = loop.call_later(slow_seconds, look)
    try:
        yield
    finally:
        alarm.cancel()
