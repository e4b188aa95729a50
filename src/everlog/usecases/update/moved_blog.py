"""Moved blogs, which have another address now: only what is said to be permanent is remembered."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

from everlog.core.urls import canonical, host_of
from everlog.records import Blog, Event, Exchange, Failure, Feed, Fetched
from everlog.usecases.discover.stored_allowlist import settle_home
from everlog.usecases.learn.blog_fingerprint import ownership_of, start_page

if TYPE_CHECKING:
    from collections.abc import Sequence

    from everlog.archive import Archive
    from everlog.usecases.crawl.crawl_context import CrawlRun

PERMANENT = frozenset({301, 308})


async def follow_feed(blog: Blog, answer: Fetched, feed: Feed | None, run: CrawlRun) -> Blog:
    """The blog with the address that its feed redirects to for good; where that is on another host, the blog's too."""
    new = answer.answer.url
    if blog.feed_url is None or new == blog.feed_url or not is_permanent(answer.exchanges):
        return blog
    old = blog.feed_url
    if canonical(new) == canonical(old):
        return run.archive.blogs.update(blog.id, feed_url=new)
    reason = f"the feed redirects permanently to {new}"
    moved = happened(blog, "feed-moved", reason, run, {"from": old, "to": new})
    blog = run.archive.blogs.update(blog.id, feed_url=new, events=[moved])
    if host_of(new) == host_of(blog.home):
        return blog
    home = await run.fetcher.fetch(blog.home)
    run.tally.requests += 1
    return blog if isinstance(home, Failure) else await follow_home(blog, home, feed, run)


async def follow_home(blog: Blog, home: Fetched, feed: Feed | None, run: CrawlRun) -> Blog:
    """The blog at the address that its home page redirects to for good, if it is the same blog there."""
    if not has_moved(blog, home, run.archive):
        return blog
    ownership = await ownership_of(blog, home.page, feed, run)
    return move(blog, home.page.url, run) if ownership.is_same else blog


def has_moved(blog: Blog, home: Fetched, archive: Archive) -> bool:
    """Whether a home page redirects for good to another address."""
    return leads_away(blog, home, archive) and is_permanent(home.exchanges)


def leads_away(blog: Blog, home: Fetched, archive: Archive) -> bool:
    """Whether a home page sends its readers on to another page than it did when the blog was learned."""
    return canonical(home.page.url) not in {canonical(blog.home), canonical(start_page(blog, archive))}


def is_permanent(exchanges: Sequence[Exchange]) -> bool:
    """Whether every hop of a redirect is one for good; one that is not makes no promise about the end."""
    return len(exchanges) > 1 and all(each.status in PERMANENT for each in exchanges[:-1])


def move(blog: Blog, home: str, run: CrawlRun) -> Blog:
    """Write down that the blog lives elsewhere; if another blog of the archive lives there, that it ends there."""
    archive, detail = run.archive, {"from": blog.home, "to": home}
    neighbours = {canonical(each.home) for each in archive.blogs(forgotten=True) if each.id != blog.id}
    if canonical(home) in neighbours:
        reason = f"it moved to {home}, which is already another blog in this archive"
        ended = happened(blog, "moved", reason, run, detail)
        return archive.blogs.update(blog.id, gone=reason, gone_at=run.now(), events=[ended])
    # What leads there comes first: killed in between, the next look tells the same move.
    archive.blogs.keep_address(blog.home, home)
    settle_home(home, archive)
    archive.blogs.change_state(blog.id, lambda state: replace(state, front_pages=None))
    event = happened(blog, "moved", f"the home page redirects permanently to {home}", run, detail)
    moved = archive.blogs.move(blog.id, home, events=[event])
    if moved.knowledge is None:
        return moved
    return archive.blogs.update(blog.id, knowledge=json.dumps(json.loads(moved.knowledge) | {"home": home}))


def happened(blog: Blog, kind: str, reason: str, run: CrawlRun, detail: dict[str, str] | None = None) -> Event:
    """A line of the event log about a blog."""
    return Event(blog_id=blog.id, kind=kind, at=run.now(), reason=reason, detail=detail or {})
