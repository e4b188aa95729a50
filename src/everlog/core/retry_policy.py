"""Retry policy: which failures pass by themselves, which are final, how often a thing is tried, and when next.

    within one visit    `is_retried_at_once`: the HTTP client, as often as the setting `retries` says
    a page              `is_passing`, `PAGE_TRIES`: at the next updates
    a list of posts     `list_may_pass`: at the next updates
    a feed, new         `is_feed_down`: the crawl does not begin without it
    a feed, watched     `feed_backoff`: 30 minutes, then twice as long, a day at most
    media               `media_may_pass`, `media_wait`: after an hour, a day, a week, then monthly
    a job of a fleet    `JOB_TRIES`, `job_wait_seconds`: after five minutes, then twice as long
    a page rendered     `RENDER_TRIES`: in a new browser

Nobody else decides this. What a host is spared while it asks for patience is not a retry but politeness
(`core.politeness`), and whether a post or a blog is gone for good is a matter of proof (`schedule.liveness`).
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from everlog.records import Failure, Trouble

# -- troubles ---------------------------------------------------------------------------------------------------------

# The network, or the server, was at fault for now: an hour, an update or a machine later all of them may be over.
PASSING: frozenset[Trouble] = frozenset({"connection", "dns", "proxy", "timeout", "tls", "truncated", "protocol"})
# Those among them where nothing at all was answered; a body that broke off is an answer. Behind a proxy for http
# alone, the name of a host that answers may be unknown here.
SILENT = PASSING - {"truncated"}
# Of an origin that gives answers, these alone say that it went away: one slow answer says little about the next.
UNREACHABLE: frozenset[Trouble] = frozenset({"connection", "dns", "proxy", "tls"})
# Those where another try a moment later may help. A certificate, a proxy that is not there and an answer that is not
# HTTP are the same a second later.
RETRIED_AT_ONCE: frozenset[Trouble] = frozenset({"connection", "dns", "timeout", "truncated"})
# A feed that a page declares is there but not now. One whose host has no name or no valid certificate may never have
# been there: then the blog is crawled without a feed rather than not at all.
FEED_DOWN: frozenset[Trouble] = frozenset({"connection", "timeout", "truncated", "rate-limited"})
# Not to be fetched.
FORBIDDEN: frozenset[Trouble] = frozenset({"robots", "address"})
# What another try does not change.
FINAL = FORBIDDEN | {"too-large", "loop"}

# -- statuses ---------------------------------------------------------------------------------------------------------

# The server asks for patience (RFC 6585, 4 and RFC 9110, 15.6.4): its host is left alone for a while.
RATE_LIMITS = frozenset({429, 503})
# The server, or the one behind it, stumbled: another try a moment later may help. The other 5xx (501, 505, 507, ...)
# say that the request itself will not be served.
STUMBLES = RATE_LIMITS | {500, 502, 504}
# Answers from this number on say that the server is at fault, so a later update asks again, whichever it was.
SERVER_ERRORS = 500
# Answers below that ask for another try: too slow, too early, too often.
TRY_AGAIN = frozenset({408, 425, 429})
# A missing page is an answer: there is nothing to hold.
NOT_THERE = frozenset({404, 410})

# -- tries ------------------------------------------------------------------------------------------------------------

# How often updates ask for what failed in passing: a page on a host that is gone for good, or the comments
# of a service that is, would else be asked for at every update.
PAGE_TRIES = 3
# Failed tries of a job in a row, first five minutes apart, then ten, twenty ...: an hour and a quarter, before it is
# given up with its reason. Blogs that are held already have the watch's own patience (`feed_backoff`).
JOB_TRIES = 5
JOB_FIRST_SECONDS = 300.0
# A page that crashes the browser twice does so again.
RENDER_TRIES = 2
# So many URLs in a row without any answer mean that the host is gone, not that the pages are.
HOST_DEAD_AFTER = 10
# Requests that an origin (http or https) leaves without any answer, while its twin answers, before it is taken for
# dead. One may be chance; with as many as four under way at once, three cost no more time than one.
ORIGIN_DEAD_AFTER = 3

# -- waits ------------------------------------------------------------------------------------------------------------

# A host may ask for centuries, by mistake as a rule: nobody would ever look whether it still means it. One
# request a week is no burden to anybody, and a host that repeats its wish is left alone for another week.
LONGEST_REMEMBERED = timedelta(days=7)
# How long a picture or file that failed in passing is left alone, after the first, second, ... failure in a row; the
# last for all that follow. Overload and a restart are over within the hour, a bad day within a day, a move of servers
# or a lapsed domain within a week or a month; and a request a month is no burden, to a host that is gone or to us, so
# that nothing is ever given up. (Updates that asked a dead host for its pictures took 30 s, then 2 min each.)
MEDIA_WAITS = (timedelta(hours=1), timedelta(days=1), timedelta(days=7), timedelta(days=30))
# After a failure of a feed so long, then twice as long each time, a day at most: a blog counts as dead after a week of
# failures and five of them at least, and one that comes back is noticed within a day.
FIRST_FEED_BACKOFF = timedelta(minutes=30)
LONGEST_FEED_BACKOFF = timedelta(days=1)
# A poll of a blog that somebody else is crawling just now, and a job whose host is busy or whose disk is full: somebody
# else's moment. A slice of a fleet is over in a minute; a watch need not be as quick.
BUSY_POLL_WAIT = timedelta(minutes=1)
BUSY_JOB_SECONDS = 30.0


def is_retried_at_once(trouble: Trouble) -> bool:
    """Whether a request that brought no answer is tried again within the same visit.

    >>> is_retried_at_once("timeout"), is_retried_at_once("tls")
    (True, False)
    """
    return trouble in RETRIED_AT_ONCE


def is_passing(failure: Failure) -> bool:
    """Whether the server, or the way to it, was at fault for now, so that another try later may help."""
    if failure.trouble in {"robots", "rate-limited"}:
        return failure.until is not None or failure.trouble == "rate-limited"
    return failure.trouble in PASSING or (failure.status or 0) >= SERVER_ERRORS


def asks_for_patience(failure: Failure) -> bool:
    """Whether the blog's server wants to be left alone until a time: the page waits, and so does the crawl."""
    return failure.until is not None and failure.trouble in {"robots", "rate-limited"}


