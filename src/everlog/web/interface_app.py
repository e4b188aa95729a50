"""Interface app: the pages of everlog, in which what was archived is found, framed and read."""

from __future__ import annotations

import logging
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlencode, urlsplit, urlunsplit

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route

from everlog.core.urls import canonical, host_of
from everlog.errors import EverlogError
from everlog.replay import Replayed, View
from everlog.web.capture_times import meant_by, timestamp
from everlog.web.memento_content import is_framed
from everlog.web.memento_finder import find_memento
from everlog.web.origins import origin_of
from everlog.web.reading_view import shown_article, shown_comments
from everlog.web.replay_address import behind, read_address, read_url
from everlog.web.replay_app import SANDBOX

if TYPE_CHECKING:
    from starlette.requests import Request

    from everlog.archive import Archive
    from everlog.archive.models import HeldAddress
    from everlog.records import Blog
    from everlog.web.origins import Origins
    from everlog.web.page_templates import Pages

log = logging.getLogger("everlog.web")
# Addresses on one page of a list, and captures of one address.
PER_PAGE, MOST_MOMENTS = 50, 2_000
KINDS = {
    "": ("Pages", ("post", "page")), "media": ("Media", ("media",)), "requisite": ("Design", ("requisite",)),
    "all": ("Everything", ()),
}


