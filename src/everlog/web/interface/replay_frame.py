"""Frame of a captured page: the bar above it, the way to it, and all captures of its address."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlencode, urlsplit

from starlette.responses import RedirectResponse
from starlette.routing import Route

from everlog.core.urls import canonical
from everlog.replay import Replayed, View
from everlog.web.interface.page_maker import safe
from everlog.web.mementos.capture_times import meant_by, timestamp
from everlog.web.mementos.memento_finder import find_memento
from everlog.web.mementos.replay_address import behind, read_address, read_url
from everlog.web.mementos.replay_app import SANDBOX
from everlog.web.mementos.sent_types import is_framed

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

    from everlog.archive.projection.summaries import PostSummary
    from everlog.web.interface.page_maker import PageMaker

# Captures of one address on its page.
MOST_MOMENTS = 2_000
_SAFE = "/:?&=%+,;@~!$'()*[]"


class ReplayFrame:
    """Captured pages below the bar."""

    def __init__(self, make: PageMaker) -> None:
        self._make = make

    def routes(self) -> list[Route]:
        return [
            Route("/web/{rest:path}", self.memento),
            Route("/go", self.go),
        ]

    async def memento(self, request: Request) -> Response:
        """A capture in its frame, below the bar; or the way to it; or all captures of an address."""
        address = read_address(behind(request.scope, "/web/"))
        if address is None:
            return await self._make.nothing_here(request)
        if address.digits == "*":
            return await self._moments(request, address.url)
        at = meant_by(address.digits) if address.digits else datetime.now(UTC)
        found = await self._make.look(find_memento, self._make.archive, address.url, at) if at else None
        memento = found.memento if found else None
        if memento is None:
            return await self._make.not_held(request, found.url if found else address.url, address.url)
        here = View(prefix=self._make.interface(request), timestamp=timestamp(memento.at))
        if timestamp(memento.at) != address.digits or canonical(memento.url) != canonical(address.url):
            return RedirectResponse(here.link(memento.url), 302, headers={"Cache-Control": "no-store"})
        around = await self._make.look(self._make.archive.mementos.surroundings, address.url, memento)
        post = await self._make.look(self._summary_at, address.url)
        picture = await self._make.look(self._make.archive.mementos.picture, memento)
        replay = self._make.origins.replay(request.headers["host"])
        there = View(prefix=replay, timestamp="", modifier="mp_")
        held = Replayed(timestamp=address.digits, url=address.url)
        return await self._make.page(
            request, "memento.html", memento=memento, url=address.url, around=around,
            title=post.title if post else None, is_post=post is not None,
            shown=there.frame(held), alone=there.file(held),
            picture=View(prefix=replay, timestamp="", modifier="pic_").frame(held) if picture else None,
            is_framed=is_framed(memento.content_type), sandbox=SANDBOX.removeprefix("sandbox "),
            headers={"X-Robots-Tag": "noindex"},
        )

    async def go(self, request: Request) -> Response:
        """Where the field on top of every page leads: to a page, if it is an address, or to what has the words."""
        typed = request.query_params.get("url", "")[:8_000].strip()
        url = None if any(each.isspace() or each == '"' for each in typed) else read_url(typed)
        host = urlsplit(url).netloc if url else ""
        if url is None or not ("." in host.strip(".") or ":" in host or host == "localhost"):
            return RedirectResponse(f"{self._make.interface(request)}/search?{urlencode({'q': typed[:200]})}", 302)
        return RedirectResponse(f"{self._make.interface(request)}/web/{safe(url)}", 302)

    async def _moments(self, request: Request, url: str) -> Response:
        moments = await self._make.look(self._make.archive.mementos.moments, url)
        if not moments:
            return await self._make.not_held(request, url, url)
        years: dict[int, list[Any]] = {}
        for moment in reversed(moments[-MOST_MOMENTS:]):
            years.setdefault(moment.at.year, []).append(moment)
        return await self._make.page(
            request, "moments.html", url=url, years=years, count=len(moments), most=MOST_MOMENTS,
            timemap=f"{self._make.origins.replay(request.headers['host'])}/timemap/link/{quote(url, safe=_SAFE)}",
            headers={"X-Robots-Tag": "noindex"},
        )

    def _summary_at(self, url: str) -> PostSummary | None:
        return self._make.archive.listing.find(url, public=self._make.is_public)
