"""When comments were written: thousands of dates of one page, in one format that is found once."""

from __future__ import annotations

import re
from collections import Counter
from datetime import datetime, timedelta
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from everlog.comments.parts import line_of
from everlog.dates.clock import read_clock
from everlog.dates.formats import DateFormat, prepare
from everlog.dates.machine import read_machine
from everlog.dates.names import is_known
from everlog.dates.read_date import read_date
from everlog.dates.relative import read_relative
from everlog.dates.scan import Spot, scan
from everlog.dates.stamps import Stamp, plausible

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from everlog.core.tree import Element

# Themes are translated more often than pages declare it; these are asked where the page's language fails.
# The order settles names that two languages share.
_LANGUAGES = tuple(
    "de fr es it pt nl ru ja zh ko pl cs sv da nb fi tr uk ca ro hu el id vi bg hr sk sl sr lt lv et eu gl he ar fa "
    "hi th".split()
)
# A date stands at the start of its line, or behind a name; what follows is text.
_LONGEST = 200
# Texts of one page for which no format is found, before the slow ways are given up: each may take 5 ms.
_MOST_UNKNOWN = 40
# Formats of one page that are tried first; a page writes its dates in one or two.
_MOST_FORMATS = 8
# The attributes in which a date is written for programs.
_FOR_PROGRAMS = ("datetime", "content")
_DIGIT = re.compile(r"\d")
_CLOCK_START = re.compile(r"(?<![\d:.])\d{1,2}\s?[:h時]\s?\d\d")


def read_dates(
    stated: Iterable[Sequence[str]], languages: Iterable[str] = (), fetched_at: datetime | None = None
) -> list[datetime | None]:
    """The moment of each comment, from the texts that may state it, the most trusted first.

    Times without an offset are taken for UTC. Where "3/4/2019" could be two days, the other dates of
    the page decide.

    >>> [str(moment) for moment in read_dates([["3/4/2019"], ["", "25/4/2019 at 10:31 pm"]], ["en"])]
    ['2019-04-03 00:00:00+00:00', '2019-04-25 22:31:00+00:00']
    """
    return [found and found[0] for found in locate_dates(stated, languages, fetched_at)]


def locate_dates(
    stated: Iterable[Iterable[str]], languages: Iterable[str] = (), fetched_at: datetime | None = None
) -> list[tuple[datetime, int] | None]:
    """The same with the place, among the texts, of the one that states the date."""
    reader = _Reader(languages, fetched_at)
    found = [reader.read(texts) for texts in stated]
    opens = [item for item, _ in filter(None, found) if isinstance(item, _Open)]
    orders = _orders(opens, reader.certain(), fetched_at)
    return [(_moment(located[0], orders), located[1]) if located else None for located in found]


def for_programs(element: Element, fetched_at: datetime | None) -> datetime | None:
    """The moment that an element states for programs, to the minute: what `locate_dates` would read first.

    >>> from everlog.core.tree import parse
    >>> print(for_programs(parse(b"<p><time datetime='2019-03-01T10:31Z'>1 March</time></p>")[0][0][0], None))
    2019-03-01 10:31:00+00:00
    """
    written = element.get("datetime") if element.tag in {"time", "abbr"} else None
    stamp = read_machine(written) if written else None
    if stamp is None or stamp.clock is None or not plausible(stamp.day, fetched_at):
        return None
    return stamp.moment()


def stated_dates(element: Element) -> Iterator[str]:
    """The texts of an element that may be its date: those for programs first, then those for readers.

    >>> from everlog.core.tree import parse
    >>> list(stated_dates(parse(b"<p><time datetime='2019-03-01'>1 March</time></p>")[0][0]))
    ['2019-03-01', '1 March']
    """
    inner = element if element.tag in {"time", "abbr"} else next(element.iter("time", "abbr"), None)
    for node in (element,) if inner is None or inner is element else (inner, element):
        yield from filter(None, map(node.get, _FOR_PROGRAMS))
        for name, value in node.attrib.items():
            if str(name).startswith("data-") and read_machine(str(value)) is not None:
                yield str(value)
        if title := node.get("title"):
            yield title
    yield line_of(element)


class _Open(NamedTuple):
    """A numeric date that can be read in more than one order."""

    text: str
    spot: Spot


