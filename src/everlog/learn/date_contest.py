"""The contest between the places where a page may keep its date, judged by the feed's own dates."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING, NamedTuple

from everlog.dates.stamps import Stamp
from everlog.learn.date_places import SMALL, Seen, Source, dated_elements, elements_near, head_dates, names_of, read_all
from everlog.read.published import MACHINE, text_of
from everlog.selectors import Finder

if TYPE_CHECKING:
    from everlog.learn.samples import Sample
    from everlog.tree import Element

# Pages offer a few selectors a date; beyond this many, the rest were seen on one page only.
_MOST_SELECTORS = 24
# Elements of one selector that are looked at: lists of comments and of other posts are longer.
_MOST_ELEMENTS = 12
_DAY = timedelta(days=1)

_PUBLISHED = re.compile(r"publish|pubdate|issued|posted|created")
_DATE = re.compile(r"date|time|datum|fecha|data\b|day")
_UPDATED = re.compile(r"modif|updat|revis|edited|lastmod|changed")
_ASIDE = re.compile(r"comment|reply|recent|related|sidebar|widget|foot|nav|archive|calendar|copyright|next|prev")
_UPDATE_WORDS = frozenset(
    "updated update modified edited revised aktualisiert actualizado modifié mis à jour обновлено изменено "
    "更新 更新于 更新日 修改 aggiornato atualizado güncellendi zaktualizowano".split()
)


class Target(NamedTuple):
    """When the feed says a post was published."""

    moment: datetime

    def hit(self, stamp: Stamp) -> int:
        """2 for the same day, 1 for a day beside it, 0 for any other.

        >>> from datetime import UTC
        >>> Target(datetime(2019, 3, 1, 23, tzinfo=UTC)).hit(Stamp(date(2019, 3, 2)))
        1
        """
        own = self.moment.date()
        apart = abs(stamp.day - own)
        if apart == _DAY and stamp.clock is not None and stamp.offset is not None:
            # The page tells the same moment at another offset.
            apart = abs(stamp.moment().astimezone(self.moment.tzinfo).date() - own)
        return 2 if not apart else int(apart == _DAY)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A source, how to pick among its dates, and how it did on the feed's pages."""

    source: Source
    formats: tuple[str, ...]
    last: bool = False
    label: str | None = None
    exact: int = 0
    near: int = 0
    wrong: int = 0
    minutes: int = 0
    crowd: float = 1.0
    distance: float = 0.0
    read: tuple[tuple[Stamp, datetime], ...] = ()

    @property
    def right(self) -> int:
        """Pages on which the date was found."""
        return self.exact + self.near

    def rank(self, pages: int) -> tuple[float, ...]:
        """What candidates are sorted by, the best first."""
        meaning = self.meaning()
        margin = (self.right - self.wrong) / pages - (0.25 if meaning <= 0 else 0.0)
        return (
            -round(margin, 3),
            -self.exact,
            -self.minutes,
            -meaning,
            self.label is not None,
            self.last,
            round(self.crowd, 2),
            self.distance,
        )

    def meaning(self) -> int:
        """How much the names around a date say that it is the one: 4 published ... 0 updated or aside.

        >>> Candidate(Source("meta", "article:modified_time"), ()).meaning()
        0
        """
        name = f"{self.source.where} {self.source.attribute}".lower()
        if _UPDATED.search(name) or _ASIDE.search(name) or self.label in _UPDATE_WORDS:
            return 0
        if _PUBLISHED.search(name):
            return 4
        if self.source.method == "url":
            # The day a draft was begun, where addresses are file names: behind any shown date.
            return 1
        return 3 if _DATE.search(name) else 2