class InterfaceApp:
    """What the port of the interface answers."""

    def __init__(self, archive: Archive, origins: Origins, pages: Pages) -> None:
        self._archive, self._origins, self._pages = archive, origins, pages

    def app(self) -> Starlette:
        return Starlette(routes=[
            Route("/", self.start),
            Route("/blog/{home:path}", self.blog),
            Route("/web/{rest:path}", self.memento),
            Route("/read/{rest:path}", self.read),
            Route("/go", self.go),
            Route("/static/{name}", self._pages.static),
            Route("/robots.txt", _robots),
        ], exception_handlers={404: self._nothing_here, EverlogError: self._failed})

    async def start(self, request: Request) -> Response:
        """All blogs."""
        blogs = await run_in_threadpool(lambda: list(self._archive.blogs.outlines()))
        return await self._page(request, "start.html", blogs=blogs, heading=_short)

    async def blog(self, request: Request) -> Response:
        """The captured addresses of a blog, a page at a time."""
        home = read_url(request.path_params["home"])
        blog = await run_in_threadpool(self._archive.blogs.find, home) if home else None
        if blog is None or home is None or canonical(blog.home) != canonical(home):
            return await self._nothing_here(request)
        asked = request.query_params
        kind = asked.get("kind", "") if asked.get("kind", "") in KINDS else ""
        after = int(asked["after"]) if asked.get("after", "").isascii() and asked.get("after", "").isdigit() else 0
        listed = await run_in_threadpool(self._listed, blog, kind, asked.get("q", "")[:200], min(after, 2**62))
        return await self._page(request, "blog.html", **listed, after=after)

    async def memento(self, request: Request) -> Response:
        """A capture in its frame, below the bar; or the way to it; or all captures of an address."""
        address = read_address(behind(request.scope, "/web/"))
        if address is None:
            return await self._nothing_here(request)
        if address.digits == "*":
            return await self._moments(request, address.url)
        at = meant_by(address.digits) if address.digits else datetime.now(UTC)
        found = await run_in_threadpool(find_memento, self._archive, address.url, at) if at else None
        memento = found.memento if found else None
        if memento is None:
            return await self._not_held(request, found.url if found else address.url, address.url)
        here = View(prefix=self._interface(request), timestamp=timestamp(memento.at))
        if timestamp(memento.at) != address.digits or canonical(memento.url) != canonical(address.url):
            return RedirectResponse(here.link(memento.url), 302, headers={"Cache-Control": "no-store"})
        around = await run_in_threadpool(self._archive.mementos.surroundings, address.url, memento)
        post = await run_in_threadpool(self._archive.posts.find, address.url)
        there = View(prefix=self._origins.replay(request.headers["host"]), timestamp="", modifier="mp_")
        held = Replayed(timestamp=address.digits, url=address.url)
        return await self._page(
            request, "memento.html", memento=memento, url=address.url, around=around,
            title=post.title if post else None, is_post=post is not None,
            shown=there.frame(held), alone=there.file(held),
            is_framed=is_framed(memento.content_type), sandbox=SANDBOX.removeprefix("sandbox "),
            headers={"X-Robots-Tag": "noindex"},
        )

    async def read(self, request: Request) -> Response:
        """A post as everlog read it."""
        url = read_url(behind(request.scope, "/read/"))
        values = await run_in_threadpool(self._read, request, url) if url else None
        if values is None:
            return await self._not_held(request, url, url) if url else await self._nothing_here(request)
        return await self._page(request, "post.html", **values)

    async def go(self, request: Request) -> Response:
        """Where the field for addresses leads."""
        url = read_url(request.query_params.get("url", "")[:8_000])
        host = urlsplit(url).netloc if url else ""
        if url is None or not ("." in host or ":" in host or host == "localhost"):
            return await self._nothing_here(request)
        return RedirectResponse(f"{self._interface(request)}/web/{_safe(url)}", 302)

    def _listed(self, blog: Blog, kind: str, text: str, after: int) -> dict[str, Any]:
        mementos, lanes = self._archive.mementos, KINDS[kind][1]
        held = mementos.held_addresses(blog.id, lanes=lanes, text=text, after=after, limit=PER_PAGE + 1)
        asked = {name: value for name, value in (("kind", kind), ("q", text)) if value}
        return {
            "blog": blog, "held": held[:PER_PAGE], "kind": kind, "text": text,
            "kinds": [(name, label) for name, (label, _) in KINDS.items()],
            "count": mementos.count_addresses(blog.id, lanes=lanes, text=text), "short": _short, "below": _below,
            "further": urlencode(asked | {"after": str(held[PER_PAGE - 1].id)}) if len(held) > PER_PAGE else None,
            "first": urlencode(asked),
        }

    def _read(self, request: Request, url: str) -> dict[str, Any] | None:
        post = self._archive.posts.find(url, as_read=True)
        if post is None:
            return None
        memento = self._archive.mementos.nearest(post.url, post.fetched or datetime.now(UTC))
        at = memento.at if memento else post.fetched or datetime.now(UTC)
        view = View(
            prefix=self._origins.replay(request.headers["host"]), timestamp=timestamp(at), modifier="mp_",
            interface=self._interface(request),
        )
        return {
            "post": post, "article": shown_article(self._archive, post, at, view), "comments": shown_comments(post),
            "original": view.link(post.url) if memento is not None else None, "at": at,
        }

    async def _moments(self, request: Request, url: str) -> Response:
        moments = await run_in_threadpool(self._archive.mementos.moments, url)
        if not moments:
            return await self._not_held(request, url, url)
        years: dict[int, list[Any]] = {}
        for moment in reversed(moments[-MOST_MOMENTS:]):
            years.setdefault(moment.at.year, []).append(moment)
        return await self._page(
            request, "moments.html", url=url, years=years, count=len(moments), most=MOST_MOMENTS,
            timemap=f"{self._origins.replay(request.headers['host'])}/timemap/link/{quote(url, safe=_SAFE)}",
            headers={"X-Robots-Tag": "noindex"},
        )

    async def _not_held(self, request: Request, url: str, asked: str) -> Response:
        near, blog = await run_in_threadpool(self._near, url)
        parents = _parents(url)
        held = await run_in_threadpool(self._archive.mementos.nearest_many, parents, datetime.now(UTC))
        return await self._page(
            request, "missing.html", 404, url=url, asked=asked, near=near, blog=blog, short=_short,
            parents=[parent for parent in parents if parent in held],
        )

    def _near(self, url: str) -> tuple[tuple[HeldAddress, ...], Blog | None]:
        blog = next(
            (blog for blog in self._archive.blogs(forgotten=True)
             if host_of(url) in map(host_of, (blog.home, *blog.former_homes))), None,
        )
        near = self._archive.mementos.near(url)
        if blog is not None and host_of(blog.home) != host_of(url):
            # The blog was there once: what it has now may be what was meant.
            parts = urlsplit(url)
            near += self._archive.mementos.near(urlunsplit(parts._replace(netloc=urlsplit(blog.home).netloc)))
        return near, blog

    async def _nothing_here(self, request: Request, _error: Exception | None = None) -> Response:
        return await self._page(request, "missing.html", 404, url=None, asked=None, near=(), blog=None, parents=[],
                                short=_short)

    async def _failed(self, request: Request, error: Exception) -> Response:
        log.error("%s", error)
        known = error if isinstance(error, EverlogError) else EverlogError(str(error))
        return await self._page(request, "failed.html", 500, message=known.message, advice=known.advice)

    def _interface(self, request: Request) -> str:
        return self._origins.interface(request.headers["host"])

    async def _page(
        self, request: Request, name: str, status: int = 200, *, headers: dict[str, str] | None = None, **values: Any,
    ) -> Response:
        # Links of the pages themselves stay on the host that was asked; behind a proxy they begin with its path.
        root = urlsplit(self._origins.base_url or "").path.rstrip("/")
        text = await run_in_threadpool(self._pages.text, name, root=root, safe=_safe, **values)
        there = origin_of(self._origins.replay(request.headers["host"]))
        return self._pages.answer(text, status, {
            "Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Resource-Policy": "same-origin",
            **(headers or {}),
        }, policy=(
            f"default-src 'none'; style-src 'self'; img-src 'self' {there}; media-src {there}; frame-src {there}; "
            "script-src 'none'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
        ))


_SAFE = "/:?&=%+,;@~!$'()*[]"


def _safe(url: str) -> str:
    """A URL behind the prefix of an address of ours."""
    return View(prefix="", timestamp="").link(url).removeprefix("/web//")


def _short(url: str) -> str:
    """An address as people say it.

    >>> _short("https://www.a.org/"), _short("http://a.org/b?c=1")
    ('www.a.org', 'a.org/b?c=1')
    """
    return url.partition("://")[2].removesuffix("/") or url


def _below(url: str, home: str) -> str:
    """An address of a blog, without the host that all of them have.

    >>> _below("https://a.org/b?c=1", "http://www.a.org/"), _below("https://cdn.org/x", "http://a.org/")
    ('/b?c=1', 'cdn.org/x')
    """
    return "/" + url.partition("://")[2].partition("/")[2] if host_of(url) == host_of(home) else _short(url)


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


async def _robots(_request: Request) -> Response:
    return PlainTextResponse("User-agent: *\nDisallow: /web/\n")
