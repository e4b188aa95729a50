"""Tags in the places where engines and microformats put them, for what the feed could not teach."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from everlog.core.rules import Ranked, Rule
from everlog.core.selectors import chain_of
from everlog.core.words import comparable
from everlog.extract.fields.small_texts_learn import names_of
from everlog.extract.fields.small_texts_read import ELSEWHERE, nearness_of, short_text
from everlog.extract.fields.tags_labelled import labelled_candidates
from everlog.extract.fields.tags_read import FAMILIES, as_tag, family_of, is_own_link, standard_links, tags_by

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from everlog.core.tree import Element
    from everlog.extract.samples import Sample
    from everlog.markup.view import View

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
    r"[.#\[ =_-](?:tags?|tag-?links?|tag-?list|topics?|keywords?|categor(?:y|ies))(?:$|[\] >_-])",
    re.IGNORECASE,
)
_LINK = re.compile(r"(?:^|>)a(?:[.#\[][^>]*)?$")
_SAID = (("meta", "article:tag"), ("json-ld", "keywords"), ("meta", "keywords"))


def standing_by(
    views: Sequence[View], wanted: Sequence[frozenset[str]], read: Sequence[frozenset[str]]
) -> Ranked:
    """Standard places that never contradicted the feed, for older posts that are tagged in another way.

    `wanted` are the feed's tags of each page, `read` what the learned rules find there.
    """
    pages = [standard_links(view, FAMILIES) for view in views]
    trusted = [
        family
        for family in FAMILIES
        if _may_stand_by([_shown(page.get(family, ())) for page in pages], wanted, read)
    ]
    return (Rule(method="standard", where=" ".join(trusted)),) if trusted else ()


def _shown(links: Sequence[Element]) -> frozenset[str]:
    return frozenset(plain_tag(short_text(link)) for link in links)


# Menus and clouds show the same on all pages.
@lru_cache(maxsize=20_000)
def plain_tag(text: str) -> str:
    """The comparable form of the tag in a text, or nothing.

    >>> plain_tag("#Rain (3)")
    'rain'
    """
    return comparable(as_tag(text) or "")


def _may_stand_by(
    pages: Sequence[frozenset[str]], wanted: Sequence[frozenset[str]], read: Sequence[frozenset[str]]
) -> bool:
    right = wrong = news = silent = 0
    for shown, tags, known in zip(pages, wanted, read, strict=True):
        right += len(shown & tags)
        wrong += len(shown - tags)
        news += len((shown & tags) - known)
        silent += not shown
    # A place that most pages have was learned if it is of use.
    useful = silent * 2 > len(pages) or news > wrong
    return useful and right >= (right + wrong) * MIN_PRECISION


def standard_candidates(samples: Sequence[Sample]) -> list[Rule]:
    """Rules for everything on the pages that leads to a tag or is called after tags."""
    rules = [
        Rule(method="selector", where=name, detail={"family": family})
        for family in FAMILIES
        for name in _linking(samples, family)
    ]
    rules += [Rule(method="selector", where=name, detail={"near": "yes"}) for name in _called_so(samples)]
    rules += labelled_candidates(samples)
    rules += [Rule(method=method, where=where, detail={"split": "yes"}) for method, where in _SAID]
    return rules


def rank_standard(rules: Sequence[Rule], views: Sequence[View]) -> Ranked:
    """Rules for a blog whose feed has no tags; all but the first kind speak only where it is silent."""
    kept = [sure for rule in rules if (sure := _without_cloud(rule, views)) is not None]
    # Blogs that have both keep a few broad categories beside the tags.
    families = Rule(method="standard", where=" ".join(FAMILIES), detail={"use": "if-empty", "pick": "first"})
    return (*_first_family(kept), families)


def _without_cloud(rule: Rule, views: Sequence[View]) -> Rule | None:
    """The rule if what it shows differs from page to page, or its first list of tags if only that does."""
    for tried in (rule, replace(rule, detail={**rule.detail, "pick": "first"})):
        shown = [frozenset(map(comparable, tags_by(view, tried))) for view in views]
        everywhere = frozenset.intersection(*shown)
        # Keywords that are the same on all pages are about the blog, and so are clouds of tags.
        least = CLOUD if rule.method == "selector" else 1
        if any(shown) and (len(everywhere) < least or len(views) < 3):
            return tried
    return None


def _first_family(rules: Sequence[Rule]) -> list[Rule]:
    """All rules of the first kind together; the others only where these are silent."""
    if not rules:
        return []
    kind = rules[0].detail.get("family")
    first = [rule for rule in rules if rule.detail.get("family") == kind][:KEPT_RULES]
    others = [rule for rule in rules if rule.detail.get("family") != kind]
    if kind is None:
        first, others = first[:1], [*first[1:], *others]
    others = others[: 2 * KEPT_RULES]
    return first + [replace(rule, detail={**rule.detail, "use": "if-empty"}) for rule in others]


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
            if len(element) == 0 and _may_be_called(element):
                own = [name for name in names_of(element) if _HOLDS_TAG.search(name)]
                if own and not nearness.is_elsewhere(element):
                    names[own[-1]] = 1
        seen.update(names)
    return (name for name, _ in seen.most_common(KEPT_RULES))


def _may_be_called(element: Element) -> bool:
    above = element.getparent()
    # Highlighted code is full of `keyword` and `tag`.
    if above is None or next(element.iterancestors("pre", "code"), None) is not None:
        return False
    said = f"{above.get('class', '')} {above.get('id', '')}"
    own = f"{element.get('class', '')} {element.get('id', '')} {element.get('itemprop', '')}"
    return _TAG_NAME.search(own) is not None or _TAG_NAME.search(said) is not None


# The strength from which on a place is called after tags.
NAMED = 1.5


def tag_strength(rule: Rule) -> float:
    """Of places with the same success, those called after tags will hold on older pages."""
    if rule.method == "selector":
        named = 0.0 if ELSEWHERE.search(rule.where) else 2.0 if _TAG_NAME.search(rule.where) else 0.5
        chain = 0.3 if ">" in rule.where else 0.0
        # A link is one tag; what is around it may be a list that had but one on the feed's pages.
        link = 0.4 if _LINK.search(rule.where) else 0.0
        return named + chain + link + (0.2 if not rule.detail else 0.1 if "near" not in rule.detail else 0.0)
    if rule.method == "meta":
        return NAMED if _TAG_NAME.search(rule.where) else 0.4
    return {"json-ld": 1.6, "url": 0.5}.get(rule.method, 0.0)
