"""Limited app: an app whose expensive answers are paid for by who asks, and made a few at a time."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from starlette.requests import Request

from everlog.web.client_limits import ClientLimits, Turns, cost_of

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from starlette.responses import Response
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

# The name in a request's scope of what says that its answer is expensive.
EXPENSIVE = "everlog.expensive"
# Of what could not have its turn; the seconds that a reader waits before it asks again.
BUSY_SECONDS = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What all apps of a server have in common: a client's bucket is the same on both ports, and so is the turn."""

    clients: ClientLimits = field(default_factory=ClientLimits)
    turns: Turns = field(default_factory=Turns)


class LimitedApp:
    """An app behind its limits. `wait` makes the page for who has to wait: of a status, for so many seconds."""

    def __init__(
        self, app: ASGIApp, wait: Callable[[Request, int, int], Awaitable[Response]], *, limits: Limits | None = None,
    ) -> None:
        self._app, self._wait, self._limits = app, wait, limits or Limits()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        cost, client = cost_of(scope["path"]), scope.get("everlog.client")
        if not cost:
            await self._app(scope, receive, send)
            return
        if client is not None and (seconds := self._limits.clients.pay(client, cost)):
            await (await self._wait(Request(scope), 429, seconds))(scope, receive, send)
            return
        if not await self._limits.turns.take():
            await (await self._wait(Request(scope), 503, BUSY_SECONDS))(scope, receive, send)
            return
        scope[EXPENSIVE] = True
        is_over = False

        def give_back() -> None:
            nonlocal is_over
            if not is_over:
                is_over = True
                self._limits.turns.give_back()

        async def sent(message: Message) -> None:
            # The work is done; who reads the answer slowly does not keep others waiting.
            give_back()
            await send(message)

        try:
            await self._app(scope, receive, sent)
        finally:
            give_back()
