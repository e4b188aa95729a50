"""Interface app: the pages of everlog, in which what was archived is found, framed and read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.routing import Route

from everlog.errors import EverlogError
from everlog.web.feeds.feed_routes import FeedRoutes
from everlog.web.interface.blog_icons import BlogIcons
from everlog.web.interface.blog_page import BlogPage
from everlog.web.interface.calendar_page import CalendarPage
from everlog.web.interface.captures_page import CapturesPage
from everlog.web.interface.complete_page import CompletePage
from everlog.web.interface.page_maker import PageMaker
from everlog.web.interface.replay_frame import ReplayFrame
from everlog.web.interface.search_files import SearchFiles
from everlog.web.interface.search_page import SearchPage
from everlog.web.interface.site_files import SiteFiles
from everlog.web.interface.start_page import StartPage
from everlog.web.interface.timeline_page import TimelinePage
from everlog.web.limited_app import LimitedApp
from everlog.web.posts.post_routes import PostRoutes
from everlog.web.workings.fleet_page import FleetPage
from everlog.web.workings.requests_page import RequestsPage
from everlog.web.workings.rules_page import RulesPage

if TYPE_CHECKING:
    from everlog.archive import Archive
    from everlog.web.limited_app import Limits
    from everlog.web.origins import Origins
    from everlog.web.page_templates import Pages

# Each says which addresses it answers.
PAGES = (
    StartPage, BlogIcons,
    BlogPage, CalendarPage, TimelinePage, CapturesPage, CompletePage,
    RulesPage, RequestsPage, FleetPage,
    ReplayFrame, PostRoutes,
    SearchPage, SearchFiles,
    FeedRoutes, SiteFiles,
)


def interface_app(
    archive: Archive, origins: Origins, pages: Pages, *, public: bool = False, limits: Limits | None = None,
) -> Starlette:
    """What the port of the interface answers."""
    make = PageMaker(archive, origins, pages, is_public=public)
    return Starlette(routes=[
        *(route for page in PAGES for route in page(make).routes()),
        Route("/static/{name}", pages.static),
    ], exception_handlers={404: make.nothing_here, EverlogError: make.failed, Exception: make.broken},
       middleware=[Middleware(LimitedApp, wait=make.busy, limits=limits)])
