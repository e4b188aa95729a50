"""What it means when a post or a blog does not answer as before: trouble that passes, or an end.

Nothing here deletes anything: a verdict becomes a line of the ledger and a mark on the post or the blog. Being
wrong in one direction is cheap (a dead page is asked for once more), in the other it is not (a living blog is
never asked again), so whatever may be a mistake of the server has to repeat itself first.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from everlog.records import Failure

# What a look at the page of a post shows. `led-away`: it redirects to the home page or a list; `no-post`: it
# answers, and neither is a post nor has the text of one; `unclear` is all that says nothing about the post.
# `unlisted`: the page is not there, and the blog's own list of all posts does not name it any more.
Sight = Literal["there", "gone", "unlisted", "not-found", "led-away", "no-post", "unclear"]
# A page that does not show its post, whatever it shows.
UNSEEN: frozenset[Sight] = frozenset({"not-found", "led-away", "no-post"})
# What a feed or a home page answers. `no-feed`: a page instead; `no-name`: nobody knows the host; `refused`: nobody
# answers there.
Answer = Literal["well", "gone", "not-found", "no-feed", "no-name", "refused", "passing"]

DAY = timedelta(days=1)
OK, GONE, NOT_FOUND = 200, 410, 404


class Proof(NamedTuple):
    """How often something has to be seen, and over how long a time, to be believed."""

    looks: int
    over: timedelta

    def holds(self, looks: int, over: timedelta) -> bool:
        return looks >= self.looks and over >= self.over


# Status 410 is a statement ("likely to be permanent": RFC 9110, 15.5.11). 404 says of itself that it may pass. A
# site that is moved or mended is back within a night or a weekend's work: three looks over two days outlast that.
# Redirects are set up on purpose, once, so that the second look is enough to rule out a site that is being mended.
PROOFS: dict[Sight, Proof] = {
    "gone": Proof(1, timedelta()),
    # Two that do not know of each other say so: the site's database and its page.
    "unlisted": Proof(1, timedelta()),
    "led-away": Proof(2, DAY),
    "not-found": Proof(3, 2 * DAY),
    "no-post": Proof(3, 2 * DAY),
}
# Posts that vanish together are more likely a blog that was moved or rebuilt and mended later, than deletions.
CROWD_PROOF = Proof(5, 14 * DAY)
# Fewer than these are no crowd: somebody tidies up.
LEAST_CROWD = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Missing:
    """What is known of a post that was not there: since when, on how many looks, and whether that was believed."""

    since: datetime | None = None
    looks: int = 0
    is_gone: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """One look at the page of a post; `in_crowd`: most posts of its blog that were looked at vanished with it."""

    sight: Sight
    in_crowd: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What a look means: the event to note, if any, why, and what is known from now on."""

    kind: Literal["missing", "deleted", "back"] | None
    known: Missing
    reason: str = ""


def sight_of(status: int | None) -> Sight:
    """What the status of a page that could not be had says about its post.

    >>> [sight_of(status) for status in (404, 410, 403, 503, None)]
    ['not-found', 'gone', 'unclear', 'unclear', 'unclear']
    """
    return "gone" if status == GONE else "not-found" if status == NOT_FOUND else "unclear"


def is_crowd(vanished: int, seen: int) -> bool:
    """Whether posts that vanished are most of those that were looked at, and too many to be single deletions.

    >>> is_crowd(4, 0), is_crowd(12, 3), is_crowd(12, 20)
    (False, True, False)
    """
    return vanished >= LEAST_CROWD and vanished > seen


