"""What is done with a fetched page, in order: render, read, comments, media, store.

Each step is a function of a `PageResult` and the `CrawlContext`; the setting `pipeline` leaves one out, or replaces
it by a function of your own ('package.module:function').
"""

from __future__ import annotations

import inspect
from dataclasses import dataclass, field, replace
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal, cast

from everlog.core.urls import canonical
from everlog.errors import UsageError
from everlog.extract.classify import noarchive
from everlog.extract.classify.post_paging import NO_PAGES
from everlog.markup.media import media_of
from everlog.records import Link, Media, Visit
from everlog.usecases.page.apply_reading import say_what_was_held, take_in
from everlog.usecases.page.further_pages import ask_part
from everlog.usecases.page.joined_pages import join_pages
from everlog.usecases.page.merged_comments import uncommented, with_comments
from everlog.usecases.page.page_reading import Evidence, PageInput, look
from everlog.usecases.page.post_comments import Further
from everlog.usecases.page.rendering import NotDrawn, exchanges_of, page_of

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from everlog.extract.classify.post_paging import Paging
    from everlog.records import Exchange, Fetched, Outcome, Page, Post
    from everlog.usecases.crawl.crawl_context import CrawlContext

    Step = Callable[["PageResult", CrawlContext], Awaitable[None] | None]

# Reasons are counted by kind, no longer than a line.
LONGEST_REASON = 100
HTML_TYPES = ("text/html", "application/xhtml+xml", "text/plain", "application/xml", "text/xml")


@dataclass(slots=True, kw_only=True)
class PageResult:
    """A visit in the making."""

    link: Link
    fetched: Fetched
    outcome: Outcome = "page"
    reason: str | None = None
    note: str | None = None
    by_url: bool = True
    post: Post | None = None
    post_key: str | None = None
    links: list[Link] = field(default_factory=list)
    new_posts: int = 0
    kept: bool = True
    # What a browser made of the page: it is read in place of the answer, and stored beside it.
    drawn: Page | None = None
    made: tuple[Exchange, ...] = ()
    evidence: Evidence = field(default_factory=Evidence)
    paging: Paging = NO_PAGES
    # Further pages of the post, to be stored behind it; and whether one of them could not be had for now.
    parts: list[Visit] = field(default_factory=list)
    is_unfinished: bool = False
    comments_tried: bool = True
    sight: Literal["led-away", "no-post"] | None = None
    other_template: bool = False

    @property
    def page(self) -> Page:
        """The page to read."""
        return self.drawn or self.fetched.page

    @property
    def exchanges(self) -> tuple[Exchange, ...]:
        """What is stored, the answer last."""
        if not self.kept:
            return ()
        return (*self.fetched.exchanges[:-1], *self.made, self.fetched.exchanges[-1])

    def to_visit(self, blog_id: int) -> Visit:
        """The record of this visit, as the archive stores it."""
        return Visit(
            blog_id=blog_id, url=self.link.url, key=self.link.key, outcome=self.outcome, reason=self.reason,
            note=self.note, exchanges=self.exchanges, post=self.post,
            post_key=self.post_key, links=tuple(self.links), new_posts=self.new_posts,
            comments_tried=self.comments_tried, sight=self.sight, other_template=self.other_template,
            is_unfinished=self.is_unfinished,
        )


def steps_named(names: tuple[str, ...]) -> tuple[Step, ...]:
    """The functions behind the names of steps."""
    return tuple(STEPS[name] if name in STEPS else _imported(name) for name in names)


async def take_steps(draft: PageResult, context: CrawlContext, steps: tuple[Step, ...]) -> None:
    """One step after the other; a step may be a coroutine."""
    for step in steps:
        waiting = step(draft, context)
        if inspect.isawaitable(waiting):
            await waiting


