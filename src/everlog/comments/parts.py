"""Which part of a page belongs to which comment."""

from __future__ import annotations

from collections.abc import Container, Iterable
from weakref import proxy

from everlog.comments.css import Nearest, Selection
from everlog.core.tree import INVISIBLE, Element, visible_pieces
from everlog.core.words import squeeze

# No name, date or count is longer; what is gathered for one stops here, or a selector that matches
# whole threads would gather them again for every comment.
LONGEST_LINE = 400
# Names of what holds the answers to the comment before it, where they do not stand inside it.
_ANSWERS = ("indented", "children", "child", "replies", "reply", "thread", "answers", "nested", "subcomments")
_LISTS = frozenset(("ul", "ol", "dl"))


class Parts:
    """Hands elements to the comment they stand in, or else to the comment they stand behind."""

    def __init__(self, page: Selection, comments: list[Element]) -> None:
        # The page holds its parts: if they held it too, the whole tree would stay until the garbage collector comes.
        self._page = proxy(page)
        self._comments = comments
        self._inside = Nearest(comments)
        self._behind = Nearest(())
        self._before: dict[Element, Element] | None = None
        self._some: dict[str | None, dict[Element, list[Element]]] = {}

    def every(self, selector: str | None) -> dict[Element, list[Element]]:
        """The elements of a selector by comment, those of its first alternative first."""
        return self._gathered(selector, enough=len(self._comments) + 1)

    def some(self, selector: str | None) -> dict[Element, list[Element]]:
        """The same up to the alternative with which every comment has one; the others are not looked for."""
        found = self._some.get(selector)
        if found is None:
            found = self._some[selector] = self._gathered(selector, enough=len(self._comments))
        return found

    def first(self, selector: str | None) -> dict[Element, Element]:
        """The best element of a selector by comment."""
        return {comment: elements[0] for comment, elements in self.some(selector).items()}

    def beside(self, selector: str) -> dict[Element, list[Element]]:
        """The best element of a selector by comment, and those of the same alternative beside it."""
        inside: dict[Element, list[Element]] = {}
        behind: dict[Element, list[Element]] = {}
        for group in self._page.each(selector):
            for found, handed in zip((inside, behind), self._handed(group), strict=True):
                for comment, (best, *others) in handed.items():
                    above = best.getparent() if best is not comment else None
                    found.setdefault(comment, [best, *(part for part in others if part.getparent() is above)])
            if len(inside) >= len(self._comments):
                break
        return behind | inside

    def _gathered(self, selector: str | None, *, enough: int) -> dict[Element, list[Element]]:
        inside: dict[Element, list[Element]] = {}
        behind: dict[Element, list[Element]] = {}
        seen: set[Element] = set()
        for group in self._page.each(selector) if selector else ():
            new = [element for element in group if element not in seen]
            seen.update(new)
            for found, handed in zip((inside, behind), self._handed(new), strict=True):
                for comment, elements in handed.items():
                    found.setdefault(comment, []).extend(elements)
            if len(inside) >= enough:
                break
        return behind | inside

    def _handed(self, elements: list[Element]) -> tuple[dict[Element, list[Element]], dict[Element, list[Element]]]:
        """Elements by the comment they stand in, and by the comment they stand behind."""
        inside: dict[Element, list[Element]] = {}
        behind: dict[Element, list[Element]] = {}
        for element, owner in zip(elements, self._inside.each(elements), strict=True):
            if owner is not None:
                inside.setdefault(owner, []).append(element)
            elif (before := self._follower_of(element)) is not None:
                behind.setdefault(before, []).append(element)
        return inside, behind

    def between(self, comment: Element, parts: Iterable[Element]) -> set[Element]:
        """The elements around parts of a comment, up to its own."""
        around: set[Element] = set()
        for part in parts:
            above = part.getparent() if part is not comment else None
            while above is not None and above not in around:
                around.add(above)
                above = above.getparent() if above is not comment else None
        return around if comment in around else set()

    def enclosing(self, kept: list[Element]) -> list[int | None]:
        """The place, among the comments that are kept, of the one that each stands in or answers.

        An element that was taken for a comment and is none may still hold one beside its answers: it
        then stands for the first that it holds.
        """
        places = {element: place for place, element in enumerate(kept)}
        stands_for: dict[Element, int] = {}
        above: dict[Element, int | None] = {}
        for comment in self._comments:  # in document order, so what is around a comment is known before it
            owner = self._inside.above(comment)
            if owner is None:
                owner = self._answers_of(comment)
            place = places.get(comment)
            if owner is None:
                above[comment] = None
            elif owner in places:
                above[comment] = places[owner]
            elif place is None:
                above[comment] = stands_for.get(owner, above[owner])
            else:
                above[comment] = above[owner] if stands_for.setdefault(owner, place) == place else stands_for[owner]
        return [above[element] for element in kept]

    def _follower_of(self, element: Element) -> Element | None:
        before = self._before
        if before is None:
            before = self._before = _followers(self._comments)
            self._behind = Nearest(before)
        place = self._behind.at(element)
        return None if place is None else before[place]

    def _answers_of(self, comment: Element) -> Element | None:
        """The comment before the list that this one stands in: designs that put answers beside, not inside."""
        above = comment.getparent()
        if above is None or not (above.tag in _LISTS or _names_answers(above)):
            return None
        owner = self._follower_of(above)
        return owner if owner is not comment else None


def line_of(element: Element, without: Container[Element] = ()) -> str:
    """What a small element shows or, where it is there for programs, says.

    >>> from everlog.core.tree import parse
    >>> line_of(parse(b"<p> <b>Ada</b> says\\n<script>x</script></p>")[0][0])
    'Ada says'
    """
    if len(element) == 0 and element.text and element.tag not in INVISIBLE:
        return squeeze(element.text[:LONGEST_LINE])
    pieces: list[str] = []
    length = 0
    for piece in visible_pieces(element, without):
        pieces.append(piece)
        length += len(piece)
        if length > LONGEST_LINE:
            break
    return squeeze(" ".join(pieces))[:LONGEST_LINE] or squeeze(element.get("content") or "")


def _followers(comments: list[Element]) -> dict[Element, Element]:
    """The comment that each element beside comments stands behind."""
    members = set(comments)
    followed: dict[Element, Element] = {}
    for above in dict.fromkeys(comment.getparent() for comment in comments):
        last: Element | None = None
        for child in above if above is not None else ():
            if child in members:
                last = child
            elif last is not None:
                followed[child] = last
    return followed


def _names_answers(element: Element) -> bool:
    names = (element.get("class") or "").lower().replace("-", " ").replace("_", " ").split()
    return any(name in _ANSWERS for name in names)
