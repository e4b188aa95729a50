"""Pipeline of a fetched page, in order: render, read, comments, media, requisites, store.

Each step is a function of a `PageContext` and the `CrawlContext`; the setting `pipeline` leaves one out, or replaces
it by a function of your own ('package.module:function').
"""

from __future__ import annotations

import inspect
from dataclasses import replace
from importlib import import_module
from typing import TYPE_CHECKING, Any, cast

from everlog.core.urls import canonical
from everlog.errors import UsageError
from everlog.extract.classify import noarchive
from everlog.records import Link, Media, Post
from everlog.replay.requisites import with_icon
from everlog.usecases.history.told_pages import apply_told
from everlog.usecases.page.apply_reading import apply_reading, say_what_was_held
from everlog.usecases.page.joined_pages import join_pages, request_part
from everlog.usecases.page.merged_comments import uncommented, with_comments
from everlog.usecases.page.page_reading import read_page
from everlog.usecases.page.post_comments import Further
from everlog.usecases.page.post_media import entry_of, media_urls
from everlog.usecases.page.rendering import NotRendered, exchanges_of, page_of
from everlog.usecases.page.requisite_links import keeps_requisites

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from everlog.usecases.crawl.crawl_context import CrawlContext
    from everlog.usecases.page.page_context import PageContext

    Step = Callable[[PageContext, CrawlContext], Awaitable[None] | None]

# Reasons are counted by kind, no longer than a line.
LONGEST_REASON = 100
HTML_TYPES = ("text/html", "application/xhtml+xml", "text/plain", "application/xml", "text/xml")


def steps_named(names: tuple[str, ...]) -> tuple[Step, ...]:
    """The functions behind the names of steps."""
    return tuple(STEPS[name] if name in STEPS else _imported(name) for name in names)


async def take_steps(page: PageContext, context: CrawlContext, steps: tuple[Step, ...]) -> None:
    """One step after the other; a step may be a coroutine."""
    for step in steps:
        waiting = step(page, context)
        if inspect.isawaitable(waiting):
            await waiting


async def render_page(page: PageContext, context: CrawlContext) -> None:
    """Render the page in a browser, on blogs whose pages show nothing before their scripts ran."""
    if not context.rendering.renders_all or _not_a_page(page, context) is not None:
        return
    try:
        rendered = await context.rendering.render(page.fetched.page)
    except NotRendered as error:
        # Nothing of it can be read: the address waits for the next try, as one that gave no answer.
        page.outcome, page.reason, page.kept = "failed", f"could not be rendered: {error.reason}", False
        context.tally.failed += 1
        context.tally.fail(page.link.url, page.reason, kind="could not be rendered")
        return
    context.tally.rendered += 1
    page.rendered, page.made = page_of(rendered), exchanges_of(rendered)


def read_content(page: PageContext, context: CrawlContext) -> Awaitable[None] | None:
    """Is the page a post? Read it with the blog's rules; gather where it leads."""
    if page.outcome == "failed":
        return None
    refusal = _not_a_page(page, context)
    if refusal is not None:
        page.outcome, page.reason = "skip", refusal
        # What other hosts say is not this blog's.
        page.kept = context.scope.is_own(page.shown.url)
        say_what_was_held(page, context)
        return None
    entry = context.commenting.entries.get(canonical(page.shown.url))
    page.reading = read_page(
        page.shown, context.templates, context.scope,
        comments_feed=entry.comments_feed if entry is not None else None, obeys_noarchive=context.settings.robots,
        says_noarchive=any(noarchive(None, value) for value in page.fetched.answer.values("x-robots-tag")),
        with_requisites=keeps_requisites(context.settings),
    )
    apply_reading(page, context)
    paging = page.reading.paging
    if paging.text or paging.told_by:
        return _join_told(page, context)
    apply_told(page, context)
    return None


async def _join_told(page: PageContext, context: CrawlContext) -> None:
    await join_pages(page, context)
    apply_told(page, context)