def may_be_elsewhere(failure: Failure) -> bool:
    """Whether a page that could not be had may be had from another host of the same blog."""
    return failure.status in NOT_THERE or failure.trouble in PASSING


def list_may_pass(failure: Failure, tries: int) -> bool:
    """Whether a later update is to ask for a list of posts again that failed so often before."""
    if failure.trouble in FINAL and failure.until is None:
        return False
    return failure.status not in NOT_THERE and tries + 1 < PAGE_TRIES


def is_feed_down(failure: Failure) -> bool:
    """Whether a feed that a page declares is there, but not now."""
    return (failure.status or 0) >= SERVER_ERRORS or failure.trouble in FEED_DOWN


def is_media_final(failure: Failure) -> bool:
    """Whether a picture or file is never asked for again. Only a robots.txt that was read forbids."""
    return failure.trouble in FINAL and (failure.trouble != "robots" or failure.until is None)


def media_may_pass(failure: Failure) -> bool:
    """Whether a picture or file is asked for again by the schedule of media."""
    return is_passing(failure) or failure.status in TRY_AGAIN


def media_wait(failures: int) -> timedelta:
    """How long a picture or file is left alone that had failed so often in a row before.

    >>> [media_wait(failures).days for failures in (1, 2, 3, 40)]
    [1, 7, 30, 30]
    """
    return MEDIA_WAITS[min(failures, len(MEDIA_WAITS) - 1)]


def feed_backoff(failures: int) -> timedelta:
    """How long a feed is left alone that failed so often in a row.

    >>> str(feed_backoff(1)), str(feed_backoff(4)), str(feed_backoff(400))
    ('0:30:00', '4:00:00', '1 day, 0:00:00')
    """
    return min(FIRST_FEED_BACKOFF * (1 << min(failures - 1, 20)), LONGEST_FEED_BACKOFF)


def job_wait_seconds(failures: int) -> float | None:
    """How long a job waits that has failed so often in a row before; None: it is given up.

    >>> [job_wait_seconds(failures) for failures in (0, 1, 3, 4)]
    [300.0, 600.0, 2400.0, None]
    """
    return JOB_FIRST_SECONDS * 2**failures if failures + 1 < JOB_TRIES else None


def remembered(until: datetime, now: datetime) -> datetime:
    """How long a host's wish to be left alone is heeded without a look whether it still means it."""
    return min(until, now + LONGEST_REMEMBERED)
