"""How pages are rendered, who brings what they ask for, and what is raised when one cannot be rendered."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from everlog.records import BrowserRequest, Exchange, Failure

# Brings what a page asks for: one answer per question, redirects (3xx) as they are.
Fetch = Callable[[BrowserRequest], Awaitable[Exchange | Failure]]


@dataclass(frozen=True, slots=True, kw_only=True)
class RenderOptions:
    """How many pages are open at once, and when enough is enough.

    `recycle_pages` is how many pages one browser renders before another takes its place. A page is
    given `page_seconds` from its first byte on, `max_clicks` on "show more" and `max_bytes` of HTML.
    """

    tabs: int = 4
    recycle_pages: int = 200
    page_seconds: float = 60.0
    max_clicks: int = 200
    max_bytes: int = 20_000_000
    executable: str | None = None


class RenderFailed(Exception):
    """A page that no browser could show; `reason` is a sentence for the report."""

    def __init__(self, url: str, reason: str) -> None:
        super().__init__(f"{url}: {reason}")
        self.url = url
        self.reason = reason
