"""Reading when a post was published (or updated), with the rules learned for its blog."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, timezone
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from everlog.core.rules import MANUAL, Ranked, Rule
from everlog.core.tree import Element, visible_pieces
from everlog.dates.formats import DateFormat, prepare
from everlog.dates.machine import read_machine
from everlog.dates.read_date import read_date
from everlog.dates.relative import read_relative
from everlog.dates.stamps import Stamp, plausible, read_offset
from everlog.extract.manual import elements_by_hand
from everlog.languages.detect import as_language
from everlog.records import Provenance

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from everlog.markup.view import View

# The format of dates written for programs, beside the patterns of those written for readers.
MACHINE = "iso"
# The methods whose `where` is a selector.

# A day told from the day of fetching.
RELATIVE = "relative"
# The rule of last resort: the year and month of an address.
MONTH = "month"
# Texts of one rule that are read without a learned format, which may take milliseconds each.
_MOST_FREE = 3

_URL_DAY = re.compile(
    r"(?:^|[/_.-])((?:19|20)\d\d)[/_.-]?(0[1-9]|1[0-2]|[1-9](?=[/_.-]))[/_.-]?"
    r"(0[1-9]|[12]\d|3[01]|[1-9](?!\d))(?=[/_.-]|$)"
)
_URL_MONTH = re.compile(r"/((?:19|20)\d\d)[/-](0?[1-9]|1[0-2])(?=[/-]|$)")
_LAST_WORD = re.compile(r"([^\W\d_]+)[\W\d_]*$")
_BROKEN_LD = re.compile(r'"(\w*[dD]ate\w*)"\s*:\s*"([^"]{8,40})"')


def read_published(view: View, rules: Ranked) -> tuple[datetime, Provenance] | None:
    """The moment the first rule finds that finds any, and where it came from."""
    return read_updated(view, rules) or _read_freely(view, rules) or _read_month(view, rules)


def read_updated(view: View, rules: Ranked) -> tuple[datetime, Provenance] | None:
    """The same by learned formats alone: most posts were never updated, and nothing has to be found."""
    for rule in rules:
        if rule.where != MONTH:
            stamp = next(stamps(view, rule), None)
            if stamp is not None:
                return _answer(stamp, rule)
            # The place is sure, so a date in another format than the blog's usual one is that date too.
            if rule.method == MANUAL and (found := _read_freely(view, (rule,))) is not None:
                return found
    return None


def stamps(view: View, rule: Rule) -> Iterator[Stamp]:
    """What a rule reads on a page, in the order of its preference."""
    found = (
        (label, stamp)
        for text in texts(view, rule)
        for label, stamp in _read(text, rule, view.fetched_at)
        if plausible(stamp.day, view.fetched_at)
    )
    label = rule.detail.get("label")
    if label is not None:
        return (stamp for before, stamp in found if before == label)
    if rule.detail.get("pick") == "last":
        return iter([stamp for _, stamp in found][::-1])
    return (stamp for _, stamp in found)


def texts(view: View, rule: Rule) -> Iterable[str]:
    """The texts that stand where a rule points."""
    if rule.method == "meta":
        return view.meta.get(rule.where, ())
    if rule.method == "json-ld":
        return linked_data(view).get(rule.where, ())
    if rule.method == "url":
        day = url_month(view.url) if rule.where == MONTH else url_day(view.url)
        return (day,) if day else ()
    if rule.method == MANUAL:
        return (text for element in elements_by_hand(view, rule) for text in _ways_to_say(element) if text)
    attribute = rule.detail.get("attribute", "")
    return (text_of(element, attribute) for element in view.found.get(rule.where, ()))


def _ways_to_say(element: Element) -> Iterator[str]:
    """A date as an element says it to programs, then as it shows it."""
    yield from (element.get("datetime") or "", element.get("content") or "", text_of(element))


def text_of(element: Element, attribute: str = "") -> str:
    """An attribute, or all the text below an element, its pieces parted by blanks."""
    if attribute:
        return element.get(attribute) or ""
    if len(element) == 0:
        return element.text or ""
    if next(element.iter("script", "style", "noscript"), None) is None:
        return " ".join(map(str, element.itertext()))
    return " ".join(visible_pieces(element))


def linked_data(view: View) -> dict[str, list[str]]:
    """The dates of a page's JSON-LD by their key; from its text where it is not valid JSON."""
    found: dict[str, list[str]] = {}
    for node in view.json_ld:
        for key, value in node.items():
            if isinstance(value, str) and value[:1].isdigit():
                found.setdefault(key, []).append(value)
    if not found:
        for script in view.root.iter("script"):
            if "ld+json" in (script.get("type") or ""):
                for key, value in _BROKEN_LD.findall(script.text or ""):
                    found.setdefault(key, []).append(value)
    return found


