"""Interface app: the pages of everlog, in which what was archived is found, framed and read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.applications import Starlette
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from everlog.errors import EverlogError
from everlog.web.interface.blog_icons import BlogIcons
from everlog.web.interface.blog_page import BlogPage
from everlog.web.interface.captures_page import CapturesPage
from everlog.web.interface.complete_page import CompletePage
from everlog.web.interface.page_maker import PageMaker
from everlog.web.interface.replay_frame import ReplayFrame
from everlog.web.interface.search_page import SearchPage
from everlog.web.interface.start_page import StartPage
from everlog.web.interface.timeline_page import TimelinePage
from everlog.web.posts.post_routes import PostRoutes

if TYPE_CHECKING:
    from starlette.requests import Request

    from everlog.archive import Archive
    from everlog.web.origins import Origins
    from everlog.web.page_templates import Pages

# Each says which addresses it answers.
PAGES = (StartPage, BlogIcons, BlogPage, TimelinePage, CapturesPage, CompletePage, ReplayFrame, PostRoutes, SearchPage)


def interface_app(archive: Archive, origins: Origins, pages: Pages, *, public: bool = False) -> Starlette:
    """What the port of the interface answers."""
    make = PageMaker(archive, origins, pages, is_public=public)
    return Starlette(routes=[
        *(route for page in PAGES for route in page(make).routes()),
        Route("/static/{name}", pages.static),
        Route("/robots.txt", _robots),
    ], exception_handlers={404: make.nothing_here, EverlogError: make.failed})


async def _robots(_request: Request) -> Response:
    return PlainTextResponse("User-agent: *\nDisallow: /web/\n")
