"""How many comments a page says its post has, in words, links and data; None is better than a wrong number."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from everlog.comments.counting_words import COMMENTS, COUNTERS, NONE, ONE
from everlog.comments.css import Nearest, Selection
from everlog.comments.parts import LONGEST_LINE, line_of
from everlog.core.noise_names import names_comments
from everlog.core.tree import INVISIBLE, Element
from everlog.core.urls import absolute, canonical
from everlog.core.words import fold
from everlog.markup.view import View

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from everlog.core.selectors import Marked

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
_COUNTED = frozenset(("commentCount", "interactionCount"))
_WHOLE_PAGE = frozenset(("html", "body"))
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
    root: Element, url: str, page: Selection | None = None, named: Iterable[Marked] | None = None, *,
    everywhere: bool = True,
) -> int | None:
    """How many comments a page says its post has; None where it does not say, or says two things.

    Headings of the comments are asked first, then data for programs, then links to the comments of this
    very page, then other elements that are named after comments. `page` is what others asked it already, `named` are
    the elements that may be named so, where they are known. Without `everywhere` data and links are not asked: of 161
    pages without comments 6 state something there, and all of them that there are none.

    >>> from everlog.core.tree import parse
    >>> page = parse(b"<div id=comments><h3>3 Responses to A post</h3></div><a href='/other#comments'>7 comments</a>")
    >>> stated_count(page, "http://a.org/post")
    3
    """
    page = page or Selection(root)
    places = _Places(page, page.marked if named is None else named)
    sources: tuple[Callable[[], set[int]], ...] = (
        places.in_headings, lambda: _in_data(page, url), lambda: _in_links(root, url), places.in_names,
    )
    for source in sources if everywhere else (places.in_headings, places.in_names):
        found = source()
        if found:
            return found.pop() if len(found) == 1 else None
    return None


def elsewhere(page: Selection) -> Nearest:
    """The parts of a page that are about other posts, and about comments on them."""
    return Nearest(
        element for element, classes, ident, _ in page.marked
        if (_speaks_of_others(classes or "") or (ident and not _ELSEWHERE.isdisjoint(ident.lower().split())))
        and element.tag not in _WHOLE_PAGE
    )


@lru_cache(maxsize=4096)
def _speaks_of_others(classes: str) -> bool:
    return not _ELSEWHERE.isdisjoint(classes.lower().split())


# A theme has few classes; what a class has in common with others is not asked again for every comment.
_names_comments = lru_cache(maxsize=4096)(names_comments)


class _Places:
    """Where a page speaks of its comments."""

    def __init__(self, page: Selection, named: Iterable[Marked]) -> None:
        self._root = page.root
        self._elsewhere = elsewhere(page)
        self._named = [
            element for element, classes, ident, _ in named
            if (_names_comments(classes) if classes else False) or (ident and names_comments(ident))
            if element.tag not in _WHOLE_PAGE and self._elsewhere.at(element) is None
        ]
        self._members = frozenset(self._named)

    def in_headings(self) -> set[int]:
        """What the headings of comments state."""
        headings = (element for element in self._root.iter(*_HEADINGS) if self._is_near(element))
        return _numbers(headings, _LONGEST_HEADING)

    def in_names(self) -> set[int]:
        """What other elements state whose names speak of comments, outside links to other posts."""
        small = [element for element in self._named if element.tag not in _HEADINGS and len(element) < 5]
        # From the last: what stands in an element is known when that is asked for, as comments and their texts are.
        longer: dict[Element, int] = {}
        labels = [element for element in reversed(small) if not _is_longer(element, _LONGEST_LABEL, longer)]
        return _numbers((element for element in labels if next(element.iter("a"), None) is None), _LONGEST_LABEL)

    def _is_near(self, heading: Element) -> bool:
        above: Element | None = heading
        for _ in range(_LEVELS):
            if above is None:
                break
            if above in self._members:
                return self._elsewhere.at(heading) is None
            above = above.getparent()
        return heading.getnext() in self._members and self._elsewhere.at(heading) is None


def _in_data(page: Selection, url: str) -> set[int]:
    """What microdata and JSON-LD state."""
    root, found = page.root, set[int]()
    for element, _, _, meaning in page.marked:
        if meaning not in _COUNTED:
            continue
        written = element.get("content") or line_of(element)
        if meaning == "commentCount" or written.startswith("UserComments"):
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


def _is_longer(element: Element, longest: int, longer: dict[Element, int]) -> bool:
    """Whether an element's line is certainly longer: comments bear the name of comments too, and are many.

    Letters are counted until there are too many for it; it is not certain where something is not shown, or where the
    line ends before. `longer` are elements that are, and in how many characters of theirs that shows.
    """
    pieces: list[str] = []
    size = length = 0
    for node in element.iter("*"):
        if node in longer and length + longer[node] <= LONGEST_LINE:
            longer[element] = length + longer[node]
            return True
        if node.tag in INVISIBLE:
            return False
        if text := node.text:
            pieces.append(text[: 2 * longest])
            size += len(pieces[-1])
            if size > longest and _letters("".join(pieces)) > longest:
                longer[element] = length + len(pieces[-1])
                return True
            length += len(text)
        if node is not element and (tail := node.tail):
            length += len(tail)
        if length > LONGEST_LINE:
            return False
    return False


def _letters(text: str) -> int:
    """How many characters of a text are no white space."""
    if text.isascii():  # of which a tree holds no other white space
        return len(text) - text.count(" ") - text.count("\n") - text.count("\t") - text.count("\r")
    return len("".join(text.split()))


def _whole(text: str) -> tuple[int, ...]:
    text = text.strip()
    return (int(text),) if text.isascii() and text.isdigit() and len(text) < 7 else ()

