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
from everlog.errors import EverlogError, UsageError
from everlog.replay import Replayed, View
from everlog.usecases.completeness import completeness_of
from everlog.web.capture_times import meant_by, timestamp
from everlog.web.memento_content import is_framed
from everlog.web.memento_finder import find_memento
from everlog.web.month_charts import sparkline
from everlog.web.origins import origin_of
from everlog.web.post_list import Asked, PostList, is_unsure, published_day
from everlog.web.post_page import PostPages
from everlog.web.reading_view import anchor_of
from everlog.web.replay_address import behind, read_address, read_url
from everlog.web.replay_app import SANDBOX
from everlog.web.search_results import results_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from starlette.requests import Request

    from everlog.archive import Archive
    from everlog.archive.models import HeldAddress
    from everlog.archive.projection.summaries import PostSummary
    from everlog.records import Blog
    from everlog.web.origins import Origins
    from everlog.web.page_templates import Pages

log = logging.getLogger("everlog.web")
# Addresses on one page of a list, and captures of one address.
PER_PAGE, MOST_MOMENTS = 50, 2_000
BLOGS = 30
# Of results: no more than these are looked at.
MOST_PAGES = 100
# Addresses of missing posts that a page names: 10,000 would be a page of megabytes.
MOST_GAPS = 2_000
KINDS = {
    "": ("Pages", ("post", "page")), "media": ("Media", ("media",)), "requisite": ("Design", ("requisite",)),
    "all": ("Everything", ()),
}


