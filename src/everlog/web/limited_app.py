"""Limited app: an app whose expensive answers are paid for by who asks, and made a few at a time."""

from __future__ import annotations

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


class LimitedApp:
    """An app behind its limits. `wait` makes the page for who has to wait: of a status, for so many seconds."""

    def __init__(
        self, app: ASGIApp, wait: Callable[[Request, int, int], Awaitable[Response]], *,
        clients: ClientLimits | None = None, turns: Turns | None = None,
    ) -> None:
        self._app, self._wait = app, wait
        self._clients, self._turns = clients or ClientLimits(), turns or Turns()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        cost, client = cost_of(scope["path"]), scope.get("everlog.client")
        if not cost:
            await self._app(scope, receive, send)
            return
        if client is not None and (seconds := self._clients.pay(client, cost)):
            await (await self._wait(Request(scope), 429, seconds))(scope, receive, send)
            return
        if not await self._turns.take():
            await (await self._wait(Request(scope), 503, BUSY_SECONDS))(scope, receive, send)
            return
        scope[EXPENSIVE] = True
        is_over = False

        def give_back() -> None:
            nonlocal is_over
            if not is_over:
                is_over = True
                self._turns.give_back()

        async def sent(message: Message) -> None:
            # The work is done; who reads the answer slowly does not keep others waiting.
            give_back()
            await send(message)

        try:
            await self._app(scope, receive, sent)
        finally:
            give_back()
