"""Selection of the places where a page keeps its date, scored by the feed's own dates."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING

from everlog.core.selectors import Finder
from everlog.dates.stamps import Stamp
from everlog.dates.targets import targets as dates
from everlog.extract.fields.published.date_places import (
    SMALL,
    Seen,
    Source,
    dated_elements,
    elements_near,
    elements_telling,
    head_dates,
    names_of,
    read_all,
    read_told,
)
from everlog.extract.fields.published.date_scores import Candidate, Target, score_places
from everlog.extract.fields.published_read import text_of
from everlog.extract.fields.small_texts_blogforever import places_by_likeness

if TYPE_CHECKING:
    from collections.abc import Sequence

    from everlog.core.tree import Element
    from everlog.extract.samples import Sample

# Pages searched for texts like the date, where no page shows it in numbers: a hundred texts each.
_PAGES_BY_LIKENESS = 3
# Pages offer a few selectors a date; beyond this many, the rest were seen on one page only.
_MOST_SELECTORS = 24
# Elements of one selector that are looked at: lists of comments and of other posts are longer.
_MOST_ELEMENTS = 12


def rank_places(
    samples: Sequence[Sample], targets: Sequence[Target | None], languages: tuple[str, ...],
    *, by_likeness: bool = False,
) -> tuple[list[Candidate], set[Source]]:
    """All candidates that were right at least once, the best first, and all sources the pages have.

    `by_likeness` also tries places that look like the date where none shows it in numbers.
    """
    tables: dict[Source, dict[int, list[Seen]]] = defaultdict(dict)
    wanted: Counter[tuple[str, str]] = Counter()
    for page, (sample, target) in enumerate(zip(samples, targets, strict=True)):
        for source, seen in head_dates(sample, languages):
            tables[source][page] = seen
        if target is not None:
            wanted.update(dict.fromkeys(_hit_selectors(sample, target, languages), 1))
    if by_likeness and not wanted and not tables:
        few = targets[:_PAGES_BY_LIKENESS]
        shown = [list(dates(target.moment, languages)) if target is not None else [] for target in few]
        wanted.update({(where, ""): 1 for where in places_by_likeness(samples[:_PAGES_BY_LIKENESS], shown)})
    has_time = any(next(sample.view.root.iter("time"), None) is not None for sample in samples)
    present = set(tables) | ({Source("time", "time", "datetime")} if has_time else set())
    tables.update(_selected(samples, wanted, languages))
    pages = sum(target is not None for target in targets)
    found = [c for source, table in tables.items() for c in score_places(source, table, samples, targets)]
    return sorted(found, key=lambda candidate: candidate.rank(pages)), present | set(tables)


def _hit_selectors(sample: Sample, target: Target, languages: tuple[str, ...]) -> list[tuple[str, str]]:
    """Selectors and attributes of the elements that show the target's date."""
    found: list[tuple[str, str]] = []
    for element, attribute in dated_elements(sample):
        if _hits(read_all([text_of(element, attribute)], languages), target):
            found.extend((name, attribute) for name in names_of(element))
    for home in elements_near(sample, target.moment.date()):
        element = sample.layout.elements[home]
        if _hits(read_all([text_of(element)], languages), target):
            found.extend((name, "") for name in names_of(element))
            above = int(sample.layout.parent[home])
            if above >= 0 and sample.layout.last[above] - sample.layout.first[above] <= SMALL:
                found.extend((name, "") for name in names_of(sample.layout.elements[above]))
    if not found:
        for home in elements_telling(sample, target.moment, languages):
            found.extend((name, "") for name in names_of(sample.layout.elements[home]))
    return found


def _hits(seen: Sequence[Seen], target: Target) -> bool:
    return any(target.hit(Stamp(option.day)) for one in seen for option in one.spot.options)


def _selected(
    samples: Sequence[Sample], wanted: Counter[tuple[str, str]], languages: tuple[str, ...]
) -> list[tuple[Source, dict[int, list[Seen]]]]:
    kept = [key for key, _ in wanted.most_common(_MOST_SELECTORS)]
    finder = Finder(selector for selector, _ in kept)
    tables: dict[tuple[str, str], dict[int, list[Seen]]] = {key: {} for key in kept}
    for page, sample in enumerate(samples):
        found = finder.find(sample.view.root)
        known: dict[tuple[int, str], list[Seen]] = {}
        for selector, attribute in kept:
            seen = _seen_in(found[selector][:_MOST_ELEMENTS], attribute, sample, known, languages)
            if seen:
                tables[selector, attribute][page] = seen
    return [(Source("time" if key[1] else "selector", *key), table) for key, table in tables.items()]


def _seen_in(
    elements: Sequence[Element],
    attribute: str,
    sample: Sample,
    known: dict[tuple[int, str], list[Seen]],
    languages: tuple[str, ...],
) -> list[Seen]:
    seen: list[Seen] = []
    for element in elements:
        # The lists of elements live as long as `known` does, so the identity stays theirs.
        key = id(element), attribute
        if key not in known:
            number = sample.layout.outline.places.get(element, -1)
            text = text_of(element, attribute)
            known[key] = read_all([text], languages, number) or read_told(sample, text, languages, number)
        seen.extend(known[key])
    return seen
