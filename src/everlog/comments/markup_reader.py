"""One markup on one page: every part of every comment, each selector looked up once."""

from __future__ import annotations

import re
from itertools import chain, islice
from typing import TYPE_CHECKING

from everlog.comments.author_names import author_name, linked_name
from everlog.comments.bodies import Bodies
from everlog.comments.css import Nearest, Selection
from everlog.comments.dating import for_programs, locate_dates, stated_dates
from everlog.comments.parts import Parts, line_of
from everlog.comments.threads import by_depth, short_id
from everlog.core.links import base_of
from everlog.core.urls import absolute
from everlog.languages.detect import as_language
from everlog.records import Comment

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import datetime

    from everlog.comments.comment_markup import Markup
    from everlog.core.tree import Element

_LANGUAGES = ("lang", "{http://www.w3.org/XML/1998/namespace}lang")
# Names and dates are cut out of a text that they stand in; a longer element is part of the text itself.
_LONGEST_BYLINE = 100
# Elements of a comment that are tried for its date.
_MOST_DATES = 12
_PLAIN_FRAGMENT = re.compile(r"#[\w-]+", re.ASCII)
_NUMBER = re.compile(r"\d{1,4}")


class Reader:
    """One markup on one page."""

    def __init__(
        self, page: Selection, url: str, markup: Markup, elements: list[Element], parts: Parts | None = None
    ) -> None:
        self._page = page
        self._url = url
        self._page_url = url.partition("#")[0]
        self._base = base_of(page.root, url)
        self._markup = markup
        self._parts = parts or Parts(page, elements)
        self._cuts = {cut for selector in markup.cut for cut in page.all(selector)}
        beside = self._parts.beside(markup.text)
        # `li > *` is all that stands in an item, what is cut among it.
        self._texts = {
            comment: kept for comment, parts in beside.items() if (kept := [p for p in parts if p not in self._cuts])
        }
        self._held = {part for parts in self._texts.values() for part in parts}
        self._bodies = Nearest(self._held)
        self._left = Nearest((*self._held, *self._cuts))
        self._links = self._apart(self._parts.every(markup.permalink))
        self._sites = self._parts.first(markup.author_url)
        self._elements = [element for element in elements if element in self._texts]
        self._all = elements
        self._authors = self._named()
        # The elements that state the dates; known once dates were read.
        self._bylines: set[Element] = set()

    def comments(self, moments: Sequence[datetime | None]) -> list[Comment]:
        """The comments, each by itself; `moments` are their dates, read before: what states them is no text."""
        bodies = Bodies(self._base)
        foreign = self._foreign()
        spoiled = {part for other in foreign if (part := self._bodies.above(other)) is not None}
        found = []
        written_ids = self._attributes(self._markup.id)
        for element, written, moment in zip(self._elements, written_ids, moments, strict=True):
            parts = self._texts[element]
            text, html = bodies.read(parts, foreign if not spoiled.isdisjoint(parts) else ())
            ident, address = self._identity(element, written)
            author, name = self._authors.get(element, (None, None))
            found.append(Comment(
                id=ident, author=name, author_url=self._author_url(element, author), text=text, html=html,
                url=address, source=self._markup.name, published=moment,
            ))
        return found

    def dates(self, fetched_at: datetime | None) -> list[datetime | None]:
        """When each comment was written."""
        moments = self._dated(self._parts.some(self._markup.date), self._elements, fetched_at)
        missing = [element for element in self._elements if element not in moments]
        if missing:
            moments |= self._dated(self._parts.every(self._markup.date), missing, fetched_at)
        return [moments.get(element) for element in self._elements]

    def _dated(
        self, found: dict[Element, list[Element]], elements: list[Element], fetched_at: datetime | None
    ) -> dict[Element, datetime]:
        apart = self._apart(found)
        moments: dict[Element, datetime] = {}
        for element in elements:
            part = next(iter(apart.get(element, ())), None)
            moment = for_programs(part, fetched_at) if part is not None else None
            if part is not None and moment is not None:
                moments[element] = moment
                self._bylines.add(part)
        if len(moments) == len(elements):
            return moments
        elements = [element for element in elements if element not in moments]
        # Where each text of a comment stands. A date for programs is read first, and mostly is the last text asked for.
        places: list[list[Element]] = [[] for _ in elements]
        located = locate_dates(
            (_texts_of(apart.get(element, ()), asked) for element, asked in zip(elements, places, strict=True)),
            _languages(self._page.root), fetched_at,
        )
        for element, asked, date in zip(elements, places, located, strict=True):
            if date is not None:
                moments[element] = date[0]
                self._bylines.add(asked[date[1]])
        return moments

    def parents(self) -> list[int | None]:
        """The place of the comment that each is nested in, or stands deeper than."""
        depth = self._markup.depth
        if depth is not None:
            depths = self._attributes(depth) if "@" in depth else [_class_tail(e, depth) for e in self._elements]
            numbers = [_NUMBER.search(written or "") for written in depths]
            if any(numbers):
                return by_depth([int(number[0]) if number else 0 for number in numbers])
        return self._parts.enclosing(self._elements)

    def answered(self) -> list[str | None]:
        """The id of the comment that each says it answers."""
        if self._markup.parent is None:
            return [None] * len(self._elements)
        return [short_id(written) for written in self._attributes(self._markup.parent)]

    def _apart(self, found: dict[Element, list[Element]]) -> dict[Element, list[Element]]:
        """Parts of comments, those last that are part of what the comment says."""
        return {
            comment: parts if len(parts) < 2 else sorted(parts, key=lambda part: self._left.at(part) in self._held)
            for comment, parts in found.items()
        }

    def _foreign(self) -> set[Element]:
        """What is not part of the text it stands in: other comments, what the markup cuts, author and date."""
        lines = {author for author, _ in self._authors.values()} | self._bylines
        return {
            *self._all, *self._cuts,
            *(
                line for line in lines
                if self._bodies.above(line) is not None and line not in self._held
                and len(line_of(line)) <= _LONGEST_BYLINE
            ),
        }

    def _attributes(self, where: str) -> list[str | None]:
        selector, _, name = where.rpartition("@")
        if not selector:
            return [element.get(name) for element in self._elements]
        found = self._parts.first(selector)
        return [found[element].get(name) if element in found else None for element in self._elements]

    def _identity(self, element: Element, written: str | None) -> tuple[str | None, str | None]:
        """A comment's id, and its address: the link that bears its id, else the place in the page."""
        ident = short_id(written)
        links = (self._address(link.get("href")) for link in self._links.get(element, ()))
        for address in filter(None, links):
            named = short_id(address.partition("#")[2])
            if ident is None or named == ident:
                return ident or named, address
        anchor = element.get("id")
        return ident, self._address("#" + anchor) if anchor else None

    def _address(self, link: str | None) -> str | None:
        if link is not None and _PLAIN_FRAGMENT.fullmatch(link):  # most links of most comments, and joining is slow
            return self._page_url + link
        return absolute(self._url if link is not None and link.startswith("#") else self._base, link or None)

    def _named(self) -> dict[Element, tuple[Element, str]]:
        """The first element of each comment that holds a name, and the name."""
        named: dict[Element, tuple[Element, str]] = {}
        for find in (self._parts.some, self._parts.every):
            for comment, parts in self._apart(find(self._markup.author)).items():
                if comment not in named and (found := self._first_name(comment, parts)) is not None:
                    named[comment] = found
            if len(named) >= len(self._elements):
                break
        return named

    def _first_name(self, comment: Element, parts: list[Element]) -> tuple[Element, str] | None:
        # Nothing stands in most of them, so nothing of the text does.
        if len(parts[0]) == 0 and (name := self._name(parts[0])) is not None:
            return parts[0], name
        around = self._parts.between(comment, self._texts.get(comment, ()))
        names = ((part, self._name(part)) for part in parts if part not in around)
        return next(((part, name) for part, name in names if name is not None), None)

    def _name(self, author: Element) -> str | None:
        """The name alone: what stands beside a link, or in elements behind the name, is a badge."""
        if len(author) == 0 and author.tag != "a":
            return author_name(author.text or "") or author_name(line_of(author, self._cuts))
        linked = (linked_name(line_of(link, self._cuts)) for link in _own_links(author))
        own = " ".join(filter(None, (author.text, *(child.tail for child in author))))
        shown = map(author_name, (own, line_of(author, self._cuts)))
        return next(filter(None, chain(linked, shown)), None)

    def _author_url(self, element: Element, author: Element | None) -> str | None:
        site = self._sites.get(element)
        if site is None and author is not None:
            around = author if author.tag == "a" else author.getparent()
            linked = next(_own_links(author), None) if len(author) or around is author else None
            site = linked if linked is not None else around if around is not None and around.tag == "a" else None
        address = None if site is None else self._address(site.get("href"))
        return address if address != self._url else None


def _texts_of(parts: Sequence[Element], asked: list[Element]) -> Iterator[str]:
    """The texts that may state a comment's date, one by one; `asked` gets the element of each that was asked for."""
    for part in islice(parts, _MOST_DATES):
        for text in stated_dates(part):
            asked.append(part)
            yield text


def _own_links(author: Element) -> Iterator[Element]:
    """The links in an author's element but for those to places in a page, which are the comment's."""
    return (link for link in author.iter("a") if "#" not in (link.get("href") or ""))


def _class_tail(element: Element, prefix: str) -> str | None:
    names = (element.get("class") or "").split()
    return next((name.removeprefix(prefix) for name in names if name.startswith(prefix)), None)


def _languages(root: Element) -> Sequence[str]:
    spoken = (element.get(name) for element in (root, root.getroottree().getroot()) for name in _LANGUAGES)
    return [language for language in map(as_language, spoken) if language]
