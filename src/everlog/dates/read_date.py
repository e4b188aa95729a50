"""Reading a date: the blog's learned formats first, then everything else that may be one."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timezone
from functools import lru_cache

from everlog.core.words import squeeze
from everlog.dates.formats import DateFormat, prepare
from everlog.dates.machine import read_machine
from everlog.dates.names import is_known
from everlog.dates.relative import read_relative
from everlog.dates.scan import scan
from everlog.dates.stamps import Stamp, plausible

# The parser of last resort takes 5 ms a text and finds dates in anything: only short texts are
# dates and nothing else.
_LONGEST_GUESS = 60


@dataclass(frozen=True, slots=True)
class Found:
    """A moment read from a text; `stated` says whether the text states the offset itself."""

    moment: datetime
    precision: str
    format: str
    stated: bool = False


def read_date(
    text: str,
    formats: Sequence[DateFormat] = (),
    *,
    offset: timezone = UTC,
    fetched: datetime | None = None,
    languages: Iterable[str] = (),
) -> Found | None:
    """The date a text states, midnight at `offset` where it shows a day only.

    >>> read_date("Posted on 3/4/2019", [DateFormat.parse("d/M/y|en")]).moment.isoformat()
    '2019-04-03T00:00:00+00:00'
    >>> read_date("1 mars 2019 à 10:30", languages=["fr"]).precision
    'minute'
    >>> read_date("Copyright 2019") is None
    True
    """
    prepared = prepare(text)
    for form in formats:
        for _, stamp in form.read_all(prepared):
            if plausible(stamp.day, fetched):
                return _found(stamp, str(form), offset)
    return _read_anything(text, offset, fetched, _spoken(languages))


def _found(stamp: Stamp, form: str, offset: timezone) -> Found:
    return Found(stamp.moment(offset), stamp.precision, form, stamp.offset is not None)


def _read_anything(
    text: str, offset: timezone, fetched: datetime | None, languages: tuple[str, ...]
) -> Found | None:
    stamp = read_machine(text)
    if stamp is not None and plausible(stamp.day, fetched):
        return _found(stamp, "iso", offset)
    for spot in scan(text, languages):
        for option in spot.options:
            if plausible(option.day, fetched):
                return _found(spot.stamp(option), option.format, offset)
    if fetched is not None and (stamp := read_relative(text, fetched, languages)):
        return _found(stamp, "relative", offset)
    return _guess(text, offset, fetched, languages)


def _spoken(languages: Iterable[str]) -> tuple[str, ...]:
    known = [language for language in languages if is_known(language)]
    return tuple(dict.fromkeys((*known, "en")))


def _guess(text: str, offset: timezone, fetched: datetime | None, languages: tuple[str, ...]) -> Found | None:
    text = squeeze(text)
    if not 0 < len(text) <= _LONGEST_GUESS or not _may_be_date(_shape(text), languages, fetched is not None):
        return None
    moment = _parse_freely(text, languages, fetched.replace(tzinfo=None) if fetched else None)
    if moment is None or not plausible(moment.date(), fetched):
        return None
    day_only = (moment.hour, moment.minute, moment.second) == (0, 0, 0)
    clock = None if day_only else moment.time()
    return _found(Stamp(moment.date(), clock), "free", offset)


def _shape(text: str) -> str:
    """A text with its digits made one: `12 foo 2019` and `31 foo 2020` are alike."""
    return re.sub(r"\d", "0", text)


@lru_cache(maxsize=4096)
def _may_be_date(shape: str, languages: tuple[str, ...], has_base: bool) -> bool:  # noqa: FBT001 - a cache key
    """Whether texts of this shape can be dates, asked once a shape: the answer costs 5 ms."""
    if has_base:
        return True
    # Eight digits or fewer make a date of day and year; any day and year will do for the question.
    probe = re.sub(r"0{4}", "2011", shape)
    return "0" in shape and _parse_freely(re.sub(r"0{1,2}", "11", probe), languages, None) is not None


def _parse_freely(text: str, languages: tuple[str, ...], base: datetime | None) -> datetime | None:
    import dateparser  # noqa: PLC0415 - 470 ms, and few pages need it

    # Without a base the parser would look at the clock for "yesterday" and for a missing year.
    settings: dict[str, object] = {"REQUIRE_PARTS": ["day", "month", "year"], "PARSERS": ["absolute-time"]}
    if base is not None:
        settings = {"RELATIVE_BASE": base, "PREFER_DATES_FROM": "past"}
    known = [language.replace("_", "-").split("-")[0] for language in languages]
    try:
        found = dateparser.parse(text, languages=known, settings=settings)
    except (ValueError, OverflowError):
        return None
    return found.replace(tzinfo=None) if found else None
