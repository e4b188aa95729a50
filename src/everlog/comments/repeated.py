"""Comments on pages nothing else can read: elements that repeat below the article, each with a name, a date and a text.

Much else repeats below an article: related posts, shares, tags. A group of elements is taken for comments
only where the page itself calls the place one for comments, and where nearly all of them can be read.
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING

from everlog.comments.comment_markup import MOST_COMMENTS, Markup, Thread, read_elements
from everlog.comments.counting_words import COMMENTS
from everlog.comments.css import Nearest, Selection
from everlog.comments.engines import CUT, NAMED_AUTHOR, NAMED_DATE, NAMED_TEXT
from everlog.comments.parts import line_of
from everlog.comments.stated_counts import counted, elsewhere, stated_count
from everlog.comments.threads import only
from everlog.core.selectors import without_digits
from everlog.core.urls import absolute, canonical, host_of
from everlog.core.words import fold, words

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from datetime import datetime

    from everlog.core.tree import Element
    from everlog.records import Comment

# One element repeats nothing.
_FEWEST = 2
# Elements that can hold a whole comment, or begin one (`dt`).
_ITEMS = ("li", "div", "article", "section", "dt", "p", "blockquote")
# Names that change from one comment to the next.
_CHANGING = re.compile(
    r"odd|even|alt|first|last|by-?(?:post)?author|byuser|(?:depth|level|thread)-?.*|(?:.*-)?author-.*|parent",
    re.IGNORECASE,
)
_PLACE = re.compile(
    r"(?:^|[-_ ])(?:comments?|replies|respon(?:ses|d)|discussions?|reactions?|feedbacks?|guestbook|messages?|talkback"
    r"|webmentions?|mentions)(?:$|[-_ ])",
    re.IGNORECASE,
)
_WORD = re.compile(rf"(?<!\w)(?:{COMMENTS})(?!\w)")
_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
# "Leave a comment", "Was meint ihr? Kommentare": a longer heading is one of a text.
_FEW_WORDS = 5
# Elements of a group that are looked at before it is read.
_SAMPLE = 20
# Of a comment most is its own text; of a list of posts most is links to them.
_MOST_LINKED = 0.4
# Of the elements of a group so many must turn out to be comments with name, date and text.
_READABLE = 0.8
# Elements of all groups together: lists in lists are groups in groups, and each is read with all it holds.
_MOST_TRIED = 2 * MOST_COMMENTS
_LONGEST_BYLINE = 80
_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")

_ANY = Markup(
    name="page",
    comment="*",
    text=f"{NAMED_TEXT}, .content, .text, .message, .body, p, blockquote, dd, div",
    author=f"{NAMED_AUTHOR}, dt, strong, b, h3, h4, h5, h6, a[rel~=nofollow], em, i, span, a",
    date=f"{NAMED_DATE}, em, i, span, dt, a, p, div",
    permalink="a[href^='#'], a[href*='#comment'], a[href*='#c']",
    cut=CUT,
)


def read_repeated(
    root: Element, url: str, article: Element | None, *, fetched_at: datetime | None = None
) -> Thread | None:
    """The comments below an article that are recognised by their repeated structure alone; None where nothing is.

    >>> from everlog.core.tree import parse
    >>> page = parse(b"<article>Rain.</article><div class=replies>"
    ...     b"<div><b>Ada</b> <i>1 March 2019</i><p>It will stop.</p></div>"
    ...     b"<div><b>Bob</b> <i>2 March 2019</i><p>It never does.</p></div></div>")
    >>> [(comment.author, comment.text) for comment in read_repeated(page, "http://a.org/", page[0][0]).comments]
    [('Ada', 'It will stop.'), ('Bob', 'It never does.')]
    """
    page = Selection(root, article)
    best: Thread | None = None
    left = _MOST_TRIED
    for group in _groups(page, article, url):
        if left <= 0:
            break
        left -= len(group)
        thread = read_elements(page, url, _ANY, group, fetched_at=fetched_at)
        comments = only(thread.comments, _is_whole)
        if len(comments) < max(_FEWEST, _READABLE * min(len(group), MOST_COMMENTS)) or not _are_texts(comments):
            continue
        if best is None or _said(comments) > _said(best.comments):
            best = replace(thread, comments=comments)
    return None if best is None else replace(best, claimed=stated_count(root, url, page) or best.claimed)


def _groups(page: Selection, article: Element | None, url: str) -> Iterator[list[Element]]:
    """Elements of one shape side by side, outside of the article, in a place for comments."""
    own = {*article.iter("*"), *article.iterancestors()} if article is not None else set()
    root = page.root
    places, others = _places(root), elsewhere(page)
    shapes: dict[tuple[Element, str, str], list[Element]] = {}
    for element in root.iter(*_ITEMS):
        above = element.getparent()
        if above is None or element in own or places.at(element) is None or others.at(element) is not None:
            continue
        shapes.setdefault((above, str(element.tag), _shape(element.get("class") or "")), []).append(element)
    for (above, tag, shape), group in shapes.items():
        sample = group[:_SAMPLE]
        if len(group) < _FEWEST or sum(map(_may_be_dated, sample)) < _READABLE * len(sample):
            continue
        if _linked(sample, url) <= _MOST_LINKED:
            nested = (element for element in above.iter(tag) if _shape(element.get("class") or "") == shape)
            yield list(nested) if shape or tag == "li" else group


def _places(root: Element) -> Nearest:
    """The elements that the page names as a place for comments, or that follow a heading which speaks of them."""
    found = [
        element for element in root.iter("*")
        if element.tag not in {"html", "body"} and _is_place(f"{element.get('id') or ''} {element.get('class') or ''}")
    ]
    for heading in root.iter(*_HEADINGS):
        line = line_of(heading)
        if counted(line) is not None or (len(words(line)) <= _FEW_WORDS and _WORD.search(fold(line))):
            for following in heading.itersiblings():
                if following.tag in _HEADINGS and following.tag <= heading.tag:
                    break
                found.append(following)
    return Nearest(found)


@lru_cache(maxsize=4096)
def _is_place(names: str) -> bool:
    return _PLACE.search(names) is not None


@lru_cache(maxsize=4096)
def _shape(classes: str) -> str:
    return " ".join(sorted({without_digits(name) for name in classes.split() if not _CHANGING.fullmatch(name)}))


def _may_be_dated(element: Element) -> bool:
    if next(element.iter("time"), None) is not None or any(map(str.isdigit, line_of(element))):
        return True
    return len(element) > 0 and any(map(str.isdigit, line_of(element[-1])))


def _linked(sample: Iterable[Element], url: str) -> float:
    """The share of what elements show that links to other pages of this site."""
    host, page = host_of(url), canonical(url)
    shown = linked = 0
    for element in sample:
        shown += len(line_of(element))
        for link in islice(element.iter("a"), _SAMPLE):
            target = absolute(url, link.get("href"))
            if target is not None and host_of(target) == host and canonical(target.partition("#")[0]) != page:
                linked += len(line_of(link))
    return linked / shown if shown else 1.0


def _is_whole(comment: Comment) -> bool:
    return bool(comment.text and comment.author and comment.published)


def _are_texts(comments: Sequence[Comment]) -> bool:
    """Whether texts are what people write: different from each other, and more than a name and a date."""
    different = len({comment.text for comment in comments})
    short = (comment.text for comment in comments if len(comment.text) <= _LONGEST_BYLINE)
    bylines = sum(_YEAR.search(text) is not None for text in short)
    return different * 2 > len(comments) > bylines * 2


def _said(comments: Iterable[Comment]) -> int:
    return sum(len(comment.text) for comment in comments)
