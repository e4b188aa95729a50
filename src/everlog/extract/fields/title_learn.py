"""Where a blog's posts show their title, learned from the titles in its feed.

Headings, metadata and `<title>` compete on the feed's own pages; those that lost stay as
fall-backs in the order of their success.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from html import unescape
from typing import TYPE_CHECKING

from everlog.core.rules import Ranked, Rule
from everlog.core.selectors import selectors_of
from everlog.core.tree import Element, parse_fragment, visible_text
from everlog.core.words import comparable, fold, squeeze
from everlog.extract.fields.small_texts_learn import Places, names_of, repeated, views_for, without_twins
from everlog.extract.fields.small_texts_read import short_text
from everlog.extract.fields.title_read import title_by

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from everlog.extract.samples import Sample
    from everlog.markup.view import View

# Rules kept. The first read all of 1,375 posts that any rule reads; the others are for pages of
# another design than the feed's.
KEPT_RULES = 8
# A rule must be right more often than wrong to be of use as a fall-back.
MIN_PRECISION = 0.5
# Words beside the title inside a heading: a badge, a date, a count of comments. More is a teaser.
SPARE_WORDS = 8
# A second form of `<title>` is worth a rule of its own from this many pages on.
MIN_AFFIX_PAGES = 2
MAX_AFFIXES = 3

_JSON_KEYS = ("headline", "name", "alternativeHeadline")
_HEADINGS = frozenset(("h1", "h2", "h3", "h4"))
_TITLE_NAME = re.compile(r"title|headline|heading|p-name", re.IGNORECASE)
_SPOKEN = re.compile(r"\w+")


def learn_titles(samples: Sequence[Sample]) -> Ranked:
    """Rules for the title, the best first."""
    rules = title_candidates(Places(samples))
    return rank_titles(samples, rules, views_for(samples, rules))


def title_candidates(places: Places) -> list[Rule]:
    """All rules that show the feed's title on two of its pages at least."""
    titles = {page: title for page, s in enumerate(places.samples) if (title := entry_title(s.entry.title))}
    return [*_selector_rules(places, titles), *_said_rules(places.samples, titles)]


def rank_titles(samples: Sequence[Sample], rules: Sequence[Rule], views: Sequence[View]) -> Ranked:
    """The candidates that are mostly right on the feed's own pages, the best first."""
    titles = [comparable(entry_title(sample.entry.title)) for sample in samples]
    if not any(titles):
        return ()
    rules = [rule for rule in rules if "pick" not in rule.detail or _has_several(rule, views)]
    rules = without_twins(sorted(rules, key=_prior, reverse=True), views)
    judged = [_judge(rule, titles, views) for rule in rules]
    # The order of before breaks ties: names that mean a title come first.
    judged = sorted((pair for pair in judged if pair[0] > 0), key=lambda pair: pair[0], reverse=True)
    ranked = [rule for _, rule in judged[:KEPT_RULES]]
    untitled = [view for title, view in zip(titles, views, strict=True) if not title]
    if not untitled:
        return (*ranked, Rule(method="head-title", detail={"loose": "yes"}))
    # Where the feed shows posts without a title, a rule that finds one there finds rubbish.
    return tuple(rule for rule in ranked if not any(title_by(view, rule) for view in untitled))


def _has_several(rule: Rule, views: Sequence[View]) -> bool:
    return any(len(view.found[rule.where]) > 1 for view in views)


def entry_title(raw: str | None) -> str:
    """The title of an entry without the markup that some feeds leave in it.

    >>> entry_title("Rain &amp; <em>snow</em>")
    'Rain & snow'
    """
    if not raw:
        return ""
    if "<" in raw and re.search(r"</?[a-z][^<>]*>", raw, re.IGNORECASE):
        return squeeze(visible_text(parse_fragment(raw)))
    return squeeze(unescape(raw))


def _selector_rules(places: Places, titles: Mapping[int, str]) -> Iterator[Rule]:
    """Rules for the elements that show the title, and for headings that show it among other words."""
    seen: Counter[str] = Counter()
    for page, title in titles.items():
        seen.update({name: 1 for place in places.of(page, title) for name in names_of(place)})
    for name in repeated(seen, len(titles)):
        yield Rule(method="selector", where=name)
        yield Rule(method="selector", where=name, detail={"pick": "nearest"})
    if max(seen.values(), default=0) < len(titles):
        yield from _crowded_rules(places, titles)


