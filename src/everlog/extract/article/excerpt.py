"""The article's words of a page when the feed holds only an excerpt, or a summary of other words.

The pages of the feed are laid beside each other. What stands on most of them is design; what is
mostly links to the blog itself is navigation; what remains from the excerpt's first words on is the
article. The mark is a guess, but a guess about ten pages at once, and rules learned from it are
judged again.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import numpy as np

from everlog.core.noise_names import NAMEABLE, names_comments, names_noise
from everlog.core.tree import BLOCK, Element, is_hidden

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from everlog.core.layout import Ints, Layout

    Bools = NDArray[np.bool_]

# A block with more than this share of its words inside links leads elsewhere.
LINK_SHARE = 0.5
# What holds more of the page than this is its frame, whatever its name says.
MOST_OF_PAGE = 0.6
# A block on this share of the pages is design even between paragraphs of the article; one on fewer
# ("Introduction", "Update:") may be a habit of the writer.
DESIGN_SHARE = 0.5
# A block is design when this share of its words stands in three-word sequences of most pages:
# "This entry was posted on ... You can follow any responses to this entry".
SEQUENCE_SHARE = 0.5
# A block is beside the article when more than this share of it is known to be.
MOSTLY_ASIDE = 0.5
# A list of so many links into its own page, and hardly anything else, is a table of contents. Reasoned: two such
# links may be a sentence, and numbers ("1.2") stand beside the links of some.
FEWEST_CONTENTS = 3
CONTENTS_SHARE = 0.8
_LISTS = frozenset(("ul", "ol", "nav", "details", "dl"))
# Headings that only name what follows.
_HEADINGS = frozenset(("h1", "h2", "h3", "h4", "h5", "h6"))


@dataclass(slots=True, kw_only=True)
class Clues:
    """What is known of a page: the words the feed's text matched, and those of its title, tags,
    authors and date. `begin` is the word at which the article starts, None where nobody knows; `aside` marks words
    that are known to stand beside it."""

    layout: Layout
    url: str
    excerpt: Bools
    own_words: Sequence[int]
    begin: int | None
    aside: Bools | None = None


def guess_articles(pages: Sequence[Clues], digits: Bools, *, trust_sequences: bool = True) -> list[Bools]:
    """Marks the article's words of every page; `digits` tells which words are numbers.

    Without `trust_sequences` only whole blocks that most pages share are design: for writers who use
    the same phrases in every post.
    """
    all_blocks = [Blocks.make(page) for page in pages]
    keys: list[list[bytes]] = []
    for page, blocks in zip(pages, all_blocks, strict=True):
        ignored = digits.copy()
        ignored[list(page.own_words)] = True
        keys.append(blocks.keys(ignored))
    seen = Counter(key for page_keys in keys for key in set(page_keys))
    layouts = [page.layout for page in pages]
    common = common_sequences(layouts, digits, max(2, DESIGN_SHARE * len(layouts)))
    if not trust_sequences:
        common = [np.zeros_like(mark) for mark in common]
    return [
        _mark(page, blocks, page_keys, seen, _shares(blocks, sequences), digits, len(pages))
        for page, blocks, page_keys, sequences in zip(pages, all_blocks, keys, common, strict=True)
    ]


def _mark(
    page: Clues, blocks: Blocks, keys: list[bytes], seen: Counter[bytes],
    shared: NDArray[np.float64], digits: Bools, pages: int,
) -> Bools:
    most = max(2, DESIGN_SHARE * pages)
    times = np.array([seen[key] if key else pages for key in keys], np.int32)
    words = page.layout.words
    numbers = np.array([not key and bool(digits[words[a:b]].all()) for key, a, b in blocks.spans(keys)], np.bool_)
    sums = np.concatenate(([0], np.cumsum(page.excerpt)))
    told = (sums[blocks.stop] - sums[blocks.start]) * 2 > blocks.stop - blocks.start
    outside = blocks.foreign | blocks.noisy | (blocks.stop <= (page.begin or 0))
    if page.aside is not None:
        outside |= _shares(blocks, page.aside) > MOSTLY_ASIDE
    good = (~outside & ~numbers & (times < 2) & (shared < SEQUENCE_SHARE) & (blocks.linked <= LINK_SHARE)) | told
    mask = np.zeros(len(words), np.bool_)
    hits = np.flatnonzero(good)
    if not len(hits):
        return mask
    # Between the first and the last block of the article, only what most pages show is design.
    between = np.zeros(len(good), np.bool_)
    between[hits[0]:hits[-1]] = True
    design = (((times >= most) & ~numbers) | (shared >= SEQUENCE_SHARE)) & (pages > 1)
    for block in np.flatnonzero(good | (between & ~outside & ~design)).tolist():
        mask[blocks.start[block]:blocks.stop[block]] = True
    return mask


@dataclass(slots=True, kw_only=True)
class Blocks:
    """The blocks of text of a page: block b is the words `start[b]:stop[b]`.

    `linked` is the share of words in links to the blog itself; `foreign` marks comments, `noisy`
    what its names call share buttons, navigation and the like.
    """

    layout: Layout
    start: Ints
    stop: Ints
    linked: NDArray[np.float64]
    foreign: Bools
    noisy: Bools

    @classmethod
    def make(cls, page: Clues) -> Blocks:
        """Cuts the page's words into blocks."""
        layout = page.layout
        block = _block_of(layout)
        of_word = block[layout.home]
        edges = np.flatnonzero(np.diff(of_word)) + 1
        zero, end = ([0], [len(of_word)]) if len(of_word) else ([], [])
        start = np.concatenate((zero, edges)).astype(np.int32)
        stop = np.concatenate((edges, end)).astype(np.int32)
        comments, noise, links = _names(page)
        sums = np.concatenate(([0], np.cumsum(links[layout.home])))
        element = layout.home[start] if len(start) else start
        return cls(
            layout=layout, start=start, stop=stop,
            linked=(sums[stop] - sums[start]) / np.maximum(stop - start, 1),
            foreign=comments[element], noisy=noise[element],
        )

    def keys(self, ignored: Bools) -> list[bytes]:
        """What each block says, less the words that differ from post to post."""
        words = self.layout.words
        told = ~ignored[words]
        return [
            words[a:b][told[a:b]].tobytes() for a, b in zip(self.start.tolist(), self.stop.tolist(), strict=True)
        ]

    def spans(self, keys: list[bytes]) -> list[tuple[bytes, int, int]]:
        """Key, first and last word of each block."""
        return list(zip(keys, self.start.tolist(), self.stop.tolist(), strict=True))


