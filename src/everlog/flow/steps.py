"""What is done with a fetched page, in order: render, read, comments, media, store.

Each step is a function of a `Draft` and the `Crew`; the setting `steps` leaves one out, or replaces
it by a function of your own ('package.module:function').
"""

from __future__ import annotations

import inspect
from dataclasses import dataclass, field, replace
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal, cast
from urllib.parse import urlsplit

from everlog.errors import UnreadablePage, UsageError
from everlog.flow.commenting import Evidence, uncommented, with_comments
from everlog.flow.copies import Copy
from everlog.flow.presence import key_of_moved, what_was_lost
from everlog.flow.rendering import NotDrawn, exchanges_of, page_of
from everlog.links import page_links, trap
from everlog.media import media_of
from everlog.posts import noarchive
from everlog.records import Link, Media, Skip, Visit
from everlog.tree import parse
from everlog.urls import canonical

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from everlog.flow.crew import Crew
    from everlog.records import Exchange, Fetched, Lane, Outcome, Page, Post
    from everlog.tree import Element

    Step = Callable[["Draft", Crew], Awaitable[None] | None]

# Reasons are counted by kind, no longer than a line.
LONGEST_REASON = 100
HTML_TYPES = ("text/html", "application/xhtml+xml", "text/plain", "application/xml", "text/xml")


@dataclass(slots=True, kw_only=True)
class Draft:
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
        )


def steps_named(names: tuple[str, ...]) -> tuple[Step, ...]:
    """The functions behind the names of steps."""
    return tuple(STEPS[name] if name in STEPS else _imported(name) for name in names)


async def take_steps(draft: Draft, crew: Crew, steps: tuple[Step, ...]) -> None:
    """One step after the other; a step may be a coroutine."""
    for step in steps:
        waiting = step(draft, crew)
        if inspect.isawaitable(waiting):
            await waiting


async def render_page(draft: Draft, crew: Crew) -> None:
    """Draw the page in a browser, on blogs whose pages show nothing before their scripts ran."""
    if not crew.rendering.draws_all or _not_a_page(draft, crew) is not None:
        return
    try:
        drawn = await crew.rendering.draw(draft.fetched.page)
    except NotDrawn as error:
        # Nothing of it can be read: the address waits for the next try, as one that gave no answer.
        draft.outcome, draft.reason, draft.kept = "failed", f"could not be drawn: {error.reason}", False
        crew.tally.failed += 1
        crew.tally.fail(draft.link.url, draft.reason, kind="could not be drawn")
        return
    crew.tally.rendered += 1
    draft.drawn, draft.made = page_of(drawn), exchanges_of(drawn)


def read_content(draft: Draft, crew: Crew) -> None:
    """Is the page a post? Read it with the blog's rules; gather where it leads."""
    if draft.outcome == "failed":
        return
    _read(draft, crew)
    if draft.post is not None:
        draft.post_key = key_of_moved(draft.link.key, draft.post_key, crew)
    elif draft.kept and draft.outcome in {"listing", "page", "skip"}:
        lost = what_was_lost(draft.link.key, draft.page, draft.outcome, crew)
        if lost is not None:
            draft.post_key, draft.sight = lost


def _read(draft: Draft, crew: Crew) -> None:
    page = draft.page
    refusal = _not_a_page(draft, crew)
    if refusal is not None:
        draft.outcome, draft.reason = "skip", refusal
        # What other hosts say is not this blog's.
        draft.kept = crew.scope.holds(page.url)
        return
    try:
        root = parse(page.body, page.content_type)
    except UnreadablePage as error:
        draft.outcome, draft.reason = "skip", error.message
        return
    # Reading takes the tree apart, so what needs the whole page comes first.
    _gather_links(draft, crew, root)
    if asks_not_to_be_kept(root, draft.fetched.answer):
        draft.outcome, draft.reason, draft.kept = "skip", "noarchive", False
        return
    known = crew.known_for(page, root)
    verdict = known.judge.verdict(page.url, root)
    draft.note, draft.by_url = verdict.note, verdict.by_url
    if verdict.kind != "post":
        draft.outcome = verdict.kind
        return
    claim = known.judge.identity(page.url, root)
    draft.evidence = crew.commenting.evidence(root, page)
    outcome = known.template.reader.read_parsed(root, page.url, page.fetched_at)
    if isinstance(outcome, Skip):
        draft.outcome, draft.reason = "skip", outcome.reason
        return
    draft.outcome = "post"
    draft.post = replace(outcome, blog=crew.blog.home)
    own = canonical(page.url)
    draft.post_key = own if own != draft.link.key else None
    draft.other_template = crew.is_of_another_design(own, known)
    if claim not in {own, draft.link.key}:
        _settle_claim(claim, draft, crew)


