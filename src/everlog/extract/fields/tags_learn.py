"""Where a blog's posts show their tags, learned from the tags in its feed.

A tag is also a word of the text and of the sidebar. So a place counts by all that it shows: it
must hold the tags of the post and nothing else, on all pages of the feed. Categories and tags
often stand apart; the answer is the union of the few places that make it better.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from everlog.core.rules import Ranked, Rule
from everlog.core.words import comparable
from everlog.extract.fields.small_texts_learn import Places, names_of, repeated, views_for, without_twins
from everlog.extract.fields.small_texts_read import short_text
from everlog.extract.fields.tags_labelled import labelled_candidates
from everlog.extract.fields.tags_read import MAX_TAGS, link_shape, linked, tagged_elements, tags_by
from everlog.extract.fields.tags_slugs_learn import slug_rules
from everlog.extract.fields.tags_standard import (
    NAMED,
    plain_tag,
    rank_standard,
    standard_candidates,
    standing_by,
    tag_strength,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from everlog.core.tree import Element
    from everlog.extract.samples import Sample
    from everlog.markup.view import View

# Allowed eight, none of 82 blogs used more than four: categories, tags, a series, a section.
MAX_SOURCES = 4
# What a further place must add to the mean F1. Less is chance on ten pages, unless all that the
# place shows are tags of the feed.
MIN_GAIN = 0.01
MIN_SURE_GAIN = 0.001
SURE_PRECISION = 0.95
# Share of tags among what a place shows: words of the text and headings stay below.
MIN_PRECISION = 0.8
# Places called after tags may show some that the feed leaves out.
MIN_NAMED_PRECISION = 0.3
# Selectors whose variants are tried, and places that compete for the union. Five and 24 cost 0.2
# points of F1 and save no time that can be measured.
TRIED = 8
COMPETING = 100

# A place with more elements than this for each tag is a menu, and costs more to read than it is worth.
MAX_EXCESS = 16

# What a rule's detail says where an element's text is not one tag.
_READ_APART = ("split", "label", "value")

_Set = frozenset[str]
_NOTHING: _Set = frozenset(("",))


@dataclass(frozen=True, slots=True)
class _Source:
    """A place, what it reads on each page, and how close that is to the feed."""

    rule: Rule
    read: tuple[_Set, ...]
    score: float
    precision: float


def learn_tags(samples: Sequence[Sample]) -> Ranked:
    """Rules for the tags; the tags of a post are the union of what they read."""
    rules = tag_candidates(Places(samples))
    return rank_tags(samples, rules, views_for(samples, rules))


def tag_candidates(places: Places) -> list[Rule]:
    """All rules that show a tag of the feed on two of its pages at least."""
    tags = {page: found for page, s in enumerate(places.samples) if (found := _spelled(s))}
    if not tags:
        return standard_candidates(places.samples)
    return [
        *_selector_rules(places, tags),
        *_list_rules(places, tags),
        *_said_rules(places.samples, tags),
        *slug_rules(places, tags),
        *labelled_candidates(places.samples),
        *_constant_rules(tags),
    ]


def rank_tags(samples: Sequence[Sample], rules: Sequence[Rule], views: Sequence[View]) -> Ranked:
    """The few candidates whose union is closest to the feed's tags, and what may stand by."""
    wanted = [frozenset(_spelled(sample)) for sample in samples]
    if not any(wanted):
        return rank_standard(rules, views)
    rules = without_twins(sorted(rules, key=tag_strength, reverse=True), views, kept=1)
    classifier = _Judge(wanted, views)
    sources = classifier.sources(rules)
    sources = _best_first([*sources, *classifier.sources(_variants(sources, classifier))])
    chosen, read = _choose(sources[:COMPETING], wanted)
    return (*(source.rule for source in chosen), *standing_by(views, wanted, read))


def _spelled(sample: Sample) -> dict[str, str]:
    """The tags of an entry by their comparable form."""
    return {plain: tag for tag in sample.entry.tags if (plain := comparable(tag))}


def _selector_rules(places: Places, tags: Mapping[int, Mapping[str, str]]) -> Iterator[Rule]:
    seen: Counter[str] = Counter()
    for page, wanted in tags.items():
        seen.update({name: 1 for tag in wanted for place in places.of(page, tag) for name in names_of(place)})
    yield from (Rule(method="selector", where=name) for name in repeated(seen, len(tags)))


def _list_rules(places: Places, tags: Mapping[int, Mapping[str, str]]) -> Iterator[Rule]:
    """Rules for elements that list several tags in one text."""
    seen: Counter[str] = Counter()
    for page, wanted in tags.items():
        first, *others = sorted(wanted, key=len, reverse=True)
        # Where each tag has an element of its own, no text need be split.
        if others and not all(places.of(page, tag) for tag in wanted):
            spare = sum(tag.count(" ") + 1 for tag in others) + 3
            for place, shown in places.holding(page, first, spare):
                text = f" {comparable(shown)} "
                if all(f" {tag} " in text for tag in others):
                    seen.update(names_of(place))
    for name in repeated(seen, len(tags)):
        yield Rule(method="selector", where=name, detail={"split": "yes"})


def _said_rules(samples: Sequence[Sample], tags: Mapping[int, Mapping[str, str]]) -> Iterator[Rule]:
    """Rules for meta elements and JSON-LD, and for folders of the address."""
    names: dict[str, None] = {}
    for page, wanted in tags.items():
        for name, values in samples[page].view.meta.items():
            text = f" {comparable(' '.join(values))} "
            if any(f" {tag} " in text for tag in wanted):
                names[name] = None
    said = [("meta", name) for name in names] + [("json-ld", "keywords"), ("json-ld", "articleSection")]
    for method, where in said:
        yield Rule(method=method, where=where)
        yield Rule(method=method, where=where, detail={"split": "yes"})
    yield from (Rule(method="url", where=str(place)) for place in range(3))


