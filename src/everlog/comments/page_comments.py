"""The comments that stand in a page, read in the way that explains it best.

    learned       what the blog's comment feeds taught
    known         the markup of blog engines
    service       what a browser drew of a comment service, in rendered pages
    repeated      elements that repeat below the article, where nothing else is known

The number of comments that the page states is the check: a way that finds as many as stated ends the search.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from everlog.comments.comment_hints import PageNames, hints_of
from everlog.comments.comment_markup import Markup, Thread, comment_elements, explained, read_selected
from everlog.comments.css import Selection
from everlog.comments.engines import KNOWN, WORDPRESS
from everlog.comments.known_engines import said
from everlog.comments.linkbacks import SELECTOR, with_linkbacks
from everlog.comments.linked_data import read_linked_data
from everlog.comments.repeated import read_repeated
from everlog.comments.services import embedded, read_service
from everlog.comments.stated_counts import stated_count

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from datetime import datetime

    from everlog.comments.comment_rules import CommentRule, CommentRules
    from everlog.core.selectors import Marked
    from everlog.core.tree import Element

# Links from other blogs stand among the comments with neither text nor date; `linkbacks` reads them.
_NEARLY_ALL = 0.8


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """The comments of a page, the number it states, how they were found and the elements they stand in."""

    thread: Thread | None = None
    claimed: int | None = None
    method: str | None = None
    rule: str | None = None
    confidence: float | None = None
    elements: tuple[Element, ...] = ()


def read_comments(
    root: Element, url: str, rules: CommentRules | None = None, *, article: Element | None = None,
    fetched_at: datetime | None = None, rendered: bool = False, marked: list[Marked] | None = None,
) -> Reading:
    """The comments of a page; the page stays as it is.

    `article` is the element of the page's article, which no comment holds. A rendered page is one that a
    browser made, with the frames of comment services in it. `marked` are the page's marked elements, where somebody
    listed them before.

    >>> from everlog.core.tree import parse
    >>> page = parse(b"<article>Rain.</article><ol><li class=comment id=comment-7><cite class=fn>Ada</cite><p>Fine.")
    >>> reading = read_comments(page, "http://a.org/", article=page[0][0])
    >>> [(comment.author, comment.text) for comment in reading.thread.comments], reading.method
    ([('Ada', 'Fine.')], 'known')
    """
    hints = hints_of(rules)
    page = Selection(root, article, marked)
    named = hints.named(page.marked)
    if not (named or rendered or hints.always):
        return _from_data(root, url, fetched_at)
    names = PageNames(root, named)
    best = Reading()
    if rendered or hints.are_met(root, names):
        claimed = stated_count(root, url, page)
        ranked = [rule for rule in (rules.ranked if rules is not None else ()) if names.meet(rule.markup.comment)]
        known = [markup for markup in KNOWN if names.meet(markup.comment)]
        for reading in _Ways(page, url, claimed, fetched_at).all(ranked, known, rendered=rendered):
            if _is_better(reading, best, claimed):
                best = reading
            if best.thread is not None and 2 * _count(best) >= (claimed or 0):
                break
        best = _with_linkbacks(best, page, url, fetched_at)
    else:
        claimed = stated_count(root, url, page, named, everywhere=False)
    if best.thread is None and claimed != 0:
        best = _elsewise(root, url, article, claimed, fetched_at)
    stated = best.thread.claimed if best.thread is not None else None
    claimed = claimed if stated is None else stated
    # Themes print "No comments" above comments that came later.
    return replace(best, claimed=claimed if claimed or best.thread is None else None)


class _Ways:
    """The ways to read one page."""

    def __init__(self, page: Selection, url: str, claimed: int | None, fetched_at: datetime | None) -> None:
        self._page = page
        self._url = url
        self._claimed = claimed
        self._fetched_at = fetched_at

    def all(self, ranked: Iterable[CommentRule], known: Sequence[Markup], *, rendered: bool) -> Iterator[Reading]:
        """What they find, the most trusted first."""
        for rule in ranked:
            yield self._marked(rule.markup, "learned", rule.confidence)
        if known:
            yield self._marked(self._best(known), "known")
        for service in embedded(self._page.root) if rendered else ():
            drawn = read_service(self._page.root, self._url, service, fetched_at=self._fetched_at)
            if drawn is not None:
                # Those that stand in the page itself may stand in the article's element.
                elements = comment_elements(self._page, service.markup)
                yield Reading(thread=drawn, method="service", rule=service.name, elements=tuple(elements))

    def _marked(self, markup: Markup, method: str, confidence: float | None = None) -> Reading:
        thread = read_selected(self._page, self._url, markup, fetched_at=self._fetched_at)
        comments = said(thread.comments)
        if not comments:
            return Reading()
        return Reading(
            thread=replace(thread, comments=comments), method=method, rule=markup.comment, confidence=confidence,
            elements=tuple(comment_elements(self._page, markup)),
        )

    def _best(self, known: Sequence[Markup]) -> Markup:
        """The known markup that explains most of the page; the first that explains nearly all ends the search."""
        best, most = known[0], 0
        for markup in known:
            worth = explained(self._page, markup)
            if worth > most:
                best, most = markup, worth
                # A text with a name and a date counts three.
                found = len(comment_elements(self._page, markup))
                if worth >= _NEARLY_ALL * 3 * found and found >= (self._claimed or 0):
                    break
        return best


def _with_linkbacks(best: Reading, page: Selection, url: str, fetched_at: datetime | None) -> Reading:
    """The reading with links from elsewhere among its comments, which markups of comments do not know."""
    before = best.thread.comments if best.thread is not None else ()
    comments, elements = with_linkbacks(before, page, url, fetched_at=fetched_at)
    if not elements:
        return best
    if best.thread is None:
        best = Reading(thread=Thread(source=WORDPRESS.name), method="known", rule=SELECTOR)
    thread = replace(best.thread or Thread(source=WORDPRESS.name), comments=comments)
    return replace(best, thread=thread, elements=(*best.elements, *elements))


def _is_better(reading: Reading, best: Reading, claimed: int | None) -> bool:
    """Whether to believe a less trusted way: where a more trusted one found nothing, or by far too little."""
    found, before = _count(reading), _count(best)
    return found > 0 and (not before or (claimed is not None and 2 * before < min(found, claimed)))


def _elsewise(
    root: Element, url: str, article: Element | None, claimed: int | None, fetched_at: datetime | None
) -> Reading:
    """Comments that stand in the page's data, or where nothing is called after comments."""
    # One element repeats nothing; and where nobody speaks of comments, what repeats is something else.
    if claimed is not None and claimed > 1:
        thread = read_repeated(root, url, article, fetched_at=fetched_at)
        if thread is not None and thread.comments:
            return Reading(thread=thread, method="repeated")
    return _from_data(root, url, fetched_at)


def _from_data(root: Element, url: str, fetched_at: datetime | None) -> Reading:
    thread = read_linked_data(root, url, fetched_at=fetched_at)
    if thread is None or not thread.comments:
        return Reading()
    return Reading(thread=thread, claimed=thread.claimed, method="json-ld")


def _count(reading: Reading) -> int:
    return len(reading.thread.comments) if reading.thread is not None else 0
