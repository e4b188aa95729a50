"""Small places of a page: the text of a heading, a byline or a tag, and how near it is to the article."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from everlog.core.tree import BLOCK, INVISIBLE, Element
from everlog.core.words import squeeze

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from everlog.core.rules import Rule
    from everlog.markup.view import View

# Deeper than any heading or byline is built; what is below is read without asking what it is.
MAX_DEPTH = 50

# The article's element and what is directly around it; further up stand article and sidebar together.
NEAR_LEVELS = 3

_WORDLESS = re.compile(r"[\W_]*")
# Parts of a page that are about other people and posts: who commented, menus, what else to read.
ELSEWHERE = re.compile(
    r"comment|respond|sidebar|widget|related|recent|popular|pingback|(?<![\w-])footer-|menu|\bnav|breadcrumb",
    re.IGNORECASE,
)
# What engines put beside a heading so that it can be linked to.
_PERMALINK = re.compile(r"[\s#¶§🔗⚓∞]+")


def short_text(element: Element, is_cut: Callable[[Element], bool] | None = None) -> str:
    """The text of a small element on one line; links that show nothing but a permalink sign are left out.

    >>> from everlog.core.tree import parse_fragment
    >>> short_text(parse_fragment("<h1>On <i>rain</i> <a href='#on'>#</a></h1>").find("body/h1"))
    'On rain'
    """
    if len(element) == 0:
        return squeeze(element.text or "")
    pieces: list[str] = []
    _collect(element, pieces, is_cut or is_permalink, 0)
    return squeeze("".join(pieces))


def _collect(element: Element, pieces: list[str], is_cut: Callable[[Element], bool], depth: int) -> None:
    if element.text:
        pieces.append(element.text)
    for child in element:
        apart = child.tag in BLOCK
        if apart:
            pieces.append(" ")
        if child.tag not in INVISIBLE and not is_cut(child):
            if depth < MAX_DEPTH:
                _collect(child, pieces, is_cut, depth + 1)
            else:
                pieces.extend(map(str, child.itertext()))
        if apart:
            pieces.append(" ")
        if child.tail:
            pieces.append(child.tail)


def is_permalink(element: Element) -> bool:
    """Whether an element is the sign beside a heading that links to the heading itself."""
    if element.tag != "a" or len(element) > 1:
        return False
    text = element.text or ""
    return bool(text) and _PERMALINK.fullmatch(text) is not None


def has_words(text: str) -> bool:
    """Whether anything but punctuation stands in a text.

    >>> has_words("¶"), has_words("C#")
    (False, True)
    """
    return _WORDLESS.fullmatch(text) is None


def _signs(element: Element) -> list[str]:
    """The words in an element's names that speak of other parts of the page."""
    named = f"{element.get('id', '')} {element.get('class', '')}"
    return ELSEWHERE.findall(named.lower()) if len(named) > 1 else []


def selectors_used(rules: Iterable[Rule]) -> Iterator[str]:
    """The selectors whose elements the readers look up in the view."""
    return (rule.where for rule in rules if rule.method in {"selector", "time"})


def nearness_of(view: View) -> Nearness:
    """How near the parts of a page are to its article, worked out once a page."""
    known = _nearness.get(view)
    if known is None or known.article is not view.article:
        known = _nearness[view] = Nearness(view.article)
    return known


class Nearness:
    """How far the elements of a page are from its article, in steps up from the article."""

    def __init__(self, article: Element | None) -> None:
        self.article = article
        # The elements themselves are the keys: lxml makes a new object for an element nobody holds.
        self._above: dict[Element, int] = {}
        self._elsewhere: dict[Element, bool] = {}
        # Page builders call every part of a post a widget: such a word around the article says nothing.
        self._usual: set[str] = set()
        if article is not None:
            self._above[article] = 0
            self._above.update((e, steps) for steps, e in enumerate(article.iterancestors(), 1))
            for element in [*self._above][:NEAR_LEVELS]:
                if element.tag != "body":
                    self._usual.update(_signs(element))

    def steps(self, element: Element) -> tuple[int, int]:
        """Steps up from the article to the common ancestor, and steps down from there."""
        down = 0
        node: Element | None = element
        while node is not None:
            up = self._above.get(node)
            if up is not None:
                return up, down
            node = node.getparent()
            down += 1
        return 0, 0

    def is_elsewhere(self, element: Element) -> bool:
        """Whether an element stands in a part of the page that is about other posts or people."""
        known = self._elsewhere.get(element)
        if known is None:
            known = self._elsewhere[element] = self._look_up(element)
        return known

    def _look_up(self, element: Element) -> bool:
        # Names of the body describe the whole page: `has-sidebar`, `comments-open`.
        if element in self._above or element.tag == "body":
            return False
        if element.tag == "nav" or not self._usual.issuperset(_signs(element)):
            return True
        # An `aside` beside the article's own element is its margin, one further out a sidebar.
        if element.tag == "aside" and self.steps(element)[0] > 1:
            return True
        above = element.getparent()
        return above is not None and self.is_elsewhere(above)

    def nearest(self, elements: Sequence[Element]) -> Element:
        """The element with the shortest way to the article; the first of several."""
        if len(elements) == 1 or not self._above:
            return elements[0]
        return min(elements, key=lambda element: sum(self.steps(element)))

    def group(self, elements: Sequence[Element]) -> list[Element]:
        """The elements that share the nearest part of the page with the article.

        A tag cloud in a sidebar is reached only from higher up than the tags of the post.
        """
        if len(elements) < 2 or not self._above:
            return list(elements)
        ups = [self.steps(element)[0] for element in elements]
        lowest = min(ups)
        return [element for element, up in zip(elements, ups, strict=True) if up == lowest]


_nearness: WeakKeyDictionary[View, Nearness] = WeakKeyDictionary()