def _crowded_rules(places: Places, titles: Mapping[int, str]) -> Iterator[Rule]:
    """Rules for headings with a badge, a count or an edit link beside the title."""
    cuts: Counter[tuple[str, str]] = Counter()
    affixes: Counter[tuple[str, tuple[str, str]]] = Counter()
    for page, title in titles.items():
        crowded = [
            (name, place, affix(shown, title))
            for place, shown in places.holding(page, title, SPARE_WORDS, _is_heading)
            for name in names_of(place)
        ]
        affixes.update({(name, around): 1 for name, _, around in crowded})
        found = ((name, cut) for name, place, _ in crowded for child in place for cut in _names_beside(child, title))
        cuts.update(dict.fromkeys(found, 1))
    beside: dict[str, list[str]] = {}
    for name, cut in repeated(cuts, len(titles)):
        beside.setdefault(name, []).append(cut)
    for name, known in beside.items():
        yield Rule(method="selector", where=name, detail={"cut": "\n".join(sorted(known))})
    around: dict[str, tuple[str, str]] = {}
    common = set(repeated(affixes, len(titles)))
    for (name, pair), _ in affixes.most_common():
        if (name, pair) in common:
            around.setdefault(name, pair)
    for name, (prefix, suffix) in around.items():
        if prefix or suffix:
            yield Rule(method="selector", where=name, detail={"prefix": prefix, "suffix": suffix})


def _is_heading(element: Element) -> bool:
    named = f"{element.get('class', '')} {element.get('id', '')}"
    return element.tag in _HEADINGS or _TITLE_NAME.search(named) is not None


def _names_beside(child: Element, title: str) -> tuple[str, ...]:
    """What to call a child of a heading that shows none of the title."""
    shown = comparable(short_text(child))
    if not shown or f" {shown} " in f" {comparable(title)} ":
        return ()
    return selectors_of(child)[-1:] or (str(child.tag),)


def _said_rules(samples: Sequence[Sample], titles: Mapping[int, str]) -> Iterator[Rule]:
    """Rules for what the page says of itself: meta elements, JSON-LD, `<title>`."""
    said: dict[tuple[str, str], Counter[tuple[str, str]]] = {}
    for page, title in titles.items():
        target = f" {comparable(title)} "
        for source, shown in _said(samples[page].view):
            if target in f" {comparable(shown)} ":
                said.setdefault(source, Counter()).update([affix(shown, title)])
    for (method, where), affixes in said.items():
        for (prefix, suffix), pages in affixes.most_common(MAX_AFFIXES):
            if pages >= MIN_AFFIX_PAGES or len(titles) < 3:
                yield Rule(method=method, where=where, detail=_without_empty(prefix=prefix, suffix=suffix))


def _said(view: View) -> Iterator[tuple[tuple[str, str], str]]:
    for name, values in view.meta.items():
        yield ("meta", name), squeeze(values[0])
    for node in view.json_ld[:1]:
        for name in _JSON_KEYS:
            if isinstance(node.get(name), str):
                yield ("json-ld", name), squeeze(unescape(node[name]))
    yield ("head-title", ""), view.head_title


def _without_empty(**detail: str) -> dict[str, str]:
    return {key: value for key, value in detail.items() if value}


def affix(shown: str, title: str) -> tuple[str, str]:
    """What stands before and after a title.

    >>> affix("Blog » Rain, again | 2007", "Rain, again")
    ('Blog » ', ' | 2007')
    >>> affix("It’s late? - Blog", "It's late?")
    ('', ' - Blog')
    """
    start = shown.find(title)
    if start >= 0:
        return shown[:start], shown[start + len(title) :]
    spans = [(match.start(), match.end(), fold(match[0])) for match in _SPOKEN.finditer(shown)]
    wanted = [fold(match[0]) for match in _SPOKEN.finditer(title)]
    for i in range(len(spans) - len(wanted) + 1):
        if [word for _, _, word in spans[i : i + len(wanted)]] == wanted:
            first, last = spans[i][0], spans[i + len(wanted) - 1][1]
            # Quotes and marks that belong to the title are spelled differently here.
            before, after = re.match(r"[^\s\w]*", title), re.search(r"[^\s\w]*$", title)
            first -= len(before[0]) if before else 0
            last += len(after[0]) if after else 0
            return shown[: max(first, 0)], shown[last:]
    return "", ""


def _judge(rule: Rule, titles: Sequence[str], views: Sequence[View]) -> tuple[float, Rule]:
    """What a rule is ranked by, and the rule with its share of right titles.

    A wrong title costs as much as a right one gains: where a rule is silent the next one speaks.
    """
    right = wrong = 0
    for title, view in zip(titles, views, strict=True):
        shown = title_by(view, rule)
        if shown is not None:
            right += comparable(shown) == title
            wrong += comparable(shown) != title
    titled = sum(map(bool, titles))
    if right < (wrong + right) * MIN_PRECISION or right < 2 < titled:
        return 0.0, rule
    return (right - wrong / 2) / titled, replace(rule, confidence=right / titled)


def _prior(rule: Rule) -> float:
    """Of rules with the same success the one that will hold on older pages: names that mean it."""
    if rule.method == "selector":
        name = rule.where.rsplit(">", 1)[-1]
        plain = 0.0 if "pick" in rule.detail or "cut" in rule.detail else 0.1
        if _TITLE_NAME.search(name):
            return 5 + plain
        return (4 if name.startswith("h1") else 3 if name[:2] in _HEADINGS else 1) + plain
    if rule.method == "meta":
        return 3.5 if rule.where == "og:title" else 2.5
    return 3.2 if rule.method == "json-ld" else 2.2
