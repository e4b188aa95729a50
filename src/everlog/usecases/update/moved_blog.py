"""Moved blogs, which have another address now: only what is said to be permanent is remembered."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from everlog.core.scope import is_within, url_now
from everlog.core.urls import canonical
from everlog.records import Blog, Event, Failure, Fetched
from everlog.schedule.blog_names import NameEvidence, Sameness, same_blog
from everlog.usecases.discover.name_evidence import is_permanent
from everlog.usecases.discover.stored_allowlist import settle_home
from everlog.usecases.learn.blog_fingerprint import living_at, start_page
from everlog.usecases.page.post_identity import shows

if TYPE_CHECKING:
    from everlog.archive import Archive
    from everlog.usecases.crawl.crawl_context import CrawlRun

# Posts that are asked for to see whether they are where a blog seems to have gone, each at two addresses at most.
POSTS_ASKED = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Move:
    """The blog as it is known from now on; `another` says why the blog that its address leads to is another one."""

    blog: Blog
    another: str | None = None


async def follow_feed(blog: Blog, answer: Fetched, run: CrawlRun) -> Move:
    """The blog with the address that its feed redirects to for good; where that is beyond its home, the blog's too."""
    new = answer.answer.url
    if blog.feed_url is None or new == blog.feed_url or not is_permanent(answer.exchanges):
        return Move(blog=blog)
    old = blog.feed_url
    if canonical(new) == canonical(old):
        return Move(blog=run.archive.blogs.update(blog.id, feed_url=new))
    home: Fetched | Failure | None = None
    if not is_within(new, blog.home):
        home = await run.fetcher.fetch(blog.home)
        run.tally.requests += 1
    sameness = None
    if isinstance(home, Fetched) and has_moved(blog, home, run.archive):
        sameness = await moved_as(blog, home, run)
        if not sameness.is_same:
            return Move(blog=blog, another=_why_another(home, sameness))
    reason = f"the feed redirects permanently to {new}"
    moved = happened(blog, "feed-moved", reason, run, {"from": old, "to": new})
    blog = run.archive.blogs.update(blog.id, feed_url=new, events=[moved])
    if sameness is not None and isinstance(home, Fetched):
        blog = move(blog, home.page.url, run, sameness.signs)
    return Move(blog=blog)


async def follow_home(blog: Blog, home: Fetched, run: CrawlRun) -> Move:
    """The blog at the address that its home page redirects to for good, if it is the same blog there."""
    if not has_moved(blog, home, run.archive):
        return Move(blog=blog)
    sameness = await moved_as(blog, home, run)
    if not sameness.is_same:
        return Move(blog=blog, another=_why_another(home, sameness))
    return Move(blog=move(blog, home.page.url, run, sameness.signs))


async def moved_as(blog: Blog, home: Fetched, run: CrawlRun) -> Sameness:
    """Whether the blog that a home redirects to for good is the same one: by its posts, whoever writes there."""
    evidence = NameEvidence(home=home.page.url, home_redirects=True)
    there = living_at(blog, home.page.url)
    for key in run.archive.posts.newest(blog.id, limit=POSTS_ASKED):
        post = run.archive.posts.find(f"http://{key}", as_read=True)
        if post is None:
            continue
        for url in dict.fromkeys((post.url, url_now(post.url, there))):
            answer = await run.fetcher.fetch(url)
            run.tally.requests += 1
            if isinstance(answer, Fetched) and is_within(answer.page.url, home.page.url) and shows(answer.page, post):
                is_sent_on = url == post.url and is_permanent(answer.exchanges)
                return same_blog(replace(evidence, posts_redirect=int(is_sent_on), equal_posts=1))
        evidence = replace(evidence, missing_posts=evidence.missing_posts + 1)
    return same_blog(evidence)


def _why_another(home: Fetched, sameness: Sameness) -> str:
    return f"it leads to {home.page.url}, which is another blog: {sameness.reason}"


def has_moved(blog: Blog, home: Fetched, archive: Archive) -> bool:
    """Whether a home page redirects for good to another address."""
    return leads_away(blog, home, archive) and is_permanent(home.exchanges)


def leads_away(blog: Blog, home: Fetched, archive: Archive) -> bool:
    """Whether a home page sends its readers on to another page than it did when the blog was learned."""
    return canonical(home.page.url) not in {canonical(blog.home), canonical(start_page(blog, archive))}


def move(blog: Blog, home: str, run: CrawlRun, signs: tuple[str, ...]) -> Blog:
    """Write down that the blog lives elsewhere; if another blog of the archive lives there, that it ends there."""
    archive, detail = run.archive, {"from": blog.home, "to": home, "evidence": "; ".join(signs)}
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