def after_look(known: Missing, seen: Look, now: datetime) -> Verdict:
    """What a look at a post's page means, after what was seen before.

    >>> from datetime import UTC
    >>> monday = datetime(2024, 5, 6, tzinfo=UTC)
    >>> first = after_look(Missing(), Look(sight="not-found"), monday)
    >>> first.kind, after_look(first.known, Look(sight="there"), monday + DAY).kind
    ('missing', 'back')
    >>> after_look(Missing(), Look(sight="gone"), monday).reason
    'its page returned HTTP 410 Gone'
    """
    if seen.sight == "unclear":
        return Verdict(kind=None, known=known)
    if seen.sight == "there":
        was_missing = known.since is not None or known.is_gone
        return Verdict(kind="back" if was_missing else None, known=Missing(), reason="its page is back")
    if known.is_gone:
        return Verdict(kind=None, known=known)
    since = known.since or now
    # The first look counts, the second a day later, the third two days later: however often somebody asks.
    counts = now - since >= known.looks * DAY
    looks = known.looks + counts
    missing = Missing(since=since, looks=looks)
    proof = max(PROOFS[seen.sight], CROWD_PROOF) if seen.in_crowd else PROOFS[seen.sight]
    if proof.holds(looks, now - since):
        gone = replace(missing, is_gone=True)
        return Verdict(kind="deleted", known=gone, reason=_why_deleted(seen, looks, now - since))
    return Verdict(kind="missing" if counts else None, known=missing, reason=_why_missing(seen, proof))


def next_look_at_missing(known: Missing) -> datetime | None:
    """When a post that is missing is looked at again: after 1, 2, 4, 8, ... days.

    >>> from datetime import UTC
    >>> next_look_at_missing(Missing(since=datetime(2024, 5, 6, tzinfo=UTC), looks=2)).isoformat()
    '2024-05-08T00:00:00+00:00'
    """
    if known.since is None or known.is_gone:
        return None
    return known.since + (1 << min(known.looks - 1, 16)) * DAY


_SEEN = {
    "gone": "returned HTTP 410 Gone",
    "unlisted": "is missing, and the blog's own list of all posts does not name it",
    "not-found": "returned HTTP 404 Not Found",
    "led-away": "redirects to the home page or to a list",
    "no-post": "exists, but no longer shows a post",
}


def _why_missing(seen: Look, proof: Proof) -> str:
    crowd = " (like most pages of the blog)" if seen.in_crowd else ""
    proven = f"it counts as deleted after {_checks(proof.looks, proof.over)}"
    return f"its page {_SEEN[seen.sight]}{crowd}; {proven}"


def _why_deleted(seen: Look, looks: int, over: timedelta) -> str:
    times = f" ({_checks(looks, over)})" if looks > 1 else ""
    return f"its page {_SEEN[seen.sight]}{times}"


# Blogs

# So many looks, so long: a host that forgot to pay for its name gets it back within days, or never. A machine that
# refuses connections may be one that is repaired, or waits for its owner's holidays to end.
BLOG_PROOFS: dict[Answer, Proof] = {
    "gone": Proof(1, timedelta()),
    "not-found": Proof(5, 7 * DAY),
    "no-feed": Proof(5, 7 * DAY),
    "no-name": Proof(5, 7 * DAY),
    "refused": Proof(10, 30 * DAY),
}
# A feed that answers 404 while its blog is well may come back with the next rebuild of the site.
FEED_PROOF = Proof(10, 30 * DAY)
# Another owner: with a blog of their own there, or with a page that may be a sign "back soon".
OTHER_BLOG_PROOF, NO_BLOG_PROOF = Proof(2, DAY), Proof(3, 3 * DAY)
# Looks that follow each other faster tell the same story twice.
APART = timedelta(hours=12)


@dataclass(frozen=True, slots=True, kw_only=True)
class Failing:
    """What is known of a blog that does not answer as before: what is wrong, since when, on how many looks.

    `what` is `blog`, `feed` (the home page is well) or `owner` (somebody else seems to be there).
    """

    what: Literal["blog", "feed", "owner"] = "blog"
    since: datetime | None = None
    last: datetime | None = None
    looks: int = 0
    answers: tuple[Answer, ...] = ()

    def seen(self, what: Literal["blog", "feed", "owner"], answers: tuple[Answer, ...], now: datetime) -> Failing:
        """The same with one look more; another trouble begins anew."""
        if self.what != what or self.since is None or self.last is None:
            return Failing(what=what, since=now, last=now, looks=1, answers=tuple(dict.fromkeys(answers)))
        if now - self.last < APART:
            return replace(self, answers=tuple(dict.fromkeys((*self.answers, *answers))))
        answers = tuple(dict.fromkeys((*self.answers, *answers)))
        return replace(self, last=now, looks=self.looks + 1, answers=answers)

    def proves(self, proof: Proof, now: datetime) -> bool:
        return self.since is not None and proof.holds(self.looks, now - self.since)


