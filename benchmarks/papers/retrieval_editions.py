"""The posts of one blog in several editions: the truth, the bare page, cleaned pages, and as everlog reads them."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import numpy as np

from everlog.core.outline import Outline
from everlog.core.tree import BLOCK, INVISIBLE, parse
from everlog.errors import EverlogError
from everlog.evaluate.commenting import shown_comments
from everlog.extract.extractors.diffpost import RepeatCounts, clean
from papers.readers import LEARNERS, collected, posts_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from everlog.evaluate.corpus import Blog, Truth
    from everlog.records import Post

TRUTH, RAW = "truth", "raw pages"
# The same with the comments that are known, and with those that were read.
WITH_COMMENTS = " and comments"

Texts = dict[str, str]
"""Edition -> text of one post."""


def diffpost(count: int) -> str:
    """The name of the edition cleaned with so many comparison pages.

    >>> diffpost(3)
    'DiffPost, 3 pages'
    """
    return f"DiffPost, {count} {'page' if count == 1 else 'pages'}"


def editions(blog: Blog, comparison: Sequence[int], seed: int) -> list[Texts]:
    """All editions of each post that `collected` gives, in its order; a page that cannot be read has no text."""
    rows = collected(blog)
    if not rows:
        return []
    texts = [_known(blog, row) for row in rows]
    outlines = {row.url: outline for row in blog.truth() if (outline := _outline(blog.truth_page(row)))}
    for row, known in zip(rows, texts, strict=True):
        outline = outlines.get(row.url)
        known[RAW] = shown_text(outline) if outline else ""
        others = [other for url, other in outlines.items() if url != row.url]
        # More pages are the same pages and some more.
        random.Random(f"{seed} {row.url}").shuffle(others)  # noqa: S311 - draws must be the same every time
        for count in comparison:
            learned = RepeatCounts.learn(others[:count])
            known[diffpost(count)] = shown_text(outline, clean(outline, learned)) if outline else ""
    for name, learn in LEARNERS.items():
        for known, post in zip(texts, posts_of(blog, rows, learn), strict=True):
            known.update(_read(name, post))
    return texts


def shown_text(outline: Outline, kept: NDArray[np.bool_] | None = None) -> str:
    """The text of a page, or of the segments that are kept, as its reader sees it: blocks and gaps part words.

    >>> page = Outline(parse(b"<p>In<b>line</b></p><p>two<i> or </i>three</p><script>x</script>"))
    >>> shown_text(page)
    'Inline two or three'
    >>> shown_text(page, np.array([segment != " or " for segment in page.segments]))
    'Inline two three'
    """
    stays = np.ones(len(outline.segments), np.bool_) if kept is None else kept.copy()
    parted = np.zeros(len(outline.segments), np.bool_)
    for place, element in enumerate(outline.elements):
        if element.tag in INVISIBLE:
            stays[outline.text_slot[place]:outline.tail_slot[place]] = False
        if element.tag in BLOCK:
            parted[[outline.text_slot[place], outline.tail_slot[place]]] = True
    parted[1:] |= ~stays[:-1]
    pieces = (
        " " + segment if blank else segment
        for segment, stay, blank in zip(outline.segments, stays, parted, strict=True) if stay
    )
    return " ".join("".join(pieces).split())


def _known(blog: Blog, row: Truth) -> Texts:
    page = blog.truth_page(row)
    standing = shown_comments(page, row).standing if page and row.comments else ()
    article = row.text or ""
    return {TRUTH: article, TRUTH + WITH_COMMENTS: "\n".join([article, *(comment.text for comment in standing)])}


def _outline(page: bytes | None) -> Outline | None:
    try:
        return Outline(parse(page)) if page else None
    except EverlogError:
        return None


def _read(name: str, post: Post | None) -> Texts:
    article = post.text if post else ""
    comments = [comment.text for comment in post.comments] if post else []
    return {name: article, name + WITH_COMMENTS: "\n".join([article, *comments])}
