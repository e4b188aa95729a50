"""Whether other methods agree with an article that is a small part of its page.

A rule that points at the wrong element is right by its own lights: on every page it finds what it found on the feed's
pages. What repeats on the blog's pages and what reads like an article know nothing of the rule. Asking them costs
several times as much as reading, so they are asked only where the article is unusually small for the blog.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from lxml import etree

from everlog.core.rules import Rule
from everlog.extract.article.article_read import Design, Found
from everlog.extract.extractors.extractor import FEEDLESS, pick_at
from everlog.markup.cutting import Cutter

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from everlog.core.outline import Outline
    from everlog.core.tree import Element
    from everlog.extract.article.picks import Pick
    from everlog.extract.extractors.diffpost import RepeatCounts
    from everlog.markup.view import View

    Bools = NDArray[np.bool_]

# An article is small when its share of the page's text is less than this part of what is usual for the blog.
# Of 761 posts of 84 blogs 5 % are; of the same pages read by a wrong small element, nearly all.
SMALL = 0.3
# Below this, the others mean something else. Of the same posts 0.6 % of the right articles are below, all of wrong
# ones.
DISAGREEMENT = 0.5
# What a small article is worth that nobody else finds anything beside. Not measured: it does not occur on 96 blogs.
NO_WITNESS = 0.4

# What a method is worth at most that nobody tried on the blog's own pages.
UNJUDGED = 0.9

# An element with more children, or more characters, is no short one.
_FEW, _SHORT = 10, 1_000
_text_length = etree.XPath("string-length(normalize-space(.))")


def text_length(element: Element) -> int:
    """The characters of an element's text without its scripts, blanks counted once: a measure that costs little.

    >>> text_length(etree.fromstring("<p>four<script>var_x</script><b>   more</b></p>"))
    9
    """
    total = _short_length(element) if len(element) < _FEW else None
    if total is None:
        total = int(_text_length(element))  # type: ignore[arg-type]
    return total - _script_length(element)


def _script_length(element: Element) -> int:
    return sum([len(part.text or "") for part in element.iter("script", "style")])


def _short_length(element: Element) -> int | None:
    """The same for an element with little text, as comments are, of which there are many; None where it has more.

    To ask XPath takes as long as to read a thousand letters.
    """
    text = _raw_text(element)
    # Beyond ASCII there are blanks that XPath takes for letters.
    return len(" ".join(text.split())) if len(text) < _SHORT and text.isascii() else None


def _raw_text(element: Element) -> str:
    return etree.tostring(element, method="text", encoding="unicode", with_tail=False)


def share_of_page(root: Element, article: Element, others: Iterable[Element] = ()) -> float:
    """The article's share of a page's text, in [0, 1]; comments and the like, given as `others`, do not count."""
    body = root.find("body")
    whole = text_length(root if body is None else body) - sum(map(text_length, others))
    return min(text_length(article) / whole, 1.0) if whole > 0 else 1.0


def has_share(root: Element, article: Element, least: float) -> bool:
    """Whether an article's share of its page's text is at least this.

    Most articles are far above it: then bounds that are counted in a third of the time tell it. All blanks count for
    the page, and none for the article.

    >>> page = etree.fromstring("<html><body><h1>A  title</h1><p>Some words.</p></body></html>")
    >>> has_share(page, page[0][1], 0.5), has_share(page, page[0][1], 0.56), has_share(page, page[0][0], 0.5)
    (True, True, False)
    """
    body = root.find("body")
    most = len(_raw_text(root if body is None else body))
    needed = least * most + _script_length(article)
    # English has a blank for every five letters: twice as many characters hold enough.
    text = _raw_text(article)[: int(2 * needed) + 1]
    letters = len(text) - sum(map(text.count, " \n\t\r"))
    return letters > needed or share_of_page(root, article) >= least


def usual_share(shares: Sequence[float]) -> float | None:
    """What share of a page's text is the article on most pages of a blog; None where nobody knows."""
    return round(float(np.median(shares)), 4) if shares else None


def any_article(view: View, repeats: RepeatCounts | None) -> Found | None:
    """What the methods that need no place find on a page, the one that reads best first."""
    for method in FEEDLESS:
        rule = Rule(method=method, where=method)
        pick = pick_at(view, rule, repeats)
        if pick is not None:
            design = Design(places=(rule,), method=method, confidence=UNJUDGED)
            return Found(pick, rule, design, Cutter(()))
    return None


def agreement(
    view: View, pick: Pick, repeats: RepeatCounts | None, *, but: str = "", enough: float = 1.0,
) -> float | None:
    """How far the method that agrees best with an article does, in [0, 1]; None if no other finds any.

    `but` is the method that found it, which is no witness of its own. The first that agrees by `enough` is the last
    that is asked: each costs as much as reading the page.
    """
    outline = view.outline
    letters = np.array([len(segment.split()) and len(segment) for segment in outline.segments], np.int64)
    own = _segments(outline, pick)
    best: float | None = None
    for method in FEEDLESS:
        other = pick_at(view, Rule(method=method, where=method), repeats) if method != but else None
        if other is not None:
            best = max(best or 0.0, _likeness(own, _segments(outline, other), letters))
            if best >= enough:
                break
    return best


def _segments(outline: Outline, pick: Pick) -> Bools:
    """Marks the segments of a page that a pick keeps."""
    kept = np.zeros(len(outline.segments), np.bool_)
    for element, is_kept in ((pick.element, True), *((dropped, False) for dropped in pick.drops)):
        place = outline.places.get(element)
        if place is not None:
            kept[outline.text_slot[place]:outline.tail_slot[place]] = is_kept
    return kept


def _likeness(a: Bools, b: Bools, letters: NDArray[np.int64]) -> float:
    total = int(letters[a].sum()) + int(letters[b].sum())
    return 2 * int(letters[a & b].sum()) / total if total else 1.0