class _Reader:
    def __init__(self, languages: Iterable[str], fetched_at: datetime | None) -> None:
        known = [language for language in languages if is_known(language)]
        self._languages = tuple(dict.fromkeys((*known, "en")))
        self._all = tuple(dict.fromkeys((*self._languages, *_LANGUAGES)))
        self._fetched_at = fetched_at
        self._formats: list[DateFormat] = []
        self._told: dict[str, Stamp | None] = {}
        self._unknown = 0

    def read(self, texts: Iterable[str]) -> tuple[Stamp | _Open, int] | None:
        for place, text in enumerate(texts):
            stamp = read_machine(text)
            if stamp is not None and plausible(stamp.day, self._fetched_at):
                return (stamp if stamp.clock is not None else _with_clock(stamp, prepare(text[:_LONGEST]))), place
            found = self._read_text(text[:_LONGEST]) if text else None
            if found is not None:
                return found, place
        return None

    def certain(self) -> frozenset[str]:
        """The formats in which dates of this page were read that have no other reading."""
        return frozenset(map(str, self._formats))

    def _read_text(self, text: str) -> Stamp | _Open | None:
        prepared = prepare(text)
        for form in self._formats:
            for _, stamp in form.read_all(prepared):
                if plausible(stamp.day, self._fetched_at):
                    return _with_clock(stamp, prepared)
        if text in self._told:
            return self._told[text]
        if self._unknown >= _MOST_UNKNOWN:
            return None
        found = self._scanned(text, prepared) or self._relative(text)
        if not isinstance(found, _Open):
            self._told[text] = found
        self._unknown += found is None
        return found

    def _scanned(self, text: str, prepared: str) -> Stamp | _Open | None:
        if not _DIGIT.search(prepared):
            return None
        for languages in (self._languages, self._all):
            for spot in scan(text, languages):
                options = tuple(option for option in spot.options if plausible(option.day, self._fetched_at))
                if len(options) == 1:
                    self._keep(options[0].format)
                    return _with_clock(spot.stamp(options[0]), prepared)
                if options:
                    return _Open(text, spot._replace(options=options))
        return None

    def _keep(self, form: str) -> None:
        if len(self._formats) < _MOST_FORMATS:
            self._formats.append(DateFormat.parse(form))

    def _relative(self, text: str) -> Stamp | None:
        """ "3 days ago", and at last whatever a slow parser takes for a date."""
        if self._fetched_at is not None and _DIGIT.search(text):
            stamp = read_relative(text, self._fetched_at, self._all)
            if stamp is not None:
                return stamp
        if _CLOCK_START.fullmatch(text.strip()):
            return None
        found = read_date(text, fetched=self._fetched_at, languages=self._languages)
        return Stamp(found.moment.date(), found.moment.time(), found.moment.tzinfo) if found else None  # type: ignore[arg-type]


def _with_clock(stamp: Stamp, prepared: str) -> Stamp:
    """A stamp with the time that stands before its day: "10:31 am on March 12th, 2014"."""
    if stamp.clock is None and (match := _CLOCK_START.search(prepared)):
        clock, offset = read_clock(prepared, match.start())
        return stamp._replace(clock=clock, offset=offset)
    return stamp


def _orders(opens: list[_Open], certain: frozenset[str], fetched_at: datetime | None) -> list[str]:
    """The formats of dates with more than one reading, the likeliest first.

    A format that other dates of the page are in for certain is likelier; then one that reads more of the
    dates; then one in which no comment is from the future; then one in which comments follow each other
    in time; then what the language uses.
    """
    counts = Counter(option.format for item in opens for option in item.spot.options)
    if len(counts) < 2:
        return list(counts)
    places = {form: place for place, form in enumerate(counts)}
    last = (fetched_at + timedelta(days=1)).date() if fetched_at else None

    def doubt(form: str) -> tuple[int, ...]:
        days = [option.day for item in opens for option in item.spot.options if option.format == form]
        ahead = sum(day > last for day in days) if last else 0
        back = sum(later < earlier for earlier, later in pairwise(days))
        forth = sum(later > earlier for earlier, later in pairwise(days))
        # Nobody writes month, day and year with dots between them.
        return form not in certain, -counts[form], ahead, form.startswith("M."), min(back, forth), places[form]

    return sorted(counts, key=doubt)


def _moment(item: Stamp | _Open, orders: list[str]) -> datetime:
    if isinstance(item, _Open):
        best = min(item.spot.options, key=lambda option: orders.index(option.format))
        item = _with_clock(item.spot.stamp(best), prepare(item.text))
    return item.moment()