async def collect_comments(page: PageContext, context: CrawlContext) -> None:
    """All comments of the post, from its page, its comment feed, and services in the browser."""
    post = page.post
    if post is None:
        return
    # What others captured stands for itself: it is not made whole by what is held from another time.
    held = context.held(page.held_key) if context.foreign is None else None
    if not context.settings.comments:
        page.post = uncommented(post, held)
        return
    gatherer = context.commenting
    paging = page.reading.paging
    further = Further(paging, lambda url: request_part(url, context)) if paging.comments else None
    gathered = await gatherer.gather(post, page.reading.evidence, page.fetched, held, further)
    page.post = with_comments(post, gathered, gatherer.claimed(post, gathered), held)
    page.made = page.made or gathered.exchanges
    page.comments_tried = gathered.tried
    page.parts += gathered.parts
    _count_comments(page.post, gathered.failures, context)
    for visit in gathered.visits:
        context.is_new(visit.key)
        await context.submit(visit)
    if gatherer.lesson_learned():
        context.learn_comments(gatherer.rules)


def collect_media(page: PageContext, context: CrawlContext) -> None:
    """Which pictures, sounds and files the article shows; they are fetched in their own turn."""
    if page.post is None or not context.settings.media:
        return
    keys = (page.link.key, canonical(page.post.url), *((page.reading.claim,) if page.reading.claim else ()))
    urls = media_urls(page.post, entry_of(keys, context), context.held(page.held_key))
    page.post = replace(page.post, media=tuple(Media(url=url) for url in urls))
    for url in urls:
        link = Link(url=url, key=canonical(url), lane="media", found_on=page.link.url)
        if context.is_wanted(link.key):
            page.links.append(link)


def collect_requisites(page: PageContext, context: CrawlContext) -> None:
    """What the page needs to be shown, beside the media of its article; that is fetched in its own turn, too."""
    # Those of further pages of a post.
    page.links += context.requisites.along()
    if not page.kept:
        return
    named = page.reading.requisites
    is_wanted = keeps_requisites(context.settings) and page.reading.kind is not None
    if is_wanted and page.link.key == canonical(context.blog.home):
        named = with_icon(named, page.shown.url)
    if is_wanted or named:
        page.links += context.requisites.new(named, found_on=page.link.url)


async def store(page: PageContext, context: CrawlContext) -> None:
    """Hand the visit to the archive, and those of its post's further pages; they are safe once that says so."""
    await context.submit(page.to_visit(context.blog))
    for part in page.parts if page.kept else ():
        await context.submit(replace(part, post_key=page.held_key))


STEPS: dict[str, Any] = {
    "render": render_page, "read": read_content, "comments": collect_comments, "media": collect_media,
    "requisites": collect_requisites, "store": store,
}


def _count_comments(post: Post, failures: list[str], context: CrawlContext) -> None:
    tally = context.tally
    if post.comments_state == "failed":
        for reason in failures:
            tally.reasons[f"comments: {reason}"[:LONGEST_REASON]] += 1


def _not_a_page(page: PageContext, context: CrawlContext) -> str | None:
    shown = page.shown
    if not context.scope.is_own(shown.url):
        return f"redirects out of the blog, to {shown.url}"
    kind = (shown.content_type or "text/html").partition(";")[0].strip().lower()
    if kind and not kind.startswith(HTML_TYPES):
        return f"not an HTML page ({kind})"
    return None


def _imported(name: str) -> Step:
    module, colon, attribute = name.partition(":")
    try:
        found = getattr(import_module(module), attribute) if colon else None
    except (ImportError, AttributeError) as error:
        raise UsageError(
            f"step {name!r} cannot be loaded: {error}", advice="write it as package.module:function",
        ) from None
    if not callable(found):
        raise UsageError(
            f"unknown step {name!r}\n  known steps: {', '.join(STEPS)}", advice="or write package.module:function",
        )
    return cast("Step", found)
