"""CSS selectors on a page with thousands of comments: each is answered once for the whole page, in linear time.

XPath walks the descendants of every match for `a b`, which is quadratic where comments are nested in
comments. Here the elements of a page are looked up by class, id and tag, and an ancestor is found by
climbing, with every step remembered.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from cssselect import parser as css

from everlog.core.selectors import MARKS, marked_among

if TYPE_CHECKING:
    from everlog.comments.parts import Parts
    from everlog.core.selectors import Marked
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
        if not known:
            return None
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

    def each(self, elements: Iterable[Element]) -> list[Element | None]:
        """The nearest of many: most are known, and to ask for one takes as long as to know it."""
        known = self._known
        return [known[element] if element in known else self.at(element) for element in elements]

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

    def __init__(
        self, root: Element, article: Element | None = None, marked: list[Marked] | None = None,
    ) -> None:
        self.root = root
        # What holds the article of the page is no comment on it.
        self.no_comments = frozenset((article, *article.iterancestors())) if article is not None else frozenset()
        self._marked = marked
        self._tags: dict[str, list[Element]] = {}
        self._names: dict[str, list[Element]] | None = None
        self._places: dict[Element, int] | None = None
        self._found: dict[_Steps, list[Element]] = {}
        # The elements of comments by selector and id, for `markup.comment_elements`, and whose parts are looked for.
        self.comments: dict[tuple[str, str], list[Element]] = {}
        self.parts: dict[tuple[str, str], Parts] = {}

    @property
    def marked(self) -> list[Marked]:
        """The elements with a class, an id or an `itemprop`, in document order, and what these are."""
        if self._marked is None:
            self._marked = marked_among(self.root.iter("*"))
        return self._marked

    def all(self, selector: str) -> list[Element]:
        """All elements that a selector names, in document order."""
        groups = [group for group in self.each(selector) if group]
        if len(groups) < 2:
            return groups[0] if groups else []
        members = {element for group in groups for element in group}
        if len(members) == len(groups[0]):  # most alternatives name the same elements
            return groups[0]
        if self._places is None:
            self._places = {element: place for place, element in enumerate(self.root.iter("*"))}
        return sorted(members, key=self._places.__getitem__)

    def each(self, selector: str) -> Iterator[list[Element]]:
        """The elements of each of the alternatives that commas part, in document order.

        Those that ask for a class or an id which the page does not have are left out.
        """
        alternatives = _compiled(selector)
        names = self._named()
        met = {*alternatives.unnamed}
        for name in alternatives.named.keys() & names.keys():
            met.update(place for place in alternatives.named[name] if names.keys() >= alternatives.needs[place])
        return (self._answer(alternatives.steps[place]) for place in sorted(met))

    def may_have(self, selector: str) -> bool:
        """Whether the page has the names that one of the alternatives asks for."""
        alternatives = _compiled(selector)
        if alternatives.unnamed:
            return True
        names = self._named()
        return any(
            names.keys() >= alternatives.needs[place]
            for name in alternatives.named.keys() & names.keys() for place in alternatives.named[name]
        )

    def _answer(self, steps: _Steps) -> list[Element]:
        found = self._found.get(steps)
        if found is None:
            *before, (combinator, compound) = steps
            found = compound.among(self._candidates(compound))
            if before and found:
                found = _COMBINED[combinator](found, self._answer(tuple(before)))
            self._found[steps] = found
        return found

    def _candidates(self, compound: _Compound) -> list[Element]:
        names = compound.names
        if names:
            known = self._named()
            return min((known.get(name, []) for name in names), key=len)
        if compound.options:
            known = self._named()
            there = [known[name] for name in compound.options if name in known]
            if len(there) < 2:  # of several, elements would come twice and out of order
                return there[0] if there else []
        if compound.start and compound.tag == "*":
            return [each[0] for each in self.marked if each[2] is not None and each[2].startswith(compound.start)]
        key = f"@{compound.attribute}" if compound.attribute and compound.tag == "*" else compound.tag
        if key not in self._tags:
            self._tags[key] = self._with(compound.attribute) if key[0] == "@" else list(self.root.iter(*key.split()))
        return self._tags[key]

    def _with(self, attribute: str) -> list[Element]:
        """The elements with an attribute."""
        if attribute in MARKS:
            place = MARKS.index(attribute) + 1
            return [each[0] for each in self.marked if each[place] is not None]
        return [element for element in self.root.iter("*") if element.get(attribute) is not None]

    def _named(self) -> dict[str, list[Element]]:
        """The elements by their classes and ids, written `.class` and `#id`."""
        if self._names is not None:
            return self._names
        found: dict[str, list[Element]] = {}
        for element, classes, ident, _ in self.marked:
            if classes:
                for name in _each_class(classes):
                    found.setdefault(name, []).append(element)
            if ident:
                found.setdefault(f"#{ident}", []).append(element)
        self._names = found
        return found


@lru_cache(maxsize=4096)
def _each_class(classes: str) -> tuple[str, ...]:
    return tuple({f".{name}" for name in classes.split()})


class _Compound(NamedTuple):
    """What must hold of one element: `tag` is one or several, `attribute` one that it must have, `tests` the rest.

    `options` are names of which it must have one, `start` is what its id must begin with; that it is so is among
    the tests.
    """

    tag: str = "*"
    classes: tuple[str, ...] = ()
    ident: str | None = None
    tests: tuple[Test, ...] = ()
    attribute: str = ""
    options: tuple[str, ...] = ()
    start: str = ""

    @property
    def wanted(self) -> tuple[str, ...]:
        """Names of which one has to be in a page; none: nobody knows."""
        return self.names[:1] or self.options

    @property
    def names(self) -> tuple[str, ...]:
        """The names that an element must have, as a page is asked for them; of several, each has to be there."""
        return (f"#{self.ident}",) if self.ident is not None else tuple(f".{name}" for name in self.classes)

    @property
    def is_one_name(self) -> bool:
        named = len(self.classes) + (self.ident is not None)
        return self.tag == "*" and not self.tests and named == 1

    def among(self, candidates: list[Element]) -> list[Element]:
        """Those of the candidates that fit; they bear one of the names already, where there are any."""
        found = candidates
        if self.tag != "*":
            tags = self.tag.split()
            found = [element for element in found if element.tag in tags]
        if len(self.classes) + (self.ident is not None) > 1:
            named = self._replace(tag="*", tests=())
            found = [element for element in found if named.fits(element)]
        for test in self.tests:
            found = [element for element in found if test(element)]
        return found

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


class _Alternatives(NamedTuple):
    """What commas part in a selector: all in their order, and the places of those that ask for no name, and of others.

    `named` are the places of those that find nothing in a page without the name, `needs` all names that each asks for.
    """

    steps: tuple[_Steps, ...]
    unnamed: tuple[int, ...]
    named: dict[str, list[int]]
    needs: tuple[frozenset[str], ...]


# Alternatives that several selectors share are one, so that a page is asked for them once.
_known: dict[str, _Steps] = {}
_MOST_KNOWN = 4096


@lru_cache(maxsize=2048)
def _compiled(selector: str) -> _Alternatives:
    try:
        parsed = css.parse(selector)
    except css.SelectorError as error:
        raise ValueError(f"no CSS selector: {selector!r}: {error}") from None
    trees = [alternative.parsed_tree for alternative in parsed]
    if len(_known) > _MOST_KNOWN:
        _known.clear()
    steps = tuple(_known.setdefault(repr(tree), _steps(tree)) for tree in trees)
    named: dict[str, list[int]] = {}
    unnamed: list[int] = []
    for place, each in enumerate(steps):
        wanted = next(filter(None, (compound.wanted for _, compound in reversed(each))), ())
        for name in wanted:
            named.setdefault(name, []).append(place)
        if not wanted:
            unnamed.append(place)
    needs = tuple(frozenset(name for _, compound in each for name in compound.names) for each in steps)
    return _Alternatives(steps, tuple(unnamed), named, needs)


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
    if isinstance(tree, css.Matching):
        options = [_compound(option) for option in tree.selector_list]
        if all(option.is_one_name for option in options):
            inner = inner._replace(options=tuple(option.names[0] for option in options))
    attribute = tree.attrib if isinstance(tree, css.Attrib) and _SAFE_NAME.fullmatch(tree.attrib) else inner.attribute
    start = inner.start
    if isinstance(tree, css.Attrib) and (tree.attrib, tree.operator) == ("id", "^=") and tree.value is not None:
        start = start or tree.value.value or ""
    return inner._replace(tests=(*inner.tests, _test(tree)), attribute=attribute, start=start)


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
