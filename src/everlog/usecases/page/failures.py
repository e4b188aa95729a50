"""Failures: what becomes of a page or picture that could not be had, by whose fault it is."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from everlog.core.retry_policy import (
    FINAL,
    FORBIDDEN,
    NOT_THERE,
    PAGE_TRIES,
    asks_for_patience,
    is_media_final,
    media_may_pass,
    media_wait,
    remembered,
)
from everlog.records import Failure, Link, Visit
from everlog.usecases.crawl.left_out import note_missing, note_named
from everlog.usecases.page.post_identity import key_of_moved

if TYPE_CHECKING:
    from datetime import datetime

    from everlog.usecases.crawl.crawl_context import CrawlContext


def visit_of_failure(link: Link, failure: Failure, context: CrawlContext, now: datetime) -> Visit:
    """The visit to store, counted in the crawl's tally; `again_at` is set if the server said when to come back."""
    tally = context.tally
    visit = Visit(
        blog_id=context.blog.id, url=link.url, key=link.key, outcome="failed", reason=failure.reason,
        exchanges=failure.exchanges, post_key=key_of_moved(link.key, None, context),
        # A row that is made by the visit itself says what the link said; what only a copy names is no post yet.
        lane=link.lane if link.rank >= 0 else "page",
        is_unlisted=link.key in context.unlisted,
    )
    if not context.scope.is_own_failure(failure):
        # A link that leads to another host by a redirect: what is wrong there is not this blog's.
        tally.skipped += 1
        tally.reasons["redirects out of the blog"] += 1
        return replace(visit, outcome="skip", exchanges=(), reason=f"redirects out of the blog: {failure.reason}")
    if asks_for_patience(failure) and failure.until is not None:
        return replace(visit, outcome="retry", again_at=remembered(failure.until, now), exchanges=())
    if failure.trouble in FORBIDDEN:
        tally.skipped += 1
        tally.reasons[failure.trouble] += 1
        return replace(visit, outcome="skip", exchanges=())
    if failure.status in NOT_THERE:
        note_missing(link.key, link.url, context)
        # A folder that the blog left may be in it.
        note_named([(link.url, link.key)], context)
        tally.skipped += 1
        tally.reasons[f"HTTP {failure.status}"] += 1
        return visit
    tally.failed += 1
    tally.fail(link.url, failure.reason, kind=f"{failure.trouble} {failure.status or ''}".strip())
    return replace(visit, outcome="skip" if failure.trouble in FINAL else "failed")


def visit_of_missed_file(link: Link, failure: Failure, context: CrawlContext, now: datetime) -> Visit:
    """The visit to store for a picture, file or requisite, or for one that waits for its host.

    What was not asked for, as its host wanted to be left alone, waits however often. What was asked for and refused
    waits as well, but has failed once more: some hosts refuse for ever. What failed in passing is asked for again by
    a schedule of its own (`media_wait`), not at every update.
    """
    visit = Visit(
        blog_id=context.blog.id, url=link.url, key=link.key, lane=link.lane, outcome="failed", reason=failure.reason,
        exchanges=failure.exchanges,
    )
    if failure.trouble == "rate-limited" and failure.until is not None and failure.until > now:
        waits = replace(visit, outcome="retry", again_at=remembered(failure.until, now))
        if failure.status is None:
            return replace(waits, tried=False, exchanges=())
        if _failures_so_far(link, context) + 1 < PAGE_TRIES:
            return waits
    if is_media_final(failure):
        return replace(visit, outcome="skip")
    if not media_may_pass(failure):
        return visit
    again_at = now + media_wait(_failures_so_far(link, context))
    return replace(visit, again_at=max(again_at, remembered(failure.until, now)) if failure.until else again_at)


def _failures_so_far(link: Link, context: CrawlContext) -> int:
    _, tries = context.archive.urls.state(context.blog.id, link.key) or ("", 0)
    return tries