class InterfaceApp:
    """What the port of the interface answers."""

    def __init__(self, archive: Archive, origins: Origins, pages: Pages, *, public: bool = False) -> None:
        self._archive, self._origins, self._pages, self._public = archive, origins, pages, public
        self._posts, self._post = PostList(archive, public=public), PostPages(archive, public=public)

    def app(self) -> Starlette:
        return Starlette(routes=[
            Route("/", self.start),
            Route("/blog/{home:path}", self.blog),
            Route("/captures/{home:path}", self.captures),
            Route("/complete/{home:path}", self.complete),
            Route("/web/{rest:path}", self.memento),
            Route("/read/{rest:path}", self.read),
            Route("/diff/{first}/{last}/{rest:path}", self.diff),
            Route("/json/{rest:path}", self.as_json),
            Route("/markdown/{rest:path}", self.as_markdown),
            Route("/search", self.search),
            Route("/go", self.go),
            Route("/static/{name}", self._pages.static),
            Route("/robots.txt", _robots),
        ], exception_handlers={404: self._nothing_here, EverlogError: self._failed})

    async def start(self, request: Request) -> Response:
        """All blogs, a page at a time."""
        return await self._page(request, "start.html", **await run_in_threadpool(self._blogs, request), short=_short)

    async def blog(self, request: Request) -> Response:
        """The posts of a blog, a page at a time, with what they can be filtered by."""
        blog = await run_in_threadpool(self._blog_at, request.path_params["home"])
        if blog is None:
            return await self._nothing_here(request)
        values = await run_in_threadpool(self._posts.page, blog, Asked(dict(request.query_params)))
        return await self._page(request, "blog.html", **values, short=_short, day_of=published_day, is_unsure=is_unsure)

    async def complete(self, request: Request) -> Response:
        """Whether all of a blog is held: the sentences, who lists its posts, and every address that is missing."""
        blog = await run_in_threadpool(self._blog_at, request.path_params["home"])
        if blog is None:
            return await self._nothing_here(request)
        known = await run_in_threadpool(completeness_of, blog, self._archive)
        hidden = await run_in_threadpool(self._archive.hidden.posts, blog.id)
        return await self._page(
            request, "complete.html", blog=blog, known=known, short=_short, most=MOST_GAPS,
            # Sentences count what is held, hidden posts too.
            is_counted=not (self._public and hidden),
        )

    async def captures(self, request: Request) -> Response:
        """The captured addresses of a blog, a page at a time."""
        blog = await run_in_threadpool(self._blog_at, request.path_params["home"])
        if blog is None:
            return await self._nothing_here(request)
        asked = request.query_params
        kind = asked.get("kind", "") if asked.get("kind", "") in KINDS else ""
        after = _number(asked.get("after", ""))
        listed = await run_in_threadpool(self._listed, blog, kind, asked.get("q", "")[:200], after)
        return await self._page(request, "captures.html", **listed, after=after)

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
        post = await run_in_threadpool(self._summary_at, address.url)
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
        if url is None:
            return await self._nothing_here(request)
        values = await run_in_threadpool(
            self._post.page, url, replay=self._origins.replay(request.headers["host"]),
            interface=self._interface(request),
        )
        if values is None:
            return await self._not_held(request, url, url)
        return await self._page(request, "post.html", **values, short=_short, day_of=published_day)

    async def diff(self, request: Request) -> Response:
        """What changed between two versions of a post."""
        first, last = request.path_params["first"], request.path_params["last"]
        url = read_url(behind(request.scope, f"/diff/{first}/{last}/"))
        values = await run_in_threadpool(self._post.changes, url, _number(first), _number(last)) if url else None
        if values is None:
            return await self._not_held(request, url, url) if url else await self._nothing_here(request)
        return await self._page(request, "diff.html", **values, short=_short, headers={"X-Robots-Tag": "noindex"})

    async def as_json(self, request: Request) -> Response:
        """A post for programs."""
        return await self._file(request, "/json/", self._post.as_json, "application/json; charset=utf-8")

    async def as_markdown(self, request: Request) -> Response:
        """A post for editors of text."""
        return await self._file(request, "/markdown/", self._post.as_markdown, "text/markdown; charset=utf-8")

    async def _file(
        self, request: Request, prefix: str, make: Callable[[str], str | None], kind: str,
    ) -> Response:
        url = read_url(behind(request.scope, prefix))
        text = await run_in_threadpool(make, url) if url else None
        if text is None:
            return await self._not_held(request, url, url) if url else await self._nothing_here(request)
        return Response(text.encode("utf-8", "replace"), media_type=kind, headers={
            # What strangers wrote, without a page around it: nothing of it is ever markup.
            "Content-Security-Policy": "sandbox; default-src 'none'", "Cross-Origin-Resource-Policy": "same-origin",
            "Cache-Control": "no-cache", "X-Robots-Tag": "noindex",
        })

    async def search(self, request: Request) -> Response:
        """What is found in all blogs."""
        asked = Asked(dict(request.query_params))
        page = min(max(_number(asked.get("page")), 1), MOST_PAGES)
        values = await run_in_threadpool(results_of, self._archive, asked, page, public=self._public)
        return await self._page(
            request, "search.html", 400 if values["problem"] else 200, **values, short=_short, anchor_of=anchor_of,
            headers={"X-Robots-Tag": "noindex"},
        )

    async def go(self, request: Request) -> Response:
        """Where the field on top of every page leads: to a page, if it is an address, or to what has the words."""
        typed = request.query_params.get("url", "")[:8_000].strip()
        url = None if any(each.isspace() or each == '"' for each in typed) else read_url(typed)
        host = urlsplit(url).netloc if url else ""
        if url is None or not ("." in host.strip(".") or ":" in host or host == "localhost"):
            return RedirectResponse(f"{self._interface(request)}/search?{urlencode({'q': typed[:200]})}", 302)
        return RedirectResponse(f"{self._interface(request)}/web/{_safe(url)}", 302)

    def _blogs(self, request: Request) -> dict[str, Any]:
        overview, after = self._archive.overview, _number(request.query_params.get("after", ""))
        found = overview.blogs(after=after, limit=BLOGS + 1, public=self._public)
        months = overview.months([blog.id for blog in found[:BLOGS]], public=self._public)
        return {
            "blogs": [(blog, sum(months[blog.id].values()), sparkline(months[blog.id])) for blog in found[:BLOGS]],
            "count": overview.count_blogs(public=self._public), "after": after,
            "further": found[BLOGS - 1].id if len(found) > BLOGS else None,
        }

    def _blog_at(self, path: str) -> Blog | None:
        """The blog whose home an address is; in public, none that is hidden."""
        home = read_url(path)
        blog = self._archive.blogs.find(home) if home else None
        if blog is None or home is None or canonical(blog.home) != canonical(home):
            return None
        return blog if self._is_shown(blog) else None

    def _summary_at(self, url: str) -> PostSummary | None:
        return self._archive.listing.find(url, public=self._public)

    def _is_shown(self, blog: Blog) -> bool:
        return not self._public or blog.id not in self._archive.hidden.blogs()

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
        # Where a redirect leads may be what is hidden.
        url = asked if self._public else url
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
             if host_of(url) in map(host_of, (blog.home, *blog.former_homes)) and self._is_shown(blog)), None,
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
        if isinstance(error, UsageError):
            return await self._page(request, "failed.html", 400, message=known.message, advice=known.advice)
        if self._public:
            # What went wrong names folders and servers.
            known = EverlogError("The archive could not be read just now.", advice="try again later")
        return await self._page(request, "failed.html", 500, message=known.message, advice=known.advice)

    def _interface(self, request: Request) -> str:
        return self._origins.interface(request.headers["host"])

    async def _page(
        self, request: Request, name: str, status: int = 200, *, headers: dict[str, str] | None = None, **values: Any,
    ) -> Response:
        # Links of the pages themselves stay on the host that was asked; behind a proxy they begin with its path.
        root = urlsplit(self._origins.base_url or "").path.rstrip("/")
        values = {"root": root, "safe": _safe, "is_public": self._public, **values}
        text = await run_in_threadpool(self._pages.text, name, **values)
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


def _number(text: str) -> int:
    """The number that a link names; 0 for what is none.

    >>> _number("12"), _number("x"), _number("-1")
    (12, 0, 0)
    """
    return int(text) if text.isascii() and text.isdigit() and len(text) < 19 else 0


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
