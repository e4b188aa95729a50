"""Where a blog's posts name their authors, learned from the names in its feed and on its pages.

A name stands in many places of a page, so a place must agree with the feed on the feed's own
pages *and* be called after what it holds. Many blogs name nobody on their pages while the feed
always names the same person: then that name is the answer.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

from everlog.core.rules import Ranked, Rule
from everlog.core.words import comparable
from everlog.extract.fields.authors_read import MAX_NAME_LENGTH, as_name, authors_by
from everlog.extract.fields.authors_stated import AUTHOR_PATH, JSON_KEYS, STRONG, rank_stated, stated_candidates
from everlog.extract.fields.small_texts_blogforever import places_by_likeness
from everlog.extract.fields.small_texts_learn import Places, names_of, repeated, views_for, without_twins
from everlog.extract.fields.title_learn import affix

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from everlog.extract.samples import Sample
    from everlog.markup.view import View
    from everlog.records import Feed

KEPT_RULES = 6
# Words around a name in a byline: "Posted by", a date, a category. More is a sentence.
SPARE_WORDS = 8
# Below this share of right names a place is about something else.
MIN_SHARE = 0.5
# Below this share of right names among those read, the blog's most frequent author is as good.
MIN_PRECISION = 0.75


def learn_authors(samples: Sequence[Sample], feed: Feed) -> Ranked:
    """Rules for the authors, the best first."""
    rules = author_candidates(Places(samples))
    return rank_authors(samples, feed, rules, views_for(samples, rules))


def author_candidates(places: Places) -> list[Rule]:
    """All rules that show the feed's authors on two of its pages at least, or what pages call an author."""
    names = _names(places.samples)
    if not names:
        return stated_candidates(places.samples)
    rules = [*_selector_rules(places, names), *_said_rules(places.samples, names), *_link_rules(places, names)]
    if not rules:
        texts = [names.get(page, ()) for page in range(len(places.samples))]
        rules = [Rule(method="selector", where=where) for where in places_by_likeness(places.samples, texts)]
    return rules


def rank_authors(
    samples: Sequence[Sample], feed: Feed, rules: Sequence[Rule], views: Sequence[View]
) -> Ranked:
    """The candidates that are mostly right on the feed's own pages, the best first, then the constant."""
    names = _names(samples)
    rules = without_twins(sorted(rules, key=author_strength, reverse=True), views)
    if not names:
        owner = clean_names(feed.authors)
        stated = rank_stated(rules, views, owner)
        # A feed's author is by Atom's rules the author of every entry; where the pages name the
        # people who write for that owner, a post has both.
        detail = {"use": "also"} if stated else {}
        constant = (Rule(method="feed-constant", where="\n".join(owner), detail=detail),) if owner else ()
        return (*stated, *constant)
    wanted = {page: frozenset(map(comparable, authors)) for page, authors in names.items()}
    if len(set(wanted.values())) == 1:
        # Any place that repeats the blog's one author agrees with the feed: only those that are
        # called after an author can be trusted to name another one on an older page.
        rules = [rule for rule in rules if author_strength(rule) >= 1]
    judged = [judged for rule in rules if (judged := _judge(rule, wanted, views))]
    judged.sort(key=lambda pair: pair[0], reverse=True)
    return (*(rule for _, rule in judged[:KEPT_RULES]), *_constant(names))


def _names(samples: Sequence[Sample]) -> dict[int, tuple[str, ...]]:
    return {page: names for page, s in enumerate(samples) if (names := clean_names(s.entry.authors))}


def clean_names(names: Sequence[str]) -> tuple[str, ...]:
    """Names as a reader gives them.

    >>> clean_names(["Ada <ada@example.org>", " "])
    ('Ada',)
    """
    return tuple(name for name in map(as_name, names) if name)


def _constant(names: Mapping[int, tuple[str, ...]]) -> tuple[Rule, ...]:
    """The author that the feed names most, for pages that name nobody."""
    authors, pages = Counter(names.values()).most_common(1)[0]
    if pages / len(names) < MIN_SHARE:
        return ()
    return (Rule(method="feed-constant", where="\n".join(authors), confidence=_foretold(names)),)


def _foretold(names: Mapping[int, tuple[str, ...]]) -> float:
    """The share of entries whose authors are those that the other entries name most.

    >>> _foretold({0: ("Ada",), 1: ("Ada",), 2: ("Bo",)}), _foretold({0: ("Ada",), 1: ("Bo",)})
    (0.6666666666666666, 0.0)
    """
    counts = Counter(names.values())
    if counts.total() == 1:
        return 1.0
    (_, most), (_, second) = [*counts.most_common(2), ((), 0)][:2]
    return most / counts.total() if most > max(second, 1) else 0.0


