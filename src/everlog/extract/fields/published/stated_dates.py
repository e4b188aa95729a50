"""What pages say about their own date, where the feed has none or cannot be believed."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from everlog.dates.stamps import Stamp
from everlog.extract.fields.published.date_places import (
    Seen,
    Source,
    dated_elements,
    elements_with_years,
    head_dates,
    names_of,
    read_all,
)
from everlog.extract.fields.published.date_scores import Candidate, Target, distance_to_article
from everlog.extract.fields.published.meaning import CALLED_DATE, is_aside
from everlog.extract.fields.published_read import text_of

if TYPE_CHECKING:
    from datetime import date

    from everlog.extract.samples import Sample

# A source on fewer pages than this says nothing of the blog.
_COVERAGE = 0.5
# One day on all pages is believed of a place that is called a date, or when this share of the other
# kinds of sources name it too.
_AGREEMENT = 0.5
# Steps up the tree after which a date is no nearer to the article than any other.
_FAR = 12

_Table = Mapping[int, list[Seen]]


def stated_targets(samples: Sequence[Sample], languages: tuple[str, ...]) -> list[Target | None]:
    """The date of each page as the most trustworthy source of the blog states it; none where no source is."""
    tables: dict[Source, dict[int, list[Seen]]] = defaultdict(dict)
    for page, sample in enumerate(samples):
        for source, seen in _statements(sample, languages):
            tables[source].setdefault(page, seen)
    days = {source: _days(table) for source, table in tables.items()}
    known = _by_page(days)
    best = max(
        tables, key=lambda source: _trust(source, days[source], tables[source], samples, known), default=None
    )
    if best is None or _trust(best, days[best], tables[best], samples, known) <= 0:
        return [None] * len(samples)
    chosen = days[best]
    return [Target(Stamp(chosen[page]).moment()) if page in chosen else None for page in range(len(samples))]


def _statements(sample: Sample, languages: tuple[str, ...]) -> Iterator[tuple[Source, list[Seen]]]:
    yield from head_dates(sample, languages)
    layout = sample.layout
    for element, attribute in dated_elements(sample):
        seen = read_all([text_of(element, attribute)], languages, layout.outline.places.get(element, -1))
        if seen:
            for name in names_of(element):
                yield Source("time", name, attribute), seen
    for home in elements_with_years(sample):
        element = layout.elements[home]
        seen = read_all([text_of(element)], languages, home)
        if seen:
            for name in names_of(element):
                yield Source("selector", name), seen


def _days(table: _Table) -> dict[int, date]:
    """The first day on each page, in the format that fits the most pages."""
    fits = Counter(
        form for seen in table.values() for form in {option.format for option in seen[0].spot.options}
    )
    found = {}
    for page, seen in table.items():
        options = seen[0].spot.options
        # `max` keeps the first of equals: the order that is usual in the language.
        found[page] = max(options, key=lambda option: fits[option.format]).day
    return found


def _by_page(days: Mapping[Source, Mapping[int, date]]) -> dict[int, dict[str, set[date]]]:
    """Page -> kind of source -> days."""
    known: dict[int, dict[str, set[date]]] = defaultdict(lambda: defaultdict(set))
    for source, table in days.items():
        if Candidate(source, ()).meaning() > 0:
            for page, day in table.items():
                known[page][source.method].add(day)
    return known


def _trust(
    source: Source,
    days: Mapping[int, date],
    table: _Table,
    samples: Sequence[Sample],
    known: Mapping[int, Mapping[str, set[date]]],
) -> float:
    meaning = Candidate(source, ()).meaning()
    coverage = len(days) / len(samples)
    # Posts of one blog bear different dates; what bears one is the page's design or the day it was built.
    distinct = len(set(days.values())) / len(days)
    aside = sum(
        is_aside(samples[page], seen[0].element)
        for page, seen in table.items()
        if seen[0].element is not None
    )
    if meaning <= 0 or coverage < _COVERAGE or aside > len(table) / 2:
        return 0.0
    others = [
        day in kind_days
        for page, day in days.items()
        for kind, kind_days in known[page].items()
        if kind != source.method
    ]
    agreement = sum(others) / len(others) if others else 0.0
    if len(samples) > 2 and len(set(days.values())) < 2 and agreement < _AGREEMENT and meaning < CALLED_DATE:
        return 0.0
    far = sum(_steps(samples[page], seen[0]) for page, seen in table.items()) / len(table) / _FAR
    return 2 * coverage + distinct + agreement + meaning / 4 - min(far, 1.0)


def _steps(sample: Sample, one: Seen) -> int:
    return 0 if one.element is None else distance_to_article(sample, one.element)
