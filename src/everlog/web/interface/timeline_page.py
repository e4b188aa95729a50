"""Time line of a blog: its edits, deletions, moves, redesigns and what else happened to it, the newest first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from starlette.routing import Route

from everlog.web.interface.event_list import GROUPS, WORDS, EventList
from everlog.web.interface.page_maker import number_in
from everlog.web.interface.post_list import Asked

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

    from everlog.records import Blog
    from everlog.web.interface.page_maker import PageMaker

PER_PAGE = 50


class TimelinePage:
    """What happened to a blog and its posts."""

    def __init__(self, make: PageMaker) -> None:
        self._make = make
        self._events = EventList(make.archive, public=make.is_public)

    def routes(self) -> list[Route]:
        return [
            Route("/timeline/{home:path}", self.timeline),
        ]

    async def timeline(self, request: Request) -> Response:
        """The events of a blog, a page at a time."""
        blog = await self._make.look(self._make.blog_at, request.path_params["home"])
        if blog is None:
            return await self._make.no_blog(request)
        values = await self._make.look(self._listed, blog, Asked(dict(request.query_params)))
        return await self._make.page(request, "timeline.html", **values)

    def _listed(self, blog: Blog, asked: Asked) -> dict[str, Any]:
        kind, before = asked.get("kind"), number_in(asked.get("before"))
        kinds = tuple(GROUPS[kind][1]) if kind in GROUPS else tuple(WORDS)
        found = self._events.page(blog_id=blog.id, kinds=kinds, before=before or None, limit=PER_PAGE)
        first = asked.link(before=None)
        return {
            "blog": blog, "found": found.happenings, "before": before, "kind": kind if kind in GROUPS else "",
            "groups": [("", "Everything", asked.link(kind=None, before=None)), *(
                (name, label, asked.link(kind=name, before=None)) for name, (label, _) in GROUPS.items()
            )],
            "further": asked.link(before=str(found.following)) if found.following else None, "first": first,
        }
