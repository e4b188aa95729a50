"""What the pages of a blog's posts have in common: names of elements, and what they say they are."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from everlog.core.selectors import TELLING_TAGS, Finder, naming_of, own_selectors
from everlog.markup.view import View

if TYPE_CHECKING:
    from collections.abc import Iterable

    from everlog.core.selectors import Marked
    from everlog.core.tree import Element

# What stands in texts and menus by the hundred. A walk that leaves these tags out takes half the time.
CROWD = frozenset("a span p li img i b em strong svg path td tr br option script style".split())
# How a statement of a page is told from the name of an element.
SAYS = "says "


class FeatureFinder:
    """Some features, ready to be looked for on many pages in one walk each."""

    def __init__(self, features: Iterable[str], others: Iterable[str] = ()) -> None:
        self._said = tuple(feature for feature in features if feature.startswith(SAYS))
        self._named = tuple(feature for feature in features if not feature.startswith(SAYS))
        self._finder = Finder((*self._named, *others))

    def missing(
        self, root: Element, marked: Iterable[Marked] | None = None,
    ) -> tuple[int, dict[str, list[Element]]]:
        """How many of the features a page has not, and the elements that were found."""
        found = self._finder.find(root, marked)
        count = sum(not found[feature] for feature in self._named)
        if self._said:
            said = statements_of(root, types=any(feature.startswith(SAYS + "type") for feature in self._said))
            count += sum(feature not in said for feature in self._said)
        return count, found


def features_of(root: Element) -> set[str]:
    """All features of a page: the selectors that name its elements, and its statements about itself.

    >>> from lxml import etree
    >>> page = etree.HTML('<meta property="og:type" content="article"><body class="single"><p>x')
    >>> sorted(features_of(page))
    ['body.single', 'meta[property=og:type]', 'says og:type article']
    """
    found: set[str] = set()
    for element in root.iter():
        tag = element.tag
        if not isinstance(tag, str):
            continue
        classes, ident, naming = element.get("class"), element.get("id"), naming_of(element)
        if classes or ident or naming or tag in TELLING_TAGS:
            found.update(own_selectors(tag, ident, classes, naming))
    return found | statements_of(root)


def is_crowd(feature: str) -> bool:
    """Whether a feature names elements that a page has by the hundred.

    >>> is_crowd("a.more-link"), is_crowd("article.hentry")
    (True, False)
    """
    return re.split(r"[#.\[ ]", feature, maxsplit=1)[0] in CROWD


def statements_of(root: Element, *, types: bool = True) -> set[str]:
    """What a page says it is, in Open Graph and in schema.org's words."""
    view = View(root, "")
    found = {f"{SAYS}og:type {value.lower()}" for value in view.meta.get("og:type", ())}
    if types and view.json_ld:
        found.add(f"{SAYS}type article")
    return found
