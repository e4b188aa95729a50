"""Where a short text stands by the BlogForever paper: likeness of bigrams times nearness to the article.

The fields' own searches look for exact names and for dates as numbers. A name or date that a page
writes in another way than the feed is found here, by how like it is, and judged as any other place.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from everlog.core.selectors import chain_of, selectors_of
from everlog.extract.extractors.blogforever import Target, best_node

if TYPE_CHECKING:
    from collections.abc import Sequence

    from everlog.extract.samples import Sample

# Every text costs a fifth of a page's parse; the paper's rule is the same from five pages as from ten.
PAGES = 5
# A node that holds much more than the text is not its place.
MOST_WORDS = 40


def places_by_likeness(samples: Sequence[Sample], texts: Sequence[Sequence[str]]) -> list[str]:
    """Selectors of the nodes most like the texts of each page, near its article; the most frequent first."""
    votes: Counter[str] = Counter()
    for sample, wanted in list(zip(samples, texts, strict=True))[:PAGES]:
        if not wanted:
            continue
        node = best_node(sample.layout.outline, Target(texts=tuple(wanted), near=sample.view.article))
        number = sample.layout.number(node) if node is not None else None
        if node is not None and number is not None and sample.layout.sizes()[number] <= MOST_WORDS:
            votes.update(dict.fromkeys((*selectors_of(node), chain_of(node)), 1))
    return [selector for selector, count in votes.most_common() if count > 1 or len(samples) == 1]
