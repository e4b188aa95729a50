"""Posts that a site's maps list and no link leads to: visited when a crawl has followed all links.

    keep_mapped     which addresses of the maps look like a post's: kept with the blog, for crawls that go on with it
    visit_mapped    at the end of a crawl: those of them that it did not come by

Many maps list what is gone (23 of 30 in a corpus of real blogs), so that they are asked for in parts, until one brings
no post; and what only a map names and is not there is not called missing (`page.failures`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from everlog.archive.blog_state import SourceState
from everlog.archive.repos.inventory import InventoryPost
from everlog.core.links import trap
from everlog.core.urls import canonical
from everlog.history.sitemap_history import SOURCE
from everlog.records import Link
from everlog.usecases.crawl.lifecycle import begin, run_to_end
from everlog.usecases.history.walk_sources import keep_state

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from everlog.archive import Archive
    from everlog.core.scope import Scope
    from everlog.records import Blog, Fetched
    from everlog.usecases.crawl.crawl_context import CrawlContext, CrawlRun, Stop
    from everlog.usecases.learn.learned_blog import LearnedBlog

# So many requests does a map cost at most that lists nothing but what is gone.
PART = 20


def keep_mapped(
    blog: Blog, addresses: Iterable[str], maps: Sequence[Fetched], learned: LearnedBlog, scope: Scope, run: CrawlRun,
) -> None:
    """Keep which addresses of the maps look like a post's."""
    posts: dict[str, str] = {}
    for url in (scope.page_urls(address)[0] for address in addresses):
        key = canonical(url)
        if scope.is_own_key(key) and trap(url) is None and learned.classifier.likely_post(url):
            posts.setdefault(key, url)
    if not posts or not maps:
        return
    run.archive.blogs.inventory.add(blog.id, SOURCE.name, (
        InventoryPost(native_id=key, key=key, url=url) for key, url in posts.items()
    ))
    where = "a sitemap" if len(maps) == 1 else f"{len(maps)} sitemaps"
    state = SourceState(source=SOURCE.name, entrance=maps[0].url, evidence=f"{where} of the site")
    keep_state(state, blog, run)


async def visit_mapped(context: CrawlContext, stop: Stop) -> Stop:
    """At the end of a crawl: visit posts that the maps list and nothing else led to."""
    archive, blog = context.archive, context.blog
    found_on = _map_of(blog, archive)
    if found_on is None or stop.ending != "complete":
        return stop
    listed = archive.blogs.inventory.of(blog.id, SOURCE.name)
    unseen = [post for post in listed if not context.has_seen(post.key)]
    for start in range(0, len(unseen), PART):
        before = context.tally.new_posts
        archive.urls.enqueue(blog.id, [
            Link(url=post.url, key=post.key, lane="post", found_on=found_on) for post in unseen[start : start + PART]
        ])
        stop = await run_to_end(begin(context))
        if stop.ending != "complete" or context.tally.new_posts == before:
            break
    return stop


def _map_of(blog: Blog, archive: Archive) -> str | None:
    """The first of the maps that list the blog's posts; None where there are none."""
    history = archive.blogs.state(blog.id).history
    return next((state.entrance for state in history if state.source == SOURCE.name), None)
