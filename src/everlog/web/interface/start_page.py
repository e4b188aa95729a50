"""Start page: all blogs, with what is held of each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from starlette.routing import Route

from everlog.web.interface.month_charts import sparkline
from everlog.web.interface.page_maker import number_in

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

    from everlog.web.interface.page_maker import PageMaker

BLOGS = 30


class StartPage:
    """The blogs of an archive."""

    def __init__(self, make: PageMaker) -> None:
        self._make = make

    def routes(self) -> list[Route]:
        return [
            Route("/", self.start),
            Route("/keys", self.keys),
        ]

    async def start(self, request: Request) -> Response:
        """All blogs, a page at a time."""
        return await self._make.page(request, "start.html", **await self._make.look(self._blogs, request))

    async def keys(self, request: Request) -> Response:
        """The keys, for who comes without scripts."""
        return await self._make.page(request, "keys.html")

    def _blogs(self, request: Request) -> dict[str, Any]:
        overview, after = self._make.archive.overview, number_in(request.query_params.get("after", ""))
        found = overview.blogs(after=after, limit=BLOGS + 1, public=self._make.is_public)
        months = overview.months([blog.id for blog in found[:BLOGS]], public=self._make.is_public)
        return {
            "blogs": [(blog, sum(months[blog.id].values()), sparkline(months[blog.id])) for blog in found[:BLOGS]],
            "count": overview.count_blogs(public=self._make.is_public), "after": after,
            "further": found[BLOGS - 1].id if len(found) > BLOGS else None,
        }
