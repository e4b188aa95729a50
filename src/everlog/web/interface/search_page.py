"""Page of a search over all blogs."""

from __future__ import annotations

from typing import TYPE_CHECKING

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
        archive, public = self._make.archive, self._make.is_public
        return await self._make.page_of(
            request, "search.html",
            lambda: {**results_of(archive, asked, page, public=public), "anchor_of": anchor_of},
            # An index that is made only now would not be seen in a reading that has begun.
            before=archive.search.index, headers={"X-Robots-Tag": "noindex"},
        ) or await self._make.nothing_here(request)
