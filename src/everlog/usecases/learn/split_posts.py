"""Which posts of a blog are split over pages, where their own pages do not show it.

A text that was split in WordPress's old editor has further pages that a block theme links to from nowhere. The blog's
interface finds the mark that splits it: one request tells of all posts.
"""

from __future__ import annotations

import asyncio
import json
import logging
from typing import TYPE_CHECKING

from everlog.core.urls import canonical
from everlog.records import Failure, Visit
from everlog.usecases.page.failures import is_passing

if TYPE_CHECKING:
    from everlog.usecases.crawl.crawl_context import CrawlContext

log = logging.getLogger("everlog")

# Where the keys of these posts are remembered; "null": the interface does not tell.
SPLIT = "split posts"
# The interface gives a hundred at a time. A blog with more than a thousand posts that are split is none of people.
PER_PAGE, MOST_PAGES = 100, 10


async def is_split(key: str, index: str, context: CrawlContext) -> bool:
    """Whether the post with this key is split, as the index says; it is asked once in a run, and only for new posts."""
    kept = context.archive.blogs.recall(context.blog.id, SPLIT)
    if kept is not None and (kept == "null" or context.held(key) is not None):
        return key in (json.loads(kept) or ())
    if context.split_posts is None:
        context.split_posts = asyncio.ensure_future(_ask(index, context))
    # Who is called off while he waits does not call off the others.
    return key in await asyncio.shield(context.split_posts)


async def _ask(index: str, context: CrawlContext) -> frozenset[str]:
    found: list[str] = []
    for page in range(1, MOST_PAGES + 1):
        url = index if page == 1 else f"{index}&page={page}"
        answer = await context.fetcher.fetch(url)
        context.tally.requests += 1
        if isinstance(answer, Failure):
            log.info("posts split over pages: %s (%s)", url, answer.reason)
            if page == 1 and not is_passing(answer):
                context.archive.blogs.remember(context.blog.id, SPLIT, "null")
                return frozenset()
            break
        links = _links(answer.answer.body)
        found += map(canonical, links)
        key = canonical(url)
        context.is_new(key)
        await context.submit(
            Visit(blog_id=context.blog.id, url=url, key=key, outcome="feed", exchanges=answer.exchanges)
        )
        if len(links) < PER_PAGE:
            break
    context.archive.blogs.remember(context.blog.id, SPLIT, json.dumps(sorted(set(found))))
    return frozenset(found)


def _links(body: bytes) -> list[str]:
    """The addresses that the interface names; none for anything else that answers in its place."""
    try:
        said = json.loads(body)
    except ValueError:
        return []
    rows = said if isinstance(said, list) else []
    return [row["link"] for row in rows if isinstance(row, dict) and isinstance(row.get("link"), str)]
