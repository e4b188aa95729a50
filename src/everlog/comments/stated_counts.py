"""How many comments a page says its post has, in words, links and data; None is better than a wrong number."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import chain
from typing import TYPE_CHECKING, cast

from lxml import etree

from everlog.comments.counting_words import COMMENTS, COUNTERS, NONE, ONE
from everlog.comments.css import Nearest
from everlog.comments.parts import line_of
from everlog.core.noise_names import names_comments
from everlog.core.urls import absolute, canonical
from everlog.core.words import fold
from everlog.markup.view import View

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from everlog.core.tree import Element

_NUMBER = re.compile(r"\d{1,3}(?:[.,\u00a0\u202f ]\d{3})+(?!\d)|\d{1,6}")
_AMOUNT = rf"(?P<n>{_NUMBER.pattern}|(?:{ONE}|{NONE})(?!\w))"
# "3 comments", "One response to “A title”", "“A title”有 3 条评论", "Comments (3)", "コメント 3件".
_BEFORE = re.compile(rf"\W{{0,3}}{_AMOUNT}\)?\s?(?:{COUNTERS})?\s?(?:{COMMENTS})(?!\w)")
_BEHIND = re.compile(rf"\W{{0,3}}(?:{COMMENTS})\W{{0,4}}(?P<n>{_NUMBER.pattern})\s?(?:{COUNTERS})?\W{{0,3}}")
_TITLED = re.compile(
    rf"[“”„\"'«»《「『].{{1,300}}[“”\"'«»》」』].{{0,20}}?{_AMOUNT}\s?(?:{COUNTERS})?\s?(?:{COMMENTS})"
)
_NO_COMMENTS = re.compile(rf"(?:{NONE})(?!\w)")
# A heading may go on with the title of the post; anything else that counts comments is short.
_LONGEST_HEADING = 400
_LONGEST_LABEL = 60
_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6", "legend")
_LINKED = re.compile(r"#(?:comments?|respond|reply|disqus_thread|comment-?form|comments-?section)$", re.IGNORECASE)
# Exact names: `has-sidebar` is the name of a whole page.
_ELSEWHERE = frozenset(
    "sidebar recentcomments recent-comments recent_comments widget_recent_comments related related-posts relatedposts "
    "jp-relatedposts yarpp-related".split()
)
_COUNTED = etree.XPath("//@itemprop[. = 'commentCount' or . = 'interactionCount']/..")
# Above the heading of comments stands the box they are in, not the whole page.
_LEVELS = 4


def count_in(text: str) -> int | None:
    """The number in a text that states a count and nothing else.

    >>> count_in("3 Comments"), count_in("1,204"), count_in("One Response to “3 cats”"), count_in("No comments")
    (3, 1204, 1, 0)
    >>> count_in("《猫》有 12 条评论"), count_in("コメント(2)"), count_in("Leave a comment") is None
    (12, 2, True)
    """
    phrase = counted(text)
    if phrase is not None:
        return phrase
    match = _NUMBER.search(text)
    return int(re.sub(r"\D", "", match[0])) if match else None


def counted(text: str) -> int | None:
    """The number of comments a phrase states.

    >>> counted("Keine Kommentare"), counted("3件のコメント"), counted("留言 3"), counted("5 cats")
    (0, 3, 3, None)
    """
    folded = fold(text).strip()
    match = _BEFORE.match(folded) or _BEHIND.fullmatch(folded) or _TITLED.match(folded)
    if match is None:
        return None
    amount = match["n"]
    if amount[0].isdigit():
        return int(re.sub(r"\D", "", amount))
    return 0 if _NO_COMMENTS.fullmatch(amount) else 1


def stated_count(
    root: Element, url: str, named: Iterable[Element] | None = None, *, everywhere: bool = True
) -> int | None:
    """How many comments a page says its post has; None where it does not say, or says two things.

    Headings of the comments are asked first, then data for programs, then links to the comments of this
    very page, then other elements that are named after comments. `named` are those that may be, where they
    are known already. Without `everywhere` data and links are not asked: of 161 pages without comments 6 state
    something there, and all of them that there are none.

    >>> from everlog.core.tree import parse
    >>> page = parse(b"<div id=comments><h3>3 Responses to A post</h3></div><a href='/other#comments'>7 comments</a>")
    >>> stated_count(page, "http://a.org/post")
    3
    """
    places = _Places(root, root.iter("*") if named is None else named)
    sources: tuple[Callable[[], set[int]], ...] = (
        places.in_headings, lambda: _in_data(root, url), lambda: _in_links(root, url), places.in_names,
    )
    for source in sources if everywhere else (places.in_headings, places.in_names):
        found = source()
        if found:
            return found.pop() if len(found) == 1 else None
    return None


def elsewhere(root: Element) -> Nearest:
    """The parts of a page that are about other posts, and about comments on them."""
    named = (element for element in root.iter("*") if element.get("id") or element.get("class"))
    return Nearest(element for element in named if _is_about_others(element))


def _is_about_others(element: Element) -> bool:
    names = _names(element)
    return bool(names) and element.tag not in {"html", "body"} and _speaks_of_others(names)


@lru_cache(maxsize=4096)
def _speaks_of_others(names: str) -> bool:
    return not _ELSEWHERE.isdisjoint(names.lower().split())


class _Places:
    """Where a page speaks of its comments."""

    def __init__(self, root: Element, named: Iterable[Element]) -> None:
        self._root = root
        self._told: dict[Element, bool] = {}
        self._named = [
            element for element in named
            if element.tag not in {"html", "body"} and names_comments(_names(element))
            and not self._is_elsewhere(element)
        ]
        self._members = frozenset(self._named)

    def in_headings(self) -> set[int]:
        """What the headings of comments state."""
        headings = (element for element in self._root.iter(*_HEADINGS) if self._is_near(element))
        return _numbers(headings, _LONGEST_HEADING)

    def in_names(self) -> set[int]:
        """What other elements state whose names speak of comments, outside links to other posts."""
        small = (element for element in self._named if element.tag not in _HEADINGS and len(element) < 5)
        return _numbers((element for element in small if next(element.iter("a"), None) is None), _LONGEST_LABEL)

    def _is_near(self, heading: Element) -> bool:
        above: Element | None = heading
        for _ in range(_LEVELS):
            if above is None:
                break
            if above in self._members:
                return not self._is_elsewhere(heading)
            above = above.getparent()
        return heading.getnext() in self._members and not self._is_elsewhere(heading)

    def _is_elsewhere(self, element: Element) -> bool:
        """Whether an element stands in a part of the page that is about other posts."""
        passed: list[Element] = []
        answer = False
        for above in chain((element,), element.iterancestors()):
            known = self._told.get(above)
            if known is not None:
                answer = known
                break
            passed.append(above)
            if _is_about_others(above):
                answer = True
                break
        self._told.update(dict.fromkeys(passed, answer))
        return answer


def _in_data(root: Element, url: str) -> set[int]:
    """What microdata and JSON-LD state."""
    found: set[int] = set()
    for element in cast("list[Element]", _COUNTED(root)):
        written = element.get("content") or line_of(element)
        if element.get("itemprop") == "commentCount" or written.startswith("UserComments"):
            found.update(_whole(written.rpartition(":")[2]))
    # Most pages do not count their comments so, and reading what they state costs as much as all the rest.
    if any("commentCount" in (script.text or "") for script in root.iter("script")):
        for node in View(root, url).json_ld:
            found.update(_whole(str(node.get("commentCount", ""))))
    return found


def _in_links(root: Element, url: str) -> set[int]:
    """What links to the comments of this very page state."""
    own = canonical(url)
    found: set[int] = set()
    for link in root.iter("a"):
        href = link.get("href") or ""
        if "#" not in href or not _LINKED.search(href):
            continue
        target = absolute(url, href)
        if target is not None and canonical(target.partition("#")[0]) == own:
            found |= _numbers((link,), _LONGEST_LABEL)
    return found


def _numbers(elements: Iterable[Element], longest: int) -> set[int]:
    lines = (line_of(element) for element in elements)
    return {number for line in lines if len(line) <= longest and (number := counted(line)) is not None}


def _whole(text: str) -> tuple[int, ...]:
    text = text.strip()
    return (int(text),) if text.isascii() and text.isdigit() and len(text) < 7 else ()


def _names(element: Element) -> str:
    return f"{element.get('id') or ''} {element.get('class') or ''}".strip()
