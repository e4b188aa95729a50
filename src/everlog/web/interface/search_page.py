"""Page of a search over all blogs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.concurrency import run_in_threadpool
from starlette.routing import Route

from everlog.web.interface.page_maker import number_in
from everlog.web.interface.post_list import Asked
from everlog.web.interface.search_results import results_of
from everlog.web.posts.comment_parts import anchor_of

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

    from everlog.web.interface.page_maker import PageMaker

# Of results: no more than these are looked at.
MOST_PAGES = 100


class SearchPage:
    """What is found in all blogs."""

    def __init__(self, make: PageMaker) -> None:
        self._make = make

    def routes(self) -> list[Route]:
        return [
            Route("/search", self.search),
        ]

    async def search(self, request: Request) -> Response:
        """What is found in all blogs."""
        asked = Asked(dict(request.query_params))
        page = min(max(number_in(asked.get("page")), 1), MOST_PAGES)
        # Before the reading begins: an index that is made only now would not be seen in it.
        await run_in_threadpool(self._make.archive.search.index)
        values = await self._make.look(results_of, self._make.archive, asked, page, public=self._make.is_public)
        return await self._make.page(
            request, "search.html", 400 if values["problem"] else 200, **values, anchor_of=anchor_of,
            headers={"X-Robots-Tag": "noindex"},
        )
