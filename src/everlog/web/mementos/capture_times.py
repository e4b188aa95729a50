"""Times of captures as addresses, headers and people have them."""

from __future__ import annotations

import calendar
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime, parsedate_to_datetime

# Where month, day, hour, minute and second stand.
_PARTS = ((4, 6), (6, 8), (8, 10), (10, 12), (12, 14))
MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)


def timestamp(moment: datetime) -> str:
    """A time in 14 digits, as addresses have it.

    >>> timestamp(datetime(2024, 5, 1, 12, 30, 59, 999_999, tzinfo=UTC))
    '20240501123059'
    """
    return moment.astimezone(UTC).strftime("%Y%m%d%H%M%S").zfill(14)


def meant_by(digits: str) -> datetime | None:
    """The middle of the time that some digits mean: a second, or a day, a month, a year; None if they mean none.

    >>> meant_by("20240501123059").isoformat(), meant_by("2024").isoformat()
    ('2024-05-01T12:30:59.500000+00:00', '2024-07-02T00:00:00+00:00')
    >>> meant_by("20241301") is None
    True
    """
    if not digits.isascii() or not digits.isdigit() or len(digits) not in {4, 6, 8, 10, 12, 14}:
        return None
    parts = [int(digits[:4]), *(int(digits[start:end]) for start, end in _PARTS if len(digits) >= end)]
    try:
        # A year without its months begins with the first day of the first.
        begin = datetime(*(parts if len(parts) >= 3 else [*parts, 1, 1][:3]), tzinfo=UTC)  # type: ignore[misc,arg-type]
        return begin + _length(len(parts), begin) / 2
    except (ValueError, OverflowError):
        return None


def _length(known: int, begin: datetime) -> timedelta:
    if known == 1:
        return timedelta(days=366 if calendar.isleap(begin.year) else 365)
    if known == 2:
        return timedelta(days=calendar.monthrange(begin.year, begin.month)[1])
    return (timedelta(days=1), timedelta(hours=1), timedelta(minutes=1), timedelta(seconds=1))[known - 3]


def http_date(moment: datetime) -> str:
    """A time as HTTP headers have it.

    >>> http_date(datetime(2024, 5, 1, 12, tzinfo=UTC))
    'Wed, 01 May 2024 12:00:00 GMT'
    """
    return format_datetime(moment.astimezone(UTC).replace(microsecond=0), usegmt=True)


def from_http_date(text: str) -> datetime | None:
    """The time that a header means; None if it is none.

    >>> from_http_date("Wed, 01 May 2024 12:00:00 GMT").isoformat(), from_http_date("yesterday")
    ('2024-05-01T12:00:00+00:00', None)
    """
    try:
        moment = parsedate_to_datetime(text)
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment


def in_words(moment: datetime) -> str:
    """A time for people: to the minute, in UTC.

    >>> in_words(datetime(2024, 5, 1, 9, 5, tzinfo=UTC))
    '1 May 2024, 09:05 UTC'
    """
    here = moment.astimezone(UTC)
    return f"{day_in_words(here)}, {here:%H:%M} UTC"


def short_day(moment: datetime) -> str:
    """The day of a time, as lists have it.

    >>> short_day(datetime(2024, 5, 1, 9, 5, tzinfo=UTC))
    '1 May 2024'
    """
    return f"{moment.day} {MONTHS[moment.month - 1][:3]} {moment.year}"


def day_in_words(moment: datetime) -> str:
    """The day of a time, for people, where it was."""
    return f"{moment.day} {MONTHS[moment.month - 1]} {moment.year}"
