"""Scores of date places: how well each did on the feed's own pages, and what candidates are ranked by."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING, NamedTuple

from everlog.dates.stamps import Stamp
from everlog.extract.fields.published.date_places import SMALL, Seen, Source
from everlog.extract.fields.published.meaning import OF_SOMETHING_ELSE, is_aside, meaning_of
from everlog.extract.fields.published_read import MACHINE

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from everlog.extract.samples import Sample

# A place that is about something else must be right on a quarter more of the pages to be believed.
_DOUBT = 0.25
# Where all else is equal: what is written for programs needs no language.
_METHODS = ("meta", "json-ld", "time", "selector", "url")
_DAY = timedelta(days=1)


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
    aside: int = 0
    crowd: float = 1.0
    size: float = 0.0
    distance: float = 0.0
    read: tuple[tuple[Stamp, datetime], ...] = ()

    @property
    def right(self) -> int:
        """Pages on which the date was found."""
        return self.exact + self.near

    def proved(self, pages: int) -> float:
        """The share of pages on which the date was found, as the other pages would have found it.

        A place that is right on one page alone was proposed by that page: without it, nobody would ask there.
        """
        return self.right / pages if self.right > 1 or pages < 3 else 0.0

    def rank(self, pages: int) -> tuple[float, ...]:
        """What candidates are sorted by, the best first."""
        meaning = self.meaning()
        margin = (self.right - self.wrong) / pages - (_DOUBT if meaning == OF_SOMETHING_ELSE else 0.0)
        return (
            -round(margin, 3),
            -self.exact,
            -self.minutes,
            self.size > SMALL,
            -meaning,
            _METHODS.index(self.source.method),
            self.label is not None,
            self.last,
            round(self.crowd, 2),
            round(self.size),
            self.distance,
        )

    def meaning(self) -> int:
        """How much the names around its dates say that they are the posts' own.

        >>> Candidate(Source("meta", "article:modified_time"), ()).meaning()
        0
        """
        if self.aside > self.right / 2:
            return OF_SOMETHING_ELSE
        return meaning_of(self.source.method, f"{self.source.where} {self.source.attribute}", self.label)


class _Way(NamedTuple):
    """Which of the dates at a place is meant."""

    last: bool = False
    label: str | None = None


def score_places(
    source: Source,
    table: Mapping[int, list[Seen]],
    samples: Sequence[Sample],
    targets: Sequence[Target | None],
) -> list[Candidate]:
    """The candidates of one source: first date, last date, or the one after a certain word."""
    voters = _voters(table, targets)
    formats = _formats(voters)
    if not formats:
        return []
    labels: Counter[str] = Counter()
    for page, seen in table.items():
        if (target := targets[page]) is not None:
            hits = (one.label for one in seen if target.hit(_stamp(one, formats) or Stamp(date.min)))
            labels.update({label: 1 for label in hits if label})
    ways = [_Way(), _Way(last=True)]
    ways += [_Way(label=label) for label, count in labels.most_common(2) if count > 1]
    own = _formats_of_one_page(voters)
    told = _Told(source=source, formats=formats, own=own if _are_many(targets) else {}, table=table)
    judged = [_tally(told, way, samples, targets) for way in ways]
    return [candidate for candidate in judged if candidate.right]


class _Told(NamedTuple):
    """All that a source tells: its dates by page, the formats they have, and those of single pages."""

    source: Source
    formats: tuple[str, ...]
    own: Mapping[int, frozenset[str]]
    table: Mapping[int, list[Seen]]


def _are_many(targets: Sequence[Target | None]) -> bool:
    """Whether enough pages have a date to leave one out."""
    return sum(target is not None for target in targets) > 2


def _voters(table: Mapping[int, list[Seen]], targets: Sequence[Target | None]) -> dict[str, list[int]]:
    """The pages whose date each format reads right."""
    voters: dict[str, list[int]] = {}
    for page, seen in table.items():
        target = targets[page]
        if target is not None:
            for form in {o.format: 1 for one in seen for o in one.spot.options if target.hit(Stamp(o.day))}:
                voters.setdefault(form, []).append(page)
    return voters


def _formats_of_one_page(voters: Mapping[str, Sequence[int]]) -> dict[int, frozenset[str]]:
    """The formats that only one page proposes: it must be judged without them."""
    own: dict[int, set[str]] = {}
    for form, pages in voters.items():
        # What is written for programs is read without having been learned.
        if len(pages) == 1 and form != MACHINE:
            own.setdefault(pages[0], set()).add(form)
    return {page: frozenset(forms) for page, forms in own.items()}


def _formats(voters: Mapping[str, Sequence[int]]) -> tuple[str, ...]:
    kept: dict[str, None] = {}
    for form, _ in sorted(voters.items(), key=lambda item: -len(item[1])):
        # Of "day before month" and "month before day" one is right for the whole blog.
        if "MMM" in form or form == MACHINE or not any(_swapped(form) == other for other in kept):
            kept[form] = None
    return tuple(kept)


def _swapped(form: str) -> str:
    pattern, bar, locale = form.rpartition("|")
    return pattern.translate(str.maketrans("dM", "Md")) + bar + locale


def _stamp(one: Seen, formats: tuple[str, ...], without: frozenset[str] = frozenset()) -> Stamp | None:
    options = {option.format: option for option in reversed(one.spot.options)}
    usable = (form for form in formats if form in options and form not in without)
    return next((one.spot.stamp(options[form]) for form in usable), None)


@dataclass(slots=True)
class _Tally:
    """What a way of picking gave, page by page."""

    hits: Counter[int] = field(default_factory=Counter)
    pairs: list[tuple[Stamp, datetime]] = field(default_factory=list)
    minutes: int = 0
    crowd: int = 0
    aside: int = 0
    size: int = 0
    distance: int = 0

    def add(self, sample: Sample, one: Seen, stamp: Stamp, target: Target) -> None:
        hit = target.hit(stamp)
        self.hits[hit] += 1
        self.pairs.append((stamp, target.moment))
        self.minutes += bool(hit and stamp.clock)
        if hit and one.element is not None:
            self.distance += distance_to_article(sample, one.element)
            self.aside += is_aside(sample, one.element)
            self.size += _words(sample, one.element)

    def candidate(self, source: Source, formats: tuple[str, ...], way: _Way) -> Candidate:
        right = self.hits[1] + self.hits[2]
        return Candidate(
            source,
            formats,
            last=way.last,
            label=way.label,
            exact=self.hits[2],
            near=self.hits[1],
            wrong=self.hits[0],
            minutes=self.minutes,
            aside=self.aside,
            crowd=self.crowd / max(right + self.hits[0], 1),
            size=0 if source.attribute else self.size / max(right, 1),
            distance=self.distance / max(right, 1),
            read=tuple(self.pairs),
        )


def _tally(told: _Told, way: _Way, samples: Sequence[Sample], targets: Sequence[Target | None]) -> Candidate:
    """How one way of picking did on each page, with the formats that other pages propose too."""
    tally = _Tally()
    for page, seen in told.table.items():
        target = targets[page]
        without = told.own.get(page, frozenset())
        meant = (one for one in seen if way.label is None or one.label == way.label)
        read = [(one, stamp) for one in meant if (stamp := _stamp(one, told.formats, without))]
        if target is not None and read:
            tally.crowd += len(read)
            tally.add(samples[page], *read[-1 if way.last else 0], target)
    return tally.candidate(told.source, told.formats, way)


def _words(sample: Sample, element: int) -> int:
    layout = sample.layout
    return int(layout.last[element] - layout.first[element]) if element >= 0 else 0


def distance_to_article(sample: Sample, element: int) -> int:
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
