"""Comparison of pages of one crawl: what repeats on them (DiffPost). A new post needs others to compare with."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from everlog.core.tree import parse
from everlog.core.urls import canonical
from everlog.errors import UnreadablePage
from everlog.usecases.crawl.lifecycle import begin, run_to_end
from everlog.usecases.page.stored_pages import stored_page

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from everlog.archive import Archive
    from everlog.core.outline import Outline
    from everlog.extract.extractors.diffpost import RepeatCounts
    from everlog.records import Blog
    from everlog.usecases.crawl.crawl_context import CrawlContext, Stop
    from everlog.usecases.learn.learned_blog import LearnedBlog


async def with_comparison_posts(context: CrawlContext, stop: Stop) -> Stop:
    """At the end of an update: look at older posts again if too few are new to be compared with each other.

    A page that did not change is not sent again: what is stored of it is what it says now.
    """
    if stop.ending != "complete" or not context.tally.new_posts:
        return stop
    # These need numpy; an update without news does not.
    from everlog.extract.extractors.diffpost import comparison_pages  # noqa: PLC0415
    from everlog.extract.extractors.diffpost.comparison_posts import LEAST_COMPANY  # noqa: PLC0415

    visited = [canonical(url) for url in context.visited_posts]
    held = context.archive.posts.newest(context.blog.id, limit=LEAST_COMPANY + 1 + len(visited))
    older = comparison_pages(visited, held)
    if older:
        context.archive.urls.requeue(context.blog.id, older)
        again = begin(context, is_update=True)
        context.tally.doing = "fetching older posts again, to compare"
        ended = await run_to_end(again)
        if ended.ending != "complete":
            return ended
    remember_repeats((*visited, *older), context)
    return stop


def after_new_crawl(context: CrawlContext, stop: Stop) -> None:
    """At the end of a new crawl: count what repeats on some of its posts."""
    if stop.ending == "complete":
        from everlog.extract.extractors.diffpost.page_counts import MOST_PAGES  # noqa: PLC0415 - as above

        remember_repeats(context.archive.posts.newest(context.blog.id, limit=MOST_PAGES), context)


def remember_repeats(keys: Iterable[str], context: CrawlContext) -> None:
    """Keep what repeats on these stored pages, unless they are too few to tell."""
    from everlog.extract.extractors.diffpost import RepeatCounts  # noqa: PLC0415 - as above

    repeats = RepeatCounts.learn(_outlines(dict.fromkeys(keys), context))
    if len(repeats.pages) > 1:
        context.archive.blogs.keep_repeats(context.blog.id, repeats.compact())


def known_repeats(blog: Blog, archive: Archive) -> RepeatCounts:
    """What is known to repeat on a blog's pages; nothing if it was never counted."""
    from everlog.extract.extractors.diffpost import RepeatCounts  # noqa: PLC0415 - as above

    return archive.blogs.repeats(blog.id) or RepeatCounts()


def compared_anew(learned: LearnedBlog, blog: Blog, archive: Archive) -> LearnedBlog:
    """The same knowledge, to read pages by what repeated at the last crawl instead of when the blog was learned."""
    if learned.template.repeats is None or (repeats := archive.blogs.repeats(blog.id)) is None:
        return learned
    return replace(learned, template=replace(learned.template, repeats=repeats))


def _outlines(keys: Iterable[str], context: CrawlContext) -> Iterator[Outline]:
    from everlog.core.outline import Outline  # noqa: PLC0415 - as above

    for key in keys:
        stored = stored_page(f"http://{key}", context.blog, context.archive, rendered=context.learned.is_scripted)
        if stored is not None:
            with suppress(UnreadablePage):
                yield Outline(parse(stored.page.body, stored.page.content_type))