def url_day(url: str) -> str | None:
    """The day in an address, in ISO form.

    >>> url_day("https://a.blog/2019/03/01/x.html"), url_day("https://a.blog/2019/03/x")
    ('2019-03-01', None)
    """
    match = _URL_DAY.search(unquote(urlsplit(url).path))
    return f"{match[1]}-{int(match[2]):02}-{int(match[3]):02}" if match else None


def url_month(url: str) -> str | None:
    """The first day of the month in an address, in ISO form.

    >>> url_month("https://a.blog/2019/03/x"), url_month("https://a.blog/x")
    ('2019-03-01', None)
    """
    match = _URL_MONTH.search(unquote(urlsplit(url).path))
    return f"{match[1]}-{int(match[2]):02}-01" if match else None


def _read(text: str, rule: Rule, fetched: datetime | None) -> Iterator[tuple[str, Stamp]]:
    for form in _parsed(rule.detail.get("formats", MACHINE)):
        if isinstance(form, str):
            stamp = read_machine(text) if form == MACHINE else _relative(text, rule, fetched)
            if stamp is not None:
                yield "", stamp
                return
            continue
        prepared = prepare(text)
        found = [(label_before(prepared, start), stamp) for start, stamp in form.read_all(prepared)]
        if found:
            yield from found
            return


def label_before(prepared: str, start: int) -> str:
    """The word before a place of a text, by which dates in one line are told apart.

    >>> label_before("published: 1 march, updated: 2 march", 29)
    'updated'
    """
    match = _LAST_WORD.search(prepared, max(0, start - 30), start)
    return match[1] if match else ""


@lru_cache(maxsize=1024)
def _parsed(formats: str) -> tuple[DateFormat | str, ...]:
    return tuple(DateFormat.parse(line) if "|" in line else line for line in formats.split("\n"))


def _relative(text: str, rule: Rule, fetched: datetime | None) -> Stamp | None:
    return read_relative(text, fetched, _languages(rule)) if fetched is not None else None


def _languages(rule: Rule) -> tuple[str, ...]:
    return tuple(rule.detail.get("languages", "en").split())


def _declared_by(view: View) -> tuple[str, ...]:
    """The language that a page says it is in: one of several of its blog, and the feed has posts of another."""
    language = as_language(view.root.get("lang"))
    return (language,) if language else ()


def _answer(stamp: Stamp, rule: Rule) -> tuple[datetime, Provenance]:
    offset = read_offset(rule.detail.get("offset")) or UTC
    moment = stamp.moment(offset)
    shifts = rule.detail.get("shift")
    if shifts and stamp.clock is not None:
        moment += timedelta(minutes=_in_month(shifts, stamp.day.month))
    zone = read_offset(rule.detail.get("zone"))
    if zone is not None and stamp.offset is not None:
        moment = moment.astimezone(zone)
    return moment, _provenance(rule, stamp.precision)


def _in_month(shifts: str, month: int) -> int:
    values = shifts.split()
    return int(values[month - 1 if len(values) > 1 else 0])


def _provenance(rule: Rule, precision: str) -> Provenance:
    attribute = rule.detail.get("attribute")
    where = f"{rule.where}@{attribute}" if attribute else rule.where
    return Provenance(method=rule.method, rule=where or None, confidence=rule.confidence, precision=precision)


def _read_freely(view: View, rules: Ranked) -> tuple[datetime, Provenance] | None:
    """A date in another format than the feed's pages had, at a place a rule points at."""
    for rule in rules:
        if "label" in rule.detail or rule.method == "url":
            continue
        offset: timezone = read_offset(rule.detail.get("offset")) or UTC
        for text in islice(texts(view, rule), _MOST_FREE):
            languages = (*_languages(rule), *_declared_by(view))
            found = read_date(text, offset=offset, fetched=view.fetched_at, languages=languages)
            if found is not None:
                return found.moment, _provenance(rule, found.precision)
    return None


def _read_month(view: View, rules: Ranked) -> tuple[datetime, Provenance] | None:
    for rule in rules:
        stamp = next(stamps(view, rule), None) if rule.where == MONTH else None
        if stamp is not None:
            offset = read_offset(rule.detail.get("offset")) or UTC
            return stamp.moment(offset), _provenance(rule, MONTH)
    return None
