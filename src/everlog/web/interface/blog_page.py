"""Page of a blog: its posts, with what they can be filtered by."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from starlette.routing import Route

from everlog.web.interface.post_list import Asked, PostList, is_unsure, published_day

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

    from everlog.web.interface.page_maker import PageMaker


class BlogPage:
    """The posts of a blog."""

    def __init__(self, make: PageMaker) -> None:
        self._make = make
        self._posts = PostList(make.archive, public=make.is_public)

    def routes(self) -> list[Route]:
        return [
            Route("/blog/{home:path}", self.blog),
        ]

    async def blog(self, request: Request) -> Response:
        """The posts of a blog, a page at a time, with what they can be filtered by."""
        asked = Asked(dict(request.query_params))

        def values() -> dict[str, Any] | None:
            blog = self._make.blog_at(request.path_params["home"])
            if blog is None:
                return None
            return {**self._posts.page(blog, asked), "day_of": published_day, "is_unsure": is_unsure}

        return await self._make.page_of(request, "blog.html", values) or await self._make.no_blog(request)
