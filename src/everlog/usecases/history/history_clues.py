"""Clues of a blog, as its discovery found them: all that a history source may be recognised by."""

from __future__ import annotations

from typing import TYPE_CHECKING

from everlog.core.tree import parse
from everlog.errors import UnreadablePage
from everlog.history import BlogClues

if TYPE_CHECKING:
    from collections.abc import Iterable

    from everlog.records import Exchange
    from everlog.usecases.discover.discover_blog import Found


def clues_of(found: Found, robots: Iterable[Exchange]) -> BlogClues:
    """What the front page, its headers, robots.txt and the feed say."""
    page = found.home_page
    root = None
    if page is not None:
        try:
            root = parse(page.page.body, page.page.content_type)
        except UnreadablePage:
            root = None
    return BlogClues(
        home=page.page.url if page is not None else found.home, home_page=page.page if page is not None else None,
        root=root, headers=page.answer.headers if page is not None else (),
        robots=next((each.body for each in robots if each.status == 200), b""),
        feed_url=found.feed_url, feed=found.feed if found.feed_url is not None else None,
    )
