"""Descriptions: texts of a feed that are no part of the article, and where the pages print them.

Many designs carry a sentence or two that the author wrote about a post. The feed holds it in the place of the text,
the page has it in its metadata, and often prints it under the title. Taken for the article, it would teach to read
the subtitle of every post.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from everlog.core.words import words
from everlog.extract.article.cuts_learn import PIECES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from everlog.extract.article.marking import TrainingPage

# An element that is this like the feed's text shows it and nothing else. Of the twelve real blogs with descriptions,
# those that print them are at 0.94 to 1 ("Posted by" or a full stop stands beside it), first paragraphs that
# a feed cuts in the middle of a sentence far below.
WHOLE = 0.9
# Where pages say in their metadata what they are about.
_STATED = ("description", "og:description", "twitter:description", "dc.description", "citation_abstract")


def shown_descriptions(pages: Sequence[TrainingPage]) -> list[int | None]:
    """The element of each page that prints the feed's text apart from the article.

    It is a place of its own: a selector that most pages use for nothing else. A paragraph among others is the
    article's first, unless it has a name of its own and the metadata says the same: `<p class="lead">`.
    """
    nodes = [_showing(page) for page in pages]
    shown = [(page, node) for page, node in zip(pages, nodes, strict=True) if node is not None]
    if len(shown) * 2 < len(pages):
        return [None] * len(pages)
    times: Counter[str] = Counter()
    for page, node in shown:
        times.update(_own_places(page, node))
    own = {place for place, count in times.items() if count * 2 >= len(shown)}
    if sum(not own.isdisjoint(_own_places(page, node)) for page, node in shown) * 2 < len(shown):
        return [None] * len(pages)
    if not states_descriptions(pages) and sum(_is_among_others(*each) for each in shown) * 2 >= len(shown):
        return [None] * len(pages)
    return nodes


def states_descriptions(pages: Sequence[TrainingPage]) -> bool:
    """Whether the feed's texts are what most of the pages say in their metadata about themselves."""
    stated = sum(_is_stated(page) for page in pages)
    return stated * 2 > len(pages)


def _is_stated(page: TrainingPage) -> bool:
    said = words(page.sample.text)
    meta = page.sample.view.meta
    return bool(said) and any(words(text) == said for name in _STATED for text in meta.get(name, ()))


def _showing(page: TrainingPage) -> int | None:
    """The smallest element whose whole text is the feed's."""
    marked = page.told
    dice = marked.dice()
    best = float(dice.max(initial=0.0))
    return int(np.flatnonzero(dice >= best)[-1]) if best >= WHOLE else None


def _own_places(page: TrainingPage, node: int) -> set[str]:
    """The names of an element, or the way to it, that no other element with a text has on its page."""
    layout, chain = page.sample.layout, page.signatures.chain
    spoken = np.flatnonzero(layout.last > layout.first).tolist()
    times = Counter(name for other in spoken for name in layout.selectors[other])
    found = {name for name in layout.selectors[node] if times[name] == 1}
    tag, own = layout.tags[node], chain(node)
    if sum(layout.tags[other] == tag and chain(other) == own for other in spoken) == 1:
        found.add(own)
    return found


def _is_among_others(page: TrainingPage, node: int) -> bool:
    """Whether an element is a piece of text beside others of its kind."""
    layout = page.sample.layout
    tag, above = layout.tags[node], int(layout.parent[node])
    if tag not in PIECES or above < 0:
        return False
    siblings = np.flatnonzero(layout.parent == above).tolist()
    return any(layout.tags[n] == tag and layout.last[n] > layout.first[n] for n in siblings if n != node)
