"""Authors that only the pages name: where the feed says nothing, what a page calls its author counts."""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from everlog.learning.places import names_of
from everlog.reading.authors import authors_by
from everlog.reading.places import nearness_of, short_text
from everlog.rules import Rule
from everlog.words import comparable

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from everlog.learning.samples import Sample
    from everlog.reading.view import View
    from everlog.tree import Element

KEPT_RULES = 4
# Words of a byline with its date; more is a biography.
MAX_WORDS = 10

# Class names, attributes and microformats that say "here stands who wrote this".
STRONG = re.compile(
    r"author|byline|by-line|posted-?by|creator|writer|nickname|[.\[ ]fn\b|h-card|vcard", re.IGNORECASE
)
JSON_KEYS = ("author", "creator")
_META = ("author", "article:author", "dc.creator", "dcterms.creator", "byl", "parsely-author")
# How pages introduce a name.
_BY = re.compile(
    r"(?:(?:posted|written|published|submitted|created)\s+)?"
    r"(?:by|von|par|por|di|de|av|af|door|przez|autore?|author|auteur|автор|yazar)\b\s*[:：]?\s*"
    r"|(?:作者|投稿者|著者|글쓴이)\s*[:：]?\s*",
    re.IGNORECASE,
)


def stated_candidates(samples: Sequence[Sample]) -> list[Rule]:
    """Rules for everything on the pages that is called after an author."""
    rules = [*_called_rules(samples)]
    rules += [Rule(method="json-ld", where=key) for key in JSON_KEYS]
    rules += [Rule(method="meta", where=name) for name in _META if any(name in s.view.meta for s in samples)]
    return rules


def rank_stated(rules: Sequence[Rule], views: Sequence[View], owner: Sequence[str]) -> list[Rule]:
    """The rules that name somebody on most pages, in the order given; shorter texts first among equals.

    `owner` is whom the feed as a whole names: one other name on all pages is then a nickname, a
    theme's maker or a licence; different names are the people who write for that owner.
    """
    wanted = set(map(comparable, owner))
    stated: list[Rule] = []
    for rule in rules:
        read = [frozenset(map(comparable, names)) for view in views if (names := authors_by(view, rule))]
        agrees = not wanted or any(names & wanted for names in read) or len(set(read)) > 1
        if len(read) * 2 > len(views) and agrees:
            stated.append(rule)
    return stated[:KEPT_RULES]


def _called_rules(samples: Sequence[Sample]) -> Iterator[Rule]:
    """Rules for the small elements outside sidebars and comments that are called after an author."""
    seen: dict[str, list[str]] = {}
    for sample in samples:
        for name, shown in _called_on(sample).items():
            seen.setdefault(name, []).append(shown)
    # Inner elements hold the name alone, outer ones the whole byline.
    for name, texts in sorted(seen.items(), key=lambda item: sum(map(len, item[1])) / len(item[1])):
        if len(texts) * 2 > len(samples):
            before = Counter(match[0] for text in texts if (match := _BY.match(text))).most_common(1)
            said = bool(before) and before[0][1] * 2 > len(texts)
            yield Rule(method="selector", where=name, detail={"before": before[0][0]} if said else {})


def _called_on(sample: Sample) -> dict[str, str]:
    sizes = sample.layout.sizes()
    nearness = nearness_of(sample.view)
    found: dict[str, str] = {}
    for i in np.flatnonzero((sizes > 0) & (sizes <= MAX_WORDS)):
        element = sample.layout.elements[int(i)]
        above = element.getparent()
        if not _is_called(element) and (above is None or not _is_called(above)):
            continue
        own = [name for name in names_of(element) if STRONG.search(name)]
        if own and not nearness.is_elsewhere(element):
            shown = short_text(element)
            for name in own:
                found.setdefault(name, shown)
    return found


def _is_called(element: Element) -> bool:
    get = element.get
    return _says_author(get("class"), get("id"), get("itemprop"), get("rel"))


@lru_cache(maxsize=20_000)
def _says_author(*names: str | None) -> bool:
    return STRONG.search(" ".join(f".{name}" for name in names if name)) is not None
