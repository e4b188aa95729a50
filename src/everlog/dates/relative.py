"""Dates told from the day of fetching: "3 days ago", "vor 2 Stunden"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Any

from everlog.dates.formats import prepare
from everlog.dates.names import names_of
from everlog.dates.stamps import Stamp, read_offset

# Seconds of each unit; months and years as the Unicode rules round them.
UNITS = {
    "second": 1,
    "minute": 60,
    "hour": 3600,
    "day": 86_400,
    "week": 604_800,
    "month": 2_592_000,
    "year": 31_536_000,
}
# These numbers stand in different plural classes in every language with plurals.
_PLURALS = (1, 2, 3, 5, 11, 21, 100)
_COUNT = re.compile(r"\d+")
# Nobody tells two months in hours.
_MOST_TOLD = 60
# Larger units first are chosen only when this many of them have passed: never.
_NEVER = 1e12


def render_relative(moment: datetime, fetched: datetime, language: str) -> Iterator[str]:
    """A past moment as it is told on the day of fetching, in each unit that fits.

    >>> then, now = datetime(2019, 3, 1), datetime(2019, 3, 4)
    >>> list(render_relative(then, now, "en"))[-1]
    '3 days ago'
    """
    passed = (fetched - moment).total_seconds()
    for unit, seconds in UNITS.items():
        if seconds <= passed < seconds * _MOST_TOLD:
            yield _render(int(passed // seconds), unit, language)


def read_relative(text: str, fetched: datetime, languages: tuple[str, ...]) -> Stamp | None:
    """The moment a text tells from the time of fetching.

    >>> read_relative("Posted 3 days ago", datetime(2019, 3, 4), ("en",)).day
    datetime.date(2019, 3, 1)
    """
    prepared = prepare(text)
    for language in languages:
        for unit, regex in _regexes(language):
            if (match := regex.search(prepared)) and (count := _COUNT.search(match[0])):
                return _before(fetched, int(count[0]), unit)
    return None


def _before(fetched: datetime, count: int, unit: str) -> Stamp | None:
    try:
        moment = fetched - timedelta(seconds=count * UNITS[unit])
    except OverflowError:
        return None
    offset = read_offset(fetched.isoformat()[19:]) if fetched.tzinfo else None
    # "3 days ago" says nothing of the hour.
    exact = UNITS[unit] < UNITS["day"]
    return Stamp(moment.date(), moment.time().replace(second=0, microsecond=0) if exact else None, offset)


@lru_cache(maxsize=64)
def _regexes(language: str) -> tuple[tuple[str, re.Pattern[str]], ...]:
    found = []
    for unit in UNITS:
        forms = {prepare(_render(count, unit, language)) for count in _PLURALS}
        bodies = sorted({re.sub(r"\d+", "#", form) for form in forms if re.search(r"\d", form)})
        if bodies:
            parts = (re.escape(body).replace(r"\#", "#").replace("#", r"\d{1,4}", 1) for body in bodies)
            regex = "|".join(part.replace(r"\ ", r"\s?") for part in parts)
            found.append((unit, re.compile(rf"(?<!\w)(?:{regex})(?!\w)")))
    return tuple(found)


def _render(count: int, unit: str, language: str) -> str:
    from babel.dates import format_timedelta  # noqa: PLC0415 - 60 ms that most blogs never need

    delta = timedelta(seconds=-count * UNITS[unit])
    locale = names_of(language).locale
    granularity: Any = unit
    return str(
        format_timedelta(delta, granularity=granularity, threshold=_NEVER, add_direction=True, locale=locale)
    )
