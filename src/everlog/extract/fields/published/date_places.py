"""Where dates stand on a page: in its head, its attributes, its text and its address."""

from __future__ import annotations

import re
from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING, Any, NamedTuple

from lxml import etree

from everlog.core.selectors import chain_of, selectors_of
from everlog.core.tree import INVISIBLE, Element
from everlog.dates.formats import prepare
from everlog.dates.machine import read_machine
from everlog.dates.relative import read_relative, render_relative
from everlog.dates.scan import Option, Spot, scan
from everlog.extract.fields.published_read import MACHINE, RELATIVE, label_before, linked_data, text_of, url_day

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from everlog.extract.samples import Sample

# Attributes that may hold a date, found by walks in C (35 us each on a page that parses in 730 us).
# The rarer attributes are looked for where the usual one is not.
_DATED = etree.XPath("//@datetime|//@title")
_ALSO_DATED = etree.XPath(
    "//span/@content|//@data-date|//@data-datetime|//@data-time|//@data-timestamp|//@data-published"
)
_YEAR_OR_EPOCH = re.compile(r"(?:19|20)\d\d|\d{9,13}")
# Two-digit years need marks of a date around them; without either there is nothing to scan.
_MAY_BE_DATE = re.compile(r"(?:19|20)\d\d|\d['’./\-\s,]{1,2}\w{1,9}['’./\-\s,]{1,2}\d\d|\d{4}")
_DAY_BESIDE = re.compile(r"(?<!\d)\d{1,2}(?!\d)|\d{8}")
_DATE_KEY = re.compile(r"date|time|publish|creat|modif|updat|issued", re.IGNORECASE)
# A date with its byline, tags and comment count has fewer words than this; more is an article.
SMALL = 40
# From a number up to the element that holds the whole date: `li > span > b`.
_CLIMB = 3
# Text right inside a large container; more of them are articles full of years.
_LARGE = 3


class Source(NamedTuple):
    """A place of a page: a meta name, a JSON-LD key, an attribute or the text of a selector, the address."""

    method: str
    where: str
    attribute: str = ""


class Seen(NamedTuple):
    """One date read at a source: the ways to read it, the word before it, where it stands."""

    spot: Spot
    label: str
    element: int | None = None


def head_dates(sample: Sample, languages: tuple[str, ...]) -> Iterator[tuple[Source, list[Seen]]]:
    """The dates of the head and the address."""
    for name, values in sample.view.meta.items():
        seen = read_all((value for value in values[:3] if len(value) <= SMALL * 2), languages)
        if seen:
            yield Source("meta", name), seen
    for key, values in linked_data(sample.view).items():
        if _DATE_KEY.search(key) and (seen := read_all(values, languages)):
            yield Source("json-ld", key), seen
    # An address may name a day that no post bears: /1983/06/07/ is what it tells of, or a page's number.
    day = url_day(sample.url)
    if day and (seen := read_all([day], languages)):
        yield Source("url", ""), seen


def dated_elements(sample: Sample) -> Iterator[tuple[Element, str]]:
    """Elements with an attribute that may be a date, with the attribute's name."""
    root = sample.view.root
    values: list[Any] = list(_nodes(_DATED, root))
    if all(value.attrname != "datetime" for value in values):
        values += _nodes(_ALSO_DATED, root)
    for value in values:
        if len(value) <= SMALL * 2 and _YEAR_OR_EPOCH.search(value):
            yield value.getparent(), value.attrname


def _nodes(xpath: etree.XPath, root: Element, **variables: str) -> Iterable[Any]:
    """The strings an XPath finds; each knows its parent, which the types of lxml do not say."""
    found: Any = xpath(root, **variables)
    return found  # type: ignore[no-any-return]


def elements_near(sample: Sample, day: date) -> Iterator[int]:
    """The smallest elements that hold a year and the number of a day within one of `day`."""
    days = [day + timedelta(days=step) for step in (-1, 0, 1)]
    numbers = "|".join([*(f"0?{one.day}" for one in days), *(f"{one:%Y%m%d}" for one in days)])
    number = re.compile(rf"(?<!\d)(?:{numbers})(?!\d)")
    year, short = str(day.year), f"{day:%y}"
    found = _with_number(sample, _homes(sample, lambda text: year in text), number)
    if not found:
        short_year = re.compile(rf"[./\-\s'’]{short}")
        found = _with_number(
            sample, _homes(sample, lambda text: short in text and short_year.search(text) is not None), number
        )
    return iter(found)


def elements_telling(sample: Sample, moment: datetime, languages: tuple[str, ...]) -> list[int]:
    """The elements that tell a moment from the day of fetching: "3 days ago"."""
    fetched = sample.view.fetched_at
    if fetched is None:
        return []
    forms = {form for language in languages for form in render_relative(moment, fetched, language)}
    return list(_homes(sample, lambda text: any(form in text for form in forms)))


def elements_with_years(sample: Sample) -> list[int]:
    """The smallest elements that hold a whole date, as far as numbers tell."""
    return _with_number(sample, _homes(sample, lambda text: _YEAR_OR_EPOCH.search(text) is not None), _DAY_BESIDE)


def _homes(sample: Sample, fits: Callable[[str], bool]) -> Iterator[int]:
    """The numbers of the visible elements in which a fitting piece of text stands directly."""
    outline = sample.layout.outline
    for slot, text in enumerate(outline.segments):
        if text and fits(text):
            home = int(outline.home[slot])
            if sample.layout.tags[home] not in INVISIBLE and sample.layout.tags[home] != "title":
                yield home


def _with_number(sample: Sample, homes: Iterator[int], number: re.Pattern[str]) -> list[int]:
    layout = sample.layout
    large = 0
    found: dict[int, None] = {}
    for home in dict.fromkeys(homes):
        for node in (home, *layout.ancestors(home)[:_CLIMB]):
            if layout.last[node] - layout.first[node] > SMALL:
                large += node == home
                if node != home or large > _LARGE:
                    break
            if number.search(text_of(layout.elements[node])):
                found[node] = None
                break
    return list(found)


def names_of(element: Element) -> tuple[str, ...]:
    """The selectors that would find an element again, those on it first."""
    return tuple(dict.fromkeys((*selectors_of(element), chain_of(element))))


def read_told(sample: Sample, text: str, languages: tuple[str, ...], element: int) -> list[Seen]:
    """The date a text tells from the day of fetching."""
    fetched = sample.view.fetched_at
    stamp = read_relative(text, fetched, languages) if fetched and len(text) <= SMALL * 4 else None
    if stamp is None:
        return []
    return [Seen(Spot(0, len(text), (Option(RELATIVE, stamp.day),), stamp.clock, stamp.offset), "", element)]


def read_all(values: Iterable[str], languages: tuple[str, ...], element: int | None = None) -> list[Seen]:
    """All dates in some texts."""
    seen: list[Seen] = []
    for value in values:
        stamp = read_machine(value)
        if stamp is not None and _is_bare(value):
            options = (Option(MACHINE, stamp.day),)
            seen.append(Seen(Spot(0, len(value), options, stamp.clock, stamp.offset), "", element))
            continue
        if _MAY_BE_DATE.search(value) is None:
            continue
        spots = scan(value, languages)
        prepared = prepare(value) if spots else ""
        seen.extend(Seen(spot, label_before(prepared, spot.start), element) for spot in spots)
    return seen


def _is_bare(value: str) -> bool:
    # A machine's date is the whole text; in a sentence the label before it matters.
    return len(value) < SMALL and (value[:1].isdigit() or value[:1].isspace())
