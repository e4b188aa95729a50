"""The page of a post that an interface told: it is the check on what was told, and brings what was not."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from everlog.core.urls import canonical
from everlog.history.told_post import checked_by_page, is_told, is_without_page, seen_on_page
from everlog.usecases.page.post_identity import shows

if TYPE_CHECKING:
    from everlog.usecases.crawl.crawl_context import CrawlContext
    from everlog.usecases.page.page_context import PageContext

def apply_told(page: PageContext, context: CrawlContext) -> None:
    """Let what was told stand, if the interface was asked in this run; else the page's word is newer."""
    if page.held_key in context.pages:
        _as_page(page)
    if not context.is_told or page.outcome not in {"post", "page", "listing", "skip"} or not page.kept:
        return
    if page.held_key in context.locked:
        page.post, page.outcome, page.reason = None, "page", f"its text is not public: {context.locked[page.held_key]}"
        return
    held = context.held(page.held_key)
    if held is None:
        return
    # The first page behind a version that was told belongs to that version.
    page.completes = page.post is not None and is_without_page(held)
    if not is_told(held):
        return
    if page.post is not None:
        page.post = checked_by_page(held, page.post)
    elif canonical(page.shown.url) == page.link.key:
        # The interface knows that it is a post, whatever the page looks like.
        at = page.shown.fetched_at or context.run.now()
        page.post = seen_on_page(held, at, shows=shows(page.shown, held) if held.kind == "page" else None)
        page.outcome, page.reason, page.sight, page.post_key = "post", None, None, None
    page.completes = page.post is not None and is_without_page(held)


def _as_page(page: PageContext) -> None:
    """What was told as a page stays one, whatever it looks like, and is not gone because it looks otherwise now."""
    if page.post is not None:
        page.post = replace(page.post, kind="page")
    elif page.sight == "no-post":
        page.sight = page.post_key = None


def set_told(context: CrawlContext, *, is_told: bool) -> None:
    """Let a crawl know whether a blog's interface told its posts in this run, and which of them are not public."""
    inventory, blog = context.archive.blogs.inventory, context.blog
    sources = context.archive.blogs.state(blog.id).history
    context.is_told = context.commenting.is_told = is_told
    context.commenting.are_to_come = is_told and any(inventory.awaits_pages(blog.id, each.source) for each in sources)
    context.locked = {
        post.key: post.locked for state in sources
        for post in (inventory.of(blog.id, state.source, kind=None) if is_told else ()) if post.locked is not None
    }
