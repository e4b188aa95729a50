"""The reading of a page, applied to its crawl: new addresses, a post, a copy of one, or a post that is gone."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from everlog.core.links import trap
from everlog.core.urls import canonical
from everlog.extract.classify.post_paging import post_of_comment_page
from everlog.extract.feed_entry import filled, is_told
from everlog.records import Lane, Link, Post, Skip
from everlog.usecases.crawl.left_out import NOARCHIVE, note_left_out, note_named
from everlog.usecases.page.copies import FIRST, Copy
from everlog.usecases.page.merged_comments import uncommented
from everlog.usecases.page.post_identity import NOT_PUBLIC, PASSWORD, key_of_moved, what_was_lost, where_led

if TYPE_CHECKING:
    from everlog.usecases.crawl.crawl_context import CrawlContext
    from everlog.usecases.page.page_context import PageContext


def apply_reading(page: PageContext, context: CrawlContext) -> None:
    """What the reading of a page means for the crawl, given all that it has met so far."""
    reading = page.reading
    note_left_out(reading.outside, context)
    note_named(reading.elsewhere, context)
    found = reading.found
    page.note = reading.note
    _gather_links(page, context)
    if reading.unreadable is not None:
        page.outcome, page.reason = "skip", reading.unreadable
    elif not reading.may_be_kept:
        page.outcome, page.reason, page.kept = "skip", NOARCHIVE, False
    elif isinstance(found, Skip):
        page.outcome, page.reason = "skip", found.reason
    elif found is not None and reading.asks_for_password and context.held(canonical(page.shown.url)) is None:
        page.outcome, page.reason = "page", NOT_PUBLIC + PASSWORD
    elif found is not None:
        _take_post(found, page, context)
    elif reading.part_of is not None:
        _take_part(reading.part_of, page, context)
    else:
        page.outcome, page.reason = reading.kind or "page", where_led(page.link, page.shown, context)
    say_what_was_held(page, context)


def say_what_was_held(page: PageContext, context: CrawlContext) -> None:
    """Whether a post is held of this address, under another key or no longer there."""
    if page.post is not None:
        page.post_key = key_of_moved(page.link.key, page.post_key, context)
    elif page.kept and page.outcome in {"listing", "page", "skip"} and context.foreign is None:
        page.is_unlisted = page.link.key in context.unlisted
        lost = what_was_lost(page.link.key, page.shown, page.outcome, context)
        if lost is not None:
            page.post_key, page.sight = lost


def _take_post(post: Post, page: PageContext, context: CrawlContext) -> None:
    page.outcome = "post"
    context.neighbours.pop(page.link.key, None)
    answer = page.fetched.answer
    page.post = replace(post, blog=context.blog.home, origin=answer.origin, captured=answer.captured_at)
    own = canonical(page.shown.url)
    page.post_key = own if own != page.link.key else None
    page.post = _with_entry(page.post, page, context)
    if context.foreign is None:
        page.other_template = page.reading.is_present and (
            context.is_of_another_design(own) or _has_lost_its_place(page.post, own, context)
        )
    else:
        page.other_template = not page.reading.is_present
        page.post_key = context.archive.posts.key(context.blog.id, own, page.link.key) or page.post_key
    if page.reading.claim is not None and page.reading.claim not in {own, page.link.key}:
        _settle_claim(page.reading.claim, page, context)


def _has_lost_its_place(post: Post, key: str, context: CrawlContext) -> bool:
    """Whether the article stood where the blog's articles are, and was now found by a worse rule in its stead.

    So a redesign looks that nobody has noticed yet: its first pages may be those of old posts, which no feed names.
    """
    now = context.learned.template.design_of(post)
    held = context.held(key) if now else None
    before = context.learned.template.design_of(held) if held is not None else None
    return now is not None and before is not None and before < now


def _take_part(post_url: str, page: PageContext, context: CrawlContext) -> None:
    """A page that continues a post belongs to it, and is read when that one is: its address brings the post's."""
    key = canonical(post_url)
    page.outcome, page.reason, page.post_key = "page", f"continues {post_url}", key
    if context.is_new(key):
        page.links.append(Link(url=post_url, key=key, lane="post", found_on=page.link.url))


def _with_entry(post: Post, page: PageContext, context: CrawlContext) -> Post:
    """The post with what the feed says of it and its page does not show."""
    met = (post.url, *(exchange.url for exchange in page.fetched.exchanges))
    keys = (page.link.key, *map(canonical, met), *((page.reading.claim,) if page.reading.claim is not None else ()))
    held = context.held(page.held_key) if not is_told(post) else None
    entry = context.entries.said_of(keys, held)
    return post if entry is None else filled(post, entry, held)


def _gather_links(page: PageContext, context: CrawlContext) -> None:
    """New addresses of the blog on this page; those like a post's go to the lane of posts.

    Further pages of the post that this page is are asked for with it; a page of comments means the post it belongs to.
    """
    own = {canonical(url) for _, url in (*page.reading.paging.text, *page.reading.paging.comments)}
    for named, named_key in page.reading.links:
        commented = post_of_comment_page(named)
        url, key = (named, named_key) if commented is None else (commented[0], canonical(commented[0]))
        if key in page.reading.neighbours:
            context.linked_neighbours.setdefault(key, url)
        if key in own or (context.has_seen(key) and not context.requisites.holds(key)):
            continue
        why = trap(url, this_year=context.this_year)
        if why is not None:
            # The address itself stays unseen: what is no page may be a picture of an article.
            context.tally.reasons[f"not fetched: {why}"] += context.is_new(f"trap {key}")
            continue
        context.is_wanted(key)
        is_post = context.learned.classifier.likely_post(url)
        lane: Lane = "post" if is_post else "page"
        page.links.append(Link(url=url, key=key, lane=lane, found_on=page.link.url))
        page.new_posts += is_post
        if key in page.reading.neighbours:
            context.neighbours[key] = url


def _settle_claim(claim: str, page: PageContext, context: CrawlContext) -> None:
    """A page that calls itself a copy of another is compared with it, now or when that one was seen."""
    if page.post is None:
        return
    own = page.post if context.settings.comments else uncommented(page.post, None)
    if context.settings.comments and (page.reading.evidence.services or own.comments_state == "partial"):
        # Should it turn out a post of its own, the next update asks for the comments its page does not show.
        own = replace(own, comments_state="failed")
    copy = Copy(link=page.link, post=own, own_key=canonical(page.post.url), original=claim)
    held = context.held(claim)
    if held is not None:
        visit = context.copies.settled(copy, held)
        page.post, page.post_key, page.reason = visit.post, visit.post_key, visit.reason
    elif context.scope.is_own_key(claim) and context.copies.has_room() and not _is_no_post(claim, context):
        if context.is_new(claim):
            url = f"{urlsplit(page.post.url).scheme}://{claim}"
            # It is asked for before other posts: what waits for it is forgotten if the crawl pauses.
            page.links.append(Link(url=url, key=claim, lane="post", found_on=page.link.url, rank=FIRST))
        context.copies.wait(copy)
        page.post, page.outcome = None, "retry"
        page.reason = f"waiting for {claim}, which it names as its canonical address"


def _is_no_post(key: str, context: CrawlContext) -> bool:
    """Whether an address that no post is held of was visited: a copy need not wait for it."""
    return context.has_seen(key) and context.was_visited(key)
