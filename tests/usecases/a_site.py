"""The small blog of `a_blog` as a whole site: home, list pages, posts, an about page, a feed."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import a_blog
from everlog.settings import make_settings
from everlog.usecases.crawl.crawl_blog import archive_blog
from everlog.usecases.crawl.crawl_context import CrawlRun
from everlog.usecases.crawl.report import Tally
from usecases.a_web import MemoryWeb

if TYPE_CHECKING:
    from collections.abc import Iterable

    from everlog.archive import Archive
    from everlog.usecases.crawl.report import Report

POSTS = 20
PER_LIST = 5
FEED = a_blog.HOME + "feed.xml"


def a_site(posts: int = POSTS, *, in_feed: int = PER_LIST) -> MemoryWeb:
    """A blog whose feed names its newest posts only; list pages lead to the others."""
    fetcher = MemoryWeb()
    numbers = list(range(posts, 0, -1))
    lists = [numbers[start : start + PER_LIST] for start in range(0, posts, PER_LIST)]
    for place, shown in enumerate(lists, 1):
        address = a_blog.HOME if place == 1 else f"{a_blog.HOME}page/{place}"
        fetcher.put(address, listing(shown, older=place + 1 if place < len(lists) else None))
    for number in numbers:
        fetcher.put(a_blog.url(number), a_blog.page(number))
    about = "<html><body><nav><a href=/>Home</a></nav><p>All about us and nothing else.</p></body></html>"
    fetcher.put(a_blog.HOME + "about", about)
    put_feed(fetcher, numbers[:in_feed])
    return fetcher


def listing(numbers: Iterable[int], older: int | None = None) -> str:
    """A list page: a teaser per post, and the way to older ones."""
    teasers = "".join(
        f"<div class=teaser><h2><a href='/{number}'>Post {number} of ours</a></h2>"
        f"<p>{a_blog.sentence(f'{number}/0', 12)}</p></div>"
        for number in numbers
    )
    way = f"<a href='/page/{older}'>Older posts</a>" if older else ""
    return (
        f"<html><head><title>A Blog</title><link rel=alternate type=application/rss+xml href={FEED}></head><body>"
        "<nav><a href=/>Home</a> <a href=/about>About the blog</a></nav>"
        f"<div class=list>{teasers}</div>{way}</body></html>"
    )


def put_feed(fetcher: MemoryWeb, numbers: Iterable[int], **contents: str) -> None:
    """The feed of some posts; `contents` overrides what it says of one (`post_7="..."`)."""
    items = [a_blog.item(number, contents.get(f"post_{number}")) for number in numbers]
    fetcher.put(FEED, a_blog.rss(items), type="application/rss+xml")


def work(fetcher: MemoryWeb, archive: Archive, **settings: Any) -> CrawlRun:
    """What a crawl of the site is given."""
    chosen = make_settings({"min_free_bytes": 0}, settings)
    return CrawlRun(
        fetcher=fetcher, archive=archive, settings=chosen, tally=Tally(blog=a_blog.HOME), now=lambda: fetcher.now,
    )


def crawl(fetcher: MemoryWeb, archive: Archive, **settings: Any) -> Report:
    """One crawl of the site, to its end."""
    return asyncio.run(archive_blog(a_blog.HOME, work(fetcher, archive, **settings)))
