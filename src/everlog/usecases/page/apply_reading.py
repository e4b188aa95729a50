"""What a look at a page means for the crawl: new addresses, a post, a copy of one, or a post that is gone."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from everlog.core.links import trap
from everlog.core.urls import canonical
from everlog.extract.classify.post_paging import post_of_comment_page
from everlog.extract.feed_entry import filled, is_told
from everlog.records import Link, Skip
from everlog.usecases.crawl.left_out import NOARCHIVE, note_left_out
from everlog.usecases.page.copies import FIRST, Copy
from everlog.usecases.page.merged_comments import uncommented
from everlog.usecases.page.post_identity import key_of_moved, what_was_lost

if TYPE_CHECKING:
    from everlog.records import Lane, Post
    from everlog.usecases.crawl.crawl_context import CrawlContext
    from everlog.usecases.page.page_reading import PageReading
    from everlog.usecases.page.pipeline import PageResult


def take_in(draft: PageResult, context: CrawlContext, reading: PageReading) -> None:
    """What the look at a page means for the crawl, given all that it has met so far."""
    note_left_out(reading.outside, context)
    found = reading.found
    draft.note, draft.by_url, draft.evidence = reading.note, reading.by_url, reading.evidence
    draft.paging = reading.paging
    _gather_links(draft, context, reading.links)
    if reading.unreadable is not None:
        draft.outcome, draft.reason = "skip", reading.unreadable
    elif not reading.may_be_kept:
        draft.outcome, draft.reason, draft.kept = "skip", NOARCHIVE, False
    elif isinstance(found, Skip):
        draft.outcome, draft.reason = "skip", found.reason
    elif found is not None:
        _take_post(found, draft, context, reading)
    elif reading.part_of is not None:
        _take_part(reading.part_of, draft, context)
    else:
        draft.outcome = reading.kind or "page"
    say_what_was_held(draft, context)


def say_what_was_held(draft: PageResult, context: CrawlContext) -> None:
    """Whether a post is held of this address, under another key or no longer there."""
    if draft.post is not None:
        draft.post_key = key_of_moved(draft.link.key, draft.post_key, context)
    elif draft.kept and draft.outcome in {"listing", "page", "skip"}:
        lost = what_was_lost(draft.link.key, draft.page, draft.outcome, context)
        if lost is not None:
            draft.post_key, draft.sight = lost


def _take_post(post: Post, draft: PageResult, context: CrawlContext, reading: PageReading) -> None:
    draft.outcome = "post"
    draft.post = replace(post, blog=context.blog.home)
    own = canonical(draft.page.url)
    draft.post_key = own if own != draft.link.key else None
    draft.post = _with_entry(draft.post, draft, context, reading)
    draft.other_template = reading.is_present and context.is_of_another_design(own)
    if reading.claim is not None and reading.claim not in {own, draft.link.key}:
        _settle_claim(reading.claim, draft, context)


def _take_part(post_url: str, draft: PageResult, context: CrawlContext) -> None:
    """A page that continues a post belongs to it, and is read when that one is: its address brings the post's."""
    key = canonical(post_url)
    draft.outcome, draft.reason, draft.post_key = "page", f"continues {post_url}", key
    if context.is_new(key):
        draft.links.append(Link(url=post_url, key=key, lane="post", found_on=draft.link.url))


def _with_entry(post: Post, draft: PageResult, context: CrawlContext, reading: PageReading) -> Post:
    """The post with what the feed says of it and its page does not show."""
    met = (post.url, *(exchange.url for exchange in draft.fetched.exchanges))
    keys = (draft.link.key, *map(canonical, met), *((reading.claim,) if reading.claim is not None else ()))
    held = context.held(draft.post_key or draft.link.key) if not is_told(post) else None
    entry = context.entries.said_of(keys, held)
    return post if entry is None else filled(post, entry, held)


def _gather_links(draft: PageResult, context: CrawlContext, links: tuple[tuple[str, str], ...]) -> None:
    """New addresses of the blog on this page; those like a post's go to the lane of posts.

    Further pages of the post that this page is are asked for with it; a page of comments means the post it belongs to.
    """
    own = {canonical(url) for _, url in (*draft.paging.text, *draft.paging.comments)}
    for named, named_key in links:
        commented = post_of_comment_page(named)
        url, key = (named, named_key) if commented is None else (commented[0], canonical(commented[0]))
        if key in own or context.has_seen(key):
            continue
        why = trap(url, this_year=context.this_year)
        if why is not None:
            # The address itself stays unseen: what is no page may be a picture of an article.
            context.tally.reasons[f"not fetched: {why}"] += context.is_new(f"trap {key}")
            continue
        context.is_new(key)
        is_post = context.known.classifier.likely_post(url)
        lane: Lane = "post" if is_post else "page"
        draft.links.append(Link(url=url, key=key, lane=lane, found_on=draft.link.url))
        draft.new_posts += is_post


def _settle_claim(claim: str, draft: PageResult, context: CrawlContext) -> None:
    """A page that calls itself a copy of another is compared with it, now or when that one was seen."""
    if draft.post is None:
        return
    own = draft.post if context.settings.comments else uncommented(draft.post, None)
    if context.settings.comments and (draft.evidence.services or own.comments_state == "partial"):
        # Should it turn out a post of its own, the next update asks for the comments its page does not show.
        own = replace(own, comments_state="failed")
    copy = Copy(link=draft.link, post=own, own_key=canonical(draft.post.url), original=claim)
    held = context.held(claim)
    if held is not None:
        visit = context.copies.settled(copy, held)
        draft.post, draft.post_key, draft.reason = visit.post, visit.post_key, visit.reason
    elif context.scope.holds_key(claim) and context.copies.has_room() and not _was_visited(claim, context):
        if context.is_new(claim):
            url = f"{urlsplit(draft.post.url).scheme}://{claim}"
            # It is asked for before other posts: what waits for it is forgotten if the crawl pauses.
            draft.links.append(Link(url=url, key=claim, lane="post", found_on=draft.link.url, rank=FIRST))
        context.copies.wait(copy)
        draft.post, draft.outcome = None, "retry"
        draft.reason = f"waiting for {claim}, which it names as its canonical address"


def _was_visited(key: str, context: CrawlContext) -> bool:
    """Whether an address was visited, and is no post: a copy need not wait for it."""
    row = context.archive.urls.state(context.blog.id, key) if context.has_seen(key) else None
    return row is not None and row[0] != "queued"
