"""Maker of pages: what all pages of the interface have in common, and the pages about what is not there."""

from __future__ import annotations

import logging
from datetime import UTC, datetime
from functools import cached_property, partial
from itertools import islice
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar
from urllib.parse import quote, urlsplit, urlunsplit

from anyio import CapacityLimiter, to_thread
from starlette.concurrency import run_in_threadpool
from starlette.responses import RedirectResponse

from everlog.core.urls import canonical, host_of, without_user
from everlog.errors import EverlogError, TooSlow, UsageError
from everlog.replay import View
from everlog.web.limited_app import EXPENSIVE
from everlog.web.mementos.replay_address import read_url
from everlog.web.origins import origin_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from starlette.requests import Request
    from starlette.responses import Response

    from everlog.archive import Archive
    from everlog.archive.models import HeldAddress
    from everlog.records import Blog
    from everlog.web.origins import Origins
    from everlog.web.page_templates import Pages

P = ParamSpec("P")
T = TypeVar("T")
log = logging.getLogger("everlog.web")
# Chosen, not measured: longer than people wait for a page, and shorter than proxies do (nginx: 60 s).
LONGEST_LOOK_SECONDS = 10.0
# Pages of blogs and posts that are made side by side; expensive answers have a turn of their own (`client_limits`).
# Python runs one thread at a time: eight made all pages late together. With 20 readers of 10,000 posts half of the
# pages of blogs began after 62 ms by eight threads, 40 by three, 32 by two; made in one go (`page_of`), 18 by two, 14
# by one.
PAGES_AT_ONCE = 1
# Blogs of one host that are named: hosts of many have thousands.
MOST_OTHERS = 20


