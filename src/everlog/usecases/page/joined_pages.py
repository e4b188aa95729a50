"""Posts that are split over several pages: asked for page by page, and made one.

A text that was split in WordPress's old editor has further pages that a block theme links to from nowhere. The blog's
interface finds the mark that splits it: one request tells of all posts (`is_split`).
"""

from __future__ import annotations

import asyncio
import json
import logging
from dataclasses import replace
from typing import TYPE_CHECKING

from everlog.core.retry_policy import is_passing
from everlog.core.urls import canonical
from everlog.extract.classify import noarchive
from everlog.extract.classify.post_paging import further_page
from everlog.records import Exchange, Failure, Lane, Link, Visit
from everlog.usecases.page.further_pages import Part, TextPages, part_of_reading, stored_part, whole_as_held
from everlog.usecases.page.page_reading import read_part
from everlog.usecases.page.rendering import NotRendered, exchanges_of, page_of
from everlog.usecases.page.requisite_links import keeps_requisites
from everlog.usecases.page_doubts import INCOMPLETE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from everlog.usecases.crawl.crawl_context import CrawlContext
    from everlog.usecases.page.page_context import PageContext

log = logging.getLogger("everlog")

# The interface gives a hundred at a time. A blog with more than a thousand posts that are split is none of people.
PER_PAGE, MOST_PAGES = 100, 10


async def join_pages(page: PageContext, context: CrawlContext) -> None:
    """Make the post of a page whole; a page that cannot be had now is asked for again at the next update.

    Until then a page that is stored takes its place, or the text that is held: half a post replaces no whole one.
    """
    post, index = page.post, page.reading.paging.told_by
    if post is None:
        return
    own = canonical(page.shown.url)
    pages = TextPages.of(post, page.reading.paging, {own, page.link.key})
    if index is not None and await is_split(own, index, context):
        pages.expect(2, further_page(page.shown.url, 2))
    while (step := pages.trail.next()) is not None:
        number, url = step
        is_guess = canonical(url) in pages.sure
        part: Part | None = await request_part(url, context)
        if part is not None and part.failure is not None:
            if is_guess and number > 2 and not is_passing(part.failure):
                break  # the page before was the last
            _miss_page(page, context, number, part.failure)
            is_live = context.foreign is None
            part = stored_part(url, context.blog, context.archive, context.templates) if is_live else None
        if not pages.take(number, part):
            _leave_alone(page, context, url, part)
            continue
        if part is not None and part.exchanges:
            page.parts.append(part.visit(context.blog.id, f"page {number} of {post.url}"))
        if is_guess:
            pages.expect(number + 1, further_page(page.shown.url, number + 1))
    held = context.held(page.held_key) if pages.missing and context.foreign is None else None
    page.post = whole_as_held(pages.joined(), held)


def _miss_page(page: PageContext, context: CrawlContext, number: int, failure: Failure) -> None:
    """Say that a page of a post is missing; only what may be there later is asked for again."""
    why = f"{INCOMPLETE}: page {number} could not be fetched: {failure.reason}"
    if is_passing(failure):
        page.reason, page.is_unfinished = why, True
        context.tally.failed += 1
        context.tally.fail(failure.url, failure.reason, kind=f"{failure.trouble} {failure.status or ''}".strip())
    page.note = page.note or why


def _leave_alone(page: PageContext, context: CrawlContext, url: str, part: Part | None) -> None:
    """A page that turned out to be none of the post's is visited by itself, like any other."""
    if part is not None and part.reading is not None and part.reading.part_of is None:
        lane: Lane = "post" if context.learned.classifier.likely_post(url) else "page"
        page.links.append(Link(url=url, key=canonical(url), lane=lane, found_on=page.link.url))


async def request_part(url: str, context: CrawlContext) -> Part:
    """A further page of a post, asked for and read."""
    answer = await context.fetcher.fetch(url)
    context.tally.requests += 1
    if isinstance(answer, Failure):
        return Part(url=url, failure=answer)
    context.is_new(canonical(url))
    page, made = answer.page, tuple[Exchange, ...]()
    if canonical(page.url) != canonical(url):
        return Part(url=url)
    if context.rendering.renders_all:
        try:
            rendered = await context.rendering.render(page)
        except NotRendered as error:
            failure = Failure(url=url, trouble="protocol", reason=f"could not be rendered: {error.reason}")
            return Part(url=url, failure=failure)
        context.tally.rendered += 1
        page, made = page_of(rendered), exchanges_of(rendered)
    if any(noarchive(None, value) for value in answer.answer.values("x-robots-tag")):
        return Part(url=url)
    exchanges = (*answer.exchanges[:-1], *made, answer.answer)
    reading = read_part(page, context.templates, with_requisites=keeps_requisites(context.settings))
    context.requisites.take_along(reading.requisites, found_on=url)
    return part_of_reading(url, reading, exchanges)


async def is_split(key: str, index: str, context: CrawlContext) -> bool:
    """Whether the post with this key is split, as the index says; it is asked once in a run, and only for new posts."""
    state = context.archive.blogs.state(context.blog.id)
    if state.split_posts is not None and (not state.tells_split_posts or context.held(key) is not None):
        return key in state.split_posts
    if context.split_posts is None:
        context.split_posts = asyncio.ensure_future(_request_index(index, context))
    # Who is called off while he waits does not call off the others.
    return key in await asyncio.shield(context.split_posts)


async def _request_index(index: str, context: CrawlContext) -> frozenset[str]:
    found: list[str] = []
    for page in range(1, MOST_PAGES + 1):
        url = index if page == 1 else f"{index}&page={page}"
        answer = await context.fetcher.fetch(url)
        context.tally.requests += 1
        if isinstance(answer, Failure):
            log.info("posts split over pages: %s (%s)", url, answer.reason)
            if page == 1 and not is_passing(answer):
                _keep_split((), context, tells=False)
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
    _keep_split(sorted(set(found)), context)
    return frozenset(found)


def _keep_split(keys: Sequence[str], context: CrawlContext, *, tells: bool = True) -> None:
    """Remember which posts are split; `tells`: whether the interface does."""
    context.archive.blogs.change_state(
        context.blog.id, lambda state: replace(state, split_posts=tuple(keys), tells_split_posts=tells),
    )


def _links(body: bytes) -> list[str]:
    """The addresses that the interface names; none for anything else that answers in its place."""
    try:
        said = json.loads(body)
    except ValueError:
        return []
    rows = said if isinstance(said, list) else []
    return [row["link"] for row in rows if isinstance(row, dict) and isinstance(row.get("link"), str)]
