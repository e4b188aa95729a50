"""Files about the interface as a whole: for search engines, for browsers' fields, and for who watches it."""

from __future__ import annotations

from typing import TYPE_CHECKING
from xml.sax.saxutils import escape

from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route

from everlog.web.health import health_of

if TYPE_CHECKING:
    from starlette.requests import Request

    from everlog.web.interface.page_maker import PageMaker

# Captured pages are the blogs' own, and stand in search engines under their own addresses; the others cost much, and
# say nothing that the posts do not say.
NOT_FOR_ROBOTS = (
    "/web/", "/go", "/search", "/diff/", "/complete/", "/captures/", "/json/", "/markdown/", "/feed/", "/warc/",
    "/requests/", "/fleet", "/*?",
)


class SiteFiles:
    """What is asked about the interface as a whole."""

    def __init__(self, make: PageMaker) -> None:
        self._make = make

    def routes(self) -> list[Route]:
        return [
            Route("/robots.txt", self.robots),
            Route("/healthz", self.health),
            Route("/opensearch.xml", self.opensearch),
            Route("/favicon.ico", self.icon),
        ]

    async def robots(self, _request: Request) -> Response:
        """What search engines may read."""
        lines = "".join(f"Disallow: {self._make.root}{path}\n" for path in NOT_FOR_ROBOTS)
        return PlainTextResponse(f"User-agent: *\n{lines}", headers={"Cache-Control": "public, max-age=3600"})

    async def health(self, _request: Request) -> Response:
        """Whether the archive can be read."""
        return await health_of(self._make.archive)

    async def icon(self, _request: Request) -> Response:
        """The way to the icon, for browsers that show what is no page, such as JSON, and ask here for one."""
        return RedirectResponse(f"{self._make.root}/static/icon.svg", 301, headers={
            "Cache-Control": "public, max-age=86400",
        })

    async def opensearch(self, request: Request) -> Response:
        """What a browser needs to know to search here from its own field."""
        place = escape(self._make.interface(request), {'"': "&quot;"})
        return Response(
            '<?xml version="1.0" encoding="UTF-8"?>\n'
            '<OpenSearchDescription xmlns="http://a9.com/-/spec/opensearch/1.1/">\n'
            "<ShortName>everlog</ShortName>\n<Description>Search the blogs of this archive</Description>\n"
            "<InputEncoding>UTF-8</InputEncoding>\n"
            f'<Image width="16" height="16" type="image/svg+xml">{place}/static/icon.svg</Image>\n'
            f'<Url type="text/html" method="get" template="{place}/search?q={{searchTerms}}"/>\n'
            f'<Url type="application/opensearchdescription+xml" rel="self" template="{place}/opensearch.xml"/>\n'
            "</OpenSearchDescription>\n",
            media_type="application/opensearchdescription+xml", headers={"Cache-Control": "public, max-age=3600"},
        )
