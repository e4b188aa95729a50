"""Whether a page can hold comments at all, told from the names in it, before anything is looked up.

Most pages of most blogs have no comments, and half of them have no element that is called one.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import chain, product
from typing import TYPE_CHECKING, NamedTuple

from cssselect import parser as css

from everlog.comments.engines import KNOWN

if TYPE_CHECKING:
    from collections.abc import Iterable

    from everlog.comments.comment_rules import CommentRules
    from everlog.core.selectors import Marked
    from everlog.core.tree import Element

# A part of "comment" that the names of known markups have, capital letters or not.
_HINT = "omment"
_HINT_BYTES = _HINT.encode()
# Other names of places where readers answer. No known markup has them; a heading there may count comments all the same.
_ANSWERS = ("replies", "discussion")
_IN_TAGS = (_HINT_BYTES, *(word.encode() for word in _ANSWERS))
# Data for programs (JSON-LD) may hold the comments.
_DATA = b'"comment"'
# Encodings of two bytes for every letter show in the first of them.
_FIRST_BYTES = 1000
# Elements that hold comments, or lists of them. A span of that name stands in a listing of code.
_HOLDERS = ("div", "li", "ol", "ul", "dl", "article", "section", "h2")
# Names of places for comments, which pages have that have none.
_COMMON = frozenset((".comments", "#comments"))
# Tags that few pages have.
_RARE = frozenset(("dl", "dt", "dd"))
_BESIDE = frozenset(("pingback", "trackback"))
# The start of an id that says more than that there is one.
_TELLING_START = 4
_NUMBER = re.compile(r"\d+$")


class Facts(NamedTuple):
    """What a page must have for one alternative of a selector to find anything.

    `names` are written `.class`, `#id`, `tag.class` or `@itemprop`, `starts` begin ids that end with a number,
    `tags` are rare ones.
    """

    names: frozenset[str] = frozenset()
    starts: frozenset[str] = frozenset()
    tags: frozenset[str] = frozenset()

    def joined(self, other: Facts) -> Facts:
        return Facts(
            names=self.names | other.names, starts=self.starts | other.starts, tags=self.tags | other.tags,
        )


class Hints:
    """What to look for in a page, of all known markups and of a blog's own."""

    def __init__(self, selectors: Iterable[str]) -> None:
        options = {facts for selector in selectors for facts in facts_of(selector)}
        names = [re.split("[.#@]", name) for facts in options for name in facts.names]
        words = {word for _, word in names} | {start for facts in options for start in facts.starts}
        self._own = tuple(word for word in words - _BESIDE if _HINT not in word)
        # One of these must be there for anything to be found.
        self._rare = any(facts.tags for facts in options)
        single = (facts.names for facts in options if facts.names and not facts.tags)
        self._one_of = frozenset(min(names, key=lambda name: (name in _COMMON, name)) for names in single)
        self._starts = tuple(start for facts in options for start in facts.starts)
        self.always = not all(any(facts) for facts in options)
        """Whether a selector has no names, so that nothing tells beforehand what it finds."""
        self._tags = frozenset((*_HOLDERS, *(tag for tag, _ in names if tag)))

    def may_be_in(self, body: bytes) -> bool:
        """Whether a tag or data in the bytes of a page says anything of comments; True where bytes cannot tell.

        >>> hints = Hints(["li.comment"])
        >>> hints.may_be_in(b'<p id="comments">'), hints.may_be_in(b"<p>No comments.")
        (True, False)
        """
        if self._own or self.always or any(_is_in_a_tag(body, hint) for hint in _IN_TAGS):
            return True
        return _DATA in body or (b"\0" in body[:_FIRST_BYTES] and _HINT_BYTES not in body)

    def named(self, marked: Iterable[Marked]) -> list[Marked]:
        """Of the marked elements of a page those that are called after comments; none: it has no comments."""
        tags, named = self._tags, self._is_named
        return [each for each in marked if each[0].tag in tags and any(map(named, filter(None, each[1:])))]

    def _is_named(self, name: str) -> bool:
        return _HINT in name or any(word in name for word in (*self._own, *_ANSWERS))

    def are_met(self, root: Element, names: PageNames) -> bool:
        """Whether any of the selectors may find anything; `PageNames.meet` says which."""
        if self.always or not self._one_of.isdisjoint(names.names) or names.begin_with(self._starts):
            return True
        return self._rare and any(next(root.iter(tag), None) is not None for tag in _RARE)


