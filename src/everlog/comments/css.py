"""CSS selectors on a page with thousands of comments: each is answered once for the whole page, in linear time.

XPath walks the descendants of every match for `a b`, which is quadratic where comments are nested in
comments. Here the elements of a page are looked up by class, id and tag, and an ancestor is found by
climbing, with every step remembered.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from cssselect import parser as css
from lxml import etree

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from everlog.core.tree import Element

Test = Callable[["Element"], bool]
_SAFE_NAME = re.compile(r"[a-z][a-z-]*")


class Nearest:
    """The nearest of some elements at or above another. All questions together cost one walk over the page.

    >>> from everlog.core.tree import parse
    >>> body = parse(b"<div><p><i>x</i></p></div>")[0]
    >>> Nearest([body[0]]).at(body[0][0][0]).tag, Nearest([body[0]]).above(body[0])
    ('div', None)
    """

    def __init__(self, stops: Iterable[Element]) -> None:
        self._known: dict[Element, Element | None] = {stop: stop for stop in stops}

    def at(self, element: Element) -> Element | None:
        """The nearest, the element itself included."""
        known = self._known
        if element in known:
            return known[element]
        passed = [element]
        node = element.getparent()
        while node is not None and node not in known:
            passed.append(node)
            node = node.getparent()
        answer = None if node is None else known[node]
        for element_passed in passed:
            known[element_passed] = answer
        return answer

    def above(self, element: Element) -> Element | None:
        """The nearest that is not the element itself."""
        parent = element.getparent()
        return None if parent is None else self.at(parent)


class Selection:
    """The elements of a page, or of a part of it, by CSS selector. The page must not change meanwhile.

    Known are tags, classes, ids, attributes, `:not()`, `:is()`, `:first-child`, `:last-child`, `:empty`
    and the four combinators. `:numbered` is CSS's own in no browser: an id that ends with a number.

    >>> from everlog.core.tree import parse
    >>> page = Selection(parse(b"<ol><li class='comment a'><p>x</p></li></ol>"))
    >>> [element.tag for element in page.all("ol > li.comment p, ol")]
    ['ol', 'p']
    """

    def __init__(self, root: Element, article: Element | None = None) -> None:
        self.root = root
        # What holds the article of the page is no comment on it.
        self.no_comments = frozenset((article, *article.iterancestors())) if article is not None else frozenset()
        self._tags: dict[str, list[Element]] = {}
        self._classes: dict[str, list[Element]] | None = None
        self._ids: dict[str, list[Element]] = {}
        self._found: dict[_Steps, list[Element]] = {}
        # The elements of comments by selector and id, for `markup.comment_elements`.
        self.comments: dict[tuple[str, str], list[Element]] = {}

    def all(self, selector: str) -> list[Element]:
        """All elements that a selector names, in document order."""
        groups = [group for group in self.each(selector) if group]
        if len(groups) < 2:
            return groups[0] if groups else []
        members = {element for group in groups for element in group}
        return [element for element in self.root.iter("*") if element in members]

    def each(self, selector: str) -> Iterator[list[Element]]:
        """The elements of each of the alternatives that commas part, in document order."""
        return map(self._answer, _compiled(selector))

    def called(self, fits: Callable[[str], bool]) -> set[Element]:
        """The elements with a class or an id that fits."""
        if self._classes is None:
            self._classes = self._named()
        named = (*self._classes.items(), *self._ids.items())
        return {element for name, elements in named if fits(name) for element in elements}

    def _answer(self, steps: _Steps) -> list[Element]:
        found = self._found.get(steps)
        if found is None:
            *before, (combinator, compound) = steps
            found = self._candidates(compound)
            if not compound.is_one_name:  # candidates bear the name, and nothing else is asked of them
                found = [element for element in found if compound.fits(element)]
            if before and found:
                found = _COMBINED[combinator](found, self._answer(tuple(before)))
            self._found[steps] = found
        return found

    def _candidates(self, compound: _Compound) -> list[Element]:
        if compound.classes or compound.ident:
            if self._classes is None:
                self._classes = self._named()
            if compound.ident:
                return self._ids.get(compound.ident, [])
            return min((self._classes.get(name, []) for name in compound.classes), key=len)
        # Of all elements few have a given attribute, and libxml2 finds them faster than any test does.
        key = f"@{compound.attribute}" if compound.attribute and compound.tag == "*" else compound.tag
        if key not in self._tags:
            named = _having(compound.attribute, self.root) if key[0] == "@" else list(self.root.iter(*key.split()))
            self._tags[key] = named
        return self._tags[key]

    def _named(self) -> dict[str, list[Element]]:
        classes: dict[str, list[Element]] = {}
        for element in self.root.iter("*"):
            if names := element.get("class"):
                for name in set(names.split()):
                    classes.setdefault(name, []).append(element)
            if ident := element.get("id"):
                self._ids.setdefault(ident, []).append(element)
        return classes


class _Compound(NamedTuple):
    """What must hold of one element: `tag` is one or several, `attribute` one that it must have, `tests` the rest."""

    tag: str = "*"
    classes: tuple[str, ...] = ()
    ident: str | None = None
    tests: tuple[Test, ...] = ()
    attribute: str = ""

    @property
    def is_one_name(self) -> bool:
        named = len(self.classes) + (self.ident is not None)
        return self.tag == "*" and not self.tests and named == 1

    def fits(self, element: Element) -> bool:
        tag = self.tag
        if tag != "*" and tag != element.tag and element.tag not in tag.split():  # noqa: PLR1714 - asked most often
            return False
        if self.ident is not None and element.get("id") != self.ident:
            return False
        if self.classes:
            names = (element.get("class") or "").split()
            if not all(name in names for name in self.classes):
                return False
        for test in self.tests:  # noqa: SIM110 - all() costs as much as the tests, a thousand times a page
            if not test(element):
                return False
        return True


# Compounds with the combinator before each.
_Steps = tuple[tuple[str, _Compound], ...]
# Alternatives that several selectors share are one, so that a page is asked for them once.
_known: dict[str, _Steps] = {}
_MOST_KNOWN = 4096


@lru_cache(maxsize=2048)
def _compiled(selector: str) -> tuple[_Steps, ...]:
    try:
        parsed = css.parse(selector)
    except css.SelectorError as error:
        raise ValueError(f"no CSS selector: {selector!r}: {error}") from None
    trees = [alternative.parsed_tree for alternative in parsed]
    if len(_known) > _MOST_KNOWN:
        _known.clear()
    return tuple(_known.setdefault(repr(tree), _steps(tree)) for tree in trees)


def _steps(tree: css.Tree) -> _Steps:
    if isinstance(tree, css.CombinedSelector):
        return (*_steps(tree.selector), (tree.combinator, _compound(tree.subselector)))
    return (("", _compound(tree)),)


def _compound(tree: css.Tree) -> _Compound:
    if isinstance(tree, css.Element):
        return _Compound(tag=(tree.element or "*").lower())
    inner = _compound(tree.selector) if hasattr(tree, "selector") else _Compound()
    if isinstance(tree, css.Class):
        return inner._replace(classes=(*inner.classes, tree.class_name))
    if isinstance(tree, css.Hash):
        return inner._replace(ident=tree.id)
    if isinstance(tree, css.Matching) and inner.tag == "*":
        options = [_compound(option) for option in tree.selector_list]
        if all(option == _Compound(tag=option.tag) for option in options):
            return inner._replace(tag=" ".join(option.tag for option in options))
    attribute = tree.attrib if isinstance(tree, css.Attrib) and _SAFE_NAME.fullmatch(tree.attrib) else inner.attribute
    return inner._replace(tests=(*inner.tests, _test(tree)), attribute=attribute)


def _having(attribute: str, root: Element) -> list[Element]:
    found = etree.XPath(f"descendant-or-self::*[@{attribute}]")(root)
    return [element for element in found if isinstance(element, etree._Element)] if isinstance(found, list) else []


def _test(tree: css.Tree) -> Test:
    if isinstance(tree, css.Attrib):
        return _attribute_test(tree.attrib, tree.operator, tree.value.value or "" if tree.value else "")
    if isinstance(tree, css.Negation):
        inner = _compound(tree.subselector)
        return lambda element: not inner.fits(element)
    if isinstance(tree, css.Matching):
        return _any_test([_compound(option) for option in tree.selector_list])
    if isinstance(tree, css.Pseudo) and tree.ident in _PSEUDO:
        return _PSEUDO[tree.ident]
    raise ValueError(f"not known in selectors of comments: {tree!r}")


def _any_test(options: list[_Compound]) -> Test:
    if all(option.is_one_name and option.classes for option in options):
        names = frozenset(option.classes[0] for option in options)
        return lambda element: not names.isdisjoint((element.get("class") or "").split())
    return lambda element: any(option.fits(element) for option in options)


def _is_note(element: Element) -> bool:
    return not isinstance(element.tag, str)


_PSEUDO: dict[str, Test] = {
    "first-child": lambda element: element.getprevious() is None,
    "last-child": lambda element: element.getnext() is None,
    "empty": lambda element: not element.text and all(_is_note(child) and not child.tail for child in element),
    "numbered": lambda element: (element.get("id") or "")[-1:].isdigit(),
}


def _attribute_test(name: str, operator: str, value: str) -> Test:
    if operator == "exists":
        return lambda element: element.get(name) is not None
    compare = _OPERATORS[operator]
    return lambda element: (have := element.get(name)) is not None and compare(have, value)


_OPERATORS: dict[str, Callable[[str, str], bool]] = {
    "=": lambda have, value: have == value,
    "~=": lambda have, value: value in have.split(),
    "|=": lambda have, value: have == value or have.startswith(value + "-"),
    "^=": lambda have, value: bool(value) and have.startswith(value),
    "$=": lambda have, value: bool(value) and have.endswith(value),
    "*=": lambda have, value: bool(value) and value in have,
    "!=": lambda have, value: have != value,
}


def _below(found: list[Element], others: list[Element]) -> list[Element]:
    nearest = Nearest(others)
    return [element for element in found if nearest.above(element) is not None]


def _children(found: list[Element], others: list[Element]) -> list[Element]:
    parents = set(others)
    return [element for element in found if element.getparent() in parents]


def _next(found: list[Element], others: list[Element]) -> list[Element]:
    before = set(others)
    return [element for element in found if element.getprevious() in before]


def _later(found: list[Element], others: list[Element]) -> list[Element]:
    firsts: dict[Element | None, Element] = {}
    for other in others:
        firsts.setdefault(other.getparent(), other)
    behind = {later for first in firsts.values() for later in first.itersiblings()}
    return [element for element in found if element in behind]


_COMBINED = {" ": _below, ">": _children, "+": _next, "~": _later}
