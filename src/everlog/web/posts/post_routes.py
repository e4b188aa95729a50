"""Pages about one post: as everlog read it, what changed in it, and the same for programs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.responses import Response
from starlette.routing import Route

from everlog.web.interface.page_maker import number_in
from everlog.web.interface.post_list import published_day
from everlog.web.mementos.replay_address import behind, read_url
from everlog.web.posts.post_page import PostPages

if TYPE_CHECKING:
    from collections.abc import Callable

    from starlette.requests import Request

    from everlog.web.interface.page_maker import PageMaker


class PostRoutes:
    """What is asked about one post."""

    def __init__(self, make: PageMaker) -> None:
        self._make = make
        self._post = PostPages(make.archive, public=make.is_public)

    def routes(self) -> list[Route]:
        return [
            Route("/read/{rest:path}", self.read),
            Route("/diff/{first}/{last}/{rest:path}", self.diff),
            Route("/json/{rest:path}", self.as_json),
            Route("/markdown/{rest:path}", self.as_markdown),
        ]

    async def read(self, request: Request) -> Response:
        """A post as everlog read it."""
        url = read_url(behind(request.scope, "/read/"))
        if url is None:
            return await self._make.nothing_here(request)
        values = await self._make.look(
            self._post.page, url, replay=self._make.origins.replay(request.headers["host"]),
            interface=self._make.interface(request),
        )
        if values is None:
            return await self._make.not_held(request, url, url)
        return await self._make.page(request, "post.html", **values, day_of=published_day)

    async def diff(self, request: Request) -> Response:
        """What changed between two versions of a post."""
        first, last = request.path_params["first"], request.path_params["last"]
        url = read_url(behind(request.scope, f"/diff/{first}/{last}/"))
        values = await self._make.look(self._post.changes, url, number_in(first), number_in(last)) if url else None
        if values is None:
            return await self._make.not_held(request, url, url) if url else await self._make.nothing_here(request)
        return await self._make.page(request, "diff.html", **values, headers={"X-Robots-Tag": "noindex"})

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
        text = await self._make.look(make, url) if url else None
        if text is None:
            return await self._make.not_held(request, url, url) if url else await self._make.nothing_here(request)
        return Response(text.encode("utf-8", "replace"), media_type=kind, headers={
            # What strangers wrote, without a page around it: nothing of it is ever markup.
            "Content-Security-Policy": "sandbox; default-src 'none'", "Cross-Origin-Resource-Policy": "same-origin",
            "Cache-Control": "no-cache", "X-Robots-Tag": "noindex",
        })
