"""Start page: all blogs with what is held of each, and what changed lately."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, get_args

from starlette.routing import Route

from everlog.archive.projection.filters import PostFilter
from everlog.archive.projection.overview import BlogOrder
from everlog.web.interface.event_list import EventList
from everlog.web.interface.month_charts import sparkline
from everlog.web.interface.page_maker import number_in
from everlog.web.interface.post_list import Asked, published_day

if TYPE_CHECKING:
    from collections.abc import Mapping

    from starlette.requests import Request
    from starlette.responses import Response

    from everlog.archive.projection.overview import BlogSummary
    from everlog.archive.projection.summaries import PostSummary
    from everlog.web.interface.page_maker import PageMaker

PER_PAGE = 30
# Of what changed lately, over all blogs.
NEW_POSTS, EVENTS = 6, 8
# The newest posts are those of so many blogs, which are the ones of the posts that came last.
NEW_BLOGS, LAST_CAME = 3, 30
# With fewer blogs than these there is nothing to sort and to look for.
FEW_BLOGS = 4
ORDERS: Mapping[BlogOrder, str] = {"changed": "Last changed", "name": "By name", "posts": "Most posts"}


class StartPage:
    """The blogs of an archive."""

    def __init__(self, make: PageMaker) -> None:
        self._make = make
        self._events = EventList(make.archive, public=make.is_public)

    def routes(self) -> list[Route]:
        return [
            Route("/", self.start),
            Route("/keys", self.keys),
        ]

    async def start(self, request: Request) -> Response:
        """All blogs, a page at a time."""
        asked = Asked(dict(request.query_params))
        return await self._make.page_of(
            request, "start.html", lambda: {**self._blogs(asked), "day_of": published_day},
        ) or await self._make.nothing_here(request)

    async def keys(self, request: Request) -> Response:
        """The keys, for who comes without scripts."""
        return await self._make.page(request, "keys.html")

    def _blogs(self, asked: Asked) -> dict[str, Any]:
        overview, public = self._make.archive.overview, self._make.is_public
        order: BlogOrder = next((each for each in get_args(BlogOrder) if each == asked.get("order")), "changed")
        text, page = asked.get("name").strip(), max(number_in(asked.get("page")), 1)
        found = overview.ordered(order, text=text, public=public)
        here = found[(page - 1) * PER_PAGE:page * PER_PAGE]
        blogs = {blog.id: blog for blog in overview.blogs(ids=here, public=public)}
        months = overview.months(here, public=public)
        return {
            "asked": asked, "text": text, "page": page, "count": len(found),
            "blogs": [self._shown(blogs[number], months[number]) for number in here if number in blogs],
            "orders": [
                (label, asked.link(order=name if name != "changed" else None), name == order)
                for name, label in ORDERS.items()
            ] if text or len(found) >= FEW_BLOGS else [],
            "previous": asked.link(page=str(page - 1) if page > 2 else None) if page > 1 else None,
            "further": asked.link(page=str(page + 1)) if len(found) > page * PER_PAGE else None,
            **(self._lately() if found and page == 1 and not text else {"newest": [], "events": ()}),
        }

    def _shown(self, blog: BlogSummary, months: Mapping[str, int]) -> dict[str, Any]:
        return {
            "blog": blog, "posts": sum(months.values()), "drawn": sparkline(months), "figures": blog.figures,
        }

    def _lately(self) -> dict[str, Any]:
        """What came into the archive, and what happened to what is in it."""
        archive, public = self._make.archive, self._make.is_public
        newest = self._newest()
        blogs = {blog.id: blog for blog in archive.overview.blogs(
            ids=sorted({post.blog_id for post in newest}), public=public,
        )}
        return {
            "newest": [(post, blogs[post.blog_id]) for post in newest if post.blog_id in blogs],
            "events": self._events.page(limit=EVENTS).happenings,
        }

    def _newest(self) -> list[PostSummary]:
        """The newest posts of the blogs that brought some last: a first crawl comes to the oldest of a blog last."""
        listing, public = self._make.archive.listing, self._make.is_public
        blogs = dict.fromkeys(post.blog_id for post in listing.newest(public=public, limit=LAST_CAME))
        found = [
            post for number in [*blogs][:NEW_BLOGS]
            for post in listing(PostFilter(blog_id=number, public=public), limit=NEW_POSTS).posts
        ]
        return sorted(found, key=lambda post: (post.cursor.published_at, post.cursor.post_id), reverse=True)[:NEW_POSTS]
