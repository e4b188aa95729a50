"""The text of a post that is split over several pages, asked for page by page and made one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from everlog.core.urls import canonical
from everlog.extract.classify.post_paging import further_page
from everlog.records import Link
from everlog.usecases.learn.split_posts import is_split
from everlog.usecases.page.failures import is_passing
from everlog.usecases.page.further_pages import TextPages, ask_part, stored_part, whole_as_held

if TYPE_CHECKING:
    from everlog.records import Failure, Lane
    from everlog.usecases.crawl.crawl_context import CrawlContext
    from everlog.usecases.page.further_pages import Part
    from everlog.usecases.page.pipeline import PageResult


async def join_pages(draft: PageResult, context: CrawlContext) -> None:
    """Make the post of a draft whole; a page that cannot be had now is asked for again at the next update.

    Until then a page that is stored takes its place, or the text that is held: half a post replaces no whole one.
    """
    post, index = draft.post, draft.paging.told_by
    if post is None:
        return
    own = canonical(draft.page.url)
    pages = TextPages.of(post, draft.paging, {own, draft.link.key})
    if index is not None and await is_split(own, index, context):
        pages.expect(2, further_page(draft.page.url, 2))
    while (step := pages.trail.next()) is not None:
        number, url = step
        is_guess = canonical(url) in pages.sure
        part: Part | None = await ask_part(url, context)
        if part is not None and part.failure is not None:
            if is_guess and number > 2 and not is_passing(part.failure):
                break  # the page before was the last
            _miss_page(draft, context, number, part.failure)
            part = stored_part(url, context.blog, context.archive, context.read_context)
        if not pages.take(number, part):
            _leave_alone(draft, context, url, part)
            continue
        if part is not None and part.exchanges:
            draft.parts.append(part.visit(context.blog.id, f"page {number} of {post.url}"))
        if is_guess:
            pages.expect(number + 1, further_page(draft.page.url, number + 1))
    held = context.held(draft.post_key or draft.link.key) if pages.missing else None
    draft.post = whole_as_held(pages.joined(), held)


def _miss_page(draft: PageResult, context: CrawlContext, number: int, failure: Failure) -> None:
    """Say that a page of a post is missing; only what may be there later is asked for again."""
    why = f"incomplete: page {number} could not be fetched: {failure.reason}"
    if is_passing(failure):
        draft.reason, draft.is_unfinished = why, True
        context.tally.failed += 1
        context.tally.fail(failure.url, failure.reason, kind=f"{failure.trouble} {failure.status or ''}".strip())
    draft.note = draft.note or why


def _leave_alone(draft: PageResult, context: CrawlContext, url: str, part: Part | None) -> None:
    """A page that turned out to be none of the post's is visited by itself, like any other."""
    if part is not None and part.reading is not None and part.reading.part_of is None:
        lane: Lane = "post" if context.known.classifier.likely_post(url) else "page"
        draft.links.append(Link(url=url, key=canonical(url), lane=lane, found_on=draft.link.url))
