"""A browser on a loop of its own, and webs that are a table of answers."""

from __future__ import annotations

import asyncio
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from everlog.records import BrowserRequest, Exchange, Failure, Page, Rendered
from everlog.render import Browser, RenderOptions

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Iterator, Mapping

HOME = "https://a.blog/post"
EPOCH = datetime(2024, 1, 1, tzinfo=UTC)


def answer(
    url: str, body: bytes | str = b"", kind: str = "text/html", *, status: int = 200, **headers: str
) -> Exchange:
    """An answer; `Set_Cookie="a=1"` names the header Set-Cookie."""
    pairs = [("Content-Type", kind), *((name.replace("_", "-"), value) for name, value in headers.items())]
    content = body.encode() if isinstance(body, str) else body
    return Exchange(url=url, status=status, headers=tuple(pairs), body=content, fetched_at=EPOCH)


def redirect(url: str, to: str, status: int = 302) -> Exchange:
    return answer(url, status=status, Location=to)


@dataclass
class Site:
    """Answers by address (or by address without its query); what is not here is a 404."""

    answers: dict[str, str | bytes | Exchange | Failure | Callable[[BrowserRequest], Any]] = field(default_factory=dict)
    asked: list[BrowserRequest] = field(default_factory=list)

    async def fetch(self, asked: BrowserRequest) -> Exchange | Failure:
        self.asked.append(asked)
        found = self.answers.get(asked.url, self.answers.get(asked.url.partition("?")[0]))
        if callable(found):
            found = found(asked)
            if asyncio.iscoroutine(found):
                found = await found
        if found is None:
            return answer(asked.url, "nothing here", status=404)
        if isinstance(found, Exchange | Failure):
            return found
        return answer(asked.url, found, _kind(asked.url))

    def urls(self) -> list[str]:
        return [asked.url for asked in self.asked]


def _kind(url: str) -> str:
    ends = {".js": "text/javascript", ".json": "application/json", ".css": "text/css", ".png": "image/png"}
    return next((kind for end, kind in ends.items() if url.partition("?")[0].endswith(end)), "text/html; charset=utf-8")


def page(body: str | bytes, url: str = HOME, content_type: str | None = "text/html; charset=utf-8") -> Page:
    return Page(url=url, body=body.encode() if isinstance(body, str) else body, content_type=content_type)


@dataclass
class Stage:
    """A browser, and the loop it lives on."""

    runner: asyncio.Runner
    browser: Browser

    def run(self, work: Coroutine[Any, Any, Any]) -> Any:
        return self.runner.run(work)

    def render(self, body: str | bytes | Page, site: Site | None = None, **options: Any) -> Rendered:
        shown = body if isinstance(body, Page) else page(body)
        return self.run(self.browser.render(shown, fetch=(site or Site()).fetch, **options))

    def render_all(self, bodies: Mapping[str, str], site: Site | None = None, **options: Any) -> dict[str, Rendered]:
        """Render pages, as many at once as there are tabs."""
        fetch = (site or Site()).fetch

        async def all_of_them() -> list[Rendered]:
            shown = (self.browser.render(page(body), fetch=fetch, **options) for body in bodies.values())
            return await asyncio.gather(*shown)

        return dict(zip(bodies, self.run(all_of_them()), strict=True))

    def html(self, body: str | bytes | Page, site: Site | None = None, **options: Any) -> str:
        return self.render(body, site, **options).body.decode()


@contextmanager
def staged(chosen: RenderOptions | None = None) -> Iterator[Stage]:
    with asyncio.Runner() as runner:
        browser = Browser(chosen)
        runner.run(browser.__aenter__())
        try:
            yield Stage(runner, browser)
        finally:
            runner.run(browser.__aexit__(None, None, None))