def contest(samples: Sequence[Sample], targets: Sequence[Target | None], languages: tuple[str, ...]) -> list[Candidate]:
    """All candidates that were right at least once, the best first."""
    tables: dict[Source, dict[int, list[Seen]]] = defaultdict(dict)
    wanted: Counter[tuple[str, str]] = Counter()
    for page, (sample, target) in enumerate(zip(samples, targets, strict=True)):
        for source, seen in head_dates(sample, languages):
            tables[source][page] = seen
        if target is not None:
            wanted.update(set(_hit_selectors(sample, target, languages)))
    for source, table in _selected(samples, wanted, languages):
        tables[source] = table
    pages = sum(target is not None for target in targets)
    found = [c for source, table in tables.items() for c in _judged(source, table, samples, targets)]
    return sorted(found, key=lambda candidate: candidate.rank(pages))


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
        number = sample.layout.number.get(id(element), -1)
        if number < 0 or (number, attribute) not in known:
            read = read_all([text_of(element, attribute)], languages, number)
            if number < 0:
                seen.extend(read)
                continue
            known[number, attribute] = read
        seen.extend(known[number, attribute])
    return seen


def _judged(
    source: Source, table: Mapping[int, list[Seen]], samples: Sequence[Sample], targets: Sequence[Target | None]
) -> list[Candidate]:
    formats = _formats(table, targets)
    if not formats:
        return []
    labels = Counter(
        one.label
        for page, seen in table.items()
        if (target := targets[page]) is not None
        for one in seen
        if one.label and target.hit(_stamp(one, formats) or Stamp(date.min))
    )
    ways: list[tuple[bool, str | None]] = [(False, None), (True, None)]
    ways += [(False, label) for label, count in labels.most_common(2) if count > 1]
    judged = [_tally(source, formats, way, table, samples, targets) for way in ways]
    return [candidate for candidate in judged if candidate.right]


def _formats(table: Mapping[int, list[Seen]], targets: Sequence[Target | None]) -> tuple[str, ...]:
    votes: Counter[str] = Counter()
    for page, seen in table.items():
        target = targets[page]
        if target is not None:
            best = {o.format: hit for one in seen for o in one.spot.options if (hit := target.hit(Stamp(o.day)))}
            votes.update(best)
    kept: dict[str, None] = {}
    for form, _ in votes.most_common():
        # Of "day before month" and "month before day" one is right for the whole blog.
        if "MMM" in form or form == MACHINE or not any(_swapped(form) == other for other in kept):
            kept[form] = None
    return tuple(kept)


def _swapped(form: str) -> str:
    pattern, bar, locale = form.rpartition("|")
    return pattern.translate(str.maketrans("dM", "Md")) + bar + locale


def _stamp(one: Seen, formats: tuple[str, ...]) -> Stamp | None:
    options = {option.format: option for option in reversed(one.spot.options)}
    return next((one.spot.stamp(options[form]) for form in formats if form in options), None)


def _tally(
    source: Source,
    formats: tuple[str, ...],
    way: tuple[bool, str | None],
    table: Mapping[int, list[Seen]],
    samples: Sequence[Sample],
    targets: Sequence[Target | None],
) -> Candidate:
    last, label = way
    hits: Counter[int] = Counter()
    pairs: list[tuple[Stamp, datetime]] = []
    minutes = crowd = distance = 0
    for page, seen in table.items():
        target = targets[page]
        read = [(one, stamp) for one in seen if (label is None or one.label == label) and (stamp := _stamp(one, formats))]
        if target is None or not read:
            continue
        one, stamp = read[-1 if last else 0]
        hit = target.hit(stamp)
        hits[hit] += 1
        pairs.append((stamp, target.moment))
        crowd += len(read)
        minutes += bool(hit and stamp.clock)
        if hit and one.element is not None:
            distance += _distance(samples[page], one.element)
    total = sum(hits.values())
    return Candidate(
        source, formats, last=last, label=label, exact=hits[2], near=hits[1], wrong=hits[0], minutes=minutes,
        crowd=crowd / max(total, 1), distance=distance / max(hits[1] + hits[2], 1),
        read=tuple(pairs),
    )  # fmt: skip


def _distance(sample: Sample, element: int) -> int:
    """Steps up from a date to what it shares with the article."""
    article = sample.article
    if article is None or element < 0:
        return 0
    layout = sample.layout
    steps = 0
    while element >= 0 and not element <= article < layout.stop[element]:
        element = int(layout.parent[element])
        steps += 1
    while article is not None and article > element >= 0:
        article = int(layout.parent[article])
        steps += 1
    return steps