@dataclass(frozen=True, slots=True, kw_only=True)
class BlogVerdict:
    """What the answers of a blog mean; `known` is to be remembered for the next look."""

    kind: Literal["passing", "feed-gone", "dead"]
    reason: str
    known: Failing


def answer_of(failure: Failure | None) -> Answer:
    """What a failure says about who failed; None is none."""
    if failure is None:
        return "well"
    if failure.status in {GONE, NOT_FOUND}:
        return "gone" if failure.status == GONE else "not-found"
    if failure.trouble == "dns":
        return "no-name"
    if failure.trouble == "protocol" and failure.exchanges and failure.exchanges[-1].status == OK:
        return "no-feed"
    return "refused" if failure.trouble == "connection" else "passing"


def after_answers(known: Failing, feed: Answer, home: Answer, now: datetime) -> BlogVerdict:
    """What it means that a blog's feed is not there, and its home page answers this.

    >>> from datetime import UTC
    >>> now = datetime(2024, 5, 6, tzinfo=UTC)
    >>> after_answers(Failing(), "gone", "gone", now).kind, after_answers(Failing(), "gone", "well", now).kind
    ('dead', 'feed-gone')
    >>> after_answers(Failing(), "not-found", "not-found", now).kind
    'passing'
    """
    if "passing" in {feed, home}:
        # Neither for nor against: what was counted before stays.
        return BlogVerdict(kind="passing", reason="temporary server or network error", known=known)
    if home == "well":
        known = known.seen("feed", (feed,), now)
        if feed == "gone" or known.proves(FEED_PROOF, now):
            return BlogVerdict(kind="feed-gone", reason=_why_feed_gone(feed, known, now), known=known)
        return BlogVerdict(kind="passing", reason=f"the feed {_SAID[feed]}, but the home page works", known=known)
    known = known.seen("blog", (feed, home), now)
    proof = max((BLOG_PROOFS[answer] for answer in known.answers), key=lambda each: each.over)
    if feed == home == "gone" or known.proves(proof, now):
        return BlogVerdict(kind="dead", reason=_why_dead(feed, home, known, now), known=known)
    reason = f"the blog may be gone: its feed {_SAID[feed]}, its home page {_SAID[home]}"
    return BlogVerdict(kind="passing", reason=reason, known=known)


_SAID = {
    "well": "works",
    "gone": "returned HTTP 410 Gone",
    "not-found": "returned HTTP 404 Not Found",
    "no-feed": "is no longer a feed",
    "no-name": "failed (DNS lookup failed)",
    "refused": "failed (connection failed)",
    "passing": "failed for now",
}


def _why_feed_gone(feed: Answer, known: Failing, now: datetime) -> str:
    return f"the feed {_SAID[feed]}{_how_often(known, now)}, and the home page declares no other feed"


def _why_dead(feed: Answer, home: Answer, known: Failing, now: datetime) -> str:
    return f"the feed {_SAID[feed]}, the home page {_SAID[home]}{_how_often(known, now)}"


def _how_often(known: Failing, now: datetime) -> str:
    return f" ({_checks(known.looks, now - known.since)})" if known.looks > 1 and known.since else ""


def _checks(looks: int, over: timedelta) -> str:
    """How often something was looked at, and over how long.

    >>> _checks(3, timedelta(days=2)), _checks(2, timedelta(hours=30)), _checks(1, timedelta())
    ('3 checks over 2 days', '2 checks over 1 day', '1 check over 0 days')
    """
    checks = "1 check" if looks == 1 else f"{looks} checks"
    days = "1 day" if over.days == 1 else f"{over.days} days"
    return f"{checks} over {days}"