async def collect_comments(draft: Draft, crew: Crew) -> None:
    """All comments of the post, from its page, its comment feed, and services in the browser."""
    post = draft.post
    if post is None:
        return
    held = crew.held(draft.post_key or draft.link.key)
    if not crew.settings.comments:
        draft.post = uncommented(post, held)
        return
    desk = crew.commenting
    gathered = await desk.gather(post, draft.evidence, draft.fetched, held)
    draft.post = with_comments(post, gathered, desk.claimed(post, gathered), held)
    draft.made = draft.made or gathered.exchanges
    draft.comments_tried = gathered.tried
    _count_comments(draft.post, gathered.failures, crew)
    for visit in gathered.visits:
        crew.is_new(visit.key)
        await crew.submit(visit)
    if desk.lesson_learned():
        crew.learn_comments(desk.rules)


def collect_media(draft: Draft, crew: Crew) -> None:
    """Which pictures, sounds and files the article shows; they are fetched in their own turn."""
    if draft.post is None or not crew.settings.media:
        return
    urls = media_of(draft.post.html, draft.post.url)
    draft.post = replace(draft.post, media=tuple(Media(url=url) for url in urls))
    for url in urls:
        link = Link(url=url, key=canonical(url), lane="media", found_on=draft.link.url)
        if crew.is_new(link.key):
            draft.links.append(link)


def store(draft: Draft, crew: Crew) -> Awaitable[None]:
    """Hand the visit to the archive; it is safe once that says so."""
    return crew.submit(draft.to_visit(crew.blog.id))


STEPS: dict[str, Any] = {
    "render": render_page, "read": read_content, "comments": collect_comments, "media": collect_media, "store": store,
}


def _count_comments(post: Post, failures: list[str], crew: Crew) -> None:
    tally = crew.tally
    tally.comments += len(post.comments)
    if post.comment_count_claimed is not None:
        tally.comments_missing += post.comment_count_claimed - len(post.comments)
    if post.comments_state == "failed":
        tally.comments_failed += 1
        for reason in failures:
            tally.reasons[f"comments: {reason}"[:LONGEST_REASON]] += 1


def _settle_claim(claim: str, draft: Draft, crew: Crew) -> None:
    """A page that calls itself a copy of another is compared with it, now or when that one was seen."""
    if draft.post is None:
        return
    own = draft.post if crew.settings.comments else uncommented(draft.post, None)
    if crew.settings.comments and (draft.evidence.services or own.comments_state == "partial"):
        # Should it turn out a post of its own, the next update asks for the comments its page does not show.
        own = replace(own, comments_state="failed")
    copy = Copy(link=draft.link, post=own, own_key=canonical(draft.post.url), original=claim)
    held = crew.held(claim)
    if held is not None:
        visit = crew.copies.settled(copy, held)
        draft.post, draft.post_key, draft.reason = visit.post, visit.post_key, visit.reason
    elif crew.scope.holds_key(claim) and crew.copies.has_room() and not _was_visited(claim, crew):
        if crew.is_new(claim):
            url = f"{urlsplit(draft.post.url).scheme}://{claim}"
            draft.links.append(Link(url=url, key=claim, lane="post", found_on=draft.link.url))
        crew.copies.wait(copy)
        draft.post, draft.outcome, draft.reason = None, "retry", f"waits for {claim}, whose copy it says it is"


def _was_visited(key: str, crew: Crew) -> bool:
    """Whether an address was visited, and is no post: a copy need not wait for it."""
    row = crew.archive.row_state(crew.blog.id, key) if crew.has_seen(key) else None
    return row is not None and row[0] != "queued"


def asks_not_to_be_kept(root: Element, answer: Exchange) -> bool:
    """Whether the page, or one of the headers it came with, says noarchive."""
    return noarchive(root) or any(noarchive(None, value) for value in answer.values("x-robots-tag"))


def _not_a_page(draft: Draft, crew: Crew) -> str | None:
    page = draft.page
    if not crew.scope.holds(page.url):
        return f"leads out of the blog, to {page.url}"
    kind = (page.content_type or "text/html").partition(";")[0].strip().lower()
    if kind and not kind.startswith(HTML_TYPES):
        return f"not a page ({kind})"
    return None


def _gather_links(draft: Draft, crew: Crew, root: Element) -> None:
    """New addresses of the blog on this page; those like a post's go to the lane of posts."""
    for found in page_links(root, draft.page.url, within=crew.scope):
        if crew.has_seen(found.key):
            continue
        why = trap(found.url, this_year=crew.this_year)
        if why is not None:
            # The address itself stays unseen: what is no page may be a picture of an article.
            crew.tally.reasons[f"not asked for: {why}"] += crew.is_new(f"trap {found.key}")
            continue
        crew.is_new(found.key)
        is_post = crew.known.judge.likely_post(found.url)
        lane: Lane = "post" if is_post else "page"
        draft.links.append(Link(url=found.url, key=found.key, lane=lane, found_on=draft.link.url))
        draft.new_posts += is_post


def _imported(name: str) -> Step:
    module, colon, attribute = name.partition(":")
    try:
        found = getattr(import_module(module), attribute) if colon else None
    except (ImportError, AttributeError) as error:
        raise UsageError(
            f"step {name!r} cannot be loaded: {error}", advice="give it as package.module:function",
        ) from None
    if not callable(found):
        raise UsageError(
            f"unknown step {name!r}\n  known are: {', '.join(STEPS)}", advice="or give it as package.module:function",
        )
    return cast("Step", found)