def _block_of(layout: Layout) -> Ints:
    """The nearest element of each element (itself included) that begins a new line."""
    block: list[int] = []
    for number, (tag, above) in enumerate(zip(layout.tags, layout.parent.tolist(), strict=True)):
        block.append(number if tag in BLOCK or above < 0 else block[above])
    return np.array(block, np.int32)


def _names(page: Clues) -> tuple[Bools, Bools, Bools]:
    """Marks the elements inside comments, inside noise, and inside links to the blog itself."""
    layout = page.layout
    first, last = layout.first.tolist(), layout.last.tolist()
    most = MOST_OF_PAGE * len(layout.words)
    count = len(layout.tags)
    comments, noise, links = [False] * count, [False] * count, [False] * count
    closed: set[int] = set()
    for number, (tag, above, node) in enumerate(zip(layout.tags, layout.parent.tolist(), layout.elements, strict=True)):
        if above >= 0:
            comments[number] = comments[above] or above in closed
            noise[number], links[number] = noise[above], links[above]
        if tag == "a":
            links[number] = links[number] or _leads_home(node.get("href"), page.url)
        names = f"{node.get('id') or ''} {node.get('class') or ''}"
        holds = page.begin is not None and first[number] <= page.begin < last[number]
        if holds or last[number] - first[number] >= most:
            continue
        if len(names) > 1 and names_comments(names):
            comments[number] = True
            if tag in _HEADINGS:
                # The heading names the comments; they are what follows it.
                closed.add(above)
        noise[number] = (
            noise[number]
            or tag in {"nav", "aside"}
            or (len(names) > 1 and tag in NAMEABLE and names_noise(names))
            or is_hidden(node)
            or (tag in _LISTS and is_table_of_contents(node))
        )
    return np.array(comments, np.bool_), np.array(noise, np.bool_), np.array(links, np.bool_)


def is_table_of_contents(node: Element) -> bool:
    """Whether a list is one of links to places on its own page: its headings, which the article says again.

    Lists of notes lead back from each note, which is a text.

    >>> from lxml import etree
    >>> toc = "<ul><li><a href='#a'>First</a></li><li><a href='#b'>Second</a></li><li><a href='#c'>Third</a></li></ul>"
    >>> notes = "<ol><li>See there. <a href='#1'>back</a></li><li>And here. <a href='#2'>back</a></li></ol>"
    >>> is_table_of_contents(etree.fromstring(toc)), is_table_of_contents(etree.fromstring(notes))
    (True, False)
    """
    anchors = [anchor for anchor in node.iter("a") if anchor.get("href")]
    if len(anchors) < FEWEST_CONTENTS or not all((anchor.get("href") or "").startswith("#") for anchor in anchors):
        return False
    linked = sum(len(text.strip()) for anchor in anchors for text in anchor.itertext())
    return linked >= CONTENTS_SHARE * sum(len(text.strip()) for text in node.itertext())


def _leads_home(href: str | None, url: str) -> bool:
    """Whether a link leads to the same host; what leads elsewhere is a source, not navigation."""
    if not href:
        return False
    try:
        there, here = urlsplit(href).netloc, urlsplit(url).netloc
    except ValueError:
        return False
    return not there or there.removeprefix("www.") == here.removeprefix("www.")


def common_sequences(layouts: Sequence[Layout], digits: Bools, least: float) -> list[Bools]:
    """Marks the words of each page inside three-word sequences that at least so many pages share."""
    if not layouts:
        return []
    number = int(digits.size)
    rows = []
    for layout in layouts:
        wide = np.where(digits[layout.words], number, layout.words).astype(np.int64)
        rows.append((wide[:-2] * 1_000_003 + wide[1:-1]) * 1_000_003 + wide[2:] if len(wide) > 2 else wide[:0])
    distinct, times = np.unique(np.concatenate([np.unique(row) for row in rows]), return_counts=True)
    shared = distinct[times >= least]
    marks = []
    for layout, row in zip(layouts, rows, strict=True):
        mark = np.zeros(len(layout.words), np.bool_)
        hits = np.flatnonzero(np.isin(row, shared))
        for step in range(3):
            mark[hits + step] = True
        marks.append(mark)
    return marks


def _shares(blocks: Blocks, marked: Bools) -> NDArray[np.float64]:
    sums = np.concatenate(([0], np.cumsum(marked)))
    result: NDArray[np.float64] = (sums[blocks.stop] - sums[blocks.start]) / np.maximum(blocks.stop - blocks.start, 1)
    return result


def excerpt_start(excerpt: Bools) -> int | None:
    """The word of the page at which the excerpt begins; None where it was not found."""
    hits = np.flatnonzero(excerpt)
    return int(hits[0]) if len(hits) else None
