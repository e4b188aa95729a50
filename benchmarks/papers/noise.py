"""How much noise cleaning leaves in a page and how much content it strips, word by word, as the paper on noise did.

The words of a page that stand in the truth's article, in the same order, are content, all others noise. Of
a post, with n1 words of noise and c1 of content in its page, of which cleaning keeps n2 and c2:

    content stripped   (c1 - c2) / c1
    noise left         n2 / (n2 + c2), the share of the new document
    noise removed      (n1 - n2) / n1

Each is the mean over blogs of the mean over the blog's posts. The pages that a post is compared with are drawn
with a fixed seed from the other posts of its blog; more pages are the same ones and some more.
"""

from __future__ import annotations

import random
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from everlog.core.layout import Vocabulary
from everlog.core.outline import Outline
from everlog.core.tree import parse
from everlog.core.words import marked_words, words
from everlog.errors import EverlogError
from everlog.evaluate.commenting import shown_comments
from everlog.evaluate.scoring import mean
from everlog.extract.article.align import align
from everlog.extract.extractors.diffpost.noise_removal import LEAST_OUTSIDE_LINKS, kept_segments
from everlog.extract.extractors.diffpost.page_counts import RepeatCounts
from everlog.extract.extractors.diffpost.units import Units
from processes import over_blogs

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from everlog.core.layout import Ints
    from everlog.evaluate.corpus import Blog, Truth

    Counts = NDArray[np.int64]
    Rows = list[dict[str, Any]]

SEED = 5
RATIOS = tuple(tenth / 10 for tenth in range(11))
ALL_POSTS, KNOWN_COMMENTS = "all", "comments known"
FIGURES = ("content stripped", "noise left", "noise removed")
# Stands between two segments; no page can hold it.
_GAP = "\0"


class Case(NamedTuple):
    """One way to clean: with so many comparison pages (none: nothing is repeated), and with this anchor-text test."""

    pages: int
    ratio: float = LEAST_OUTSIDE_LINKS


class Share(NamedTuple):
    """What one way of cleaning did to one post, with these posts counted and comments being this."""

    case: Case
    posts: str
    comments: str
    figures: tuple[float | None, ...]


def noise_table(
    blogs: Sequence[Blog], comparison: Sequence[int] = (1, 3, 5), *, jobs: int = 1,
    done: Callable[[str], None] = lambda _: None,
) -> Rows:
    """A row for each number of comparison pages: all posts, then those whose comments are all known, twice."""
    measured = _measured(blogs, [Case(0, 0.0), *map(Case, comparison)], jobs, done)
    return [
        {"posts": posts, "comments are": comments, "comparison pages": case.pages or "uncleaned", **row}
        for (posts, comments, case), row in measured.items()
    ]


def anchor_sweep(
    blogs: Sequence[Blog], ratios: Sequence[float] = RATIOS, *, pages: int = 3, jobs: int = 1,
    done: Callable[[str], None] = lambda _: None,
) -> Rows:
    """A row for each least share of text outside links; 0 is DiffPost alone."""
    measured = _measured(blogs, [Case(pages, ratio) for ratio in ratios], jobs, done)
    return [
        {"text outside links": f"{case.ratio:.1f}", **row}
        for (posts, _, case), row in measured.items() if posts == ALL_POSTS
    ]


def _measured(
    blogs: Sequence[Blog], cases: Sequence[Case], jobs: int, done: Callable[[str], None],
) -> dict[tuple[str, str, Case], dict[str, Any]]:
    """(Posts, comments, case) -> number of blogs and posts, and the figures as means over blogs."""
    by_blog: dict[tuple[str, str, Case], list[list[Share]]] = {}
    for posts, comments in ((ALL_POSTS, "noise"), (KNOWN_COMMENTS, "noise"), (KNOWN_COMMENTS, "content")):
        by_blog |= {(posts, comments, case): [] for case in cases}
    for blog, shares in over_blogs(partial(blog_shares, cases=tuple(cases)), blogs, jobs=jobs):
        for key, members in by_blog.items():
            if own := [share for share in shares if (share.posts, share.comments, share.case) == key]:
                members.append(own)
        done(blog.id)
    return {key: _means(members) for key, members in by_blog.items() if members}


def _means(blogs: Sequence[Sequence[Share]]) -> dict[str, Any]:
    figures = {
        name: mean(mean(share.figures[place] for share in shares) for shares in blogs)
        for place, name in enumerate(FIGURES)
    }
    return {"blogs": len(blogs), "of posts": sum(map(len, blogs)), **figures}