def _selector_rules(places: Places, names: Mapping[int, tuple[str, ...]]) -> Iterator[Rule]:
    around: dict[str, list[tuple[str, str]]] = {}
    for page, authors in names.items():
        seen: dict[str, tuple[str, str]] = {}
        for author in authors:
            for place, shown in places.holding(page, author, SPARE_WORDS):
                pair = affix(shown, author)
                for name in names_of(place):
                    seen.setdefault(name, pair)
        for name, pair in seen.items():
            around.setdefault(name, []).append(pair)
    for name in repeated({name: len(pairs) for name, pairs in around.items()}, len(names)):
        detail = _words_around(around[name])
        if detail is not None:
            yield Rule(method="selector", where=name, detail=detail)


def _words_around(pairs: Sequence[tuple[str, str]]) -> dict[str, str] | None:
    """What stands before and after the name on most pages; None if it is never the same."""
    detail: dict[str, str] = {}
    befores = [before for before, _ in pairs if before.strip()]
    if len(befores) * 2 > len(pairs):
        before = _most_shared(befores, _ENDS)
        if not before.strip():
            return None
        detail["before"] = before
    afters = [after for _, after in pairs if after.strip()]
    # What follows the name on one page alone would only serve that page.
    if len(afters) > 1 or len(pairs) < 3:
        after = _most_shared(afters, _STARTS)
        if afters and not after.strip():
            return None
        detail |= {"after": after} if after else {}
        if after and len(afters) < len(pairs):
            detail["after_is"] = "optional"
    return detail


# The last two words before a name, the last one, a sign; after it a sign, for what follows a sign
# ("| no comments", "| 2 comments") varies, else a word.
_ENDS = tuple(map(re.compile, (r"(?:[^\W\d]+\W+){2}$", r"[^\W\d]+\W+$", r"[^\w\s]\s*$")))
_STARTS = tuple(map(re.compile, (r"\W*[^\w\s]+\W*", r"\W*[^\W\d]+")))


def _most_shared(texts: Sequence[str], patterns: Sequence[re.Pattern[str]]) -> str:
    """The longest piece by these patterns that most texts share, or nothing.

    >>> _most_shared(["May 3 posted by ", "June 7 posted by "], _ENDS)
    'posted by '
    >>> _most_shared([" | 3 May", " | 4 June"], _STARTS)
    ' | '
    """
    for pattern in patterns:
        find = pattern.match if patterns is _STARTS else pattern.search
        pieces = Counter(match[0] for text in texts if (match := find(text)))
        for piece, count in pieces.most_common(1):
            if count * 2 > len(texts):
                return piece
    return ""


def _said_rules(samples: Sequence[Sample], names: Mapping[int, tuple[str, ...]]) -> Iterator[Rule]:
    metas: dict[str, None] = {}
    for page, authors in names.items():
        wanted = set(map(comparable, authors))
        for name, values in samples[page].view.meta.items():
            short = (value for value in values if len(value) < 2 * MAX_NAME_LENGTH)
            if any(comparable(as_name(value) or "") in wanted for value in short):
                metas[name] = None
    yield from (Rule(method="meta", where=name) for name in metas)
    yield from (Rule(method="json-ld", where=key) for key in JSON_KEYS)


def _link_rules(places: Places, names: Mapping[int, tuple[str, ...]]) -> Iterator[Rule]:
    """Links whose address says that they lead to a person's page."""
    shapes: Counter[str] = Counter()
    for page, authors in names.items():
        links = (e.get("href") or "" for author in authors for e in places.of(page, author) if e.tag == "a")
        shapes.update({match[0]: 1 for href in links if (match := AUTHOR_PATH.search(href))})
    yield from (Rule(method="link", where=shape) for shape in repeated(shapes, len(names)))


def _judge(
    rule: Rule, wanted: Mapping[int, frozenset[str]], views: Sequence[View]
) -> tuple[tuple[float, float], Rule] | None:
    """A rule that is mostly right, with what it is ranked by: success, then meaning."""
    right = wrong = 0
    for page, authors in wanted.items():
        names = authors_by(views[page], rule)
        if names:
            agrees = not authors.isdisjoint(map(comparable, names))
            right += agrees
            wrong += not agrees
    share = right / len(wanted)
    if right < MIN_PRECISION * (right + wrong) or share < MIN_SHARE or right < 2 < len(wanted):
        return None
    return ((right - wrong) / len(wanted), author_strength(rule)), replace(rule, confidence=share)


def author_strength(rule: Rule) -> float:
    """How surely a place holds the author of the post: 1 and more, if it is called so."""
    if rule.method == "selector":
        *_, last = rule.where.split(">")
        strong = 3.0 if STRONG.search(last) else 2.5 if STRONG.search(rule.where) else 0.0
        if not strong and rule.detail.get("before"):
            strong = 1.5
        return strong + (0.2 if not rule.detail else 0.0) + (0.1 if "[" in last else 0.0)
    if rule.method == "meta":
        return 1.2 if STRONG.search(rule.where) else 0.0
    return 2.2 if rule.method == "link" else 2.0
