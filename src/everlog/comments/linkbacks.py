"""Pingbacks and trackbacks: comments of other sites, of which many designs show the name and the link alone.

A site counts them among its comments, so they are kept as such: the author is the linking page, the text is the excerpt
where the page shows one, else nothing.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from everlog.comments.author_names import linked_name
from everlog.comments.comment_markup import ELSEWHERE, read_elements
from everlog.comments.css import Nearest, Selection
from everlog.comments.engines import WORDPRESS
from everlog.comments.parts import line_of
from everlog.comments.threads import short_id
from everlog.core.urls import absolute, canonical
from everlog.core.words import words
from everlog.records import Comment

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from everlog.core.tree import Element

# What `comment_class` of WordPress calls them, whatever the theme says in words.
SELECTOR = "li:is(.pingback, .trackback), :is(.pingback, .trackback)[class*='depth-'], :is(.pingback, .trackback)[id]"
# Answers, and what a moderator or a reader may click.
_NOT_SAID = ".children, .edit-link, .comment-edit-link, .reply, .comment-reply-link, .comment-respond"
# "Pingback:", "Trackback from", "Pingback from … on 3 May 2019 at 10:31": a name and what stands around it.
_FEW_WORDS = 9
# How WordPress marks where an excerpt was cut from the page that links here.
_CUT = ("[…]", "[...]")


def with_linkbacks(
    comments: Sequence[Comment], page: Selection, url: str, *, fetched_at: datetime | None = None,
) -> tuple[tuple[Comment, ...], list[Element]]:
    """Comments of a page with the links from elsewhere among them, in the order of the page; and these elements.

    >>> from everlog.comments.css import Selection
    >>> from everlog.core.tree import parse
    >>> page = parse(b'<ol><li class=pingback id=comment-7>Pingback: <a href="http://b.org/x">A page</a></li></ol>')
    >>> found, _ = with_linkbacks((), Selection(page), "http://a.org/")
    >>> [(comment.id, comment.author, comment.author_url, comment.text) for comment in found]
    [('7', 'A page', 'http://b.org/x', '')]
    """
    elements = _elements(page)
    if not elements:
        return tuple(comments), []
    known = {comment.id: comment for comment in comments if comment.id is not None}
    idents = {element: short_id(element.get("id")) or "" for element in elements}
    missing = [element for element, ident in idents.items() if ident not in known]
    read = {each.id: each for each in read_elements(page, url, WORDPRESS, missing, fetched_at=fetched_at).comments}
    cut = set(page.all(_NOT_SAID))
    found: dict[Element, Comment] = {}
    for element, ident in idents.items():
        comment = _linkback(element, known.get(ident) or read.get(ident), url, cut)
        if comment is not None and not (comment.text and ident in known):
            found[element] = comment
    if not found:
        return tuple(comments), []
    replaced = {comment.id for comment in found.values() if comment.id is not None}
    return _placed([each for each in comments if each.id not in replaced], found, page), list(found)


def is_linkback(comment: Comment) -> bool:
    """Whether a comment is a link from elsewhere, as far as it shows: without words, or an excerpt that is marked so.

    >>> is_linkback(Comment(id="7", author="A page", author_url="http://b.org/x"))
    True
    >>> [is_linkback(Comment(id="7", text=text)) for text in ("[…] as was said here […]", "[...] so […]", "Nice […]")]
    [True, True, False]
    """
    if not comment.text:
        return comment.author_url is not None
    return comment.text.startswith(_CUT) and comment.text.rstrip().endswith(_CUT)


def _elements(page: Selection) -> list[Element]:
    found = page.all(SELECTOR)
    if not found:
        return found
    elsewhere, nearest = Nearest(page.all(ELSEWHERE)), Nearest(found)
    return [
        element for element in found
        if nearest.above(element) is None and elsewhere.at(element) is None and element not in page.no_comments
    ]


def _linkback(element: Element, read: Comment | None, url: str, cut: set[Element]) -> Comment | None:
    """The comment that an element shows; None without a link to where it comes from."""
    inside, own = Nearest(cut), canonical(url)
    for link in element.iter("a"):
        address = absolute(url, link.get("href") or None) if inside.at(link) is None else None
        name = linked_name(line_of(link)) if address is not None else None
        # A link to a place in the post itself is the comment's own address.
        if name and address and not ("#" in address and canonical(address.partition("#")[0]).startswith(own)):
            anchor = element.get("id")
            comment = read or Comment(
                id=short_id(anchor), url=absolute(url, f"#{anchor}") if anchor else None, source=WORDPRESS.name,
            )
            comment = replace(comment, parent=None, author_url=address)
            if len(words(line_of(element, {*cut, link}))) > _FEW_WORDS:
                return comment if comment.text else None
            return replace(comment, author=name, text="", html="")
    return None


def _placed(comments: Sequence[Comment], found: dict[Element, Comment], page: Selection) -> tuple[Comment, ...]:
    """All comments in the order of their elements; what stands inside a link from elsewhere answers it."""
    order: dict[str | None, tuple[int, Element]] = {}
    places: list[tuple[int, int, Comment]] = []
    for place, element in enumerate(page.root.iter("*")):
        if element in found:
            places.append((place, 0, found[element]))
        if element.get("id"):
            order.setdefault(short_id(element.get("id")), (place, element))
    above, place = Nearest(found), -1
    for number, comment in enumerate(comments, 1):
        parent = comment.parent
        if comment.id is not None and comment.id in order:
            place, element = order[comment.id]
            around = above.at(element) if parent is None else None
            parent = found[around].id if around is not None else parent
        places.append((place, number, replace(comment, parent=parent)))
    return tuple(comment for *_, comment in sorted(places, key=lambda each: each[:2]))
