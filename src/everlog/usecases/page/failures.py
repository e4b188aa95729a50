"""What becomes of a page or picture that could not be had: whose fault it is says whether it is asked for again."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING

from everlog.core.politeness import LONGEST_REMEMBERED
from everlog.records import Visit
from everlog.usecases.crawl.left_out import note_missing
from everlog.usecases.discover.discover_blog import is_own
from everlog.usecases.page.post_identity import key_of_moved

if TYPE_CHECKING:
    from datetime import datetime

    from everlog.records import Failure, Link
    from everlog.usecases.crawl.crawl_context import CrawlContext

# How often updates ask for what failed in passing: a page on a host that is gone for good, or the comments
# of a service that is, would else be asked for at every update.
MOST_TRIES = 3
# How long a picture or file that failed in passing is left alone, after the first, second, ... failure in a row; the
# last for all that follow. Overload and a restart are over within the hour, a bad day within a day, a move of servers
# or a lapsed domain within a week or a month; and a request a month is no burden, to a host that is gone or to us, so
# that nothing is ever given up. (Updates that asked a dead host for its pictures took 30 s, then 2 min each.)
MEDIA_WAITS = (timedelta(hours=1), timedelta(days=1), timedelta(days=7), timedelta(days=30))
# So many URLs in a row without any answer mean that the host is gone, not that the pages are.
DEAD_AFTER = 10
PASSING = frozenset({"connection", "dns", "proxy", "timeout", "tls", "truncated", "protocol"})
FORBIDDEN = frozenset({"robots", "address"})
# What asking again does not change.
FINAL = FORBIDDEN | {"too-large", "loop"}
# Answers from this number on say that the server is at fault.
SERVER_ERRORS = 500
# Answers that ask for another try: too slow, too early, too often.
TRY_AGAIN = frozenset({408, 425, 429})
# A missing page is an answer: there is nothing to hold.
NOT_THERE = frozenset({404, 410})


def visit_of_failure(link: Link, failure: Failure, context: CrawlContext, now: datetime) -> Visit:
    """The visit to store, counted in the crew's tally; `again_at` is set if the server said when to come back."""
    tally = context.tally
    visit = Visit(
        blog_id=context.blog.id, url=link.url, key=link.key, outcome="failed", reason=failure.reason,
        exchanges=failure.exchanges, post_key=key_of_moved(link.key, None, context),
    )
    if not is_own(failure, context.blog.home, context.scope):
        # A link that leads to another host by a redirect: what is wrong there is not this blog's.
        tally.skipped += 1
        tally.reasons["redirects out of the blog"] += 1
        return replace(visit, outcome="skip", exchanges=(), reason=f"redirects out of the blog: {failure.reason}")
    if failure.until is not None and failure.trouble in {"robots", "rate-limited"}:
        return replace(visit, outcome="retry", again_at=_remembered(failure.until, now), exchanges=())
    if failure.trouble in FORBIDDEN:
        tally.skipped += 1
        tally.reasons[failure.trouble] += 1
        return replace(visit, outcome="skip", exchanges=())
    if failure.status in NOT_THERE:
        note_missing(link.key, link.url, context)
        tally.skipped += 1
        tally.reasons[f"HTTP {failure.status}"] += 1
        return visit
    tally.failed += 1
    tally.fail(link.url, failure.reason, kind=f"{failure.trouble} {failure.status or ''}".strip())
    return replace(visit, outcome="skip" if failure.trouble in FINAL else "failed")


def is_passing(failure: Failure) -> bool:
    """Whether the server, or the way to it, was at fault for now, so that asking again may help."""
    if failure.trouble in {"robots", "rate-limited"}:
        return failure.until is not None or failure.trouble == "rate-limited"
    return failure.trouble in PASSING or (failure.status or 0) >= SERVER_ERRORS


def visit_of_missed_medium(link: Link, failure: Failure, context: CrawlContext, now: datetime) -> Visit:
    """The visit to store for a picture or file, or for one that waits for its host.

    What was not asked for, as its host wanted to be left alone, waits however often. What was asked for and refused
    waits as well, but has failed once more: some hosts refuse for ever. What failed in passing is asked for again by
    a schedule of its own (`MEDIA_WAITS`), not at every update.
    """
    visit = Visit(
        blog_id=context.blog.id, url=link.url, key=link.key, lane="media", outcome="failed", reason=failure.reason,
        exchanges=failure.exchanges,
    )
    if failure.trouble == "rate-limited" and failure.until is not None and failure.until > now:
        waits = replace(visit, outcome="retry", again_at=_remembered(failure.until, now))
        if failure.status is None:
            return replace(waits, tried=False, exchanges=())
        if _failures_so_far(link, context) + 1 < MOST_TRIES:
            return waits
    # A robots.txt that cannot be read now is trouble in passing; only one that was read forbids.
    if failure.trouble in FINAL and (failure.trouble != "robots" or failure.until is None):
        return replace(visit, outcome="skip")
    if not is_passing(failure) and failure.status not in TRY_AGAIN:
        return visit
    again_at = now + MEDIA_WAITS[min(_failures_so_far(link, context), len(MEDIA_WAITS) - 1)]
    return replace(visit, again_at=max(again_at, _remembered(failure.until, now)) if failure.until else again_at)


def _failures_so_far(link: Link, context: CrawlContext) -> int:
    _, tries = context.archive.urls.state(context.blog.id, link.key) or ("", 0)
    return tries


def _remembered(until: datetime, now: datetime) -> datetime:
    """As the wait of the host itself is remembered: some ask for centuries."""
    return min(until, now + LONGEST_REMEMBERED)
