"""Every date in a text, and the format it is written in.

Formats are not taken from a list: the pieces of a date (a year, a name or number of a month, a day)
are found wherever they stand together, and the pattern is what stands between them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date, time, timezone
from functools import lru_cache
from typing import NamedTuple

from everlog.dates.clock import read_clock
from everlog.dates.formats import ORDINAL, WORD, DateFormat, join_phrases, prepare, quote
from everlog.dates.names import names_of
from everlog.dates.stamps import Stamp, full_year, plausible

# What parts the pieces of a date: marks, and the small words of dates.
_LINK = r"(?:(?:de|del|di|do|da|of|the|den|ng|tháng|thg|năm|d|m|gada|год|року|(?:\(?e\)?ko))[\s.'’]{1,2})?"
_SEP = rf"[\s,،./\-–—·•|]{{0,4}}{_LINK}"
_NUMERIC = r"\.?\s?(?:[-/.·–_,]?\s?(?:tháng|thg|năm)|[-/.·–_,]|年|년|月|월|\s)\s{0,2}"
_YEAR = r"(?P<{}>\d{{4}}|['’]?\d\d(?![:\d]))"
_NAMED = (
    rf"(?P<dn>\d{{1,2}}){ORDINAL}(?P<d1>{_SEP})(?P<dm>{WORD})(?P<d2>\.?{_SEP}){_YEAR.format('dy')}(?!\d)",
    rf"(?P<yy>\d{{4}})(?P<y1>{_SEP})(?P<ym>{WORD})(?P<y2>\.?{_SEP})(?P<yn>\d{{1,2}})(?!\d)",
)
_OTHER = (
    rf"(?P<iy>\d{{4}})(?P<i1>{_NUMERIC})(?P<im>\d{{1,2}})(?P<i2>{_NUMERIC})(?P<in>\d{{1,2}})(?!\d)",
    rf"(?P<na>\d{{1,2}})(?P<n1>{_NUMERIC})(?P<nb>\d{{1,2}})(?P<n2>{_NUMERIC}){_YEAR.format('ny')}(?!\d)",
    rf"(?P<mn>\d{{1,2}}){ORDINAL}(?P<m2>{_SEP})(?<!\d){_YEAR.format('my')}(?!\d)",
    r"(?P<cy>(?:19|20)\d\d)(?P<cm>[01]\d)(?P<cd>[0-3]\d)(?!\d)",
)
# Every alternative starts at a digit, which keeps the search cheap: the month's name before
# "1, 2019" is looked for backwards. All repetitions are bounded.
_DATE = re.compile(rf"(?<!\d)(?:{'|'.join((*_NAMED, *_OTHER))})")
_WITHOUT_NAME = re.compile("|".join(_OTHER))
_NAME_BEFORE = re.compile(rf"(?<![^\W\d_])({WORD})(\.?{_SEP})$")
# What says that the number before it is a year; counted from an emperor's first year where an era stands before it.
_AFTER_YEAR = ("年", "년")
_ERAS = ("令和", "平成", "昭和", "大正", "明治")
# The longest name and what may stand between it and its day.
_BACK = 28


class Option(NamedTuple):
    """One way to read a spot: its format and the day it means."""

    format: str
    day: date


class Spot(NamedTuple):
    """A date in a prepared text. `options` has more than one member where the order is ambiguous."""

    start: int
    end: int
    options: tuple[Option, ...]
    clock: time | None
    offset: timezone | None

    def stamp(self, option: Option) -> Stamp:
        """What the spot states when it is read in this way."""
        return Stamp(option.day, self.clock, self.offset)


def scan(text: str, languages: tuple[str, ...]) -> list[Spot]:
    """All dates in a text, in the order they stand in.

    >>> [(str(o.format), str(o.day)) for s in scan("Le 1er mars 2019", ("fr",)) for o in s.options]
    [('d MMMM y|fr', '2019-03-01')]
    >>> [(str(o.format), str(o.day)) for s in scan("on 03/04/2019", ("en",)) for o in s.options]
    [('M/d/y|en', '2019-03-04'), ('d/M/y|en', '2019-04-03')]
    """
    return list(_scanned(text, languages))


# Learning looks at a date once to find it and once for each selector that leads to it.
@lru_cache(maxsize=512)
def _scanned(text: str, languages: tuple[str, ...]) -> tuple[Spot, ...]:
    prepared = prepare(text)
    if not any(map(str.isdigit, prepared)):
        return ()
    for language in languages:
        prepared = join_phrases(prepared, names_of(language))
    return tuple(_spots(prepared, _months(languages), languages))


def _spots(
    prepared: str, table: dict[str, tuple[tuple[str, int], ...]], languages: tuple[str, ...]
) -> Iterator[Spot]:
    at = 0
    while match := _DATE.search(prepared, at):
        at = match.start() + 1
        # What looks like a name may be an ordinal or a unit, as in "March 1st, 2019".
        second = _WITHOUT_NAME.match(prepared, match.start()) if match.lastgroup in {"dy", "yn"} else None
        for tried in filter(None, (match, second)):
            before = _name_before(tried)
            options = tuple(_options(tried, before, table, languages))
            if options:
                at = tried.end()
                yield Spot((before or tried).start(), at, options, *read_clock(prepared, at))
                break


@lru_cache(maxsize=256)
def _months(languages: tuple[str, ...]) -> dict[str, tuple[tuple[str, int], ...]]:
    table: dict[str, list[tuple[str, int]]] = {}
    for language in languages:
        for name, number in names_of(language).months.items():
            row = table.setdefault(name, [])
            if all(number != known for _, known in row):
                row.append((language, number))
    return {name: tuple(row) for name, row in table.items()}


def _name_before(match: re.Match[str]) -> re.Match[str] | None:
    if match.lastgroup != "my":
        return None
    return _NAME_BEFORE.search(match.string, max(0, match.start() - _BACK), match.start())


def _options(
    match: re.Match[str],
    before: re.Match[str] | None,
    table: dict[str, tuple[tuple[str, int], ...]],
    languages: tuple[str, ...],
) -> Iterator[Option]:
    kind = match.lastgroup
    if kind == "dy":
        year = match["dy"]
        for language, month in table.get(match["dm"], ()):
            yield from _option(
                f"d{_gap(match['d1'])}MMMM{_gap(match['d2'], dot=True)}{_y(year)}",
                language,
                year,
                month,
                match["dn"],
            )
    elif kind == "my" and before is not None:
        year = match["my"]
        for language, month in table.get(before[1], ()):
            yield from _option(
                f"MMMM{_gap(before[2], dot=True)}d{_gap(match['m2'])}{_y(year)}",
                language,
                year,
                month,
                match["mn"],
            )
    elif kind == "yn":
        for language, month in table.get(match["ym"], ()):
            yield from _option(
                f"y{_gap(match['y1'])}MMMM{_gap(match['y2'], dot=True)}d",
                language,
                match["yy"],
                month,
                match["yn"],
            )
    elif kind == "in":
        pattern = f"y{_gap(match['i1'])}M{_gap(match['i2'])}d"
        yield from _option(pattern, languages[0], match["iy"], int(match["im"]), match["in"])
    elif kind == "ny" and not match.string.endswith(_ERAS, 0, match.start()):
        yield from _numeric(match, languages[0])
    elif kind == "cd":
        yield from _option("yMMdd", languages[0], match["cy"], int(match["cm"]), match["cd"])


def _numeric(match: re.Match[str], language: str) -> Iterator[Option]:
    a, b, year = match["na"], match["nb"], match["ny"]
    one, two = _gap(match["n1"]), _gap(match["n2"])
    orders = [
        (f"d{one}M{two}{_y(year)}", a, b, year),
        (f"M{one}d{two}{_y(year)}", b, a, year),
    ]
    if not names_of(language).day_first:
        orders.reverse()
    if len(year) == 2 and match["n1"].strip() in _AFTER_YEAR:
        orders = []
    if len(year) == 2 and len(a) == 2:
        orders.append((f"yy{one}M{two}d", year, b, a))
    for pattern, day, month, years in orders:
        yield from _option(pattern, language, years, int(month), day)


def _option(pattern: str, language: str, year: str, month: int, day: str) -> Iterator[Option]:
    try:
        found = date(full_year(year.strip("'’")), month, int(day))
    except ValueError:
        return
    if plausible(found):
        yield Option(str(DateFormat(pattern, language)), found)


def _gap(literal: str, *, dot: bool = False) -> str:
    # The dot of an abbreviated name comes and goes with the month: "May 1" but "Mar. 1".
    if dot:
        literal = literal.removeprefix(".")
    return quote(literal)


def _y(year: str) -> str:
    return "y" if len(year) == 4 else "yy"
