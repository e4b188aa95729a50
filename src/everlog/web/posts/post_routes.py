"""Routes of one post: as everlog read it, its comments, what changed in it, and the same for programs."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from starlette.responses import RedirectResponse, Response, StreamingResponse
from starlette.routing import Route

from everlog.core.urls import host_of
from everlog.web.interface.page_maker import number_in, safe
from everlog.web.interface.post_list import published_day
from everlog.web.mementos.capture_times import meant_by, timestamp
from everlog.web.mementos.memento_finder import find_memento
from everlog.web.mementos.replay_address import behind, read_address, read_url
from everlog.web.posts.post_page import PostPages
from everlog.web.posts.record_file import holds_secrets, record_file

if TYPE_CHECKING:
    from collections.abc import Callable

    from starlette.requests import Request

    from everlog.archive.models import Memento
    from everlog.web.interface.page_maker import PageMaker
    from everlog.web.posts.post_page import FoundPost

# What strangers wrote, without a page around it: nothing of it is ever markup.
_AS_FILE = {
    "Content-Security-Policy": "sandbox; default-src 'none'", "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-cache", "X-Robots-Tag": "noindex",
}
_NOINDEX = {"X-Robots-Tag": "noindex"}


class PostRoutes:
    """What is asked about one post."""

    def __init__(self, make: PageMaker) -> None:
        self._make = make
        self._post = PostPages(make.archive, public=make.is_public)

    def routes(self) -> list[Route]:
        return [
            Route("/read/{rest:path}", self.read),
            Route("/comments/{part}/{rest:path}", self.comments),
            Route("/comment/{anchor}/{rest:path}", self.comment),
            Route("/diff", self.choose),
            Route("/diff/{first}/{last}/{rest:path}", self.diff),
            Route("/json/{rest:path}", self.as_json),
            Route("/markdown/{rest:path}", self.as_markdown),
            Route("/warc/{rest:path}", self.as_warc),
        ]

    async def read(self, request: Request) -> Response:
        """A post as everlog read it."""
        url = read_url(behind(request.scope, "/read/"))

        def values() -> dict[str, Any] | None:
            found = self._post.find(url) if url is not None else None
            if found is None:
                return None
            replay, interface = self._make.origins.replay(request.headers["host"]), self._make.interface(request)
            return {**self._post.page(found, replay=replay, interface=interface), "day_of": published_day}

        return await self._make.page_of(request, "post.html", values) or await self._missing(request, url)

    async def comments(self, request: Request) -> Response:
        """A further part of a post's comments: a page of its own, of which the page of the post takes the list."""
        named = request.path_params["part"]
        url = read_url(behind(request.scope, f"/comments/{named}/"))
        found = await self._found(url)
        if url is None or found is None:
            return await self._missing(request, url)
        values = await self._make.look(
            self._post.comments, found, number_in(named), replay=self._make.origins.replay(request.headers["host"]),
            interface=self._make.interface(request),
        )
        if values is None:
            return await self._no_such(request, found, "There are no comments here")
        return await self._make.page(request, "comments.html", **values, headers=_NOINDEX)

    async def comment(self, request: Request) -> Response:
        """One comment, wherever it stands by now: leads to its part."""
        anchor = request.path_params["anchor"]
        url = read_url(behind(request.scope, f"/comment/{anchor}/"))
        found = await self._found(url)
        if url is None or found is None:
            return await self._missing(request, url)
        part = await self._make.look(self._post.part_of, found, anchor)
        if part is None:
            return await self._no_such(request, found, "This comment is not there")
        place = "/read/" if part == 1 else f"/comments/{part}/"
        return RedirectResponse(f"{self._make.root}{place}{safe(found.post.url)}#{anchor}", 302)

    async def choose(self, request: Request) -> Response:
        """The two versions that somebody chose, as an address."""
        asked = request.query_params
        url = read_url(asked.get("url", ""))
        if url is None:
            return await self._make.nothing_here(request)
        first, last = number_in(asked.get("first", "")), number_in(asked.get("last", ""))
        return RedirectResponse(f"{self._make.root}/diff/{first}/{last}/{safe(url)}", 302)

    async def diff(self, request: Request) -> Response:
        """What changed between two versions of a post."""
        first, last = request.path_params["first"], request.path_params["last"]
        url = read_url(behind(request.scope, f"/diff/{first}/{last}/"))
        values = await self._make.look(self._post.changes, url, number_in(first), number_in(last)) if url else None
        if values is None:
            return await self._missing(request, url)
        is_there = values["older"] is not None
        return await self._make.page(
            request, "diff.html" if is_there else "no_version.html", 200 if is_there else 404, **values,
            headers=_NOINDEX,
        )

    async def as_json(self, request: Request) -> Response:
        """A post for programs."""
        return await self._file(request, "/json/", self._post.as_json, "application/json; charset=utf-8")

    async def as_markdown(self, request: Request) -> Response:
        """A post for editors of text."""
        return await self._file(request, "/markdown/", self._post.as_markdown, "text/markdown; charset=utf-8")

    async def as_warc(self, request: Request) -> Response:
        """The record of a capture as the archive has it; in public without the request, and none with cookies in it."""
        asked = read_address(behind(request.scope, "/warc/"))
        if asked is None or asked.digits == "*":
            return await self._make.nothing_here(request)
        at = meant_by(asked.digits) if asked.digits else datetime.now(UTC)
        if at is None:
            return await self._make.nothing_here(request)
        found = await self._make.look(find_memento, self._make.archive, asked.url, at)
        if found.memento is None:
            return await self._make.not_held(request, found.url, asked.url)
        return await self._record(request, found.memento)

    async def _record(self, request: Request, memento: Memento) -> Response:
        archive, is_public = self._make.archive, self._make.is_public
        if is_public and await self._make.look(holds_secrets, archive, memento):
            return await self._make.page(request, "no_record.html", 403, url=memento.url, at=memento.at)
        name = f"{host_of(memento.url).replace(':', '-')}-{timestamp(memento.at)}"
        file = await self._make.look(record_file, archive, memento, name, with_request=not is_public)
        return StreamingResponse(file.pieces, media_type="application/gzip", headers=_AS_FILE | {
            "Content-Length": str(file.size),
            "Content-Disposition": f'attachment; filename="{file.name.encode("ascii", "replace").decode()}"',
        })

    async def _found(self, url: str | None) -> FoundPost | None:
        return await self._make.look(self._post.find, url) if url is not None else None

    async def _missing(self, request: Request, url: str | None) -> Response:
        if url is None:
            return await self._make.nothing_here(request)
        return await self._make.not_held(request, url, url, as_post=True)

    async def _no_such(self, request: Request, found: FoundPost, said: str) -> Response:
        return await self._make.page(request, "no_comment.html", 404, post=found.post, said=said)

    async def _file(
        self, request: Request, prefix: str, make: Callable[[str], str | None], kind: str,
    ) -> Response:
        url = read_url(behind(request.scope, prefix))
        text = await self._make.look(make, url) if url else None
        if text is None:
            return await self._missing(request, url)
        return Response(self._make.shown(text).encode("utf-8", "replace"), media_type=kind, headers=_AS_FILE)
