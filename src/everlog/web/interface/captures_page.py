"""Pages of captures: the captured addresses of a blog, and all captures of one address."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from starlette.routing import Route

from everlog.core.urls import host_of
from everlog.web.interface.page_maker import number_in, short

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

    from everlog.records import Blog
    from everlog.web.interface.page_maker import PageMaker

# Addresses on one page of a list.
PER_PAGE = 50
KINDS = {
    "": ("Pages", ("post", "page")), "media": ("Media", ("media",)), "requisite": ("Design", ("requisite",)),
    "all": ("Everything", ()),
}


class CapturesPage:
    """The captured addresses of a blog."""

    def __init__(self, make: PageMaker) -> None:
        self._make = make

    def routes(self) -> list[Route]:
        return [
            Route("/captures/{home:path}", self.captures),
        ]

    async def captures(self, request: Request) -> Response:
        """The captured addresses of a blog, a page at a time."""
        blog = await self._make.look(self._make.blog_at, request.path_params["home"])
        if blog is None:
            return await self._make.no_blog(request)
        asked = request.query_params
        kind = asked.get("kind", "") if asked.get("kind", "") in KINDS else ""
        after = number_in(asked.get("after", ""))
        listed = await self._make.look(self._listed, blog, kind, asked.get("q", "")[:200], after)
        return await self._make.page(request, "captures.html", **listed, after=after)

    def _listed(self, blog: Blog, kind: str, text: str, after: int) -> dict[str, Any]:
        mementos, lanes = self._make.archive.mementos, KINDS[kind][1]
        held = mementos.held_addresses(blog.id, lanes=lanes, text=text, after=after, limit=PER_PAGE + 1)
        asked = {name: value for name, value in (("kind", kind), ("q", text)) if value}
        return {
            "blog": blog, "held": held[:PER_PAGE], "kind": kind, "text": text,
            "kinds": [(name, label) for name, (label, _) in KINDS.items()],
            "count": mementos.count_addresses(blog.id, lanes=lanes, text=text), "below": below,
            "further": urlencode(asked | {"after": str(held[PER_PAGE - 1].id)}) if len(held) > PER_PAGE else None,
            "first": urlencode(asked),
        }


def below(url: str, home: str) -> str:
    """An address of a blog, without the host that all of them have.

    >>> below("https://a.org/b?c=1", "http://www.a.org/"), below("https://cdn.org/x", "http://a.org/")
    ('/b?c=1', 'cdn.org/x')
    """
    return "/" + url.partition("://")[2].partition("/")[2] if host_of(url) == host_of(home) else short(url)
