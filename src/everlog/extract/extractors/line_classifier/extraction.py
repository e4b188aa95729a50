"""The article of a page that nothing is known of: no feed, no other page of its blog, only its lines."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from everlog.extract.article.picks import Pick, pick_of
from everlog.extract.extractors.line_classifier.blocks import blocks_of, informative, line_scores
from everlog.extract.extractors.line_classifier.line_features import five_of
from everlog.extract.extractors.line_classifier.linear_model import Classifier, shipped
from everlog.extract.extractors.line_classifier.page_lines import lines_of

if TYPE_CHECKING:
    from everlog.core.outline import Outline
    from everlog.core.rules import Rule
    from everlog.extract.extractors.diffpost import RepeatCounts
    from everlog.extract.extractors.line_classifier.page_lines import Bools, Floats, Lines
    from everlog.markup.view import View


# A line in the gap of a block belongs to it, unless its own odds (their logarithm) are lower: the date and
# the buttons that stand between two paragraphs (F1 97.95 with, 97.92 without, 568 posts of 75 blogs).
SURELY_NOT = -2.0

# Characters of two or three sentences: below that a page without a topical line is believed to have no article.
PARAGRAPH = 140
# Characters outside links, the whole page taken together, below which nothing can be told. Of 3,136 posts, some of
# a few words, the least had 106 with title, date and footer.
LEAST_TEXT = 60
# A page with more of its text in links has no article. Of the same posts the most linked had 0.93: a post may be a
# list of links, but somewhere on its page stands a date or a name.
ALL_LINKS = 0.95


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Extracted:
    """The segments of an outline that are of the article, and how sure that is."""

    kept: Bools
    confidence: float
    """In [0, 1]: the F1 that the lines' own chances promise. It is not calibrated."""


def extract(outline: Outline, classifier: Classifier | None = None) -> Extracted | None:
    """The article of a page, line by line; None if no line of it seems to be of one (`why_nothing` says why).

    >>> from everlog.core.outline import Outline
    >>> from everlog.core.tree import parse
    >>> text = b"<p>The sea was calm, and nobody spoke. We rowed on, past the rocks, until it was dark.</p>"
    >>> page = Outline(parse(b"<ul><li><a href=/>Home</a><li><a href=/b>About</a></ul><div>" + 4 * text))
    >>> article = extract(page)
    >>> {segment[:12] for segment, kept in zip(page.segments, article.kept) if kept and segment}
    {'The sea was '}
    """
    lines = lines_of(outline)
    if _lacks(lines):
        return None
    classifier = classifier or shipped()
    odds = classifier.odds(lines)
    promised = lines.shown / (1 + np.exp(-np.clip(odds, -30, 30)))
    blocks = blocks_of(odds > 0) or _only_line(lines, promised)
    if not blocks:
        return None
    if len(blocks) > 1:
        blocks = informative(blocks, line_scores(classifier.levels.of(five_of(lines))), promised)
    topical = np.zeros(len(lines), np.bool_)
    for start, stop in blocks:
        topical[start:stop] = (odds[start:stop] > SURELY_NOT) | (stop - start == 1)
    # The F1 to be expected: twice the topical characters kept, over all kept and all topical ones.
    expected = 2 * float(promised[topical].sum()) / float(lines.shown[topical].sum() + promised.sum())
    return Extracted(kept=(lines.of_segment >= 0) & topical[lines.of_segment], confidence=expected)


def pick(view: View, _rule: Rule, _repeats: RepeatCounts | None) -> Pick | None:
    """The article of a page, whatever its blog."""
    return find_article(view.outline)


def find_article(outline: Outline) -> Pick | None:
    """The element around the article of a page, and what inside it is none."""
    extracted = extract(outline)
    return None if extracted is None else pick_of(outline, extracted.kept)


def why_nothing(outline: Outline) -> str:
    """Why a page has no article in its lines: the reason of a `Skip`.

    >>> from everlog.core.outline import Outline
    >>> from everlog.core.tree import parse
    >>> why_nothing(Outline(parse(b"<img src=a>"))), why_nothing(Outline(parse(b"<a href=/>Home</a>")))
    ('the page shows no text', 'the page consists of links only')
    """
    return _lacks(lines_of(outline)) or "no part of the page looks like an article"


def _lacks(lines: Lines) -> str | None:
    """What a page would need to have an article; None if nothing."""
    if not len(lines):
        return "the page shows no text"
    shown, linked = float(lines.shown.sum()), float(lines.linked.sum())
    if linked > ALL_LINKS * shown:
        return "the page consists of links only"
    if shown - linked < LEAST_TEXT:
        return "the page shows hardly any text"
    return None


def _only_line(lines: Lines, promised: Floats) -> list[tuple[int, int]]:
    """The line that promises most, as a block, if it is a paragraph: no neighbour speaks for an article of one line."""
    best = int(np.argmax(promised))
    return [(best, best + 1)] if lines.shown[best] - lines.linked[best] >= PARAGRAPH else []
