"""Elements of an article's tree that are found by their names alone.

The parser's own search makes a filter of patterns for every question: a third of the time that comments took, half of
that of a table. What is asked of an article is nothing but names, of a tree that changes no more.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bs4 import BeautifulSoup, Tag

if TYPE_CHECKING:
    from collections.abc import Sequence


class ArticleElement(Tag):
    """An element whose relatives are found as those of any other, and sooner if nothing but their name is asked for."""

    def find_parent(self, name: Any = None, *given: Any, **named: Any) -> Any:
        """The nearest element around this one that has a name.

        >>> root = article_root("<pre><b><i>x</i></b></pre>")
        >>> [getattr(root.find("i").find_parent(name), "name", None) for name in ("b", ["a", "pre"], "a")]
        ['b', 'pre', None]
        """
        if given or named or not _is_of_names(name):
            return super().find_parent(name, *given, **named)
        wanted = (name,) if isinstance(name, str) else name
        return next((outer for outer in self.parents if outer.name in wanted), None)

    def find(self, name: Any = None, *given: Any, **named: Any) -> Any:
        """The first element in this one that has a name."""
        if given or named or not _is_of_names(name):
            return super().find(name, *given, **named)
        wanted = (name,) if isinstance(name, str) else name
        return next((inner for inner in self.descendants if isinstance(inner, Tag) and inner.name in wanted), None)

    def find_all(self, name: Any = None, *given: Any, **named: Any) -> Any:
        """All elements in this one that have a name, looked for once: each row of a head asks for all of its rows.

        >>> root = article_root("<tr><td>1</td><th>2</th><td>3</td></tr>")
        >>> [cell.name for cell in root.find("tr").find_all(["td", "th"])]
        ['td', 'th', 'td']
        """
        if given or named or not _is_of_names(name):
            return super().find_all(name, *given, **named)
        wanted = (name,) if isinstance(name, str) else tuple(name)
        # Asked for by a dot, what is not there yet would be looked for as an element.
        known: dict[tuple[str, ...], list[Tag]] = self.__dict__.setdefault("_found", {})
        if wanted not in known:
            known[wanted] = [inner for inner in self.descendants if isinstance(inner, Tag) and inner.name in wanted]
        return known[wanted]

    def place_of(self, item: Tag) -> int:
        """How many elements of its name stand before an element in this one, counted once for all of them.

        >>> items = article_root("<ol><li>a</li>, <li>b</li></ol>").find("ol")
        >>> [items.place_of(item) for item in items.find_all("li", recursive=False)]
        [0, 1]
        """
        places: dict[int, int] = self.__dict__.setdefault("_places", {})
        if id(item) not in places:
            counts: dict[str, int] = {}
            for inner in self.children:
                if isinstance(inner, Tag):
                    places[id(inner)] = counts.get(inner.name, 0)
                    counts[inner.name] = places[id(inner)] + 1
        return places[id(item)]


# How the parser is told to make these.
PARSER: dict[str, Any] = {"features": "html.parser", "element_classes": {Tag: ArticleElement}}


def article_root(html: str) -> BeautifulSoup:
    """The tree of an article."""
    return BeautifulSoup(html, **PARSER)


def _is_of_names(name: str | Sequence[str] | object) -> bool:
    return isinstance(name, str) or (isinstance(name, list) and all(isinstance(each, str) for each in name))
