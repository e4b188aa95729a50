"""Posts whose lines are known: what of a page the truth holds too, line by line."""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from blogs import spread, unseen_posts
from everlog.core.layout import Vocabulary
from everlog.core.outline import Outline
from everlog.core.tree import parse
from everlog.core.words import words
from everlog.extract.article.align import align
from everlog.extract.extractors.line_classifier.line_features import five_of
from everlog.extract.extractors.line_classifier.page_lines import lines_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from everlog.evaluate.corpus import Blog
    from everlog.extract.extractors.line_classifier.page_lines import Bools, Floats, Lines

FOLDS = 10
# A line of so many words weighs as much as any longer one.
LONG_LINE = 60


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Sample:
    """A post's page as lines, and which of them are topical; those without a word weigh nothing."""

    blog: str
    text: str
    outline: Outline
    lines: Lines
    five: Floats
    topical: Bools
    words: Floats
    weight: Floats

    def written(self, kept: Bools) -> str:
        """The text of some of the lines."""
        return written(self.outline, self.lines, kept)


def fold_of(blog: str) -> int:
    """The fold of a blog, the same on every machine."""
    return zlib.crc32(blog.encode()) % FOLDS


def posts_of(blog: Blog, count: int | None = None) -> Iterator[tuple[str, Outline]]:
    """True text and page of the posts outside the feed whose text is known; at most `count`, spread over the blog."""
    for row in spread([row for row in unseen_posts(blog) if row.text and row.text_is_whole], count):
        page = blog.truth_page(row)
        if page and page.strip() and row.text:
            yield row.text, Outline(parse(page))


def samples_of(blog: Blog, count: int) -> list[Sample]:
    """Some posts of a blog with the labels of their lines. All blogs weigh the same, and all posts of a blog."""
    posts = list(posts_of(blog, count))
    return [_sample(blog.id, text, outline, len(posts)) for text, outline in posts]


def written(outline: Outline, lines: Lines, kept: Bools) -> str:
    """The text of some lines of a page, each on its own line."""
    parts: list[str] = []
    last = -1
    for segment, line in zip(outline.segments, lines.of_segment.tolist(), strict=True):
        if line >= 0 and kept[line]:
            parts.append(segment if line == last else "\n" + segment)
            last = line
    return "".join(parts)


def _sample(blog: str, text: str, outline: Outline, posts: int) -> Sample:
    lines = lines_of(outline)
    vocabulary = Vocabulary()
    numbers: list[int] = []
    places: list[int] = []
    for segment, line in zip(outline.segments, lines.of_segment.tolist(), strict=True):
        if line >= 0:
            found = [vocabulary[word] for word in words(segment)]
            numbers += found
            places += [line] * len(found)
    matched = align(_ints(numbers), _ints(vocabulary[word] for word in words(text)))
    spoken = np.bincount(places, minlength=len(lines)).astype(np.float64)
    right = np.bincount(np.array(places, np.int64)[matched], minlength=len(lines))
    weight = np.where(spoken > 0, np.sqrt(np.minimum(spoken, LONG_LINE)) + 0.5, 0)
    return Sample(
        blog=blog, text=text, outline=outline, lines=lines, five=five_of(lines), topical=2 * right > spoken,
        words=spoken, weight=weight / max(float(weight.sum()), 1) / posts,
    )


def _ints(numbers: Iterable[int]) -> np.ndarray[tuple[int], np.dtype[np.int32]]:
    return np.fromiter(numbers, np.int32)
