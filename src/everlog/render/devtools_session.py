"""What is said to Chromium over one line: commands and their answers, in DevTools' words."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from playwright.async_api import CDPSession

Answer = dict[str, Any]


class Lost(Exception):
    """The tab, or the whole browser, ended under us."""


class Refused(Exception):
    """Chromium would not do what it was told: most often what it was told about is no longer there."""


@contextmanager
def or_lost() -> Iterator[None]:
    """For what Playwright does beside the commands below: where it fails, the browser is gone."""
    try:
        yield
    except (Lost, Refused):
        raise
    except Exception as error:  # noqa: BLE001 - the driver's end reaches us as whatever its pipe raised
        raise Lost(_first_line(str(error))) from None


class DevToolsSession:
    """A line to the browser or to one tab; errors of Playwright end here."""

    def __init__(self, line: CDPSession) -> None:
        self._line = line

    async def send(self, command: str, **parameters: Any) -> Answer:
        from playwright.async_api import Error  # noqa: PLC0415 - an extra, and there when this runs

        with or_lost():
            try:
                answer: Answer = await self._line.send(command, parameters)
            except Error as error:
                text = error.message
                if "closed" in text or "crashed" in text or "detached" in text:
                    raise Lost(_first_line(text)) from None
                raise Refused(f"{command}: {text}") from None
            return answer

    def on(self, event: str, listener: Callable[[Answer], None]) -> None:
        """Call the listener at each event. It must not raise: Playwright would give up the whole browser."""
        self._line.on(event, listener)


def _first_line(text: str) -> str:
    """What happened; all that the browser ever logged follows it."""
    return text.partition("\n")[0]