def blog_shares(blog: Blog, cases: Sequence[Case]) -> list[Share]:
    """What every way of cleaning did to every post outside the feed whose article is known as a whole."""
    rows = list(blog.truth())
    if not any(_counts(row) for row in rows):
        return []
    pages = {row.url: outline for row in rows if (outline := _outline(blog, row))}
    units = {url: Units(outline) for url, outline in pages.items()}
    shares: list[Share] = []
    for row in rows:
        if _counts(row) and row.url in pages:
            others = [other for url, other in units.items() if url != row.url]
            random.Random(f"{SEED} {row.url}").shuffle(others)  # noqa: S311 - draws must be the same every time
            kept = [(case, _kept(units[row.url], others, case)) for case in cases]
            shares += _post_shares(_Words(pages[row.url], units[row.url]), blog, row, kept)
    return shares


def _kept(units: Units, others: Sequence[Units], case: Case) -> NDArray[np.bool_]:
    repeats = RepeatCounts()
    for other in others[:case.pages]:
        repeats = repeats.with_units(other)
    return kept_segments(units, repeats, least_outside_links=case.ratio)


def _counts(row: Truth) -> bool:
    return row.counts and bool(row.text) and row.text_is_whole


def _outline(blog: Blog, row: Truth) -> Outline | None:
    page = blog.truth_page(row)
    try:
        return Outline(parse(page)) if page else None
    except EverlogError:
        return None


def _post_shares(
    page: _Words, blog: Blog, row: Truth, kept: Iterable[tuple[Case, NDArray[np.bool_]]],
) -> Iterator[Share]:
    article = page.in_order(row.text or "")
    contents = [(ALL_POSTS, "noise", article)]
    if row.comments and row.comments_complete:
        known = shown_comments(blog.truth_page(row) or b"", row).standing
        comments = page.side_by_side((comment.text for comment in known), article)
        contents += [(KNOWN_COMMENTS, "noise", article), (KNOWN_COMMENTS, "content", article | comments)]
    for posts, comments_are, content in contents:
        total, good = page.per_segment(np.ones_like(content)), page.per_segment(content)
        for case, segments in kept:
            yield Share(case, posts, comments_are, _figures(total - good, good, segments))


def _figures(noise: Counts, content: Counts, kept: NDArray[np.bool_]) -> tuple[float | None, ...]:
    """In the order of FIGURES; None where there was nothing to strip, or no noise.

    >>> _figures(np.array([3, 1]), np.array([0, 4]), np.array([False, True]))
    (0.0, 0.2, 0.75)
    """
    noise_before, content_before = int(noise.sum()), int(content.sum())
    noise_after, content_after = int(noise[kept].sum()), int(content[kept].sum())
    left = noise_after + content_after
    return (
        1 - content_after / content_before if content_before else None,
        noise_after / left if left else 0.0,
        1 - noise_after / noise_before if noise_before else None,
    )


class _Words:
    """The words that a page shows, and the segment in which each stands."""

    def __init__(self, outline: Outline, units: Units) -> None:
        shown = [
            segment if is_shown else ""
            for segment, is_shown in zip(outline.segments, units.spoken.tolist(), strict=True)
        ]
        self._vocabulary = Vocabulary()
        numbers = self._numbers(marked_words(_GAP.join(shown), _GAP))
        gaps = numbers == self._vocabulary[_GAP]
        self._words = numbers[~gaps]
        self._segment = np.cumsum(gaps)[~gaps]
        self._segments = len(shown)

    def _numbers(self, spoken: Iterable[str]) -> Ints:
        return np.fromiter(map(self._vocabulary.__getitem__, spoken), np.int32)

    def per_segment(self, marked: NDArray[np.bool_]) -> Counts:
        """How many of the marked words each segment holds."""
        return np.bincount(self._segment[marked], minlength=self._segments)

    def in_order(self, text: str) -> NDArray[np.bool_]:
        """Marks the words that stand in a text in the same order."""
        return align(self._words, self._numbers(words(text)))

    def side_by_side(self, texts: Iterable[str], taken: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Marks the words of texts that stand in the page as they are, outside of what is taken."""
        free = np.where(taken, -1, self._words)
        for text in texts:
            run = self._numbers(words(text))
            starts = np.flatnonzero(free == run[0]).tolist() if len(run) else []
            at = next((start for start in starts if np.array_equal(free[start:start + len(run)], run)), None)
            if at is not None:
                free[at:at + len(run)] = -1
        marked: NDArray[np.bool_] = (free == -1) & ~taken
        return marked
