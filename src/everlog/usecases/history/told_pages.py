"""The page of a post that an interface told: it is the check on what was told, and brings what was not."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from everlog.archive.repos.inventory import LEADS_TO_POST, SHOWS_ANOTHER
from everlog.core.urls import canonical
from everlog.history.told_post import agree_in_text, checked_by_page, seen_on_page
from everlog.history.told_text import is_told, is_told_whole, is_without_page
from everlog.usecases.page.post_identity import NOT_PUBLIC, shows, shows_nothing

if TYPE_CHECKING:
    from everlog.records import Post
    from everlog.usecases.crawl.crawl_context import CrawlContext
    from everlog.usecases.page.page_context import PageContext


def apply_told(page: PageContext, context: CrawlContext) -> None:
    """Let what was told stand, if the interface was asked in this run; else the page's word is newer.

    A page that shows nothing of what was told is none of the post's, whenever it is asked for.
    """
    if page.held_key in context.pages:
        _as_page(page)
    if page.outcome not in {"post", "page", "listing", "skip"} or not page.kept:
        return
    if context.is_told and page.held_key in context.locked:
        page.post, page.outcome, page.reason = None, "page", NOT_PUBLIC + context.locked[page.held_key]
        return
    # Captures that others made stand for themselves.
    if not context.has_sources or context.foreign is not None:
        return
    if _leads_to_another(page, context):
        page.reason = LEADS_TO_POST
    held = context.held(page.held_key)
    if held is not None and _is_another(page, held):
        _let_it_be(page, held, context)
        return
    if held is None or not context.is_told:
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


def _leads_to_another(page: PageContext, context: CrawlContext) -> bool:
    """Whether the address of a post that is held leads to the page of a post that is another one."""
    if page.post is None or page.held_key == page.link.key:
        return False
    own = context.held(page.link.key)
    return own is not None and canonical(own.url) == page.link.key and shows(page.shown, own) is False


def _let_it_be(page: PageContext, held: Post, context: CrawlContext) -> None:
    """Let a post be as it was told, whose page is still to be had: what answered in its place is none of its pages."""
    page.sight = page.post_key = None
    if page.outcome == "skip":
        page.post = None
        return
    at = page.shown.fetched_at or context.run.now()
    page.post, page.outcome, page.reason = seen_on_page(held, at, shows=False), "post", SHOWS_ANOTHER


def _is_another(page: PageContext, held: Post) -> bool:
    """Whether the first page at the address of a post that was told shows nothing of it."""
    is_first = held.kind == "post" and is_without_page(held) and is_told_whole(held)
    if not is_first or canonical(page.shown.url) != page.link.key:
        return False
    # To take a page apart once more costs as much as to read it, and most pages say what was told.
    says_the_same = page.post is not None and agree_in_text(held, page.post)
    return not says_the_same and shows_nothing(page.shown, held)


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
