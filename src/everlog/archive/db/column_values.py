"""Texts and times as every database keeps them."""

from __future__ import annotations

import re
from datetime import UTC, datetime

# PostgreSQL refuses NUL, UTF-8 has no half of a surrogate pair, and neither carries meaning in a text.
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


def storable(text: str) -> str:
    """The text with each character no database takes replaced by the sign for "unreadable".

    >>> storable("a\\x00b")
    'a\ufffdb'
    """
    if "\0" not in text:
        if text.isascii():
            return text
        try:
            text.encode()
        except UnicodeEncodeError:
            pass
        else:
            return text
    return _UNSTORABLE.sub("\ufffd", text)


def storable_or_none(text: str | None) -> str | None:
    """As `storable`, for what may be unknown."""
    return None if text is None else storable(text)


def stamp(moment: datetime) -> str:
    """A time as text: UTC, of one width, so that texts sort as times do, in any database.

    >>> from datetime import timedelta, timezone
    >>> stamp(datetime(2024, 5, 1, 1, 30, tzinfo=timezone(timedelta(hours=2))))
    '2024-04-30T23:30:00.000000Z'
    """
    try:
        moment = moment.astimezone(UTC)
    except OverflowError:  # the first and the last hours of the calendar, in some offsets
        moment = moment.replace(tzinfo=UTC)
    return moment.replace(tzinfo=None).isoformat(timespec="microseconds") + "Z"


def stamp_or_none(moment: datetime | None) -> str | None:
    """As `stamp`, for what may be unknown."""
    return None if moment is None else stamp(moment)


def moment_of(text: str) -> datetime:
    """The time a stamp means.

    >>> moment_of("2024-04-30T23:30:00.000000Z")
    datetime.datetime(2024, 4, 30, 23, 30, tzinfo=datetime.timezone.utc)
    """
    return datetime.fromisoformat(text)


def moment_or_none(text: str | None) -> datetime | None:
    """As `moment_of`, for what may be unknown."""
    return None if text is None else datetime.fromisoformat(text)


def stamp_now() -> str:
    """This moment, as a stamp."""
    return stamp(datetime.now(UTC))
