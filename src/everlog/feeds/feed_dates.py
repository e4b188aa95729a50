"""The dates of feeds, with the offset their source states.

Generators write RFC 822 and ISO 8601 with every liberty: month names in the blog's language,
missing seconds, named zones, a database's or a script's own rendering.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, timezone
from functools import lru_cache

from everlog.dates.names import is_known, names_of
from everlog.languages.supported import LANGUAGES

_ISO = re.compile(
    r"(?<!\d)(\d{4})[-/.年년]\s?(\d{1,2})[-/.月월]\s?(\d{1,2})[日일]?"
    r"(?:[T\s,]+(?:(오전|오후|午前|午後|上午|下午)\s*)?(\d{1,2}):(\d{2})(?::(\d{2}(?:[.,]\d+)?))?"
    r"\s*([ap]\.?m\b\.?)?)?(?!\d)",
    re.IGNORECASE,
)
# Hyphens and colons may be left out, of the day, of the time or of both.
_COMPACT = re.compile(
    r"^(\d{4})(-?)(\d{2})\2(\d{2})(?:[T ]?(\d{2}):?(\d{2})(?::?(\d{2}(?:[.,]\d+)?))?)?(?=\s?(?:Z|[+-]\d{2})|$)",
    re.IGNORECASE,
)
# ISO 8601 lets a date end early: a month, a year.
_BARE = re.compile(r"((?:19|20)\d\d)(?:-(\d{2}))?")
_DAY_FIRST = re.compile(r"(?<!\d)(\d{1,2})[.-](\d{1,2})[.-](\d{4})(?!\d)")
_CLOCK = re.compile(r"(?<!\d)(\d{1,2}):(\d{2})(?::(\d{2}(?:[.,]\d+)?))?\s*([ap]\.?m\b\.?)?", re.IGNORECASE)
_OFFSET = re.compile(r"([+\-\u2212])(\d{2}):?(\d{2})?(?!\d)")
_ZONE = re.compile(r"(?<![^\W\d_])([A-Z]{1,5})(?![^\W\d_])")
# "5 März 2019", "05-Mar-19", "5 de março de 2019"; then "Mar 5, 2019" and "Mar 5 10:00:00 2019".
_DAY_MONTH = re.compile(
    r"(?<![\d:])(\d{1,2})(?:st|nd|rd|th)?[.,\s-]+(?:d[eio]\s+|d['’])?"
    r"([^\W\d_]+)[.,\s-]+(?:d[eio]l?\s+)?(\d{4}|\d{2})(?![\d:])"
)
_MONTH_DAY = re.compile(
    r"([^\W\d_]+)\.?\s+(\d{1,2})(?:st|nd|rd|th)?(?![\d:]),?\s+"
    r"(?:[\d:]+\s+(?:(?:[A-Z]{3,4}|[+-]\d{4})\s+)?)?(\d{4})(?![\d:])"
)
# "2019. március 5.", "2019-március-5"
_YEAR_FIRST = re.compile(r"(?<!\d)(\d{4})[.,\s-]+([^\W\d_]+)[.\s-]+(\d{1,2})(?!\d)")
_AFTERNOON = ("p", "오후", "午後", "下午")
# The year zero of several languages and databases: a date nobody set.
_EARLIEST_YEAR = 1000
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

_ENGLISH = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_ZONES = {
    "z": 0, "ut": 0, "utc": 0, "gmt": 0, "wet": 0, "bst": 60, "west": 60, "cet": 60, "met": 60,
    "mez": 60, "cest": 120, "mest": 120, "mesz": 120, "eet": 120, "eest": 180, "msk": 180, "msd": 240,
    "ist": 330, "sgt": 480, "hkt": 480, "jst": 540, "kst": 540, "aest": 600, "aedt": 660, "nzst": 720,
    "nzdt": 780, "brt": -180, "art": -180, "ast": -240, "adt": -180, "est": -300, "edt": -240,
    "cst": -360, "cdt": -300, "mst": -420, "mdt": -360, "pst": -480, "pdt": -420,
    # No word on summer time: the zone's standard time.
    "et": -300, "ct": -360, "mt": -420, "pt": -480,
}  # fmt: skip


def parse_date(text: str | None, language: str | None = None) -> datetime | None:
    """The moment a feed's date names, aware; without an offset it is taken as UTC.

    >>> parse_date("Tue, 05 Mar 2019 10:00:00 +0530").isoformat()
    '2019-03-05T10:00:00+05:30'
    >>> parse_date("Di, 5 März 2019 10:00 CET").isoformat()
    '2019-03-05T10:00:00+01:00'
    """
    text = " ".join((text or "")[:200].split())
    if not text:
        return None
    found = _numeric(text) or _worded(text, language)
    if found is None or found.year < _EARLIEST_YEAR or found == _EPOCH:
        return None
    return found


def _numeric(text: str) -> datetime | None:
    if compact := _COMPACT.match(text):
        year, _, month, day, hour, minute, second = compact.groups()
        return _moment(int(year), int(month), int(day), (hour, minute, second, None), text[compact.end() :])
    if iso := _ISO.search(text):
        if iso.start() and text[iso.start() - 1] == "-":
            return None  # a year before zero
        year, month, day, before, hour, minute, second, behind = iso.groups()
        return _moment(int(year), int(month), int(day), (hour, minute, second, before or behind), text[iso.end() :])
    if bare := _BARE.fullmatch(text):
        return _moment(int(bare[1]), int(bare[2] or 1), 1, (None, None, None, None), "")
    if day_first := _DAY_FIRST.search(text):
        day, month, year = (int(part) for part in day_first.groups())
        clock, rest = _clock(text)
        return _moment(year, month, day, clock, rest)
    return None


def _worded(text: str, language: str | None) -> datetime | None:
    if found := _DAY_MONTH.search(text):
        day, name, year = found.groups()
    elif found := _MONTH_DAY.search(text):
        name, day, year = found.groups()
    elif found := _YEAR_FIRST.search(text):
        year, name, day = found.groups()
    else:
        return None
    month = _month(name, language)
    if month is None:
        return None
    number = int(year)
    if len(year) == 2:
        number += 2000 if number < 69 else 1900
    clock, rest = _clock(text)
    return _moment(number, month, int(day), clock, rest)


_Clock = tuple[str | None, str | None, str | None, str | None]


def _clock(text: str) -> tuple[_Clock, str]:
    """Hour, minute, second and half of the day, and what stands behind them: the zone."""
    if found := _CLOCK.search(text):
        hour, minute, second, half = found.groups()
        return (hour, minute, second, half), text[found.end() :]
    return (None, None, None, None), ""


def _moment(year: int, month: int, day: int, clock: _Clock, zone: str) -> datetime | None:
    hour, minute = int(clock[0] or 0), int(clock[1] or 0)
    second, _, fraction = (clock[2] or "0").replace(",", ".").partition(".")
    if clock[3]:
        hour = hour % 12 + (12 if clock[3].lower().startswith(_AFTERNOON) else 0)
    if hour > 24 or minute > 59 or int(second) > 60:
        return None
    try:
        # Added up rather than set: 24:00 is the next midnight, and a leap second the next minute.
        return datetime(year, month, day, tzinfo=_offset(zone)) + timedelta(
            hours=hour, minutes=minute, seconds=int(second), microseconds=int(fraction[:6].ljust(6, "0"))
        )
    except (ValueError, OverflowError):
        return None


def _offset(text: str) -> timezone:
    # "GMT+0200" states the offset in its number, "+0200 (CEST)" too: numbers go before names.
    if found := _OFFSET.search(text):
        minutes = int(found[2]) * 60 + int(found[3] or 0)
        if minutes < 24 * 60 and int(found[3] or 0) < 60:
            return _timezone(minutes if found[1] == "+" else -minutes)
    if (named := _ZONE.search(text.upper())) and named[1].lower() in _ZONES:
        return _timezone(_ZONES[named[1].lower()])
    return UTC


def _timezone(minutes: int) -> timezone:
    return timezone(timedelta(minutes=minutes)) if minutes else UTC


def _month(name: str, language: str | None) -> int | None:
    name = name.casefold()
    if name[:3] in _ENGLISH and (len(name) <= 4 or name in _english_months()):
        return _ENGLISH.index(name[:3]) + 1
    first = re.split("[-_]", language.lower())[0] if language else None
    for code in (first, *LANGUAGES) if first else LANGUAGES:
        if month := _month_names(code).get(name):
            return month
    return None


@lru_cache(maxsize=1)
def _english_months() -> frozenset[str]:
    return frozenset(_month_names("en"))


@lru_cache(maxsize=64)
def _month_names(code: str) -> dict[str, int]:
    if not is_known(code):
        return {}
    names: dict[str, int] = {}
    for name, number in names_of(code).months.items():
        names.setdefault(name, number)
        names.setdefault(name[:3], number)
    ambiguous = {name[:3] for name, number in names.items() if names[name[:3]] != number}
    return {name: number for name, number in names.items() if name not in ambiguous}
