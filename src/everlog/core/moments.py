"""Dates as users and programs give them: the `since` of commands and functions."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

from everlog.errors import UsageError

# What a moment may be given as.
Moment = date | datetime | str


def as_moment(given: Moment) -> datetime:
    """A date, a time or an ISO 8601 text as an aware time; in UTC unless it says otherwise.

    >>> as_moment("2024-05-31").isoformat()
    '2024-05-31T00:00:00+00:00'
    >>> as_moment(date(2024, 5, 31)) == as_moment("2024-05-31T02:00+02:00")
    True
    """
    moment = given
    if isinstance(given, str):
        try:
            moment = datetime.fromisoformat(given)
        except ValueError:
            raise _no_date(given) from None
    if not isinstance(moment, date):
        raise _no_date(given)
    if not isinstance(moment, datetime):
        moment = datetime(moment.year, moment.month, moment.day, tzinfo=UTC)
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def end_of(given: str) -> datetime:
    """The moment at which a day is over, or a time that says more than a day; in UTC unless it says otherwise.

    >>> end_of("2024-05-31").isoformat(), end_of("2024-05-31T12:00+02:00").isoformat()
    ('2024-06-01T00:00:00+00:00', '2024-05-31T12:00:00+02:00')
    """
    moment = as_moment(given)
    try:
        date.fromisoformat(given)
    except ValueError:
        return moment
    return min(moment, datetime.max.replace(tzinfo=UTC) - timedelta(days=1)) + timedelta(days=1)


def as_moment_or_none(given: Moment | None) -> datetime | None:
    """The same, where no date is one too."""
    return None if given is None else as_moment(given)


def _no_date(given: object) -> UsageError:
    return UsageError(f"{given!r} is not a date", advice="give it as 2024-05-31 or 2024-05-31T12:00+02:00")
