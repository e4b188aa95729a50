"""What becomes of a page that could not be had: whose fault it is says whether it is asked for again."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from everlog.flow.discover import is_own
from everlog.flow.presence import key_of_moved
from everlog.records import Visit

if TYPE_CHECKING:
    from everlog.flow.crew import Crew
    from everlog.records import Failure, Link

# So many URLs in a row without any answer mean that the host is gone, not that the pages are.
DEAD_AFTER = 10
PASSING = frozenset({"connection", "dns", "timeout", "tls", "truncated", "protocol"})
FORBIDDEN = frozenset({"robots", "address"})
# What asking again does not change.
FINAL = FORBIDDEN | {"too-large", "loop"}
# A missing page is an answer: there is nothing to hold.
NOT_THERE = frozenset({404, 410})


def visit_of_failure(link: Link, failure: Failure, crew: Crew) -> Visit:
    """The visit to store, counted in the crew's tally; `again_at` is set if the server said when to come back."""
    tally = crew.tally
    visit = Visit(
        blog_id=crew.blog.id, url=link.url, key=link.key, outcome="failed", reason=failure.reason,
        exchanges=failure.exchanges, post_key=key_of_moved(link.key, None, crew),
    )
    if not is_own(failure, crew.blog.home, crew.scope):
        # A link that leads to another host by a redirect: what is wrong there is not this blog's.
        tally.skipped += 1
        tally.reasons["leads out of the blog"] += 1
        return replace(visit, outcome="skip", exchanges=(), reason=f"leads out of the blog: {failure.reason}")
    if failure.until is not None and failure.trouble in {"robots", "rate-limited"}:
        return replace(visit, outcome="retry", again_at=failure.until, exchanges=())
    if failure.trouble in FORBIDDEN:
        tally.skipped += 1
        tally.reasons[failure.trouble] += 1
        return replace(visit, outcome="skip", exchanges=())
    if failure.status in NOT_THERE:
        tally.skipped += 1
        tally.reasons[f"answers {failure.status}"] += 1
        return visit
    tally.failed += 1
    tally.fail(link.url, failure.reason, kind=f"{failure.trouble} {failure.status or ''}".strip())
    return replace(visit, outcome="skip" if failure.trouble in FINAL else "failed")