async def render_page(draft: PageResult, context: CrawlContext) -> None:
    """Draw the page in a browser, on blogs whose pages show nothing before their scripts ran."""
    if not context.rendering.draws_all or _not_a_page(draft, context) is not None:
        return
    try:
        drawn = await context.rendering.draw(draft.fetched.page)
    except NotDrawn as error:
        # Nothing of it can be read: the address waits for the next try, as one that gave no answer.
        draft.outcome, draft.reason, draft.kept = "failed", f"could not be rendered: {error.reason}", False
        context.tally.failed += 1
        context.tally.fail(draft.link.url, draft.reason, kind="could not be rendered")
        return
    context.tally.rendered += 1
    draft.drawn, draft.made = page_of(drawn), exchanges_of(drawn)


def read_content(draft: PageResult, context: CrawlContext) -> Awaitable[None] | None:
    """Is the page a post? Read it with the blog's rules; gather where it leads."""
    if draft.outcome == "failed":
        return None
    refusal = _not_a_page(draft, context)
    if refusal is not None:
        draft.outcome, draft.reason = "skip", refusal
        # What other hosts say is not this blog's.
        draft.kept = context.scope.holds(draft.page.url)
        say_what_was_held(draft, context)
        return None
    take_in(draft, context, look(_sheet(draft, context), context.read_context))
    return join_pages(draft, context) if draft.paging.text or draft.paging.told_by else None


def _sheet(draft: PageResult, context: CrawlContext) -> PageInput:
    page = draft.page
    entry = context.commenting.entries.get(canonical(page.url))
    may_be_kept = not any(noarchive(None, value) for value in draft.fetched.answer.values("x-robots-tag"))
    return PageInput(
        page=page, comments_feed=entry.comments_feed if entry is not None else None, may_be_kept=may_be_kept,
        ignores_robots=not context.settings.robots,
    )


async def collect_comments(draft: PageResult, context: CrawlContext) -> None:
    """All comments of the post, from its page, its comment feed, and services in the browser."""
    post = draft.post
    if post is None:
        return
    held = context.held(draft.post_key or draft.link.key)
    if not context.settings.comments:
        draft.post = uncommented(post, held)
        return
    desk = context.commenting
    further = Further(draft.paging, lambda url: ask_part(url, context)) if draft.paging.comments else None
    gathered = await desk.gather(post, draft.evidence, draft.fetched, held, further)
    draft.post = with_comments(post, gathered, desk.claimed(post, gathered), held)
    draft.made = draft.made or gathered.exchanges
    draft.comments_tried = gathered.tried
    draft.parts += gathered.parts
    _count_comments(draft.post, gathered.failures, context)
    for visit in gathered.visits:
        context.is_new(visit.key)
        await context.submit(visit)
    if desk.lesson_learned():
        context.learn_comments(desk.rules)


def collect_media(draft: PageResult, context: CrawlContext) -> None:
    """Which pictures, sounds and files the article shows; they are fetched in their own turn."""
    if draft.post is None or not context.settings.media:
        return
    urls = media_of(draft.post.html, draft.post.url)
    draft.post = replace(draft.post, media=tuple(Media(url=url) for url in urls))
    for url in urls:
        link = Link(url=url, key=canonical(url), lane="media", found_on=draft.link.url)
        if context.is_new(link.key):
            draft.links.append(link)


async def store(draft: PageResult, context: CrawlContext) -> None:
    """Hand the visit to the archive, and those of its post's further pages; they are safe once that says so."""
    await context.submit(draft.to_visit(context.blog.id))
    for part in draft.parts if draft.kept else ():
        await context.submit(replace(part, post_key=draft.post_key or draft.link.key))


STEPS: dict[str, Any] = {
    "render": render_page, "read": read_content, "comments": collect_comments, "media": collect_media, "store": store,
}


def _count_comments(post: Post, failures: list[str], context: CrawlContext) -> None:
    tally = context.tally
    if post.comments_state == "failed":
        for reason in failures:
            tally.reasons[f"comments: {reason}"[:LONGEST_REASON]] += 1


def _not_a_page(draft: PageResult, context: CrawlContext) -> str | None:
    page = draft.page
    if not context.scope.holds(page.url):
        return f"redirects out of the blog, to {page.url}"
    kind = (page.content_type or "text/html").partition(";")[0].strip().lower()
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
