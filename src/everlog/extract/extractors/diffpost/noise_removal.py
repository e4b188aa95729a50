"""What is left of a page without link lists and without what other pages of the blog say too."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from everlog.extract.extractors.diffpost.page_counts import RepeatCounts, in_batches
from everlog.extract.extractors.diffpost.units import Units

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from everlog.core.outline import Outline
    from everlog.extract.extractors.diffpost.fingerprints import Places
    from everlog.extract.extractors.diffpost.units import Flags

# Less text than this outside of links, and a run is a list of links. The paper's value; on 75 blogs (3,136 posts, 3
# comparison pages) it takes the noise left from 12.7 to 8.6 % of the page and the content stripped from 0.7 to
# 3.1 %. Noise is flat from 0.4 to 0.6; above, content goes fast: 4.2 % at 0.7, 11.5 % at 0.9
# (docs/internals/repeats.md).
LEAST_OUTSIDE_LINKS = 0.6
# A run with this share of its letters in repeated texts is repeated. Noise left 8.2 % without this rule, 8.1 % at
# 0.7, 7.7 % at 0.5, 7.6 % at 0.3; content stripped 2.9 to 3.0 % (75 blogs, 568 posts, 3 comparison pages).
# For whole articles (choosing.py) it matters more: 91.4 % right without, 94.3 % at 0.6, 95.2 % from 0.5 down.
MOSTLY = 0.5


def clean(outline: Outline, repeats: RepeatCounts, *, least_outside_links: float = LEAST_OUTSIDE_LINKS) -> Flags:
    """Marks the segments of a page that are kept: first link lists go, then elements that other pages bear too.

    If the page is itself among those that `repeats` was learned from, it is known by its fingerprint, and
    what it added to the counts is taken off. Blank and invisible segments are never kept.

    >>> from lxml import etree
    >>> from everlog.core.outline import Outline
    >>> from everlog.extract.extractors.diffpost.page_counts import RepeatCounts
    >>> design = "<body><h1>My blog</h1><p>{}</p><p><a>Home</a></p></body>"
    >>> one, two = (Outline(etree.fromstring(design.format(text))) for text in ("Rain today", "Sun at last"))
    >>> kept = clean(one, RepeatCounts.learn([one, two]))
    >>> [segment for segment, stays in zip(one.segments, kept, strict=True) if stays]
    ['Rain today']
    """
    return kept_segments(Units(outline), repeats, least_outside_links=least_outside_links)


def clean_pages(outlines: Iterable[Outline], repeats: RepeatCounts) -> Iterator[Flags]:
    """The same for page after page, which is faster than one by one; memory does not grow with their number."""
    for few in in_batches(outlines):
        units = Units(*few)
        kept = kept_segments(units, repeats)
        yield from (kept[start:stop] for start, stop in pairwise(units.bounds.tolist()))


def kept_segments(
    units: Units, repeats: RepeatCounts, *, least_outside_links: float = LEAST_OUTSIDE_LINKS,
) -> Flags:
    """The same for pages that were taken apart already."""
    noise = repeated_pieces(units, repeats)
    kept = units.shown(~units.covered(noise))
    # Addresses have to be looked up in the tree, and most links stand in menus, which are gone already.
    lists = np.zeros(len(noise), np.bool_)
    lists[units.runs] = is_link_list(units, units.linked_around(kept), least_outside_links)
    return kept & ~units.covered(lists)


def repeated_pieces(units: Units, repeats: RepeatCounts, *, share: float = 0.0) -> Flags:
    """Marks elements and runs that other pages bear too, and runs that are mostly made of such texts.

    "This entry was posted on Friday by Ann. You can follow it by RSS" has a new day on every page.
    """
    repeated = repeats.is_repeated(units, share=share)
    mostly = units.letters_in(units.covered(repeated)) >= MOSTLY * units.letters
    repeated[units.texts] = False
    repeated[units.runs] |= mostly
    return repeated


def is_link_list(units: Units, linked: Places, least_outside_links: float = LEAST_OUTSIDE_LINKS) -> Flags:
    """Marks the runs with too little text outside of links, given the letters of each in links.

    Only runs are asked: a page whose menu is longer than its article is not one list of links.
    """
    lists: Flags = units.letters - linked < least_outside_links * units.letters
    return lists


def link_lists(units: Units) -> Flags:
    """Marks the segments of runs with too little text outside of links."""
    lists = np.zeros(len(units.prints), np.bool_)
    lists[units.runs] = is_link_list(units, units.linked)
    return units.covered(lists)
