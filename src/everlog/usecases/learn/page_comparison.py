"""What repeats on a blog's pages, counted on pages of one crawl (DiffPost): a new post needs company for that."""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from everlog.core.tree import parse
from everlog.core.urls import canonical
from everlog.errors import UnreadablePage
from everlog.usecases.crawl.lifecycle import begin, run_to_end
from everlog.usecases.learn.relearn import stored_page

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from everlog.archive import Archive
    from everlog.core.outline import Outline
    from everlog.extract.extractors.diffpost import RepeatCounts
    from everlog.records import Blog
    from everlog.usecases.crawl.crawl_context import CrawlContext
    from everlog.usecases.crawl.lifecycle import CrawlRun
    from everlog.usecases.crawl.stop_reasons import Stop
    from everlog.usecases.learn.learned_blog import LearnedBlog

REPEATS = "repeats"


async def with_company(context: CrawlContext, work: CrawlRun, stop: Stop) -> Stop:
    """At the end of an update: look at older posts again if too few are new to be compared with each other.

    A page that did not change is not sent again: what is stored of it is what it says now.
    """
    if stop.ending != "complete" or not work.tally.new_posts:
        return stop
    # These need numpy; an update without news does not.
    from everlog.extract.extractors.diffpost import comparison_pages  # noqa: PLC0415
    from everlog.extract.extractors.diffpost.comparison_posts import LEAST_COMPANY  # noqa: PLC0415

    visited = [canonical(url) for url in work.visited_posts]
    held = context.archive.posts.newest(context.blog.id, limit=LEAST_COMPANY + 1 + len(visited))
    older = comparison_pages(visited, held)
    if older:
        context.archive.urls.requeue(context.blog.id, older)
        again = begin(context, work, is_update=True)
        work.tally.doing = "fetching older posts again, to compare"
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
        context.archive.blogs.remember(context.blog.id, REPEATS, json.dumps(repeats.compact().to_dict()))


def known_repeats(blog: Blog, archive: Archive) -> RepeatCounts:
    """What is known to repeat on a blog's pages; nothing if it was never counted."""
    from everlog.extract.extractors.diffpost import RepeatCounts  # noqa: PLC0415 - as above

    return RepeatCounts.from_dict(json.loads(archive.blogs.recall(blog.id, REPEATS) or "{}"))


def compared_anew(known: LearnedBlog, blog: Blog, archive: Archive) -> LearnedBlog:
    """The same knowledge, to read pages by what repeated at the last crawl instead of when the blog was learned."""
    if known.template.repeats is None or archive.blogs.recall(blog.id, REPEATS) is None:
        return known
    return replace(known, template=replace(known.template, repeats=known_repeats(blog, archive)))


def _outlines(keys: Iterable[str], context: CrawlContext) -> Iterator[Outline]:
    from everlog.core.outline import Outline  # noqa: PLC0415 - as above

    for key in keys:
        stored = stored_page(f"http://{key}", context.blog, context.archive, drawn=context.known.is_scripted)
        if stored is not None:
            with suppress(UnreadablePage):
                yield Outline(parse(stored.page.body, stored.page.content_type))
