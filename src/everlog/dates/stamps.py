"""What a text states about a moment: a day, perhaps a time, perhaps an offset."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, time, timedelta, timezone
from functools import lru_cache
from typing import NamedTuple

# Blogs began in the nineties; an earlier year in a page is its subject or a broken clock.
FIRST_YEAR = 1990
# Without a time of fetching there is no "now" to compare with; templates outlive it well.
LAST_YEAR = 2100
# Announced events and clocks set wrong run ahead of the day of fetching by this at most.
YEARS_AHEAD = 2
# No place on earth is further from Greenwich.
LARGEST_OFFSET = timedelta(hours=14)


class Stamp(NamedTuple):
    """A day, the time of day where one stands beside it, and the offset where that is stated."""

    day: date
    clock: time | None = None
    offset: timezone | None = None

    def moment(self, offset: timezone = UTC) -> datetime:
        """The moment, midnight where no time is stated, at `offset` where none is stated.

        >>> Stamp(date(2019, 3, 1)).moment().isoformat()
        '2019-03-01T00:00:00+00:00'
        """
        return datetime.combine(self.day, self.clock or time(), self.offset or offset)

    @property
    def precision(self) -> str:
        """`minute` or `day`."""
        return "day" if self.clock is None else "minute"


def plausible(day: date, fetched: datetime | None = None) -> bool:
    """Whether a post may bear this date.

    >>> plausible(date(1989, 5, 1)), plausible(date(2019, 5, 1))
    (False, True)
    """
    last = fetched.year + YEARS_AHEAD if fetched else LAST_YEAR
    return FIRST_YEAR <= day.year <= last


def full_year(digits: str) -> int:
    """The year behind two or four digits.

    >>> full_year("2019"), full_year("19"), full_year("98")
    (2019, 2019, 1998)
    """
    year = int(digits)
    if len(digits) > 2:
        return year
    return year + (1900 if year >= FIRST_YEAR - 1900 else 2000)


_OFFSET = re.compile(r"([+\-−])(\d\d?):?(\d\d)?")
# The zones RFC 2822 names, and the others that pages print most.
_ZONES = {
    "z": 0, "utc": 0, "gmt": 0, "ut": 0, "est": -300, "edt": -240, "cst": -360, "cdt": -300, "mst": -420,
    "mdt": -360, "pst": -480, "pdt": -420, "cet": 60, "cest": 120, "bst": 60, "jst": 540, "kst": 540,
    "msk": 180, "eet": 120, "eest": 180, "wet": 0, "west": 60, "aest": 600, "aedt": 660, "ist": 330,
}  # fmt: skip


@lru_cache(maxsize=256)
def read_offset(text: str | None) -> timezone | None:
    """The offset that a text such as `+02:00`, `GMT+8` or `Z` states.

    >>> read_offset("+02:30"), read_offset("z"), read_offset("gmt+0800"), read_offset("noon")
    (datetime.timezone(datetime.timedelta(seconds=9000)), datetime.timezone.utc, \
datetime.timezone(datetime.timedelta(seconds=28800)), None)
    """
    if not text:
        return None
    if match := _OFFSET.search(text):
        minutes = int(match[2]) * 60 + int(match[3] or 0)
        return offset_of(-minutes if match[1] != "+" else minutes)
    minutes_known = _ZONES.get(text.strip(" ()").lower())
    return None if minutes_known is None else offset_of(minutes_known)


def offset_of(minutes: int) -> timezone | None:
    """The offset of so many minutes; none where no place on earth has it.

    >>> offset_of(120), offset_of(6000)
    (datetime.timezone(datetime.timedelta(seconds=7200)), None)
    """
    if abs(minutes) > LARGEST_OFFSET // timedelta(minutes=1):
        return None
    return timezone(timedelta(minutes=minutes)) if minutes else UTC


def offset_text(offset: timezone) -> str:
    """An offset as ISO 8601 writes it.

    >>> offset_text(UTC), offset_text(timezone(timedelta(hours=-5)))
    ('+00:00', '-05:00')
    """
    return datetime(2000, 1, 1, tzinfo=offset).isoformat()[19:25]
