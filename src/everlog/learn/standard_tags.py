"""Tags in the places where engines and microformats put them, for what the feed could not teach."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from everlog.learn.places import names_of
from everlog.read.places import nearness_of
from everlog.read.tags import family_of, is_own_link, tags_by
from everlog.rules import Ranked, Rule
from everlog.selectors import chain_of
from everlog.words import comparable

if TYPE_CHECKING:
    from everlog.learn.samples import Sample
    from everlog.read.view import View

# Of what a standard place shows on the feed's pages, this share must be tags of the feed.
MIN_PRECISION = 0.9
# Words of a tag; a longer text under a name like `tags` is a sentence.
MAX_WORDS = 5
# The same tags on all pages are a cloud or a menu, from this many on: blogs of one subject exist.
CLOUD = 4
KEPT_RULES = 3

_TAG_NAME = re.compile(r"tag|categor|label|topic|keyword|subject", re.IGNORECASE)
# Elements that are called after tags and hold one each.
_HOLDS_TAG = re.compile(
    r"[.#\[ =_-](?:tags?|tag-?links?|tag-?list|topics?|keywords?|categor(?:y|ies))(?:$|[\] >_-])", re.IGNORECASE
)
_SAID = (("meta", "article:tag"), ("json-ld", "keywords"), ("meta", "keywords"))


def standing_by(views: Sequence[View], wanted: Sequence[frozenset[str]], read: Sequence[frozenset[str]]) -> Ranked:
    """Standard places that never contradicted the feed, for older posts that are tagged in another way.

    `wanted` are the feed's tags of each page, `read` what the learned rules find there.
    """
    families = []
    for family in ("tag", "category"):
        rule = Rule(method="standard", where=family)
        right = wrong = news = 0
        for view, tags, known in zip(views, wanted, read, strict=True):
            shown = {comparable(tag) for tag in tags_by(view, rule)}
            right += len(shown & tags)
            wrong += len(shown - tags)
            news += len(shown - known)
        # A place that showed no more than the learned ones has nothing to add.
        silent = right + wrong == 0
        if silent or (right >= (right + wrong) * MIN_PRECISION and news):
            families.append(family)
    return (Rule(method="standard", where=" ".join(families)),) if families else ()


def standard_candidates(samples: Sequence[Sample]) -> list[Rule]:
    """Rules for everything on the pages that leads to a tag or is called after tags."""
    rules = [
        Rule(method="selector", where=name, detail={"family": family})
        for family in ("tag", "category")
        for name in _linking(samples, family)
    ]
    rules += [Rule(method="selector", where=name, detail={"near": "yes"}) for name in _called_so(samples)]
    rules += [Rule(method=method, where=where, detail={"split": "yes"}) for method, where in _SAID]
    return rules


def rank_standard(rules: Sequence[Rule], views: Sequence[View]) -> Ranked:
    """Rules for a blog whose feed has no tags, the surest first; each but the first speaks if the others do not."""
    kept = []
    for rule in rules:
        shown = [frozenset(map(comparable, tags_by(view, rule))) for view in views]
        pages = sum(map(bool, shown))
        constant = len(set(shown)) == 1 and len(views) > 2
        # Keywords that are the same on all pages are about the blog, and so are clouds.
        if pages and not (constant and (rule.method != "selector" or len(shown[0]) >= CLOUD)):
            kept.append(rule)
    families = Rule(method="standard", where="tag", detail={"use": "if-empty"})
    ranked = _first_family(kept)
    return (*ranked, families, replace(families, where="category"))


def _first_family(rules: Sequence[Rule]) -> list[Rule]:
    """All rules of the first kind together; the others only where these are silent."""
    if not rules:
        return []
    kind = rules[0].detail.get("family")
    first = [rule for rule in rules if rule.detail.get("family") == kind][:KEPT_RULES]
    others = [rule for rule in rules if rule.detail.get("family") != kind]
    if kind is None:
        first, others = first[:1], [*first[1:], *others]
    return first + [replace(rule, detail={**rule.detail, "use": "if-empty"}) for rule in others[: 2 * KEPT_RULES]]


def _linking(samples: Sequence[Sample], family: str) -> list[str]:
    """Chains of the links outside sidebars and menus that lead to tags."""
    seen: Counter[str] = Counter()
    for sample in samples:
        nearness = nearness_of(sample.view)
        links = (a for a in sample.view.root.iter("a") if family_of(a) == family)
        seen.update({chain_of(a): 1 for a in links if is_own_link(a, sample.view, nearness)})
    return [name for name, _ in seen.most_common(KEPT_RULES)]


def _called_so(samples: Sequence[Sample]) -> Iterator[str]:
    """Selectors of small elements that are called after tags."""
    seen: Counter[str] = Counter()
    for sample in samples:
        sizes = sample.layout.sizes()
        nearness = nearness_of(sample.view)
        names: dict[str, int] = {}
        for i in np.flatnonzero((sizes > 0) & (sizes <= MAX_WORDS)):
            element = sample.layout.elements[int(i)]
            if len(element) == 0:
                own = [name for name in names_of(element) if _HOLDS_TAG.search(name)]
                if own and not nearness.is_elsewhere(element):
                    names[own[-1]] = 1
        seen.update(names)
    return (name for name, _ in seen.most_common(KEPT_RULES))


def tag_strength(rule: Rule) -> float:
    """Of places with the same success, those called after tags will hold on older pages."""
    if rule.method == "selector":
        named = 2.0 if _TAG_NAME.search(rule.where) else 0.0
        chain = 0.3 if ">" in rule.where else 0.0
        return named + chain + (0.2 if not rule.detail else 0.1 if "near" not in rule.detail else 0.0)
    return {"json-ld": 1.5, "meta": 1.4 if _TAG_NAME.search(rule.where) else 0.4, "url": 0.5}.get(rule.method, 0.0)
