"""The list of all posts of a blog, asked for once more: what was listed before and is not any more is gone."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

from everlog.core.retry_policy import NOT_THERE
from everlog.history import SOURCES
from everlog.history.source import ListingSource
from everlog.usecases.discover.blog_scope import scope_of
from everlog.usecases.history.store_told import ToldStore
from everlog.usecases.history.walk_sources import keep_state
from everlog.usecases.update.update_history import take_all

if TYPE_CHECKING:
    from everlog.archive.blog_state import SourceState
    from everlog.records import Blog
    from everlog.usecases.crawl.crawl_context import CrawlRun


async def settle_lists(blog: Blog, run: CrawlRun) -> None:
    """Ask those lists once more that changed while they were read, or that name posts which are not there.

    Most lists are as they were, and nothing is asked for.
    """
    inventory = run.archive.blogs.inventory
    for state in run.archive.blogs.state(blog.id).history:
        source = next((each for each in SOURCES if each.name == state.source), None)
        if not isinstance(source, ListingSource) or source.grade != "A" or not state.is_exhaustive:
            continue
        if run.stop.interrupted or not _is_doubtful(state, blog, run):
            continue
        walk = source.listing(state.entrance, mark=json.loads(state.mark or "{}"))
        if walk is None:
            continue
        store = ToldStore(source=source.name, blog=blog, scope=scope_of(blog, run.archive), run=run, is_update=True)
        total, _ = await take_all(walk, store, run)
        if total is not None and walk.lists_all:
            lost = [post for post in inventory.of(blog.id, source.name) if post.key not in store.listed]
            inventory.remove(blog.id, source.name, [post.native_id for post in lost])
            keep_state(replace(state, claimed_before=total, total=total, walked_at=run.now()), blog, run)


def _is_doubtful(state: SourceState, blog: Blog, run: CrawlRun) -> bool:
    inventory = run.archive.blogs.inventory
    if state.total is None or state.claimed_before != state.total:
        return state.total is not None
    if inventory.counts(blog.id).get(state.source, 0) != state.total:
        return True
    unheld = (*inventory.unheld(blog.id), *inventory.in_part(blog.id))
    return any(post.source == state.source and post.status in NOT_THERE for post in unheld)
