"""A blog's rhythm: how many posts it brings lately, at which hours and on which days.

rhythm_of       from the dates that are known when watching begins
with_posts      the same, after new posts were seen
posts_per_day   what may be expected at a moment

A rhythm is forty numbers, whatever the number of posts: counts in which older posts weigh less.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from math import exp, sqrt
from typing import Any

VERSION = 1
DAY_SECONDS = 86400.0

# Posts are counted over these spans (a post weighs 1/e after one), and the shorter count is drawn towards the
# longer by so many days' worth of its rate. The 1.75 days beside the longest make four posts a week of a blog
# nothing is known of, which is a poll an hour. Log-likelihood per post of the corpus' dates above that of each
# blog's own mean rate, on the blogs chosen on / the others: a year alone -0.01 / 0.03; with 60 days 0.07 / 0.11,
# 30 days 0.10 / 0.15, 21 days 0.11 / 0.17; two years with 21 days 0.11 / 0.18, with 14 days 0.11 / 0.18; with 60,
# 14 and 3 days -0.08 / -0.04. A year, not two: blogs that fell silent are asked less sooner.
HORIZONS = ((365.0, 1.75), (21.0, 21.0))

# A blog without dates is taken to have posted once in the longest span, just now.
_IMAGINED = (1.0,) + (0.0,) * (len(HORIZONS) - 1)

# How many posts' worth of "any hour" and "any day" is mixed into what was seen. On 600 made blogs of the half
# chosen on, mean delay in hours times polls a day: 9.4, 9.1 and 9.1 with 2, 4 and 8 posts' worth of any hour,
# 10.0 without hours; 9.4, 9.1 and 9.1 with 7, 14 and 28 posts' worth of any day, 9.5 without days.
ANY_HOUR = 4.0
ANY_DAY = 14.0
# What each new post leaves of the hours and days seen before: the last fifty posts or so count. (The last
# twenty do as well: 9.1.)
KEPT = 0.98

# One poll finds all posts of an hour: a series, an import, the same page published three times count once.
ONE_SITTING = timedelta(hours=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rhythm:
    """When a blog posts, as far as it is known. `counts` belong to HORIZONS and are those at `counted_at`.

    `pulls` are how much more than on average each hour (24 of them) and each day of the week (7) deserves
    to be asked: the square root of its share of the posts.
    """

    since_at: datetime
    counted_at: datetime
    last_at: datetime | None = None
    counts: tuple[float, ...] = (0.0,) * len(HORIZONS)
    hours: tuple[float, ...] = (0.0,) * 24
    days: tuple[float, ...] = (0.0,) * 7
    pulls: tuple[float, ...] = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "pulls", (*_pulls(self.hours, ANY_HOUR), *_pulls(self.days, ANY_DAY)))

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "version": VERSION, "since": self.since_at.isoformat(), "counted": self.counted_at.isoformat(),
            "last": self.last_at.isoformat() if self.last_at else None,
            "counts": list(self.counts), "hours": list(self.hours), "days": list(self.days),
        }

    @classmethod
    def from_dict(cls, stored: dict[str, Any]) -> Rhythm:
        """From JSON; what another version counted over other spans is counted anew from its last post."""
        last = datetime.fromisoformat(stored["last"]) if stored["last"] else None
        counted = datetime.fromisoformat(stored["counted"])
        if stored["version"] != VERSION:
            return rhythm_of([last] if last else [], counted)
        return cls(
            since_at=datetime.fromisoformat(stored["since"]), counted_at=counted, last_at=last,
            counts=tuple(stored["counts"]), hours=tuple(stored["hours"]), days=tuple(stored["days"]),
        )


def rhythm_of(dates: Iterable[datetime], now: datetime) -> Rhythm:
    """The rhythm of a blog whose posts bear these dates. What is dated in the future says nothing.

    >>> noon = datetime(2024, 5, 1, 12, tzinfo=UTC)
    >>> weekly = rhythm_of([noon - timedelta(weeks=back) for back in range(60)], noon)
    >>> round(7 * posts_per_day(weekly, noon + timedelta(days=3)), 1)
    1.0
    """
    now = _whole(now)
    moments = sorted((date.astimezone(UTC), _has_hour(date)) for date in dates if date.tzinfo and date <= now)
    if not moments:
        return Rhythm(since_at=now, counted_at=now, counts=_IMAGINED)
    since = _whole(moments[0][0])
    return _counted(Rhythm(since_at=since, counted_at=since), moments, now)


def with_posts(rhythm: Rhythm, published: Iterable[datetime | None], *, after: datetime, now: datetime) -> Rhythm:
    """The rhythm after posts appeared between `after` (the last look) and `now`.

    What counts is when a post could be seen: a date outside that time (an old post published again, a
    wrong clock), a date without an hour and none at all (None) stand for the middle of it.
    """
    now = _whole(now)
    after = min(max(after, rhythm.counted_at), now)
    middle = after + (now - after) / 2
    moments = []
    for date in published:
        is_told = date is not None and bool(date.tzinfo) and after <= date <= now and _has_hour(date)
        moments.append((date.astimezone(UTC) if date is not None and is_told else middle, True))
    return _counted(rhythm, sorted(moments), now)


def posts_per_day(rhythm: Rhythm, now: datetime) -> float:
    """How many posts a day may be expected: the short counts, steadied by the long ones."""
    aged = (now - rhythm.counted_at).total_seconds() / DAY_SECONDS
    span = (now - rhythm.since_at).total_seconds() / DAY_SECONDS
    rate = 0.0
    for (horizon, steady), count in zip(HORIZONS, rhythm.counts, strict=True):
        watched = horizon * (1.0 - exp(-span / horizon))
        rate = (count * exp(-aged / horizon) + steady * rate) / (watched + steady)
    return rate


def _counted(rhythm: Rhythm, moments: Iterable[tuple[datetime, bool]], now: datetime) -> Rhythm:
    counts, at, last = list(rhythm.counts), rhythm.counted_at, rhythm.last_at
    hours, days = list(rhythm.hours), list(rhythm.days)
    for moment, with_hour in moments:
        weight = 1.0 if last is None else min(1.0, max(0.0, (moment - last) / ONE_SITTING))
        _age(counts, (moment - at).total_seconds())
        at, last = max(at, moment), max(last or moment, moment)
        counts = [count + weight for count in counts]
        if weight:
            days = [KEPT * value for value in days]
            days[moment.weekday()] += weight
        if weight and with_hour:
            hours = [KEPT * value for value in hours]
            _spread(hours, moment, weight)
    _age(counts, (now - at).total_seconds())
    return Rhythm(
        since_at=rhythm.since_at, counted_at=now, last_at=_whole(last) if last else None,
        counts=_rounded(counts), hours=_rounded(hours), days=_rounded(days),
    )


def _age(counts: list[float], seconds: float) -> None:
    days = max(0.0, seconds) / DAY_SECONDS
    for at, (horizon, _) in enumerate(HORIZONS):
        counts[at] *= exp(-days / horizon)


def _spread(hours: list[float], moment: datetime, weight: float) -> None:
    """One post speaks for its hour, and half as much for the hours beside it."""
    hour = moment.hour
    for beside, share in ((hour - 1, 0.25), (hour, 0.5), (hour + 1, 0.25)):
        hours[beside % 24] += share * weight


def _pulls(seen: tuple[float, ...], anything: float) -> tuple[float, ...]:
    each = anything / len(seen)
    scale = len(seen) / (sum(seen) + anything)
    return tuple(sqrt((value + each) * scale) for value in seen)


def _has_hour(date: datetime) -> bool:
    """Midnight sharp is how a date without a time is written."""
    return bool(date.hour or date.minute or date.second)


def _whole(moment: datetime) -> datetime:
    return moment.replace(microsecond=0)


def _rounded(values: Iterable[float]) -> tuple[float, ...]:
    return tuple(round(value, 4) for value in values)