def _constant_rules(tags: Mapping[int, Mapping[str, str]]) -> Iterator[Rule]:
    """Tags that the feed gives every post, such as the name of the section it comes from."""
    counts = Counter(tag for wanted in tags.values() for tag in wanted)
    spelled = {plain: tag for wanted in tags.values() for plain, tag in wanted.items()}
    yield from (
        Rule(method="feed-constant", where=spelled[tag])
        for tag, pages in counts.items()
        if pages == len(tags) and pages > 2
    )


class _Judge:
    """Reads the sample pages with many rules; what an element shows is looked up once."""

    def __init__(self, wanted: Sequence[_Set], views: Sequence[View]) -> None:
        self.wanted = wanted
        self.views = views
        self._shown: dict[Element, str] = {}
        self._fewest = 2 if _are_many(wanted) else 1

    def sources(self, rules: Sequence[Rule]) -> list[_Source]:
        """What each rule reads, if some of it are tags; the best first."""
        sources = []
        most = MAX_EXCESS * sum(map(len, self.wanted))
        for rule in rules:
            if rule.method == "selector" and sum(len(view.found[rule.where]) for view in self.views) > most:
                continue
            read = tuple(self._read(view, rule) for view in self.views)
            shown = sum(map(len, read))
            hits = [len(a & b) for a, b in zip(self.wanted, read, strict=True)]
            right = sum(hits)
            # See `repeated`: what is right on one page of many was chosen for that page.
            if sum(map(bool, hits)) >= self._fewest:
                score = _mean_f1(read, self.wanted)
                sources.append(_Source(replace(rule, confidence=round(score, 3)), read, score, right / shown))
        return _best_first(sources)

    def shown(self, element: Element) -> str:
        """The tag that an element shows, or nothing."""
        text = self._shown.get(element)
        if text is None:
            text = self._shown[element] = plain_tag(short_text(element))
        return text

    def _read(self, view: View, rule: Rule) -> _Set:
        if rule.method == "selector" and rule.detail.keys().isdisjoint(_READ_APART):
            elements = tagged_elements(view, rule)
            if len(elements) > MAX_TAGS:
                return frozenset()
            return frozenset(map(self.shown, elements)) - _NOTHING
        return frozenset(map(comparable, tags_by(view, rule))) - _NOTHING


def _variants(sources: Sequence[_Source], classifier: _Judge) -> list[Rule]:
    """The best selectors again: only the first list, only what is near, only links of one kind of address."""
    unsure = [s.rule for s in sources if s.rule.method == "selector" and s.precision < 1]
    variants = []
    for rule in [rule for rule in unsure if not rule.detail][:TRIED]:
        shapes, pages = Counter[str](), Counter[str]()
        for tags, view in zip(classifier.wanted, classifier.views, strict=True):
            right = (element for element in view.found[rule.where] if classifier.shown(element) in tags)
            found = Counter(link_shape(linked(element)) for element in right)
            shapes.update(found)
            pages.update(found.keys())
        details = [{"near": "yes"}, {"pick": "first"}]
        for shape, _ in shapes.most_common(1):
            if shape and pages[shape] > 1:
                details += [{"shape": shape}, {"near": "yes", "shape": shape}]
        variants += [replace(rule, detail=detail) for detail in details]
    return variants


def _are_many(wanted: Sequence[_Set]) -> bool:
    """Whether enough pages have tags to leave one out."""
    return sum(map(bool, wanted)) > 2


def _best_first(sources: Sequence[_Source]) -> list[_Source]:
    return sorted(sources, key=lambda s: (round(s.score, 3), tag_strength(s.rule)), reverse=True)


def _mean_f1(read: Sequence[_Set], wanted: Sequence[_Set]) -> float:
    return sum(map(f1, wanted, read)) / len(wanted)


def f1(wanted: _Set, got: _Set) -> float:
    """Twice the shared tags over all tags, in [0, 1]; nothing wanted and nothing got is right.

    >>> round(f1(frozenset("ab"), frozenset("bcd")), 2)
    0.4
    """
    total = len(wanted) + len(got)
    return 2 * len(wanted & got) / total if total else 1.0


def _choose(sources: Sequence[_Source], wanted: Sequence[_Set]) -> tuple[list[_Source], tuple[_Set, ...]]:
    """The places whose union is closest to the feed, each adding to those before it; and that union.

    A place must also add something without the page on which it adds most: left out, that page
    would otherwise not have chosen the place it is judged by.
    """
    chosen: list[_Source] = []
    union: tuple[_Set, ...] = tuple(frozenset() for _ in wanted)
    many = _are_many(wanted)
    while len(chosen) < MAX_SOURCES:
        best = None
        for source in sources:
            least = MIN_NAMED_PRECISION if tag_strength(source.rule) >= NAMED else MIN_PRECISION
            if source.precision < least:
                continue
            joined = tuple(map(frozenset.union, union, source.read))
            gains = [f1(tags, now) - f1(tags, old) for tags, now, old in zip(wanted, joined, union, strict=True)]
            gain = sum(gains) / len(gains)
            if many and gain * len(gains) - max(gains) < 1e-9:
                continue
            enough = MIN_SURE_GAIN if source.precision >= SURE_PRECISION else MIN_GAIN
            if gain > enough and (best is None or gain > best[0] + 1e-9):
                best = gain, source, joined
        if best is None:
            break
        chosen.append(best[1])
        union = best[2]
    return chosen, union
