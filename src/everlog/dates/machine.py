"""Dates written for programs: ISO 8601, and seconds since 1970."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, time, timezone

from everlog.dates.stamps import FIRST_YEAR, LARGEST_OFFSET, LAST_YEAR, Stamp, read_offset

_ISO = re.compile(
    r"\s*(\d{4})-(\d\d?)-(\d\d?)(?:(?:[Tt]|\s+|\s*,\s*)(\d\d?):(\d\d)(?::(\d\d)(?:[.,]\d+)?)?"
    r"\s*([Zz]|UTC|GMT|[+\-−]\d\d(?::?\d\d)?)?)?(?!\d)"
)
_FULL_LENGTH = len("2019-03-01T10:00:00+08:00")
_EPOCH = re.compile(r"\s*(\d{9,10})(?:\d{3})?\s*")


def read_machine(text: str) -> Stamp | None:
    """The date at the start of a text written for programs.

    >>> read_machine("2019-03-01T10:00:00+0800").moment().isoformat()
    '2019-03-01T10:00:00+08:00'
    >>> read_machine("2019-03-01"), read_machine("1 March 2019")
    (Stamp(day=datetime.date(2019, 3, 1), clock=None, offset=None), None)
    >>> read_machine("1551434400").moment().isoformat()
    '2019-03-01T10:00:00+00:00'
    """
    if len(text) == _FULL_LENGTH and (stamp := _full(text)) is not None:
        return stamp
    if match := _ISO.match(text):
        return _iso(match)
    if match := _EPOCH.fullmatch(text):
        moment = datetime.fromtimestamp(int(match[1]), UTC)
        return Stamp(moment.date(), moment.time(), UTC)
    return None


def _full(text: str) -> Stamp | None:
    """The stamp of a text such as `2019-03-01T10:00:00+08:00`, as most programs write it: faster than a pattern."""
    if not (text[4] == text[7] == "-" and text[10] == "T" and text[13] == text[16] == text[22] == ":"):
        return None
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    offset = moment.utcoffset()
    if offset is None or abs(offset) > LARGEST_OFFSET or not FIRST_YEAR <= moment.year <= LAST_YEAR:
        return None
    return Stamp(moment.date(), moment.time(), timezone(offset))


def _iso(match: re.Match[str]) -> Stamp | None:
    year, month, day, hour, minute, second, zone = match.groups()
    try:
        found = date(int(year), int(month), int(day))
    except ValueError:
        return None
    if not FIRST_YEAR <= found.year <= LAST_YEAR:
        return None
    if hour is None:
        return Stamp(found)
    try:
        return Stamp(found, time(int(hour), int(minute), int(second or 0)), read_offset(zone))
    except ValueError:
        return Stamp(found)
