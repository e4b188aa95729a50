"""A step of a crawl that dies: between the reading of a page and its way to the disk."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from everlog.usecases.crawl.crawl_context import CrawlContext
    from everlog.usecases.page.page_context import PageContext

STEPS = ("render", "read", "comments", "media", "usecases.a_death:die_at_page_two", "store")


def die_at_page_two(page: PageContext, context: CrawlContext) -> None:
    """The end, at the second of the lists."""
    if page.link.url.endswith("/page/2"):
        raise asyncio.CancelledError