def _is_in_a_tag(body: bytes, hint: bytes) -> bool:
    at = body.find(hint)
    seen, opened = 0, -1
    while at >= 0:
        opened = max(opened, body.rfind(b"<", seen, at))
        if opened >= 0 and body.find(b">", opened, at) < 0:
            return True
        at, seen = body.find(hint, at + 1), at
    return False


class PageNames:
    """The names in a page by which it is told whether a selector can find anything."""

    def __init__(self, root: Element, named: Iterable[Marked]) -> None:
        self._root = root
        self.names: set[str] = set()
        self._starts: set[str] = set()
        for element, classes, ident, meaning in named:
            if classes or meaning:
                self.names |= _names_of(element.tag, classes, meaning)
            if ident:
                self.names.add(f"#{ident}")
                self.names.add(f"{element.tag}#{ident}")
                if match := _NUMBER.search(ident):
                    self._starts.add(ident[:match.start()] + ident[match.end():])

    def begin_with(self, starts: tuple[str, ...]) -> bool:
        """Whether an id that ends with a number begins with one of these."""
        return any(have.startswith(starts) for have in self._starts)

    def meet(self, selector: str) -> bool:
        """Whether the page has all that an alternative of a selector needs."""
        return any(
            facts.names <= self.names
            and all(self.begin_with((start,)) for start in facts.starts)
            and all(next(self._root.iter(tag), None) is not None for tag in facts.tags)
            for facts in facts_of(selector)
        )


@lru_cache(maxsize=4096)
def _names_of(tag: str, classes: str | None, meaning: str | None) -> frozenset[str]:
    own = [f".{name}" for name in (classes or "").split()]
    return frozenset((*own, *(tag + name for name in own), *((f"@{meaning}",) if meaning else ())))


@lru_cache(maxsize=64)
def hints_of(rules: CommentRules | None) -> Hints:
    """The hints of the known markups, and of a blog's own."""
    own = (rule.markup for rule in rules.ranked) if rules is not None else ()
    return Hints(markup.comment for markup in (*own, *KNOWN))


@lru_cache(maxsize=1024)
def facts_of(selector: str) -> tuple[Facts, ...]:
    """What each alternative needs; names that do not speak of comments are left out where others do.

    >>> [sorted(facts.names) for facts in facts_of("ol.comments > li, li:is(.comment, .pingback)")]
    [['ol.comments'], ['li.comment'], ['li.pingback']]
    """
    return tuple(map(_telling, chain.from_iterable(_facts(each.parsed_tree) for each in css.parse(selector))))


def _telling(facts: Facts) -> Facts:
    names = frozenset(name for name in facts.names if _HINT in name or name.rpartition(".")[2] in _BESIDE)
    return facts._replace(names=names or facts.names)


def _facts(tree: css.Tree) -> list[Facts]:
    """The ways in which a part of a selector can be met."""
    if isinstance(tree, css.CombinedSelector):
        return _all_ways(_facts(tree.selector), _facts(tree.subselector))
    if isinstance(tree, css.Element):
        tag = (tree.element or "*").lower()
        return [Facts(tags=frozenset((tag,)) if tag in _RARE else frozenset())]
    own = [Facts()]
    tag = _tag(tree)
    if isinstance(tree, css.Class):
        own = [Facts(names=frozenset((f"{tag}.{tree.class_name}",)))]
    elif isinstance(tree, css.Hash):
        own = [Facts(names=frozenset((f"{tag}#{tree.id}",)))]
    elif isinstance(tree, css.Matching):
        # `li:is(.a)` is `li.a`.
        options = chain.from_iterable(map(_facts, tree.selector_list))
        own = [option._replace(names=frozenset(tag + name for name in option.names)) for option in options]
    elif isinstance(tree, css.Attrib):
        own = [_stated(tree)]
    return _all_ways(_facts(tree.selector), own)


def _all_ways(some: Iterable[Facts], others: Iterable[Facts]) -> list[Facts]:
    return [one.joined(other) for one, other in product(some, others)]


def _tag(tree: css.Tree) -> str:
    while not isinstance(tree, css.Element):
        tree = tree.selector
    return (tree.element or "").lower()


def _stated(tree: css.Attrib) -> Facts:
    value = (tree.value.value if tree.value else "") or ""
    if tree.attrib == "id":
        is_start = tree.operator == "^=" and len(value) >= _TELLING_START
        return Facts(starts=frozenset((value,))) if is_start else Facts()
    if tree.attrib == "itemtype" and _HINT in value:
        return Facts(names=frozenset(("@comment",)))  # what is a schema.org Comment is somebody's comment
    is_meaning = tree.attrib == "itemprop" and tree.operator == "="
    return Facts(names=frozenset((f"@{value}",))) if is_meaning else Facts()
