"""The article among what is left of a page: the element that holds most of it, and what is cut out of that."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from everlog.core.noise_names import NAMEABLE, names_comments, names_noise
from everlog.core.tree import HOLDERS
from everlog.core.words import comparable
from everlog.extract.article.picks import Pick, pick_of
from everlog.extract.extractors.diffpost.noise_removal import link_lists, repeated_pieces
from everlog.extract.extractors.diffpost.units import Units, elements_covered, sums

if TYPE_CHECKING:
    from everlog.core.outline import Outline
    from everlog.core.rules import Rule
    from everlog.extract.extractors.diffpost.page_counts import RepeatCounts
    from everlog.extract.extractors.diffpost.units import Flags
    from everlog.markup.view import View

# Figures: articles that are strictly right, of 100; the mean over 75 blogs, 568 posts, 5 comparison pages. 95.2 with
# the values below.
# A letter of noise counts so much against an element that holds it. 94.3 at 0.01, 95.2 from 0.1 to 0.5, 95.0 at 1.
PENALTY = 0.25
# What stands on so many of the other pages is no part of any article; a greeting or a signature that a blog
# repeats now and then is. 92.8 with everything repeated cut out, 94.3 at 0.5, 95.2 from 0.7 to 0.9.
ALWAYS = 0.8
# A part of the design that holds more than this of the text outside link lists is not what its name says: the box
# around everything may be called "has-sidebar". 93.0 without names, 95.0 at 0.1, 95.2 at 0.2, 95.0 at 0.3.
LARGEST_NAMED = 0.2
# A heading with this share of the page's title is the title: the rest is the blog's name. 91.7 with titles left in,
# 94.8 at 0.5, 95.2 from 0.1 to 0.3.
LEAST_TITLE = 0.3
# 94.0 with h1 alone, 95.2 with h2 too.
HEADINGS = ("h1", "h2", "h3")


def pick(view: View, _: Rule, repeats: RepeatCounts | None) -> Pick | None:
    """The article of a page, if it is known what repeats on the blog's pages."""
    return find_article(view.outline, repeats) if repeats is not None else None


def find_article(outline: Outline, repeats: RepeatCounts) -> Pick | None:
    """The article of a page, or None if nothing is left of the page.

    This goes beyond DiffPost, which keeps all that is not noise: comments and bylines are different on every
    page. Of what is left, the element with most of it is taken.

    >>> from lxml import etree
    >>> from everlog.core.outline import Outline
    >>> from everlog.extract.extractors.diffpost.page_counts import RepeatCounts
    >>> design = "<body><h1>My blog</h1><div><p>{}</p><p>Share it!</p><p>{}</p></div><p>Made by me</p></body>"
    >>> texts = [("Rain today", "No sun"), ("Sun at last", "No rain")]
    >>> one, two = (Outline(etree.fromstring(design.format(*text))) for text in texts)
    >>> pick = find_article(one, RepeatCounts.learn([two]))
    >>> pick.element.tag, [element.text for element in pick.drops]
    ('div', ['Share it!'])
    """
    units = Units(outline)
    links = link_lists(units)
    foreign = _named(outline, units, links) | _titles(outline)
    noise = foreign | units.covered(repeated_pieces(units, repeats))
    holder = main_holder(outline, units, noise, links)
    kept = units.spoken & ~foreign & ~units.covered(repeated_pieces(units, repeats, share=ALWAYS))
    kept[:outline.text_slot[holder]] = False
    kept[outline.tail_slot[holder]:] = False
    return pick_of(outline, kept)


def main_holder(outline: Outline, units: Units, noise: Flags, links: Flags) -> int:
    """The element with most text that is no noise, less a part of the noise in it.

    Lists of links speak neither for an element nor against it: they stand in articles too.
    """
    holders = np.array([0, *(place for place, element in enumerate(outline.elements) if element.tag in HOLDERS)])
    for penalty in (PENALTY, 0.0):
        weights = np.where(noise, -penalty, np.where(links, 0.0, 1.0)) * units.lengths
        added = np.concatenate(([0.0], np.cumsum(weights)))
        scores = (added[outline.tail_slot] - added[outline.text_slot])[holders]
        # Of equals the innermost: the last in document order.
        best = len(holders) - 1 - int(np.argmax(scores[::-1]))
        # A short text among a hundred comments is worth less than nothing; an empty box is not better.
        if scores[best] > 0:
            break
    return int(holders[best])


def _named(outline: Outline, units: Units, links: Flags) -> Flags:
    """Marks what stands in elements whose names say that they are for comments, or for something beside the text."""
    unlinked = sums(units.lengths * ~links)
    places: list[int] = []
    for place, element in enumerate(outline.elements):
        if element.tag not in NAMEABLE:
            continue
        names = [name for name in (element.get("class"), element.get("id")) if name]
        if any(map(names_comments, names)):
            places.append(place)
        elif any(map(names_noise, names)):
            held = unlinked[outline.tail_slot[place]] - unlinked[outline.text_slot[place]]
            if held <= LARGEST_NAMED * unlinked[-1]:
                places.append(place)
    return elements_covered(outline, places)


def _titles(outline: Outline) -> Flags:
    """Marks the headings that say what the page's title says."""
    title = next((comparable(element.text or "") for element in outline.elements if element.tag == "title"), "")
    places = []
    for place, element in enumerate(outline.elements):
        if title and element.tag in HEADINGS:
            heading = comparable("".join(outline.segments[outline.text_slot[place]:outline.tail_slot[place]]))
            if heading in title and len(heading) >= LEAST_TITLE * len(title):
                places.append(place)
    return elements_covered(outline, places)
