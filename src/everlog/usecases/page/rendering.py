"""Rendering as one blog's crawl uses it: when a page is rendered by the browser, and what is done when that fails."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from importlib.util import find_spec
from typing import TYPE_CHECKING

from everlog.comments.services import Service, embedded
from everlog.core.tree import parse
from everlog.errors import NoBrowser, UnreadablePage
from everlog.records import BrowserRequest, Exchange, Failure, Page, Rendered
from everlog.render import Browser, RenderFailed
from everlog.render.find_chromium import find_chromium

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from everlog.core.fetcher import Fetcher
    from everlog.settings import Settings

HTML = "text/html; charset=utf-8"
# A service that gave nothing so often in a row is down: the posts that follow are not rendered for it, and
# are tried again at the next update.
DOWN_AFTER = 5
# What a page needs to be shown that a browser has asked for is kept from its answer. Beyond so many bytes that wait for
# that, it is asked for once more; the scripts, styles and fonts of one design are a few megabytes.
ANSWERS_BYTES = 32_000_000
KEPT_KINDS = frozenset({"script", "stylesheet", "font", "image", "media", "manifest"})
OK = 200


class NotRendered(Exception):
    """A page that the browser could not render, and why."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


@dataclass(slots=True)
class Rendering:
    """One blog's use of the browser. `is_scripted`: the blog's pages show nothing before a script ran."""

    browser: Browser | None
    fetcher: Fetcher
    settings: Settings
    is_scripted: bool = False
    count: int = 0
    missing: str | None = None
    _failures: Counter[str] = field(default_factory=Counter)
    # What pages in the browser were answered, by the address as it was asked for, and how many bytes that is.
    _answers: dict[str, Exchange] = field(default_factory=dict)
    _answered_bytes: int = 0
    # What was rendered to learn the blog from, until its pages are visited.
    _rendered: dict[str, Rendered] = field(default_factory=dict)

    @property
    def renders_all(self) -> bool:
        """Whether every page is rendered before it is read."""
        wanted = self.settings.render
        return wanted == "always" or (wanted == "auto" and self.is_scripted)

    def worth_rendering(self, services: Sequence[Service]) -> tuple[Service, ...]:
        """The services among these that a browser may bring comments from."""
        if self.settings.render == "never" or self.missing is not None:
            return ()
        return tuple(service for service in services if self._failures[service.name] < DOWN_AFTER)

    def note_answer(self, service: str, *, answered: bool) -> None:
        """A service gave its comments, or did not."""
        self._failures[service] = 0 if answered else self._failures[service] + 1

    def why_not(self, service: str) -> str:
        """Why the comments of a service are not there, in words."""
        if self.settings.render == "never":
            return f"comments by {service} need a browser: leave out --render never"
        if self.missing is not None:
            return f"comments by {service} need a browser: {self.missing}"
        if self._failures[service] >= DOWN_AFTER:
            return f"{service} returned no comments {DOWN_AFTER} times in a row"
        return f"{service} returned no comments"

    async def render(self, page: Page, services: Iterable[Service] = ()) -> Rendered:
        """The page as a browser shows it; NotRendered says why it cannot."""
        kept = self._rendered.pop(page.url, None)
        if kept is not None:
            return kept
        if self.browser is None:
            raise NotRendered("no browser is running")
        wanted = tuple(services) or embedded_in(page)
        try:
            rendered = await self.browser.render(
                page, fetch=self._request, services=wanted, screenshot=self.settings.screenshots,
            )
        except NoBrowser as error:
            self.missing = error.message
            if self.renders_all:
                raise
            raise NotRendered(error.message) from error
        except RenderFailed as error:
            raise NotRendered(error.reason) from error
        self.count += 1
        return rendered

    def answered(self, url: str) -> Exchange | None:
        """What a page in the browser was answered when it asked for this, once: it need not be asked for again."""
        answer = self._answers.pop(url, None)
        if answer is not None:
            self._answered_bytes -= answer.size
        return answer

    async def _request(self, wanted: BrowserRequest) -> Exchange | Failure:
        answer = await self.fetcher.request(wanted)
        may_be_kept = self.settings.requisites and wanted.method == "GET" and wanted.kind in KEPT_KINDS
        if may_be_kept and isinstance(answer, Exchange) and answer.status == OK and wanted.url not in self._answers:
            self._keep_answer(wanted.url, answer)
        return answer

    def _keep_answer(self, url: str, answer: Exchange) -> None:
        if self._answered_bytes + answer.size <= ANSWERS_BYTES:
            self._answers[url] = answer
            self._answered_bytes += answer.size

    def keep_for_later(self, rendered: Rendered) -> None:
        """A page that was rendered to learn from is not rendered again when it is visited."""
        self._rendered[rendered.url] = rendered


def can_render(settings: Settings) -> bool:
    """Whether there is a browser, and it may be used."""
    if settings.render == "never" or find_spec("playwright") is None:
        return False
    try:
        find_chromium(settings.browser)
    except NoBrowser:
        return False
    return True


def embedded_in(page: Page) -> tuple[Service, ...]:
    """The comment services that a page embeds."""
    try:
        return embedded(parse(page.body, page.content_type))
    except UnreadablePage:
        return ()


def page_of(rendered: Rendered) -> Page:
    """What was rendered, as a page like all others."""
    return Page(url=rendered.url, body=rendered.body, content_type=HTML, fetched_at=rendered.rendered_at)


def exchanges_of(rendered: Rendered) -> tuple[Exchange, ...]:
    """What was rendered, as the archive keeps it beside the answer it was made from."""
    made = [Exchange(
        url=rendered.url, status=200, headers=(("Content-Type", HTML),), body=rendered.body,
        fetched_at=rendered.rendered_at, purpose="rendered",
    )]
    if rendered.screenshot is not None:
        # The name under which other archivers keep pictures of whole pages.
        made.append(Exchange(
            url=f"urn:fullPage:{rendered.url}", status=200, headers=(("Content-Type", "image/png"),),
            body=rendered.screenshot, fetched_at=rendered.rendered_at, purpose="screenshot",
        ))
    return tuple(made)
