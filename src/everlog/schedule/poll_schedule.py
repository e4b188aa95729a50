"""When a feed is asked again: a pure decision on what is known of its blog and what the server said.

first_polling   a blog that has just been archived
after_poll      what one answer changes
never_again     a blog that is dead, or no longer watched

A blog that posts four times as often is asked twice as often, and most at the hours and on the days it
posts: polls stand as close as the square root of the posts that may be expected. Whatever the server and
the feed ask for comes first.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from math import sqrt
from typing import Any, Literal
from zlib import crc32

from everlog.core.retry_policy import feed_backoff
from everlog.records import FeedHints
from everlog.schedule.freshness import LONGEST, Allowed, open_hour
from everlog.schedule.rhythm import Rhythm, posts_per_day, rhythm_of, with_posts

VERSION = 1
SHORTEST = timedelta(minutes=15)

# Polls a day of a blog that posts once a week, at any hour: every two hours, so that the median delay is one. On
# 600 made blogs of the half of the corpus chosen on: 10, 12 and 13.5 give 7.2, 8.5 and 9.5 polls per blog and day and
# median delays of 0.72, 0.64 and 0.57 h. The square root: mean delay times polls is 9.1 with it, 9.7 with the power
# 0.35, 10.3 with 0.7, which asks quiet blogs so rarely that a post was missed.
POLLS_AT_ONE_A_WEEK = 12.0

# A blog that posted within so many years is asked daily at least, whatever its rhythm says: after two years of
# silence a real one brought 38 posts in three days. In the simulated month this costs 0.15 % more polls, and the
# mean delay falls from 2.0 to 1.5 h. Only longer silence reaches a week.
DAILY_AT_LEAST = timedelta(days=1)
ASLEEP = timedelta(days=5 * 365)

# Polls are moved by up to this share of the time they wait, so that blogs found together are not asked together.
JITTER = 0.1
# What must not be earlier is later by at most this.
LONGEST_JITTER = timedelta(minutes=10)

_HOUR = timedelta(hours=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Polling:
    """The polling of one feed, as an archive stores it.

    `due_at` None means never again; `why` is for people, `signal` the server's or the feed's own words where
    they made it later. `checked_at` is the last look that told what the feed holds, `changed_at` the last
    that brought something new. Nobody may ask earlier than `not_before`.
    """

    due_at: datetime | None
    why: str
    rhythm: Rhythm
    signal: str | None = None
    checked_at: datetime | None = None
    changed_at: datetime | None = None
    failures: int = 0
    not_before: datetime | None = None
    hints: FeedHints | None = None

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        hints = self.hints
        return {
            "version": VERSION, "why": self.why, "signal": self.signal, "failures": self.failures,
            **{name: _iso(getattr(self, name)) for name in _MOMENTS},
            "rhythm": self.rhythm.to_dict(),
            "hints": hints and {
                "ttl_minutes": hints.ttl_minutes, "skip_hours": list(hints.skip_hours),
                "skip_days": list(hints.skip_days), "period_seconds": hints.period_seconds,
            },
        }

    @classmethod
    def from_dict(cls, stored: dict[str, Any]) -> Polling:
        """From JSON. Fields that a later version added are left aside."""
        hints = stored.get("hints")
        return cls(
            why=stored["why"], signal=stored.get("signal"), failures=stored.get("failures", 0),
            **{name: datetime.fromisoformat(stored[name]) if stored.get(name) else None for name in _MOMENTS},
            rhythm=Rhythm.from_dict(stored["rhythm"]),
            hints=FeedHints(
                ttl_minutes=hints["ttl_minutes"], skip_hours=tuple(hints["skip_hours"]),
                skip_days=tuple(hints["skip_days"]), period_seconds=hints["period_seconds"],
            ) if hints else None,
        )


_MOMENTS = ("due_at", "checked_at", "changed_at", "not_before")


@dataclass(frozen=True, slots=True, kw_only=True)
class Observation:
    """What one poll saw.

    `changed` and `unchanged` are answers; `failed` is no answer or a useless one; `refused` is a server (or
    its robots.txt) that asks to be left alone. `allowed_at` and `signal` come from `freshness.allowed`,
    `hints` from the feed (None for a 304: the last ones hold), `published` are the dates of posts not known
    before, None for those that bear none.
    """

    kind: Literal["changed", "unchanged", "failed", "refused"]
    allowed_at: datetime | None = None
    signal: str | None = None
    hints: FeedHints | None = None
    published: tuple[datetime | None, ...] = ()


def first_polling(dates: Iterable[datetime], now: datetime, *, seed: str, seen: Observation | None = None) -> Polling:
    """The polling of a blog that has just been read whole: its posts bear these dates.

    `seen` is what the feed's own answer allowed and wished, if it was asked just now.

    >>> noon = datetime.fromisoformat("2024-05-01T12:00:00+00:00")
    >>> first_polling([], noon, seed="https://a.blog/feed").why
    'too few posts known: next poll in 1 h 2 min'
    """
    polling = Polling(due_at=None, why="", rhythm=rhythm_of(dates, now))
    return after_poll(polling, seen or Observation(kind="unchanged"), now, seed=seed)


def after_poll(polling: Polling, seen: Observation, now: datetime, *, seed: str) -> Polling:
    """The polling after one more look at `now`. The same inputs give the same moment, jitter included."""
    chance = _chance(seed, now)
    answered = seen.kind in {"changed", "unchanged"}
    rhythm = polling.rhythm
    if seen.published:
        rhythm = with_posts(rhythm, seen.published, after=polling.checked_at or now, now=now)
    hints = seen.hints or polling.hints
    failures = 0 if answered else polling.failures + 1
    wished, why = _wished(rhythm, now, failures=failures, chance=chance)
    limit = _limit(polling, seen, hints if answered else None, now)
    due, moved = _due(wished, limit, hints, now, chance=chance)
    return Polling(
        due_at=due, why=_because(why, due - now, failures=failures, moved=moved), rhythm=rhythm, signal=moved,
        checked_at=now if answered else polling.checked_at,
        changed_at=now if seen.kind == "changed" else polling.changed_at,
        failures=failures, not_before=limit.at if limit else None, hints=hints,
    )


def never_again(polling: Polling, why: str) -> Polling:
    """The polling of a blog that is not asked any more, and why."""
    return replace(polling, due_at=None, why=why, signal=None)


def _wished(rhythm: Rhythm, now: datetime, *, failures: int, chance: float) -> tuple[datetime, str]:
    """When the blog would be asked if nobody minded, and the pace that is the reason."""
    rate = posts_per_day(rhythm, now)
    spread = 1.0 + JITTER * (2.0 * chance - 1.0)
    moment = _after_polls(rhythm, now, polls=spread, per_hour=POLLS_AT_ONE_A_WEEK / 24 * sqrt(7 * rate))
    if failures:
        moment = max(moment, now + feed_backoff(failures) * (1.0 + JITTER * chance))
    return moment, _pace(rate) if rhythm.last_at else "too few posts known"


def _after_polls(rhythm: Rhythm, now: datetime, *, polls: float, per_hour: float) -> datetime:
    """The moment until which so many polls are deserved: hours in which the blog posts fill up sooner."""
    pulls, hour, day = rhythm.pulls, now.hour, 24 + now.weekday()
    left_of_hour = 1.0 - (now.minute * 60 + now.second) / 3600
    longest = DAILY_AT_LEAST if now - (rhythm.last_at or rhythm.since_at) < ASLEEP else LONGEST
    longest *= polls / (1.0 + JITTER)
    hours, most = 0.0, longest / _HOUR
    while hours < most:
        pull = per_hour * pulls[hour] * pulls[day]
        if pull * left_of_hour >= polls:
            hours += polls / pull
            break
        polls -= pull * left_of_hour
        hours += left_of_hour
        left_of_hour = 1.0
        hour += 1
        if hour == 24:
            hour, day = 0, day + 1 if day < 30 else 24
    return now + min(max(_HOUR * hours, SHORTEST), longest)


def _limit(polling: Polling, seen: Observation, hints: FeedHints | None, now: datetime) -> Allowed | None:
    """What forbids to come earlier, the latest of all there is.

    `ttl` and the syndication module bind like `max-age`: they are in the feed because somebody, or the
    maker of their software, wants it so. WordPress writes "hourly" into every feed, which costs a blog that
    posts all day half an hour of delay and others nothing. A feed that says "weekly" and brings posts
    every day is asked weekly: the posts are still found, by walking back.
    """
    found = []
    if polling.not_before is not None and polling.not_before > now:
        found.append(Allowed(at=polling.not_before, signal=polling.signal or "as the server asked before"))
    if seen.allowed_at is not None and seen.allowed_at > now:
        found.append(Allowed(at=seen.allowed_at, signal=seen.signal or "as the server asked"))
    if hints is not None and hints.ttl_minutes:
        found.append(_kept(now, 60.0 * hints.ttl_minutes, f"ttl: {hints.ttl_minutes} min"))
    if hints is not None and hints.period_seconds:
        found.append(_kept(now, hints.period_seconds, f"sy:updatePeriod: {_words(hints.period_seconds)}"))
    return max(found, key=lambda limit: limit.at) if found else None


def _kept(now: datetime, seconds: float, words: str) -> Allowed:
    if seconds > LONGEST.total_seconds():
        return Allowed(at=now + LONGEST, signal=f"{words} (cut to {LONGEST.days} days)")
    return Allowed(at=now + timedelta(seconds=seconds), signal=words)


def _due(
    wished: datetime, limit: Allowed | None, hints: FeedHints | None, now: datetime, *, chance: float,
) -> tuple[datetime, str | None]:
    """The moment itself, on a whole second, and the words that made it later than wished."""
    due, moved = wished, None
    if limit is not None and limit.at > wished:
        late = min(JITTER * (limit.at - now), LONGEST_JITTER) * chance
        due, moved = max(min(limit.at + late, now + LONGEST), limit.at), limit.signal
    due = _whole(due)
    opened = open_hour(due, hints)
    if opened != due:
        due, moved = opened + timedelta(seconds=int(LONGEST_JITTER.total_seconds() * chance)), _closed(hints)
    return due, moved


def _closed(hints: FeedHints | None) -> str:
    days = "Mon Tue Wed Thu Fri Sat Sun".split()
    words = []
    if hints and hints.skip_hours:
        words.append("skipHours: " + ", ".join(map(str, hints.skip_hours)))
    if hints and hints.skip_days:
        words.append("skipDays: " + ", ".join(days[day] for day in hints.skip_days))
    return "; ".join(words)


def _because(pace: str, wait: timedelta, *, failures: int, moved: str | None) -> str:
    words = _words(wait.total_seconds())
    if failures:
        pace = "last poll failed" if failures == 1 else f"{failures} failed polls in a row"
    return f"{pace}: next poll not allowed before {words}" if moved else f"{pace}: next poll in {words}"


def _pace(per_day: float) -> str:
    """A rate in the unit that people would use.

    >>> [_pace(rate) for rate in (6.2, 3 / 7, 1 / 20, 1 / 400, 1e-9)]
    ['6 posts a day', '3 posts a week', '2 posts a month', '1 post a year', 'hardly any posts']
    """
    for unit, days in (("day", 1.0), ("week", 7.0), ("month", 30.0), ("year", 365.0)):
        count = round(per_day * days)
        if per_day * days >= 0.9:
            return f"{count} {'post' if count == 1 else 'posts'} a {unit}"
    return "hardly any posts"


def _words(seconds: float) -> str:
    """A time to wait, in two units at most.

    >>> [_words(seconds) for seconds in (30, 900, 3600, 6600, 90000, 172800)]
    ['1 min', '15 min', '1 h', '1 h 50 min', '1 d 1 h', '2 d']
    """
    minutes = max(1, round(seconds / 60))
    if minutes >= 24 * 60:
        days, hours = divmod(round(minutes / 60), 24)
        return f"{days} d {hours} h" if hours else f"{days} d"
    hours, minutes = divmod(minutes, 60)
    if not hours:
        return f"{minutes} min"
    return f"{hours} h {minutes} min" if minutes else f"{hours} h"


def _chance(seed: str, now: datetime) -> float:
    """A number in [0, 1) that is the same for the same feed at the same moment, and no other's."""
    mixed = crc32(f"{seed} {now.timestamp():.0f}".encode())
    # The low bits of a checksum of texts this alike are no better than the high ones: all are stirred.
    return ((mixed * 0x9E3779B1) & 0xFFFFFFFF) / 2**32


def _whole(moment: datetime) -> datetime:
    """The next whole second: never earlier."""
    return moment if not moment.microsecond else moment.replace(microsecond=0) + timedelta(seconds=1)


def _iso(moment: datetime | None) -> str | None:
    return moment.isoformat() if moment else None
