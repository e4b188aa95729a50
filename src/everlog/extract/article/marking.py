"""The articles of a feed's pages, marked word by word: what the feed's text is found as, or a guess from the pages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from lxml import etree

from everlog.core.signatures import Signatures
from everlog.core.words import words
from everlog.dates.names import names_of
from everlog.extract.article.align import align
from everlog.extract.article.cuts_learn import Marked
from everlog.extract.article.excerpt import Clues, excerpt_start, guess_articles
from everlog.extract.article.feed_text import target_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from everlog.core.layout import Ints, Layout, Vocabulary
    from everlog.extract.samples import Sample

# A node this like the feed's text shows all of it; below, the feed holds an excerpt. The pages fall into
# two heaps: of 823 pages of 84 feeds 649 are above, 161 below 0.6, and 13 between.
FULL = 0.75
# A text that says it breaks off is only believed to be whole when it nearly is the node.
FULL_DESPITE_ELLIPSIS = 0.97
# What typesetters of formulas call them: Pandoc and its heirs, KaTeX, MathJax 2 and 3.
_formulas = etree.XPath(
    "descendant::math | descendant::*[contains(@class, 'ath') or contains(@class, 'katex')][re:test(@class, "
    r"'(^|\s)(math|katex|MathJax|MathJax_Display|mjx-math)(\s|$)')]",
    namespaces={"re": "http://exslt.org/regular-expressions"},
)
# Marked words are looked for so far behind a formula: "(1)" or another formula may stand between.
FORMULA_REACH = 3
# A text that is found to this share without hidden elements is not hidden.
ENOUGH_IN_SIGHT = 0.9


@dataclass(slots=True)
class TrainingPage:
    """A sample with its article marked as well as it is known.

    `told` marks the feed's words on the page, `found` those that are of the article, `hidden` those that the page
    does not show. `aside` marks words that are no part of the article, whatever else is known.
    """

    sample: Sample
    marked: Marked
    told: Marked
    found: NDArray[np.bool_]
    hidden: NDArray[np.bool_]
    signatures: Signatures
    start: int | None
    is_full: bool
    is_broken_off: bool
    aside: NDArray[np.bool_] | None = None


def training_pages(samples: Sequence[Sample], vocabulary: Vocabulary) -> list[TrainingPage]:
    """The samples with what their pages show of the feed's texts marked."""
    spellings = list(vocabulary)
    pages = []
    for sample in samples:
        target = sample.target or target_of(sample.entry, vocabulary)
        hidden = sample.layout.hidden()
        mask = with_formulas(sample.layout, _aligned(sample.layout, hidden, target.words))
        marked = Marked.make(sample.layout, mask, len(target.words))
        best = marked.dice()[marked.containers].max(initial=0.0)
        pages.append(TrainingPage(
            sample, marked, marked, mask, hidden, Signatures(sample.layout, spellings), excerpt_start(mask),
            is_full=bool(best >= (FULL_DESPITE_ELLIPSIS if target.is_broken_off else FULL)),
            is_broken_off=target.is_broken_off,
        ))
    return pages


def _aligned(layout: Layout, hidden: NDArray[np.bool_], target: Ints) -> NDArray[np.bool_]:
    """The page's words that the feed has; hidden ones only where those in sight do not suffice.

    Scripts that highlight code keep a hidden copy of it: of two equal texts the visible one is meant.
    """
    if hidden.any():
        mask = align(np.where(hidden, -1, layout.words).astype(np.int32), target)
        if mask.sum() >= ENOUGH_IN_SIGHT * len(target):
            return mask
    return align(layout.words, target)


def with_formulas(layout: Layout, mask: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """The same marks, and formulas amid marked words: feeds show them as pictures, or in another notation.

    Without this their elements would pass for noise, and be cut out of every article.

    >>> from lxml import etree
    >>> from everlog.core.layout import Layout, Vocabulary
    >>> page = Layout(etree.fromstring("<p>Let <span class='math inline'>x + y</span> be small</p>"), Vocabulary())
    >>> with_formulas(page, np.array([True, False, False, True, True])).tolist()
    [True, True, True, True, True]
    """
    found = mask
    for element in _formulas(layout.elements[0]) if mask.any() else ():  # type: ignore[union-attr]
        number = layout.number(element)  # type: ignore[arg-type]
        start, stop = (int(layout.first[number]), int(layout.last[number])) if number is not None else (0, 0)
        if start < stop:
            before = start == 0 or found[start - 1]
            if before and (stop == len(mask) or mask[stop:stop + FORMULA_REACH].any()):
                found = found.copy() if found is mask else found
                found[start:stop] = True
    return found


def mark_guesses(
    pages: Sequence[TrainingPage], vocabulary: Vocabulary, language: str | None, *, trust_sequences: bool = True,
) -> None:
    """Marks what is most likely the article on every page, from all of them and what the feed says beside its texts."""
    clues = []
    for page in pages:
        own = _own_words(page.sample, vocabulary, language)
        begin = page.start if page.start is not None else _title_end(page.sample, vocabulary)
        clues.append(Clues(
            layout=page.sample.layout, url=page.sample.url, excerpt=page.found, own_words=own, begin=begin,
            aside=page.aside,
        ))
    digits = np.array([word.isdigit() for word in vocabulary], np.bool_)
    for page, mask in zip(pages, guess_articles(clues, digits, trust_sequences=trust_sequences), strict=True):
        page.marked = Marked.make(page.sample.layout, mask, int(mask.sum()))


def _own_words(sample: Sample, vocabulary: Vocabulary, language: str | None) -> list[int]:
    """The words of a post's title, tags, authors and date: they differ from post to post in its design."""
    entry = sample.entry
    texts = [entry.title or "", *entry.tags, *entry.authors]
    when = entry.published or entry.updated
    if when is not None:
        for spoken in {language or "en", "en"}:
            texts += [name.replace("_", " ") for name, month in names_of(spoken).months.items() if month == when.month]
    # Words that no page has need no number.
    return [vocabulary[word] for text in texts for word in words(text) if word in vocabulary]


def _title_end(sample: Sample, vocabulary: Vocabulary) -> int | None:
    """The word after the heading that is the post's title."""
    layout = sample.layout
    title = np.array([vocabulary[word] for word in words(sample.entry.title or "") if word in vocabulary], np.int32)
    if not len(title):
        return None
    for node in np.flatnonzero(layout.sizes() == len(title)).tolist():
        is_heading = layout.tags[node] in {"h1", "h2", "h3"}
        if is_heading and np.array_equal(layout.words[layout.first[node]:layout.last[node]], title):
            return int(layout.last[node])
    return None