class PageMaker:
    """Answers of the interface. With `is_public`, what is hidden is not there."""

    def __init__(self, archive: Archive, origins: Origins, pages: Pages, *, is_public: bool = False) -> None:
        self.archive, self.origins, self.pages, self.is_public = archive, origins, pages, is_public
        # Links of the pages themselves stay on the host that was asked; behind a proxy they begin with its path.
        self.root = urlsplit(origins.base_url or "").path.rstrip("/")

    @property
    def has_fleet(self) -> bool:
        """Whether many machines may work on the archive: its database is one that all of them reach."""
        return "://" in self.archive.backend.where

    async def look(self, question: Callable[P, T], *given: P.args, **named: P.kwargs) -> T:
        """What the archive says, asked in a thread: all that a question reads is of one moment, and one transaction."""
        return await run_in_threadpool(self._look, partial(question, *given, **named))

    def _look(self, question: Callable[[], T]) -> T:
        with self.archive.backend.database.snapshot(seconds=LONGEST_LOOK_SECONDS):
            return question()

    async def page(
        self, request: Request, name: str, status: int = 200, *, headers: dict[str, str] | None = None, **values: Any,
    ) -> Response:
        text = await to_thread.run_sync(self._text, name, headers, values, limiter=self._turns)
        return self._answer(request, text, status, headers)

    async def page_of(
        self, request: Request, name: str, question: Callable[[], Mapping[str, Any] | None], *,
        before: Callable[[], object] | None = None, headers: dict[str, str] | None = None,
    ) -> Response | None:
        """The page about what a question answers, None if it answers none; `before` is done before the reading begins.

        It is asked and written in one go: where many readers wait, each way to a thread and back is one more wait for
        the one thread that Python lets run.
        """
        def made() -> tuple[str, int] | None:
            if before is not None:
                before()
            values = self._look(question)
            if values is None:
                return None
            # What readers asked for that means nothing.
            return self._text(name, headers, values), 400 if values.get("problem") else 200

        found = await to_thread.run_sync(made, limiter=None if request.scope.get(EXPENSIVE) else self._turns)
        return None if found is None else self._answer(request, *found, headers)

    @cached_property
    def _turns(self) -> CapacityLimiter:
        return CapacityLimiter(PAGES_AT_ONCE)

    def _text(self, name: str, headers: Mapping[str, str] | None, values: Mapping[str, Any]) -> str:
        return self.shown(self.pages.text(name, **{
            "root": self.root, "safe": safe, "short": short, "is_public": self.is_public,
            "robots": (headers or {}).get("X-Robots-Tag"), "has_fleet": self.has_fleet and not self.is_public, **values,
        }))

    def _answer(self, request: Request, text: str, status: int, headers: Mapping[str, str] | None) -> Response:
        there = origin_of(self.origins.replay(request.headers["host"]))
        return self.pages.answer(text, status, {
            "Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Resource-Policy": "same-origin",
            **(headers or {}),
        }, policy=(
            f"default-src 'none'; style-src 'self'; img-src 'self' {there}; media-src {there}; frame-src {there}; "
            "script-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
        ))

    def shown(self, text: str) -> str:
        """A text as anybody may read it: in public, without the passwords of addresses."""
        return without_user(text) if self.is_public else text

    def interface(self, request: Request) -> str:
        """The address of the interface, as who asks has to know it."""
        return self.origins.interface(request.headers["host"])

    def blog_at(self, path: str) -> Blog | None:
        """The blog whose home an address is; in public, none that is hidden."""
        home = read_url(path)
        blog = self.archive.blogs.find(home) if home else None
        if blog is None or home is None or canonical(blog.home) != canonical(home):
            return None
        return blog if self._is_shown(blog) else None

    def _is_shown(self, blog: Blog) -> bool:
        return not self.is_public or blog.id not in self.archive.hidden.blogs()

    async def not_held(self, request: Request, url: str, asked: str, *, as_post: bool = False) -> Response:
        """The page about an address that is not held, `as_post` or at all: what is near, and the way to it."""
        # Where a redirect leads may be what is hidden.
        url = asked if self.is_public else url
        near, blog = await self.look(self._near, url)
        parents = _parents(url)
        held = await self.look(self.archive.mementos.nearest_many, [url, *parents], datetime.now(UTC))
        return await self.page(
            request, "missing.html", 404, url=url, asked=asked, near=near, blog=blog, as_post=as_post,
            is_captured=url in held and held[url].way != "redirect",
            parents=[parent for parent in parents if parent in held],
        )

    async def nothing_here(self, request: Request, _error: Exception | None = None) -> Response:
        """The page about an address that means nothing here."""
        return await self.page(
            request, "missing.html", 404, url=None, asked=None, near=(), blog=None, as_post=False, is_captured=False,
            parents=[],
        )

    async def no_blog(self, request: Request) -> Response:
        """The page about an address that is no blog's: the blogs of its host, and the way to have it.

        Where a blog has moved away from, what is asked of it is led on, for feed readers and old links.
        """
        named = request.path_params["home"]
        home = read_url(named)
        if home is None:
            return await self.nothing_here(request)
        moved = await self.look(self._moved_from, home)
        if moved is not None:
            page, query = request.scope["path"].removesuffix(named), request.url.query
            place = f"{self.root}{page}{safe(short(moved.home))}"
            return RedirectResponse(f"{place}?{query}" if query else place, 302)
        others = await self.look(self._blogs_of, host_of(home))
        return await self.page(request, "no_blog.html", 404, home=without_user(home), others=others)

    async def failed(self, request: Request, error: Exception) -> Response:
        """The page about what went wrong."""
        known = error if isinstance(error, EverlogError) else EverlogError(str(error))
        if isinstance(error, UsageError):
            # The reader is told. Who runs the server can do nothing about it, and readers could fill the log with it.
            here = self.root + quote(request.url.path)
            return await self.page(
                request, "failed.html", 400, message=known.message, advice=known.advice,
                plain=here if request.url.query else None,
            )
        log.error("%s: %s", quote(without_user(request.url.path)), error)
        if isinstance(error, TooSlow):
            return await self.page(
                request, "failed.html", 503, message="This took too long.", advice=known.advice, plain=None,
                headers={"Retry-After": "30", "X-Robots-Tag": "noindex"},
            )
        if self.is_public:
            # What went wrong names folders and servers.
            known = EverlogError("The archive could not be read just now.", advice="try again later")
        return await self.page(request, "failed.html", 500, message=known.message, advice=known.advice, plain=None)

    async def broken(self, request: Request, _error: Exception) -> Response:
        """The page about what nobody expected: what it was stands in the log of the server, not here."""
        return await self.page(
            request, "failed.html", 500, message="Something unexpected went wrong on this page.",
            advice="look at another page; whoever runs this archive finds the reason in the log of everlog serve",
            plain=None,
        )

    async def busy(self, request: Request, status: int, seconds: int) -> Response:
        """The page for who has to wait."""
        return await self.page(
            request, "busy.html", status, seconds=seconds, is_own=status == 429,
            headers={"Retry-After": str(seconds), "Cache-Control": "no-store", "X-Robots-Tag": "noindex"},
        )

    def _blogs_of(self, host: str) -> list[Blog]:
        found = (
            blog for blog in self.archive.blogs(forgotten=True) if host_of(blog.home) == host and self._is_shown(blog)
        )
        return list(islice(found, MOST_OTHERS))

    def _moved_from(self, home: str) -> Blog | None:
        """The blog that was once at a home; of several, the one that was added last."""
        return next((
            blog for blog in reversed(self.archive.blogs(forgotten=True))
            if canonical(home) in map(canonical, blog.former_homes) and self._is_shown(blog)
        ), None)

    def _near(self, url: str) -> tuple[tuple[HeldAddress, ...], Blog | None]:
        blog = next(
            (blog for blog in self.archive.blogs(forgotten=True)
             if host_of(url) in map(host_of, (blog.home, *blog.former_homes)) and self._is_shown(blog)), None,
        )
        near = self.archive.mementos.near(url)
        if blog is not None and host_of(blog.home) != host_of(url):
            # The blog was there once: what it has now may be what was meant.
            parts = urlsplit(url)
            near += self.archive.mementos.near(urlunsplit(parts._replace(netloc=urlsplit(blog.home).netloc)))
        return near, blog


def safe(url: str) -> str:
    """A URL behind the prefix of an address of ours."""
    return View(prefix="", timestamp="").link(without_user(url)).removeprefix("/web//")


def number_in(text: str) -> int:
    """The number that a link names; 0 for what is none.

    >>> number_in("12"), number_in("x"), number_in("-1")
    (12, 0, 0)
    """
    return int(text) if text.isascii() and text.isdigit() and len(text) < 19 else 0


def short(url: str) -> str:
    """An address as people say it.

    >>> short("https://www.a.org/"), short("http://a.org/b?c=1")
    ('www.a.org', 'a.org/b?c=1')
    """
    return without_user(url).partition("://")[2].removesuffix("/") or url


def _parents(url: str) -> list[str]:
    """The folders above an address, the nearest first, up to the front page of the host.

    >>> _parents("https://a.org/2024/05/post?x=1")
    ['https://a.org/2024/05/post', 'https://a.org/2024/05/', 'https://a.org/2024/', 'https://a.org/']
    """
    parts = urlsplit(url)
    folders = parts.path.rstrip("/").split("/")[1:-1]
    found = [f"{parts.scheme}://{parts.netloc}{parts.path}"] if parts.query else []
    while folders:
        found.append(f"{parts.scheme}://{parts.netloc}/{'/'.join(folders)}/")
        folders.pop()
    return [*found, f"{parts.scheme}://{parts.netloc}/"] if parts.path.strip("/") else found
