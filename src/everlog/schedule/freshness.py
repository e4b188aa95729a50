"""What the headers of an answer allow: how long a feed need not be asked again, and how long it must not.

allowed       the moment an answer's headers name, with the words that name it
open_hour     a moment outside the hours and days that a feed asks to be left alone
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING

from everlog.core.politeness import retry_after

if TYPE_CHECKING:
    from collections.abc import Iterable

    from everlog.records import FeedHints

# Nothing that may be kept is kept for longer. A year is what servers say of pictures and, by an oversight
# in their settings, of everything else; it is no wish of the blog's.
LONGEST = timedelta(days=7)

_HOUR = timedelta(hours=1)
_MAX_AGE = re.compile(r"(?:^|[,\s])max-age\s*=\s*\"?(\d+)", re.IGNORECASE)
_SAYS_NOTHING = re.compile(r"(?:^|[,\s])no-(?:cache|store)\b", re.IGNORECASE)
_NUMBER = re.compile(r"\d{1,15}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Allowed:
    """The earliest moment of the next request, and the server's words for it."""

    at: datetime
    signal: str


def allowed(headers: Iterable[tuple[str, str]], now: datetime) -> Allowed | None:
    """The earliest moment that the headers of an answer name; None where they name none ahead.

    `Retry-After` is a request to stay away and is kept to whatever it says; what may be kept until a
    moment is kept for a week at most. `no-cache` and `no-store` say nothing about how often to ask.

    >>> moment = datetime(2024, 5, 1, 12, tzinfo=UTC)
    >>> found = allowed([("Cache-Control", "public, max-age=3600"), ("Age", "600")], moment)
    >>> found.at.isoformat(), found.signal
    ('2024-05-01T12:50:00+00:00', 'Cache-Control: max-age=3600, Age: 600')
    """
    said: dict[str, str] = {}
    for name, value in headers:
        key = name.lower()
        said[key] = f"{said[key]}, {value}" if key == "cache-control" and key in said else said.get(key, value)
    fresh = _fresh(said, now)
    until = retry_after(said["retry-after"], now) if "retry-after" in said else None
    if until is not None and (fresh is None or until >= fresh.at):
        return Allowed(at=until, signal=f"Retry-After: {said['retry-after'].strip()}")
    return fresh


def open_hour(moment: datetime, hints: FeedHints | None) -> datetime:
    """The moment itself, or the beginning of the next hour in which the feed may be asked.

    >>> from everlog.records import FeedHints
    >>> friday, hints = datetime(2024, 5, 3, 22, 30, tzinfo=UTC), FeedHints(skip_hours=(22, 23), skip_days=(5, 6))
    >>> open_hour(friday, hints).isoformat()
    '2024-05-06T00:00:00+00:00'
    """
    if hints is None or not (hints.skip_hours or hints.skip_days):
        return moment
    found = moment.astimezone(UTC)
    # Three weeks: whatever is skipped, every hour of the week has been looked at by then.
    for _ in range(21 * 24):
        if found.hour not in hints.skip_hours and found.weekday() not in hints.skip_days:
            return found
        found = found.replace(minute=0, second=0, microsecond=0) + _HOUR
    return moment


def _fresh(said: dict[str, str], now: datetime) -> Allowed | None:
    control = said.get("cache-control", "")
    if _SAYS_NOTHING.search(control):
        return None
    if found := _MAX_AGE.search(control):
        age = _seconds(said.get("age"))
        words = f"Cache-Control: max-age={found[1][:20]}" + (f", Age: {age}" if age else "")
        return _until(now, _seconds(found[1]) - age, words)
    if "expires" not in said:
        return None
    expires = _http_date(said["expires"])
    # The server's clock may be wrong: what counts is the time from its `Date` to its `Expires`.
    sent = _http_date(said.get("date", "")) or now
    return _until(now, (expires - sent).total_seconds(), f"Expires: {said['expires'].strip()}") if expires else None


def _until(now: datetime, seconds: float, words: str) -> Allowed | None:
    if seconds <= 0:
        return None
    if seconds > LONGEST.total_seconds():
        return Allowed(at=now + LONGEST, signal=f"{words} (cut to {LONGEST.days} days)")
    return Allowed(at=now + timedelta(seconds=seconds), signal=words)


def _seconds(text: str | None) -> int:
    """A number of seconds; one too long to be read is as good as the largest."""
    digits = (text or "").strip()
    return int(digits[:15]) if _NUMBER.match(digits) and digits.isdecimal() else 0


def _http_date(text: str) -> datetime | None:
    try:
        moment = parsedate_to_datetime(text)
        return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except (ValueError, TypeError, OverflowError, IndexError):
        return None
