"""Finding the nodes of a path on a page, level by level."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from everlog.core.outline import has_text
from everlog.extract.article.picks import Pick
from everlog.extract.extractors.keypath.path import ANY_NODES, KeyPath, Step

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from lxml.etree import _Element

    from everlog.core.rules import Rule
    from everlog.extract.extractors.diffpost import RepeatCounts
    from everlog.markup.view import View


def find_all(root: _Element, path: KeyPath) -> list[_Element]:
    """All nodes of a path, in document order.

    An absolute path costs one look at the children of what it matched so far, not a scan of the page.

    >>> from lxml import etree
    >>> page = etree.HTML("<div class=a><p>1</p><p>2</p></div><div class=b><p>3</p></div>")
    >>> [node.text for node in find_all(page, KeyPath.parse("|html|body|div[@class=a]|p"))]
    ['1', '2']
    >>> [node.text for node in find_all(page, KeyPath.parse("div|p"))]
    ['1', '2', '3']
    """
    if not path.steps:
        return []
    level: list[_Element] = []
    loose = not path.absolute  # may nodes lie between this level and the next step?
    for place, step in enumerate(path.steps):
        if step.tag == ANY_NODES:
            loose = True
            continue
        if loose:
            level = _below(level or [root], step, itself=not level)
        elif not place:
            level = [root] if step.matches(root) else []
        else:
            level = [child for node in level for child in node.iterchildren(step.tag) if step.matches(child)]
        if not level:
            return []
        loose = False
    return level


def pick(view: View, rule: Rule, _: RepeatCounts | None) -> Pick | None:
    """The article at the end of a blog's key-path."""
    element = first_with_text(view.root, _parsed(rule.where))
    return None if element is None else Pick(element)


@lru_cache(maxsize=512)
def _parsed(text: str) -> KeyPath:
    return KeyPath.parse(text)


def first_with_text(root: _Element, path: KeyPath) -> _Element | None:
    """The first node of a path that is not empty: a path may be too generic to say which one is meant."""
    return next((node for node in find_all(root, path) if has_text(node)), None)


def too_general(path: KeyPath, roots: Iterable[_Element]) -> bool:
    """Whether a path says too little to be trusted: no name on it, and on some page it is in two places.

    Such is `|html|body|div[@class=*]|div[@class=*]`, which fits the advertisement as well as the post.
    A path without names that leads to one place on every page is as good as another.
    """
    if any(step.literal for step in path.steps):
        return False
    return any(len({node.getparent() for node in find_all(root, path)}) > 1 for root in roots)


def _below(nodes: Sequence[_Element], step: Step, *, itself: bool) -> list[_Element]:
    """The descendants of some nodes that match a step, each once, in document order."""
    found: dict[_Element, None] = {}
    starts = set(nodes)
    for node in nodes:
        if any(ancestor in starts for ancestor in node.iterancestors()):
            continue  # all below it was found from there
        for inner in node.iter(step.tag):
            if (itself or inner is not node) and step.matches(inner):
                found.setdefault(inner)
    return list(found)
